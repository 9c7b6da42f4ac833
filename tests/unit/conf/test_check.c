/* Files that are wrong: each complaint, word for word and in its place. */
#include <stdlib.h>

#include "support.h"

/* Lines 1 and 2, and 3 to 5; what follows is line 6 of pool "main". */
#define LISTEN "listeners:\n  - listen: 127.0.0.1:11211\n"
#define POOL "pools:\n  main:\n    servers: [a:1]\n"
#define FILE LISTEN POOL
/* Server 1 is on line 6. */
#define SERVERS LISTEN "pools:\n  main:\n    servers:\n"
/* As FILE, for a listener given on line 2. */
#define LISTENER(s) "listeners:\n  - " s "\n" POOL

#define NO_VALUE "has no value; leave the key out to have its default\n"

struct row {
	const char	*text;
	const char	*lines;
};

static const struct row shapes[] = {
	{"", "f:1:1: the file is empty; it needs at least \"listeners\" and "
	    "\"pools\"\n"},
	{"# nothing\n", "f:1:1: the file is empty; it needs at least "
	    "\"listeners\" and \"pools\"\n"},
	{"~\n", "f:1:1: the configuration is empty; it needs at least "
	    "\"listeners\" and \"pools\"\n"},
	{"hello\n", "f:1:1: the configuration must be a map of keys, not a "
	    "single value\n"},
	{"- a\n", "f:1:1: the configuration must be a map of keys, not a "
	    "list\n"},
	{"{}\n", "f:1:1: \"listeners\" is missing\n"
	    "f:1:1: \"pools\" is missing\n"},
	{LISTEN, "f:1:1: \"pools\" is missing\n"},
	{POOL, "f:1:1: \"listeners\" is missing\n"},
	/* Keys that should have been indented. */
	{"pools:\nmain:\nservers:\n- a:1\n",
	    "f:1:1: \"listeners\" is missing\n"
	    "f:1:7: \"pools\" has no value\n"
	    "f:2:1: unknown key \"main\" at the top level\n"
	    "f:3:1: unknown key \"servers\" at the top level (did you mean "
	    "\"workers\"?)\n"},
	{"listeners: []\npools: {main: {servers: []}}\n",
	    "f:1:12: \"listeners\" must not be empty\n"
	    "f:2:25: \"servers\" in pool \"main\" must not be empty\n"},
	{LISTEN "pools: {}\n", "f:3:8: \"pools\" must not be empty\n"},
	{LISTEN "pools:\n", "f:3:7: \"pools\" has no value\n"},
	{LISTEN "pools: [main]\n", "f:3:8: \"pools\" must be a map, not a "
	    "list\n"},
	{LISTEN "pools: main\n", "f:3:8: \"pools\" must be a map, not a "
	    "single value\n"},
	{LISTEN "pools:\n  main:\n", "f:4:8: pool \"main\" has no value\n"},
	{LISTEN "pools: {main: [a:1]}\n", "f:3:15: pool \"main\" must be a "
	    "map of keys, not a list\n"},
	{LISTEN "pools: {main: a:1}\n", "f:3:15: pool \"main\" must be a "
	    "map of keys, not a single value\n"},
	{LISTEN "pools: {main: {}}\n", "f:3:15: \"servers\" in pool \"main\" "
	    "is missing\n"},
	{LISTEN "pools:\n  main:\n    servers: a:1\n", "f:5:14: \"servers\" in "
	    "pool \"main\" must be a list, not a single value\n"},
	{LISTEN "pools: {'a b': {servers: [a:1]}, '': {servers: [b:1]}}\n",
	    "f:2:5: the listener needs \"pool\", for there are 2 pools\n"
	    "f:3:9: the name \"a b\" of a pool must be 1 to 64 letters, "
	    "digits, \"_\", \"-\" and \".\", the first no \"-\" or \".\"\n"
	    "f:3:34: the name \"\" of a pool must be 1 to 64 letters, "
	    "digits, \"_\", \"-\" and \".\", the first no \"-\" or \".\"\n"},
	{LISTEN "pools: {-a: {servers: [a:1]}}\n", "f:3:9: the name \"-a\" of "
	    "a pool must be 1 to 64 letters, digits, \"_\", \"-\" and "
	    "\".\", the first no \"-\" or \".\"\n"},
	{LISTEN "pools: {\"a\\0\": {servers: [a:1]}}\n", "f:3:9: the name "
	    "\"a?\" of a pool must be 1 to 64 letters, digits, \"_\", \"-\" "
	    "and \".\", the first no \"-\" or \".\"\n"},
	{FILE "limits: 5\n", "f:6:9: \"limits\" must be a map, not a single "
	    "value\n"},
	{FILE "limits:\n", "f:6:8: \"limits\" " NO_VALUE},
	{FILE "workers: [1]\n", "f:6:10: \"workers\" must be a single value, "
	    "not a list\n"},
	{FILE "workers: ~\n", "f:6:10: \"workers\" " NO_VALUE},
	{FILE "workers: null\n", "f:6:10: \"workers\" " NO_VALUE},
	{FILE "workers: ''\n", "f:6:10: \"workers\" must be a whole number, "
	    "not \"\"\n"},
	{FILE "workers: 1\nworkers: 2\n", "f:7:1: the key \"workers\" was "
	    "given at line 6 already\n"},
};

static const struct row unknown_keys[] = {
	{FILE "worker: 1\n", "f:6:1: unknown key \"worker\" at the top level "
	    "(did you mean \"workers\"?)\n"},
	{FILE "Workers: 1\n", "f:6:1: unknown key \"Workers\" at the top "
	    "level (did you mean \"workers\"?)\n"},
	{FILE "user: nobody\n", "f:6:1: unknown key \"user\" at the top "
	    "level\n"},
	{FILE "adnim: {listen: 127.0.0.1:1}\n", "f:6:1: unknown key "
	    "\"adnim\" at the top level (did you mean \"admin\"?)\n"},
	{FILE "limits: {client: 1, valuesize: 1MiB}\n",
	    "f:6:10: unknown key \"client\" in limits (did you mean "
	    "\"clients\"?)\n"
	    "f:6:21: unknown key \"valuesize\" in limits (did you mean "
	    "\"value_size\"?)\n"},
	{FILE "    timout: 5\n", "f:6:5: unknown key \"timout\" in pool "
	    "\"main\" (did you mean \"timeouts\"?)\n"},
	{FILE "    server_conections: 5\n", "f:6:5: unknown key "
	    "\"server_conections\" in pool \"main\" (did you mean "
	    "\"server_connections\"?)\n"},
	{FILE "    timeouts: {conect: 1s}\n", "f:6:16: unknown key "
	    "\"conect\" in timeouts of pool \"main\" (did you mean "
	    "\"connect\"?)\n"},
	{FILE "    health: {max_retry: 1s}\n", "f:6:14: unknown key "
	    "\"max_retry\" in health of pool \"main\"\n"},
	{SERVERS "      - {addres: a:1}\n",
	    "f:6:9: \"address\" in server 1 of pool \"main\" is missing\n"
	    "f:6:10: unknown key \"addres\" in server 1 of pool \"main\" "
	    "(did you mean \"address\"?)\n"},
	{LISTENER("{listen: 127.0.0.1:1, port: 2}"), "f:2:27: unknown key "
	    "\"port\" in listener 1 (did you mean \"pool\"?)\n"},
	{LISTENER("{listen: 127.0.0.1:1, routes: [{prefix: a, to: main}]}"),
	    "f:2:36: \"pool\" in route 1 of listener 1 is missing\n"
	    "f:2:48: unknown key \"to\" in route 1 of listener 1\n"},
};

static const struct row values[] = {
	{FILE "config_version: 2\n", "f:6:17: \"config_version\" must be 1, "
	    "not \"2\"\n"},
	{FILE "workers: 0\n", "f:6:10: \"workers\" must be from 1 to 64, not "
	    "\"0\"\n"},
	{FILE "workers: two\n", "f:6:10: \"workers\" must be a whole number, "
	    "not \"two\"\n"},
	{FILE "shutdown_timeout: 8\n", "f:6:19: \"shutdown_timeout\" needs a "
	    "unit: 8ms, 8s, 8m or 8h\n"},
	{FILE "dns_refresh: 0\n", "f:6:14: \"dns_refresh\" must be from 1s "
	    "to 1h, not \"0\"\n"},
	{FILE "limits: {value_size: 1MB}\n", "f:6:22: \"value_size\" in "
	    "limits must be a whole number and a unit (B, KiB, MiB or GiB), "
	    "not \"1MB\"\n"},
	{FILE "    timeouts: {connect: 250}\n", "f:6:25: \"connect\" in "
	    "timeouts of pool \"main\" needs a unit: 250ms, 250s, 250m or "
	    "250h\n"},
	{FILE "    timeouts: {connect: ~}\n", "f:6:25: \"connect\" in "
	    "timeouts of pool \"main\" " NO_VALUE},
	{FILE "    timeouts: 5\n", "f:6:15: \"timeouts\" in pool \"main\" "
	    "must be a map, not a single value\n"},
	{FILE "    flush_all: yes\n", "f:6:16: \"flush_all\" in pool \"main\" "
	    "must be true or false, not \"yes\"\n"},
	{FILE "    on_down: misss\n", "f:6:14: \"on_down\" in pool \"main\" "
	    "cannot be \"misss\" (did you mean \"miss\"?); it is one of "
	    "miss, error, next, gutter\n"},
	{FILE "    on_down: eject\n", "f:6:14: \"on_down\" in pool \"main\" "
	    "cannot be \"eject\"; it is one of "
	    "miss, error, next, gutter\n"},
	{FILE "    points_per_weight: 0\n", "f:6:24: \"points_per_weight\" in "
	    "pool \"main\" must be from 1 to 1048576, not \"0\"\n"},
	{FILE "    max_points: 4294967297\n", "f:6:17: \"max_points\" in pool "
	    "\"main\" must be from 1 to 16777216, not \"4294967297\"\n"},
	{FILE "    hash_tag: \"{\"\n", "f:6:15: \"hash_tag\" in pool \"main\" "
	    "must be two characters, as in \"{}\", not \"{\"\n"},
	{FILE "    hash_tag: \"\\t\\t\"\n", "f:6:15: \"hash_tag\" in pool "
	    "\"main\" must be two characters, as in \"{}\", not \"??\"\n"},
	{FILE "    hash_tag: \"\xc3\xa9\"\n", "f:6:15: \"hash_tag\" in pool "
	    "\"main\" must be two characters, as in \"{}\", not "
	    "\"\xc3\xa9\"\n"},
	{FILE "    on_down: ${NOPE}\n", "f:6:14: the variable NOPE is not "
	    "set; ${NOPE:-default} would give it a default\n"},
};

static const struct row options[] = {
	{FILE "    hash_seed: x\n", "f:6:16: \"hash_seed\" in pool \"main\" "
	    "does nothing with the placement ring; it is for memcached-*, "
	    "mcrouter-*\n"},
	{FILE "    ring_size_min: 5\n    placement: modula\n", "f:6:20: "
	    "\"ring_size_min\" in pool \"main\" does nothing with the "
	    "placement modula; it is for envoy-*\n"},
	/* Also with its default, since it was meant to mean something. */
	{FILE "    hash_avalanche: false\n", "f:6:21: \"hash_avalanche\" in "
	    "pool \"main\" does nothing with the placement ring; it is for "
	    "haproxy-*\n"},
	{FILE "    hash: siphash\n", "f:6:11: the hash siphash of pool "
	    "\"main\" needs \"hash_key\"\n"},
	{FILE "    hash_key: 0123456789abcdef0123456789abcdef\n", "f:6:15: "
	    "\"hash_key\" in pool \"main\" does nothing without \"hash: "
	    "siphash\"\n"},
	/* A secret is not told to the log. */
	{FILE "    hash: siphash\n    hash_key: hunter2\n", "f:7:15: "
	    "\"hash_key\" in pool \"main\" must be 32 hexadecimal digits, "
	    "not all zero\n"},
	{FILE "    hash: siphash\n"
	    "    hash_key: 0123456789abcdef0123456789abcdeg\n",
	    "f:7:15: \"hash_key\" in pool \"main\" must be 32 hexadecimal "
	    "digits, not all zero\n"},
	{FILE "    hash: siphash\n"
	    "    hash_key: 00000000000000000000000000000000\n",
	    "f:7:15: \"hash_key\" in pool \"main\" must be 32 hexadecimal "
	    "digits, not all zero\n"},
	{FILE "    placement: memcached-ring\n    hash_stop: "
	    "0123456789abcdef\n", "f:7:16: \"hash_stop\" in pool \"main\" "
	    "must have at most 15 bytes, not 16\n"},
	{FILE "    placement: memcached-ring\n    hash_stop: \"\\n\"\n",
	    "f:7:16: \"hash_stop\" in pool \"main\" must not hold control "
	    "characters\n"},
};

static const struct row servers[] = {
	{SERVERS "      -\n", "f:6:8: server 1 of pool \"main\" has no "
	    "value\n"},
	{SERVERS "      - \"\"\n", "f:6:9: \"address\" in server 1 of pool "
	    "\"main\" must not be empty\n"},
	{SERVERS "      - [a:1]\n", "f:6:9: server 1 of pool \"main\" must be "
	    "a map of keys, not a list\n"},
	{SERVERS "      - host\n", "f:6:9: \"address\" in server 1 of pool "
	    "\"main\" cannot be \"host\": the port is missing, as in "
	    "host:11211\n"},
	{SERVERS "      - a:1\n      - \"::1:11211\"\n", "f:7:9: \"address\" "
	    "in server 2 of pool \"main\" cannot be \"::1:11211\": an IPv6 "
	    "address needs brackets, as in [::1]:11211\n"},
	{SERVERS "      - $MC:1\n", "f:6:9: \"address\" in server 1 of pool "
	    "\"main\" cannot be \"$MC:1\": \"$MC\" is not a host name or "
	    "address\n"},
	/* Twemproxy's form. */
	{SERVERS "      - 10.0.0.1:11290:10\n", "f:6:9: \"address\" in server "
	    "1 of pool \"main\" cannot be \"10.0.0.1:11290:10\": a weight or "
	    "a name is written as in {address: \"host:port\", weight: 3, "
	    "name: a}\n"},
	{SERVERS "      - a:11211:1 alpha\n", "f:6:9: \"address\" in server "
	    "1 of pool \"main\" cannot be \"a:11211:1 alpha\": a weight or a "
	    "name is written as in {address: \"host:port\", weight: 3, "
	    "name: a}\n"},
	{SERVERS "      - {address: \"unix:/a\\nb\"}\n", "f:6:19: \"address\" "
	    "in server 1 of pool \"main\" must not hold control "
	    "characters\n"},
	{SERVERS "      - {address: a:1, weight: 0}\n", "f:6:32: \"weight\" "
	    "in server 1 of pool \"main\" must be a number above 0, at most "
	    "1000000, with at most 6 decimals, not \"0\"\n"},
	{SERVERS "      - {address: a:1, weight: -1}\n", "f:6:32: \"weight\" "
	    "in server 1 of pool \"main\" must be a number above 0, at most "
	    "1000000, with at most 6 decimals, not \"-1\"\n"},
	{SERVERS "      - {address: a:1, name: ''}\n", "f:6:30: \"name\" in "
	    "server 1 of pool \"main\" must not be empty\n"},
	{SERVERS "      - {address: a:1, name: \"a\\tb\"}\n", "f:6:30: "
	    "\"name\" in server 1 of pool \"main\" must not hold control "
	    "characters\n"},
	{SERVERS "      - {address: a:1, name: \"a\\0b\"}\n", "f:6:30: "
	    "\"name\" in server 1 of pool \"main\" must not hold control "
	    "characters\n"},
	{SERVERS "      - {address: a:1, name: ' a'}\n", "f:6:30: \"name\" in "
	    "server 1 of pool \"main\" must not begin or end with a blank\n"},
	{SERVERS "      - a:1\n      - b:1\n      - a:1\n", "f:8:9: the name "
	    "\"a:1\" of a server in pool \"main\" is that of the one at line "
	    "6 already; each needs a name of its own\n"},
	{SERVERS "      - a:1\n      - {address: b:1, name: a:1}\n", "f:7:9: "
	    "the name \"a:1\" of a server in pool \"main\" is that of the one "
	    "at line 6 already; each needs a name of its own\n"},
	{SERVERS "      - {address: a:1, name: x}\n"
	    "      - {address: b:1, name: x}\n", "f:7:9: the name \"x\" of a "
	    "server in pool \"main\" is that of the one at line 6 already; "
	    "each needs a name of its own\n"},
};

static const struct row listeners[] = {
	{LISTENER("\"\""), "f:2:5: listener 1 must be a map of keys, not a "
	    "single value\n"},
	{LISTENER("{}"), "f:2:5: \"listen\" in listener 1 is missing\n"},
	{LISTENER("listen: \"\""), "f:2:13: \"listen\" in listener 1 must "
	    "not be empty\n"},
	{LISTENER("listen: \"unix:/a\\x7f\""), "f:2:13: \"listen\" in "
	    "listener 1 must not hold control characters\n"},
	{LISTENER("listen: 11211"), "f:2:13: \"listen\" in listener 1 cannot "
	    "be \"11211\": the host is missing, as in 127.0.0.1:11211\n"},
	{LISTENER("listen: localhost:1"), "f:2:13: \"listen\" in listener 1 "
	    "cannot be \"localhost:1\": write an address, as in 127.0.0.1:1, "
	    "not a name\n"},
	{LISTENER("listen: \"[::ffff:127.0.0.1]:1\""), "f:2:13: \"listen\" "
	    "in listener 1 cannot be \"[::ffff:127.0.0.1]:1\": write the "
	    "IPv4 address, as in 127.0.0.1:1\n"},
	{LISTENER("listen: \"*:1\""), "f:2:13: \"listen\" in listener 1 "
	    "cannot be \"*:1\": \"*\" is not a host name or address; "
	    "all of a host's are 0.0.0.0 or [::]\n"},
	{LISTENER("{listen: 127.0.0.1:1, mode: \"0660\"}"), "f:2:33: \"mode\" "
	    "is for unix sockets only, and the listener is 127.0.0.1:1\n"},
	{LISTENER("{listen: unix:/a, mode: rw}"), "f:2:29: \"mode\" in "
	    "listener 1 must be octal permissions, as in \"0660\", not "
	    "\"rw\"\n"},
	{LISTENER("{listen: 127.0.0.1:1, auth: yes}"), "f:2:33: \"auth\" in "
	    "listener 1 cannot be \"yes\"; it is one of none, accept\n"},
	{LISTENER("{listen: 127.0.0.1:1, pool: mian}"), "f:2:33: there is no "
	    "pool \"mian\" (did you mean \"main\"?)\n"},
	{LISTENER("{listen: 127.0.0.1:1, pool: sessions}"), "f:2:33: there is "
	    "no pool \"sessions\"\n"},
	{LISTENER("listen: 0.0.0.0:1\n  - listen: 127.0.0.1:1\n  "
	    "- listen: unix:/a\n  - listen: unix:/a"),
	    "f:3:5: the listener 127.0.0.1:1 overlaps 0.0.0.0:1 at line 2\n"
	    "f:5:5: the listener unix:/a overlaps unix:/a at line 4\n"},
	{LISTENER("listen: 127.0.0.1:1") "  b: {servers: [b:1]}\n",
	    "f:2:5: the listener needs \"pool\", for there are 2 pools\n"},
	{"listeners: [{listen: 127.0.0.1:5}]\n"
	    "pools: {main: {servers: [a:1, localhost:5]}}\n",
	    "f:2:31: the server localhost:5 of pool \"main\" is the listener "
	    "at line 1, which sends requests to this pool: they would never "
	    "end\n"},
	{LISTENER("{listen: 127.0.0.1:1, routes: [{prefix: '', pool: main}, "
	    "{prefix: 'a b', pool: main}]}"),
	    "f:2:45: \"prefix\" in route 1 of listener 1 must have from 1 to "
	    "250 bytes, not 0\n"
	    "f:2:71: \"prefix\" in route 2 of listener 1 must not hold "
	    "blanks or control characters, as no key does\n"},
	{LISTENER("listen: 127.0.0.1:1\n    routes:\n"
	    "      - {prefix: a, pool: main}\n"
	    "      - {prefix: ab, pool: none}\n"
	    "      - {prefix: a, pool: main}"),
	    "f:5:28: there is no pool \"none\"\n"
	    "f:6:9: the prefix \"a\" was given at line 4 already\n"},
	/* A pool reached by a route only, and then not twice. */
	{"listeners:\n  - listen: unix:/s\n    pool: b\n    routes:\n"
	    "      - {prefix: x, pool: a}\n      - {prefix: y, pool: a}\n"
	    "pools: {a: {servers: [unix:/s]}, b: {servers: [b:1]}}\n",
	    "f:7:23: the server unix:/s of pool \"a\" is the listener at line "
	    "2, which sends requests to this pool: they would never end\n"},
};

#define TWO_POOLS                                                              \
	"listeners:\n  - {listen: 127.0.0.1:1, pool: a}\npools:\n"

static const struct row relations[] = {
	{FILE "admin: {listen: here:1}\n", "f:6:17: \"listen\" in admin "
	    "cannot be \"here:1\": write an address, as in 127.0.0.1:1, "
	    "not a name\n"},
	{FILE "admin: {listen: 0.0.0.0:11211}\n", "f:6:17: the admin listener "
	    "0.0.0.0:11211 overlaps the listener 127.0.0.1:11211 at line 2\n"},
	{FILE "admin: {listen: 127.0.0.1:2, mode: 600}\n", "f:6:36: "
	    "\"mode\" is for unix sockets only, and the listener is "
	    "127.0.0.1:2\n"},
	{FILE "admin: {actions: true}\n", "f:6:8: \"listen\" in admin is "
	    "missing, as in listen: 127.0.0.1:9211\n"},
	{FILE "limits: {memory: 1MiB}\n", "f:6:18: \"memory\" in limits "
	    "(1MiB) must not be less than \"client_buffer\" (4MiB)\n"},
	{FILE "limits: {client_buffer: 1GiB}\n", "f:6:25: \"memory\" in "
	    "limits (256MiB) must not be less than \"client_buffer\" "
	    "(1GiB)\n"},
	{FILE "limits: {value_size: 8MiB, client_buffer: 64KiB}\n",
	    "f:6:43: \"client_buffer\" in limits (64KiB) must not be less "
	    "than \"value_size\" (8MiB)\n"},
	{FILE "    health: {retry: 5m}\n", "f:6:21: \"retry_max\" in health "
	    "of pool \"main\" (1m) must not be less than \"retry\" (5m)\n"},
	{FILE "    health: {retry: 5s, retry_max: 3s}\n", "f:6:36: "
	    "\"retry_max\" in health of pool \"main\" (3s) must not be less "
	    "than \"retry\" (5s)\n"},
	{FILE "    on_down: gutter\n", "f:6:14: \"on_down: gutter\" of pool "
	    "\"main\" needs \"gutter\", the pool that takes the keys\n"},
	{FILE "    gutter: main\n", "f:6:13: \"gutter\" in pool \"main\" does "
	    "nothing without \"on_down: gutter\"\n"},
	{FILE "    on_down: next\n    gutter_ttl: 5s\n", "f:7:17: "
	    "\"gutter_ttl\" in pool \"main\" does nothing without "
	    "\"on_down: gutter\"\n"},
	{FILE "    on_down: gutter\n    gutter: main\n", "f:7:13: pool "
	    "\"main\" cannot be its own gutter\n"},
	{FILE "    on_down: gutter\n    gutter: mian\n", "f:7:13: there is no "
	    "pool \"mian\" (did you mean \"main\"?)\n"},
	{FILE "    on_down: gutter\n    gutter: \"\"\n", "f:7:13: \"gutter\" "
	    "in pool \"main\" must not be empty\n"},
	{TWO_POOLS "  a: {servers: [a:1], on_down: gutter, gutter: b}\n"
	    "  b: {servers: [b:1], on_down: gutter, gutter: a}\n",
	    "f:4:48: the gutter of pool \"a\" cannot be \"b\", which has a "
	    "gutter itself\n"
	    "f:5:48: the gutter of pool \"b\" cannot be \"a\", which has a "
	    "gutter itself\n"},
	{TWO_POOLS "  a: {servers: [a:1], on_down: gutter, gutter: b, "
	    "gutter_ttl: 1500ms}\n  b: {servers: [b:1]}\n",
	    "f:4:63: \"gutter_ttl\" in pool \"a\" must be whole seconds, not "
	    "1500ms\n"},
	{TWO_POOLS "  a: {servers: [a:1], on_down: gutter, gutter: b, "
	    "gutter_ttl: 25h}\n  b: {servers: [b:1]}\n",
	    "f:4:63: \"gutter_ttl\" in pool \"a\" must be from 1s to 24h, not "
	    "\"25h\"\n"},
	/* A gutter may lead back to the listener, too. */
	{TWO_POOLS "  a: {servers: [a:1], on_down: gutter, gutter: b}\n"
	    "  b: {servers: [\"127.0.0.1:1\"]}\n",
	    "f:5:17: the server 127.0.0.1:1 of pool \"b\" is the listener at "
	    "line 2, which sends requests to this pool: they would never "
	    "end\n"},
	/* Mistakes of every stage, all told, in the order of the file. */
	{"listeners:\n"
	    "  - {listen: 127.0.0.1:1, pool: mian}\n"
	    "  - {listen: 127.0.0.1:1, pool: main}\n"
	    "wokers: 2\n"
	    "limits: {clients: 0, clients: 1}\n"
	    "pools:\n"
	    "  main:\n"
	    "    servers: [a:1, a:1, b]\n"
	    "    on_down: ${NOPE}\n"
	    "    hash_tag: !t x\n",
	    "f:2:33: there is no pool \"mian\" (did you mean \"main\"?)\n"
	    "f:3:5: the listener 127.0.0.1:1 overlaps 127.0.0.1:1 at line 2\n"
	    "f:4:1: unknown key \"wokers\" at the top level (did you mean "
	    "\"workers\"?)\n"
	    "f:5:19: \"clients\" in limits must be from 1 to 1000000, not "
	    "\"0\"\n"
	    "f:5:22: the key \"clients\" was given at line 5 already\n"
	    "f:8:20: the name \"a:1\" of a server in pool \"main\" is that of "
	    "the one at line 8 already; each needs a name of its own\n"
	    "f:8:25: \"address\" in server 3 of pool \"main\" cannot be "
	    "\"b\": the port is missing, as in b:11211\n"
	    "f:9:14: the variable NOPE is not set; ${NOPE:-default} would "
	    "give it a default\n"
	    "f:10:15: the tag \"!t\" is not supported; write the value "
	    "without it\n"
	    "f:10:15: \"hash_tag\" in pool \"main\" must be two characters, "
	    "as in \"{}\", not \"x\"\n"},
	/* Sections said twice leave nothing dangling. */
	{"listeners: [{listen: 127.0.0.1:1}]\n"
	    "listeners: [{listen: 127.0.0.1:2}, {listen: 127.0.0.1:3}]\n"
	    "pools: {a: {servers: [a:1]}}\n"
	    "pools: {b: {servers: [b:1]}, c: {servers: [c:1]}}\n",
	    "f:1:13: the listener needs \"pool\", for there are 2 pools\n"
	    "f:2:1: the key \"listeners\" was given at line 1 already\n"
	    "f:4:1: the key \"pools\" was given at line 3 already\n"},
};

#define DEFINE_TABLE_TEST(table)                                               \
	START_TEST(wrong_##table)                                              \
	{                                                                      \
		unsetenv("NOPE");                                              \
		expect_lines(table[_i].text, table[_i].lines);                 \
	}                                                                      \
	END_TEST

DEFINE_TABLE_TEST(shapes)
DEFINE_TABLE_TEST(unknown_keys)
DEFINE_TABLE_TEST(values)
DEFINE_TABLE_TEST(options)
DEFINE_TABLE_TEST(servers)
DEFINE_TABLE_TEST(listeners)
DEFINE_TABLE_TEST(relations)

int
main(void)
{
	TCase *tc = tcase_create("check");

	tcase_add_loop_test(tc, wrong_shapes, 0, LENGTH(shapes));
	tcase_add_loop_test(tc, wrong_unknown_keys, 0, LENGTH(unknown_keys));
	tcase_add_loop_test(tc, wrong_values, 0, LENGTH(values));
	tcase_add_loop_test(tc, wrong_options, 0, LENGTH(options));
	tcase_add_loop_test(tc, wrong_servers, 0, LENGTH(servers));
	tcase_add_loop_test(tc, wrong_listeners, 0, LENGTH(listeners));
	tcase_add_loop_test(tc, wrong_relations, 0, LENGTH(relations));
	return run_case("check", tc);
}
