/* Single values: parsed, checked against their bounds, stored. */
#include <stdio.h>
#include <string.h>

#include "conf/check.h"
#include "conf/suggest.h"
#include "conf/text.h"
#include "conf/value.h"

/* Room for the list of all words of a choice. */
#define WORDS_MAX 2048

void
check_store(const struct scope *scope, const struct key *key, uint64_t n)
{
	void *field = check_field(scope, key);

	if (key->width == sizeof(uint64_t)) {
		*(uint64_t *)field = n;
	} else if (key->width == sizeof(uint32_t)) {
		MUST(n <= UINT32_MAX);
		*(uint32_t *)field = (uint32_t)n;
	} else {
		MUST(key->width == sizeof(bool) && n <= 1);
		*(bool *)field = n != 0;
	}
}

static void
check_number(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	struct err err;
	uint64_t n;

	if (value_parse(key, node->text, &n, &err))
		check_store(scope, key, n);
	else
		check_complain(c, scope, key, node->place, "%s", err.text);
}

static void
check_weight(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	struct err err;
	double weight;

	if (value_parse_weight(key, node->text, &weight, &err))
		*(double *)check_field(scope, key) = weight;
	else
		check_complain(c, scope, key, node->place, "%s", err.text);
}

/* All words that may be written, "a, b, c". */
static const char *
list_words(const struct choices *choices, char out[WORDS_MAX])
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < choices->n && len < WORDS_MAX; i++) {
		if (choices->word(i) != NULL)
			len += (size_t)snprintf(out + len, WORDS_MAX - len,
			    "%s%s", len == 0 ? "" : ", ", choices->word(i));
	}
	return out;
}

static void
complain_choice(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	struct suggest suggest = {.text = node->text};
	char quoted[ERRORS_QUOTED_MAX], words[WORDS_MAX];

	for (size_t i = 0; i < key->choices->n; i++) {
		if (key->choices->word(i) != NULL)
			suggest_offer(&suggest, key->choices->word(i));
	}
	errors_add(c->errors, node->place, "\"%s\" in %s cannot be %s%s%s%s; "
	    "it is one of %s", key->name, scope->where,
	    errors_quote(node->text, quoted),
	    suggest.nearest == NULL ? "" : " (did you mean \"",
	    suggest.nearest == NULL ? "" : suggest.nearest,
	    suggest.nearest == NULL ? "" : "\"?)",
	    list_words(key->choices, words));
}

static void
check_choice(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	for (size_t i = 0; i < key->choices->n; i++) {
		const char *word = key->choices->word(i);

		if (word != NULL && span_eq(node->text, span_str(word))) {
			check_store(scope, key, i);
			return;
		}
	}
	complain_choice(c, scope, key, node);
}

/* Stores a copy that belongs to the configuration. */
static bool
store_text(struct checker *c, const struct scope *scope,
    const struct key *key, struct span text)
{
	const char *copy = arena_copy(c->arena, text);

	if (copy == NULL) {
		errors_out_of_memory(c->errors);
		return false;
	}
	memcpy(check_field(scope, key), &copy, sizeof(copy));
	return true;
}

static bool
holds_control(struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text_is_control(text, i))
			return true;
	}
	return false;
}

/* Names appear in replies, logs and tables, so they must be one clean word. */
static void
check_name(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	struct span text = node->text;

	if (text.len == 0)
		check_complain(c, scope, key, node->place,
		    "must not be empty");
	else if (key->max > 0 && text.len > key->max)
		check_complain(c, scope, key, node->place, "must have at most "
		    "%llu bytes, not %zu", (unsigned long long)key->max,
		    text.len);
	else if (holds_control(text))
		check_complain(c, scope, key, node->place, "must not hold "
		    "control characters");
	else if (text.p[0] == ' ' || text.p[text.len - 1] == ' ')
		check_complain(c, scope, key, node->place, "must not begin or "
		    "end with a blank");
	else
		store_text(c, scope, key, text);
}

/* What no key holds, no prefix may hold. */
static void
check_prefix(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	struct span text = node->text;

	if (text.len < key->min || text.len > key->max)
		check_complain(c, scope, key, node->place, "must have from "
		    "%llu to %llu bytes, not %zu",
		    (unsigned long long)key->min,
		    (unsigned long long)key->max, text.len);
	else if (holds_control(text) || memchr(text.p, ' ', text.len) != NULL)
		check_complain(c, scope, key, node->place, "must not hold "
		    "blanks or control characters, as no key does");
	else if (store_text(c, scope, key, text))
		memcpy((char *)scope->base + key->aux, &text.len,
		    sizeof(text.len));
}

static void
check_hash_tag(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	struct span text = node->text;
	char quoted[ERRORS_QUOTED_MAX];
	bool is_right = text.len == 0 || text.len == 2;

	for (size_t i = 0; is_right && i < text.len; i++)
		is_right = text.p[i] > ' ' && text.p[i] < 0x7f;
	if (!is_right)
		check_complain(c, scope, key, node->place, "must be two "
		    "characters, as in \"{}\", not %s",
		    errors_quote(text, quoted));
	else if (text.len == 2)
		memcpy(check_field(scope, key), text.p, 2);
}

static void
check_text(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	struct span text = node->text;

	if (text.len >= key->width)
		check_complain(c, scope, key, node->place, "must have at most "
		    "%zu bytes, not %zu", key->width - 1, text.len);
	else if (holds_control(text))
		check_complain(c, scope, key, node->place, "must not hold "
		    "control characters");
	else
		memcpy(check_field(scope, key), text.p, text.len);
}

/* The value of a hexadecimal digit, or -1. */
static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The complaint shows nothing of the secret. */
static void
check_secret(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	uint8_t *bytes = check_field(scope, key);
	bool is_right = node->text.len == 2 * key->width;
	int any = 0;

	for (size_t i = 0; is_right && i < key->width; i++) {
		int high = hex_digit(node->text.p[2 * i]);
		int low = hex_digit(node->text.p[2 * i + 1]);

		is_right = high >= 0 && low >= 0;
		bytes[i] = is_right ? (uint8_t)(high * 16 + low) : 0;
		any |= bytes[i];
	}
	if (!is_right || any == 0)
		check_complain(c, scope, key, node->place, "must be %zu "
		    "hexadecimal digits, not all zero", 2 * key->width);
}

/* "host:port:weight", with or without a name after it: another proxy's form. */
static bool
looks_weighted(struct span text)
{
	const char *blank = text.len == 0 ? NULL :
	    memchr(text.p, ' ', text.len);
	size_t len = blank == NULL ? text.len : (size_t)(blank - text.p);
	size_t ncolons = 0;

	for (size_t i = 0; i < len; i++) {
		if (text.p[i] == ':' && i == 0)
			return false;
		if (text.p[i] == ':')
			ncolons++;
		else if (ncolons > 0 && (text.p[i] < '0' || text.p[i] > '9'))
			return false;
	}
	return ncolons == 2 && text.p[len - 1] != ':';
}

static void
check_address(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	char quoted[ERRORS_QUOTED_MAX];
	struct endpoint endpoint;
	struct err err;

	errors_quote(node->text, quoted);
	if (node->text.len == 0) {
		check_complain(c, scope, key, node->place,
		    "must not be empty");
		return;
	}
	/* It appears where names do. */
	if (holds_control(node->text)) {
		check_complain(c, scope, key, node->place, "must not hold "
		    "control characters");
		return;
	}
	if (!endpoint_parse(node->text, &endpoint, &err)) {
		check_complain(c, scope, key, node->place, "cannot be %s: %s",
		    quoted, looks_weighted(node->text) ?
		    "a weight or a name is written as in "
		    "{address: \"host:port\", weight: 3, name: a}" : err.text);
		return;
	}
	if (key->type == KEY_LISTEN && endpoint.kind == ENDPOINT_NAME) {
		check_complain(c, scope, key, node->place, "cannot be %s: "
		    "write an address, as in 127.0.0.1:%u, not a name",
		    quoted, (unsigned)endpoint.port);
		return;
	}
	/* Such a socket would take IPv4, and ours for IPv6 do not. */
	if (key->type == KEY_LISTEN && endpoint_is_mapped(&endpoint)) {
		check_complain(c, scope, key, node->place, "cannot be %s: "
		    "write the IPv4 address, as in 127.0.0.1:%u", quoted,
		    (unsigned)endpoint.port);
		return;
	}
	if (store_text(c, scope, key, node->text))
		memcpy((char *)scope->base + key->aux, &endpoint,
		    sizeof(endpoint));
}

void
check_scalar(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node)
{
	switch (key->type) {
	case KEY_INTEGER:
	case KEY_DURATION:
	case KEY_SIZE:
	case KEY_PERCENT:
	case KEY_MODE:
	case KEY_TIME:
	case KEY_BOOL:
		check_number(c, scope, key, node);
		return;
	case KEY_CHOICE:
		check_choice(c, scope, key, node);
		return;
	case KEY_WEIGHT:
		check_weight(c, scope, key, node);
		return;
	case KEY_NAME:
	case KEY_POOL:
		check_name(c, scope, key, node);
		return;
	case KEY_PREFIX:
		check_prefix(c, scope, key, node);
		return;
	case KEY_HASH_TAG:
		check_hash_tag(c, scope, key, node);
		return;
	case KEY_TEXT:
		check_text(c, scope, key, node);
		return;
	case KEY_SECRET:
		check_secret(c, scope, key, node);
		return;
	case KEY_ADDRESS:
	case KEY_LISTEN:
		check_address(c, scope, key, node);
		return;
	case KEY_SECTION:
	case KEY_LIST:
	case KEY_TABLE:
		break;
	}
	NEVER();
}
