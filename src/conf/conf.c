/* Loading: the stages in their order. */
#include "conf/conf.h"

#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/mem.h"
#include "conf/arena.h"
#include "conf/check.h"
#include "conf/errors.h"
#include "conf/link.h"
#include "conf/memory.h"
#include "conf/read.h"
#include "conf/tree.h"

/* An empty configuration in an arena of its own, or NULL without memory. */
static struct conf *
conf_new(const char *path)
{
	struct arena *arena = arena_new();
	struct conf *conf;

	if (arena == NULL)
		return NULL;
	conf = arena_alloc(arena, 1, sizeof(*conf));
	if (conf != NULL)
		conf->path = arena_copy(arena, span_str(path));
	if (conf == NULL || conf->path == NULL) {
		arena_free(&arena);
		return NULL;
	}
	conf->arena = arena;
	return conf;
}

void
conf_free(struct conf **conf)
{
	struct arena *arena;

	if (*conf == NULL)
		return;
	/* The arena holds the struct as well. */
	arena = (*conf)->arena;
	*conf = NULL;
	arena_free(&arena);
}

/*
 * Fills `conf`, which has what holds where the file says nothing; complaints
 * go to `errors`. `scratch` lives for the call.
 */
static void
fill(struct conf *conf, struct span text, struct arena *scratch,
    struct conf_errors *errors)
{
	uint64_t memory = conf->limits.memory;
	struct checker c = {conf->arena, scratch, errors};
	const struct node *root;

	if (!read_check_text(text, errors))
		return;
	root = tree_parse(text, scratch, errors);
	if (root == NULL) {
		if (errors_is_empty(errors))
			errors_add(errors, (struct conf_place){1, 1},
			    "the file is empty; it needs at least "
			    "\"listeners\" and \"pools\"");
		return;
	}
	check_document(&c, root, conf);
	if (conf->limits.memory == 0)
		conf->limits.memory = memory;
	/* Without memory members may be half-filled: nothing to link. */
	if (!errors_is_out_of_memory(errors))
		link_document(&c, root, conf);
}

/* `memory` is what limits.memory is by default. */
static struct conf *
parse(const char *path, struct span text, uint64_t memory,
    struct conf_errors *errors)
{
	struct conf *conf = conf_new(path);
	struct arena *scratch = arena_new();

	if (conf == NULL || scratch == NULL) {
		errors_out_of_memory(errors);
	} else {
		conf->limits.memory = memory;
		fill(conf, text, scratch, errors);
	}
	arena_free(&scratch);
	if (!errors_is_empty(errors))
		conf_free(&conf);
	return conf;
}

/* As parse(), with a list of complaints of its own. */
static struct conf *
parse_text(const char *path, struct span text, uint64_t memory,
    struct conf_errors **errors_r)
{
	struct conf_errors *errors = errors_new(path);
	struct conf *conf = NULL;

	if (errors != NULL)
		conf = parse(path, text, memory, errors);
	if (conf != NULL)
		conf_errors_free(&errors);
	*errors_r = errors;
	return conf;
}

struct conf *
conf_parse(const char *path, const char *text, size_t len,
    struct conf_errors **errors_r)
{
	return parse_text(path, span_of(text, len), memory_default(0, 0),
	    errors_r);
}

static uint64_t
memory_of_process(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return memory_default(cgroup_memory_limit(""), pages < 0 || size < 0 ?
	    0 : (uint64_t)pages * (uint64_t)size);
}

char *
conf_read(const char *path, size_t *len_r, struct conf_errors **errors_r)
{
	struct conf_errors *errors = errors_new(path);
	char *text = NULL;

	if (errors != NULL)
		text = read_file(path, len_r, errors);
	if (text != NULL)
		conf_errors_free(&errors);
	*errors_r = errors;
	return text;
}

struct conf *
conf_load_text(const char *path, const char *text, size_t len,
    struct conf_errors **errors_r)
{
	return parse_text(path, span_of(text, len), memory_of_process(),
	    errors_r);
}

struct conf *
conf_load(const char *path, struct conf_errors **errors_r)
{
	struct conf *conf;
	size_t len;
	char *text = conf_read(path, &len, errors_r);

	if (text == NULL)
		return NULL;
	conf = conf_load_text(path, text, len, errors_r);
	mem_free(text);
	return conf;
}
