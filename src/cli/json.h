/*
 * JSON documents, of the offline commands and of the admin listener: jansson,
 * with a failure that sticks, so that whoever builds a document need not look
 * at each step.
 *
 * Nobody else uses jansson.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"

/* A document in the making. Embedded. */
struct json_doc {
	json_t	*root;		/* owned: an object */
	bool	 is_broken;	/* no memory for some part of it */
};

/* An empty object to start with. */
void json_doc_init(struct json_doc *doc);

/*
 * Each adds a member to `object`. What is given back is lent by it, and NULL
 * without memory, which all of these take for an object.
 */
json_t *json_doc_object(struct json_doc *doc, json_t *object,
    const char *name);
json_t *json_doc_array(struct json_doc *doc, json_t *object,
    const char *name);
void json_doc_text(struct json_doc *doc, json_t *object, const char *name,
    const char *text);
void json_doc_bool(struct json_doc *doc, json_t *object, const char *name,
    bool is_true);
void json_doc_count(struct json_doc *doc, json_t *object, const char *name,
    uint64_t n);

/* What is no number, or infinite, becomes null. */
void json_doc_number(struct json_doc *doc, json_t *object, const char *name,
    double number);
void json_doc_null(struct json_doc *doc, json_t *object, const char *name);

/* Adds an empty object to `array`; lent by it. */
json_t *json_doc_append(struct json_doc *doc, json_t *array);

void json_doc_append_text(struct json_doc *doc, json_t *array,
    const char *text);

void json_doc_append_count(struct json_doc *doc, json_t *array, uint64_t n);
void json_doc_append_number(struct json_doc *doc, json_t *array,
    double number);

/*
 * The document in one line, to be freed with mem_free(), and frees the
 * document. NULL without memory.
 */
char *json_doc_take(struct json_doc *doc) MUST_CHECK;

/*
 * Writes the document to standard output and frees it. `status`, or the exit
 * status of a failure, after complaining.
 */
int json_doc_print(struct json_doc *doc, int status) MUST_CHECK;

#endif
