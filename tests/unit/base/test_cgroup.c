/* Memory limits of cgroups, read from trees made for it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cgroup.h"

#define MIB (UINT64_C(1) << 20)

static char root[64];

static void
set_up(void)
{
	strcpy(root, "/tmp/cgroup-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

static void
tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	ck_assert_int_eq(system(command), 0);
}

/* Writes a file below the root, with the directories on its way. */
static void
put(const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1;
	    (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

struct row {
	const char	*cgroups;	/* /proc/self/cgroup */
	const char	*files[6];	/* path, text, ... */
	uint64_t	 limit;
};

#define TWO "/sys/fs/cgroup"
#define ONE "/sys/fs/cgroup/memory"

static const struct row rows[] = {
	/* Version 2: its own, and those above it. */
	{"0::/a/b\n", {TWO "/a/b/memory.max", "67108864\n"}, 64 * MIB},
	{"0::/a/b\n", {TWO "/a/memory.max", "67108864\n"}, 64 * MIB},
	{"0::/a/b\n", {TWO "/a/b/memory.max", "134217728\n",
	    TWO "/a/memory.max", "67108864\n"}, 64 * MIB},
	{"0::/a/b\n", {TWO "/a/b/memory.max", "67108864\n",
	    TWO "/a/memory.max", "max\n"}, 64 * MIB},
	{"0::/a/b\n", {TWO "/a/b/memory.max", "max\n",
	    TWO "/a/memory.max", "max\n"}, 0},
	/* In a container: its own is the root, whatever it is called. */
	{"0::/\n", {TWO "/memory.max", "67108864\n"}, 64 * MIB},
	{"0::/docker/0123\n", {TWO "/memory.max", "67108864\n"}, 64 * MIB},
	{"0::/../../a\n", {TWO "/memory.max", "67108864\n"}, 64 * MIB},
	/* Version 1. */
	{"5:cpu:/a\n4:memory:/a\n0::/\n",
	    {ONE "/a/memory.limit_in_bytes", "67108864\n"}, 64 * MIB},
	{"4:cpu,memory,pids:/a\n",
	    {ONE "/memory.limit_in_bytes", "67108864\n"}, 64 * MIB},
	{"4:memory:/a\n",
	    {ONE "/a/memory.limit_in_bytes", "9223372036854771712\n"}, 0},
	{"4:memoryless:/a\n",
	    {ONE "/a/memory.limit_in_bytes", "67108864\n"}, 0},
	{"4:memory:/a\n", {TWO "/a/memory.max", "67108864\n"}, 0},
	/* Nothing there, or nothing that makes sense. */
	{"0::/a\n", {NULL}, 0},
	{"", {TWO "/memory.max", "67108864\n"}, 0},
	{"nonsense\n0:\n:\n", {TWO "/memory.max", "67108864\n"}, 0},
	{"0::/a", {TWO "/a/memory.max", "67108864\n"}, 0},
	{"0::/a\n", {TWO "/a/memory.max", ""}, 0},
	{"0::/a\n", {TWO "/a/memory.max", "-1\n"}, 0},
	{"0::/a\n", {TWO "/a/memory.max", "99999999999999999999999\n"}, 0},
};

START_TEST(the_least_limit_counts)
{
	const struct row *row = &rows[_i];

	put("/proc/self/cgroup", row->cgroups);
	for (size_t i = 0; i < 6 && row->files[i] != NULL; i += 2)
		put(row->files[i], row->files[i + 1]);
	ck_assert_uint_eq(cgroup_memory_limit(root), row->limit);
}
END_TEST

START_TEST(without_cgroups_there_is_none)
{
	ck_assert_uint_eq(cgroup_memory_limit(root), 0);
}
END_TEST

START_TEST(a_path_that_is_too_long_is_looked_into_from_above)
{
	char line[6000];

	memset(line, 'd', sizeof(line));
	memcpy(line, "0::/a/", 6);
	strcpy(line + 5900, "\n");
	put("/proc/self/cgroup", line);
	put("/sys/fs/cgroup/a/memory.max", "67108864\n");
	ck_assert_uint_eq(cgroup_memory_limit(root), 64 * MIB);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("cgroup");
	TCase *tc = tcase_create("cgroup");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, the_least_limit_counts, 0,
	    sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tc, without_cgroups_there_is_none);
	tcase_add_test(tc,
	    a_path_that_is_too_long_is_looked_into_from_above);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
