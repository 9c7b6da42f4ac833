/* The golden vectors: lines of tab-separated fields. */
#include "vectors.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Directory of the files; the build says where the sources are. */
#ifndef VECTORS_DIR
#error "VECTORS_DIR is not defined"
#endif

#define FIELDS_MAX 512
#define SERVERS_MAX 2048

/*
 * All strings of a file, and the file itself, hang here, so that one walk
 * frees them. The struct that callers see is its first member.
 */
struct file {
	struct vectors	 v;
	void		**owned;
	size_t		 nowned;
};

/*
 * Room for one member after the `n` there are, which is zeroed. The array
 * doubles whenever `n` reaches a power of two.
 */
static void *
grow(void *array, size_t n, size_t size)
{
	if ((n & (n - 1)) == 0)
		array = realloc(array, (n == 0 ? 1 : 2 * n) * size);
	ck_assert_ptr_nonnull(array);
	memset((char *)array + n * size, 0, size);
	return array;
}

static void *
own(struct file *f, size_t bytes)
{
	void *p = calloc(1, bytes);

	f->owned = grow(f->owned, f->nowned, sizeof(*f->owned));
	ck_assert_ptr_nonnull(p);
	f->owned[f->nowned++] = p;
	return p;
}

static char *
slurp(struct file *f, const char *file_name)
{
	char path[4096];
	FILE *in;
	long size;
	char *text;

	snprintf(path, sizeof(path), "%s/%s", VECTORS_DIR, file_name);
	in = fopen(path, "rb");
	ck_assert_msg(in != NULL, "cannot open %s", path);
	ck_assert_int_eq(fseek(in, 0, SEEK_END), 0);
	size = ftell(in);
	ck_assert_int_gt(size, 0);
	rewind(in);
	text = own(f, (size_t)size + 1);
	ck_assert_uint_eq(fread(text, 1, (size_t)size, in), (size_t)size);
	fclose(in);
	return text;
}

/* Cuts `line` at its tabs; how many fields. */
static size_t
split(char *line, const char **fields_r)
{
	size_t n = 0;

	for (;;) {
		char *tab = strchr(line, '\t');

		ck_assert_uint_lt(n, FIELDS_MAX);
		fields_r[n++] = line;
		if (tab == NULL)
			return n;
		*tab = '\0';
		line = tab + 1;
	}
}

static struct span
decode_key(struct file *f, const char *s)
{
	char *out = own(f, strlen(s) + 1);
	size_t len = 0;

	for (; *s != '\0'; s++) {
		unsigned byte;

		if (*s != '%') {
			out[len++] = *s;
			continue;
		}
		ck_assert_int_eq(sscanf(s + 1, "%2x", &byte), 1);
		out[len++] = (char)byte;
		s += 2;
	}
	return span_of(out, len);
}

static void
add_node(struct vectors *v, const char **fields, size_t n)
{
	struct vectors_node *node;

	ck_assert_uint_eq(n, 7);
	v->nodes = grow(v->nodes, v->nnodes, sizeof(*v->nodes));
	node = &v->nodes[v->nnodes++];
	node->membership = fields[1];
	node->position = strtoul(fields[2], NULL, 10);
	node->name = strcmp(fields[3], "-") == 0 ? NULL : fields[3];
	node->host = fields[4];
	node->port = (unsigned)strtoul(fields[5], NULL, 10);
	node->weight = strtod(fields[6], NULL);
}

static void
add_case(struct vectors *v, const char **fields, size_t n)
{
	struct vectors_case *c;

	ck_assert_uint_ge(n, 3);
	ck_assert_uint_le(n - 3, VECTORS_OPTIONS_MAX);
	v->cases = grow(v->cases, v->ncases, sizeof(*v->cases));
	c = &v->cases[v->ncases++];
	c->name = fields[1];
	c->membership = fields[2];
	for (size_t i = 3; i < n; i++)
		c->options[c->noptions++] = fields[i];
}

/* The columns line says which case each column of the rows answers. */
static void
set_columns(struct vectors *v, const char **fields, size_t n)
{
	/* fields[1] is the key's column, which the rows call 0. */
	for (size_t i = 2; i < n; i++) {
		for (size_t k = 0; k < v->ncases; k++) {
			if (strcmp(v->cases[k].name, fields[i]) == 0)
				v->cases[k].column = i - 1;
		}
	}
}

static void
take_directive(struct vectors *v, const char **fields, size_t n)
{
	if (strcmp(fields[0], "#!family") == 0)
		v->family = fields[1];
	else if (strcmp(fields[0], "#!node") == 0)
		add_node(v, fields, n);
	else if (strcmp(fields[0], "#!case") == 0)
		add_case(v, fields, n);
	else if (strcmp(fields[0], "#!columns") == 0)
		set_columns(v, fields, n);
	else
		ck_abort_msg("unknown directive %s", fields[0]);
}

static void
take_line(struct file *f, char *line, size_t line_no)
{
	const char *fields[FIELDS_MAX];
	struct vectors_row *row;
	size_t n;

	if (line[0] == '\0' || (line[0] == '#' && line[1] != '!'))
		return;
	n = split(line, fields);
	if (line[0] == '#') {
		take_directive(&f->v, fields, n);
		return;
	}
	f->v.rows = grow(f->v.rows, f->v.nrows, sizeof(*f->v.rows));
	row = &f->v.rows[f->v.nrows++];
	row->fields = own(f, n * sizeof(*row->fields));
	memcpy(row->fields, fields, n * sizeof(*row->fields));
	row->nfields = n;
	row->key = decode_key(f, fields[0]);
	row->line = line_no;
}

struct vectors *
vectors_read(const char *file_name)
{
	struct file *f = calloc(1, sizeof(*f));
	char *line;

	ck_assert_ptr_nonnull(f);
	line = slurp(f, file_name);
	for (size_t line_no = 1; line != NULL; line_no++) {
		char *end = strchr(line, '\n');

		if (end != NULL)
			*end++ = '\0';
		take_line(f, line, line_no);
		line = end;
	}
	ck_assert_msg(f->v.nrows > 0, "%s holds no data", file_name);
	return &f->v;
}

void
vectors_free(struct vectors **v)
{
	struct file *f = (struct file *)*v;

	for (size_t i = 0; i < f->nowned; i++)
		free(f->owned[i]);
	free(f->owned);
	free(f->v.nodes);
	free(f->v.cases);
	free(f->v.rows);
	free(f);
	*v = NULL;
}

const struct vectors_case *
vectors_case(const struct vectors *v, const char *name)
{
	for (size_t i = 0; i < v->ncases; i++) {
		if (strcmp(v->cases[i].name, name) == 0)
			return &v->cases[i];
	}
	ck_abort_msg("there is no case %s", name);
	return NULL;
}

const char *
vectors_option(const struct vectors_case *c, const char *option)
{
	size_t len = strlen(option);

	for (size_t i = 0; i < c->noptions; i++) {
		if (strncmp(c->options[i], option, len) == 0 &&
		    c->options[i][len] == '=')
			return c->options[i] + len + 1;
	}
	return NULL;
}

double
vectors_number(const struct vectors_case *c, const char *option,
    double otherwise)
{
	const char *text = vectors_option(c, option);

	return text == NULL ? otherwise : strtod(text, NULL);
}

/* "host:port" or a host alone, kept by the file that `v` is part of. */
static struct span
default_name(const struct vectors *v, const struct vectors_node *node)
{
	struct file *f = (struct file *)(uintptr_t)v;
	size_t room = strlen(node->host) + 16;
	char *name = own(f, room);

	if (node->port == 0)
		snprintf(name, room, "%s", node->host);
	else
		snprintf(name, room, "%s:%u", node->host, node->port);
	return span_str(name);
}

size_t
vectors_servers(const struct vectors *v, const char *membership,
    struct placement_server *servers_r, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < v->nnodes; i++) {
		const struct vectors_node *node = &v->nodes[i];

		if (strcmp(node->membership, membership) != 0)
			continue;
		ck_assert_uint_lt(n, max);
		ck_assert_uint_eq(node->position, n);
		servers_r[n++] = (struct placement_server){
			.name = node->name != NULL ? span_str(node->name)
						   : default_name(v, node),
			.host = span_str(node->host),
			.port = (uint16_t)node->port,
			.weight = node->weight,
			.is_named = node->name != NULL,
		};
	}
	return n;
}

const char *
vectors_answer(const struct vectors_case *c, const struct vectors_row *row)
{
	ck_assert_msg(c->column > 0, "case %s has no column", c->name);
	ck_assert_uint_lt(c->column, row->nfields);
	return row->fields[c->column];
}

size_t
vectors_expect(const struct vectors *v, const struct vectors_case *c,
    const struct placement_spec *spec)
{
	struct placement_server servers[SERVERS_MAX];
	size_t n = vectors_servers(v, c->membership, servers, SERVERS_MAX);
	size_t expected = 0;
	enum placement_error error;
	struct err err;
	struct placement *p = placement_build(spec, servers, n, &error, &err);

	ck_assert_msg(p != NULL, "case %s: %s", c->name, err.text);
	for (size_t i = 0; i < v->nrows; i++) {
		const char *answer = vectors_answer(c, &v->rows[i]);
		uint32_t owner;

		if (strcmp(answer, "-") == 0)
			continue;
		owner = placement_owner(p, v->rows[i].key);
		ck_assert_msg(owner == strtoul(answer, NULL, 10),
		    "case %s, line %zu, key %s: owner %u, not %s", c->name,
		    v->rows[i].line, v->rows[i].fields[0], owner, answer);
		expected++;
	}
	placement_free(&p);
	return expected;
}
