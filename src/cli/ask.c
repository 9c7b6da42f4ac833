/* One request to the admin listener. */
#include "cli/ask.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "route/address.h"

#define REQUEST_MAX 512

/* The head of an answer and what is kept of its text. */
#define ANSWER_MAX (ASK_TEXT_MAX + 4096)

/* A connection with an end to its time. */
struct line {
	int		 fd;
	uint64_t	 end_ms;
	struct err	*err;
};

/* Waits until the socket is ready for `events`; false when time is over. */
static bool
wait_for(const struct line *line, short events)
{
	uint64_t now_ms = clock_now_ms();
	struct pollfd pollfd = {line->fd, events, 0};

	if (now_ms < line->end_ms &&
	    poll(&pollfd, 1, (int)(line->end_ms - now_ms)) == 1)
		return true;
	err_set(line->err, "no answer in time");
	return false;
}

static bool
open_line(struct line *line, const struct endpoint *ep)
{
	struct sockaddr_storage address;
	socklen_t len;
	int error = 0;

	if (!address_of_endpoint(ep, &address, &len)) {
		err_set(line->err, "a host name is not looked up");
		return false;
	}
	line->fd = socket(address.ss_family,
	    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (line->fd != -1 && connect(line->fd,
	    (const struct sockaddr *)&address, len) == 0)
		return true;
	if (line->fd == -1 || errno != EINPROGRESS) {
		err_set(line->err, "cannot connect: %s", strerror(errno));
		return false;
	}
	len = sizeof(error);
	if (!wait_for(line, POLLOUT))
		return false;
	if (getsockopt(line->fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 &&
	    error == 0)
		return true;
	err_set(line->err, "cannot connect: %s", strerror(error));
	return false;
}

static bool
send_request(const struct line *line, const char *method, const char *path)
{
	char request[REQUEST_MAX];
	int len = snprintf(request, sizeof(request), "%s %s HTTP/1.0\r\n"
	    "Host: localhost\r\nContent-Length: 0\r\n\r\n", method, path);

	MUST(len > 0 && len < REQUEST_MAX);
	/* So little fits into the buffer of any new connection. */
	if (send(line->fd, request, (size_t)len, MSG_NOSIGNAL) == len)
		return true;
	err_set(line->err, "cannot ask: %s", strerror(errno));
	return false;
}

/* Reads to the end; what is more than fits is dropped. */
static bool
receive(const struct line *line, char *out, size_t *len_r)
{
	char rest[4096];
	size_t len = 0;
	ssize_t n;

	do {
		size_t room = ANSWER_MAX - 1 - len;

		if (!wait_for(line, POLLIN))
			return false;
		n = recv(line->fd, room > 0 ? out + len : rest,
		    room > 0 ? room : sizeof(rest), 0);
		if (n > 0 && room > 0)
			len += (size_t)n;
	} while (n > 0);
	if (n < 0 && len == 0) {
		err_set(line->err, "no answer: %s", strerror(errno));
		return false;
	}
	out[len] = '\0';
	*len_r = len;
	return true;
}

/* "HTTP/1.0 200 OK", lines, an empty one, the text. */
static bool
parse_answer(char *answer, struct ask_answer *answer_r, struct err *err)
{
	char *blank = strchr(answer, ' '), *text = strstr(answer, "\r\n\r\n");
	uint64_t status;

	if (strncmp(answer, "HTTP/1.", 7) != 0 || blank == NULL ||
	    text == NULL || strlen(blank) < 4 ||
	    !num_parse_u64(span_of(blank + 1, 3), &status)) {
		err_set(err, "what answers there does not speak HTTP");
		return false;
	}
	answer_r->status = (int)status;
	snprintf(answer_r->text, sizeof(answer_r->text), "%s", text + 4);
	return true;
}

bool
ask(const struct endpoint *ep, const char *method, const char *path,
    uint64_t timeout_ms, struct ask_answer *answer_r, struct err *err)
{
	struct line line = {-1, clock_now_ms() + timeout_ms, err};
	char answer[ANSWER_MAX];
	size_t len;
	bool is_good;

	is_good = open_line(&line, ep) && send_request(&line, method, path) &&
	    receive(&line, answer, &len) &&
	    parse_answer(answer, answer_r, err);
	if (line.fd != -1)
		close(line.fd);
	return is_good;
}
