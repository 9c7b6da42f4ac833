/* The native ring's hashes by domain. */
#include "ring/ring_hash.h"

#include <string.h>

/* Inlined, for speed on short keys and for a state that needs no heap. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/siphash.h"

/* Bytes that tell the domains apart. */
#define OWNER_DOMAIN 0x02
#define POINT_DOMAIN 0x03
#define REPLICA_MARK 0x04
#define KEY_DOMAIN   0x05
#define TEXT_END     0xff

bool
ring_hash_init(struct ring_hash *hash, const struct placement_spec *spec,
    struct err *err)
{
	static const uint8_t no_key[PLACEMENT_HASH_KEY_LEN];

	hash->kind = spec->hash == HASH_DEFAULT ? HASH_FNV1A_64 : spec->hash;
	memcpy(hash->key, spec->hash_key, sizeof(hash->key));
	if (hash->kind != HASH_FNV1A_64 && hash->kind != HASH_XXH3 &&
	    hash->kind != HASH_SIPHASH) {
		err_set(err, "placement ring does not know the hash %s; it "
		    "takes fnv1a_64, xxh3 or siphash",
		    hash_kind_name(spec->hash));
		return false;
	}
	if (hash->kind == HASH_SIPHASH &&
	    memcmp(hash->key, no_key, sizeof(no_key)) == 0) {
		err_set(err, "hash siphash needs a secret key of %d bytes "
		    "that are not all zero", PLACEMENT_HASH_KEY_LEN);
		return false;
	}
	return true;
}

/* The bytes that one hash is taken of. */
struct message {
	uint8_t		domain;
	struct span	text;
	uint8_t		suffix[10];
	size_t		suffix_len;
};

static struct span
suffix_of(const struct message *m)
{
	return span_of((const char *)m->suffix, m->suffix_len);
}

static uint64_t
hash_fnv(const struct message *m)
{
	uint64_t h = hash_fnv1a_64_byte(HASH_FNV1A_64_BASIS, m->domain);

	h = hash_fnv1a_64_bytes(h, m->text);
	return hash_fnv1a_64_bytes(h, suffix_of(m));
}

/* Any key of the protocol, and most names, fit; XXH3 is fastest in one go. */
#define XXH3_AT_ONCE 256

static uint64_t
hash_xxh3(const struct message *m)
{
	uint8_t buf[1 + XXH3_AT_ONCE + sizeof(m->suffix)];
	XXH3_state_t state;

	if (m->text.len <= XXH3_AT_ONCE) {
		buf[0] = m->domain;
		if (m->text.len > 0)
			memcpy(buf + 1, m->text.p, m->text.len);
		memcpy(buf + 1 + m->text.len, m->suffix, m->suffix_len);
		return XXH3_64bits(buf, 1 + m->text.len + m->suffix_len);
	}
	/* Fails only for a NULL state or input. */
	MUST(XXH3_64bits_reset(&state) == XXH_OK);
	MUST(XXH3_64bits_update(&state, &m->domain, 1) == XXH_OK);
	MUST(XXH3_64bits_update(&state, m->text.p, m->text.len) == XXH_OK);
	MUST(XXH3_64bits_update(&state, m->suffix, m->suffix_len) == XXH_OK);
	return XXH3_64bits_digest(&state);
}

static uint64_t
hash_siphash(const struct message *m, const uint8_t *key)
{
	struct siphash sip;

	siphash_init(&sip, key);
	siphash_update(&sip, span_of((const char *)&m->domain, 1));
	siphash_update(&sip, m->text);
	siphash_update(&sip, suffix_of(m));
	return siphash_final(&sip);
}

static uint64_t
hash_message(const struct ring_hash *hash, const struct message *m)
{
	if (hash->kind == HASH_XXH3)
		return hash_mix64(hash_xxh3(m));
	if (hash->kind == HASH_SIPHASH)
		return hash_mix64(hash_siphash(m, hash->key));
	return hash_mix64(hash_fnv(m));
}

uint64_t
ring_hash_owner(const struct ring_hash *hash, struct span name)
{
	struct message m = {OWNER_DOMAIN, name, {TEXT_END}, 1};

	return hash_message(hash, &m);
}

uint64_t
ring_hash_key(const struct ring_hash *hash, struct span key)
{
	struct message m = {KEY_DOMAIN, key, {TEXT_END}, 1};

	return hash_message(hash, &m);
}

void
ring_hash_points_init(struct ring_hash_points *points,
    const struct ring_hash *hash, struct span name)
{
	struct message m = {POINT_DOMAIN, name, {TEXT_END, REPLICA_MARK}, 2};

	points->hash = hash;
	points->name = name;
	points->fnv = hash_fnv(&m);
}

/* Powers of FNV's prime: what so many bytes of zero multiply a hash by. */
static const uint64_t fnv_zeros[] = {
	UINT64_C(0x0000000000000001),
	UINT64_C(0x00000100000001b3),
	UINT64_C(0x000366000002e329),
	UINT64_C(0x08a97b0004e7feab),
	UINT64_C(0x9ffaac085635bc91),
	UINT64_C(0x0caee32a7d4f6a63),
	UINT64_C(0xdc966432edf1c639),
	UINT64_C(0xc5527b8a51d3d2db),
	UINT64_C(0x1efac7090aef4a21),
};

/* `h` after the eight bytes of `r`, of which all but a few are zero. */
static uint64_t
hash_fnv_replica(uint64_t h, uint64_t r)
{
	size_t zeros = 8;

	for (; r != 0; r >>= 8, zeros--)
		h = hash_fnv1a_64_byte(h, (uint8_t)r);
	return h * fnv_zeros[zeros];
}

uint64_t
ring_hash_point(const struct ring_hash_points *points, uint64_t r)
{
	struct message m = {POINT_DOMAIN, points->name,
	    {TEXT_END, REPLICA_MARK}, 10};

	if (points->hash->kind == HASH_FNV1A_64)
		return hash_mix64(hash_fnv_replica(points->fnv, r));
	for (int i = 0; i < 8; i++)
		m.suffix[2 + i] = (uint8_t)(r >> 8 * i);
	return hash_message(points->hash, &m);
}
