/* Finding the admin listener of a running daemon. */
#include "cli/running.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/mem.h"
#include "cli/session.h"
#include "conf/read.h"
#include "conf/tree.h"
#include "conf/value.h"

#define ADDRESS "127.0.0.1:9211"

static int
parse(const char *whose, struct span text, struct endpoint *ep_r)
{
	struct err err;

	if (!endpoint_parse(text, ep_r, &err)) {
		fprintf(stderr, "fairlead: %s: %s\n", whose, err.text);
		return EX_USAGE;
	}
	if (ep_r->kind != ENDPOINT_NAME)
		return EX_OK;
	fprintf(stderr, "fairlead: %s: an address is needed, not the host "
	    "name %s\n", whose, ep_r->host);
	return EX_USAGE;
}

/* The text of admin.listen, or nothing. */
static struct span
find_listen(struct span text, struct arena *arena, struct conf_errors *errors)
{
	const struct node *root = tree_parse(text, arena, errors);
	const struct node *listen = node_get(node_get(root, "admin"),
	    "listen");

	return listen != NULL && listen->kind == NODE_SCALAR ? listen->text :
	    span_of(NULL, 0);
}

static int
find_in(const char *path, struct span text, struct arena *arena,
    struct conf_errors *errors, struct endpoint *ep_r)
{
	struct span listen = find_listen(text, arena, errors);

	if (listen.len > 0)
		return parse(path, listen, ep_r);
	if (!errors_is_empty(errors))
		fprintf(stderr, "%s\n", conf_errors_line(errors, 0));
	fprintf(stderr, "fairlead: %s has no \"listen\" in \"admin\"\n",
	    path);
	return EX_CONFIG;
}

static int
find_in_file(const char *path, struct endpoint *ep_r)
{
	struct conf_errors *errors = errors_new(path);
	struct arena *arena = arena_new();
	char *text = NULL;
	size_t len;
	int status;

	if (errors != NULL && arena != NULL)
		text = read_file(path, &len, errors);
	if (errors == NULL || arena == NULL) {
		status = session_no_memory();
	} else if (text == NULL) {
		fprintf(stderr, "%s\n", conf_errors_line(errors, 0));
		status = EX_NOINPUT;
	} else {
		status = find_in(path, span_of(text, len), arena, errors,
		    ep_r);
	}
	mem_free(text);
	arena_free(&arena);
	conf_errors_free(&errors);
	return status;
}

int
running_find(const struct running_options *options, struct endpoint *ep_r)
{
	if (options->admin != NULL)
		return parse("--admin", span_str(options->admin), ep_r);
	if (options->path != NULL)
		return find_in_file(options->path, ep_r);
	return parse("--admin", span_str(ADDRESS), ep_r);
}

bool
running_duration(const char *text, uint64_t *ms_r)
{
	static const struct key key = {
		.type = KEY_DURATION, .initial = 1000, .min = 1,
		.max = 24 * 3600 * 1000,
	};
	struct err err;

	if (value_parse(&key, span_str(text), ms_r, &err))
		return true;
	fprintf(stderr, "fairlead: the time %s\n", err.text);
	return false;
}
