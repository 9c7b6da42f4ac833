/* Where keys and servers lie on the circle. */
#include <math.h>
#include <stdio.h>

#include "admin/circle.h"
#include "base/mem.h"
#include "case.h"

static struct circle_arc arcs[CIRCLE_ARCS_MAX];

static struct placement *
build(enum placement_kind kind, uint32_t points, size_t n)
{
	static char names[8][4];
	struct placement_server servers[8];
	struct placement_spec spec = {.kind = kind,
	    .points_per_weight = points};
	enum placement_error error;
	struct placement *placement;
	struct err err;

	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "s%zu", i);
		servers[i] = (struct placement_server){
		    .name = span_str(names[i]), .host = span_str(names[i]),
		    .port = 1, .weight = 1};
	}
	placement = placement_build(&spec, servers, n, &error, &err);
	ck_assert_msg(placement != NULL, "%s", err.text);
	return placement;
}

/* The server whose arc holds the part of the circle. */
static uint32_t
owner_at(size_t n, double at)
{
	for (size_t i = 0; i < n; i++) {
		if (at < arcs[i].to)
			return arcs[i].server;
	}
	return arcs[n - 1].server;
}

static void
check_arcs(size_t n)
{
	ck_assert_uint_gt(n, 0);
	for (size_t i = 1; i < n; i++)
		ck_assert_double_ge(arcs[i].to, arcs[i - 1].to);
	ck_assert(fabs(arcs[n - 1].to - 1) < 1e-12);
}

START_TEST(keys_lie_in_their_owner_s_arc)
{
	struct placement *p = build(PLACEMENT_RING, 0, 5);
	size_t n = circle_arcs(p, arcs);
	struct circle_key where;
	char key[16];

	check_arcs(n);
	for (int i = 0; i < 2000; i++) {
		snprintf(key, sizeof(key), "key%d", i);
		ck_assert(circle_find(p, span_str(key), &where));
		ck_assert_uint_eq(owner_at(n, where.at),
		    placement_owner(p, span_str(key)));
		/* Its point is next clockwise, or the first of all. */
		ck_assert(where.point >= where.at ||
		    where.at >= arcs[n - 2].to);
	}
	placement_free(&p);
}
END_TEST

START_TEST(many_arcs_become_slices)
{
	struct placement *p = build(PLACEMENT_RING, 5000, 4);

	ck_assert_uint_eq(circle_arcs(p, arcs), CIRCLE_ARCS_MAX);
	check_arcs(CIRCLE_ARCS_MAX);
	placement_free(&p);
}
END_TEST

static const enum placement_kind with_circle[] = {
	PLACEMENT_RING, PLACEMENT_KETAMA, PLACEMENT_MEMCACHED_RING,
	PLACEMENT_ENVOY_RING, PLACEMENT_HAPROXY_CONSISTENT,
};

START_TEST(arcs_have_the_shares)
{
	struct placement *p = build(with_circle[_i], 0, 3);
	double shares[3], sums[3] = {0}, from = 0;
	size_t n = circle_arcs(p, arcs);

	check_arcs(n);
	ck_assert_int_eq(circle_shares(p, shares), 0);
	for (size_t i = 0; i < n; i++) {
		sums[arcs[i].server] += arcs[i].to - from;
		from = arcs[i].to;
	}
	for (size_t i = 0; i < 3; i++)
		ck_assert(fabs(sums[i] - shares[i]) < 0.02);
	placement_free(&p);
}
END_TEST

START_TEST(without_a_circle_shares_are_sampled)
{
	struct placement *p = build(PLACEMENT_RENDEZVOUS, 0, 4);
	struct circle_key where;
	double shares[4], sum = 0;

	ck_assert_uint_eq(circle_arcs(p, arcs), 0);
	ck_assert(!circle_find(p, span_str("a"), &where));
	ck_assert_int_eq(circle_shares(p, shares), 1 << 16);
	for (size_t i = 0; i < 4; i++) {
		ck_assert(fabs(shares[i] - 0.25) < 0.01);
		sum += shares[i];
	}
	ck_assert(fabs(sum - 1) < 1e-9);
	placement_free(&p);
}
END_TEST

START_TEST(without_memory_it_says_so)
{
	struct placement *p = build(PLACEMENT_RENDEZVOUS, 0, 4);
	double shares[4];

	for (int i = 0; i < 2; i++) {
		mem_fail_after(i);
		ck_assert_int_eq(circle_shares(p, shares), CIRCLE_NO_MEMORY);
		mem_fail_after(-1);
	}
	placement_free(&p);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("circle");

	tcase_add_test(tc, keys_lie_in_their_owner_s_arc);
	tcase_add_test(tc, many_arcs_become_slices);
	tcase_add_loop_test(tc, arcs_have_the_shares, 0,
	    LENGTH(with_circle));
	tcase_add_test(tc, without_a_circle_shares_are_sampled);
	tcase_add_test(tc, without_memory_it_says_so);
	return case_run("circle", tc);
}
