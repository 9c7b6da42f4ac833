/*
 * A memcached server as the tests play it: enough of one that every command
 * has the reply it has there, save for what depends on time.
 *
 * A cas unique is a function of the item, so that it is the same whichever
 * server keeps it; an expiry time counts only if it is negative.
 */
#ifndef TESTS_CACHE_H
#define TESTS_CACHE_H

#include "base/span.h"
#include "bytes.h"
#include "proto/request.h"

struct cache;

struct cache *cache_new(void);

void cache_free(struct cache **cache);

/* Forgets every item. */
void cache_clear(struct cache *cache);

/*
 * Carries out a command that a server is sent, with its body without CR LF,
 * and appends the one reply, whatever noreply and quiet say.
 */
void cache_do(struct cache *cache, const struct request *req, struct span body,
    struct bytes *reply);

/* Deletes an item whose key is written as `req` has it. */
void cache_delete(struct cache *cache, const struct request *req);

#endif
