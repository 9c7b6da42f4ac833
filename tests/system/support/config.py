"""Configurations for the daemon under test, as data and as YAML text."""

import copy
import re

from support.clock import SCALE


def merged(base, over):
    """`base` with the settings of `over`, mappings merged key by key."""
    out = copy.deepcopy(base)
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = merged(out[key], value)
        else:
            out[key] = copy.deepcopy(value)
    return out


def scaled(config):
    """`config` with the timeouts of its pools as much longer as the daemon
    is slower under this test's wrapper or sanitizer."""
    if SCALE == 1.0 or "pools" not in config:
        return config
    out = copy.deepcopy(config)
    for pool in out["pools"].values():
        timeouts = pool.setdefault("timeouts", {})
        timeouts.setdefault("request", "1s")
        for name, text in timeouts.items():
            number, unit = re.fullmatch(r"(\d+)(ms|s)", text).groups()
            timeouts[name] = "%dms" % (
                int(number) * SCALE * (1000 if unit == "s" else 1))
    return out


def _scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"')


def to_yaml(node, indent=0):
    """`node` (mappings, lists, scalars) as block YAML."""
    pad = "  " * indent
    lines = []
    if isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, (dict, list)) and value:
                lines.append("%s%s:" % (pad, key))
                lines.append(to_yaml(value, indent + 1))
            elif isinstance(value, (dict, list)):
                lines.append("%s%s: %s" % (
                    pad, key, "{}" if isinstance(value, dict) else "[]"))
            else:
                lines.append("%s%s: %s" % (pad, key, _scalar(value)))
    else:
        for value in node:
            if isinstance(value, dict):
                inner = to_yaml(value, indent + 1)
                lines.append(pad + "- " + inner.lstrip(" "))
            else:
                lines.append("%s- %s" % (pad, _scalar(value)))
    return "\n".join(lines)


def server(memcached, name=None, weight=None):
    """A row of `servers:`, plain text when neither name nor weight is said.
    """
    if name is None and weight is None:
        return memcached.text
    row = {"address": memcached.text}
    if name is not None:
        row["name"] = name
    if weight is not None:
        row["weight"] = weight
    return row


def basic(port, servers, pool=None, **top):
    """One listener on `port` over one pool `main` of `servers`.

    `pool` adds or replaces settings of the pool, `top` of the file.
    """
    config = {
        "config_version": 1,
        "listeners": [{"listen": "127.0.0.1:%d" % port, "pool": "main"}],
        "pools": {"main": merged({"servers": list(servers)}, pool or {})},
    }
    return merged(config, top)
