/* Missing a host that is gone without a word. */
#ifndef PROXY_KEEPALIVE_H
#define PROXY_KEEPALIVE_H

/*
 * So that the TCP connection `fd`, or those that are accepted on it, breaks
 * half a minute after nobody answered for `idle_s` seconds; by itself the
 * system would take more than two hours. A wish: without it a socket serves
 * as well.
 */
void keepalive_set(int fd, int idle_s);

#endif
