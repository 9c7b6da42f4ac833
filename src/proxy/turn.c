/* The parts of a turn. */
#include "proxy/turn.h"

#include <event2/event.h>

#include "proxy/client.h"
#include "proxy/tally.h"
#include "proxy/upstream.h"

/* Further looks of one turn, and looks in vain after which they cease. */
#define MORE_LOOKS_MAX 4
#define IDLE_LOOKS_MAX 8

/*
 * Taken off the lists first: flushing may put it, or others, back. A retry
 * makes upstreams dirty and a failure clients, never the other way round.
 */
static void
flush_upstreams(struct env *env)
{
	struct conn *conn;

	while ((conn = TAILQ_FIRST(&env->dirty_upstreams)) != NULL) {
		TAILQ_REMOVE(&env->dirty_upstreams, conn, dirty_next);
		conn->is_dirty = false;
		upstream_flush((struct upstream *)(void *)conn);
	}
}

static void
flush_clients(struct env *env)
{
	struct conn *conn;

	while ((conn = TAILQ_FIRST(&env->dirty_clients)) != NULL) {
		TAILQ_REMOVE(&env->dirty_clients, conn, dirty_next);
		conn->is_dirty = false;
		client_flush((struct client *)(void *)conn);
	}
}

void
turn_flush(struct env *env)
{
	flush_upstreams(env);
	tally_show_answers(env);
	flush_clients(env);
}

void
turn_resume(struct env *env)
{
	struct client *last = TAILQ_LAST(&env->waiting, client_list);
	struct client *client = NULL;

	/* Those that must wait again go behind the last, for the next turn. */
	while (client != last) {
		client = TAILQ_FIRST(&env->waiting);
		client_resume(client);
	}
}

/*
 * Looks again, without waiting, for what became ready while the first events
 * were served: the more requests leave together, the fewer the system calls.
 * Where looks find nothing, as with a client that asks one thing at a time,
 * they cease.
 */
void
turn_gather(struct env *env)
{
	size_t before;

	for (int i = 0; i < MORE_LOOKS_MAX; i++) {
		if (env->nready < 2 && env->idle_looks >= IDLE_LOOKS_MAX)
			return;
		before = env->nready;
		event_base_loop(env->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
		if (env->nready == before) {
			env->idle_looks++;
			return;
		}
		env->idle_looks = 0;
	}
}
