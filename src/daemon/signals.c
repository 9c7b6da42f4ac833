/* Catching signals. */
#include "daemon/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* A handler has no argument to carry them: set once, before any signal. */
static int pipe_fds[2] = {-1, -1};

static void
on_signal(int number)
{
	int saved_errno = errno;
	unsigned char byte = (unsigned char)number;

	/* A full pipe holds enough signals to act on. */
	if (write(pipe_fds[1], &byte, 1) < 0)
		errno = saved_errno;
	errno = saved_errno;
}

bool
signals_start(void)
{
	static const int caught[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP,
	    SIGUSR1, SIGUSR2, SIGTTIN, SIGTTOU, SIGCHLD};
	struct sigaction action = {.sa_handler = on_signal,
	    .sa_flags = SA_RESTART};
	sigset_t none;

	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) == -1)
		return false;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaction(caught[i], &action, NULL);
	/* What the parent blocked would never come. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return true;
}

int
signals_fd(void)
{
	return pipe_fds[0];
}

int
signals_next(void)
{
	unsigned char byte;

	return read(pipe_fds[0], &byte, 1) == 1 ? byte : 0;
}

void
signals_reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}
