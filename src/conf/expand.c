/* Variables of the environment inside scalars. */
#include "conf/expand.h"

#include <stdlib.h>
#include <string.h>

#include "conf/text.h"

/* Longest name of a variable. */
#define NAME_MAX_LEN 255

/* One thing to copy out: a run of the text itself or a variable's value. */
struct piece {
	struct span	out;	/* lent by the text or the environment */
	size_t		eaten;	/* bytes of the text it stands for */
};

static bool
is_name_byte(char c, bool is_first)
{
	if (c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return true;
	return !is_first && c >= '0' && c <= '9';
}

static bool
is_name(struct span s)
{
	if (s.len == 0 || s.len > NAME_MAX_LEN)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!is_name_byte(s.p[i], i == 0))
			return false;
	}
	return true;
}

/* The variable between ${ and }, with the default after :- if there is one. */
static bool
look_up(struct span inside, struct span *value_r, struct err *err)
{
	const char *value, *sep;
	char name[NAME_MAX_LEN + 1];
	struct span word = inside;
	size_t at;

	sep = inside.len == 0 ? NULL : memmem(inside.p, inside.len, ":-", 2);
	if (sep != NULL)
		word.len = (size_t)(sep - inside.p);
	if (!is_name(word)) {
		err_set(err, "${%.*s} does not name a variable; write "
		    "${NAME}, ${NAME:-default}, or $$ for a dollar sign",
		    (int)(inside.len > 40 ? 40 : inside.len), inside.p);
		return false;
	}
	memcpy(name, word.p, word.len);
	name[word.len] = '\0';
	value = getenv(name);
	if (value != NULL && (value[0] != '\0' || sep == NULL)) {
		*value_r = span_str(value);
		if (text_is_utf8(*value_r, &at))
			return true;
		err_set(err, "the variable %s does not hold UTF-8", name);
		return false;
	}
	if (sep != NULL) {
		*value_r = span_of(sep + 2,
		    inside.len - word.len - 2);
		return true;
	}
	err_set(err, "the variable %s is not set; ${%s:-default} would give "
	    "it a default", name, name);
	return false;
}

/* The piece at the start of `rest`, which is not empty. */
static bool
next_piece(struct span rest, struct piece *piece_r, struct err *err)
{
	const char *end;

	if (rest.p[0] != '$') {
		end = memchr(rest.p, '$', rest.len);
		piece_r->eaten = end == NULL ? rest.len :
		    (size_t)(end - rest.p);
		piece_r->out = span_of(rest.p, piece_r->eaten);
		return true;
	}
	if (rest.len > 1 && rest.p[1] == '{') {
		end = memchr(rest.p, '}', rest.len);
		if (end == NULL) {
			err_set(err, "${ has no closing }; write $$ for a "
			    "dollar sign");
			return false;
		}
		piece_r->eaten = (size_t)(end - rest.p) + 1;
		return look_up(span_of(rest.p + 2, piece_r->eaten - 3),
		    &piece_r->out, err);
	}
	piece_r->out = span_of(rest.p, 1);
	piece_r->eaten = rest.len > 1 && rest.p[1] == '$' ? 2 : 1;
	return true;
}

/* Length of the whole; with `out`, also writes it there. */
static bool
put_pieces(struct span text, char *out, size_t *len_r, struct err *err)
{
	struct piece piece;
	size_t len = 0;

	while (text.len > 0) {
		if (!next_piece(text, &piece, err))
			return false;
		if (piece.out.len > EXPAND_MAX - len) {
			err_set(err, "the text is longer than %d bytes once "
			    "its variables are replaced", EXPAND_MAX);
			return false;
		}
		if (out != NULL && piece.out.len > 0)
			memcpy(out + len, piece.out.p, piece.out.len);
		len += piece.out.len;
		text = span_of(text.p + piece.eaten, text.len - piece.eaten);
	}
	*len_r = len;
	return true;
}

bool
expand_is_needed(struct span text)
{
	return text.len > 0 && memchr(text.p, '$', text.len) != NULL;
}

enum expand_result
expand(struct span text, struct arena *arena, struct span *text_r,
    struct err *err)
{
	size_t len;
	char *out;

	if (!put_pieces(text, NULL, &len, err))
		return EXPAND_BAD;
	out = arena_alloc(arena, len + 1, 1);
	if (out == NULL)
		return EXPAND_NO_MEMORY;
	/* Nobody else changes the environment: the second pass is the same. */
	MUST(put_pieces(text, out, &len, err));
	*text_r = span_of(out, len);
	return EXPAND_OK;
}
