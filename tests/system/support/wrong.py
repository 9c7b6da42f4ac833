"""A hundred and more ways in which a configuration file can be wrong."""

import copy
import json

# Keys that no list, mapping or nonsense can be the value of.
_KEYS = [
    "config_version", "workers", "shutdown_timeout", "activate_at",
    "reload.watch", "limits.clients", "limits.value_size",
    "limits.client_buffer", "limits.memory", "limits.request_line",
    "pools.main.placement", "pools.main.hash",
    "pools.main.points_per_weight", "pools.main.max_points",
    "pools.main.hash_tag", "pools.main.hash_key",
    "pools.main.timeouts.connect", "pools.main.timeouts.request",
    "pools.main.on_down", "pools.main.health.failures",
    "pools.main.health.retry", "pools.main.server_connections",
    "pools.main.server_queue", "pools.main.flush_all",
    "pools.main.servers.0.weight", "pools.main.servers.0.address",
    "listeners.0.listen", "listeners.0.pool", "listeners.0.auth",
]
_VALUES = ["nonsense", -100, [1], {"x": 1}]

# Whole files.
_TEXTS = [
    b"", b"{ a: [1, \n", b"\0\0\0", b"pools:\n\tmain: 1\n", b"- x\n", b"x\n",
    b"config_version: 1\nnonsense: true\n", b"\xff\xfe\x80\x81" * 50,
    b"# " + b"x" * (5 << 20), b"a: &a [*a, *a]\n", b"{}\n", b"%YAML 9.9\n",
]


def _with(config, path, value):
    out = copy.deepcopy(config)
    at = out
    *above, last = path.split(".")
    for name in above:
        at = at[int(name)] if isinstance(at, list) else \
            at.setdefault(name, {})
    if isinstance(at, list):
        at[int(last)] = value
    else:
        at[last] = value
    return out


def _changed(config):
    """Files that are wrong by what they mean."""
    rows = config["pools"]["main"]["servers"]
    yield _with(config, "pools.main.servers", [])
    yield _with(config, "pools.main.servers", rows + [rows[0]])
    yield _with(config, "pools.main.servers.0.weight", 0)
    yield _with(config, "pools.main.servers.0.weight", 100003)
    yield _with(config, "pools.main.servers.0.address", "127.0.0.1:99999")
    yield _with(config, "pools.main.servers.0.address", "[::1:1]")
    yield _with(config, "pools.main.servers.0.address", "cache-5")
    yield _with(config, "listeners", [])
    yield _with(config, "listeners", config["listeners"] * 2)
    yield _with(config, "listeners.0.listen", "localhost:1")
    yield _with(config, "pools", {})
    yield _with(config, "workers", config.get("workers", 1) + 1)
    for path in ("nonsense", "pools.main.nonsense", "limits.nonsense",
                 "pools.main.timeouts.nonsense", "listeners.0.nonsense",
                 "pools.main.servers.0.nonsense", "reload.nonsense"):
        yield _with(config, path, 1)


def files(config):
    """All of them, near to the right one that is `config`."""
    found = list(_TEXTS)
    changed = list(_changed(config))
    changed += [_with(config, key, value)
                for key in _KEYS for value in _VALUES]
    found += [json.dumps(one).encode() for one in changed]
    return found


def cut(config, i):
    """The right file, cut after the i-th byte; as JSON, so that no part of
    it means anything."""
    text = json.dumps(config).encode()
    return text[:i % len(text)]
