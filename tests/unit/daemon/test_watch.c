/* Looking at a file for changes. */
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case.h"
#include "daemon/watch.h"

static char dir[64], path[80];
static struct event_base *base;
static struct watch *watch;
static int nchanges;

static void
on_change(void *arg)
{
	(void)arg;
	nchanges++;
	/* As whoever loads it does. */
	watch_note(watch);
}

static void
write_file(const char *text)
{
	FILE *out = fopen(path, "w");

	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	ck_assert_int_eq(fclose(out), 0);
}

static void
set_up(void)
{
	strcpy(dir, "/tmp/watch-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/f", dir);
	write_file("one");
	nchanges = 0;
	base = event_base_new();
	watch = watch_new(base, path, on_change, NULL);
	ck_assert_ptr_nonnull(watch);
	watch_note(watch);
	watch_set_interval(watch, 1);
}

static void
tear_down(void)
{
	watch_free(&watch);
	event_base_free(base);
	remove(path);
	rmdir(dir);
}

/* So many looks; each is one event. */
static void
look(int n)
{
	while (n-- > 0)
		event_base_loop(base, EVLOOP_ONCE);
}

START_TEST(a_change_is_told_once_two_looks_agree)
{
	look(3);
	ck_assert_int_eq(nchanges, 0);
	write_file("two");
	look(1);
	ck_assert_int_eq(nchanges, 0);
	write_file("three");
	look(1);
	ck_assert_int_eq(nchanges, 0);
	look(1);
	ck_assert_int_eq(nchanges, 1);
	look(5);
	ck_assert_int_eq(nchanges, 1);
}
END_TEST

START_TEST(what_could_not_be_loaded_is_news_when_it_is_there_again)
{
	/* It was looked at, then gone when it was loaded, and came back. */
	watch_forget(watch);
	look(2);
	ck_assert_int_eq(nchanges, 1);
	look(5);
	ck_assert_int_eq(nchanges, 1);
}
END_TEST

START_TEST(what_is_no_regular_file_is_no_news)
{
	remove(path);
	look(3);
	ck_assert_int_eq(symlink("/dev/null", path), 0);
	look(3);
	remove(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	look(3);
	remove(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	watch_forget(watch);
	look(3);
	ck_assert_int_eq(nchanges, 0);
	remove(path);
	write_file("two");
	look(2);
	ck_assert_int_eq(nchanges, 1);
}
END_TEST

START_TEST(with_the_interval_0_it_rests)
{
	watch_set_interval(watch, 0);
	ck_assert_int_eq(event_base_get_num_events(base,
	    EVENT_BASE_COUNT_ADDED), 0);
	watch_set_interval(watch, 1);
	write_file("two");
	look(2);
	ck_assert_int_eq(nchanges, 1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("watch");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, a_change_is_told_once_two_looks_agree);
	tcase_add_test(tc,
	    what_could_not_be_loaded_is_news_when_it_is_there_again);
	tcase_add_test(tc, what_is_no_regular_file_is_no_news);
	tcase_add_test(tc, with_the_interval_0_it_rests);
	return case_run("watch", tc);
}
