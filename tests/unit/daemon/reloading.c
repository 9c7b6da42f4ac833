/* Reloads of a file of the test's own. */
#include "reloading.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/instant.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/passed.h"

struct reloading reloading;

static void
on_commit(void *arg, struct table *table)
{
	(void)arg;
	reloading.committed = table;
	listeners_commit(reloading.listeners, table->conf);
	door_commit(reloading.door, table->conf);
}

static void
on_over(void *arg, const struct reload_record *record)
{
	(void)arg;
	(void)record;
	reloading.novers++;
}

void
reloading_write(const char *text, size_t len)
{
	FILE *out = fopen(reloading.path, "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(text, 1, len, out), len);
	ck_assert_int_eq(fclose(out), 0);
}

void
reloading_write_pools(const char *more, const char *pools)
{
	char text[2048];
	int len = snprintf(text, sizeof(text),
	    "config_version: 1\n%s"
	    "listeners: [{listen: \"unix:%s/in\", pool: a}]\n"
	    "pools: {%s}\n", more, reloading.dir, pools);

	reloading_write(text, (size_t)len);
}

void
reloading_set_up(void)
{
	static const struct admin_hooks hooks;
	const struct reload_record *record;

	log_set_level(LOG_LEVEL_ERROR);
	strcpy(reloading.dir, "/tmp/reloader-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(reloading.dir));
	snprintf(reloading.path, sizeof(reloading.path), "%.100s/f.yaml",
	    reloading.dir);
	reloading.base = event_base_new();
	reloading.registry = server_registry_new();
	reloading.passed = passed_new();
	reloading.listeners = listeners_new(reloading.base, reloading.passed);
	reloading.door = door_new(reloading.base, &hooks);
	reloading.reloader = reloader_new(&(struct reloader_parts){
	    reloading.path, reloading.base, reloading.registry,
	    reloading.listeners, reloading.door, on_commit, on_over, NULL});
	ck_assert_ptr_nonnull(reloading.reloader);
	reloading_write_pools("", BEFORE);
	ck_assert_ptr_nonnull(reloader_prepare_first(reloading.reloader,
	    &record));
	ck_assert_int_eq(record->result, RELOAD_DONE);
	reloader_commit_first(reloading.reloader);
}

void
reloading_tear_down(void)
{
	char command[RELOADING_PATH_SIZE + 16];

	reloader_free(&reloading.reloader);
	listeners_free(&reloading.listeners);
	door_free(&reloading.door);
	passed_free(&reloading.passed);
	/* Every server was let go. */
	server_registry_free(&reloading.registry);
	event_base_free(reloading.base);
	snprintf(command, sizeof(command), "rm -r %s", reloading.dir);
	ck_assert_int_eq(system(command), 0);
}

enum reload_result
reloading_run(void)
{
	const struct reload_record *record = reloader_run(reloading.reloader,
	    RELOAD_BY_SIGNAL);

	ck_assert_ptr_eq(record, reload_history_at(
	    reloader_history(reloading.reloader), 0));
	return record->result;
}

static size_t
count_entries(const char *of)
{
	DIR *entries = opendir(of);
	size_t n = 0;

	ck_assert_ptr_nonnull(entries);
	while (readdir(entries) != NULL)
		n++;
	closedir(entries);
	return n;
}

struct reloading_state
reloading_state(void)
{
	const struct table *table = reloader_table(reloading.reloader);

	return (struct reloading_state){table,
	    reloader_staged(reloading.reloader), table->generation,
	    table->membership, count_entries("/proc/self/fd"),
	    count_entries(reloading.dir),
	    event_base_get_num_events(reloading.base, EVENT_BASE_COUNT_ADDED)};
}

void
reloading_expect(const struct reloading_state *wanted)
{
	struct reloading_state now = reloading_state();

	ck_assert_ptr_eq(now.table, wanted->table);
	ck_assert_ptr_eq(now.table, reloading.committed);
	ck_assert_ptr_eq(now.staged, wanted->staged);
	ck_assert_uint_eq(now.generation, wanted->generation);
	ck_assert_uint_eq(now.membership, wanted->membership);
	ck_assert_uint_eq(now.nfds, wanted->nfds);
	ck_assert_uint_eq(now.nfiles, wanted->nfiles);
	ck_assert_int_eq(now.nevents, wanted->nevents);
}

const char *
reloading_far_away(uint64_t ms, char out[64])
{
	char at[INSTANT_TEXT_MAX];

	snprintf(out, 64, "activate_at: %s\n", instant_format(
	    clock_wall_ms() + 3600000 + ms, at));
	return out;
}

void
reloading_fail_each_allocation(enum reload_result wanted)
{
	struct reloading_state before = reloading_state();
	enum reload_result result;
	int64_t n = 0;

	for (;; n++) {
		mem_fail_after(n);
		result = reloading_run();
		if (!mem_has_failed())
			break;
		mem_fail_after(-1);
		ck_assert_msg(!reload_is_success(result), "allocation %d: %s",
		    (int)n, reload_result_word(result));
		reloading_expect(&before);
	}
	mem_fail_after(-1);
	ck_assert_int_gt(n, 20);
	ck_assert_int_eq(result, wanted);
}
