/*
 * A plan: what a reload from one file to another would do. Made by plan.c,
 * written for a person by plan_text.c and for programs by plan_json.c.
 */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/must.h"
#include "cli/plan_pool.h"
#include "conf/conf.h"
#include "route/table.h"

struct plan {			/* embedded; owns all it points at */
	const char		*old_path;	/* lent */
	const char		*new_path;	/* lent */
	struct server_registry	*registry;
	struct table		*old_table;	/* NULL: OLD is wrong */
	struct table		*new_table;	/* NULL: one of both is */
	/* Why there is no table; has lines then. */
	struct conf_errors	*errors;
	/* What makes the reload fail though there is a table; may be NULL. */
	struct conf_errors	*restart_only;
	bool			 needs_restart;
	/* Both files mean the same: nothing would be done at all. */
	bool			 is_same;
	/* Pools by name: the new ones in their order, then those gone. */
	struct plan_pool	*pools;
	size_t			 npools;
	int			 status;	/* the command's exit status */
};

/* Whether the reload would be accepted, as far as can be told offline. */
static inline bool
plan_is_accepted(const struct plan *plan)
{
	return plan->new_table != NULL && !plan->needs_restart;
}

/* A listener that is new, gone or has other keys; one side may be NULL. */
struct plan_listener {
	const struct conf_listener	*before;
	const struct conf_listener	*after;
	bool				 is_other_pool;
	bool				 is_other_mode;
	bool				 is_other_auth;
};

/* Calls `visit` for each listener that would not be as it was. */
void plan_visit_listeners(const struct plan *plan,
    void (*visit)(void *arg, const struct plan_listener *listener),
    void *arg);

/* A prefix that goes elsewhere; NULL: no route, the listener's pool. */
struct plan_route {
	struct span	 prefix;
	const char	*before;
	const char	*after;
};

/* Calls `visit` for each prefix of a listener that both have. */
void plan_visit_routes(const struct plan_listener *listener,
    void (*visit)(void *arg, const struct plan_route *route), void *arg);

void plan_print(const struct plan *plan, FILE *out);

/*
 * For the daemon: writes the plan from the table in force, which is lent, to
 * the file at `path`, every mistake of it first. Whether it is accepted;
 * false also without memory.
 */
bool plan_from_table(struct table *table, const char *path, FILE *out)
    MUST_CHECK;

/* The plan as JSON on standard output; the exit status. */
int plan_print_json(const struct plan *plan) MUST_CHECK;

#endif
