"""Avro that fastavro wrote: generated values in each framing and under readers' schemas, and real files."""

import glob
import json
import os

from answers import ask
from avro_fastavro import fingerprint, parse, promote, read, read_container, write, write_container
from avro_maker import Schemas, Values
from avro_reader import reader_of
from avro_schemas import ambiguous, definitions, plain, same_schema
from paths import choose_paths, from_keys, leaf_paths, selecting
from real_files import FILES, avro_files, content
from tally import Tally


class Made:
    """A schema by chance, values as they are written with it, and as fastavro reads them: logical types or none."""

    def __init__(self, rng, schemas, n):
        self.schema = schemas.top()
        while isinstance(self.schema, str):
            self.schema = schemas.schema(3)
        self.logical = rng.random() < 0.5
        self.bare = same_schema if self.logical else plain
        self.parsed = parse(self.bare(self.schema))
        values, written = Values(rng, definitions(self.schema, {})), parse(plain(self.schema))
        self.data = [write(written, values.value(self.schema)) for _ in range(n)]
        self.values = [read(self.parsed, one) for one in self.data]

    def paths(self, rng):
        kind = None if isinstance(self.schema, list) else self.schema["type"]
        if kind not in ("record", "map", "array"):
            return []
        n = rng.randrange(0, 8)
        paths = choose_paths(rng, self.values, n)
        return paths if kind == "array" else from_keys(paths)

    def has_readers(self):
        return isinstance(self.schema, dict) and self.schema["type"] == "record" and not ambiguous(self.schema)


def framed(case, how, made):
    """A case a value, its schema beside it, in the key, or named by its fingerprint."""
    text, start, also = json.dumps(made.schema), b"", " logical" if made.logical else ""
    if how == "key":
        case = dict(case, options="framing=key" + also, key=text)
    else:
        case = dict(case, options=f"framing={how}" + also, schema=text)
    if how == "single-object":
        start = b"\xc3\x01" + fingerprint(made.schema)
    return [dict(case, value=start + one, want=[value]) for one, value in zip(made.data, made.values)]


def under_reader(rng, made):
    """What a case has in another way when the values are read under a reader's schema."""
    reader = reader_of(rng, made.schema)
    parsed = parse(made.bare(reader))
    fields = {field["name"]: field["type"] for field in reader["fields"]}
    values = [read(made.parsed, one, parsed) for one in made.data]
    values = [{name: promote(fields[name], item) for name, item in value.items()} for value in values]
    paths = from_keys(choose_paths(rng, values, 5))
    return dict(selecting(paths), schema=json.dumps(reader), want=values)


def container(rng, case, made, with_reader):
    codec = rng.choice(["null", "deflate", "snappy", "zstandard"])
    value = write_container(made.schema, made.data, codec, rng.choice([1, 100, 16000]))
    case = dict(case, options=" logical" if made.logical else "", value=value, want=read_container(value, made.bare))
    if with_reader and made.has_readers():
        case.update(under_reader(rng, made))
    return case


def avro_cases(rng, schemas, values_a_case):
    made = Made(rng, schemas, values_a_case)
    case = dict(selecting(made.paths(rng)), format="avro")
    how = ["bare", "key", "single-object", "container", "reader"][rng.randrange(5)]
    if how in ("container", "reader"):
        return [container(rng, case, made, how == "reader")]
    return framed(case, how, made)


def compare_generated(dump, rng, n):
    tally, cases, schemas, values = Tally("avro generated"), [], Schemas(rng), 0
    while values < n:
        new = avro_cases(rng, schemas, 5)
        values += sum(len(case["want"]) for case in new)
        cases += new
    for case, answer in zip(cases, ask(dump, cases)):
        tally.check(case, answer)
    return tally.report(n)


def check_file(dump, rng, tally, values, n, case):
    """All leaves, and n paths by chance."""
    paths = leaf_paths(values) + from_keys(choose_paths(rng, values, n))
    case = dict(case, **selecting(paths), format="avro", want=values)
    tally.check(case, ask(dump, [case])[0])


def compare_files(dump, data, rng):
    tally = Tally("avro files")
    for _, body in avro_files(data):
        for options, bare in (("", plain), ("logical", same_schema)):
            check_file(dump, rng, tally, read_container(body, bare), 30, {"options": options, "value": body})
    for path in glob.glob(f"{data}/lsst/*.confluent"):
        schema, body = content(f"{data}/lsst/lsst.v9_0.alert.avsc").decode(), content(path)
        value = read(parse(plain(json.loads(schema))), body[5:])
        case = {"options": "framing=confluent", "schema": schema, "value": body}
        check_file(dump, rng, tally, [value], 60, case)
    return tally.report(2 * sum(least for pattern, least in FILES.items() if pattern.endswith(".avro")))


def compare_avro(dump, data, rng, n):
    wrong = compare_files(dump, data, rng) if os.path.isdir(data) else 0
    return wrong + compare_generated(dump, rng, n)
