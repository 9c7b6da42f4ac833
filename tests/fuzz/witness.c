/* A client that knows what it may be answered. */
#include "witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

#define KEY_SIZE  40
#define NKEYS	  16	/* that it uses */
#define MANY	  6	/* in one question, at most */
#define VALUE_MAX 9000

void
witness_init(struct witness *witness, size_t actor, uint64_t nonce)
{
	*witness = (struct witness){.actor = actor, .nonce = nonce,
	    .random = nonce | 1};
}

void
witness_fini(struct witness *witness)
{
	bytes_free(&witness->said);
	bytes_free(&witness->heard);
}

/* xorshift64. */
static uint32_t
draw(struct witness *witness, uint32_t below)
{
	witness->random ^= witness->random << 13;
	witness->random ^= witness->random >> 7;
	witness->random ^= witness->random << 17;
	return (uint32_t)((witness->random >> 16) % below);
}

static struct span
key_of(const struct witness *witness, uint32_t i, char out[KEY_SIZE])
{
	return span_of(out, (size_t)snprintf(out, KEY_SIZE, "%016llx:%u",
	    (unsigned long long)witness->nonce, i % NKEYS));
}

/* Key, then filler; one in eight is long enough to be shared, not copied. */
static struct span
value_of(const struct witness *witness, uint32_t i, char out[VALUE_MAX])
{
	uint32_t n = i % NKEYS;
	size_t len = n % 8 == 7 ? VALUE_MAX - n : 40 + 10 * n;
	char key[KEY_SIZE];
	struct span head = key_of(witness, i, key);

	memcpy(out, head.p, head.len);
	for (size_t at = head.len; at < len; at++)
		out[at] = "END\r\nVALUE "[(at + n) % 11];
	return span_of(out, len);
}

static void
say_keys(struct bytes *line, const struct witness *witness,
    const struct asked *asked)
{
	char key[KEY_SIZE];

	for (uint32_t i = 0; i < asked->n; i++) {
		bytes_say(line, " ");
		bytes_add(line, key_of(witness, asked->first + i, key));
	}
}

static void
say_question(struct bytes *line, const struct witness *witness,
    const struct asked *asked)
{
	static const char *const verbs[] = {
		[QUESTION_SET] = "set", [QUESTION_GET] = "get",
		[QUESTION_GETS_MANY] = "gets", [QUESTION_GAT_MANY] = "gat 0",
		[QUESTION_DELETE] = "delete", [QUESTION_TOUCH] = "touch",
		[QUESTION_META_GET] = "mg", [QUESTION_META_SET] = "ms",
	};
	char value[VALUE_MAX];
	struct span body = value_of(witness, asked->first, value);

	bytes_say(line, "%s", verbs[asked->question]);
	say_keys(line, witness, asked);
	if (asked->question == QUESTION_SET)
		bytes_say(line, " 7 0 %zu", body.len);
	else if (asked->question == QUESTION_META_SET)
		bytes_say(line, " %zu c", body.len);
	else if (asked->question == QUESTION_TOUCH)
		bytes_say(line, " 0");
	else if (asked->question == QUESTION_META_GET)
		bytes_say(line, " v k");
	bytes_say(line, "\r\n");
	if (asked->question != QUESTION_SET &&
	    asked->question != QUESTION_META_SET)
		return;
	bytes_add(line, body);
	bytes_say(line, "\r\n");
}

void
witness_ask(struct witness *witness, struct stage *stage)
{
	struct bytes line = {0};
	struct asked asked = {
		.question = (enum question)draw(witness, QUESTION_COUNT),
		.first = draw(witness, NKEYS),
		.n = 1,
	};

	if (witness->nasked == WITNESS_ASKED_MAX)
		return;
	if (asked.question == QUESTION_GETS_MANY ||
	    asked.question == QUESTION_GAT_MANY)
		asked.n = 1 + draw(witness, MANY);
	say_question(&line, witness, &asked);
	stage_say(stage, witness->actor, bytes_span(&line));
	bytes_add(&witness->said, bytes_span(&line));
	bytes_free(&line);
	witness->asked[(witness->oldest + witness->nasked++) %
	    WITNESS_ASKED_MAX] = asked;
}

static void
wrong(const char *what, struct span got)
{
	fprintf(stderr, "witness: %s: %.*s\n", what,
	    (int)(got.len > 300 ? 300 : got.len), got.p);
	abort();
}

static bool
is_error(struct span line)
{
	return span_starts(line, span_str("SERVER_ERROR ")) ||
	    span_starts(line, span_str("CLIENT_ERROR ")) ||
	    span_starts(line, span_str("ERROR"));
}

static struct span
take_word(struct span *line)
{
	const char *blank = line->len == 0 ? NULL :
	    memchr(line->p, ' ', line->len);
	size_t n = blank == NULL ? line->len : (size_t)(blank - line->p);
	struct span word = span_of(line->p, n);

	if (blank != NULL)
		n++;
	*line = span_of(line->p + n, line->len - n);
	return word;
}

static void
answered(struct witness *witness)
{
	witness->oldest = (witness->oldest + 1) % WITNESS_ASKED_MAX;
	witness->nasked--;
}

/* The value behind the line; false: it is not all there. */
static bool
take_value(struct span len_word, struct span *rest, struct span *value_r)
{
	uint64_t len;

	if (!num_parse_u64_max(len_word, REQUEST_BODY_MAX, &len))
		wrong("a length is no number", len_word);
	if (rest->len < len + 2)
		return false;
	*value_r = span_of(rest->p, (size_t)len);
	*rest = span_of(rest->p + len + 2, rest->len - (size_t)len - 2);
	return true;
}

/* A VALUE of a get: it must be of a key asked for, and that key's own. */
static bool
check_value(struct witness *witness, struct asked *asked, struct span line,
    struct span *rest)
{
	char key[KEY_SIZE], value[VALUE_MAX];
	struct span whole = line, name, got;
	uint32_t at = asked->next;

	take_word(&line);
	name = take_word(&line);
	while (at < asked->n && !span_eq(name, key_of(witness,
	    asked->first + at, key)))
		at++;
	if (at == asked->n)
		wrong("a value that was not asked for", whole);
	take_word(&line);
	if (!take_value(take_word(&line), rest, &got))
		return false;
	if (!span_eq(got, value_of(witness, asked->first + at, value)))
		wrong("a value that is not its key's", got);
	if (at > asked->next)
		witness->has_missed = true;
	asked->next = at + 1;
	return true;
}

static bool
check_get(struct witness *witness, struct asked *asked, struct span line,
    struct span *rest)
{
	if (span_starts(line, span_str("VALUE ")))
		return check_value(witness, asked, line, rest);
	if (!span_eq(line, span_str("END")))
		wrong("no reply to a get", line);
	if (asked->next < asked->n)
		witness->has_missed = true;
	answered(witness);
	return true;
}

/* What a server says of its key here cannot be told from a lie. */
static bool
check_meta_get(struct witness *witness, struct span line, struct span *rest)
{
	struct span word = take_word(&line), got;

	if (span_eq(word, span_str("VA"))) {
		if (!take_value(take_word(&line), rest, &got))
			return false;
	} else if (span_eq(word, span_str("EN"))) {
		witness->has_missed = true;
	} else if (!span_eq(word, span_str("HD")) &&
	    !span_eq(word, span_str("NF")) && !span_eq(word, span_str("NS")) &&
	    !span_eq(word, span_str("EX"))) {
		wrong("no reply to a meta get", word);
	}
	answered(witness);
	return true;
}

static bool
check_word(struct witness *witness, enum question question, struct span line)
{
	static const char *const words[][3] = {
		[QUESTION_SET] = {"STORED", "NOT_STORED", "STORED"},
		[QUESTION_DELETE] = {"DELETED", "NOT_FOUND", "DELETED"},
		[QUESTION_TOUCH] = {"TOUCHED", "NOT_FOUND", "TOUCHED"},
		[QUESTION_META_SET] = {"HD", "NS", "EX"},
	};

	line = take_word(&line);
	for (size_t i = 0; i < 3; i++) {
		if (span_eq(line, span_str(words[question][i]))) {
			answered(witness);
			return true;
		}
	}
	if (question != QUESTION_META_SET || !(span_eq(line,
	    span_str("EN")) || span_eq(line, span_str("NF"))))
		wrong("no reply to what was asked", line);
	answered(witness);
	return true;
}

/* Checks one line and what belongs to it. False: not all has come. */
static bool
check_one(struct witness *witness, struct span *got)
{
	const char *end = got->len == 0 ? NULL : memchr(got->p, '\n', got->len);
	struct asked *asked = &witness->asked[witness->oldest];
	struct span line, rest;
	bool is_taken;

	if (end == NULL)
		return false;
	line = span_of(got->p, (size_t)(end - got->p));
	if (line.len == 0 || end[-1] != '\r')
		wrong("a line that ends wrong", line);
	line.len--;
	rest = span_of(end + 1, got->len - line.len - 2);
	if (witness->nasked == 0)
		wrong("an answer to nothing", line);
	if (is_error(line) && asked->next == 0) {
		witness->has_missed = true;
		answered(witness);
		is_taken = true;
	} else if (asked->question == QUESTION_META_GET) {
		is_taken = check_meta_get(witness, line, &rest);
	} else if (asked->question == QUESTION_GET ||
	    asked->question == QUESTION_GETS_MANY ||
	    asked->question == QUESTION_GAT_MANY) {
		is_taken = check_get(witness, asked, line, &rest);
	} else {
		is_taken = check_word(witness, asked->question, line);
	}
	if (is_taken)
		*got = rest;
	return is_taken;
}

void
witness_check(struct witness *witness, struct stage *stage)
{
	struct actor *actor = &stage->actors[witness->actor];
	struct span got = bytes_span(&actor->got);

	while (check_one(witness, &got))
		continue;
	bytes_add(&witness->heard, span_of(actor->got.p,
	    actor->got.len - got.len));
	bytes_drop(&actor->got, actor->got.len - got.len);
	if (!actor->is_hung_up_on)
		return;
	/* It comes again, as a client does. */
	witness->was_closed = true;
	witness->oldest = witness->nasked = 0;
	stage_leave(stage, witness->actor);
	stage_enter(stage, witness->actor);
}

bool
witness_is_content(const struct witness *witness)
{
	return witness->nasked == 0 && !witness->was_closed;
}
