/*
 * What a client must be answered: its bytes -> the bytes it is due, had it
 * been alone with one memcached that has all keys and speaks at once.
 *
 * Through the proxy, in front of any number of servers and however the bytes
 * are cut, it must be the very same. What the model cannot foretell (stats,
 * lines that may or may not be hung up on) ends its knowledge.
 */
#ifndef TESTS_MODEL_H
#define TESTS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "bytes.h"
#include "cache.h"
#include "proto/request.h"

enum model_state {
	MODEL_OPEN,
	MODEL_CLOSED,		/* `due` is all that there will ever be */
	MODEL_LOST,		/* what follows `due` is not known */
};

struct model {
	struct cache		*cache;		/* lent */
	uint64_t		 value_size;	/* the proxy's limit */
	enum model_state	 state;
	uint64_t		 skip;		/* bytes to swallow */
	uint64_t		 ncommands;	/* taken so far */
	struct bytes		 in;		/* no whole command yet */
	struct bytes		 due;
};

void model_init(struct model *model, struct cache *cache, uint64_t value_size);

void model_fini(struct model *model);

/* The client has sent more. */
void model_feed(struct model *model, struct span bytes);

/* What a client sees of a reply to `req`: all of `reply`, or nothing. */
bool model_is_silent(const struct request *req, struct span reply);

#endif
