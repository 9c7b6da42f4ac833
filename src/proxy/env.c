/* The worker's shared surroundings. */
#include "proxy/env.h"

#include <unistd.h>

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
