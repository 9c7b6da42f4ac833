/*
 * What our own code guarantees, checked in production too.
 *
 * MUST() is for preconditions and invariants of our own making. It is never
 * for bytes from a peer, for configuration, or for a failed system call.
 */
#ifndef BASE_MUST_H
#define BASE_MUST_H

#define MUST_CHECK __attribute__((warn_unused_result))
#define NORETURN   __attribute__((noreturn))
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))

/* Dies loudly, naming the claim that does not hold. */
#define MUST(x)                                                                \
	(__builtin_expect(!!(x), 1) ? (void)0                                  \
				    : must_fail(__FILE__, __LINE__, #x))

/* Follows a switch over every member of an enum. */
#define NEVER() must_fail(__FILE__, __LINE__, "not reached")

/* Writes the claim and its place to stderr and aborts. Any thread. */
NORETURN void must_fail(const char *file, int line, const char *claim);

#endif
