/* Bounded load: the bound, by an independent count, under random traffic. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"
#include "members.h"
#include "ring/bounded.h"

static const struct placement_spec plain = {.kind = PLACEMENT_RING};

/* ceil((1 + slack) x next x weight / sum), for figures that fit 64 bits. */
static uint64_t
capacity_by_definition(uint64_t next, uint64_t weight, uint64_t sum,
    uint64_t slack)
{
	uint64_t n = (BOUNDED_SLACK_ONE + slack) * next * weight;
	uint64_t d = BOUNDED_SLACK_ONE * sum;

	return n / d + (n % d != 0);
}

static struct bounded *
new_bounded(const struct placement *p, uint32_t slack)
{
	struct bounded *b = bounded_new(p, slack);

	ck_assert_ptr_nonnull(b);
	return b;
}

START_TEST(capacity_is_as_defined)
{
	static const double weights[] = {1, 2, 3, 5, 10};
	static const uint32_t slacks[] = {0, 1, 100000, 250000, 333333,
	    1000000, 9999999};
	static struct members m;
	struct placement *p;

	members_fill(&m, "cache", 5);
	for (size_t i = 0; i < 5; i++)
		m.servers[i].weight = weights[i];
	p = members_build(&m, &plain);
	for (size_t s = 0; s < sizeof(slacks) / sizeof(slacks[0]); s++) {
		struct bounded *b = new_bounded(p, slacks[s]);

		for (uint64_t total = 0; total < 500; total++) {
			char buf[32];

			for (uint32_t i = 0; i < 5; i++)
				ck_assert_uint_eq(bounded_capacity(b, i),
				    capacity_by_definition(total + 1,
				    (uint64_t)weights[i], 21, slacks[s]));
			bounded_acquire(b, members_key(total, buf));
			ck_assert_uint_eq(bounded_total(b), total + 1);
		}
		bounded_free(&b);
		ck_assert_ptr_null(b);
	}
	placement_free(&p);
}
END_TEST

/* The first server of the walk below its capacity, by a plain search. */
static uint32_t
pick_by_definition(const struct placement *p, const uint64_t *loads,
    uint64_t total, struct span key, uint64_t slack)
{
	uint32_t owners[32];
	size_t n = placement_owners(p, key, 32, owners);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (uint64_t)placement_server_at(p, i)->weight;
	for (size_t i = 0; i < n; i++) {
		uint64_t weight = (uint64_t)placement_server_at(p,
		    owners[i])->weight;

		if (loads[owners[i]] < capacity_by_definition(total + 1,
		    weight, sum, slack))
			return owners[i];
	}
	return PLACEMENT_NONE;
}

struct traffic {
	uint64_t	keys;		/* that requests are about */
	uint64_t	in_flight_max;
	uint64_t	steps;
	uint32_t	slack;
};

/*
 * Acquires and releases at random, more of the former while there is little
 * in flight. Each pick is checked against the definition; the bound after it
 * follows.
 */
static void
run_traffic(const struct placement *p, const struct traffic *t)
{
	static uint32_t in_flight[10000];
	struct bounded *b = new_bounded(p, t->slack);
	uint64_t loads[32] = {0}, total = 0;

	for (uint64_t step = 0; step < t->steps; step++) {
		uint64_t dice = hash_mix64(step + 1);
		char buf[32];
		struct span key = members_key(dice % t->keys, buf);
		uint32_t server;

		if (total > 0 && (total == t->in_flight_max ||
		    (dice >> 32) % 100 < 48)) {
			uint64_t at = (dice >> 20) % total;

			server = in_flight[at];
			in_flight[at] = in_flight[--total];
			bounded_release(b, server);
			loads[server]--;
			continue;
		}
		server = bounded_acquire(b, key);
		if (step % 16 == 0)
			ck_assert_uint_eq(server, pick_by_definition(p, loads,
			    total, key, t->slack));
		in_flight[total++] = server;
		loads[server]++;
		/* A ck_assert a step would be most of the run. */
		if (bounded_load(b, server) != loads[server] ||
		    bounded_total(b) != total)
			ck_abort_msg("step %llu: wrong count",
			    (unsigned long long)step);
	}
	bounded_free(&b);
}

/* Millions of steps in all: one key, few, many; little and much in flight. */
START_TEST(random_traffic_never_passes_the_bound)
{
	static const uint64_t keys[] = {1, 10, 100000};
	static const uint64_t in_flight[] = {1, 8, 10000};
	static const uint32_t slacks[] = {0, 250000, 1000000};
	static struct members m;
	struct placement *p;

	members_fill(&m, "cache", 10);
	m.servers[3].weight = 2;
	m.servers[7].weight = 5;
	p = members_build(&m, &plain);
	for (size_t k = 0; k < 3; k++) {
		for (size_t f = 0; f < 3; f++) {
			for (size_t s = 0; s < 3; s++) {
				struct traffic t = {keys[k], in_flight[f],
				    150000, slacks[s]};

				run_traffic(p, &t);
			}
		}
	}
	placement_free(&p);
}
END_TEST

/* However hot one key is, no server ends above its share. */
START_TEST(hot_key_fills_all_servers_evenly)
{
	static struct members m;
	struct placement *p;
	struct bounded *b;

	members_fill(&m, "cache", 10);
	p = members_build(&m, &plain);
	b = new_bounded(p, 0);
	for (int i = 0; i < 1000; i++)
		bounded_acquire(b, span_str("hot"));
	for (uint32_t i = 0; i < 10; i++)
		ck_assert_uint_eq(bounded_load(b, i), 100);
	bounded_free(&b);
	placement_free(&p);
}
END_TEST

START_TEST(idle_servers_give_the_owner)
{
	static struct members m;
	struct placement *p;
	struct bounded *b;

	members_fill(&m, "cache", 10);
	p = members_build(&m, &plain);
	b = new_bounded(p, 250000);
	for (uint64_t i = 0; i < 1000; i++) {
		char buf[32];
		struct span key = members_key(i, buf);
		uint32_t server = bounded_acquire(b, key);

		ck_assert_uint_eq(server, placement_owner(p, key));
		bounded_release(b, server);
	}
	bounded_free(&b);
	placement_free(&p);
}
END_TEST

/* Weights beyond any product of 64 bits, with the largest slack. */
START_TEST(huge_figures_do_not_overflow)
{
	static struct members m;
	struct placement_spec spec = {.points_per_weight = 1};
	struct placement *p;
	struct bounded *b;
	uint64_t capacity;

	members_fill(&m, "cache", 3);
	for (size_t i = 0; i < 3; i++)
		m.servers[i].weight = 0x1p53;
	p = members_build(&m, &spec);
	b = new_bounded(p, UINT32_MAX);
	capacity = bounded_capacity(b, 0);
	/* (1 + 4294.967295) / 3, rounded up. */
	ck_assert_uint_eq(capacity, 1432);
	for (int i = 0; i < 100000; i++)
		bounded_acquire(b, span_str("key"));
	ck_assert_uint_eq(bounded_total(b), 100000);
	bounded_free(&b);
	placement_free(&p);
}
END_TEST

/* A rule that takes fractions: they count in millionths. */
START_TEST(fractions_of_weights_count)
{
	static struct members m;
	struct placement_spec spec = {
	    .kind = PLACEMENT_CACHE_MEMCACHED_FAST_KETAMA,
	    .points_per_weight = 150};
	struct placement *p;
	struct bounded *b;

	members_fill(&m, "cache", 3);
	m.servers[0].weight = 0.5;
	m.servers[1].weight = 1.5;
	p = members_build(&m, &spec);
	b = new_bounded(p, 0);
	for (int i = 0; i < 600; i++)
		bounded_acquire(b, span_str("hot"));
	ck_assert_uint_eq(bounded_load(b, 0), 100);
	ck_assert_uint_eq(bounded_load(b, 1), 300);
	ck_assert_uint_eq(bounded_load(b, 2), 200);
	bounded_free(&b);
	placement_free(&p);
}
END_TEST

START_TEST(failing_memory_gives_null)
{
	static struct members m;
	struct placement *p;
	struct bounded *b;

	members_fill(&m, "cache", 3);
	p = members_build(&m, &plain);
	for (int64_t n = 0; n < 3; n++) {
		mem_fail_after(n);
		ck_assert_ptr_null(bounded_new(p, 0));
		ck_assert(mem_has_failed());
	}
	mem_fail_after(3);
	b = bounded_new(p, 0);
	ck_assert_ptr_nonnull(b);
	mem_fail_after(0);
	bounded_release(b, bounded_acquire(b, span_str("key")));
	ck_assert(!mem_has_failed());
	mem_fail_after(-1);
	bounded_free(&b);
	bounded_free(&b);
	placement_free(&p);
}
END_TEST

/* Releasing what was never acquired is our own bug. */
START_TEST(release_of_an_idle_server_dies)
{
	static struct members m;
	struct placement *p;

	members_fill(&m, "cache", 3);
	p = members_build(&m, &plain);
	bounded_release(new_bounded(p, 0), 1);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("bounded");
	TCase *tc = tcase_create("bounded");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, capacity_is_as_defined);
	tcase_add_test(tc, random_traffic_never_passes_the_bound);
	tcase_add_test(tc, hot_key_fills_all_servers_evenly);
	tcase_add_test(tc, idle_servers_give_the_owner);
	tcase_add_test(tc, huge_figures_do_not_overflow);
	tcase_add_test(tc, fractions_of_weights_count);
	tcase_add_test(tc, failing_memory_gives_null);
	tcase_add_test_raise_signal(tc, release_of_an_idle_server_dies,
	    SIGABRT);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
