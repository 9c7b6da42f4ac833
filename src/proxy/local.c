/* The proxy's own answers. */
#include "proxy/local.h"

#include <stdio.h>

#include "base/num.h"
#include "proto/answer.h"
#include "proxy/dispatch_keys.h"
#include "proxy/local_config.h"
#include "proxy/local_stats.h"
#include "proxy/target.h"
#include "version.h"

#define LINE_SIZE 256

static void
say(struct client *client, const struct request *req, const char *line)
{
	if (!req->is_noreply)
		client_say(client, span_str(line));
}

static void
answer_version(struct client *client)
{
	client_say(client, span_str("VERSION " LOCAL_MEMCACHED_VERSION
	    " fairlead-" FAIRLEAD_VERSION "\r\n"));
}

/* The level is checked and not used: ours is the configuration's. */
static void
answer_verbosity(struct client *client, const struct request *req)
{
	struct span rest = req->args, level;
	uint64_t n;

	if (request_next_word(&rest, &level) &&
	    num_parse_u64_max(level, UINT32_MAX, &n))
		say(client, req, ANSWER_OK);
	else
		say(client, req, ANSWER_BAD_FORMAT);
}

/* Before another word it stands where the delay does, and is none. */
static bool
is_lone_noreply(struct span word, struct span rest)
{
	struct span more;

	return span_eq(word, span_str("noreply")) &&
	    !request_next_word(&rest, &more);
}

static void
answer_flush_all(struct client *client, const struct request *req)
{
	char line[LINE_SIZE];
	const struct pool *pool = target_pool(client, span_of("", 0));
	struct span rest = req->args, word;
	int64_t delay = 0;
	int len;

	if (pool == NULL || !pool->policy.flush_all) {
		say(client, req, "CLIENT_ERROR flush_all not allowed\r\n");
		return;
	}
	if (request_next_word(&rest, &word) &&
	    !is_lone_noreply(word, rest) &&
	    (!num_parse_i64(word, &delay) || delay > INT32_MAX ||
	    delay < INT32_MIN)) {
		say(client, req, ANSWER_BAD_EXPTIME);
		return;
	}
	len = snprintf(line, sizeof(line), "flush_all %lld\r\n",
	    (long long)delay);
	dispatch_everywhere(client, req, span_of(line, (size_t)len));
}

static void
refuse(struct client *client, const struct request *req)
{
	char line[LINE_SIZE];

	snprintf(line, sizeof(line),
	    "CLIENT_ERROR %s is not allowed through this proxy\r\n",
	    verb_name(req->verb));
	say(client, req, line);
}

void
local_answer(struct client *client, const struct request *req)
{
	switch (req->verb) {
	case VERB_MN:
		client_say(client, span_str(ANSWER_NOOP));
		return;
	case VERB_VERSION:
		answer_version(client);
		return;
	case VERB_VERBOSITY:
		answer_verbosity(client, req);
		return;
	case VERB_QUIT:
		client_finish(client, REASON_QUIT);
		return;
	case VERB_STATS:
		local_stats(client, req);
		return;
	case VERB_CONFIG:
		local_config(client, req);
		return;
	case VERB_FLUSH_ALL:
		answer_flush_all(client, req);
		return;
	case VERB_SHUTDOWN:
	case VERB_CACHE_MEMLIMIT:
	case VERB_SLABS:
	case VERB_LRU:
	case VERB_LRU_CRAWLER:
	case VERB_EXTSTORE:
	case VERB_WATCH:
	case VERB_REFRESH_CERTS:
		refuse(client, req);
		return;
	case VERB_GET:
	case VERB_GETS:
	case VERB_GAT:
	case VERB_GATS:
	case VERB_SET:
	case VERB_ADD:
	case VERB_REPLACE:
	case VERB_APPEND:
	case VERB_PREPEND:
	case VERB_CAS:
	case VERB_DELETE:
	case VERB_INCR:
	case VERB_DECR:
	case VERB_TOUCH:
	case VERB_MG:
	case VERB_MS:
	case VERB_MD:
	case VERB_MA:
	case VERB_ME:
		break;
	}
	NEVER();
}
