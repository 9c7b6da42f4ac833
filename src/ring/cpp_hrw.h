/*
 * Rendezvous over numbers: rendezvousSelect() of the C++20 design note.
 *
 * score = mix64(key ^ mix64(node)); the largest wins, of equals the last. Only
 * for 64-bit keys; keys of bytes have the placement `rendezvous`.
 *
 * Proven against the note's own function: tests/vectors/cpp-hrw*.tsv.
 */
#ifndef RING_CPP_HRW_H
#define RING_CPP_HRW_H

#include <stddef.h>
#include <stdint.h>

/*
 * The node of `n` that wins the key; a node may stand there twice. An empty
 * list gives 0. Pure.
 */
uint32_t cpp_hrw_select(uint64_t key, const uint32_t *nodes, size_t n);

#endif
