/*
 * MD5, which old ketama rings are made of. Not for secrets.
 */
#ifndef RING_HASHES_MD5_H
#define RING_HASHES_MD5_H

#include <stdint.h>

#include "base/span.h"

#define MD5_DIGEST_LEN 16

/*
 * The digest of `bytes`, as written in RFC 1321. Any thread; never allocates
 * and cannot fail, so that it may be used on look-ups.
 */
void md5_digest(struct span bytes, uint8_t digest_r[MD5_DIGEST_LEN]);

/* The first four bytes of the digest as a little-endian number. */
uint32_t md5_le32(struct span bytes);

#endif
