#!/usr/bin/env python3
"""Writes ring-hashes.tsv: the native ring under each of its hashes.

The rule once more, written to be read rather than to be fast, so that the
daemon's ring is compared with something that shares no line with it. Needs
libxxhash; the keys and memberships are those of poise.tsv.
"""
import bisect
import ctypes
import ctypes.util
import functools
import math
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
MASK = (1 << 64) - 1
SIPHASH_KEY = bytes(range(1, 17))
MEMBERSHIPS = ("one", "eq3", "w5", "shuf6", "eq10", "eq100")


def mix64(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def fnv1a_64(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & MASK
    return h


def load_xxh3():
    function = ctypes.CDLL(ctypes.util.find_library("xxhash")).XXH3_64bits
    function.restype = ctypes.c_uint64
    function.argtypes = (ctypes.c_char_p, ctypes.c_size_t)
    return lambda data: function(data, len(data))


def siphash_2_4(data, key=SIPHASH_KEY):
    k0, k1 = struct.unpack("<QQ", key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rotate(x, n):
        return (x << n | x >> 64 - n) & MASK

    def half(a, b, c, d, s, t):
        v[a] = v[a] + v[b] & MASK
        v[c] = v[c] + v[d] & MASK
        v[b] = rotate(v[b], s) ^ v[a]
        v[d] = rotate(v[d], t) ^ v[c]
        v[a] = rotate(v[a], 32)

    def rounds(n):
        for _ in range(n):
            half(0, 1, 2, 3, 13, 16)
            half(2, 1, 0, 3, 17, 21)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 255
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def build(h, servers, per_weight=128):
    divisor = functools.reduce(math.gcd, (w for _, w in servers))
    points = []
    for index, (name, weight) in enumerate(servers):
        owner = mix64(h(b"\x02" + name + b"\xff"))
        for r in range(weight // divisor * per_weight):
            message = b"\x03" + name + b"\xff\x04" + struct.pack("<Q", r)
            points.append((mix64(h(message)), owner, r, index))
    return sorted(points)


def look_up(h, ring, key):
    position = mix64(h(b"\x05" + key + b"\xff"))
    at = bisect.bisect_left(ring, (position,))
    return ring[at % len(ring)][3]


def decode(text):
    out, at = bytearray(), 0
    while at < len(text):
        if text[at] == "%":
            out.append(int(text[at + 1:at + 3], 16))
            at += 3
        else:
            out.append(ord(text[at]))
            at += 1
    return bytes(out)


def read_poise():
    nodes, members, keys = [], {}, []
    with open(os.path.join(HERE, "poise.tsv"), encoding="ascii") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if fields[0] == "#!node" and fields[1] in MEMBERSHIPS:
                name = fields[3] if fields[3] != "-" else ":".join(fields[4:6])
                members.setdefault(fields[1], []).append(
                    (name.encode(), int(fields[6])))
                nodes.append(line)
            elif line[0] != "#":
                keys.append(fields[0])
    return nodes, members, keys


def main():
    nodes, members, keys = read_poise()
    hashes = (("fnv1a_64", fnv1a_64), ("xxh3", load_xxh3()),
              ("siphash", siphash_2_4))
    cases = [(name, h, m) for m in MEMBERSHIPS for name, h in hashes]
    rings = [build(h, members[m]) for _, h, m in cases]
    with open(os.path.join(HERE, "ring-hashes.tsv"), "w",
              encoding="ascii", newline="\n") as out:
        out.write("# The native ring, 128 points a unit of weight, under each "
                  "of its hashes; siphash's key is the bytes 1 to 16.\n"
                  "# Written by make_ring_hashes.py.\n#!family\tring-hashes\n")
        out.writelines(nodes)
        names = [f"{name}/{m}" for name, _, m in cases]
        for case, (name, _, m) in zip(names, cases):
            out.write(f"#!case\t{case}\t{m}\thash={name}\n")
        out.write("\t".join(["#!columns\tkey"] + names) + "\n")
        for key in keys:
            raw = decode(key)
            answers = (str(look_up(h, ring, raw))
                       for (_, h, _), ring in zip(cases, rings))
            out.write("\t".join([key, *answers]) + "\n")


if __name__ == "__main__":
    main()
