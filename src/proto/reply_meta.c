/*
 * Meta replies beside their requests. Their words are few and any of them may
 * answer any key, but most clients have something repeated: the key (k) or an
 * opaque (O). A stray reply gives itself away there.
 */
#include "proto/reply.h"

#include "proto/request.h"

/* The first of the flags `rest` with this letter; false: there is none. */
static bool
find_flag(struct span rest, char letter, struct span *flag_r)
{
	while (request_next_word(&rest, flag_r)) {
		if (flag_r->p[0] == letter)
			return true;
	}
	return false;
}

/* Whether `code` is base64 of `plain`. */
static bool
is_code_of(struct span code, struct span plain)
{
	char decoded[REQUEST_DECODED_KEY_MAX];
	size_t len = request_decode_key(code, decoded);

	return len > 0 && span_eq(span_of(decoded, len), plain);
}

/* A server repeats a key as its item was stored, be it base64 or plain. */
static bool
is_same_key(struct span told, struct span asked)
{
	return span_eq(told, asked) || is_code_of(told, asked) ||
	    is_code_of(asked, told);
}

static bool
fits_flag(struct span flag, struct span key, struct span flags)
{
	struct span opaque;

	if (flag.p[0] == 'k')
		return is_same_key(span_of(flag.p + 1, flag.len - 1), key);
	if (flag.p[0] == 'O')
		return find_flag(flags, 'O', &opaque) &&
		    span_eq(flag, opaque);
	return true;
}

bool
reply_fits_meta(struct span line, enum reply_word word, struct span asked)
{
	struct span key, told, flag, flags = asked, rest = line;
	bool has_code, has_key = request_next_word(&flags, &key);

	has_code = request_next_word(&rest, &told);
	MUST(has_key && has_code);
	if (word == REPLY_ME)
		return request_next_word(&rest, &told) &&
		    is_same_key(told, key);
	/* The length is no flag. */
	if (word == REPLY_VA && (!find_flag(flags, 'v', &flag) ||
	    !request_next_word(&rest, &told)))
		return false;
	while (request_next_word(&rest, &flag)) {
		if (!fits_flag(flag, key, flags))
			return false;
	}
	return true;
}
