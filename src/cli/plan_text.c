/* A plan for a person. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/plan.h"
#include "conf/errors.h"
#include "conf/value.h"

/* Pairs of servers shown; JSON has them all. */
#define FLOWS_SHOWN 20

/* A heading that is written before its first line only. */
struct heading {
	const char	*text;
	bool		 is_written;
};

static void
open_heading(struct heading *heading)
{
	if (!heading->is_written)
		printf("%s\n", heading->text);
	heading->is_written = true;
}

static void
print_setting(void *arg, const struct conf_change *change)
{
	open_heading(arg);
	printf("  %-32s  %s -> %s%s\n", change->path, change->before,
	    change->after, change->is_restart_only ?
	    "   only by a restart" : "");
}

static void
print_route(void *arg, const struct plan_route *route)
{
	const struct plan_listener *listener = arg;
	char quoted[ERRORS_QUOTED_MAX];

	printf("    keys that start with %s: pool %s -> %s\n",
	    errors_quote(route->prefix, quoted),
	    route->before != NULL ? route->before :
	    listener->before->pool_name,
	    route->after != NULL ? route->after : listener->after->pool_name);
}

static void
print_listener(void *arg, const struct plan_listener *l)
{
	open_heading(arg);
	if (l->before == NULL) {
		printf("  %-11s  %s, pool %s\n", "opened", l->after->listen,
		    l->after->pool_name);
		return;
	}
	if (l->after == NULL) {
		printf("  %-11s  %s, pool %s\n", "closed", l->before->listen,
		    l->before->pool_name);
		return;
	}
	printf("  %-11s  %s", "changed", l->after->listen);
	if (l->is_other_pool)
		printf(", pool %s -> %s", l->before->pool_name,
		    l->after->pool_name);
	if (l->is_other_mode)
		printf(", mode %04o -> %04o", l->before->mode, l->after->mode);
	putchar('\n');
	plan_visit_routes(l, print_route, (void *)(uintptr_t)l);
}

static void
print_weight(const char *before_number, double weight)
{
	char text[VALUE_TEXT_MAX];

	printf("%s%s", before_number, value_format_weight(weight, text));
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
print_member(const char *word, const struct conf_server *server)
{
	printf("  %-11s  %s", word, server->name);
	if (server->is_named)
		printf(" (%s)", server->address);
	print_weight(", weight ", server->weight);
	putchar('\n');
}

static void
print_server(const struct plan_server *s, enum said said)
{
	switch (said) {
	case SAID_ADDED:
		print_member("added", s->after);
		return;
	case SAID_REMOVED:
		print_member("removed", s->before);
		return;
	case SAID_RENAMED:
		printf("  %-11s  %s -> %s (%s)\n", "renamed", s->before->name,
		    s->after->name, s->after->address);
		return;
	case SAID_READDRESSED:
		printf("  %-11s  %s: %s -> %s\n", "readdressed",
		    s->after->name, s->before->address, s->after->address);
		return;
	case SAID_REWEIGHTED:
		printf("  %-11s  %s", "reweighted", s->after->name);
		print_weight(": ", s->before->weight);
		print_weight(" -> ", s->after->weight);
		putchar('\n');
		return;
	case SAID_REORDERED:
		printf("  %-11s  %s\n", "reordered", s->after->name);
		return;
	case SAID_COUNT:
		break;
	}
	NEVER();
}

static void
print_servers(const struct plan_pool *pool)
{
	for (unsigned said = 0; said < SAID_COUNT; said++) {
		for (size_t i = 0; i < pool->nservers; i++) {
			if (applies(&pool->servers[i], (enum said)said))
				print_server(&pool->servers[i],
				    (enum said)said);
		}
	}
}

static void
print_flow(void *arg, const struct plan_flow *flow)
{
	size_t *n = arg;
	char share[FIGURES_MAX];

	if ((*n)++ < FLOWS_SHOWN)
		printf("    %9s  %s -> %s\n", figures_share(flow->share,
		    share), flow->from, flow->to);
}

static void
print_flows(const struct plan_pool *pool)
{
	char rest[FIGURES_MAX];
	size_t n = 0;

	plan_pool_visit_flows(pool, print_flow, &n);
	if (n > FLOWS_SHOWN)
		printf("               and %s pairs more (--json has all)\n",
		    figures_count(n - FLOWS_SHOWN, rest));
}

static void
print_moves(const struct plan_pool *pool)
{
	char share[FIGURES_MAX], text[FIGURES_MAX];
	struct err words;

	printf("  %-11s  %s of the hash space (%s)\n", "moves",
	    figures_share(pool->moved, share), pool->is_exact ? "exact" :
	    "estimated from 65,536 made-up keys");
	printf("  %-11s  %s is the least that the weights ask for\n", "ideal",
	    figures_share(pool->ideal, share));
	printf("  %-11s  %s moves back and forth\n", "needless",
	    figures_share(pool->needless, share));
	for (unsigned why = 0; why < PLAN_WHY_COUNT; why++) {
		if (plan_pool_why(pool, (enum plan_why)why, &words))
			printf("               %s\n", words.text);
	}
	if (pool->elsewhere != pool->moved)
		printf("  %-11s  %s of the keys will be asked of another "
		    "address\n", "elsewhere", figures_share(pool->elsewhere,
		    text));
	print_flows(pool);
}

static void
print_pool(const struct plan_pool *pool)
{
	char before[FIGURES_MAX], after[FIGURES_MAX];

	if (pool->before == NULL) {
		printf("pool %s: added, servers: %s\n",
		    pool->after->conf->name,
		    figures_count(pool->nservers, after));
	} else if (pool->after == NULL) {
		printf("pool %s: removed, servers: %s\n",
		    pool->before->conf->name,
		    figures_count(pool->nservers, before));
	} else if (!plan_pool_has_changes(pool)) {
		printf("pool %s: no key moves, servers: %s\n",
		    pool->after->conf->name,
		    figures_count(pool->nservers, after));
	} else {
		printf("pool %s: %s, servers: %s -> %s\n",
		    pool->after->conf->name,
		    placement_kind_name(pool->after->conf->placement.kind),
		    figures_count(pool->before->conf->nservers, before),
		    figures_count(pool->after->conf->nservers, after));
		print_servers(pool);
		print_moves(pool);
	}
}

static void
print_verdict(const struct plan *plan)
{
	if (plan->old_table == NULL)
		printf("%s is wrong itself: no daemon runs by it\n",
		    plan->old_path);
	else if (!plan_is_accepted(plan))
		printf("%s -> %s: the reload would be refused\n",
		    plan->old_path, plan->new_path);
	else if (plan->is_same)
		printf("%s -> %s: both mean the same, and nothing would be "
		    "done\n", plan->old_path, plan->new_path);
	else
		printf("%s -> %s: the reload would be accepted\n",
		    plan->old_path, plan->new_path);
	if (plan->needs_restart && plan->new_table != NULL)
		printf("a restart would do this:\n");
}

void
plan_print(const struct plan *plan)
{
	struct heading settings = {"settings", false};
	struct heading listeners = {"listeners", false};

	print_verdict(plan);
	if (plan->new_table == NULL || plan->is_same)
		return;
	conf_visit_changes(plan->old_table->conf, plan->new_table->conf,
	    print_setting, &settings);
	plan_visit_listeners(plan, print_listener, &listeners);
	for (size_t i = 0; i < plan->npools; i++)
		print_pool(&plan->pools[i]);
}
