/*
 * MD5 by libcrypto, through its old low-level calls.
 *
 * OpenSSL 3 deprecates them in favour of EVP. EVP fetches the algorithm and
 * allocates a context for every digest (its one-shot MD5() does, too), which
 * a look-up must not do, and a context that lives longer would have to be one
 * a thread. The low-level calls work on a struct of the caller's, are part of
 * every libcrypto 1.1 and 3 built with MD5, and return 1 always: there is
 * nothing in them that can fail. Should they go one day, this file is all
 * that changes.
 */
#define OPENSSL_SUPPRESS_DEPRECATED 1

#include "ring/md5.h"

#include <openssl/md5.h>

#include "base/must.h"
#include "ring/load_le.h"

_Static_assert(MD5_DIGEST_LEN == MD5_DIGEST_LENGTH, "an MD5 has 16 bytes");

void
md5_digest(struct span bytes, uint8_t digest_r[MD5_DIGEST_LEN])
{
	MD5_CTX ctx;

	MUST(MD5_Init(&ctx) == 1);
	if (bytes.len > 0)
		MUST(MD5_Update(&ctx, bytes.p, bytes.len) == 1);
	MUST(MD5_Final(digest_r, &ctx) == 1);
}

uint32_t
md5_le32(struct span bytes)
{
	uint8_t digest[MD5_DIGEST_LEN];

	md5_digest(bytes, digest);
	return load_le32(digest);
}
