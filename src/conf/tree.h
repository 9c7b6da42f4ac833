/*
 * The second stage: YAML to nodes. The only user of libyaml.
 *
 * Taken: the whole of YAML 1.1's block and flow styles, anchors and aliases.
 * Refused, with the place: broken syntax, more than one document, tags, merge
 * keys, keys that are not plain text, a key said twice, nesting deeper than
 * TREE_DEPTH_MAX, more than TREE_ANCHORS_MAX anchors, and more than
 * TREE_NODES_MAX nodes counting every alias as the copy that it stands for.
 */
#ifndef CONF_TREE_H
#define CONF_TREE_H

#include "base/must.h"
#include "conf/arena.h"
#include "conf/errors.h"
#include "conf/node.h"

#define TREE_DEPTH_MAX 16
#define TREE_NODES_MAX 262144
/* Few, since they are searched one by one. */
#define TREE_ANCHORS_MAX 256

/*
 * The document in `text`, which read_check_text() has passed, or NULL when
 * it has no usable shape. Complaints go to `errors`; there may be some even
 * if the result is not NULL. Lent by `arena`.
 */
const struct node *tree_parse(struct span text, struct arena *arena,
    struct conf_errors *errors) MUST_CHECK;

#endif
