/* Mail for a worker. */
#include "proxy/inbox.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "route/table.h"

/* Places for arrivals in the first batch. */
#define FIRST_ROOM 16

bool
inbox_init(struct inbox *inbox)
{
	*inbox = (struct inbox){.wake_fd = -1};
	pthread_mutex_init(&inbox->mtx, NULL);
	inbox->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return inbox->wake_fd != -1;
}

void
inbox_fini(struct inbox *inbox)
{
	struct mail *mail = &inbox->mail;

	for (size_t i = 0; i < mail->narrivals; i++)
		close(mail->arrivals[i].fd);
	mem_free(mail->arrivals);
	table_unref(&mail->table);
	pthread_mutex_destroy(&inbox->mtx);
	if (inbox->wake_fd != -1)
		close(inbox->wake_fd);
}

void
inbox_wake(struct inbox *inbox)
{
	uint64_t one = 1;

	/* It fails only when the counter is full: then it wakes anyway. */
	if (write(inbox->wake_fd, &one, sizeof(one)) < 0)
		return;
}

bool
inbox_is_woken(struct inbox *inbox)
{
	uint64_t n;

	return read(inbox->wake_fd, &n, sizeof(n)) == (ssize_t)sizeof(n);
}

/* Under the mutex: room for one more arrival. */
static bool
make_room(struct mail *mail)
{
	size_t room = mail->room == 0 ? FIRST_ROOM : mail->room * 2;
	struct arrival *arrivals;

	if (mail->narrivals < mail->room)
		return true;
	arrivals = mem_resize(mail->arrivals, room, sizeof(*arrivals));
	if (arrivals == NULL)
		return false;
	mail->arrivals = arrivals;
	mail->room = room;
	return true;
}

bool
inbox_put_client(struct inbox *inbox, const struct arrival *arrival)
{
	struct mail *mail = &inbox->mail;
	bool is_put;

	pthread_mutex_lock(&inbox->mtx);
	is_put = make_room(mail);
	if (is_put)
		mail->arrivals[mail->narrivals++] = *arrival;
	pthread_mutex_unlock(&inbox->mtx);
	if (is_put)
		inbox_wake(inbox);
	else
		close(arrival->fd);
	return is_put;
}

void
inbox_put_table(struct inbox *inbox, struct table *table)
{
	struct table *passed_over;

	pthread_mutex_lock(&inbox->mtx);
	passed_over = inbox->mail.table;
	inbox->mail.table = table;
	pthread_mutex_unlock(&inbox->mtx);
	table_unref(&passed_over);
	inbox_wake(inbox);
}

void
inbox_put_stop(struct inbox *inbox)
{
	pthread_mutex_lock(&inbox->mtx);
	inbox->mail.is_stop = true;
	pthread_mutex_unlock(&inbox->mtx);
	inbox_wake(inbox);
}

void
inbox_take(struct inbox *inbox, struct mail *mail_r)
{
	pthread_mutex_lock(&inbox->mtx);
	*mail_r = inbox->mail;
	inbox->mail = (struct mail){.is_stop = mail_r->is_stop};
	pthread_mutex_unlock(&inbox->mtx);
}
