/*
 * The lines that the proxy says itself, exactly as memcached says them.
 */
#ifndef PROTO_ANSWER_H
#define PROTO_ANSWER_H

#define ANSWER_ERROR          "ERROR\r\n"
#define ANSWER_BAD_FORMAT     "CLIENT_ERROR bad command line format\r\n"
#define ANSWER_BAD_CHUNK      "CLIENT_ERROR bad data chunk\r\n"
#define ANSWER_BAD_EXPTIME    "CLIENT_ERROR invalid exptime argument\r\n"
#define ANSWER_BAD_DELTA      "CLIENT_ERROR invalid numeric delta argument\r\n"
#define ANSWER_BAD_KEY_CODE   "CLIENT_ERROR error decoding key\r\n"
#define ANSWER_BAD_FLAG       "CLIENT_ERROR invalid flag\r\n"
#define ANSWER_DUPLICATE_FLAG "CLIENT_ERROR duplicate flag\r\n"
#define ANSWER_BAD_MA_FLAG    "CLIENT_ERROR invalid or duplicate flag\r\n"
#define ANSWER_BAD_DELETE                                                      \
	"CLIENT_ERROR bad command line format.  Usage: delete <key> "          \
	"[noreply]\r\n"
#define ANSWER_LONG_OPAQUE    "CLIENT_ERROR opaque token too long\r\n"
#define ANSWER_MANY_FLAGS     "CLIENT_ERROR options flags are too long\r\n"
#define ANSWER_TOO_LARGE      "SERVER_ERROR object too large for cache\r\n"
#define ANSWER_NO_MEMORY      "SERVER_ERROR out of memory\r\n"
#define ANSWER_TOO_MANY       "ERROR Too many open connections\r\n"
#define ANSWER_END            "END\r\n"
#define ANSWER_OK             "OK\r\n"
#define ANSWER_STORED         "STORED\r\n"
#define ANSWER_NOOP           "MN\r\n"

#endif
