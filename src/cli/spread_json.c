/* How evenly a pool spreads its keys, for programs. */
#include "cli/json.h"
#include "cli/spread.h"
#include "ring/ketama_caveat.h"

static void
put_figures(struct json_doc *doc, json_t *object, const struct placement *p,
    const struct spread *s)
{
	json_doc_count(doc, object, "points", placement_points(p));
	json_doc_count(doc, object, "bytes", placement_bytes(p));
	json_doc_number(doc, object, "max_over_mean", s->max_over_mean);
	json_doc_number(doc, object, "min_over_mean", s->min_over_mean);
	json_doc_number(doc, object, "standard_deviation", s->deviation);
}

static void
put_servers(struct json_doc *doc, json_t *object, const struct pool *pool,
    const struct spread *s)
{
	json_t *array = json_doc_array(doc, object, "servers");

	for (size_t i = 0; i < s->n; i++) {
		const struct conf_server *server = &pool->conf->servers[i];
		json_t *row = json_doc_append(doc, array);

		json_doc_text(doc, row, "name", server->name);
		json_doc_text(doc, row, "address", server->address);
		json_doc_number(doc, row, "weight", server->weight);
		json_doc_count(doc, row, "points", placement_server_points(
		    pool->placement, i));
		json_doc_number(doc, row, "share", s->shares[i]);
		json_doc_number(doc, row, "ideal", s->ideals[i]);
		json_doc_number(doc, row, "share_over_ideal",
		    s->shares[i] / s->ideals[i]);
	}
}

/* One row of the table; false without memory. */
static bool
put_other(struct json_doc *doc, json_t *row, const struct pool *pool,
    uint32_t points_per_weight)
{
	struct placement *p;
	struct spread spread;
	struct err words;
	bool is_measured;

	json_doc_count(doc, row, "points_per_weight", points_per_weight);
	if (!spread_fits(pool->placement, points_per_weight, &words)) {
		json_doc_text(doc, row, "error", words.text);
		return true;
	}
	p = spread_rebuild(pool->placement, points_per_weight);
	if (p == NULL)
		return false;
	is_measured = spread_init(&spread, p);
	if (is_measured)
		put_figures(doc, row, p, &spread);
	spread_fini(&spread);
	placement_free(&p);
	return is_measured;
}

static bool
put_table(struct json_doc *doc, json_t *object, const struct pool *pool)
{
	json_t *array = json_doc_array(doc, object, "points_table");

	for (size_t i = 0; i < SPREAD_TABLE_ROWS; i++) {
		if (!put_other(doc, json_doc_append(doc, array), pool,
		    spread_table_points[i]))
			return false;
	}
	return true;
}

bool
spread_put_json(const struct spread *s, const struct pool *pool,
    struct json_doc *doc, json_t *object)
{
	const struct placement_spec *spec = &pool->conf->placement;
	struct err words;

	json_doc_text(doc, object, "name", pool->conf->name);
	json_doc_text(doc, object, "placement", placement_kind_name(
	    spec->kind));
	json_doc_text(doc, object, "hash", hash_kind_name(spec->hash));
	put_figures(doc, object, pool->placement, s);
	json_doc_bool(doc, object, "exact", s->nkeys == 0);
	json_doc_count(doc, object, "sampled_keys", s->nkeys);
	if (ketama_caveat(pool->placement, &words))
		json_doc_text(doc, object, "warning", words.text);
	put_servers(doc, object, pool, s);
	return spec->kind != PLACEMENT_RING || put_table(doc, object, pool);
}
