/* Checks and words that the rules share. */
#include "ring/rule_check.h"

#include <stdarg.h>
#include <stdio.h>

/* Bytes of a name that a message shows. */
#define NAME_SHOWN 200

bool
rule_refuse(const struct rule_build *build, enum placement_error error,
    const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	*build->error_r = error;
	err_set(build->err, "placement %s: %s",
	    placement_kind_name(build->spec->kind), text);
	return false;
}

bool
rule_no_memory(const struct rule_build *build)
{
	return rule_refuse(build, PLACEMENT_STATE_CAPACITY_EXCEEDED,
	    "out of memory for %zu servers", build->n);
}

static bool
refuse_weight(const struct rule_build *build, size_t i, const char *what)
{
	const struct placement_server *server = &build->servers[i];
	size_t len = server->name.len;

	return rule_refuse(build, PLACEMENT_UNSUPPORTED,
	    "%s; server \"%.*s\" has weight %g", what,
	    (int)(len > NAME_SHOWN ? NAME_SHOWN : len), server->name.p,
	    server->weight);
}

bool
rule_takes_no_weights(const struct rule_build *build)
{
	double first = build->servers[0].weight;

	for (size_t i = 1; i < build->n; i++) {
		double weight = build->servers[i].weight;

		if (weight < first || weight > first)
			return refuse_weight(build, i,
			    "knows no weights, so all must be the same");
	}
	return true;
}

bool
rule_takes_whole_weights(const struct rule_build *build, uint64_t max,
    uint64_t *sum_r)
{
	char what[96];
	uint64_t sum = 0;

	MUST(max <= UINT64_C(1) << 32);
	for (size_t i = 0; i < build->n; i++) {
		double weight = build->servers[i].weight;
		double whole;

		/* Written so that a NaN is refused, too. */
		if (!(weight >= 1 && weight <= (double)max))
			whole = 0;
		else
			whole = (double)(uint64_t)weight;
		if (whole < weight || whole < 1) {
			snprintf(what, sizeof(what),
			    "takes whole weights from 1 to %llu",
			    (unsigned long long)max);
			return refuse_weight(build, i, what);
		}
		sum += (uint64_t)weight;
	}
	*sum_r = sum;
	return true;
}

bool
rule_takes_hash(const struct rule_build *build, enum hash_kind only)
{
	enum hash_kind hash = build->spec->hash;

	if (hash == HASH_DEFAULT || hash == only)
		return true;
	if (only == HASH_DEFAULT)
		return rule_refuse(build, PLACEMENT_UNSUPPORTED,
		    "its hash is part of the rule, so hash \"%s\" cannot "
		    "be chosen", hash_kind_name(hash));
	return rule_refuse(build, PLACEMENT_UNSUPPORTED,
	    "its hash is \"%s\", so hash \"%s\" cannot be chosen",
	    hash_kind_name(only), hash_kind_name(hash));
}

bool
rule_takes_no_points(const struct rule_build *build)
{
	if (build->spec->points_per_weight == 0)
		return true;
	return rule_refuse(build, PLACEMENT_UNSUPPORTED,
	    "it has its own number of points, or none, so points_per_weight "
	    "cannot be set");
}

bool
rule_takes_no_tag(const struct rule_build *build)
{
	if (build->spec->hash_tag[0] == '\0')
		return true;
	return rule_refuse(build, PLACEMENT_UNSUPPORTED,
	    "it has its own way to cut keys, so hash_tag cannot be set");
}

uint32_t
rule_points(const struct placement_spec *spec, uint32_t own)
{
	return spec->points_per_weight > 0 ? spec->points_per_weight : own;
}
