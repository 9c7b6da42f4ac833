/* One connection of the load: its life and its bytes. */
#include "talk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "talk_state.h"

struct talk *
talk_new(int fd, uint32_t nkeys, unsigned depth, uint64_t seed,
    struct tally *tally)
{
	struct talk *talk = mem_zalloc(1, sizeof(*talk));

	if (talk == NULL)
		return NULL;
	talk->fd = fd;
	talk->nkeys = nkeys;
	talk->depth = depth;
	talk->random = seed * 0x9e3779b97f4a7c15u + 1;
	talk->tally = tally;
	return talk;
}

void
talk_free(struct talk **talk)
{
	if (*talk == NULL)
		return;
	close((*talk)->fd);
	mem_free(*talk);
	*talk = NULL;
}

int
talk_fd(const struct talk *talk)
{
	return talk->fd;
}

void
talk_ask(struct talk *talk, uint64_t *asked, uint64_t limit)
{
	if (talk->out_sent == talk->out_len)
		talk->out_sent = talk->out_len = 0;
	while (*asked < limit && talk->outstanding < talk->depth &&
	    BUFFER_SIZE - talk->out_len >= MESSAGE_ROOM) {
		ask_one(talk);
		(*asked)++;
	}
}

bool
talk_write(struct talk *talk)
{
	ssize_t n;

	if (talk->out_sent == talk->out_len)
		return true;
	n = send(talk->fd, talk->out + talk->out_sent,
	    talk->out_len - talk->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return true;
		talk->tally->closed++;
		return false;
	}
	talk->out_sent += (size_t)n;
	return true;
}

bool
talk_wants_write(const struct talk *talk)
{
	return talk->out_sent < talk->out_len;
}

bool
talk_is_idle(const struct talk *talk)
{
	return talk->outstanding == 0 && !talk_wants_write(talk);
}

void
talk_note(struct talk *talk, const char *what, const char *bytes,
    size_t len)
{
	struct tally *tally = talk->tally;

	if (tally->first[0] == '\0')
		snprintf(tally->first, sizeof(tally->first), "%s: %.*s", what,
		    len > 150 ? 150 : (int)len, bytes);
}

bool
talk_read(struct talk *talk)
{
	ssize_t n = recv(talk->fd, talk->in + talk->in_len,
	    BUFFER_SIZE - talk->in_len, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0) {
		talk_note(talk, "lost", n == 0 ? "closed by the peer" :
		    strerror(errno), 40);
		talk->tally->closed++;
		return false;
	}
	talk->in_len += (size_t)n;
	return check_replies(talk);
}
