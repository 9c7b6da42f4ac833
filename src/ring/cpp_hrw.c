/* Rendezvous over numbers. */
#include "ring/cpp_hrw.h"

#include "ring/hash.h"

uint32_t
cpp_hrw_select(uint64_t key, const uint32_t *nodes, size_t n)
{
	uint64_t best = 0;
	uint32_t winner = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t score = hash_mix64(key ^ hash_mix64(nodes[i]));

		if (score >= best) {
			best = score;
			winner = nodes[i];
		}
	}
	return winner;
}
