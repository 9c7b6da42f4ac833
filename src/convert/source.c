/* Reading YAML and JSON that are not ours. */
#include "convert/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/endpoint.h"
#include "base/num.h"
#include "conf/read.h"
#include "conf/tree.h"

#define HOUR_MS (3600 * 1000)

const struct node *
source_parse(struct draft *draft, struct span text)
{
	const struct node *root;
	char *doubled;
	size_t n = 0;

	if (!read_check_text(text, draft->errors))
		return NULL;
	doubled = arena_alloc(draft->arena, 2 * text.len + 1, 1);
	if (doubled == NULL) {
		errors_out_of_memory(draft->errors);
		return NULL;
	}
	for (size_t i = 0; i < text.len; i++) {
		doubled[n++] = text.p[i];
		if (text.p[i] == '$')
			doubled[n++] = '$';
	}
	root = tree_parse(span_of(doubled, n), draft->arena, draft->errors);
	if (root == NULL && errors_is_empty(draft->errors))
		errors_add(draft->errors, (struct conf_place){1, 1},
		    "the file is empty");
	return root;
}

const char *
source_key(struct draft *draft, const struct node *key)
{
	char *copy = arena_copy(draft->arena, key->text);
	size_t n = 0;

	if (copy == NULL) {
		errors_out_of_memory(draft->errors);
		return NULL;
	}
	for (size_t i = 0; i < key->text.len; i++) {
		copy[n++] = key->text.p[i];
		if (key->text.p[i] == '$')
			i++;
	}
	copy[n] = '\0';
	return copy;
}

void
source_complain(struct draft *draft, const struct node *node,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	errors_vadd(draft->errors, node->place, fmt, ap);
	va_end(ap);
}

bool
source_text(struct draft *draft, const struct node *node, const char *name,
    struct span *text_r)
{
	if (node->kind != NODE_SCALAR) {
		source_complain(draft, node, "\"%s\" must be a single value",
		    name);
		return false;
	}
	*text_r = node->text;
	return true;
}

bool
source_number(struct draft *draft, const struct node *node, const char *name,
    int64_t *n_r)
{
	char quoted[ERRORS_QUOTED_MAX];
	struct span text;

	if (!source_text(draft, node, name, &text))
		return false;
	if (num_parse_i64(text, n_r))
		return true;
	source_complain(draft, node, "\"%s\" must be a whole number, not %s",
	    name, errors_quote(text, quoted));
	return false;
}

bool
source_bool(struct draft *draft, const struct node *node, const char *name,
    bool *is_r)
{
	char quoted[ERRORS_QUOTED_MAX];
	struct span text;

	if (!source_text(draft, node, name, &text))
		return false;
	*is_r = span_eq(text, span_str("true"));
	if (*is_r || span_eq(text, span_str("false")))
		return true;
	source_complain(draft, node, "\"%s\" must be true or false, not %s",
	    name, errors_quote(text, quoted));
	return false;
}

uint64_t
source_clamp_ms(int64_t ms)
{
	if (ms < 1)
		return 1;
	return ms > HOUR_MS ? HOUR_MS : (uint64_t)ms;
}

/* What endpoint_parse() says of an address, in the place of the source. */
static const char *
checked(struct draft *draft, const struct node *node, const char *text)
{
	struct endpoint ep;
	struct err err;

	if (text == NULL) {
		errors_out_of_memory(draft->errors);
		return NULL;
	}
	if (endpoint_parse(span_str(text), &ep, &err))
		return text;
	source_complain(draft, node, "cannot be an address here: %s",
	    err.text);
	return NULL;
}

const char *
source_address(struct draft *draft, const struct node *node,
    struct span host, struct span port)
{
	bool is_bare_v6 = host.len > 0 && host.p[0] != '[' &&
	    memchr(host.p, ':', host.len) != NULL;

	return checked(draft, node, arena_printf(draft->arena,
	    is_bare_v6 ? "[%.*s]:%.*s" : "%.*s:%.*s", (int)host.len, host.p,
	    (int)port.len, port.p));
}

bool
source_is_host_name(const char *address)
{
	struct endpoint ep;
	struct err err;

	return endpoint_parse(span_str(address), &ep, &err) &&
	    ep.kind == ENDPOINT_NAME;
}

const char *
source_unix_address(struct draft *draft, const struct node *node,
    struct span path)
{
	return checked(draft, node, arena_printf(draft->arena, "unix:%.*s",
	    (int)path.len, path.p));
}
