/*
 * The fourth stage: what keys say about each other. Names are unique, pools
 * that are named exist, listeners do not overlap, limits hold one another.
 */
#ifndef CONF_LINK_H
#define CONF_LINK_H

#include "conf/check.h"

/*
 * Fills in what follows from other keys (names, pool indexes, the order of
 * routes) and complains about what cannot be together. `conf` may be as
 * incomplete as the complaints of check_document() left it.
 */
void link_document(struct checker *c, const struct node *root,
    struct conf *conf);

/* The parts of link_document(), each a file. */
void link_pools(struct checker *c, const struct node *pools,
    struct conf *conf);
void link_listeners(struct checker *c, const struct node *listeners,
    struct conf *conf);
void link_admin(struct checker *c, const struct node *admin,
    struct conf *conf);

/* link_loops.c: listeners whose requests come back to them; all are linked. */
void link_loops(struct checker *c, const struct conf *conf);

/* link_gutters.c: what is said of the gutter of `pool`, in `map`. */
void link_gutter(struct checker *c, const struct node *map,
    const struct conf *conf, struct conf_pool *pool);

/* The index of the pool called `name`; complains and is 0 if there is none. */
size_t link_pool(struct checker *c, const struct conf *conf, const char *name,
    struct conf_place place);

/* Place of what was said for `key` in `map`, else of the map itself. */
struct conf_place link_place(const struct node *map, const char *key);

#endif
