/*
 * Meta replies beside their requests. Their words are few and any of them may
 * answer any key, but most clients have something repeated: the key (k) or an
 * opaque (O). A stray reply gives itself away there.
 */
#include "proto/reply.h"

#include "proto/request.h"

/* The key of a request, as items have it; `room` may hold it. */
static struct span
plain_key(struct span key, struct span flags,
    char room[REQUEST_DECODED_KEY_MAX])
{
	struct span flag;
	size_t len;

	if (!request_find_flag(flags, 'b', &flag))
		return key;
	len = request_decode_key(key, room);
	return len > 0 ? span_of(room, len) : key;
}

/*
 * Whether `told` is base64 of `plain`. It need not be the base64 that was
 * asked for: of its last letter memcached ignores some bits.
 */
static bool
is_code_of(struct span told, struct span plain)
{
	char decoded[REQUEST_DECODED_KEY_MAX];
	size_t len = request_decode_key(told, decoded);

	return len > 0 && span_eq(span_of(decoded, len), plain);
}

/*
 * Takes `plain` from the start of `rest`. An item that came to be by ma or mg
 * with N or by md with x has forgotten that its key was base64, and is told
 * with whatever blanks and line ends are in it.
 */
static bool
take_plain(struct span *rest, struct span plain)
{
	struct span after;

	if (!span_starts(*rest, plain))
		return false;
	after = span_of(rest->p + plain.len, rest->len - plain.len);
	if (after.len > 0 && after.p[0] != ' ')
		return false;
	*rest = after;
	return true;
}

/*
 * Takes the key that a line repeats from the start of `rest`: mostly as it was
 * asked, else plain or in base64.
 */
static bool
take_key(struct span *rest, struct span key, struct span flags)
{
	char room[REQUEST_DECODED_KEY_MAX];
	struct span plain, told = span_of(NULL, 0), after = *rest;

	if (request_next_word(&after, &told) && span_eq(told, key)) {
		*rest = after;
		return true;
	}
	plain = plain_key(key, flags, room);
	if (take_plain(rest, plain))
		return true;
	*rest = after;
	return is_code_of(told, plain);
}

/* The rest of `line` from the key on that it repeats; false: there is none. */
static bool
find_key(struct span line, struct span *rest_r)
{
	static const struct span item = SPAN_LIT("ME ");
	const char *start;
	struct span word, flag, rest = line;

	if (span_starts(line, item))
		start = line.p + item.len;
	else if (request_next_word(&rest, &word) &&
	    request_find_flag(rest, 'k', &flag))
		start = flag.p + 1;
	else
		return false;
	*rest_r = span_of(start, (size_t)(line.p + line.len - start));
	return true;
}

static bool
fits_flags(struct span rest, struct span key, struct span flags)
{
	const char *end = rest.p + rest.len;
	struct span flag, opaque;

	while (request_next_word(&rest, &flag)) {
		if (flag.p[0] == 'k') {
			rest = span_of(flag.p + 1,
			    (size_t)(end - (flag.p + 1)));
			if (!take_key(&rest, key, flags))
				return false;
		}
		if (flag.p[0] == 'O' &&
		    (!request_find_flag(flags, 'O', &opaque) ||
		    !span_eq(flag, opaque)))
			return false;
	}
	return true;
}

bool
reply_fits_meta(struct span line, enum reply_word word, struct span asked)
{
	struct span key, told, flag, flags = asked, rest = line;
	bool has_word, has_key = request_next_word(&flags, &key);

	has_word = request_next_word(&rest, &told);
	MUST(has_word && has_key);
	if (word == REPLY_ME)
		return find_key(line, &told) && take_key(&told, key, flags);
	/* The length is no flag. */
	if (word == REPLY_VA && (!request_find_flag(flags, 'v', &flag) ||
	    !request_next_word(&rest, &told)))
		return false;
	return fits_flags(rest, key, flags);
}

const char *
reply_line_end(struct span bytes, struct span asked)
{
	const char *newline = memchr(bytes.p, '\n', bytes.len);
	char room[REQUEST_DECODED_KEY_MAX];
	struct span key, plain, told, flags = asked;
	size_t have, n;

	if (newline == NULL || !request_next_word(&flags, &key))
		return newline;
	plain = plain_key(key, flags, room);
	if (memchr(plain.p, '\n', plain.len) == NULL ||
	    !find_key(span_of(bytes.p, (size_t)(newline - bytes.p)), &told))
		return newline;
	/* The key may reach beyond what looks like the line's end. */
	have = (size_t)(bytes.p + bytes.len - told.p);
	n = have < plain.len ? have : plain.len;
	if (memcmp(told.p, plain.p, n) != 0)
		return newline;
	return memchr(told.p + n, '\n', have - n);
}
