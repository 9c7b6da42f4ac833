/*
 * Little-endian words out of bytes, wherever they lie: what most of the
 * hashes here read. Nothing is assumed of alignment or of the machine.
 */
#ifndef RING_LOAD_LE_H
#define RING_LOAD_LE_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t
load_le32(const void *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return le32toh(word);
}

static inline uint64_t
load_le64(const void *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/* The word whose low bytes are the `len` < 8 bytes at `p`; the rest is 0. */
static inline uint64_t
load_le_tail(const void *p, size_t len)
{
	uint64_t word = 0;

	if (len > 0)
		memcpy(&word, p, len);
	return le64toh(word);
}

#endif
