/* Key filters and seed of memcached's own proxy. */
#include "ring/memcached_key.h"

#include <string.h>

#include "ring/hashes.h"

static struct span
before_stop(struct span key, struct span stop)
{
	const char *at = NULL;

	if (key.len > 0)
		at = memmem(key.p, key.len, stop.p, stop.len);
	return at == NULL ? key : span_of(key.p, (size_t)(at - key.p));
}

static struct span
inside_tags(struct span key, const char tag[2])
{
	const char *open = NULL, *close;

	if (key.len > 0)
		open = memchr(key.p, tag[0], key.len);
	if (open == NULL)
		return key;
	open++;
	close = memchr(open, tag[1], (size_t)(key.p + key.len - open));
	return close == NULL ? key : span_of(open, (size_t)(close - open));
}

struct span
memcached_key_part(const struct placement_spec *spec, struct span key)
{
	if (spec->hash_stop[0] != '\0')
		return before_stop(key, span_str(spec->hash_stop));
	if (spec->hash_tag[0] != '\0')
		return inside_tags(key, spec->hash_tag);
	return key;
}

bool
memcached_takes_filter(const struct rule_build *build)
{
	if (build->spec->hash_stop[0] != '\0' &&
	    build->spec->hash_tag[0] != '\0')
		return rule_refuse(build, PLACEMENT_UNSUPPORTED,
		    "hash_tag and hash_stop exclude each other");
	return true;
}

uint64_t
memcached_key_seed(const struct placement_spec *spec)
{
	if (spec->hash_seed[0] == '\0')
		return 0;
	return hashes_xxh3(span_str(spec->hash_seed), 0);
}
