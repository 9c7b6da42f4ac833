/*
 * Other programs' configurations as ours: placement to the bit, names as those
 * programs hash them, and a remark for each setting that means something else
 * here or nothing.
 *
 * Each converter fills a draft. What cannot be understood is an error with its
 * place in the source, as is what would silently be wrong; the rest of the
 * source is still looked at. Pure.
 */
#ifndef CONVERT_CONVERT_H
#define CONVERT_CONVERT_H

#include "base/span.h"
#include "convert/draft.h"

/*
 * What a converter is told of the command line. `listen` is where clients are
 * to connect, for sources that do not say it.
 */
struct convert_options {
	const char	*listen;
};

/* twemproxy's nutcracker.yml: one listener and pool for each of its pools. */
void convert_nutcracker(struct draft *draft, struct span text,
    const struct convert_options *options);

/*
 * libmemcached's string, "--SERVER=a:11211 --SERVER=b:11211 --HASH=MD5", or
 * its older list of servers, "a:11211,b:11211".
 */
void convert_libmemcached(struct draft *draft, struct span text,
    const struct convert_options *options);

/* mcrouter's JSON: pools, PoolRoute, HashRoute, PrefixSelectorRoute. */
void convert_mcrouter(struct draft *draft, struct span text,
    const struct convert_options *options);

#endif
