/* The worker's shared surroundings. */
#include "proxy/env.h"

#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

/* Marsaglia's xorshift with 32 bits of state (13, 17, 5). */
uint32_t
env_random(struct env *env)
{
	env->random ^= env->random << 13;
	env->random ^= env->random >> 17;
	env->random ^= env->random << 5;
	return env->random;
}

static void
tell_held(struct env *env, struct log_gate *gate, const char *what)
{
	unsigned held = log_gate_flush(gate, env_now_ms(env));

	if (held > 0)
		log_warn("%s: %u more lines were held back", what, held);
}

void
env_tell_held_lines(struct env *env)
{
	tell_held(env, &env->gate, "peers");
	tell_held(env, &env->health_gate, "servers' health");
	tell_held(env, &env->slow_gate, "slow requests");
}

void
env_alarm(struct env *env, uint64_t what)
{
	/* It fails only if the sum is full, and then the alarm is on. */
	if (write(env->proxy->alarm_fd, &what, sizeof(what)) < 0)
		return;
}

void
env_bury(struct env *env, struct grave *grave, void *body)
{
	grave->body = body;
	SLIST_INSERT_HEAD(&env->graves, grave, next);
}

void
env_clear_graves(struct env *env)
{
	struct grave *grave;

	while ((grave = SLIST_FIRST(&env->graves)) != NULL) {
		SLIST_REMOVE_HEAD(&env->graves, next);
		mem_free(grave->body);
	}
}
