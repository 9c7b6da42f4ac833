/*
 * `fairlead plan`: what a reload would do, by the stages of a reload.
 */
#include "cli/plan.h"

#include <getopt.h>
#include <stdio.h>
#include <sysexits.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/session.h"

static const char usage[] =
"usage: fairlead plan OLD NEW [--json]\n"
"\n"
"What a reload of a daemon that runs by the file OLD would do if the file\n"
"became NEW: settings, listeners and pools that change; for each pool, the\n"
"servers that come, go and change, the part of the hash space that moves and\n"
"from whom to whom, what had to move at least, and why more does.\n"
"\n"
"Exit status: 0 if the reload would be accepted, 78 with the errors if not,\n"
"66 if a file cannot be read. Nothing is bound or resolved.\n"
"\n"
"  -j, --json   the same as JSON, unrounded and with every pair of servers\n"
"  -h, --help   print this and exit\n";

static const struct option long_options[] = {
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* Reads and builds one side. False with the errors and the status set. */
static bool
load(struct plan *plan, const char *path, struct table **table_r)
{
	struct table *old = plan->old_table;
	struct conf *conf = conf_load(path, &plan->errors);

	if (conf == NULL) {
		plan->status = conf_errors_is_unreadable(plan->errors) ?
		    EX_NOINPUT : EX_CONFIG;
		return false;
	}
	if (old != NULL) {
		plan->is_same = conf_is_same(old->conf, conf);
		plan->needs_restart = conf_restart_only_changes(old->conf,
		    conf, &plan->restart_only);
	}
	*table_r = table_build(conf, old, plan->registry, &plan->errors);
	if (*table_r != NULL)
		return true;
	conf_free(&conf);
	plan->status = EX_CONFIG;
	return false;
}

/* All pools of both, each compared. False without memory. */
static bool
compare_pools(struct plan *plan)
{
	const struct table *old = plan->old_table, *new = plan->new_table;

	plan->pools = mem_zalloc(old->npools + new->npools,
	    sizeof(*plan->pools));
	if (plan->pools == NULL)
		return false;
	for (size_t i = 0; i < new->npools; i++) {
		const struct pool *pool = &new->pools[i];

		if (!plan_pool_init(&plan->pools[plan->npools++],
		    table_pool_by_name(old, pool->conf->name), pool))
			return false;
	}
	for (size_t i = 0; i < old->npools; i++) {
		const struct pool *pool = &old->pools[i];

		if (table_pool_by_name(new, pool->conf->name) == NULL &&
		    !plan_pool_init(&plan->pools[plan->npools++], pool, NULL))
			return false;
	}
	return true;
}

/*
 * `old` is a table already, or NULL: then it is loaded from `old_path`. False
 * without memory; whatever is wrong with the files is the plan.
 */
static bool
plan_init(struct plan *plan, const char *old_path, struct table *old,
    const char *new_path)
{
	*plan = (struct plan){
		.old_path = old_path,
		.new_path = new_path,
		.registry = server_registry_new(),
		.old_table = old == NULL ? NULL : table_ref(old),
		.status = EX_OK,
	};
	if (plan->registry == NULL)
		return false;
	if ((old == NULL && !load(plan, old_path, &plan->old_table)) ||
	    !load(plan, new_path, &plan->new_table))
		return true;
	if (plan->needs_restart)
		plan->status = EX_CONFIG;
	return compare_pools(plan);
}

static void
plan_fini(struct plan *plan)
{
	for (size_t i = 0; i < plan->npools; i++)
		plan_pool_fini(&plan->pools[i]);
	mem_free(plan->pools);
	conf_errors_free(&plan->errors);
	conf_errors_free(&plan->restart_only);
	table_unref(&plan->new_table);
	table_unref(&plan->old_table);
	if (plan->registry != NULL)
		server_registry_free(&plan->registry);
}

static const struct conf_listener *
find_listener(const struct conf *conf, const char *listen)
{
	for (size_t i = 0; i < conf->nlisteners; i++) {
		if (strcmp(conf->listeners[i].listen, listen) == 0)
			return &conf->listeners[i];
	}
	return NULL;
}

static void
note_route(void *arg, const struct plan_route *route)
{
	bool *has_other_routes = arg;

	(void)route;
	*has_other_routes = true;
}

static void
visit_both(const struct conf_listener *before,
    const struct conf_listener *after,
    void (*visit)(void *arg, const struct plan_listener *listener), void *arg)
{
	struct plan_listener listener = {
		.before = before,
		.after = after,
		.is_other_pool = strcmp(before->pool_name,
		    after->pool_name) != 0,
		.is_other_mode = before->mode != after->mode,
		.is_other_auth = before->auth != after->auth,
	};
	bool has_other_routes = false;

	plan_visit_routes(&listener, note_route, &has_other_routes);
	if (listener.is_other_pool || listener.is_other_mode ||
	    listener.is_other_auth || has_other_routes)
		visit(arg, &listener);
}

void
plan_visit_listeners(const struct plan *plan,
    void (*visit)(void *arg, const struct plan_listener *listener), void *arg)
{
	const struct conf *old = plan->old_table->conf;
	const struct conf *new = plan->new_table->conf;

	for (size_t i = 0; i < new->nlisteners; i++) {
		const struct conf_listener *after = &new->listeners[i];
		const struct conf_listener *before = find_listener(old,
		    after->listen);

		if (before == NULL)
			visit(arg, &(struct plan_listener){.after = after});
		else
			visit_both(before, after, visit, arg);
	}
	for (size_t i = 0; i < old->nlisteners; i++) {
		const struct conf_listener *before = &old->listeners[i];

		if (find_listener(new, before->listen) == NULL)
			visit(arg, &(struct plan_listener){.before = before});
	}
}

/* The pool of exactly that prefix, or NULL. */
static const char *
route_pool(const struct conf_listener *listener, struct span prefix)
{
	for (size_t i = 0; i < listener->nroutes; i++) {
		const struct conf_route *route = &listener->routes[i];

		if (span_eq(span_of(route->prefix, route->prefix_len), prefix))
			return route->pool_name;
	}
	return NULL;
}

void
plan_visit_routes(const struct plan_listener *listener,
    void (*visit)(void *arg, const struct plan_route *route), void *arg)
{
	const struct conf_listener *before = listener->before;
	const struct conf_listener *after = listener->after;
	struct plan_route route;

	for (size_t i = 0; i < after->nroutes; i++) {
		route.prefix = span_of(after->routes[i].prefix,
		    after->routes[i].prefix_len);
		route.before = route_pool(before, route.prefix);
		route.after = after->routes[i].pool_name;
		if (route.before == NULL ||
		    strcmp(route.before, route.after) != 0)
			visit(arg, &route);
	}
	for (size_t i = 0; i < before->nroutes; i++) {
		route.prefix = span_of(before->routes[i].prefix,
		    before->routes[i].prefix_len);
		route.before = before->routes[i].pool_name;
		route.after = NULL;
		if (route_pool(after, route.prefix) == NULL)
			visit(arg, &route);
	}
}

static void
print_lines(const struct conf_errors *errors, FILE *out)
{
	for (size_t i = 0; i < conf_errors_count(errors); i++)
		fprintf(out, "%s\n", conf_errors_line(errors, i));
}

static void
complain(const struct plan *plan, FILE *out)
{
	if (plan->needs_restart)
		print_lines(plan->restart_only, out);
	if (plan->new_table == NULL)
		print_lines(plan->errors, out);
}

static int
report(const struct plan *plan, bool is_json)
{
	complain(plan, stderr);
	if (is_json)
		return plan_print_json(plan);
	plan_print(plan, stdout);
	return session_flush(plan->status);
}

bool
plan_from_table(struct table *table, const char *path, FILE *out)
{
	struct plan plan;
	bool is_accepted = false;

	if (plan_init(&plan, "in force", table, path)) {
		complain(&plan, out);
		plan_print(&plan, out);
		is_accepted = plan_is_accepted(&plan);
	} else {
		fprintf(out, "out of memory\n");
	}
	plan_fini(&plan);
	return is_accepted;
}

int
cli_plan(int argc, char **argv)
{
	struct plan plan;
	bool is_json = false;
	int c, status;

	while ((c = getopt_long(argc, argv, "jh", long_options, NULL)) != -1) {
		switch (c) {
		case 'j':
			is_json = true;
			break;
		default:
			return session_other_option(c, usage);
		}
	}
	if (argc - optind != 2) {
		fputs(usage, stderr);
		return EX_USAGE;
	}
	status = plan_init(&plan, argv[optind], NULL, argv[optind + 1]) ?
	    report(&plan, is_json) : session_no_memory();
	plan_fini(&plan);
	return status;
}
