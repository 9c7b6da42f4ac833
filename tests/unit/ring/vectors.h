/*
 * Reading the golden placement vectors of tests/vectors/ (format: README.md
 * there), and comparing a placement with a column of them.
 *
 * For tests only: whatever is wrong with a file fails the running test.
 */
#ifndef TEST_VECTORS_H
#define TEST_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "ring/placement.h"

/* One server of a membership, as written in the file. */
struct vectors_node {
	const char	*membership;
	size_t		 position;
	const char	*name;		/* NULL: none given */
	const char	*host;		/* "-": not used */
	unsigned	 port;		/* 0: not used */
	double		 weight;
};

#define VECTORS_OPTIONS_MAX 8

/* One column of answers: a membership under a rule with options. */
struct vectors_case {
	const char	*name;
	const char	*membership;
	const char	*options[VECTORS_OPTIONS_MAX];	/* "option=value" */
	size_t		 noptions;
	size_t		 column;	/* in rows; 0: the file has no such */
};

/* One line of data. */
struct vectors_row {
	struct span	 key;		/* the first field, %XX decoded */
	const char	**fields;	/* all fields as written */
	size_t		 nfields;
	size_t		 line;		/* in the file, from 1 */
};

struct vectors {		/* owns all it points at */
	const char		*family;	/* NULL: not given */
	struct vectors_node	*nodes;
	size_t			 nnodes;
	struct vectors_case	*cases;
	size_t			 ncases;
	struct vectors_row	*rows;
	size_t			 nrows;
};

/* The file of that name in tests/vectors/. Free with vectors_free(). */
struct vectors *vectors_read(const char *file_name);

void vectors_free(struct vectors **v);

/* The case called `name`; fails the test if there is none. */
const struct vectors_case *vectors_case(const struct vectors *v,
    const char *name);

/* The value of an option of the case, or NULL. */
const char *vectors_option(const struct vectors_case *c, const char *option);

/* As vectors_option(), for a number; `otherwise` if the option is missing. */
double vectors_number(const struct vectors_case *c, const char *option,
    double otherwise);

/*
 * The servers of a membership in order, at most `max` of them; how many. A
 * server without a name is called "host:port", as an operator would get it.
 * Names are lent by the file's memory.
 */
size_t vectors_servers(const struct vectors *v, const char *membership,
    struct placement_server *servers_r, size_t max);

/* The case's answer for a row as written: a position, "-", or a list. */
const char *vectors_answer(const struct vectors_case *c,
    const struct vectors_row *row);

/*
 * Builds `spec` over the case's servers and fails the test unless every
 * answer of the case, save "-", is the owner; how many there were.
 */
size_t vectors_expect(const struct vectors *v, const struct vectors_case *c,
    const struct placement_spec *spec);

#endif
