"""Cases for the program made from dump.c, its answers, and what they are against Python's values."""

import base64
import json
import math
import struct
import subprocess

MISSING = object()


class Wide(str):
    """A number that no double holds: as it is written."""


def pack(case):
    parts = []
    for name in ("format", "options", "fields", "schema", "key", "value"):
        data = case.get(name, b"")
        data = data.encode() if isinstance(data, str) else data
        parts.append(struct.pack("<I", len(data)) + data)
    return b"".join(parts)


def ask(dump, cases):
    done = subprocess.run([dump], input=b"".join(map(pack, cases)), stdout=subprocess.PIPE, check=True)
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(cases), (len(lines), len(cases))
    return [json.loads(line) for line in lines]


def same_double(got, want):
    """Bit by bit, but one NaN is as good as another."""
    return math.isnan(got) and math.isnan(want) or struct.pack("<d", got) == struct.pack("<d", want)


def same_record(got, want):
    if not isinstance(got, dict) or "o" not in got or not all(isinstance(key, str) for key, _ in got["o"]):
        return False
    pairs = dict(map(tuple, got["o"]))
    return pairs.keys() == want.keys() and all(same(pairs[key], want[key]) for key in want)


def same(got, want):
    """An answer's value against a Python one."""
    if want is MISSING:
        return got == {"m": 1}
    if isinstance(want, float):
        return isinstance(got, dict) and "d" in got and same_double(float.fromhex(got["d"]), want)
    if isinstance(want, (bytes, bytearray)):
        return isinstance(got, dict) and "b" in got and base64.b64decode(got["b"]) == want
    if isinstance(want, bool) or want is None:
        return got is want
    if isinstance(want, dict):
        return same_record(got, want)
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, Wide) or isinstance(want, int) and not -(2**63) <= want < 2**63:
        return got == {"n": str(want)}
    return type(got) is type(want) and got == want


def same_python(a, b):
    """Two Python values: types too."""
    if isinstance(a, float) and isinstance(b, float):
        return same_double(a, b)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_python(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same_python, a, b))
    return a == b
