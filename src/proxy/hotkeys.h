/*
 * Hot keys: which keys clients ask for most, now.
 *
 * Each worker looks at a sample of its requests and keeps HOTKEYS_COUNTERS
 * keys of it by the Space-Saving algorithm (Metwally, Agrawal, El Abbadi,
 * "Efficient computation of frequent and top-k elements in data streams",
 * 2005): a key that is not counted yet takes over the counter that says
 * least, with what that says as its possible error. So a key that makes more
 * than one request in HOTKEYS_COUNTERS is never missed. Counts halve every
 * HOTKEYS_HALF_LIFE_MS; what was hot fades.
 *
 * A worker with little to do looks at every request, a busy one at one in
 * HOTKEYS_GAP_MAX, at random; a request counts for as many as were passed
 * over, so shares stay true.
 *
 * With keys hidden nothing is kept of them but their SipHash under a secret
 * that the process draws at its start and never shows: the same key has the
 * same hash until then, and nobody can find out by trying which key it is.
 */
#ifndef PROXY_HOTKEYS_H
#define PROXY_HOTKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"

#define HOTKEYS_COUNTERS 128

#define HOTKEYS_GAP_MAX 128

#define HOTKEYS_HALF_LIFE_MS 10000

/* As many as are told. */
#define HOTKEYS_SHOWN 20

/* A key that has less than this share is not told. */
#define HOTKEYS_SHARE_MIN 0.005

#define HOTKEYS_KEY_MAX 250

struct hotkeys;		/* shared; a part for each worker */
struct hotkeys_part;	/* written by its worker, read under its mutex */

/* One key, and how hot it is. */
struct hotkey {
	uint64_t	hash;
	double		share;		/* of all requests, at least */
	double		requests;	/* lately, at least: an estimate */
	size_t		key_len;	/* 0: keys are hidden */
	char		key[HOTKEYS_KEY_MAX];
};

/* For `n` workers; NULL without memory or randomness. Keys are shown. */
struct hotkeys *hotkeys_new(size_t n) MUST_CHECK;

void hotkeys_free(struct hotkeys **hotkeys);

/* The i-th worker's part. Lent until hotkeys_free(). */
struct hotkeys_part *hotkeys_part(struct hotkeys *hotkeys, size_t i);

/* Hides keys or shows them; what was kept before is forgotten. Any thread. */
void hotkeys_hide(struct hotkeys *hotkeys, bool is_hidden);

/* The hash that stands for a key while keys are hidden. Any thread. */
uint64_t hotkeys_hash(const struct hotkeys *hotkeys, struct span key);

/*
 * Counts a request for `key`, whose turn it was to be looked at, and says
 * after how many more the next one is to be. Does not wait: while a reader
 * has the part, the request is left out. The part's own worker.
 */
uint32_t hotkeys_count(struct hotkeys_part *part, struct span key,
    uint64_t now_ms, uint32_t random);

/*
 * The hottest keys of all workers, hottest first: how many were written to
 * `out`, which has HOTKEYS_SHOWN. 0 also without memory. Any thread.
 */
size_t hotkeys_read(struct hotkeys *hotkeys, uint64_t now_ms,
    struct hotkey *out);

/* Bytes that hotkeys_show() may write, its NUL included. */
#define HOTKEYS_TEXT_SIZE (3 * HOTKEYS_KEY_MAX + 1)

/*
 * The key in printable ASCII without blanks: others, and %, as %XX. Hidden,
 * its hash in 16 hexadecimal digits.
 */
void hotkeys_show(const struct hotkey *hotkey, char out[HOTKEYS_TEXT_SIZE]);

/* The same of any key, of which at most `max` bytes are shown. */
void hotkeys_show_key(struct span key, size_t max,
    char out[HOTKEYS_TEXT_SIZE]);

#endif
