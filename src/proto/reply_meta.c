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

/* A request, as far as its reply repeats it. */
struct asked {
	struct span	key;		/* as written */
	struct span	plain;		/* as items have it */
	struct span	flags;
	char		room[REQUEST_DECODED_KEY_MAX];
};

static void
read_asked(struct span asked, struct asked *asked_r)
{
	struct span flag;
	bool has_key;
	size_t len = 0;

	asked_r->flags = asked;
	has_key = request_next_word(&asked_r->flags, &asked_r->key);
	MUST(has_key);
	if (find_flag(asked_r->flags, 'b', &flag))
		len = request_decode_key(asked_r->key, asked_r->room);
	asked_r->plain = len > 0 ? span_of(asked_r->room, len) : asked_r->key;
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
 * Takes the key that a line repeats from the start of `rest`: plain, or in
 * base64, or as it was asked, which is what newer servers look for at `me`.
 */
static bool
take_key(struct span *rest, const struct asked *asked)
{
	struct span told;

	return take_plain(rest, asked->plain) ||
	    (request_next_word(rest, &told) && (span_eq(told, asked->key) ||
	    is_code_of(told, asked->plain)));
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
	else if (request_next_word(&rest, &word) && find_flag(rest, 'k', &flag))
		start = flag.p + 1;
	else
		return false;
	*rest_r = span_of(start, (size_t)(line.p + line.len - start));
	return true;
}

static bool
fits_flags(struct span rest, const struct asked *asked)
{
	const char *end = rest.p + rest.len;
	struct span flag, opaque;

	while (request_next_word(&rest, &flag)) {
		if (flag.p[0] == 'k') {
			rest = span_of(flag.p + 1,
			    (size_t)(end - (flag.p + 1)));
			if (!take_key(&rest, asked))
				return false;
		}
		if (flag.p[0] == 'O' &&
		    (!find_flag(asked->flags, 'O', &opaque) ||
		    !span_eq(flag, opaque)))
			return false;
	}
	return true;
}

bool
reply_fits_meta(struct span line, enum reply_word word, struct span asked_text)
{
	struct asked asked;
	struct span told, flag, rest = line;
	bool has_word = request_next_word(&rest, &told);

	MUST(has_word);
	read_asked(asked_text, &asked);
	if (word == REPLY_ME)
		return find_key(line, &told) && take_key(&told, &asked);
	/* The length is no flag. */
	if (word == REPLY_VA && (!find_flag(asked.flags, 'v', &flag) ||
	    !request_next_word(&rest, &told)))
		return false;
	return fits_flags(rest, &asked);
}

const char *
reply_line_end(struct span bytes, struct span asked_text)
{
	const char *newline = memchr(bytes.p, '\n', bytes.len);
	struct asked asked;
	struct span told;
	size_t have, n;

	if (newline == NULL)
		return NULL;
	read_asked(asked_text, &asked);
	if (memchr(asked.plain.p, '\n', asked.plain.len) == NULL ||
	    !find_key(span_of(bytes.p, (size_t)(newline - bytes.p)), &told))
		return newline;
	/* The key may reach beyond what looks like the line's end. */
	have = (size_t)(bytes.p + bytes.len - told.p);
	n = have < asked.plain.len ? have : asked.plain.len;
	if (memcmp(told.p, asked.plain.p, n) != 0)
		return newline;
	return memchr(told.p + n, '\n', have - n);
}
