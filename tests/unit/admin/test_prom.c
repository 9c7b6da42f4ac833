/* Metrics as text, to the byte. */
#include <event2/buffer.h>
#include <stdlib.h>
#include <string.h>

#include "admin/prom.h"
#include "case.h"

static const struct prom_family counter = {"cats", "cats seen", PROM_COUNTER,
    false};
static const struct prom_family gauge = {"process_x", "an x", PROM_GAUGE,
    true};
static const struct prom_family times = {"time_seconds", "how long",
    PROM_HISTOGRAM, false};
static const struct prom_family build = {"build", "which", PROM_INFO, false};

static const struct prom_label plain[] = {{NULL, NULL}};

static void
write_some(struct prom *prom)
{
	prom_begin(prom, &counter);
	prom_count(prom, (const struct prom_label[]){{"a", "x\"y\\z\n"},
	    {"b", ""}, {NULL, NULL}}, UINT64_MAX);
	prom_begin(prom, &gauge);
	prom_number(prom, plain, 0.25);
	prom_begin(prom, &build);
	prom_count(prom, (const struct prom_label[]){{"v", "1"},
	    {NULL, NULL}}, 1);
	ck_assert(prom_end(prom));
}

static void
expect(bool is_openmetrics, const char *wanted)
{
	struct prom prom = {.out = evbuffer_new(),
	    .is_openmetrics = is_openmetrics};
	size_t len;
	char *got;

	write_some(&prom);
	len = evbuffer_get_length(prom.out);
	ck_assert_uint_eq(len, strlen(wanted));
	got = malloc(len + 1);
	evbuffer_remove(prom.out, got, len);
	got[len] = '\0';
	ck_assert_str_eq(got, wanted);
	free(got);
	evbuffer_free(prom.out);
}

START_TEST(prometheus_text)
{
	expect(false,
	    "# HELP fairlead_cats_total cats seen\n"
	    "# TYPE fairlead_cats_total counter\n"
	    "fairlead_cats_total{a=\"x\\\"y\\\\z\\n\",b=\"\"} "
	    "18446744073709551615\n"
	    "# HELP process_x an x\n"
	    "# TYPE process_x gauge\n"
	    "process_x 0.25\n"
	    "# HELP fairlead_build_info which\n"
	    "# TYPE fairlead_build_info gauge\n"
	    "fairlead_build_info{v=\"1\"} 1\n");
}
END_TEST

START_TEST(openmetrics)
{
	expect(true,
	    "# HELP fairlead_cats cats seen\n"
	    "# TYPE fairlead_cats counter\n"
	    "fairlead_cats_total{a=\"x\\\"y\\\\z\\n\",b=\"\"} "
	    "18446744073709551615\n"
	    "# HELP process_x an x\n"
	    "# TYPE process_x gauge\n"
	    "process_x 0.25\n"
	    "# HELP fairlead_build which\n"
	    "# TYPE fairlead_build info\n"
	    "fairlead_build_info{v=\"1\"} 1\n"
	    "# EOF\n");
}
END_TEST

/* Whether the text written holds the line. */
static bool
has_line(struct prom *prom, const char *line)
{
	return evbuffer_search(prom->out, line, strlen(line), NULL).pos != -1;
}

START_TEST(histograms_are_cumulated)
{
	struct prom prom = {.out = evbuffer_new()};
	struct histogram histogram = {.counts = {0}};
	struct histogram_sum sum = {.n = 0};

	histogram_add(&histogram, 40);
	histogram_add(&histogram, 60);
	histogram_add(&histogram, 2000000);
	histogram_read(&histogram, &sum);
	prom_begin(&prom, &times);
	prom_histogram(&prom, plain, PROM_MICROSECONDS, &sum);
	ck_assert(prom_end(&prom));
	ck_assert(has_line(&prom,
	    "fairlead_time_seconds_bucket{le=\"5e-05\"} 1\n"));
	ck_assert(has_line(&prom,
	    "fairlead_time_seconds_bucket{le=\"0.0001\"} 2\n"));
	ck_assert(has_line(&prom,
	    "fairlead_time_seconds_bucket{le=\"1.0\"} 2\n"));
	ck_assert(has_line(&prom,
	    "fairlead_time_seconds_bucket{le=\"5.0\"} 3\n"));
	ck_assert(has_line(&prom,
	    "fairlead_time_seconds_bucket{le=\"+Inf\"} 3\n"));
	ck_assert(has_line(&prom, "fairlead_time_seconds_count 3\n"));
	evbuffer_free(prom.out);
}
END_TEST

/* More than a page, so that pages are joined. */
START_TEST(much_is_written_whole)
{
	struct prom prom = {.out = evbuffer_new()};
	const char line[] = "fairlead_cats_total 7\n";

	prom_begin(&prom, &counter);
	evbuffer_drain(prom.out, evbuffer_get_length(prom.out));
	prom.len = 0;
	for (int i = 0; i < 10000; i++)
		prom_count(&prom, plain, 7);
	ck_assert(prom_end(&prom));
	ck_assert_uint_eq(evbuffer_get_length(prom.out),
	    10000 * (sizeof(line) - 1));
	for (int i = 0; i < 10000; i++) {
		char got[sizeof(line) - 1];

		evbuffer_remove(prom.out, got, sizeof(got));
		ck_assert_mem_eq(got, line, sizeof(got));
	}
	evbuffer_free(prom.out);
}
END_TEST

static const struct {
	const char	*accept;
	bool		 is_wanted;
} accepts[] = {
	{NULL, false},
	{"", false},
	{"*/*", false},
	{"application/openmetrics-text", true},
	{"text/plain,application/openmetrics-text;version=1.0.0;q=0.5", true},
	{"application/openmetrics-text;q=0", false},
	{"application/openmetrics-text;q=0,text/plain", false},
	{"application/openmetrics-text;q=0.7,text/plain;q=0", true},
};

START_TEST(accept_asks_for_openmetrics)
{
	ck_assert_int_eq(prom_wants_openmetrics(accepts[_i].accept),
	    accepts[_i].is_wanted);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("prom");

	tcase_add_test(tc, prometheus_text);
	tcase_add_test(tc, openmetrics);
	tcase_add_test(tc, histograms_are_cumulated);
	tcase_add_test(tc, much_is_written_whole);
	tcase_add_loop_test(tc, accept_asks_for_openmetrics, 0,
	    LENGTH(accepts));
	return case_run("prom", tc);
}
