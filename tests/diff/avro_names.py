"""Avro's names under a reader's schema: each kind in each place, called so or so by the reader."""

import io
import itertools
import json

import fastavro

from answers import ask
from avro_fastavro import parse, read, write
from tally import Tally

KINDS = [
    ({"type": "record", "fields": [{"name": "x", "type": "int"}]}, {"x": 1}),
    ({"type": "enum", "symbols": ["A", "B"]}, "B"),
    ({"type": "fixed", "size": 2}, b"ab"),
]
PLACES = {
    "top": (lambda t: t, lambda v: v),
    "field": (lambda t: {"type": "record", "name": "T", "fields": [{"name": "f", "type": t}]}, lambda v: {"f": v}),
    "array": (lambda t: {"type": "array", "items": t}, lambda v: [v]),
    "map": (lambda t: {"type": "map", "values": t}, lambda v: {"k": v}),
    "union": (lambda t: ["null", t], lambda v: v),
}
# The reader's name and its aliases; the writer's is a.W.
NAMES = [(name, ()) for name in ("a.W", "b.W", "W", "a.R", "W.R", "a.w")]
NAMES += [(name, (alias,)) for name in ("a.R", "b.R", "R") for alias in ("W", "a.W", "c.W", "w", "a.R")]


def name_cases():
    """(title, writer's schema, reader's, value)"""
    for (kind, value), place, (name, aliases) in itertools.product(KINDS, PLACES, NAMES):
        wrap, fill = PLACES[place]
        written, read_as = dict(kind, name="a.W"), dict(kind, name=name, aliases=list(aliases))
        title = f"{kind['type']} {place}: a.W as {name} {aliases}"
        yield title, wrap(written), wrap(read_as), fill(value)
        yield title + ", a union of the reader's", written, ["null", read_as], value
        yield title + ", a union of the writer's", ["null", written], read_as, value


def wanted(parsed, reader, value):
    """The value, or None where fastavro refuses to read it."""
    try:
        read(parsed, write(parsed, value), parse(reader))
    except fastavro.read.SchemaResolutionError:
        return None
    return [value]


def name_case(title, writer, reader, value):
    parsed, out = parse(writer), io.BytesIO()
    fastavro.writer(out, parsed, [value])
    want = wanted(parsed, reader, value)
    return {"format": "avro", "options": "", "title": title, "schema": json.dumps(reader),
            "value": out.getvalue(), "want": want, "paths": []}


def compare_avro_names(dump):
    tally, cases = Tally("avro names"), [name_case(*case) for case in name_cases()]
    for case, answer in zip(cases, ask(dump, cases)):
        if case["want"] is not None:
            tally.check(case, answer)
        elif "where the reader's schema has" not in answer.get("error", ""):
            tally.complain(case["title"], case, answer, "refused")
    refused = sum(case["want"] is None for case in cases)
    print(f"avro names: {len(cases)} cases, of which fastavro refuses {refused}")
    return tally.report()
