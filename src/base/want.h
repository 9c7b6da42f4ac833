/* Failures of system calls that are a want of this process, or its host. */
#ifndef BASE_WANT_H
#define BASE_WANT_H

#include <errno.h>
#include <stdbool.h>

/* Whether `error` is a want of descriptors or memory: no peer's fault. */
static inline bool
want_is_ours(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS ||
	    error == ENOMEM;
}

#endif
