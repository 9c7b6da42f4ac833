/* limits.memory where the file does not say it. */
#include "conf/memory.h"
#include "support.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (1024 * MIB)

static const struct {
	uint64_t	cgroup_limit;
	uint64_t	physical;
	uint64_t	memory;
} rows[] = {
	/* No limit, whatever the machine has. */
	{0, 512 * GIB, 256 * MIB},
	{0, GIB, 256 * MIB},
	/* Four fifths, in whole MiB. */
	{64 * MIB, 512 * GIB, 51 * MIB},
	{GIB, 8 * GIB, 819 * MIB},
	{8 * GIB, 16 * GIB, 6553 * MIB},
	/* Never so little that nothing would start. */
	{MIB / 2, GIB, MIB},
	{1, GIB, MIB},
	/* A limit that the machine has not is none. */
	{8 * GIB, 8 * GIB, 256 * MIB},
	{16 * GIB, 8 * GIB, 256 * MIB},
};

START_TEST(the_default_is_four_fifths_of_the_cgroup_s_limit)
{
	ck_assert_uint_eq(memory_default(rows[_i].cgroup_limit,
	    rows[_i].physical), rows[_i].memory);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("memory_default");

	tcase_add_loop_test(tc,
	    the_default_is_four_fifths_of_the_cgroup_s_limit, 0,
	    LENGTH(rows));
	return run_case("memory_default", tc);
}
