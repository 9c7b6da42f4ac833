/* Counting hot keys. */
#include "proxy/hotkeys.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/siphash.h"

/* A part adapts after so many samples, or this long after it last did. */
#define ADAPT_SAMPLES 512
#define ADAPT_MS      1000

struct counter {
	uint64_t	error;		/* of its requests, perhaps another's */
	size_t		key_len;	/* 0: hidden */
	char		key[HOTKEYS_KEY_MAX];
};

struct hotkeys_part {			/* guarded by mtx */
	pthread_mutex_t	 mtx;
	struct hotkeys	*hotkeys;	/* lent */
	bool		 is_hidden;
	uint32_t	 gap;		/* requests that one sample is for */
	uint32_t	 nsamples;	/* since it last adapted */
	uint64_t	 adapted_ms;
	uint64_t	 halved_ms;
	uint64_t	 total;		/* requests, weighed */
	size_t		 n;		/* counters in use */
	/* What is searched stands apart, on few cache lines. */
	uint64_t	 hashes[HOTKEYS_COUNTERS];	/* of their keys */
	uint64_t	 counts[HOTKEYS_COUNTERS];	/* requests, weighed */
	struct counter	 counters[HOTKEYS_COUNTERS];
};

struct hotkeys {
	uint8_t			 secret[16];
	size_t			 n;
	struct hotkeys_part	*parts;
};

struct hotkeys *
hotkeys_new(size_t n)
{
	struct hotkeys *hotkeys = mem_zalloc(1, sizeof(*hotkeys));

	if (hotkeys == NULL)
		return NULL;
	hotkeys->parts = mem_zalloc(n, sizeof(*hotkeys->parts));
	if (hotkeys->parts == NULL || getrandom(hotkeys->secret,
	    sizeof(hotkeys->secret), 0) != sizeof(hotkeys->secret)) {
		mem_free(hotkeys->parts);
		mem_free(hotkeys);
		return NULL;
	}
	hotkeys->n = n;
	for (size_t i = 0; i < n; i++) {
		pthread_mutex_init(&hotkeys->parts[i].mtx, NULL);
		hotkeys->parts[i].hotkeys = hotkeys;
		hotkeys->parts[i].gap = 1;
	}
	return hotkeys;
}

void
hotkeys_free(struct hotkeys **hotkeysp)
{
	struct hotkeys *hotkeys = *hotkeysp;

	*hotkeysp = NULL;
	if (hotkeys == NULL)
		return;
	for (size_t i = 0; i < hotkeys->n; i++)
		pthread_mutex_destroy(&hotkeys->parts[i].mtx);
	mem_free(hotkeys->parts);
	mem_free(hotkeys);
}

struct hotkeys_part *
hotkeys_part(struct hotkeys *hotkeys, size_t i)
{
	MUST(i < hotkeys->n);
	return &hotkeys->parts[i];
}

/* The keys' bytes are overwritten, not only forgotten. */
static void
hide_part(struct hotkeys_part *part, bool is_hidden)
{
	pthread_mutex_lock(&part->mtx);
	if (part->is_hidden != is_hidden) {
		part->is_hidden = is_hidden;
		part->n = 0;
		part->total = 0;
		memset(part->counters, 0, sizeof(part->counters));
	}
	pthread_mutex_unlock(&part->mtx);
}

void
hotkeys_hide(struct hotkeys *hotkeys, bool is_hidden)
{
	for (size_t i = 0; i < hotkeys->n; i++)
		hide_part(&hotkeys->parts[i], is_hidden);
}

uint64_t
hotkeys_hash(const struct hotkeys *hotkeys, struct span key)
{
	struct siphash sip;

	siphash_init(&sip, hotkeys->secret);
	siphash_update(&sip, key);
	return siphash_final(&sip);
}

/* How often counts were to halve since they did; notes that they have. */
static unsigned
halvings_due(struct hotkeys_part *part, uint64_t now_ms)
{
	uint64_t n;

	/* Another thread's turn may have begun a little earlier. */
	if (now_ms < part->halved_ms)
		return 0;
	n = (now_ms - part->halved_ms) / HOTKEYS_HALF_LIFE_MS;
	part->halved_ms += n * HOTKEYS_HALF_LIFE_MS;
	return n > 63 ? 63 : (unsigned)n;
}

static void
fade(struct hotkeys_part *part, uint64_t now_ms)
{
	unsigned halvings = halvings_due(part, now_ms);

	if (halvings == 0)
		return;
	part->total >>= halvings;
	for (size_t i = 0; i < part->n; i++) {
		part->counts[i] >>= halvings;
		part->counters[i].error >>= halvings;
	}
}

/*
 * Many samples in a second are more than are needed, few would take long to
 * say anything.
 */
static void
adapt(struct hotkeys_part *part, uint64_t now_ms)
{
	part->nsamples++;
	if (part->nsamples >= ADAPT_SAMPLES) {
		if (part->gap < HOTKEYS_GAP_MAX)
			part->gap *= 2;
	} else if (now_ms < part->adapted_ms + ADAPT_MS) {
		return;
	} else if (part->nsamples < ADAPT_SAMPLES / 4 && part->gap > 1) {
		part->gap /= 2;
	}
	part->nsamples = 0;
	part->adapted_ms = now_ms;
}

/* The key's counter, one not used yet, or the one that says least. */
static size_t
find_counter(const struct hotkeys_part *part, uint64_t hash)
{
	size_t least = 0;

	for (size_t i = 0; i < part->n; i++) {
		if (part->hashes[i] == hash)
			return i;
	}
	if (part->n < HOTKEYS_COUNTERS)
		return part->n;
	for (size_t i = 1; i < part->n; i++) {
		if (part->counts[i] < part->counts[least])
			least = i;
	}
	return least;
}

static void
take_over(struct hotkeys_part *part, size_t i, struct span key, uint64_t hash)
{
	struct counter *counter = &part->counters[i];

	if (i == part->n) {
		part->n++;
		part->counts[i] = 0;
	}
	part->hashes[i] = hash;
	counter->error = part->counts[i];
	counter->key_len = 0;
	if (part->is_hidden)
		return;
	counter->key_len = key.len < HOTKEYS_KEY_MAX ? key.len :
	    HOTKEYS_KEY_MAX;
	memcpy(counter->key, key.p, counter->key_len);
}

uint32_t
hotkeys_count(struct hotkeys_part *part, struct span key, uint64_t now_ms,
    uint32_t random)
{
	uint64_t hash = hotkeys_hash(part->hotkeys, key);
	uint32_t gap;
	size_t i;

	if (pthread_mutex_trylock(&part->mtx) != 0)
		return 1;
	fade(part, now_ms);
	i = find_counter(part, hash);
	if (i == part->n || part->hashes[i] != hash)
		take_over(part, i, key, hash);
	part->counts[i] += part->gap;
	part->total += part->gap;
	adapt(part, now_ms);
	gap = part->gap;
	pthread_mutex_unlock(&part->mtx);
	/* On average `gap`, so that no rhythm of the requests hides a key. */
	return 1 + random % (2 * gap - 1);
}

/* What all parts together are read into. */
struct reading {
	size_t		 n;
	double		 total;
	struct hotkey	*keys;
};

static void
read_part(struct hotkeys_part *part, uint64_t now_ms, struct reading *reading)
{
	pthread_mutex_lock(&part->mtx);
	fade(part, now_ms);
	reading->total += (double)part->total;
	for (size_t i = 0; i < part->n; i++) {
		const struct counter *counter = &part->counters[i];
		struct hotkey *key = &reading->keys[reading->n++];

		key->hash = part->hashes[i];
		key->requests = (double)(part->counts[i] - counter->error);
		key->key_len = counter->key_len;
		memcpy(key->key, counter->key, counter->key_len);
	}
	pthread_mutex_unlock(&part->mtx);
}

static int
by_hash(const void *a, const void *b)
{
	uint64_t x = ((const struct hotkey *)a)->hash;
	uint64_t y = ((const struct hotkey *)b)->hash;

	return (x > y) - (x < y);
}

/* Makes one of what several workers have of a key. */
static void
merge(struct reading *reading)
{
	struct hotkey *keys = reading->keys;
	size_t n = 0;

	qsort(keys, reading->n, sizeof(*keys), by_hash);
	for (size_t i = 0; i < reading->n; i++) {
		if (n > 0 && keys[n - 1].hash == keys[i].hash)
			keys[n - 1].requests += keys[i].requests;
		else
			keys[n++] = keys[i];
	}
	reading->n = n;
}

static int
hotter_first(const void *a, const void *b)
{
	double x = ((const struct hotkey *)a)->requests;
	double y = ((const struct hotkey *)b)->requests;

	return x < y ? 1 : x > y ? -1 : 0;
}

size_t
hotkeys_read(struct hotkeys *hotkeys, uint64_t now_ms, struct hotkey *out)
{
	struct reading reading = {.n = 0};
	size_t n = 0;

	reading.keys = mem_alloc(hotkeys->n * HOTKEYS_COUNTERS *
	    sizeof(*reading.keys));
	if (reading.keys == NULL)
		return 0;
	for (size_t i = 0; i < hotkeys->n; i++)
		read_part(&hotkeys->parts[i], now_ms, &reading);
	merge(&reading);
	qsort(reading.keys, reading.n, sizeof(*reading.keys), hotter_first);
	for (; n < reading.n && n < HOTKEYS_SHOWN; n++) {
		out[n] = reading.keys[n];
		out[n].share = out[n].requests / reading.total;
		if (!(out[n].share >= HOTKEYS_SHARE_MIN))
			break;
	}
	mem_free(reading.keys);
	return n;
}

void
hotkeys_show_key(struct span key, size_t max, char out[HOTKEYS_TEXT_SIZE])
{
	static const char digits[] = "0123456789ABCDEF";
	size_t len = 0;

	MUST(max <= HOTKEYS_KEY_MAX);
	for (size_t i = 0; i < key.len && i < max; i++) {
		unsigned char c = (unsigned char)key.p[i];

		if (c > ' ' && c < 0x7f && c != '%') {
			out[len++] = (char)c;
			continue;
		}
		out[len++] = '%';
		out[len++] = digits[c >> 4];
		out[len++] = digits[c & 15];
	}
	out[len] = '\0';
}

void
hotkeys_show(const struct hotkey *hotkey, char out[HOTKEYS_TEXT_SIZE])
{
	if (hotkey->key_len == 0)
		snprintf(out, HOTKEYS_TEXT_SIZE, "%016llx",
		    (unsigned long long)hotkey->hash);
	else
		hotkeys_show_key(span_of(hotkey->key, hotkey->key_len),
		    HOTKEYS_KEY_MAX, out);
}
