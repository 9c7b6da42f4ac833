/*
 * The sections of the table of keys: what faces clients, and the process
 * itself, in keys_front.c, the log in keys_log.c, what faces servers in
 * keys_pool.c. Only keys.c reads them.
 */
#ifndef CONF_KEYS_ROWS_H
#define CONF_KEYS_ROWS_H

#include "conf/conf.h"
#include "conf/keys.h"

/* Units of defaults and bounds: bytes, and milliseconds. */
#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define SECOND UINT64_C(1000)
#define HOUR (3600 * SECOND)

/* Where a value goes: a field of the section's struct. */
#define FIELD(s, f) .offset = offsetof(struct s, f),                           \
	.width = sizeof(((struct s *)NULL)->f)
#define AUX(s, f) .aux = offsetof(struct s, f)

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define KEYS(a) .keys = (a), .nkeys = LENGTH(a)
#define PLACE(s) .has_place = true, .place = offsetof(struct s, place)

extern const struct section admin_section;
extern const struct section reload_section;
extern const struct section root_section;
extern const struct section limits_section;
extern const struct section log_section;
extern const struct section stats_section;
extern const struct section listener_section;
extern const struct section route_section;
extern const struct section pool_section;
extern const struct section timeouts_section;
extern const struct section health_section;
extern const struct section server_section;

#endif
