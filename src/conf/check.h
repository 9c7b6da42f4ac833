/*
 * The third stage: nodes to struct conf, key by key, as the table in keys.c
 * says. What keys say about each other is link.c's.
 */
#ifndef CONF_CHECK_H
#define CONF_CHECK_H

#include "base/must.h"
#include "conf/arena.h"
#include "conf/conf.h"
#include "conf/errors.h"
#include "conf/keys.h"
#include "conf/node.h"

/* What one check works on; all lent by the caller. */
struct checker {
	struct arena		*arena;		/* of the configuration */
	struct arena		*scratch;	/* freed after the check */
	struct conf_errors	*errors;
};

/* The section being filled. */
struct scope {
	const struct section	*section;
	void			*base;		/* the struct to fill */
	const char		*where;		/* "pool \"a\""; NULL: root */
};

/*
 * Fills `conf` with the defaults, then with what `root` says. Complaints go
 * to the checker's errors; where there was one, the default stays.
 */
void check_document(struct checker *c, const struct node *root,
    struct conf *conf);

/* Sets the field of `key`, a key of one value, from a scalar. */
void check_scalar(struct checker *c, const struct scope *scope,
    const struct key *key, const struct node *node);

/* Adds the line `"key" in where <message>`. */
void check_complain(struct checker *c, const struct scope *scope,
    const struct key *key, struct conf_place place, const char *fmt, ...)
    PRINTF_LIKE(5, 6);

/* The field of `key`. */
void *check_field(const struct scope *scope, const struct key *key);

/* Stores a number in the field of `key`, as wide as that is. */
void check_store(const struct scope *scope, const struct key *key, uint64_t n);

#endif
