/* The membership hash: the beginning of a SHA-256, by libmd. */
#include "ring/membership.h"

#include <sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/ring.h"
#include "ring/rule.h"

/* More than any line but those of names and addresses. */
#define LINE_SIZE 128

static void
add_bytes(SHA2_CTX *sha, const char *p, size_t len)
{
	SHA256Update(sha, (const uint8_t *)p, len);
}

static void add_line(SHA2_CTX *sha, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

static void
add_line(SHA2_CTX *sha, const char *fmt, ...)
{
	char line[LINE_SIZE];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	MUST(len > 0 && len < LINE_SIZE);
	add_bytes(sha, line, (size_t)len);
	add_bytes(sha, "\n", 1);
}

static void
add_text(SHA2_CTX *sha, const char *key, struct span text)
{
	add_bytes(sha, key, strlen(key));
	add_bytes(sha, "=", 1);
	if (text.len > 0)
		add_bytes(sha, text.p, text.len);
	add_bytes(sha, "\n", 1);
}

static uint64_t
end(SHA2_CTX *sha)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	uint64_t hash = 0;

	SHA256Final(digest, sha);
	for (size_t i = 0; i < sizeof(hash); i++)
		hash = hash << 8 | digest[i];
	return hash;
}

/* What the native rule takes when it is told nothing may also be said. */
static struct placement_spec
with_defaults(const struct placement_spec *spec)
{
	struct placement_spec full = *spec;

	if (full.kind != PLACEMENT_RING)
		return full;
	if (full.hash == HASH_DEFAULT)
		full.hash = HASH_FNV1A_64;
	if (full.points_per_weight == 0)
		full.points_per_weight = RING_POINTS_PER_WEIGHT;
	return full;
}

static void
add_secret(SHA2_CTX *sha, const uint8_t key[PLACEMENT_HASH_KEY_LEN])
{
	static const uint8_t none[PLACEMENT_HASH_KEY_LEN];
	char hex[2 * PLACEMENT_HASH_KEY_LEN + 1];

	if (memcmp(key, none, sizeof(none)) == 0)
		return;
	for (size_t i = 0; i < PLACEMENT_HASH_KEY_LEN; i++)
		snprintf(hex + 2 * i, 3, "%02x", key[i]);
	add_line(sha, "hash_key=%s", hex);
}

static void
add_spec(SHA2_CTX *sha, const struct placement_spec *spec)
{
	add_line(sha, "placement=%s", placement_kind_name(spec->kind));
	if (spec->hash != HASH_DEFAULT)
		add_line(sha, "hash=%s", hash_kind_name(spec->hash));
	if (spec->points_per_weight != 0)
		add_line(sha, "points_per_weight=%u", spec->points_per_weight);
	if (spec->hash_tag[0] != '\0')
		add_line(sha, "hash_tag=%.2s", spec->hash_tag);
	add_secret(sha, spec->hash_key);
	if (spec->hash_seed[0] != '\0')
		add_line(sha, "hash_seed=%s", spec->hash_seed);
	if (spec->hash_stop[0] != '\0')
		add_line(sha, "hash_stop=%s", spec->hash_stop);
	if (spec->hash_avalanche)
		add_line(sha, "hash_avalanche=true");
	if (spec->is_char_unsigned)
		add_line(sha, "unsigned_chars=true");
	if (spec->ring_size_min != 0)
		add_line(sha, "ring_size_min=%u", spec->ring_size_min);
	if (spec->ring_size_max != 0)
		add_line(sha, "ring_size_max=%u", spec->ring_size_max);
}

static void
add_server(SHA2_CTX *sha, const struct placement_server *server,
    bool has_address)
{
	char port[sizeof(":65535\n")];
	int len;

	add_text(sha, "server", server->name);
	/* As exact as a configuration can say it. */
	add_line(sha, "weight=%.6f", server->weight);
	if (!has_address)
		return;
	len = snprintf(port, sizeof(port), ":%u\n", server->port);
	add_bytes(sha, "address=", strlen("address="));
	add_bytes(sha, server->host.p, server->host.len);
	add_bytes(sha, port, (size_t)len);
	if (server->is_named)
		add_line(sha, "named=true");
}

uint64_t
membership_hash(const struct placement *p)
{
	struct placement_spec spec = with_defaults(placement_spec_of(p));
	bool has_address = placement_uses_addresses(p);
	SHA2_CTX sha;

	SHA256Init(&sha);
	add_line(&sha, "fairlead membership 1");
	add_spec(&sha, &spec);
	for (size_t i = 0; i < placement_servers(p); i++)
		add_server(&sha, placement_server_at(p, i), has_address);
	return end(&sha);
}

static int
compare_names(const void *a, const void *b)
{
	const struct membership *x = a, *y = b;
	size_t len = x->pool.len < y->pool.len ? x->pool.len : y->pool.len;
	int order = memcmp(x->pool.p, y->pool.p, len);

	if (order != 0)
		return order;
	return x->pool.len < y->pool.len ? -1 : x->pool.len > y->pool.len;
}

uint64_t
membership_hash_all(struct membership *pools, size_t n)
{
	SHA2_CTX sha;

	qsort(pools, n, sizeof(*pools), compare_names);
	SHA256Init(&sha);
	add_line(&sha, "fairlead memberships 1");
	for (size_t i = 0; i < n; i++) {
		add_bytes(&sha, pools[i].pool.p, pools[i].pool.len);
		add_line(&sha, "=%016llx", (unsigned long long)pools[i].hash);
	}
	return end(&sha);
}
