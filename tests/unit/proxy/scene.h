/*
 * What the tests of conversations share: one stage with servers s0, s1, ...,
 * and expectations that fail the running test.
 */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

#include <stddef.h>

#include "case.h"
#include "stage.h"

/* A configuration with two servers; `keys` are more lines of their pool. */
#define SCENE_CONF(limits, keys)                                               \
	"config_version: 1\n"                                                  \
	"listeners: [{listen: \"unix:${STAGE}/in\"}]\n"                        \
	"limits: {" limits "}\n"                                               \
	"pools:\n"                                                             \
	"  main:\n"                                                            \
	"    servers:\n"                                                       \
	"      - {name: s0, address: \"unix:${STAGE}/0\"}\n"                   \
	"      - {name: s1, address: \"unix:${STAGE}/1\"}\n" keys

/* The stage of the running test, between scene_set_up() and _tear_down(). */
extern struct stage *scene;

/* Two servers and client 0. */
void scene_set_up(const char *conf);

/* So many servers and client 0. */
void scene_set_up_of(size_t nhouses, const char *conf);

void scene_tear_down(void);

/* The servers say nothing of themselves any more. */
void scene_by_hand(void);

/* The i-th key of those that the server owns. Good until the test ends. */
const char *scene_key(size_t house, size_t i);

/* Client 0 says this; all is settled then. */
void scene_say(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* The server says this; all is settled then. */
void scene_reply(size_t house, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* That client 0 has been answered this since it was last asked, no more. */
void scene_expect(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* That it has not been answered anything. */
void scene_expect_nothing(void);

/* As scene_expect(), of client `i`. */
void scene_expect_of(size_t i, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* That the server has been asked just this since then, on its last seat. */
void scene_expect_asked(size_t house, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* That a new client, `i`, has its requests answered by honest servers. */
void scene_expect_in_service(size_t i);

/* That the proxy has closed client `i`. */
void scene_expect_closed(size_t i);

#endif
