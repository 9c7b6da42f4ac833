/* One step from a membership to the next. */
#include "ring/placement_change.h"

#include "base/mem.h"

/* The servers of `p` with room for one more, or NULL: `error_r`, `err`. */
static struct placement_server *
copy_servers(const struct placement *p, enum placement_error *error_r,
    struct err *err)
{
	size_t n = placement_servers(p);
	struct placement_server *servers = mem_zalloc(n + 1, sizeof(*servers));

	if (servers == NULL) {
		err_set(err, "out of memory for a pool of %zu servers", n);
		*error_r = PLACEMENT_STATE_CAPACITY_EXCEEDED;
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		servers[i] = *placement_server_at(p, i);
	return servers;
}

struct placement *
placement_with(const struct placement *p,
    const struct placement_server *added, enum placement_error *error_r,
    struct err *err)
{
	size_t n = placement_servers(p);
	struct placement_server *servers = copy_servers(p, error_r, err);
	struct placement *changed;

	if (servers == NULL)
		return NULL;
	servers[n] = *added;
	changed = placement_build(placement_spec_of(p), servers, n + 1,
	    error_r, err);
	mem_free(servers);
	return changed;
}

struct placement *
placement_without(const struct placement *p, size_t index,
    enum placement_error *error_r, struct err *err)
{
	size_t n = placement_servers(p);
	struct placement_server *servers = copy_servers(p, error_r, err);
	struct placement *changed;

	MUST(index < n);
	if (servers == NULL)
		return NULL;
	for (size_t i = index; i + 1 < n; i++)
		servers[i] = servers[i + 1];
	changed = placement_build(placement_spec_of(p), servers, n - 1,
	    error_r, err);
	mem_free(servers);
	return changed;
}

struct placement *
placement_reweighted(const struct placement *p, size_t index, double weight,
    enum placement_error *error_r, struct err *err)
{
	size_t n = placement_servers(p);
	struct placement_server *servers = copy_servers(p, error_r, err);
	struct placement *changed;

	MUST(index < n);
	if (servers == NULL)
		return NULL;
	servers[index].weight = weight;
	changed = placement_build(placement_spec_of(p), servers, n, error_r,
	    err);
	mem_free(servers);
	return changed;
}
