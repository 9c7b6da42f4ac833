/* A played memcached. */
#include "cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/num.h"
#include "proto/answer.h"

struct item {
	SLIST_ENTRY(item)	 next;
	char			 key[REQUEST_KEY_MAX];
	size_t			 key_len;
	uint32_t		 flags;
	struct bytes		 value;
};

struct cache {
	SLIST_HEAD(, item)	 items;
};

struct cache *
cache_new(void)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	MUST(cache != NULL);
	return cache;
}

static void
item_free(struct cache *cache, struct item *item)
{
	SLIST_REMOVE(&cache->items, item, item, next);
	bytes_free(&item->value);
	free(item);
}

void
cache_clear(struct cache *cache)
{
	while (!SLIST_EMPTY(&cache->items))
		item_free(cache, SLIST_FIRST(&cache->items));
}

void
cache_free(struct cache **cache)
{
	cache_clear(*cache);
	free(*cache);
	*cache = NULL;
}

static struct span
plain_key(const struct request *req, char decoded[REQUEST_DECODED_KEY_MAX])
{
	size_t len;

	if (!req->is_base64)
		return req->key;
	len = request_decode_key(req->key, decoded);
	MUST(len > 0);
	return span_of(decoded, len);
}

static struct item *
find(const struct cache *cache, struct span key)
{
	struct item *item;

	SLIST_FOREACH(item, &cache->items, next) {
		if (span_eq(span_of(item->key, item->key_len), key))
			return item;
	}
	return NULL;
}

static struct item *
item_new(struct cache *cache, struct span key)
{
	struct item *item = calloc(1, sizeof(*item));

	MUST(item != NULL);
	memcpy(item->key, key.p, key.len);
	item->key_len = key.len;
	SLIST_INSERT_HEAD(&cache->items, item, next);
	return item;
}

/* FNV-1a over key, flags and value. */
static uint64_t
cas_of(const struct item *item)
{
	uint64_t h = 14695981039346656037u + item->flags;

	for (size_t i = 0; i < item->key_len; i++)
		h = (h ^ (unsigned char)item->key[i]) * 1099511628211u;
	for (size_t i = 0; i < item->value.len; i++)
		h = (h ^ (unsigned char)item->value.p[i]) * 1099511628211u;
	return h | 1;
}

static void
get(struct cache *cache, const struct request *req, struct bytes *reply)
{
	bool has_cas = req->verb == VERB_GETS || req->verb == VERB_GATS;
	struct span rest = req->keys, key;

	while (request_next_word(&rest, &key)) {
		struct item *item = find(cache, key);

		if (item == NULL)
			continue;
		bytes_say(reply, "VALUE %.*s %u %zu", (int)key.len, key.p,
		    item->flags, item->value.len);
		if (has_cas)
			bytes_say(reply, " %llu",
			    (unsigned long long)cas_of(item));
		bytes_say(reply, "\r\n");
		bytes_add(reply, bytes_span(&item->value));
		bytes_say(reply, "\r\n");
		if (verb_shape(req->verb) == VERB_SHAPE_GAT &&
		    req->exptime < 0)
			item_free(cache, item);
	}
	bytes_say(reply, ANSWER_END);
}

static void
replace_value(struct item *item, struct span value, uint32_t flags)
{
	bytes_drop(&item->value, item->value.len);
	bytes_add(&item->value, value);
	item->flags = flags;
}

static void
extend_value(struct item *item, struct span more, bool is_prepend)
{
	struct bytes value = {0};

	if (is_prepend)
		bytes_add(&value, more);
	bytes_add(&value, bytes_span(&item->value));
	if (!is_prepend)
		bytes_add(&value, more);
	bytes_free(&item->value);
	item->value = value;
}

static bool
store_applies(enum verb verb, const struct item *item)
{
	if (verb == VERB_SET)
		return true;
	return (verb == VERB_ADD) == (item == NULL);
}

static const char *
store(struct cache *cache, const struct request *req, struct span body)
{
	struct item *item = find(cache, req->key);

	if (req->verb == VERB_CAS) {
		if (item == NULL)
			return "NOT_FOUND\r\n";
		if (cas_of(item) != req->cas_unique)
			return "EXISTS\r\n";
	} else if (!store_applies(req->verb, item)) {
		return "NOT_STORED\r\n";
	}
	if (item == NULL)
		item = item_new(cache, req->key);
	if (req->verb == VERB_APPEND || req->verb == VERB_PREPEND)
		extend_value(item, body, req->verb == VERB_PREPEND);
	else
		replace_value(item, body, req->client_flags);
	if (req->exptime < 0)
		item_free(cache, item);
	return "STORED\r\n";
}

/* Adds to the number that the item holds, as memcached does. */
static bool
count(struct item *item, uint64_t delta, bool is_decr)
{
	char digits[NUM_U64_MAX_LEN];
	uint64_t n;

	if (!num_parse_u64(bytes_span(&item->value), &n))
		return false;
	if (is_decr)
		n = n < delta ? 0 : n - delta;
	else
		n += delta;
	replace_value(item, span_of(digits, num_put_u64(digits, n)),
	    item->flags);
	return true;
}

static void
incr(struct cache *cache, const struct request *req, struct bytes *reply)
{
	struct item *item = find(cache, req->key);

	if (item == NULL)
		bytes_say(reply, "NOT_FOUND\r\n");
	else if (!count(item, req->delta, req->verb == VERB_DECR))
		bytes_say(reply, "CLIENT_ERROR cannot increment or decrement "
		    "non-numeric value\r\n");
	else
		bytes_say(reply, "%.*s\r\n", (int)item->value.len,
		    item->value.p);
}

static struct span
find_flag(const struct request *req, char letter)
{
	struct span rest = req->meta_flags, flag;

	while (request_next_word(&rest, &flag)) {
		if (flag.p[0] == letter)
			return flag;
	}
	return span_of("", 0);
}

/* Of the flags those that come back; of an item's only where there is one. */
static void
say_flags(const struct request *req, const struct item *item,
    struct bytes *reply)
{
	struct span rest = req->meta_flags, flag;

	while (request_next_word(&rest, &flag)) {
		if (flag.p[0] == 'O' || flag.p[0] == 'b')
			bytes_say(reply, " %.*s", (int)flag.len, flag.p);
		else if (flag.p[0] == 'k')
			bytes_say(reply, " k%.*s", (int)req->key.len,
			    req->key.p);
		else if (item != NULL && flag.p[0] == 'f')
			bytes_say(reply, " f%u", item->flags);
		else if (item != NULL && flag.p[0] == 's')
			bytes_say(reply, " s%zu", item->value.len);
		else if (item != NULL && flag.p[0] == 'c')
			bytes_say(reply, " c%llu",
			    (unsigned long long)cas_of(item));
	}
	bytes_say(reply, "\r\n");
}

static void
say_meta(const struct request *req, const char *code, struct bytes *reply)
{
	bytes_say(reply, "%s", code);
	say_flags(req, NULL, reply);
}

/* What flag `v` asks for: the value, or that there is one. */
static void
say_item(const struct request *req, const struct item *item,
    struct bytes *reply)
{
	bool has_value = find_flag(req, 'v').len > 0;

	if (has_value)
		bytes_say(reply, "VA %zu", item->value.len);
	else
		bytes_say(reply, "HD");
	say_flags(req, item, reply);
	if (!has_value)
		return;
	bytes_add(reply, bytes_span(&item->value));
	bytes_say(reply, "\r\n");
}

static void
meta_get(struct cache *cache, const struct request *req, struct bytes *reply)
{
	char decoded[REQUEST_DECODED_KEY_MAX];
	struct item *item = find(cache, plain_key(req, decoded));

	if (item == NULL)
		say_meta(req, "EN", reply);
	else
		say_item(req, item, reply);
}

/* The classic command that a mode of ms stands for. */
static enum verb
verb_of_mode(const struct request *req)
{
	struct span mode = find_flag(req, 'M');

	switch (mode.len < 2 ? 'S' : mode.p[1]) {
	case 'E':
		return VERB_ADD;
	case 'A':
		return VERB_APPEND;
	case 'P':
		return VERB_PREPEND;
	case 'R':
		return VERB_REPLACE;
	default:
		return VERB_SET;
	}
}

static void
meta_set(struct cache *cache, const struct request *req, struct span body,
    struct bytes *reply)
{
	char decoded[REQUEST_DECODED_KEY_MAX];
	struct request plain = {.verb = verb_of_mode(req),
	    .key = plain_key(req, decoded)};
	const char *answer = store(cache, &plain, body);

	say_meta(req, strcmp(answer, "STORED\r\n") == 0 ? "HD" : "NS", reply);
}

static void
meta_delete(struct cache *cache, const struct request *req,
    struct bytes *reply)
{
	char decoded[REQUEST_DECODED_KEY_MAX];
	struct item *item = find(cache, plain_key(req, decoded));

	if (item != NULL)
		item_free(cache, item);
	say_meta(req, item != NULL ? "HD" : "NF", reply);
}

static void
meta_count(struct cache *cache, const struct request *req,
    struct bytes *reply)
{
	char decoded[REQUEST_DECODED_KEY_MAX];
	struct item *item = find(cache, plain_key(req, decoded));
	struct span mode = find_flag(req, 'M');
	bool is_decr = mode.len > 1 && (mode.p[1] == 'D' || mode.p[1] == '-');

	if (item == NULL)
		say_meta(req, "NF", reply);
	else if (!count(item, 1, is_decr))
		bytes_say(reply, "CLIENT_ERROR cannot increment or decrement "
		    "non-numeric value\r\n");
	else
		say_item(req, item, reply);
}

static void
delete(struct cache *cache, const struct request *req, struct bytes *reply)
{
	struct item *item = find(cache, req->key);

	if (item != NULL)
		item_free(cache, item);
	bytes_say(reply, item != NULL ? "DELETED\r\n" : "NOT_FOUND\r\n");
}

static void
touch(struct cache *cache, const struct request *req, struct bytes *reply)
{
	struct item *item = find(cache, req->key);

	if (item != NULL && req->exptime < 0)
		item_free(cache, item);
	bytes_say(reply, item != NULL ? "TOUCHED\r\n" : "NOT_FOUND\r\n");
}

void
cache_do(struct cache *cache, const struct request *req, struct span body,
    struct bytes *reply)
{
	switch (verb_shape(req->verb)) {
	case VERB_SHAPE_GET:
	case VERB_SHAPE_GAT:
		get(cache, req, reply);
		return;
	case VERB_SHAPE_STORE:
	case VERB_SHAPE_CAS:
		bytes_say(reply, "%s", store(cache, req, body));
		return;
	case VERB_SHAPE_DELETE:
		delete(cache, req, reply);
		return;
	case VERB_SHAPE_COUNT:
		incr(cache, req, reply);
		return;
	case VERB_SHAPE_TOUCH:
		touch(cache, req, reply);
		return;
	case VERB_SHAPE_META:
		if (req->verb == VERB_MG)
			meta_get(cache, req, reply);
		else if (req->verb == VERB_MD)
			meta_delete(cache, req, reply);
		else if (req->verb == VERB_MA)
			meta_count(cache, req, reply);
		else
			say_meta(req, "EN", reply);
		return;
	case VERB_SHAPE_META_SET:
		meta_set(cache, req, body, reply);
		return;
	case VERB_SHAPE_PLAIN:
		MUST(req->verb == VERB_FLUSH_ALL);
		cache_clear(cache);
		bytes_say(reply, ANSWER_OK);
		return;
	case VERB_SHAPE_META_NOOP:
		break;
	}
	NEVER();
}

void
cache_delete(struct cache *cache, const struct request *req)
{
	char decoded[REQUEST_DECODED_KEY_MAX];
	struct item *item = find(cache, plain_key(req, decoded));

	if (item != NULL)
		item_free(cache, item);
}
