/* The reasons in words. */
#include "proxy/reason.h"

const char *
reason_words(enum reason reason)
{
	static const char *const words[] = {
#define X(member, text, is_fault, failed) [REASON_##member] = text,
		REASONS(X)
#undef X
	};

	return words[reason];
}

bool
reason_is_servers_fault(enum reason reason)
{
	static const bool faults[] = {
#define X(member, text, is_fault, failed) [REASON_##member] = is_fault,
		REASONS(X)
#undef X
	};

	return faults[reason];
}

enum server_counter
reason_counter(enum reason reason)
{
	static const enum server_counter counters[] = {
#define X(member, text, is_fault, failed)                                      \
	[REASON_##member] = SERVER_FAILED_##failed,
		REASONS(X)
#undef X
	};

	return counters[reason];
}
