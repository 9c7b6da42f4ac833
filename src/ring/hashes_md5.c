/* MD5, by libmd. */
#include "ring/hashes_md5.h"

#include <md5.h>

#include "ring/load_le.h"

_Static_assert(MD5_DIGEST_LEN == MD5_DIGEST_LENGTH, "an MD5 has 16 bytes");

void
md5_digest(struct span bytes, uint8_t digest_r[MD5_DIGEST_LEN])
{
	MD5_CTX ctx;

	MD5Init(&ctx);
	MD5Update(&ctx, (const uint8_t *)bytes.p, bytes.len);
	MD5Final(digest_r, &ctx);
}

uint32_t
md5_le32(struct span bytes)
{
	uint8_t digest[MD5_DIGEST_LEN];

	md5_digest(bytes, digest);
	return load_le32(digest);
}
