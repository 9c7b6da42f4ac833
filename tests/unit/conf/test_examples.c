/* The examples that come with Fairlead are right, and say what they mean. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define DIRECTORY SOURCE_ROOT "/conf"

static struct conf *
load_example(const char *name)
{
	struct conf_errors *errors;
	struct conf *conf;
	char path[1024];

	snprintf(path, sizeof(path), DIRECTORY "/%s", name);
	conf = conf_load(path, &errors);
	if (conf == NULL)
		ck_abort_msg("%s", join_lines(errors));
	return conf;
}

static void
unset_variables(void)
{
	unsetenv("FAIRLEAD_LISTEN");
	unsetenv("CACHE_A");
	unsetenv("CACHE_B");
}

/* All of them, also those that come later, and by what is printed of them. */
START_TEST(every_example_loads)
{
	DIR *dir = opendir(DIRECTORY);
	struct dirent *entry;
	int n = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');
		struct conf *conf, *again;
		char *text;

		if (dot == NULL || strcmp(dot, ".yaml") != 0)
			continue;
		conf = load_example(entry->d_name);
		text = print_to_text(conf);
		again = parse_right(text);
		expect_same(conf, again);
		free(text);
		conf_free(&conf);
		conf_free(&again);
		n++;
	}
	closedir(dir);
	ck_assert_int_ge(n, 7);
}
END_TEST

/* What is commented out there is said to be the default: so it must be. */
START_TEST(the_commented_keys_of_the_main_example_are_the_defaults)
{
	char *text = read_text(DIRECTORY "/fairlead.yaml"), *at = text;
	/* Not from the file: then a cgroup would have its say. */
	struct conf *conf = parse_right(text), *again;
	static const char *const keys[] = {
		"# workers: ", "# shutdown_timeout: ", "# dns_refresh: ",
		"# reload:\n",
		"#   watch: ", "# limits:\n",
		"#   clients: ", "#   value_size: ", "#   client_buffer: ",
		"#   memory: ", "#   request_line: ", "# timeouts: ",
		"# health: ", "# join_gets: ", "# flush_all: ",
	};

	for (size_t i = 0; i < LENGTH(keys); i++) {
		at = strstr(text, keys[i]);
		ck_assert_msg(at != NULL, "%s", keys[i]);
		/* The blank after '#' goes as well, for the columns' sake. */
		memmove(at, at + 2, strlen(at + 2) + 1);
	}
	again = parse_right(text);
	expect_same(conf, again);
	free(text);
	conf_free(&conf);
	conf_free(&again);
}
END_TEST

START_TEST(the_routes_example_sends_prefixes_to_their_pools)
{
	struct conf *conf = load_example("routes.yaml");
	const struct conf_listener *l = &conf->listeners[0];

	ck_assert_uint_eq(l->nroutes, 2);
	ck_assert_str_eq(l->routes[0].prefix, "session:guest:");
	ck_assert_str_eq(conf->pools[l->routes[0].pool].name, "main");
	ck_assert_str_eq(l->routes[1].prefix, "session:");
	ck_assert_str_eq(conf->pools[l->routes[1].pool].name, "sessions");
	ck_assert_str_eq(conf->pools[conf->listeners[1].pool].name,
	    "sessions");
	conf_free(&conf);
}
END_TEST

START_TEST(the_environment_example_takes_variables)
{
	struct conf *conf = load_example("environment.yaml");

	ck_assert_str_eq(conf->listeners[0].listen, "127.0.0.1:11211");
	ck_assert_str_eq(conf->pools[0].servers[1].address,
	    "cache-b.internal:11211");
	conf_free(&conf);
	setenv("FAIRLEAD_LISTEN", "[::1]:5", 1);
	setenv("CACHE_B", "10.0.0.9", 1);
	conf = load_example("environment.yaml");
	ck_assert_str_eq(conf->listeners[0].listen, "[::1]:5");
	ck_assert_str_eq(conf->pools[0].servers[1].address, "10.0.0.9:11211");
	conf_free(&conf);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("examples");

	tcase_add_checked_fixture(tc, unset_variables, NULL);
	tcase_add_test(tc, every_example_loads);
	tcase_add_test(tc,
	    the_commented_keys_of_the_main_example_are_the_defaults);
	tcase_add_test(tc,
	    the_routes_example_sends_prefixes_to_their_pools);
	tcase_add_test(tc, the_environment_example_takes_variables);
	return run_case("examples", tc);
}
