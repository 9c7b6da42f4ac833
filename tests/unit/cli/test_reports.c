/*
 * Each command with each of its allocations failing in turn: it says so, ends
 * with a failure, and lets go of all that it held.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/mem.h"
#include "case.h"
#include "cli/cli.h"

#define ARGUMENTS_MAX 9

static const char old_text[] =
    "listeners:\n"
    "  - {listen: 127.0.0.1:11211, pool: main, routes: [{prefix: \"s:\", "
    "pool: other}]}\n"
    "pools:\n"
    "  main: {servers: [a:1, b:1, {name: c, address: c:1}]}\n"
    "  other: {servers: [a:1, b:1, c:1], placement: ketama}\n";

/* Servers renamed, readdressed, added, removed; routes; a restart. */
static const char new_text[] =
    "workers: 2\n"
    "listeners:\n"
    "  - {listen: 127.0.0.1:11211, pool: main, routes: [{prefix: \"t:\", "
    "pool: other}]}\n"
    "  - {listen: 127.0.0.1:11212, pool: other}\n"
    "pools:\n"
    "  main: {servers: [{name: A, address: a:1}, {name: c, address: e:1}, "
    "d:1]}\n"
    "  other: {servers: [a:1, c:1], placement: ketama}\n"
    "  more: {servers: [a:1]}\n";

static const char keys_text[] = "one\ntwo\ns:three\nt:four\n";

/* The files that arguments in capitals stand for. */
static const struct {
	const char	*name;
	const char	*text;
} files[] = {
	{"OLD", old_text},
	{"NEW", new_text},
	{"KEYS", keys_text},
};

static const struct command {
	int		(*run)(int argc, char **argv);
	const char	*arguments[ARGUMENTS_MAX];
	int		 status;	/* when nothing fails */
	size_t		 least;		/* allocations it has for sure */
} commands[] = {
	{cli_locate, {"locate", "-c", "OLD", "-n", "3", "a", "s:b"}, EX_OK,
	    40},
	{cli_ring, {"ring", "-c", "OLD"}, EX_OK, 60},
	{cli_ring, {"ring", "-c", "OLD", "--json"}, EX_OK, 200},
	{cli_plan, {"plan", "OLD", "NEW"}, EX_CONFIG, 80},
	{cli_plan, {"plan", "OLD", "NEW", "--json"}, EX_CONFIG, 300},
	{cli_plan, {"plan", "OLD", "OLD", "--json"}, EX_OK, 100},
	{cli_place, {"place", "compare", "-k", "KEYS", "OLD", "NEW"}, EX_OK,
	    80},
	{cli_place, {"place", "compare", "-k", "KEYS", "OLD", "NEW", "-j"},
	    EX_OK, 200},
};

static char directory[] = "/tmp/fairlead-test-XXXXXX";
static char paths[LENGTH(files)][64];

static void
write_files(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	for (size_t i = 0; i < LENGTH(files); i++) {
		FILE *out;

		snprintf(paths[i], sizeof(paths[i]), "%s/%s", directory,
		    files[i].name);
		out = fopen(paths[i], "w");
		ck_assert_ptr_nonnull(out);
		fputs(files[i].text, out);
		ck_assert_int_eq(fclose(out), 0);
	}
	/* Only how it ends matters here. */
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
}

static void
remove_files(void)
{
	for (size_t i = 0; i < LENGTH(files); i++)
		unlink(paths[i]);
	rmdir(directory);
}

static int
run(const struct command *command)
{
	char *argv[ARGUMENTS_MAX + 1];
	int argc = 0, status;

	for (; command->arguments[argc] != NULL; argc++) {
		const char *argument = command->arguments[argc];

		for (size_t i = 0; i < LENGTH(files); i++) {
			if (strcmp(argument, files[i].name) == 0)
				argument = paths[i];
		}
		argv[argc] = strdup(argument);
	}
	argv[argc] = NULL;
	optind = 0;	/* glibc: start over */
	status = command->run(argc, argv);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	return status;
}

START_TEST(each_allocation_may_fail)
{
	const struct command *command = &commands[_i];
	int status;
	int64_t n;

	write_files();
	ck_assert_int_eq(run(command), command->status);
	/* Thousands of complaints. */
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	for (n = 0;; n++) {
		mem_fail_after(n);
		status = run(command);
		if (!mem_has_failed())
			break;
		mem_fail_after(-1);
		/* A file that cannot be taken in counts as a wrong one. */
		ck_assert_msg(status == EX_OSERR || status == EX_CONFIG,
		    "allocation %d: status %d", (int)n, status);
	}
	mem_fail_after(-1);
	ck_assert_int_eq(status, command->status);
	ck_assert_uint_ge((size_t)n, command->least);
	remove_files();
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reports");

	tcase_add_loop_test(tc, each_allocation_may_fail, 0, LENGTH(commands));
	tcase_set_timeout(tc, 120);
	return case_run("reports", tc);
}
