/*
 * Reloads by the real stages, in one thread, from a real file: what fails
 * leaves the last table, wherever and however often it fails.
 */
#include <dirent.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/instant.h"
#include "base/log.h"
#include "base/mem.h"
#include "case.h"
#include "daemon/passed.h"
#include "daemon/reloader.h"

/* Of the file, and the sockets in its directory. */
#define PATH_SIZE 128

static char dir[PATH_SIZE], path[PATH_SIZE];
static struct event_base *base;
static struct server_registry *registry;
static struct passed *passed;
static struct listeners *listeners;
static struct door *door;
static struct reloader *reloader;
static struct table *committed;		/* at the last commit */
static int novers;			/* attempts that are over */

static void
on_commit(void *arg, struct table *table)
{
	(void)arg;
	committed = table;
	listeners_commit(listeners, table->conf);
	door_commit(door, table->conf);
}

static void
on_over(void *arg, const struct reload_record *record)
{
	(void)arg;
	(void)record;
	novers++;
}

static void
write_file(const char *text, size_t len)
{
	FILE *out = fopen(path, "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(text, 1, len, out), len);
	ck_assert_int_eq(fclose(out), 0);
}

/* A file of these pools; `more` are lines at the top level. */
static void
write_pools(const char *more, const char *pools)
{
	char text[2048];
	int len = snprintf(text, sizeof(text),
	    "config_version: 1\n%s"
	    "listeners: [{listen: \"unix:%s/in\", pool: a}]\n"
	    "pools: {%s}\n", more, dir, pools);

	write_file(text, (size_t)len);
}

#define BEFORE "a: {servers: [10.0.0.1:1, 10.0.0.2:1]}"
#define AFTER  "a: {servers: [10.0.0.1:1, 10.0.0.3:1]}, b: {servers: [x:1]}"

static void
set_up(void)
{
	static const struct admin_hooks hooks;
	const struct reload_record *record;

	log_set_level(LOG_LEVEL_ERROR);
	strcpy(dir, "/tmp/reloader-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%.100s/f.yaml", dir);
	base = event_base_new();
	registry = server_registry_new();
	passed = passed_new();
	listeners = listeners_new(base, passed);
	door = door_new(base, &hooks);
	reloader = reloader_new(&(struct reloader_parts){path, base, registry,
	    listeners, door, on_commit, on_over, NULL});
	ck_assert_ptr_nonnull(reloader);
	write_pools("", BEFORE);
	ck_assert_ptr_nonnull(reloader_prepare_first(reloader, &record));
	ck_assert_int_eq(record->result, RELOAD_DONE);
	reloader_commit_first(reloader);
}

static void
tear_down(void)
{
	char command[PATH_SIZE + 16];

	reloader_free(&reloader);
	listeners_free(&listeners);
	door_free(&door);
	passed_free(&passed);
	/* Every server was let go. */
	server_registry_free(&registry);
	event_base_free(base);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static enum reload_result
run(void)
{
	const struct reload_record *record = reloader_run(reloader,
	    RELOAD_BY_SIGNAL);

	ck_assert_ptr_eq(record, reload_history_at(reloader_history(reloader),
	    0));
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

/* What must stay as it is when an attempt fails. */
struct state {
	const struct table	*table;
	const struct table	*staged;
	uint64_t		 generation;
	uint64_t		 membership;
	size_t			 nfds;
	size_t			 nfiles;
};

static struct state
state_now(void)
{
	const struct table *table = reloader_table(reloader);

	return (struct state){table, reloader_staged(reloader),
	    table->generation, table->membership,
	    count_entries("/proc/self/fd"), count_entries(dir)};
}

static void
expect_state(const struct state *wanted)
{
	struct state now = state_now();

	ck_assert_ptr_eq(now.table, wanted->table);
	ck_assert_ptr_eq(now.table, committed);
	ck_assert_ptr_eq(now.staged, wanted->staged);
	ck_assert_uint_eq(now.generation, wanted->generation);
	ck_assert_uint_eq(now.membership, wanted->membership);
	ck_assert_uint_eq(now.nfds, wanted->nfds);
	ck_assert_uint_eq(now.nfiles, wanted->nfiles);
}

static const char *
far_away(char out[64])
{
	char at[INSTANT_TEXT_MAX];

	snprintf(out, 64, "activate_at: %s\n", instant_format(
	    clock_wall_ms() + 3600000, at));
	return out;
}

/* A reload of the file in which each allocation in turn fails, until none. */
static void
fail_each_allocation(enum reload_result wanted)
{
	struct state before = state_now();
	enum reload_result result;
	int64_t n = 0;

	for (;; n++) {
		mem_fail_after(n);
		result = run();
		if (!mem_has_failed())
			break;
		mem_fail_after(-1);
		ck_assert_msg(!reload_is_success(result), "allocation %d: %s",
		    (int)n, reload_result_word(result));
		expect_state(&before);
	}
	mem_fail_after(-1);
	ck_assert_int_gt(n, 20);
	ck_assert_int_eq(result, wanted);
}

START_TEST(each_allocation_may_fail)
{
	char more[256];

	/* With a listener and an admin listener that are to be opened. */
	snprintf(more, sizeof(more), "admin: {listen: \"unix:%.100s/admin\"}\n",
	    dir);
	write_pools(more, AFTER);
	fail_each_allocation(RELOAD_DONE);
	ck_assert_uint_eq(reloader_table(reloader)->generation, 2);
	ck_assert_ptr_eq(reloader_table(reloader), committed);
	/* The first one is out of force, and nobody has it: it can go. */
	reloader_sweep(reloader);
}
END_TEST

START_TEST(each_allocation_may_fail_when_staging)
{
	char at[64];
	const struct table *staged;

	write_pools(far_away(at), AFTER);
	fail_each_allocation(RELOAD_STAGED);
	staged = reloader_staged(reloader);
	ck_assert_ptr_nonnull(staged);
	ck_assert_uint_eq(reloader_table(reloader)->generation, 1);
	/* And with one staged already, which stays. */
	write_pools(far_away(at), BEFORE ", c: {servers: [y:1]}");
	fail_each_allocation(RELOAD_STAGED);
	ck_assert_ptr_ne(reloader_staged(reloader), staged);
}
END_TEST

START_TEST(nothing_is_allocated_when_its_time_has_come)
{
	char more[64], at[INSTANT_TEXT_MAX];

	snprintf(more, sizeof(more), "activate_at: %s\n", instant_format(
	    clock_wall_ms() + 50, at));
	write_pools(more, AFTER);
	ck_assert_int_eq(run(), RELOAD_STAGED);
	mem_fail_after(0);
	while (reloader_staged(reloader) != NULL)
		event_base_loop(base, EVLOOP_ONCE);
	ck_assert(!mem_has_failed());
	mem_fail_after(-1);
	ck_assert_uint_eq(reloader_table(reloader)->generation, 2);
	ck_assert_ptr_eq(reloader_table(reloader), committed);
}
END_TEST

START_TEST(a_file_cut_anywhere_is_refused_or_means_what_it_says)
{
	static const char text[] =
	    "config_version: 1\n"
	    "listeners: [{listen: 127.0.0.1:0}]\n"
	    "pools:\n  a:\n    servers:\n"
	    "      - {name: x, address: 10.0.0.9:11211, weight: 12}\n"
	    "      - {name: y, address: 10.0.0.8:11211}\n"
	    "    timeouts: {request: 1500ms}\n";
	size_t naccepted = 0;

	for (size_t len = 0; len < sizeof(text); len++) {
		struct state before = state_now();
		struct conf_errors *errors;
		struct conf *conf;

		write_file(text, len);
		conf = conf_load(path, &errors);
		ck_assert_int_eq(reload_is_success(run()), conf != NULL);
		if (conf == NULL)
			expect_state(&before);
		else
			naccepted++;
		conf_errors_free(&errors);
		conf_free(&conf);
		reloader_sweep(reloader);
	}
	ck_assert_uint_lt(naccepted, 8);
}
END_TEST

START_TEST(a_listener_that_cannot_be_bound_leaves_all_closed)
{
	struct state before = state_now();
	const struct reload_record *record;
	char text[512];
	int len = snprintf(text, sizeof(text), "config_version: 1\n"
	    "listeners:\n"
	    "  - {listen: \"unix:%s/new\", pool: a}\n"
	    "  - {listen: \"unix:%s/none/in\", pool: a}\n"
	    "  - {listen: \"unix:%s/f.yaml/in\", pool: a}\n"
	    "admin: {listen: \"unix:%s/admin\"}\n"
	    "pools: {" BEFORE "}\n", dir, dir, dir, dir);

	write_file(text, (size_t)len);
	ck_assert_int_eq(run(), RELOAD_UNBINDABLE);
	record = reload_history_at(reloader_history(reloader), 0);
	ck_assert_uint_eq(conf_errors_count(record->errors), 2);
	ck_assert_ptr_null(record->diff);
	expect_state(&before);
}
END_TEST

START_TEST(the_trail_tells_what_happened)
{
	const struct reload_history *history = reloader_history(reloader);
	const struct reload_record *record;
	int before = novers;

	write_pools("", AFTER);
	ck_assert_int_eq(run(), RELOAD_DONE);
	ck_assert_int_eq(run(), RELOAD_UNCHANGED);
	write_file("x: 1\n", 5);
	ck_assert_int_eq(run(), RELOAD_INVALID);
	unlink(path);
	ck_assert_int_eq(run(), RELOAD_UNREADABLE);
	ck_assert_int_eq(novers - before, 4);
	ck_assert_uint_eq(reload_history_count(history), 5);
	record = reload_history_at(history, 4);
	ck_assert_int_eq(record->trigger, RELOAD_BY_START);
	ck_assert_uint_eq(record->generation, 1);
	record = reload_history_at(history, 3);
	ck_assert_int_eq(record->trigger, RELOAD_BY_SIGNAL);
	ck_assert_uint_eq(record->generation, 2);
	ck_assert_uint_eq(record->diff->sum.added, 2);
	ck_assert_uint_eq(record->diff->sum.removed, 1);
	ck_assert_uint_le(record->at_ms, clock_wall_ms());
	ck_assert_uint_gt(record->at_ms, clock_wall_ms() - 60000);
	record = reload_history_at(history, 1);
	ck_assert_uint_gt(conf_errors_count(record->errors), 1);
	ck_assert_uint_eq(record->stage_us[RELOAD_STAGE_BUILD], 0);
	ck_assert(conf_errors_is_unreadable(
	    reload_history_at(history, 0)->errors));
}
END_TEST

START_TEST(a_table_is_freed_once_the_last_reference_is_gone)
{
	struct table *first = table_ref(reloader_table(reloader));
	struct table *second;

	write_pools("", AFTER);
	ck_assert_int_eq(run(), RELOAD_DONE);
	second = table_ref(reloader_table(reloader));
	write_pools("", BEFORE);
	ck_assert_int_eq(run(), RELOAD_DONE);
	/* In whatever order they are let go; a leak checker sees the rest. */
	reloader_sweep(reloader);
	ck_assert(!table_is_last_reference(first));
	table_unref(&second);
	reloader_sweep(reloader);
	ck_assert(!table_is_last_reference(first));
	ck_assert_uint_eq(first->generation, 1);
	table_unref(&first);
	reloader_sweep(reloader);
}
END_TEST

static uint32_t
last_id(void)
{
	const struct pool *pool = &reloader_table(reloader)->pools[0];

	return pool->servers[pool->nservers - 1]->id;
}

START_TEST(tables_do_not_pile_up_behind_a_worker_that_takes_none)
{
	struct table *first = table_ref(reloader_table(reloader));
	uint32_t id;

	write_pools("", "a: {servers: [10.0.0.1:1, 10.0.0.4:1]}");
	ck_assert_int_eq(run(), RELOAD_DONE);
	id = last_id();
	write_pools("", BEFORE);
	ck_assert_int_eq(run(), RELOAD_DONE);
	/* Nobody has the second one, so its own server is gone by now. */
	write_pools("", "a: {servers: [10.0.0.1:1, 10.0.0.5:1]}");
	ck_assert_int_eq(run(), RELOAD_DONE);
	ck_assert_uint_eq(last_id(), id);
	table_unref(&first);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reloader");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, each_allocation_may_fail);
	tcase_add_test(tc, each_allocation_may_fail_when_staging);
	tcase_add_test(tc, nothing_is_allocated_when_its_time_has_come);
	tcase_add_test(tc,
	    a_file_cut_anywhere_is_refused_or_means_what_it_says);
	tcase_add_test(tc, a_listener_that_cannot_be_bound_leaves_all_closed);
	tcase_add_test(tc, the_trail_tells_what_happened);
	tcase_add_test(tc,
	    a_table_is_freed_once_the_last_reference_is_gone);
	tcase_add_test(tc,
	    tables_do_not_pile_up_behind_a_worker_that_takes_none);
	return case_run("reloader", tc);
}
