/* Writing metrics. */
#include "admin/prom.h"

#include <event2/buffer.h>
#include <stdio.h>
#include <string.h>

bool
prom_wants_openmetrics(const char *accept)
{
	static const char type[] = "application/openmetrics-text";
	const char *at = accept == NULL ? NULL : strstr(accept, type);
	const char *end;

	if (at == NULL)
		return false;
	/* With q=0 it is not wanted; finer preferences are nobody's need. */
	at += sizeof(type) - 1;
	end = at + strcspn(at, ",");
	at = strstr(at, "q=0");
	return at == NULL || at >= end || at[3] == '.';
}

const char *
prom_media_type(bool is_openmetrics)
{
	return is_openmetrics ?
	    "application/openmetrics-text; version=1.0.0; charset=utf-8" :
	    "text/plain; version=0.0.4; charset=utf-8";
}

static const char *
type_name(const struct prom *prom)
{
	switch (prom->family->type) {
	case PROM_COUNTER:
		return "counter";
	case PROM_GAUGE:
		return "gauge";
	case PROM_HISTOGRAM:
		return "histogram";
	case PROM_INFO:
		return prom->is_openmetrics ? "info" : "gauge";
	}
	NEVER();
}

/* What the names of its samples end in. */
static const char *
suffix(const struct prom_family *family)
{
	switch (family->type) {
	case PROM_COUNTER:
		return "_total";
	case PROM_INFO:
		return "_info";
	case PROM_GAUGE:
	case PROM_HISTOGRAM:
		return "";
	}
	NEVER();
}

/* Samples are many and small: they go to the buffer a page at a time. */
static void
flush(struct prom *prom)
{
	if (evbuffer_add(prom->out, prom->page, prom->len) != 0)
		prom->is_broken = true;
	prom->len = 0;
}

static void
add(struct prom *prom, const char *text, size_t len)
{
	if (len > sizeof(prom->page) - prom->len)
		flush(prom);
	/* Names and labels of our own making are short. */
	MUST(len <= sizeof(prom->page));
	memcpy(prom->page + prom->len, text, len);
	prom->len += len;
}

static void
add_text(struct prom *prom, const char *text)
{
	add(prom, text, strlen(text));
}

static void
add_name(struct prom *prom, const char *end)
{
	if (!prom->family->is_bare)
		add_text(prom, "fairlead_");
	add_text(prom, prom->family->name);
	add_text(prom, end);
}

static void
add_count(struct prom *prom, uint64_t n)
{
	char text[sizeof(" 18446744073709551615\n")];
	int len = snprintf(text, sizeof(text), " %llu\n",
	    (unsigned long long)n);

	add(prom, text, (size_t)len);
}

static void
add_number(struct prom *prom, double n)
{
	char text[64];
	int len = snprintf(text, sizeof(text), " %.15g\n", n);

	add(prom, text, (size_t)len);
}

void
prom_begin(struct prom *prom, const struct prom_family *family)
{
	const char *end = prom->is_openmetrics ? "" : suffix(family);

	prom->family = family;
	add_text(prom, "# HELP ");
	add_name(prom, end);
	add_text(prom, " ");
	add_text(prom, family->help);
	add_text(prom, "\n# TYPE ");
	add_name(prom, end);
	add_text(prom, " ");
	add_text(prom, type_name(prom));
	add_text(prom, "\n");
}

static void
add_escaped(struct prom *prom, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\n') {
			add_text(prom, "\\n");
			continue;
		}
		if (*text == '"' || *text == '\\')
			add_text(prom, "\\");
		add(prom, text, 1);
	}
}

/* `le` is NULL, or the bound of a bucket. */
static void
add_labels(struct prom *prom, const struct prom_label *labels, const char *le)
{
	const char *before = "{";

	for (; labels->name != NULL; labels++) {
		add_text(prom, before);
		add_text(prom, labels->name);
		add_text(prom, "=\"");
		add_escaped(prom, labels->value);
		add_text(prom, "\"");
		before = ",";
	}
	if (le != NULL) {
		add_text(prom, before);
		add_text(prom, "le=\"");
		add_text(prom, le);
		add_text(prom, "\"");
	}
	if (le != NULL || *before == ',')
		add_text(prom, "}");
}

void
prom_count(struct prom *prom, const struct prom_label *labels, uint64_t n)
{
	add_name(prom, suffix(prom->family));
	add_labels(prom, labels, NULL);
	add_count(prom, n);
}

void
prom_number(struct prom *prom, const struct prom_label *labels, double n)
{
	add_name(prom, suffix(prom->family));
	add_labels(prom, labels, NULL);
	add_number(prom, n);
}

/* A bound of a bucket: as it is counted, and as it is shown. */
struct bound {
	uint64_t	value;
	const char	*text;
};

/* A cache answers in less than the first default bound of most tools. */
static const struct bound times[] = {
	{50, "5e-05"}, {100, "0.0001"}, {250, "0.00025"}, {500, "0.0005"},
	{1000, "0.001"}, {2500, "0.0025"}, {5000, "0.005"}, {10000, "0.01"},
	{25000, "0.025"}, {50000, "0.05"}, {100000, "0.1"}, {250000, "0.25"},
	{1000000, "1.0"}, {5000000, "5.0"}, {0, NULL},
};

static const struct bound sizes[] = {
	{64, "64.0"}, {256, "256.0"}, {1024, "1024.0"}, {4096, "4096.0"},
	{16384, "16384.0"}, {65536, "65536.0"}, {262144, "262144.0"},
	{1048576, "1.048576e+06"}, {8388608, "8.388608e+06"}, {0, NULL},
};

static const struct bound items[] = {
	{1, "1.0"}, {2, "2.0"}, {4, "4.0"}, {8, "8.0"}, {16, "16.0"},
	{32, "32.0"}, {64, "64.0"}, {128, "128.0"}, {256, "256.0"},
	{1024, "1024.0"}, {4096, "4096.0"}, {0, NULL},
};

static const struct bound *
bounds_of(enum prom_unit unit)
{
	switch (unit) {
	case PROM_MICROSECONDS:
		return times;
	case PROM_BYTES:
		return sizes;
	case PROM_ITEMS:
		return items;
	}
	NEVER();
}

static void
add_bucket(struct prom *prom, const struct prom_label *labels,
    const char *le, uint64_t n)
{
	add_name(prom, "_bucket");
	add_labels(prom, labels, le);
	add_count(prom, n);
}

void
prom_histogram(struct prom *prom, const struct prom_label *labels,
    enum prom_unit unit, const struct histogram_sum *sum)
{
	double total = histogram_total(sum);
	uint64_t n = 0;
	size_t at = 0;

	for (const struct bound *b = bounds_of(unit); b->text != NULL; b++) {
		for (; at <= histogram_bucket(b->value); at++)
			n += sum->counts[at];
		add_bucket(prom, labels, b->text, n);
	}
	add_bucket(prom, labels, "+Inf", sum->n);
	add_name(prom, "_sum");
	add_labels(prom, labels, NULL);
	add_number(prom, unit == PROM_MICROSECONDS ? total / 1e6 : total);
	add_name(prom, "_count");
	add_labels(prom, labels, NULL);
	add_count(prom, sum->n);
}

bool
prom_end(struct prom *prom)
{
	if (prom->is_openmetrics)
		add_text(prom, "# EOF\n");
	flush(prom);
	return !prom->is_broken;
}
