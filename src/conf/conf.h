/*
 * A configuration: what a file means, checked and with all defaults filled
 * in.
 *
 * A file goes through four stages, each with its own files here:
 *
 *	read.c		bytes of the file, size-capped, valid UTF-8
 *	tree.c		YAML -> nodes with their places; expand.c: ${VAR}
 *	check.c		nodes -> struct conf, by the table in keys*.c
 *	link.c		what keys say about each other: names, pools, routes
 *
 * Nothing here binds, connects or resolves anything. Main thread.
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/endpoint.h"
#include "base/must.h"
#include "ring/placement.h"

/* Most bytes a file may have: refused before anything is allocated. */
#define CONF_FILE_MAX (4u << 20)

/* The number that `config_version` must have. */
#define CONF_VERSION 1

/* Where in the file something was said, from 1; line 0: nowhere. */
struct conf_place {
	uint32_t	line;
	uint32_t	column;
};

/* What happens to the keys of a server that cannot answer. */
enum conf_on_down {
	CONF_ON_DOWN_MISS,	/* reads miss, writes fail */
	CONF_ON_DOWN_ERROR,	/* everything fails */
	CONF_ON_DOWN_NEXT,	/* the next server clockwise takes them */
	CONF_ON_DOWN_GUTTER,	/* another pool takes them */
};

/* What becomes of a login, the `set` that a connection may begin with. */
enum conf_auth {
	CONF_AUTH_NONE,		/* none is expected: a set like any other */
	CONF_AUTH_ACCEPT,	/* every one succeeds, and is not passed on */
};

struct conf_server {
	struct conf_place	 place;
	const char		*address;	/* as written */
	const char		*name;		/* the ring's identity */
	bool			 is_named;	/* else `name` is `address` */
	struct endpoint		 endpoint;
	double			 weight;	/* > 0 */
};

struct conf_pool {
	struct conf_place	 place;
	const char		*name;
	struct conf_server	*servers;	/* at least one */
	size_t			 nservers;
	struct placement_spec	 placement;
	uint64_t		 connect_timeout_ms;
	uint64_t		 request_timeout_ms;
	enum conf_on_down	 on_down;
	const char		*gutter_name;	/* NULL: none */
	size_t			 gutter;	/* index; with ON_DOWN_GUTTER */
	uint64_t		 gutter_ttl_ms;	/* whole seconds, or 0: none */
	uint64_t		 health_failures;	/* in a row */
	uint64_t		 health_retry_ms;
	uint64_t		 health_retry_max_ms;
	uint64_t		 health_max_down;	/* percent of them */
	uint64_t		 server_connections;	/* of each worker */
	uint64_t		 server_queue;		/* of one connection */
	uint64_t		 server_queue_bytes;	/* the same */
	bool			 flush_all;		/* clients may */
	bool			 join_gets;		/* in one line */
};

/* Keys that start with `prefix` go to pools[pool]. */
struct conf_route {
	struct conf_place	 place;
	const char		*prefix;
	size_t			 prefix_len;	/* bytes, at least one */
	const char		*pool_name;
	size_t			 pool;
};

/* Bytes of the name of a passed socket, with its NUL. */
#define CONF_SOCKET_SIZE 64

#define CONF_LISTENERS_MAX 64

struct conf_listener {
	struct conf_place	 place;
	const char		*listen;	/* as written */
	struct endpoint		 endpoint;	/* never a name */
	uint32_t		 mode;		/* of a unix socket, else 0 */
	char			 socket[CONF_SOCKET_SIZE];	/* or empty */
	const char		*pool_name;	/* where no route matches */
	size_t			 pool;
	struct conf_route	*routes;	/* longest prefix first */
	size_t			 nroutes;
	enum conf_auth		 auth;
};

/* Where the proxy itself is looked after, by HTTP. */
struct conf_admin {
	struct conf_place	 place;
	const char		*listen;	/* as written; NULL: nowhere */
	struct endpoint		 endpoint;	/* never a name */
	uint32_t		 mode;		/* of a unix socket, else 0 */
	bool			 actions;	/* POSTs may change something */
};

struct conf_limits {
	uint64_t	clients;
	uint64_t	value_size;	/* bytes of one value */
	uint64_t	client_buffer;	/* bytes one client may have queued */
	uint64_t	memory;		/* bytes of all buffers */
	uint64_t	request_line;	/* bytes of one get line */
	uint64_t	client_idle_ms;	/* 0: for ever */
};

enum conf_log_format { CONF_LOG_TEXT, CONF_LOG_LOGFMT, CONF_LOG_JSON };

enum conf_log_level {
	CONF_LOG_ERROR,
	CONF_LOG_WARN,
	CONF_LOG_INFO,
	CONF_LOG_DEBUG,
	CONF_LOG_UNSAID,	/* what the command line says, else info */
};

struct conf_log {
	enum conf_log_format	 format;
	enum conf_log_level	 level;
	char			 file[256];	/* empty: standard error */
	uint64_t		 slow_request_ms;	/* 0: none is slow */
};

/* How keys are shown. */
enum conf_privacy {
	CONF_PRIVACY_NONE,	/* as they are */
	CONF_PRIVACY_HASH,	/* as a hash that nobody can look up */
};

struct arena;

/* Immutable once loaded; every pointer inside belongs to `arena`. */
struct conf {
	const char		*path;		/* of the file, as given */
	uint64_t		 config_version;
	uint64_t		 workers;
	struct conf_place	 workers_place;	/* nowhere: the default */
	uint64_t		 shutdown_timeout_ms;
	uint64_t		 activate_at_ms;	/* Unix; 0: at once */
	uint64_t		 dns_refresh_ms;
	uint64_t		 reload_watch_ms;	/* 0: by its kind */
	struct conf_admin	 admin;
	struct conf_limits	 limits;
	struct conf_log		 log;
	bool			 backend_totals;	/* asked for */
	enum conf_privacy	 privacy;
	struct conf_listener	*listeners;	/* at least one */
	size_t			 nlisteners;
	struct conf_pool	*pools;		/* at least one */
	size_t			 npools;
	struct arena		*arena;
};

/*
 * Every complaint about one file, in the order of their places. NULL stands
 * for the one complaint that needs no memory: that there was none.
 */
struct conf_errors;

/*
 * Reads, parses and checks the file at `path`. NULL when anything is wrong;
 * `errors_r` then has at least one line (it may be NULL even then, see
 * struct conf_errors) and the caller frees it with conf_errors_free(). On
 * success `errors_r` is NULL. Binds nothing, resolves nothing; limits.memory
 * is by default what the process's cgroup suggests.
 */
struct conf *conf_load(const char *path, struct conf_errors **errors_r)
    MUST_CHECK;

/*
 * The two halves of conf_load(). The first gives the bytes of the file, which
 * the caller frees with mem_free(), or NULL with `errors_r` as there.
 */
char *conf_read(const char *path, size_t *len_r,
    struct conf_errors **errors_r) MUST_CHECK;

struct conf *conf_load_text(const char *path, const char *text, size_t len,
    struct conf_errors **errors_r) MUST_CHECK;

/*
 * As conf_load(), from `len` bytes and by them and the environment, for
 * ${VAR}, alone. `path` is only for the messages.
 */
struct conf *conf_parse(const char *path, const char *text, size_t len,
    struct conf_errors **errors_r) MUST_CHECK;

/* Frees and nulls; NULL inside is fine. */
void conf_free(struct conf **conf);

/*
 * Whether both mean the same, wherever in whatever file things stand: going
 * from one to the other would change nothing. Secrets count. No allocation.
 */
bool conf_is_same(const struct conf *a, const struct conf *b) MUST_CHECK;

/*
 * Whether going from `old` to `new` changes what only a restart can change;
 * `errors_r` then has one line a key, by name, to be freed by the caller.
 */
bool conf_restart_only_changes(const struct conf *old, const struct conf *new,
    struct conf_errors **errors_r) MUST_CHECK;

/* A setting with another value. All lent for the visit. */
struct conf_change {
	const char	*path;		/* "pools.main.timeouts.request" */
	const char	*before;	/* as written, or words; no secrets */
	const char	*after;
	bool		 is_restart_only;
};

/*
 * Calls `visit` for each single value that differs, in the order of the
 * table: at the top level, in sections, and in pools of the same name. Pools
 * that came or went, listeners and servers are lists, not settings.
 */
void conf_visit_changes(const struct conf *old, const struct conf *new,
    void (*visit)(void *arg, const struct conf_change *change), void *arg);

/*
 * Writes the configuration as YAML with every default filled in; parsing
 * that gives the same configuration again, but for secrets, which are not
 * shown. Write errors stay in `out`.
 */
void conf_print(const struct conf *conf, FILE *out);

/*
 * For the stages after these (build, open): adds a line about `place` in the
 * file of `conf`, starting the list if `*errors` is NULL.
 */
void conf_errors_add(struct conf_errors **errors, const struct conf *conf,
    struct conf_place place, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Number of lines, at least one. */
size_t conf_errors_count(const struct conf_errors *errors);

/* The i-th line, "file:line:column: message". Lent by `errors`. */
const char *conf_errors_line(const struct conf_errors *errors, size_t i);

/* Whether the one complaint is that there was no memory. */
bool conf_errors_is_out_of_memory(const struct conf_errors *errors);

/* Whether the file could not even be read (sysexits' 66, not 78). */
bool conf_errors_is_unreadable(const struct conf_errors *errors);

/* Frees and nulls; NULL inside is fine. */
void conf_errors_free(struct conf_errors **errors);

#endif
