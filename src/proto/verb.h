/*
 * The commands of the text protocol, in one table.
 */
#ifndef PROTO_VERB_H
#define PROTO_VERB_H

#include <stdbool.h>

/* How a command is written, and so how it is parsed. */
enum verb_shape {
	VERB_SHAPE_GET,		/* key... */
	VERB_SHAPE_GAT,		/* exptime key... */
	VERB_SHAPE_STORE,	/* key flags exptime bytes, then a body */
	VERB_SHAPE_CAS,		/* as STORE with a cas unique */
	VERB_SHAPE_DELETE,	/* key */
	VERB_SHAPE_COUNT,	/* key delta */
	VERB_SHAPE_TOUCH,	/* key exptime */
	VERB_SHAPE_META,	/* key flag... */
	VERB_SHAPE_META_SET,	/* key bytes flag..., then a body */
	VERB_SHAPE_META_NOOP,	/* nothing that counts */
	VERB_SHAPE_PLAIN,	/* anything; answered by the proxy */
};

/* Member, name on the wire, shape. */
#define VERBS(X)                                                               \
	X(GET, "get", GET)                                                     \
	X(GETS, "gets", GET)                                                   \
	X(GAT, "gat", GAT)                                                     \
	X(GATS, "gats", GAT)                                                   \
	X(SET, "set", STORE)                                                   \
	X(ADD, "add", STORE)                                                   \
	X(REPLACE, "replace", STORE)                                           \
	X(APPEND, "append", STORE)                                             \
	X(PREPEND, "prepend", STORE)                                           \
	X(CAS, "cas", CAS)                                                     \
	X(DELETE, "delete", DELETE)                                            \
	X(INCR, "incr", COUNT)                                                 \
	X(DECR, "decr", COUNT)                                                 \
	X(TOUCH, "touch", TOUCH)                                               \
	X(MG, "mg", META)                                                      \
	X(MS, "ms", META_SET)                                                  \
	X(MD, "md", META)                                                      \
	X(MA, "ma", META)                                                      \
	X(ME, "me", META)                                                      \
	X(MN, "mn", META_NOOP)                                                 \
	X(VERSION, "version", PLAIN)                                           \
	X(VERBOSITY, "verbosity", PLAIN)                                       \
	X(QUIT, "quit", PLAIN)                                                 \
	X(STATS, "stats", PLAIN)                                               \
	X(FLUSH_ALL, "flush_all", PLAIN)                                       \
	X(SHUTDOWN, "shutdown", PLAIN)                                         \
	X(CACHE_MEMLIMIT, "cache_memlimit", PLAIN)                             \
	X(SLABS, "slabs", PLAIN)                                               \
	X(LRU, "lru", PLAIN)                                                   \
	X(LRU_CRAWLER, "lru_crawler", PLAIN)                                   \
	X(EXTSTORE, "extstore", PLAIN)                                         \
	X(WATCH, "watch", PLAIN)                                               \
	X(REFRESH_CERTS, "refresh_certs", PLAIN)                               \
	X(CONFIG, "config", PLAIN)

enum verb {
#define X(member, name, shape) VERB_##member,
	VERBS(X)
#undef X
};

/* The name on the wire. */
const char *verb_name(enum verb verb);

enum verb_shape verb_shape(enum verb verb);

/* Whether it asks for items, with VALUE lines for those that are there. */
bool verb_is_get(enum verb verb);

#endif
