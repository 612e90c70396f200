"""Arrays of a declared shape, out of JSON and Avro: all their elements, and an error where there are more or fewer."""

import json
import math
import struct

from answers import ask, same
from avro_fastavro import parse, write
from tally import Tally


def nest(rng, shape, kind):
    if shape:
        return [nest(rng, shape[1:], kind) for _ in range(shape[0])]
    if kind == "i64":
        return rng.randrange(-(2**63), 2**63)
    if rng.random() < 0.1:
        return None
    return float(rng.randrange(-1000, 1000)) if rng.random() < 0.3 else rng.uniform(-1e3, 1e3)


def flat(value):
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, list) else [value]


def expected(value, kind):
    numbers = [math.nan if x is None else x for x in flat(value)]
    return [struct.unpack("<f", struct.pack("<f", x))[0] for x in numbers] if kind == "f32" else numbers


def nested_type(value, item):
    """A value's type, as deep as its first elements go."""
    type_ = item
    while isinstance(value, list) and value:
        type_, value = {"type": "array", "items": type_}, value[0]
    return type_ if type_ != item else {"type": "array", "items": item}


def in_json(rng, document, options):
    text = json.dumps(document, indent=rng.choice([None, 2]))
    return {"format": "json", "options": options, "value": text}


def in_avro(document, kind, options):
    type_ = nested_type(document["p"]["a"], "long" if kind == "i64" else ["null", "double"])
    inner = {"type": "record", "name": "P", "fields": [{"name": "a", "type": type_}]}
    schema = {"type": "record", "name": "R", "fields": [{"name": "p", "type": inner}, {"name": "b", "type": "int"}]}
    body = write(parse(schema), document)
    return {"format": "avro", "options": "framing=bare " + options, "schema": json.dumps(schema), "value": body}


def shape_case(rng):
    kind = rng.choice(["f64", "f32", "i64"])
    shape = [rng.randrange(1, 5) for _ in range(rng.randrange(1, 4))]
    value = nest(rng, shape, kind)
    want, wrong = expected(value, kind), rng.random() < 0.2
    if rng.random() < 0.3:
        value = flat(value)
    if wrong:
        value = value[:-1] if rng.random() < 0.5 else value + value[:1]
    options = f"shape={kind},{'x'.join(map(str, shape))},p.a"
    document = {"b": 1, "p": {"a": value, "c": [0]}}
    case = in_json(rng, document, options) if rng.random() < 0.5 else in_avro(document, kind, options)
    return dict(case, fields="b", want=want, wrong=wrong)


def check_shape(tally, case, answer):
    tally.values += 1
    if case["wrong"]:
        if "found shape" not in answer.get("error", ""):
            tally.complain("a wrong shape was taken", case, answer, case["want"])
        return
    got = answer.get("rows", [[None, None]])[0][1]
    tally.cells += 1
    if not same(got, case["want"]):
        tally.complain("a shape", case, answer, case["want"])


def compare_shapes(dump, rng, n):
    tally = Tally("shapes")
    cases = [shape_case(rng) for _ in range(n)]
    for case, answer in zip(cases, ask(dump, cases)):
        check_shape(tally, case, answer)
    return tally.report()
