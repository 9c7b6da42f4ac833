/* What the tests of conf/ share. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
run_case(const char *name, TCase *tc)
{
	Suite *suite = suite_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

char *
join_lines(const struct conf_errors *errors)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	for (size_t i = 0; i < conf_errors_count(errors); i++)
		fprintf(out, "%s\n", conf_errors_line(errors, i));
	fclose(out);
	return text;
}

struct conf *
parse_right(const char *text)
{
	struct conf_errors *errors;
	struct conf *conf = conf_parse("f", text, strlen(text), &errors);

	if (conf == NULL)
		ck_abort_msg("refused:\n%s\nfor\n%s", join_lines(errors),
		    text);
	ck_assert_ptr_null(errors);
	return conf;
}

struct conf_errors *
parse_wrong(const char *text)
{
	struct conf_errors *errors;
	struct conf *conf = conf_parse("f", text, strlen(text), &errors);

	ck_assert_msg(conf == NULL, "taken:\n%s", text);
	ck_assert_ptr_nonnull(errors);
	return errors;
}

void
expect_lines(const char *text, const char *lines)
{
	struct conf_errors *errors = parse_wrong(text);
	char *got = join_lines(errors);

	ck_assert_msg(strcmp(got, lines) == 0,
	    "for\n%s\nwanted\n%s\ngot\n%s", text, lines, got);
	free(got);
	conf_errors_free(&errors);
}

char *
print_to_text(const struct conf *conf)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	conf_print(conf, out);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

char *
read_text(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text;
	size_t len;

	ck_assert_msg(in != NULL, "%s cannot be opened", path);
	text = calloc(1, CONF_FILE_MAX);
	ck_assert_ptr_nonnull(text);
	len = fread(text, 1, CONF_FILE_MAX - 1, in);
	ck_assert_uint_gt(len, 0);
	fclose(in);
	return text;
}

static void
expect_same_pool(const struct conf_pool *a, const struct conf_pool *b)
{
	ck_assert_str_eq(a->name, b->name);
	ck_assert_uint_eq(a->nservers, b->nservers);
	for (size_t i = 0; i < a->nservers; i++) {
		const struct conf_server *s = &a->servers[i];
		const struct conf_server *t = &b->servers[i];

		ck_assert_str_eq(s->name, t->name);
		ck_assert_int_eq(s->is_named, t->is_named);
		ck_assert_str_eq(s->address, t->address);
		ck_assert(endpoint_eq(&s->endpoint, &t->endpoint));
		ck_assert_double_eq(s->weight, t->weight);
	}
	ck_assert(placement_spec_eq(&a->placement, &b->placement));
	ck_assert_uint_eq(a->connect_timeout_ms, b->connect_timeout_ms);
	ck_assert_uint_eq(a->request_timeout_ms, b->request_timeout_ms);
	ck_assert_int_eq(a->on_down, b->on_down);
	ck_assert_int_eq(a->gutter_name == NULL, b->gutter_name == NULL);
	if (a->gutter_name != NULL)
		ck_assert_str_eq(a->gutter_name, b->gutter_name);
	ck_assert_uint_eq(a->gutter, b->gutter);
	ck_assert_uint_eq(a->gutter_ttl_ms, b->gutter_ttl_ms);
	ck_assert_uint_eq(a->health_failures, b->health_failures);
	ck_assert_uint_eq(a->health_retry_ms, b->health_retry_ms);
	ck_assert_uint_eq(a->health_retry_max_ms, b->health_retry_max_ms);
	ck_assert_uint_eq(a->health_max_down, b->health_max_down);
	ck_assert_uint_eq(a->server_connections, b->server_connections);
	ck_assert_uint_eq(a->server_queue, b->server_queue);
	ck_assert_uint_eq(a->server_queue_bytes, b->server_queue_bytes);
	ck_assert_int_eq(a->flush_all, b->flush_all);
	ck_assert_int_eq(a->join_gets, b->join_gets);
}

static void
expect_same_listener(const struct conf_listener *a,
    const struct conf_listener *b)
{
	ck_assert_str_eq(a->listen, b->listen);
	ck_assert(endpoint_eq(&a->endpoint, &b->endpoint));
	ck_assert_uint_eq(a->mode, b->mode);
	ck_assert_str_eq(a->pool_name, b->pool_name);
	ck_assert_uint_eq(a->pool, b->pool);
	ck_assert_int_eq(a->auth, b->auth);
	ck_assert_uint_eq(a->nroutes, b->nroutes);
	for (size_t i = 0; i < a->nroutes; i++) {
		const struct conf_route *r = &a->routes[i];
		const struct conf_route *s = &b->routes[i];

		ck_assert_uint_eq(r->prefix_len, s->prefix_len);
		ck_assert_mem_eq(r->prefix, s->prefix, r->prefix_len);
		ck_assert_str_eq(r->pool_name, s->pool_name);
		ck_assert_uint_eq(r->pool, s->pool);
	}
}

void
expect_same(const struct conf *a, const struct conf *b)
{
	ck_assert_uint_eq(a->config_version, b->config_version);
	ck_assert_uint_eq(a->workers, b->workers);
	ck_assert_uint_eq(a->shutdown_timeout_ms, b->shutdown_timeout_ms);
	ck_assert_uint_eq(a->dns_refresh_ms, b->dns_refresh_ms);
	ck_assert_mem_eq(&a->limits, &b->limits, sizeof(a->limits));
	ck_assert_uint_eq(a->nlisteners, b->nlisteners);
	for (size_t i = 0; i < a->nlisteners; i++)
		expect_same_listener(&a->listeners[i], &b->listeners[i]);
	ck_assert_uint_eq(a->npools, b->npools);
	for (size_t i = 0; i < a->npools; i++)
		expect_same_pool(&a->pools[i], &b->pools[i]);
}
