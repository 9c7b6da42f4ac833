/* What /status.json says of servers that change while it is written. */
#include <string.h>

#include "admin/status.h"
#include "case.h"

static const char text[] =
    "listeners: [{listen: 127.0.0.1:1}]\n"
    "pools: {main: {servers: [10.0.0.1:11211]}}\n";

START_TEST(a_server_that_went_down_this_moment_is_down_for_no_time)
{
	struct server_registry *registry = server_registry_new();
	struct admin_view view = {.now_ms = 1000};
	struct shares shares = {.generation = 0};
	struct conf_errors *errors;
	struct table *table;
	struct json_doc doc;
	json_t *pool, *server;

	table = table_build(conf_parse("f.yaml", text, strlen(text), &errors),
	    NULL, registry, &errors);
	ck_assert_ptr_nonnull(table);
	view.table = table;
	/* By a worker, after the main thread had read the time. */
	ck_assert(health_open(&table->pools[0].servers[0]->health, 1003, 0));
	ck_assert(shares_update(&shares, table));
	json_doc_init(&doc);
	status_put_pools(&doc, &view, &shares);
	ck_assert(!doc.is_broken);
	pool = json_array_get(json_object_get(doc.root, "pools"), 0);
	server = json_array_get(json_object_get(pool, "servers"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(server, "state")),
	    "down");
	ck_assert_double_eq(json_number_value(json_object_get(server,
	    "down_seconds")), 0);
	json_decref(doc.root);
	shares_fini(&shares);
	table_unref(&table);
	server_registry_free(&registry);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("status");

	tcase_add_test(tc,
	    a_server_that_went_down_this_moment_is_down_for_no_time);
	return case_run("status", tc);
}
