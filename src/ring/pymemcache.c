/*
 * pymemcache and pymemcache-bytes: HashClient of Python's pymemcache.
 *
 * Rendezvous over MurmurHash3 (x86, 32 bits, seed 0) of "host:port-key"; the
 * largest score wins, of equal ones the server whose "host:port" is greater
 * as a string. There are no weights. A unix socket is its path.
 *
 * pymemcache is for applications whose keys are text (str). The hash there
 * runs over characters, each cut to the low 8 bits of its code point, so keys
 * beyond ASCII must be decoded to find their server: it is not a hash of the
 * bytes on the wire. Keys that are not UTF-8 cannot come from such a client;
 * their bytes stand for themselves.
 *
 * pymemcache-bytes is for applications whose keys are bytes: what is hashed
 * then is their Python literal, b'...' with quotes and escapes. The two place
 * nearly every key differently, and nothing on the wire tells them apart.
 *
 * Proven against pymemcache 3.5.2: tests/vectors/pymemcache.tsv.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ring/hashes.h"
#include "ring/ketama_members.h"
#include "ring/rendezvous_order.h"
#include "ring/rule.h"
#include "ring/rule_check.h"
#include "ring/utf8.h"

/* Bytes of "host:port-" that a look-up has room for. */
#define NAME_SIZE 300

/*
 * Bytes of a key that are hashed. memcached takes no key over 250, so no key
 * meets this.
 */
#define KEY_MAX_LEN 1024

/* b'' and \xNN for each byte. */
#define LITERAL_MAX_LEN (3 + 4 * KEY_MAX_LEN)

struct name {
	size_t		at;		/* where "host:port-" starts in text */
	size_t		len;
	uint64_t	order;		/* place among all, sorted as strings */
};

struct pymemcache {			/* immutable after build */
	struct name	*names;		/* owned */
	char		*text;		/* owned */
	uint32_t	 n;
	bool		 is_text;	/* keys are characters */
};

/* One look-up: the key as hashed, with room for a name right before it. */
struct look {
	const struct pymemcache	*state;
	size_t			 key_len;
	char			*key;
	char			 text[NAME_SIZE + LITERAL_MAX_LEN];
};

static void
free_state(void *state)
{
	struct pymemcache *p = state;

	mem_free(p->names);
	mem_free(p->text);
	mem_free(p);
}

static int
compare_names(const void *a, const void *b, void *arg)
{
	const struct pymemcache *p = arg;
	const struct name *x = &p->names[*(const uint32_t *)a];
	const struct name *y = &p->names[*(const uint32_t *)b];

	/* Without the '-' that ends both: a prefix is the smaller string. */
	return span_cmp(span_of(p->text + x->at, x->len - 1),
	    span_of(p->text + y->at, y->len - 1));
}

static bool
order_names(struct pymemcache *p)
{
	uint32_t *sorted = mem_zalloc(p->n, sizeof(*sorted));

	if (sorted == NULL)
		return false;
	for (uint32_t i = 0; i < p->n; i++)
		sorted[i] = i;
	qsort_r(sorted, p->n, sizeof(*sorted), compare_names, p);
	for (uint32_t i = 0; i < p->n; i++)
		p->names[sorted[i]].order = i;
	mem_free(sorted);
	return true;
}

/* Copies the names, each with its dash; false if one is too long. */
static bool
copy_names(struct pymemcache *p, const struct ketama_members *members)
{
	size_t at = 0;

	for (size_t i = 0; i < members->n; i++) {
		const struct ketama_member *member = &members->list[i];

		if (member->len + 1 > NAME_SIZE)
			return rule_refuse(members->build,
			    PLACEMENT_UNSUPPORTED,
			    "the address of server %zu has more than %d bytes",
			    i + 1, NAME_SIZE - 1);
		memcpy(p->text + at, member->text, member->len);
		p->names[i] = (struct name){at, member->len + 1, 0};
		at += member->len;
		p->text[at++] = '-';
	}
	return true;
}

static bool
fill(struct pymemcache *p, const struct ketama_members *members)
{
	size_t bytes = 0;

	for (size_t i = 0; i < members->n; i++)
		bytes += members->list[i].len + 1;
	p->n = (uint32_t)members->n;
	p->is_text = members->build->spec->kind == PLACEMENT_PYMEMCACHE;
	p->names = mem_zalloc(members->n, sizeof(*p->names));
	p->text = p->names == NULL ? NULL : mem_alloc(bytes);
	if (p->text == NULL)
		return rule_no_memory(members->build);
	return copy_names(p, members) &&
	    (order_names(p) || rule_no_memory(members->build));
}

static struct pymemcache *
new_state(const struct ketama_members *members)
{
	struct pymemcache *p = mem_zalloc(1, sizeof(*p));

	if (p == NULL) {
		(void)rule_no_memory(members->build);
		return NULL;
	}
	if (!fill(p, members)) {
		free_state(p);
		return NULL;
	}
	return p;
}

static void *
build(const struct rule_build *b)
{
	struct ketama_members members;
	struct pymemcache *p;

	if (!rule_takes_no_weights(b) ||
	    !rule_takes_hash(b, HASH_DEFAULT) || !rule_takes_no_points(b))
		return NULL;
	if (!ketama_members_init(&members, b, KETAMA_ADDRESS))
		return NULL;
	p = new_state(&members);
	ketama_members_fini(&members);
	return p;
}

static struct rendezvous_rank
rank(const void *arg, uint32_t server)
{
	const struct look *look = arg;
	const struct name *name = &look->state->names[server];
	char *start = look->key - name->len;

	memcpy(start, look->state->text + name->at, name->len);
	return (struct rendezvous_rank){
	    hashes_murmur3_seeded(
		span_of(start, name->len + look->key_len), 0),
	    name->order};
}

/* The low byte of each character; how many. */
static size_t
write_characters(struct span key, char *out)
{
	size_t n = 0, len;

	while (key.len > 0) {
		out[n++] = (char)(utf8_first(key, &len) & 0xff);
		key = span_of(key.p + len, key.len - len);
	}
	return n;
}

static size_t
write_escaped(unsigned char byte, char quote, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const char *plain = "\t\n\r\\", *letters = "tnr\\", *at;

	if (byte == (unsigned char)quote) {
		out[0] = '\\';
		out[1] = quote;
		return 2;
	}
	at = byte == 0 ? NULL : strchr(plain, byte);
	if (at != NULL) {
		out[0] = '\\';
		out[1] = letters[at - plain];
		return 2;
	}
	if (byte >= 0x20 && byte < 0x7f) {
		out[0] = (char)byte;
		return 1;
	}
	out[0] = '\\';
	out[1] = 'x';
	out[2] = digits[byte >> 4];
	out[3] = digits[byte & 15];
	return 4;
}

/* Python's literal of the bytes; its length. */
static size_t
write_literal(struct span key, char *out)
{
	bool has_single = memchr(key.p, '\'', key.len) != NULL;
	bool has_double = memchr(key.p, '"', key.len) != NULL;
	char quote = has_single && !has_double ? '"' : '\'';
	size_t n = 0;

	out[n++] = 'b';
	out[n++] = quote;
	for (size_t i = 0; i < key.len; i++)
		n += write_escaped((unsigned char)key.p[i], quote, out + n);
	out[n++] = quote;
	return n;
}

static void
look_start(struct look *look, const struct pymemcache *p, struct span key)
{
	/* An empty span may have no bytes to point at. */
	key = key.len == 0 ? span_str("") : key;
	if (key.len > KEY_MAX_LEN)
		key.len = KEY_MAX_LEN;
	look->state = p;
	look->key = look->text + NAME_SIZE;
	look->key_len = p->is_text ? write_characters(key, look->key)
				   : write_literal(key, look->key);
}

static uint32_t
owner(const void *state, struct span key)
{
	const struct pymemcache *p = state;
	struct look look;
	struct rendezvous_contest contest = {p->n, rank, &look};

	look_start(&look, p, key);
	return rendezvous_winner(&contest);
}

static void
walk(const void *state, struct span key,
    bool (*visit)(void *arg, uint32_t server), void *arg)
{
	const struct pymemcache *p = state;
	struct look look;
	struct rendezvous_contest contest = {p->n, rank, &look};

	look_start(&look, p, key);
	rendezvous_walk(&contest, visit, arg);
}

const struct placement_rule placement_pymemcache_rule = {
	.build = build,
	.owner = owner,
	.walk = walk,
	.free = free_state,
};
