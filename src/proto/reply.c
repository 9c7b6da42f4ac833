/* The reply parser. */
#include "proto/reply.h"

#include "base/num.h"
#include "proto/request.h"

/* More digits than any number of a VALUE line that is right. */
#define VALUE_DIGITS_MAX 18

#define BIT(word) (1u << REPLY_##word)

/* Every request may be answered by an error; but see below. */
#define ERRORS (BIT(ERROR) | BIT(CLIENT_ERROR) | BIT(SERVER_ERROR))
/* What a server may say to each command that is ever sent to one. */
static const uint32_t answers[] = {
	[VERB_GET] = BIT(VALUE) | BIT(END),
	[VERB_GETS] = BIT(VALUE) | BIT(END),
	[VERB_GAT] = BIT(VALUE) | BIT(END),
	[VERB_GATS] = BIT(VALUE) | BIT(END),
	[VERB_SET] = BIT(STORED) | BIT(NOT_STORED),
	[VERB_ADD] = BIT(STORED) | BIT(NOT_STORED),
	[VERB_REPLACE] = BIT(STORED) | BIT(NOT_STORED),
	[VERB_APPEND] = BIT(STORED) | BIT(NOT_STORED),
	[VERB_PREPEND] = BIT(STORED) | BIT(NOT_STORED),
	[VERB_CAS] = BIT(STORED) | BIT(NOT_STORED) | BIT(EXISTS) |
	    BIT(NOT_FOUND),
	[VERB_DELETE] = BIT(DELETED) | BIT(NOT_FOUND),
	[VERB_INCR] = BIT(NUMBER) | BIT(NOT_FOUND),
	[VERB_DECR] = BIT(NUMBER) | BIT(NOT_FOUND),
	[VERB_TOUCH] = BIT(TOUCHED) | BIT(NOT_FOUND),
	[VERB_MG] = BIT(HD) | BIT(VA) | BIT(EN),
	[VERB_MS] = BIT(HD) | BIT(NS) | BIT(EX) | BIT(NF),
	[VERB_MD] = BIT(HD) | BIT(NF) | BIT(EX),
	[VERB_MA] = BIT(HD) | BIT(VA) | BIT(NF) | BIT(NS) | BIT(EX),
	[VERB_ME] = BIT(ME) | BIT(EN),
	[VERB_VERSION] = BIT(VERSION),
	[VERB_FLUSH_ALL] = BIT(OK),
};

static bool
find_word(struct span word, enum reply_word *word_r)
{
#define X(member, name)                                                        \
	if (word.len == sizeof(name) - 1 &&                                    \
	    memcmp(word.p, name, sizeof(name) - 1) == 0) {                     \
		*word_r = REPLY_##member;                                      \
		return true;                                                   \
	}
	REPLY_WORDS(X)
#undef X
	return false;
}

/* VALUE key flags bytes, and the cas unique where it was asked for. */
static bool
parse_value(struct span rest, enum verb verb, struct reply *reply)
{
	bool has_cas = verb == VERB_GETS || verb == VERB_GATS;
	struct span word;
	uint64_t n;

	if (!request_next_word(&rest, &reply->key) ||
	    reply->key.len > REQUEST_KEY_MAX)
		return false;
	if (!request_next_word(&rest, &word) ||
	    !num_parse_u64_max(word, UINT32_MAX, &n))
		return false;
	if (!request_next_word(&rest, &word) ||
	    !num_parse_u64_max(word, REQUEST_BODY_MAX, &reply->body_len))
		return false;
	if (has_cas &&
	    (!request_next_word(&rest, &word) || !num_parse_u64(word, &n)))
		return false;
	return !request_next_word(&rest, &word);
}

static bool
parse_meta_value(struct span rest, struct reply *reply)
{
	struct span word;

	return request_next_word(&rest, &word) &&
	    num_parse_u64_max(word, REQUEST_BODY_MAX, &reply->body_len);
}

/* Digits from `*pp` on, few enough not to overflow; false if there are none. */
static inline bool
take_digits(const char **pp, const char *end, uint64_t *n_r)
{
	const char *p = *pp, *start = p;
	uint64_t n = 0;
	unsigned digit;

	while (p < end && (digit = (unsigned)(unsigned char)*p - '0') <= 9) {
		n = n * 10 + digit;
		p++;
	}
	*pp = p;
	*n_r = n;
	return p > start && p - start <= VALUE_DIGITS_MAX;
}

/* VALUE as servers write it: single blanks, no cas unique. */
static bool
parse_plain_value(struct span line, struct reply *reply)
{
	static const struct span value = SPAN_LIT("VALUE ");
	const char *end = line.p + line.len, *key, *p;
	uint64_t flags, len;

	if (!span_starts(line, value))
		return false;
	key = line.p + value.len;
	p = scan_to_low(key, end);
	*reply = (struct reply){.word = REPLY_VALUE,
	    .key = span_of(key, (size_t)(p - key))};
	if (p == key || p == end || *p++ != ' ' ||
	    !take_digits(&p, end, &flags) || p == end || *p++ != ' ' ||
	    !take_digits(&p, end, &len) || p != end)
		return false;
	reply->body_len = len;
	return reply->key.len <= REQUEST_KEY_MAX && flags <= UINT32_MAX &&
	    len <= REQUEST_BODY_MAX;
}

/*
 * The commonest lines, to a get, in one pass. Any other one is left to those
 * who know all of the grammar.
 */
static bool
parse_plain(struct span line, struct reply *reply)
{
	static const struct span end = SPAN_LIT("END");

	if (!span_eq(line, end))
		return parse_plain_value(line, reply);
	*reply = (struct reply){.word = REPLY_END};
	return true;
}

/* Words that stand alone on their line. */
static bool
is_alone(enum reply_word word, struct span rest)
{
	const uint32_t alone = BIT(END) | BIT(STORED) | BIT(NOT_STORED) |
	    BIT(EXISTS) | BIT(NOT_FOUND) | BIT(DELETED) | BIT(TOUCHED) |
	    BIT(OK) | BIT(NUMBER);

	return (alone & 1u << word) == 0 || rest.len == 0;
}

/*
 * ERROR says that the command is not known. A server that does not know one
 * with a value goes on to run that value as commands, as memcached before 1.6
 * does with ms: what it says next answers nothing that was asked.
 */
static bool
is_unknown_with_value(enum verb verb, enum reply_word word)
{
	enum verb_shape shape = verb_shape(verb);

	return word == REPLY_ERROR && (shape == VERB_SHAPE_STORE ||
	    shape == VERB_SHAPE_CAS || shape == VERB_SHAPE_META_SET);
}

bool
reply_parse(struct span line, enum verb verb, struct reply *reply_r)
{
	struct span rest = line, word;
	uint64_t n;

	MUST((size_t)verb < sizeof(answers) / sizeof(*answers));
	if (verb == VERB_GET && parse_plain(line, reply_r))
		return true;
	if (!request_next_word(&rest, &word) || word.p != line.p)
		return false;
	*reply_r = (struct reply){0};
	if (!find_word(word, &reply_r->word)) {
		if (!num_parse_u64(word, &n))
			return false;
		reply_r->word = REPLY_NUMBER;
	}
	if ((((answers[verb] | ERRORS) >> reply_r->word) & 1) == 0 ||
	    !is_alone(reply_r->word, rest) ||
	    is_unknown_with_value(verb, reply_r->word))
		return false;
	if (reply_r->word == REPLY_VALUE)
		return parse_value(rest, verb, reply_r);
	if (reply_r->word == REPLY_VA)
		return parse_meta_value(rest, reply_r);
	return true;
}
