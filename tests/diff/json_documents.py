"""JSON documents, generated and of files, beside Python's json."""

import glob
import json
import math
import string
import struct

from answers import Wide, ask, same, same_python
from paths import choose_paths, from_keys, selecting
from tally import Tally


class Number(str):
    """One as it is to be written."""


def json_value(rng, depth):
    kind = rng.randrange(9 if depth > 0 else 6)
    if kind >= 7:
        return {rng.choice("abcdef\u00e4"): json_value(rng, depth - 1) for _ in range(rng.randrange(0, 5))}
    if kind == 6:
        return [json_value(rng, depth - 1) for _ in range(rng.randrange(0, 5))]
    bits = struct.unpack("<d", rng.randbytes(8))[0]
    return [
        None,
        rng.random() < 0.5,
        rng.randrange(-(2**70), 2**70) if rng.random() < 0.2 else rng.randrange(-(2**63), 2**63),
        bits if math.isfinite(bits) else 0.1,
        Number(json_number(rng)),
        "".join(rng.choice('ab"\\/\n\t\0\u00e4\u20ac\U0001f600') for _ in range(rng.randrange(0, 12))),
    ][kind]


def json_number(rng):
    """Spellings that json.dumps has not: exponents, signs and zeros, more digits than a number holds."""
    sign, digits = rng.choice(["", "-"]), "".join(rng.choice(string.digits) for _ in range(30))
    whole = rng.choice(["0", str(rng.randrange(1, 1000)), "9" + digits[: rng.choice([17, 18, 19])]])
    edge = rng.choice([2**53, 2**63, 2**64, 10**18, 10**19]) + rng.randrange(-2, 3)
    part = "." + digits[: rng.randrange(1, 30)]
    power = rng.choice("eE") + rng.choice(["", "+", "-"]) + rng.choice(["", "0", "00"]) + str(rng.randrange(0, 330))
    short = rng.choice("eE") + rng.choice(["", "+", "-"]) + str(rng.randrange(0, 23))
    ends = [whole, whole + part, whole + power, whole + short, whole + part + power]
    return sign + rng.choice(["0", "0.0", "0e0", str(edge), *ends])


class Writer:
    """Writes escapes and blanks where they may stand; the share of both is odd."""

    def __init__(self, rng, odd):
        self.rng, self.odd = rng, odd

    def text(self, value):
        if isinstance(value, dict):
            text = self.object(value)
        elif isinstance(value, list):
            text = "[" + (",".join(map(self.text, value)) or self.pad()) + "]"
        elif isinstance(value, Number):
            text = str(value)
        else:
            text = self.string(value) if isinstance(value, str) else json.dumps(value)
        return self.pad() + text + self.pad()

    def pad(self):
        rng = self.rng
        return "".join(rng.choice(" \t\r\n") for _ in range(rng.randrange(1, 4))) if rng.random() < self.odd else ""

    def object(self, value):
        items = list(value.items())
        if items and self.rng.random() < self.odd / 2:  # a key twice: the last one counts
            items.insert(0, (self.rng.choice(items)[0], json_value(self.rng, 1)))
        pairs = [f"{self.pad()}{self.string(key)}{self.pad()}:{self.text(item)}" for key, item in items]
        return "{" + (",".join(pairs) or self.pad()) + "}"

    def string(self, text):
        return '"' + "".join(map(self.character, text)) + '"'

    def character(self, c):
        """Any may be an escape, and those beyond 16 bits two."""
        rng, odd = self.rng, self.odd
        if rng.random() < odd:
            units = c.encode("utf-16-be").hex()
            units = units if rng.random() < 0.5 else units.upper()
            return "".join("\\u" + units[i : i + 4] for i in range(0, len(units), 4))
        return "\\/" if c == "/" and odd and rng.random() < 0.5 else json.dumps(c, ensure_ascii=False)[1:-1]


def json_read(text):
    """Python's, but what no double holds is as it is written."""
    return json.loads(text, parse_float=lambda number: Wide(number) if math.isinf(float(number)) else float(number))


def same_json(got, want):
    """Containers that are wanted themselves stand as they do in the document."""
    if isinstance(got, dict) and "j" in got:
        return same_python(json_read(got["j"]), want)
    if isinstance(got, list) and isinstance(want, list):  # of a path with [*]
        return len(got) == len(want) and all(map(same_json, got, want))
    return same(got, want)


def documents(data, rng, n):
    texts = []
    for path in sorted(glob.glob(f"{data}/gcn/*.json")):
        with open(path) as file:
            texts.append(file.read())
    while len(texts) < n:
        value = {rng.choice("abcdef"): json_value(rng, 4) for _ in range(rng.randrange(1, 6))}
        texts.append(Writer(rng, rng.choice([0, 0.1, 0.5])).text(value))
    return texts


def json_case(rng, text):
    want = json_read(text)
    paths = from_keys(choose_paths(rng, [want], 4)) if isinstance(want, dict) else []
    return dict(selecting(paths), format="json", options="", value=text, want=want)


def compare_json(dump, data, rng, n):
    tally, cases = Tally("json"), [json_case(rng, text) for text in documents(data, rng, n)]
    for case, answer in zip(cases, ask(dump, cases)):
        tally.values += 1
        if "error" in answer or not same(answer["records"][0], case["want"]):
            tally.complain("a document", case, answer, case["want"])
            continue
        tally.check_cells("", case, answer["rows"][0], case["want"], same_json)
    return tally.report()
