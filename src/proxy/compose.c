/* Writing request lines. */
#include "proxy/compose.h"

#include <string.h>

#include "base/num.h"
#include "proto/lifetime.h"

struct writer {
	char			*out;
	size_t			 len;
	struct compose_cap	 cap;
};

static void
put(struct writer *w, struct span bytes)
{
	MUST(w->len + bytes.len <= COMPOSE_LINE_MAX);
	memcpy(w->out + w->len, bytes.p, bytes.len);
	w->len += bytes.len;
}

static void
put_word(struct writer *w, struct span word)
{
	put(w, span_of(" ", 1));
	put(w, word);
}

static void
put_number(struct writer *w, uint64_t n)
{
	char digits[NUM_U64_MAX_LEN];

	put_word(w, span_of(digits, num_put_u64(digits, n)));
}

/* Without a blank before it. */
static void
put_signed_here(struct writer *w, int64_t n)
{
	char digits[NUM_U64_MAX_LEN + 1] = "-";
	size_t sign = n < 0 ? 1 : 0;
	uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	put(w, span_of(digits, sign + num_put_u64(digits + sign, size)));
}

static void
put_signed(struct writer *w, int64_t n)
{
	put(w, span_of(" ", 1));
	put_signed_here(w, n);
}

static size_t
finish(struct writer *w)
{
	put(w, span_of("\r\n", 2));
	return w->len;
}

static void
put_exptime(struct writer *w, int64_t exptime)
{
	put_signed(w, w->cap.max_s == 0 ? exptime :
	    lifetime_cap(exptime, w->cap.max_s, w->cap.wall_s));
}

/*
 * T and N have an exptime. One that is none by our reading loses it in a
 * gutter, so that every server refuses the flag: memcached 1.6.18 takes blanks
 * behind a number and cuts large ones, newer ones take a lone minus for 0.
 */
static void
put_meta_flag(struct writer *w, struct span flag)
{
	struct span token = span_of(flag.p + 1, flag.len - 1);
	int64_t exptime;

	if (w->cap.max_s == 0 || (flag.p[0] != 'T' && flag.p[0] != 'N')) {
		put_word(w, flag);
		return;
	}
	/* memcached takes one. */
	if (span_starts(token, span_of("+", 1)))
		token = span_of(token.p + 1, token.len - 1);
	put_word(w, span_of(flag.p, 1));
	if (num_parse_i64(token, &exptime) && exptime >= INT32_MIN &&
	    exptime <= INT32_MAX)
		put_signed_here(w, lifetime_cap(exptime, w->cap.max_s,
		    w->cap.wall_s));
}

/* The flags, save q: a reply is always wanted. */
static void
put_meta_flags(struct writer *w, struct span flags)
{
	struct span flag;

	while (request_next_word(&flags, &flag)) {
		if (flag.p[0] != 'q')
			put_meta_flag(w, flag);
	}
}

static bool
has_flag(struct span flags, char letter)
{
	struct span flag;

	return request_find_flag(flags, letter, &flag);
}

/* Those of a command that makes an item, without T for ever. */
static void
put_store_flags(struct writer *w, struct span flags)
{
	put_meta_flags(w, flags);
	if (w->cap.max_s != 0 && !has_flag(flags, 'T'))
		put_meta_flag(w, span_of("T0", 2));
}

size_t
compose_delete(struct span key, char *out)
{
	static const struct span noreply = SPAN_LIT("noreply");
	struct writer w = {.out = out};

	put(&w, span_str("delete"));
	put_word(&w, key);
	/* As a line's last word it would be taken for the option. */
	if (span_eq(key, noreply))
		put_word(&w, span_of("0", 1));
	return finish(&w);
}

size_t
compose_delete_base64(struct span key, char *out)
{
	struct writer w = {.out = out};

	put(&w, span_str("md"));
	put_word(&w, key);
	put_word(&w, span_of("b", 1));
	return finish(&w);
}

size_t
compose_keys_head(enum verb verb, int64_t exptime, char *out)
{
	struct writer w = {.out = out};

	put(&w, span_str(verb_name(verb)));
	if (verb_shape(verb) == VERB_SHAPE_GAT)
		put_signed(&w, exptime);
	return w.len;
}

static size_t
compose_store(const struct request *req, struct writer *w)
{
	put_word(w, req->key);
	put_number(w, req->client_flags);
	put_exptime(w, req->exptime);
	put_number(w, req->body_len);
	if (req->verb == VERB_CAS)
		put_number(w, req->cas_unique);
	return finish(w);
}

size_t
compose_capped(const struct request *req, const struct compose_cap *cap,
    char *out)
{
	struct writer w = {.out = out, .cap = *cap};

	put(&w, span_str(verb_name(req->verb)));
	switch (verb_shape(req->verb)) {
	case VERB_SHAPE_GET:
		put_word(&w, req->key);
		return finish(&w);
	case VERB_SHAPE_GAT:
		put_exptime(&w, req->exptime);
		put_word(&w, req->key);
		return finish(&w);
	case VERB_SHAPE_STORE:
	case VERB_SHAPE_CAS:
		return compose_store(req, &w);
	case VERB_SHAPE_DELETE:
		return compose_delete(req->key, out);
	case VERB_SHAPE_COUNT:
		put_word(&w, req->key);
		put_number(&w, req->delta);
		return finish(&w);
	case VERB_SHAPE_TOUCH:
		put_word(&w, req->key);
		put_exptime(&w, req->exptime);
		return finish(&w);
	case VERB_SHAPE_META:
		put_word(&w, req->key);
		/* md with x makes an empty item of what is there. */
		if (req->verb == VERB_MD && has_flag(req->meta_flags, 'x'))
			put_store_flags(&w, req->meta_flags);
		else
			put_meta_flags(&w, req->meta_flags);
		return finish(&w);
	case VERB_SHAPE_META_SET:
		put_word(&w, req->key);
		put_number(&w, req->body_len);
		put_store_flags(&w, req->meta_flags);
		return finish(&w);
	case VERB_SHAPE_META_NOOP:
	case VERB_SHAPE_PLAIN:
		break;
	}
	NEVER();
}

size_t
compose_request(const struct request *req, char *out)
{
	static const struct compose_cap none = {.max_s = 0};

	return compose_capped(req, &none, out);
}

size_t
compose_memory(const struct request *req, char *out)
{
	struct writer w = {.out = out};

	put(&w, req->key);
	if (req->meta_flags.len > 0)
		put_meta_flags(&w, req->meta_flags);
	return w.len;
}

size_t
compose_again(const struct txn *txn, char *out)
{
	struct writer w = {.out = out};

	w.len = compose_keys_head(txn->verb, txn->exptime, out);
	put_word(&w, span_of(txn->text, txn->text_len));
	return finish(&w);
}

size_t
compose_meta_miss(struct span memory, char *out)
{
	struct writer w = {.out = out};
	struct span key, flag, flags = memory;
	bool has_key, is_base64;

	has_key = request_next_word(&flags, &key);
	MUST(has_key);
	is_base64 = has_flag(flags, 'b');
	put(&w, span_str("EN"));
	while (request_next_word(&flags, &flag)) {
		if (flag.p[0] == 'O') {
			put_word(&w, flag);
		} else if (flag.p[0] == 'k') {
			put_word(&w, span_of("k", 1));
			put(&w, key);
			if (is_base64)
				put_word(&w, span_of("b", 1));
		}
	}
	return finish(&w);
}
