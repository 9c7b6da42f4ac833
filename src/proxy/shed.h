/*
 * Shedding: when memory is short, those go who hold most of it and do nothing
 * with it, before anybody else has to do without: who read none of it, and
 * who stopped within a command.
 */
#ifndef PROXY_SHED_H
#define PROXY_SHED_H

#include "proxy/env.h"

/*
 * While less than an eighth of limits.memory is left, closes the worker's
 * clients whose sockets take nothing, and those from which the rest of a
 * command does not come, those that hold most first. If that is not enough,
 * the other workers are woken to do the same. At the end of a turn, when all
 * that can be written is.
 */
void shed_slow_clients(struct env *env);

#endif
