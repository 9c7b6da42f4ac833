/* What libevent has to say goes to our log. */
#ifndef DAEMON_LIBEVENT_LOG_H
#define DAEMON_LIBEVENT_LOG_H

/* Before any other use of libevent. Main thread. */
void libevent_log_take(void);

#endif
