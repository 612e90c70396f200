"""Avro written: what fastavro wrote, rille reads, writes again, and fastavro reads."""

import base64
import json
import os

from answers import ask, same_python
from avro_fastavro import parse, read, read_container, write
from avro_maker import Schemas, Values
from avro_schemas import definitions, plain, tables_in_unions
from real_files import avro_files
from tally import Tally


def written_case(rng, schema):
    parsed = parse(plain(schema))
    body = write(parsed, Values(rng, definitions(schema, {})).value(schema))
    case = {"format": "avro", "options": "framing=bare", "schema": json.dumps(schema), "value": body}
    return dict(case, want=[read(parsed, body)])


def written_cases(data, rng, n):
    """Values of known schemas: of the files, and generated ones."""
    cases, schemas = [], Schemas(rng)
    if os.path.isdir(data):
        for _, body in avro_files(data):
            cases.append({"format": "avro", "options": "", "value": body, "want": read_container(body)})
    while len(cases) < n:
        schema = schemas.top()
        if not isinstance(schema, str) and not tables_in_unions(schema):
            cases.append(written_case(rng, schema))
    for case in cases:
        case["options"] += " encode=" + rng.choice(["null", "deflate", "snappy", "zstandard"])
    return cases


def compare_avro_written(dump, data, rng, n):
    tally, cases = Tally("avro written"), written_cases(data, rng, n)
    for case, answer in zip(cases, ask(dump, cases)):
        tally.values += len(case["want"])
        if "error" in answer:
            tally.complain("refused", case, answer, case["want"])
            continue
        got = read_container(base64.b64decode(answer["encoded"]["b"]))
        if not same_python(got, case["want"]):
            tally.complain("another value", case, got, case["want"])
    return tally.report()
