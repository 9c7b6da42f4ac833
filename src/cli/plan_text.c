/* A plan for a person. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/instant.h"
#include "cli/figures.h"
#include "cli/plan.h"
#include "conf/errors.h"
#include "conf/keys.h"
#include "conf/value.h"

/* Pairs of servers shown; JSON has them all. */
#define FLOWS_SHOWN 20

/* A heading that is written before its first line only. */
struct heading {
	FILE		*out;
	const char	*text;
	bool		 is_written;
};

static void
open_heading(struct heading *heading)
{
	if (!heading->is_written)
		fprintf(heading->out, "%s\n", heading->text);
	heading->is_written = true;
}

static void
print_setting(void *arg, const struct conf_change *change)
{
	struct heading *heading = arg;
	FILE *out = heading->out;

	open_heading(heading);
	fprintf(out, "  %-32s  %s -> %s%s\n", change->path, change->before,
	    change->after, change->is_restart_only ?
	    "   only by a restart" : "");
}

/* A listener, and where to write of it. */
struct routes {
	FILE				*out;
	const struct plan_listener	*listener;
};

static void
print_route(void *arg, const struct plan_route *route)
{
	const struct routes *routes = arg;
	const struct plan_listener *listener = routes->listener;
	FILE *out = routes->out;
	char quoted[ERRORS_QUOTED_MAX];

	fprintf(out, "    keys that start with %s: pool %s -> %s\n",
	    errors_quote(route->prefix, quoted),
	    route->before != NULL ? route->before :
	    listener->before->pool_name,
	    route->after != NULL ? route->after : listener->after->pool_name);
}

static const char *
auth_word(const struct conf_listener *listener)
{
	const struct key *key = section_key(section_by_id(SECTION_LISTENER),
	    span_str("auth"));

	return key->choices->word((size_t)listener->auth);
}

static void
print_listener(void *arg, const struct plan_listener *l)
{
	struct heading *heading = arg;
	FILE *out = heading->out;

	open_heading(heading);
	if (l->before == NULL) {
		fprintf(out, "  %-11s  %s, pool %s\n", "opened",
		    l->after->listen, l->after->pool_name);
		return;
	}
	if (l->after == NULL) {
		fprintf(out, "  %-11s  %s, pool %s\n", "closed",
		    l->before->listen, l->before->pool_name);
		return;
	}
	fprintf(out, "  %-11s  %s", "changed", l->after->listen);
	if (l->is_other_pool)
		fprintf(out, ", pool %s -> %s", l->before->pool_name,
		    l->after->pool_name);
	if (l->is_other_mode)
		fprintf(out, ", mode %04o -> %04o", l->before->mode,
		    l->after->mode);
	if (l->is_other_auth)
		fprintf(out, ", auth %s -> %s", auth_word(l->before),
		    auth_word(l->after));
	fputc('\n', out);
	plan_visit_routes(l, print_route, &(struct routes){out, l});
}

static void
print_weight(FILE *out, const char *before_number, double weight)
{
	char text[VALUE_TEXT_MAX];

	fprintf(out, "%s%s", before_number, value_format_weight(weight, text));
}

/* What a line about one server says of it, if anything. */
enum said { SAID_ADDED, SAID_REMOVED, SAID_RENAMED, SAID_READDRESSED,
	SAID_REWEIGHTED, SAID_REORDERED, SAID_COUNT };

static bool
applies(const struct plan_server *s, enum said said)
{
	switch (said) {
	case SAID_ADDED:
		return s->before == NULL;
	case SAID_REMOVED:
		return s->after == NULL;
	case SAID_RENAMED:
		return s->is_renamed;
	case SAID_READDRESSED:
		return s->is_readdressed;
	case SAID_REWEIGHTED:
		return s->is_reweighted;
	case SAID_REORDERED:
		return s->is_reordered;
	case SAID_COUNT:
		break;
	}
	NEVER();
}

static void
print_member(FILE *out, const char *word, const struct conf_server *server)
{
	fprintf(out, "  %-11s  %s", word, server->name);
	if (server->is_named)
		fprintf(out, " (%s)", server->address);
	print_weight(out, ", weight ", server->weight);
	fputc('\n', out);
}

static void
print_server(FILE *out, const struct plan_server *s, enum said said)
{
	switch (said) {
	case SAID_ADDED:
		print_member(out, "added", s->after);
		return;
	case SAID_REMOVED:
		print_member(out, "removed", s->before);
		return;
	case SAID_RENAMED:
		fprintf(out, "  %-11s  %s -> %s (%s)\n", "renamed",
		    s->before->name, s->after->name, s->after->address);
		return;
	case SAID_READDRESSED:
		fprintf(out, "  %-11s  %s: %s -> %s\n", "readdressed",
		    s->after->name, s->before->address, s->after->address);
		return;
	case SAID_REWEIGHTED:
		fprintf(out, "  %-11s  %s", "reweighted", s->after->name);
		print_weight(out, ": ", s->before->weight);
		print_weight(out, " -> ", s->after->weight);
		fputc('\n', out);
		return;
	case SAID_REORDERED:
		fprintf(out, "  %-11s  %s\n", "reordered", s->after->name);
		return;
	case SAID_COUNT:
		break;
	}
	NEVER();
}

static void
print_servers(FILE *out, const struct plan_pool *pool)
{
	for (unsigned said = 0; said < SAID_COUNT; said++) {
		for (size_t i = 0; i < pool->nservers; i++) {
			if (applies(&pool->servers[i], (enum said)said))
				print_server(out, &pool->servers[i],
				    (enum said)said);
		}
	}
}

struct flows {
	FILE	*out;
	size_t	 n;
};

static void
print_flow(void *arg, const struct plan_flow *flow)
{
	struct flows *flows = arg;
	FILE *out = flows->out;
	char share[FIGURES_MAX];

	if (flows->n++ < FLOWS_SHOWN)
		fprintf(out, "    %9s  %s -> %s\n", figures_share(flow->share,
		    share), flow->from, flow->to);
}

static void
print_flows(FILE *out, const struct plan_pool *pool)
{
	char rest[FIGURES_MAX];
	struct flows flows = {out, 0};

	plan_pool_visit_flows(pool, print_flow, &flows);
	if (flows.n > FLOWS_SHOWN)
		fprintf(out, "               and %s pairs more (--json has "
		    "all)\n", figures_count(flows.n - FLOWS_SHOWN, rest));
}

/* What a proxy says of itself before and after. */
static void
print_memberships(FILE *out, const struct plan_pool *pool)
{
	unsigned long long before = pool->before->membership;
	unsigned long long after = pool->after->membership;

	if (before != after)
		fprintf(out, "  %-11s  %016llx -> %016llx\n", "membership",
		    before, after);
}

static void
print_moves(FILE *out, const struct plan_pool *pool)
{
	char share[FIGURES_MAX], text[FIGURES_MAX];
	struct err words;

	fprintf(out, "  %-11s  %s of the hash space (%s)\n", "moves",
	    figures_share(pool->moved, share), pool->is_exact ? "exact" :
	    "estimated from 65,536 made-up keys");
	fprintf(out, "  %-11s  %s is what the weights ask for\n",
	    "ideal", figures_share(pool->ideal, share));
	fprintf(out, "  %-11s  %s moves back and forth\n", "needless",
	    figures_share(pool->needless, share));
	for (unsigned why = 0; why < PLAN_WHY_COUNT; why++) {
		if (plan_pool_why(pool, (enum plan_why)why, &words))
			fprintf(out, "               %s\n", words.text);
	}
	if (pool->elsewhere != pool->moved)
		fprintf(out, "  %-11s  %s of the keys will be asked of another "
		    "address\n", "elsewhere", figures_share(pool->elsewhere,
		    text));
	print_flows(out, pool);
}

static void
print_pool(FILE *out, const struct plan_pool *pool)
{
	char before[FIGURES_MAX], after[FIGURES_MAX];

	if (pool->before == NULL) {
		fprintf(out, "pool %s: added, servers: %s\n",
		    pool->after->conf->name,
		    figures_count(pool->nservers, after));
	} else if (pool->after == NULL) {
		fprintf(out, "pool %s: removed, servers: %s\n",
		    pool->before->conf->name,
		    figures_count(pool->nservers, before));
	} else if (!plan_pool_has_changes(pool)) {
		fprintf(out, "pool %s: no key moves, servers: %s\n",
		    pool->after->conf->name,
		    figures_count(pool->nservers, after));
	} else {
		fprintf(out, "pool %s: %s, servers: %s -> %s\n",
		    pool->after->conf->name,
		    placement_kind_name(pool->after->conf->placement.kind),
		    figures_count(pool->before->conf->nservers, before),
		    figures_count(pool->after->conf->nservers, after));
		print_servers(out, pool);
		print_memberships(out, pool);
		print_moves(out, pool);
	}
}

static void
print_verdict(FILE *out, const struct plan *plan)
{
	char at[INSTANT_TEXT_MAX];

	if (plan->old_table == NULL)
		fprintf(out, "%s is wrong itself: no daemon runs by it\n",
		    plan->old_path);
	else if (!plan_is_accepted(plan))
		fprintf(out, "%s -> %s: the reload would be refused\n",
		    plan->old_path, plan->new_path);
	else if (plan->is_same)
		fprintf(out, "%s -> %s: both mean the same, and nothing would "
		    "be done\n", plan->old_path, plan->new_path);
	else
		fprintf(out, "%s -> %s: the reload would be accepted\n",
		    plan->old_path, plan->new_path);
	if (plan->needs_restart && plan->new_table != NULL)
		fprintf(out, "a restart would do this:\n");
	else if (plan_is_accepted(plan) && !plan->is_same &&
	    plan->new_table->conf->activate_at_ms != 0)
		fprintf(out, "it would come into force at %s, or at once if "
		    "that has passed\n", instant_format(
		    plan->new_table->conf->activate_at_ms, at));
}

void
plan_print(const struct plan *plan, FILE *out)
{
	struct heading settings = {out, "settings", false};
	struct heading listeners = {out, "listeners", false};

	print_verdict(out, plan);
	if (plan->new_table == NULL || plan->is_same)
		return;
	conf_visit_changes(plan->old_table->conf, plan->new_table->conf,
	    print_setting, &settings);
	plan_visit_listeners(plan, print_listener, &listeners);
	for (size_t i = 0; i < plan->npools; i++)
		print_pool(out, &plan->pools[i]);
}
