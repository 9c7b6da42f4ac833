/*
 * The request parser: a line is found whole, cut into words, and each word
 * is checked before anything acts on it.
 *
 * What it refuses is answered and, wherever the length of a body could be
 * read, swallowed with that body, so that no value is ever run as commands.
 */
#include "proto/request.h"

#include "base/num.h"
#include "proto/answer.h"

/* Shorter lines, end included, are refused before they are read. */
#define SHORTEST_LINE 4

/* Bytes after a line end that belong to a body: itself and CR LF. */
#define BODY_END_LEN 2

static const struct span noreply_word = SPAN_LIT("noreply");
static const struct span http_word = SPAN_LIT("HTTP/");

static enum request_result
refuse(struct request *req, const char *error)
{
	req->error = req->is_noreply ? NULL : error;
	return REQUEST_REFUSED;
}

/* Refuses a line with words missing: the last one was then no option. */
static enum request_result
refuse_short(struct request *req)
{
	req->is_noreply = false;
	return refuse(req, ANSWER_BAD_FORMAT);
}

/* Refuses a command whose body can be swallowed. */
static enum request_result
refuse_with_body(struct request *req, const char *error)
{
	req->skip = req->body_len + BODY_END_LEN;
	return refuse(req, error);
}

static struct span
last_word(struct span args)
{
	const char *start, *end = args.p + args.len;

	while (end > args.p && end[-1] == ' ')
		end--;
	start = end;
	while (start > args.p && start[-1] != ' ')
		start--;
	return span_of(start, (size_t)(end - start));
}

static bool
is_key_length(size_t len)
{
	return len >= 1 && len <= REQUEST_KEY_MAX;
}

/*
 * Controls and high bytes are legal in a key, as memcached has it; NUL and CR
 * are not, because servers of different age read such a line differently.
 */
static bool
is_key(struct span key)
{
	const char *end = key.p + key.len;

	if (!is_key_length(key.len))
		return false;
	for (const char *p = scan_to_low(key.p, end); p < end;
	    p = scan_to_low(p + 1, end)) {
		if (*p == '\0' || *p == '\r')
			return false;
	}
	return true;
}

static enum request_result
parse_keys(struct span rest, struct request *req)
{
	struct span key;
	bool is_first = true;

	while (request_next_word(&rest, &key)) {
		if (!is_key(key))
			return refuse(req, ANSWER_BAD_FORMAT);
		if (is_first) {
			req->key = key;
			req->keys = span_of(key.p,
			    (size_t)(rest.p + rest.len - key.p));
			is_first = false;
		}
		req->nkeys++;
	}
	/* memcached before 1.6.40 says so, and test programs expect it. */
	if (is_first)
		return refuse(req, ANSWER_ERROR);
	return REQUEST_OK;
}

static bool
parse_exptime(struct span word, struct request *req)
{
	return num_parse_i64(word, &req->exptime) &&
	    req->exptime >= INT32_MIN && req->exptime <= INT32_MAX;
}

static enum request_result
parse_gat(struct request *req)
{
	struct span rest = req->args, keys, exptime, word;

	if (!request_next_word(&rest, &exptime))
		return refuse(req, ANSWER_ERROR);
	keys = rest;
	if (request_next_word(&rest, &word) && !parse_exptime(exptime, req))
		return refuse(req, ANSWER_BAD_EXPTIME);
	return parse_keys(keys, req);
}

static bool
parse_body_len(struct span word, struct request *req)
{
	req->has_body = num_parse_u64_max(word, REQUEST_BODY_MAX,
	    &req->body_len);
	return req->has_body;
}

/* Larger flags are cut to 32 bits, as memcached does. */
static bool
parse_client_flags(struct span word, struct request *req)
{
	uint64_t flags;

	if (!num_parse_u64(word, &flags))
		return false;
	req->client_flags = (uint32_t)flags;
	return true;
}

static enum request_result
parse_store(struct request *req)
{
	struct span rest = req->args, flags, exptime, bytes, cas;

	if (!request_next_word(&rest, &req->key) ||
	    !request_next_word(&rest, &flags) ||
	    !request_next_word(&rest, &exptime) ||
	    !request_next_word(&rest, &bytes))
		return refuse_short(req);
	if (!parse_body_len(bytes, req))
		return refuse(req, ANSWER_BAD_FORMAT);
	if (verb_shape(req->verb) == VERB_SHAPE_CAS &&
	    (!request_next_word(&rest, &cas) ||
	    !num_parse_u64(cas, &req->cas_unique)))
		return refuse_with_body(req, ANSWER_BAD_FORMAT);
	if (!is_key(req->key) || !parse_client_flags(flags, req) ||
	    !parse_exptime(exptime, req))
		return refuse_with_body(req, ANSWER_BAD_FORMAT);
	return REQUEST_OK;
}

/*
 * After the key a 0, once a duration, and noreply are taken. Newer servers
 * ignore any other word; the old ones' refusal is the safer answer.
 */
static enum request_result
parse_delete(struct request *req)
{
	struct span rest = req->args, word;

	if (!request_next_word(&rest, &req->key) || !is_key(req->key))
		return refuse(req, ANSWER_BAD_FORMAT);
	if (request_next_word(&rest, &word) &&
	    !span_eq(word, span_of("0", 1)) && !span_eq(word, noreply_word))
		return refuse(req, ANSWER_BAD_DELETE);
	if (request_next_word(&rest, &word) && !span_eq(word, noreply_word))
		return refuse(req, ANSWER_BAD_DELETE);
	return REQUEST_OK;
}

static enum request_result
parse_count(struct request *req)
{
	struct span rest = req->args, delta;

	if (!request_next_word(&rest, &req->key) ||
	    !request_next_word(&rest, &delta))
		return refuse_short(req);
	if (!is_key(req->key))
		return refuse(req, ANSWER_BAD_FORMAT);
	if (!num_parse_u64(delta, &req->delta))
		return refuse(req, ANSWER_BAD_DELTA);
	return REQUEST_OK;
}

static enum request_result
parse_touch(struct request *req)
{
	struct span rest = req->args, exptime;

	if (!request_next_word(&rest, &req->key) ||
	    !request_next_word(&rest, &exptime))
		return refuse_short(req);
	if (!is_key(req->key))
		return refuse(req, ANSWER_BAD_FORMAT);
	if (!parse_exptime(exptime, req))
		return refuse(req, ANSWER_BAD_EXPTIME);
	return REQUEST_OK;
}

/* Whether one of the flags `seen` is none of memcached's. */
static bool
has_unknown_flag(const uint64_t seen[2])
{
	static const char known[] = "bcfhklqstuvxCDEFIJLMNOPRT";
	uint64_t bits = 0;

	for (size_t i = 0; i < sizeof(known) - 1; i++)
		bits |= (uint64_t)1 << (known[i] & 63);
	return seen[0] != 0 || (seen[1] & ~bits) != 0;
}

/* Of ma memcached says the same whatever is wrong with its flags. */
static const char *
bad_flags(const struct request *req, const char *error)
{
	return req->verb == VERB_MA ? ANSWER_BAD_MA_FLAG : error;
}

/* memcached reports the first flag that is wrong, be it new or twice there. */
static const char *
repeated_flag(const uint64_t seen[2])
{
	return has_unknown_flag(seen) ? ANSWER_BAD_FLAG : ANSWER_DUPLICATE_FLAG;
}

/* What is wrong with one meta flag, or NULL; notes those we act on. */
static const char *
check_meta_flag(struct span flag, uint64_t seen[2], struct request *req)
{
	unsigned char letter = (unsigned char)flag.p[0];
	uint64_t bit = (uint64_t)1 << (letter & 63);
	bool is_alnum = (letter >= '0' && letter <= '9') ||
	    (letter >= 'A' && letter <= 'Z') ||
	    (letter >= 'a' && letter <= 'z');

	if (!is_alnum || memchr(flag.p, '\0', flag.len) != NULL ||
	    memchr(flag.p, '\r', flag.len) != NULL)
		return ANSWER_BAD_FORMAT;
	if (seen[letter >> 6] & bit)
		return bad_flags(req, repeated_flag(seen));
	seen[letter >> 6] |= bit;
	if (letter == 'q')
		req->is_quiet = true;
	else if (letter == 'b')
		req->is_base64 = true;
	else if (letter == 'k' || letter == 'O')
		req->has_echo = true;
	if (letter == 'O' && flag.len > 32)
		return ANSWER_LONG_OPAQUE;
	return NULL;
}

static unsigned
count_words(struct span rest)
{
	struct span word;
	unsigned n = 0;

	while (request_next_word(&rest, &word))
		n++;
	return n;
}

/*
 * What is wrong with the flags and the key of a meta command, which may have
 * so many flags; or NULL.
 */
static const char *
check_meta(struct request *req, unsigned nflags_max)
{
	char decoded[REQUEST_DECODED_KEY_MAX];
	struct span rest = req->meta_flags, flag;
	uint64_t seen[2] = {0, 0};
	const char *error;

	if (!is_key(req->key))
		return ANSWER_BAD_FORMAT;
	if (req->meta_flags.len > REQUEST_META_FLAGS_MAX ||
	    count_words(rest) > nflags_max)
		return bad_flags(req, ANSWER_MANY_FLAGS);
	while (request_next_word(&rest, &flag)) {
		error = check_meta_flag(flag, seen, req);
		if (error != NULL)
			return error;
	}
	if (req->is_base64 && request_decode_key(req->key, decoded) == 0)
		return bad_flags(req, ANSWER_BAD_KEY_CODE);
	return NULL;
}

static enum request_result
parse_meta(struct request *req)
{
	struct span rest = req->args;
	const char *error;

	if (!request_next_word(&rest, &req->key))
		return refuse(req, ANSWER_BAD_FORMAT);
	req->meta_flags = rest;
	error = check_meta(req, REQUEST_META_TOKENS_MAX - 2);
	return error == NULL ? REQUEST_OK : refuse(req, error);
}

static enum request_result
parse_meta_set(struct request *req)
{
	struct span rest = req->args, bytes;
	const char *error;

	if (!request_next_word(&rest, &req->key) ||
	    !request_next_word(&rest, &bytes) || !parse_body_len(bytes, req))
		return refuse(req, ANSWER_BAD_FORMAT);
	req->meta_flags = rest;
	error = check_meta(req, REQUEST_META_SET_TOKENS_MAX - 3);
	return error == NULL ? REQUEST_OK : refuse_with_body(req, error);
}

static bool
find_verb(struct span word, enum verb *verb_r)
{
	/* The commonest first; the table has the rest. */
	if (word.len == 3 && memcmp(word.p, "get", 3) == 0) {
		*verb_r = VERB_GET;
		return true;
	}
#define X(member, name, shape)                                                 \
	if (word.len == sizeof(name) - 1 &&                                    \
	    memcmp(word.p, name, sizeof(name) - 1) == 0) {                     \
		*verb_r = VERB_##member;                                       \
		return true;                                                   \
	}
	VERBS(X)
#undef X
	return false;
}

static enum request_result
parse_args(struct request *req)
{
	switch (verb_shape(req->verb)) {
	case VERB_SHAPE_GET:
		return parse_keys(req->args, req);
	case VERB_SHAPE_META:
		return parse_meta(req);
	case VERB_SHAPE_META_SET:
		return parse_meta_set(req);
	case VERB_SHAPE_META_NOOP:
		return REQUEST_OK;
	case VERB_SHAPE_GAT:
		return parse_gat(req);
	case VERB_SHAPE_STORE:
	case VERB_SHAPE_CAS:
		req->is_noreply = span_eq(last_word(req->args), noreply_word);
		return parse_store(req);
	case VERB_SHAPE_DELETE:
		req->is_noreply = span_eq(last_word(req->args), noreply_word);
		return parse_delete(req);
	case VERB_SHAPE_COUNT:
		req->is_noreply = span_eq(last_word(req->args), noreply_word);
		return parse_count(req);
	case VERB_SHAPE_TOUCH:
		req->is_noreply = span_eq(last_word(req->args), noreply_word);
		return parse_touch(req);
	case VERB_SHAPE_PLAIN:
		req->is_noreply = span_eq(last_word(req->args), noreply_word);
		return REQUEST_OK;
	}
	NEVER();
}

static enum request_result
parse_line(struct span line, struct request *req)
{
	struct span rest = line, word;

	if (req->line_len < SHORTEST_LINE)
		return refuse(req, ANSWER_BAD_FORMAT);
	if (line.p[0] == ' ' || !request_next_word(&rest, &word))
		return refuse(req, ANSWER_ERROR);
	req->args = rest;
	if (find_verb(word, &req->verb))
		return parse_args(req);
	/* As memcached has it: only behind another word. */
	if (span_starts(last_word(req->args), http_word)) {
		req->error = "it speaks HTTP";
		return REQUEST_CLOSE;
	}
	return refuse(req, ANSWER_ERROR);
}

const char *
request_foreign(char first)
{
	if (first == (char)0x80)
		return "it speaks memcached's binary protocol";
	if (first == 0x16)
		return "it speaks TLS";
	return NULL;
}

/*
 * The commonest command, in one pass: `get` and one key. Whatever is unusual
 * about the line is left to those who know all of the grammar.
 */
static bool
parse_plain_get(struct span bytes, struct request *req)
{
	static const struct span get = SPAN_LIT("get ");
	const char *end = bytes.p + bytes.len, *start, *p;
	struct span key;

	if (!span_starts(bytes, get))
		return false;
	start = bytes.p + get.len;
	p = scan_to_low(start, end);
	key = span_of(start, (size_t)(p - start));
	if (p < end && *p == '\r')
		p++;
	if (p == end || *p != '\n' || !is_key_length(key.len))
		return false;
	*req = (struct request){
		.verb = VERB_GET,
		.line_len = (size_t)(p + 1 - bytes.p),
		.args = span_of(start - 1, key.len + 1),
		.key = key,
		.keys = key,
		.nkeys = 1,
	};
	return true;
}

enum request_result
request_parse(struct span bytes, struct request *req_r)
{
	const char *newline;
	struct span line;

	if (bytes.len == 0)
		return REQUEST_MORE;
	if (parse_plain_get(bytes, req_r))
		return REQUEST_OK;
	*req_r = (struct request){.error = NULL};
	newline = memchr(bytes.p, '\n', bytes.len);
	if (newline == NULL)
		return REQUEST_MORE;
	line = span_of(bytes.p, (size_t)(newline - bytes.p));
	req_r->line_len = line.len + 1;
	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	return parse_line(line, req_r);
}

bool
request_may_grow(struct span unfinished, size_t max)
{
	static const struct span many_keys[] = {SPAN_LIT("get "),
	    SPAN_LIT("gets "), SPAN_LIT("gat "), SPAN_LIT("gats ")};

	if (unfinished.len <= REQUEST_LINE_MAX)
		return true;
	for (size_t i = 0; i < sizeof(many_keys) / sizeof(*many_keys); i++) {
		if (span_starts(unfinished, many_keys[i]))
			return unfinished.len <= max;
	}
	return false;
}
