/*
 * Idle clients: those that have asked nothing for limits.client_idle, and for
 * whom nothing is under way. No timer each: all are looked at now and then.
 */
#ifndef PROXY_IDLE_H
#define PROXY_IDLE_H

#include "proxy/env.h"

/*
 * How often to look, so that nobody stays much longer than allowed; 0 if
 * clients may idle for ever, or there are none.
 */
uint64_t idle_interval_ms(const struct env *env);

/* Closes the worker's clients that are idle for too long. */
void idle_close_clients(struct env *env);

#endif
