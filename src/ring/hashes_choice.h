/*
 * The hashes that a rule offers: which function the configuration's name
 * stands for under this rule. One name may mean different functions in
 * different programs (crc32, fnv1a_64), so each rule has its own table.
 */
#ifndef RING_HASHES_CHOICE_H
#define RING_HASHES_CHOICE_H

#include <stddef.h>

#include "base/must.h"
#include "ring/hash.h"
#include "ring/hashes.h"
#include "ring/rule_check.h"

struct hashes_choice {
	enum hash_kind	 kind;
	hashes_fn	*by_signed;	/* as built for x86 */
	hashes_fn	*by_unsigned;	/* as built for ARM; or the same */
};

/* A rule's table. Static and constant. */
struct hashes_offer {
	const struct hashes_choice	*choices;
	size_t				 n;
};

/*
 * The function that build->spec asks for, `fallback` where it leaves the hash
 * to the rule. NULL with the error set if it is not on offer; the words list
 * what is.
 */
hashes_fn *hashes_choose(const struct rule_build *build,
    const struct hashes_offer *offer, enum hash_kind fallback) MUST_CHECK;

#endif
