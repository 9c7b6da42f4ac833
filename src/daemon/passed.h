/*
 * Sockets that the service manager has opened and passed on: systemd's socket
 * activation, as sd_listen_fds(3) has it.
 *
 * systemd keeps them open while Fairlead restarts, so that nobody who connects
 * meanwhile is refused. They are kept here for the life of the process too,
 * and listeners get duplicates: one that a reload takes away and another
 * brings back finds its socket again. Main thread.
 */
#ifndef DAEMON_PASSED_H
#define DAEMON_PASSED_H

#include "base/endpoint.h"
#include "base/must.h"

struct passed;

/*
 * What LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES tell of, which are taken out
 * of the environment; perhaps none. NULL without memory.
 */
struct passed *passed_new(void) MUST_CHECK;

/*
 * A duplicate of the socket called `name`, or, with an empty name or without
 * one of that name, of the one that listens at `ep`; the caller closes it. -1
 * with errno set: ENOENT if there is none.
 */
int passed_socket(struct passed *passed, const char *name,
    const struct endpoint *ep) MUST_CHECK;

/* Warns of those that nobody has asked for. */
void passed_warn_unused(const struct passed *passed);

/* Frees and nulls; NULL inside is fine. */
void passed_free(struct passed **passed);

#endif
