/*
 * A session of libmemcached, the C client, in the text protocol. Arguments:
 * host, port. Prints a line a check, as TAP has it.
 */
#include <libmemcached/memcached.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NMANY 500
#define NAME_SIZE 32

static int nchecks;

static void
check(const char *name, bool is_good)
{
	printf("%s %d %s\n", is_good ? "ok" : "not ok", ++nchecks, name);
}

static memcached_return_t
set(memcached_st *mc, const char *key, const char *value, time_t ttl)
{
	return memcached_set(mc, key, strlen(key), value, strlen(value), ttl,
	    7);
}

static bool
is_value(memcached_st *mc, const char *key, const char *wanted)
{
	memcached_return_t rc;
	uint32_t flags;
	size_t len;
	char *value = memcached_get(mc, key, strlen(key), &len, &flags, &rc);
	bool is_good = value != NULL && rc == MEMCACHED_SUCCESS &&
	    flags == 7 && len == strlen(wanted) &&
	    memcmp(value, wanted, len) == 0;

	free(value);
	return is_good;
}

static bool
is_miss(memcached_st *mc, const char *key)
{
	memcached_return_t rc;
	uint32_t flags;
	size_t len;

	return memcached_get(mc, key, strlen(key), &len, &flags, &rc) ==
	    NULL && rc == MEMCACHED_NOTFOUND;
}

static void
store_and_fetch(memcached_st *mc)
{
	check("get of nothing", is_miss(mc, "none"));
	check("set", set(mc, "a", "value", 0) == MEMCACHED_SUCCESS);
	check("get", is_value(mc, "a", "value"));
	check("add again", memcached_add(mc, "a", 1, "x", 1, 0, 7) ==
	    MEMCACHED_NOTSTORED);
	check("replace", memcached_replace(mc, "a", 1, "b", 1, 0, 7) ==
	    MEMCACHED_SUCCESS);
	check("replace nothing", memcached_replace(mc, "none", 4, "b", 1, 0,
	    7) == MEMCACHED_NOTSTORED);
	check("append", memcached_append(mc, "a", 1, "c", 1, 0, 0) ==
	    MEMCACHED_SUCCESS);
	check("prepend", memcached_prepend(mc, "a", 1, "a", 1, 0, 0) ==
	    MEMCACHED_SUCCESS);
	check("extended", is_value(mc, "a", "abc"));
	check("exist", memcached_exist(mc, "a", 1) == MEMCACHED_SUCCESS);
	check("exist nothing", memcached_exist(mc, "none", 4) ==
	    MEMCACHED_NOTFOUND);
	check("touch", memcached_touch(mc, "a", 1, 100) ==
	    MEMCACHED_SUCCESS);
	check("touch nothing", memcached_touch(mc, "none", 4, 100) ==
	    MEMCACHED_NOTFOUND);
	check("delete", memcached_delete(mc, "a", 1, 0) ==
	    MEMCACHED_SUCCESS);
	check("delete again", memcached_delete(mc, "a", 1, 0) ==
	    MEMCACHED_NOTFOUND);
	check("set for the past", set(mc, "a", "x", -1) ==
	    MEMCACHED_SUCCESS);
	check("of the past", is_miss(mc, "a"));
}

static void
count_and_swap(memcached_st *mc)
{
	memcached_result_st *result;
	memcached_return_t rc;
	const char *keys[] = {"n"};
	const size_t lens[] = {1};
	uint64_t n = 0;
	uint64_t version;

	set(mc, "n", "10", 0);
	check("increment", memcached_increment(mc, "n", 1, 5, &n) ==
	    MEMCACHED_SUCCESS && n == 15);
	check("decrement", memcached_decrement(mc, "n", 1, 100, &n) ==
	    MEMCACHED_SUCCESS && n == 0);
	check("increment nothing", memcached_increment(mc, "none", 4, 1, &n)
	    == MEMCACHED_NOTFOUND);
	memcached_mget(mc, keys, lens, 1);
	result = memcached_fetch_result(mc, NULL, &rc);
	version = result == NULL ? 0 : memcached_result_cas(result);
	memcached_result_free(result);
	memcached_fetch_result(mc, NULL, &rc);
	check("cas", version != 0 && memcached_cas(mc, "n", 1, "a", 1, 0, 7,
	    version) == MEMCACHED_SUCCESS);
	check("cas late", memcached_cas(mc, "n", 1, "b", 1, 0, 7, version)
	    == MEMCACHED_DATA_EXISTS);
	check("cas of nothing", memcached_cas(mc, "none", 4, "b", 1, 0, 7,
	    version) == MEMCACHED_NOTFOUND);
}

static memcached_return_t
count_result(const memcached_st *mc, memcached_result_st *result, void *arg)
{
	size_t *nfound = arg;

	(void)mc;
	if (memcached_result_length(result) == memcached_result_key_length(
	    result) && memcmp(memcached_result_value(result),
	    memcached_result_key_value(result),
	    memcached_result_length(result)) == 0)
		++*nfound;
	return MEMCACHED_SUCCESS;
}

static void
many(memcached_st *mc)
{
	static char names[NMANY][NAME_SIZE];
	memcached_execute_fn callbacks[] = {count_result};
	const char *keys[NMANY];
	size_t lens[NMANY];
	size_t nfound = 0;

	for (int i = 0; i < NMANY; i++) {
		snprintf(names[i], NAME_SIZE, "many%d", i);
		keys[i] = names[i];
		lens[i] = strlen(names[i]);
		set(mc, names[i], names[i], 0);
	}
	check("mget", memcached_mget(mc, keys, lens, NMANY) ==
	    MEMCACHED_SUCCESS);
	memcached_fetch_execute(mc, callbacks, &nfound, 1);
	check("all of them", nfound == NMANY);
}

static void
server_commands(memcached_st *mc)
{
	memcached_return_t rc;
	memcached_stat_st *stats;

	check("version", memcached_version(mc) == MEMCACHED_SUCCESS &&
	    memcached_server_major_version(
	    memcached_server_instance_by_position(mc, 0)) == 1);
	stats = memcached_stat(mc, NULL, &rc);
	check("stats", stats != NULL && rc == MEMCACHED_SUCCESS);
	memcached_stat_free(mc, stats);
	check("verbosity", memcached_verbosity(mc, 0) == MEMCACHED_SUCCESS);
	set(mc, "flushed", "x", 0);
	check("flush", memcached_flush(mc, 0) == MEMCACHED_SUCCESS);
	check("flushed", is_miss(mc, "flushed"));
	memcached_quit(mc);
	check("after quit", set(mc, "a", "x", 0) == MEMCACHED_SUCCESS);
}

static void
all_of_it(memcached_st *mc, memcached_behavior_t behavior, const char *name)
{
	memcached_behavior_set(mc, MEMCACHED_BEHAVIOR_SUPPORT_CAS, 1);
	check(name, memcached_behavior_set(mc, behavior, 1) ==
	    MEMCACHED_SUCCESS);
	store_and_fetch(mc);
	count_and_swap(mc);
	many(mc);
	server_commands(mc);
}

int
main(int argc, char **argv)
{
	static const struct {
		memcached_behavior_t	 behavior;
		const char		*name;
	} ways[] = {
		{MEMCACHED_BEHAVIOR_TCP_NODELAY, "nodelay"},
		{MEMCACHED_BEHAVIOR_NO_BLOCK, "nonblocking"},
		{MEMCACHED_BEHAVIOR_VERIFY_KEY, "verified keys"},
		{MEMCACHED_BEHAVIOR_RANDOMIZE_REPLICA_READ, "replica read"},
	};

	if (argc != 3)
		return 64;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		memcached_st *mc = memcached_create(NULL);

		memcached_server_add(mc, argv[1],
		    (in_port_t)strtoul(argv[2], NULL, 10));
		all_of_it(mc, ways[i].behavior, ways[i].name);
		memcached_free(mc);
	}
	printf("1..%d\n", nchecks);
	return 0;
}
