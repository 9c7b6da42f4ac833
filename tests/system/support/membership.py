"""The membership hash, computed anew from what docs and header say of it."""

import hashlib


def _hash(lines):
    text = "".join(line + "\n" for line in lines)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def of_ring(servers):
    """That of a pool with the placement `ring` and no options: rows of
    (name, weight)."""
    lines = ["fairlead membership 1", "placement=ring", "hash=fnv1a_64",
             "points_per_weight=128"]
    for name, weight in servers:
        lines += ["server=" + name, "weight=%.6f" % weight]
    return _hash(lines)


def of_all(pools):
    """That of a table: {name of a pool: its hash}."""
    return _hash(["fairlead memberships 1"] + [
        "%s=%s" % row for row in sorted(pools.items())])
