/*
 * The table of every key a configuration may have: the one place where a
 * key's name, type, unit, default, bounds and meaning are said. The check of
 * a file, the print of the effective configuration and the reference in
 * docs/configuration.md all follow it.
 */
#ifndef CONF_KEYS_H
#define CONF_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/span.h"
#include "ring/placement.h"

/* What a value looks like, and (in brackets) what it is stored as. */
enum key_type {
	KEY_INTEGER,	/* 4096 (uint64_t or uint32_t) */
	KEY_DURATION,	/* 250ms (uint64_t, milliseconds) */
	KEY_SIZE,	/* 1MiB (uint64_t, bytes) */
	KEY_PERCENT,	/* 80% (uint64_t) */
	KEY_MODE,	/* 0660 (uint32_t, octal) */
	KEY_BOOL,	/* true (bool) */
	KEY_CHOICE,	/* one of some words (an enum) */
	KEY_TIME,	/* RFC 3339 (uint64_t, ms since 1970; 0: none) */
	KEY_WEIGHT,	/* 3 or 0.25 (double) */
	KEY_NAME,	/* of a server (const char *; `aux`: it was given) */
	KEY_POOL,	/* the name of a pool (const char *; link.c finds it) */
	KEY_PREFIX,	/* bytes of a key (const char *, length in `aux`) */
	KEY_HASH_TAG,	/* "{}" (char[2]) */
	KEY_TEXT,	/* any text (char[], NUL-terminated, empty: none) */
	KEY_SECRET,	/* hexadecimal digits, never shown (uint8_t[]) */
	KEY_ADDRESS,	/* host:port (const char *, endpoint in `aux`) */
	KEY_LISTEN,	/* as KEY_ADDRESS, but never a host name */
	KEY_SECTION,	/* keys of its own (a struct, or fields of this one) */
	KEY_LIST,	/* a list of sections (an array, length in `aux`) */
	KEY_TABLE,	/* sections by name (an array, length in `aux`) */
};

enum section_id {
	SECTION_ROOT,
	SECTION_ADMIN,
	SECTION_RELOAD,
	SECTION_LIMITS,
	SECTION_LOG,
	SECTION_STATS,
	SECTION_LISTENER,
	SECTION_ROUTE,
	SECTION_POOL,
	SECTION_TIMEOUTS,
	SECTION_HEALTH,
	SECTION_SERVER,
};

#define SECTION_COUNT (SECTION_SERVER + 1)

/* The words of a KEY_CHOICE: the stored value is the index. */
struct choices {
	size_t		n;
	/* The i-th word, or NULL for a value that has none to write. */
	const char	*(*word)(size_t i);
};

struct key {
	const char		*name;
	const char		*help;		/* a sentence or two */
	/* In place of a default that is a number, what holds instead. */
	const char		*initial_words;
	const struct choices	*choices;	/* KEY_CHOICE */
	/*
	 * Of an option of some placements: what their names begin with, up to
	 * a NULL. With another placement it would do nothing and is refused.
	 */
	const char *const	*placements;
	/* In the unit of the type; members of a list; bytes of a name. */
	uint64_t		 initial;
	uint64_t		 min;
	uint64_t		 max;
	enum key_type		 type;
	enum section_id		 section;	/* of SECTION, LIST, TABLE */
	bool			 is_required;
	bool			 is_restart_only;
	size_t			 offset;	/* in its section's struct */
	size_t			 width;		/* bytes there */
	/* Offset of what enum key_type says; of its place, if restart-only. */
	size_t			 aux;
};

struct section {
	const char		*noun;		/* for messages: "listener" */
	const struct key	*keys;
	size_t			 nkeys;
	size_t			 size;		/* of its struct */
	bool			 has_place;
	size_t			 place;		/* offset of its place */
	/* The key that a lone scalar stands for, or NULL: not possible. */
	const char		*short_key;
	size_t			 name;		/* offset, in a KEY_TABLE */
};

/* More keys than any section has. */
#define KEYS_MAX 32

/* The keys of a section. */
const struct section *section_by_id(enum section_id id);

/* The key called `name`, or NULL. */
const struct key *section_key(const struct section *section, struct span name);

/* Whether the key does anything in a pool of this placement. */
bool key_is_for_placement(const struct key *key, enum placement_kind kind);

#endif
