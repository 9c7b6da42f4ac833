/*
 * The parts of a turn of a worker's loop: taking more events in, going on with
 * what had to wait, and writing. The worker's thread.
 */
#ifndef PROXY_TURN_H
#define PROXY_TURN_H

#include "proxy/env.h"

/* Serves what became ready while the first events of the turn were served. */
void turn_gather(struct env *env);

/* Clients with input that had to wait take it up, if they may now. */
void turn_resume(struct env *env);

/* Writes each connection that has something to write. */
void turn_flush(struct env *env);

#endif
