"""compare DUMP DATA [VALUES [SEED]]   what rille's decoders make of values, against fastavro, csv and json

DUMP is the program made from dump.c; its comment says how cases and answers look. DATA holds real files; without it
only generated values are compared. Prints each difference (ten at most) and a line a format; exit status 1 when there
is one.
"""

import base64
import copy
import csv
import datetime
import decimal
import glob
import io
import itertools
import json
import math
import os
import random
import re
import string
import struct
import subprocess
import sys
import tarfile
import uuid

import fastavro

MISSING = object()


class Wide(str):
    """A number that no double holds: as it is written."""


# ---- cases and answers


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


def same_double(answer, want):
    got = float.fromhex(answer)
    return math.isnan(got) and math.isnan(want) or struct.pack("<d", got) == struct.pack("<d", want)


def same(got, want):
    """An answer's value against a Python one."""
    if want is MISSING:
        return got == {"m": 1}
    if isinstance(want, float):
        return isinstance(got, dict) and "d" in got and same_double(got["d"], want)
    if isinstance(want, (bytes, bytearray)):
        return isinstance(got, dict) and "b" in got and base64.b64decode(got["b"]) == want
    if isinstance(want, bool) or want is None:
        return got is want
    if isinstance(want, dict):
        if not isinstance(got, dict) or "o" not in got:
            return False
        pairs = dict(map(tuple, got["o"])) if all(isinstance(k, str) for k, _ in got["o"]) else None
        return (
            pairs is not None and pairs.keys() == want.keys() and all(same(pairs[k], want[k]) for k in want)
        )
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, Wide):
        return got == {"n": str(want)}
    if isinstance(want, int) and not -(2**63) <= want < 2**63:
        return got == {"n": str(want)}
    return type(got) is type(want) and got == want


class Tally:
    def __init__(self, name):
        self.name, self.values, self.cells, self.wrong = name, 0, 0, 0

    def complain(self, what, case, got, want):
        self.wrong += 1
        if self.wrong > 10:
            return
        print(f"{self.name}: {what}")
        for key in ("options", "fields", "schema", "key", "value"):
            print(f"  {key}: {case.get(key, b'')!r}"[:600])
        print(f"  rille: {got!r}"[:600])
        print(f"  other: {want!r}"[:600])

    def check(self, case, answer):
        wanted = case["want"]
        if "error" in answer or len(answer["records"]) != len(wanted):
            self.complain("refused or another number of records", case, answer, wanted)
            return
        for i, want in enumerate(wanted):
            self.values += 1
            if not same(answer["records"][i], want):
                self.complain(f"record {i}", case, answer["records"][i], want)
            if not case["paths"]:
                continue
            for path, got in zip(case["paths"], answer["rows"][i]):
                self.cells += 1
                if not same(got, follow(want, path)):
                    self.complain(f"record {i}, path {path}", case, got, follow(want, path))

    def report(self, least=1):
        print(f"{self.name}: {self.values} values, {self.cells} fields, {self.wrong} different")
        if self.values < least:
            print(f"{self.name}: that should have been {least} values at least")
            self.wrong += 1
        return self.wrong


# ---- paths


EACH = ...  # the step [*]


def follow(value, path):
    for i, step in enumerate(path):
        if step is EACH:
            return [follow(item, path[i + 1 :]) for item in value] if isinstance(value, list) else MISSING
        if isinstance(step, str):
            value = value[step] if isinstance(value, dict) and step in value else MISSING
        elif isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        else:
            value = MISSING
        if value is MISSING:
            break
    return value


def spell(path):
    text = ""
    for step in path:
        if step is EACH:
            text += "[*]"
        elif isinstance(step, int):
            text += f"[{step}]"
        else:
            bare = step and not set(step) & set('.[]"@,:= ')
            quoted = step.replace("\\", "\\\\").replace('"', '\\"')
            text += ("." if text else "") + (step if bare else f'"{quoted}"')
    return text


def choose_path(rng, value):
    path = []
    while len(path) < 8:
        if isinstance(value, dict) and value and rng.random() < 0.85:
            path.append(rng.choice(list(value)) if rng.random() < 0.95 else "no_such_key")
        elif isinstance(value, list) and rng.random() < 0.4:
            path.append(EACH)
            value = rng.choice(value) if value else None
            continue
        elif isinstance(value, list) and rng.random() < 0.8:
            path.append(rng.randrange(-len(value) - 1, len(value) + 1))
        else:
            break
        value = follow(value, path[-1:])
    return path


def choose_paths(rng, values, n):
    paths = [choose_path(rng, rng.choice(values)) for _ in range(n)] if values else []
    return [
        path for path in paths if path and not any("\0" in step for step in path if isinstance(step, str))
    ]


def leaf_paths(values):
    """All that lead to no record, list items by [*] and by the first and the last index."""
    found = {}

    def walk(value, path):
        if isinstance(value, dict):
            for key, item in value.items():
                walk(item, (*path, key))
        elif isinstance(value, list):
            found[path] = True
            for item in value[:1] + value[-1:]:
                walk(item, (*path, 0))
                walk(item, (*path, -1))
            for item in value:
                walk(item, (*path, EACH))
        else:
            found[path] = True

    for value in values:
        walk(value, ())
    return [list(path) for path in found if path and isinstance(path[0], str)]


def fields_of(paths):
    return ",".join(f"f{i}={spell(path)}" for i, path in enumerate(paths))


# ---- Avro


def plain(schema):
    """Without logical types, which fastavro would decode."""
    if isinstance(schema, list):
        return [plain(item) for item in schema]
    if isinstance(schema, dict):
        return {
            key: plain(item)
            for key, item in schema.items()
            if key not in ("logicalType", "__fastavro_parsed__")
        }
    return schema


DAY_ZERO = datetime.datetime(1970, 1, 1)


def documented(name, value):
    """What rille-avro(7) says of a logical type that fastavro decoded: decimals and UUIDs are texts, times numbers."""
    unit = datetime.timedelta(milliseconds=1) if name.endswith("-millis") else datetime.timedelta(microseconds=1)
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, datetime.datetime):
        return (value.replace(tzinfo=None) - DAY_ZERO) // unit
    if isinstance(value, datetime.date):
        return (value - DAY_ZERO.date()).days
    if isinstance(value, datetime.time):
        return (datetime.datetime.combine(DAY_ZERO, value) - DAY_ZERO) // unit
    return value


def as_documented(name, decode):
    return lambda data, writer=None, reader=None: documented(name, decode(data, writer, reader))


# Of values that are read as their base nothing comes here: plain() took their logical types.
LOGICAL = fastavro.read.LOGICAL_READERS
LOGICAL.update({name: as_documented(name, decode) for name, decode in LOGICAL.items()})
LOGICAL["fixed-uuid"] = lambda data, writer=None, reader=None: str(uuid.UUID(bytes=data))  # fastavro leaves it


def same_schema(schema):
    return schema


def read_container(data, bare=plain):
    reader = fastavro.reader(io.BytesIO(data))
    schema = bare(json.loads(reader.metadata["avro.schema"]))
    parsed = fastavro.parse_schema(schema)
    values = []
    for block in fastavro.block_reader(io.BytesIO(data)):
        bytes_ = io.BytesIO(block.bytes_.getvalue())
        values += [fastavro.schemaless_reader(bytes_, parsed) for _ in range(block.num_records)]
    return values


# A logical type's base, and the least and the most that fastavro decodes.
NUMBERS = {
    "date": ("int", -719162, 2932896),
    "time-millis": ("int", 0, 86399999),
    "time-micros": ("long", 0, 86399999999),
    "timestamp-millis": ("long", -62135596800000, 253402300799999),
    "timestamp-micros": ("long", -62135596800000000, 253402300799999999),
    "local-timestamp-millis": ("long", -62135596800000, 253402300799999),
    "local-timestamp-micros": ("long", -62135596800000000, 253402300799999999),
    "timestamp-nanos": ("long", -(2**63), 2**63 - 1),
    "no-such-type": ("long", -(2**63), 2**63 - 1),
}


class Maker:
    """Schemas by chance, and values of them."""

    def __init__(self, rng):
        self.rng, self.names, self.open = rng, 0, []

    def name(self):
        self.names += 1
        return f"n{self.names}"

    def schema(self, depth, in_union=False):
        rng = self.rng
        simple = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"]
        kinds = simple * 2 + ["enum", "fixed"] + ["logical"] * 3
        if depth > 0:
            kinds += ["record"] * 4 + ["array", "map"] * 3 + ([] if in_union else ["union"] * 5)
        kind = rng.choice(kinds)
        if kind in simple:
            return kind
        if kind == "logical":
            return self.logical()
        if kind == "enum":
            return {"type": "enum", "name": self.name(), "symbols": ["A", "B", "C"][: rng.randrange(1, 4)]}
        if kind == "fixed":
            return {"type": "fixed", "name": self.name(), "size": rng.randrange(0, 6)}
        if kind == "array":
            return {"type": "array", "items": self.schema(depth - 1)}
        if kind == "map":
            return {"type": "map", "values": self.schema(depth - 1)}
        if kind == "union":
            return self.union(depth)
        return self.record(depth)

    def logical(self):
        rng = self.rng
        name = rng.choice(["decimal", "decimal-fixed", "uuid", "uuid-fixed", "duration", *NUMBERS])
        if name in NUMBERS:
            return {"type": NUMBERS[name][0], "logicalType": name}
        if name == "uuid":
            return {"type": "string", "logicalType": "uuid"}
        if name == "uuid-fixed":
            return {"type": "fixed", "name": self.name(), "size": 16, "logicalType": "uuid"}
        if name == "duration":
            return {"type": "fixed", "name": self.name(), "size": 12, "logicalType": "duration"}
        size = rng.randrange(1, 20)
        precision = rng.randrange(1, int(math.log10(2) * (8 * size - 1)) + 1)
        type_ = {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": rng.randrange(precision + 1)}
        return type_ if name == "decimal" else dict(type_, type="fixed", name=self.name(), size=size)

    def logical_value(self, schema):
        rng, name = self.rng, schema["logicalType"]
        if name in NUMBERS:
            least, most = NUMBERS[name][1:]
            return rng.choice([least, most, 0, -1 if least else 1, rng.randint(least, most)])
        if name == "uuid":
            made = uuid.UUID(int=rng.getrandbits(128))
            return made.bytes if schema["type"] == "fixed" else str(made)
        if name == "duration":
            return rng.randbytes(12)
        most = 10 ** rng.randint(1, schema["precision"]) - 1
        value = rng.choice([0, -1, most, -most, rng.randint(-most, most)])
        size = schema.get("size", value.bit_length() // 8 + rng.randint(1, 3))
        return value.to_bytes(size, "big", signed=True)

    def record(self, depth):
        record = {"type": "record", "name": self.name(), "fields": []}
        self.open.append(record)
        for i in range(self.rng.randrange(0, 7)):
            recursive = self.rng.random() < 0.05
            type_ = ["null", self.rng.choice(self.open)["name"]] if recursive else self.schema(depth - 1)
            record["fields"].append({"name": f"f{i}", "type": type_})
        self.open.pop()
        return record

    def union(self, depth):
        branches, seen = [], set()
        for _ in range(self.rng.randrange(1, 5)):
            branch = self.schema(depth - 1, True)
            kind = branch if isinstance(branch, str) else branch["type"]
            if kind not in seen or kind in ("record", "enum", "fixed"):
                branches.append(branch)
            seen.add(kind)
        return branches

    def value(self, schema, named, depth=0):
        rng = self.rng
        if isinstance(schema, list):
            branches = [b for b in schema if b == "null"] if depth > 12 and "null" in schema else schema
            branch = rng.choice(branches)
            name = branch if isinstance(branch, str) else branch.get("name", branch["type"])
            value = self.value(branch, named, depth + 1)
            return value if branch == "null" else (name, value)
        kind = schema if isinstance(schema, str) else schema["type"]
        if kind in named:
            return self.value(named[kind], named, depth + 1)
        if isinstance(schema, dict) and "logicalType" in schema:
            return self.logical_value(schema)
        if kind == "null":
            return None
        if kind == "boolean":
            return rng.random() < 0.5
        if kind == "int":
            return rng.choice([0, -1, 2**31 - 1, -(2**31), rng.randrange(-1000, 1000)])
        if kind == "long":
            return rng.choice([0, 2**63 - 1, -(2**63), 2510000000000000003, rng.randrange(-(2**40), 2**40)])
        if kind in ("float", "double"):
            value = rng.choice([0.0, -0.0, math.nan, math.inf, -math.inf, rng.uniform(-1e6, 1e6)])
            return struct.unpack("<f", struct.pack("<f", value))[0] if kind == "float" else value
        if kind == "bytes":
            return rng.randbytes(rng.randrange(0, 20))
        if kind == "string":
            return self.text()
        if kind == "fixed":
            named[schema["name"]] = schema
            return rng.randbytes(schema["size"])
        if kind == "enum":
            named[schema["name"]] = schema
            return rng.choice(schema["symbols"])
        if kind == "array":
            n = rng.choice([0, 1, 2, 5]) if depth < 12 else 0
            return [self.value(schema["items"], named, depth + 1) for _ in range(n)]
        if kind == "map":
            n = rng.choice([0, 1, 2, 4]) if depth < 12 else 0
            return {self.text(): self.value(schema["values"], named, depth + 1) for _ in range(n)}
        named[schema["name"]] = schema
        return {f["name"]: self.value(f["type"], named, depth + 1) for f in schema["fields"]}

    def text(self):
        alphabet = string.ascii_letters + ' ."[]\\\u00e4\u20ac\U0001f600'
        return "".join(self.rng.choice(alphabet) for _ in range(self.rng.randrange(0, 12)))


def definitions(schema, found):
    """Names before values: a value may need one that another value would have met first."""
    if isinstance(schema, list):
        for item in schema:
            definitions(item, found)
    elif isinstance(schema, dict):
        if "name" in schema:
            found[schema["name"]] = schema
        for field in schema.get("fields", ()):
            definitions(field["type"], found)
        for key in ("items", "values"):
            if key in schema:
                definitions(schema[key], found)
    return found


def write(schema, value):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, value)
    return out.getvalue()


def read(schema, data, reader=None):
    return fastavro.schemaless_reader(io.BytesIO(data), schema, reader)


def rename_fields(rng, reader):
    """Fields by other names; what was written is an alias."""
    for record in (type_ for type_ in definitions(reader, {}).values() if type_["type"] == "record"):
        for field in record["fields"]:
            if re.fullmatch(r"f\d", field["name"]) and rng.random() < 0.2:
                field["aliases"] = rng.choice([[field["name"]], ["other", field["name"]]])
                field["name"] += "x"


def narrow_enums(rng, reader):
    """Fewer symbols and a default for the others."""
    for type_ in definitions(reader, {}).values():
        if type_["type"] == "enum" and rng.random() < 0.4:
            type_["symbols"] = rng.sample(["A", "B", "C", "D"], rng.randrange(1, 4))
            type_["default"] = rng.choice(type_["symbols"])


def reader_of(rng, schema):
    """A reader's schema for a record: fields shuffled, dropped, promoted and added, enums narrowed, all renamed."""
    wider = {
        "int": ["long", "double"],
        "long": ["double"],
        "float": ["double"],
        "string": ["bytes"],
        "bytes": ["string"],
    }
    reader = copy.deepcopy(schema)
    fields = []
    for field in reader["fields"]:
        if rng.random() < 0.2 and not references(field["type"]):
            continue
        kind = field["type"]
        if isinstance(kind, str) and kind in wider and kind != "bytes" and rng.random() < 0.5:
            field["type"] = rng.choice(wider[kind])
        fields.append(field)
    added = [
        ("a1", "int", 7),
        ("a2", ["null", "string"], None),
        ("a3", {"type": "array", "items": "double"}, [1.5, 2.0]),
    ]
    fields += [{"name": n, "type": t, "default": d} for n, t, d in added if rng.random() < 0.4]
    if not any(references(field["type"]) for field in fields):
        rng.shuffle(fields)
    reader["fields"] = fields
    narrow_enums(rng, reader)
    rename_fields(rng, reader)
    return renamed(rng, reader)


def renamed(rng, schema):
    """Some definitions called otherwise, with an alias; some in another namespace: none that names are looked up in."""
    text = json.dumps(schema)
    for name, type_ in definitions(schema, {}).items():
        if rng.random() < 0.3:
            new = f"m{name}" if type_["type"] == "record" else rng.choice([f"other.{name}", f"m{name}", f"other.m{name}"])
            text = text.replace(f'"{name}"', f'"{new}"')
            if not new.endswith(f".{name}"):
                text = text.replace(f'"name": "{new}"', f'"name": "{new}", "aliases": ["x", "{name}"]')
    return json.loads(text)


def references(schema):
    """Does it define or use names? Those must keep their order."""
    return re.search(r'"n\d', json.dumps(schema)) is not None


def ambiguous(schema):
    """A union with two branches that a value can be read as: fastavro takes the first, rille (as Java) the exact one."""
    if isinstance(schema, list):
        simple = {branch if isinstance(branch, str) else branch["type"] for branch in schema}
        if len(simple & {"int", "long", "float", "double"}) > 1 or {"bytes", "string"} <= simple:
            return True
        return any(map(ambiguous, schema))
    if isinstance(schema, dict):
        inner = [field["type"] for field in schema.get("fields", ())] + [
            schema[k] for k in ("items", "values") if k in schema
        ]
        return any(map(ambiguous, inner))
    return False


def fingerprint(schema):
    canonical = fastavro.schema.to_parsing_canonical_form(copy.deepcopy(schema))
    return bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))


def avro_case(rng, maker, values_a_case):
    schema = maker.record(3) if rng.random() < 0.8 else maker.schema(3)
    while isinstance(schema, str):
        schema = maker.schema(3)
    named, bare = definitions(schema, {}), plain(schema)
    logical = rng.random() < 0.5
    parsed = fastavro.parse_schema(copy.deepcopy(schema if logical else bare))
    written = fastavro.parse_schema(copy.deepcopy(bare))
    data = [write(written, maker.value(schema, named)) for _ in range(values_a_case)]
    values = [read(parsed, one) for one in data]
    selectable = not isinstance(schema, list) and schema["type"] in ("record", "map", "array")
    paths = choose_paths(rng, values, rng.randrange(0, 8)) if selectable else []
    if selectable and schema["type"] != "array":
        paths = [p for p in paths if isinstance(p[0], str)]
    text = json.dumps(schema)
    case = {"format": "avro", "fields": fields_of(paths), "paths": paths}
    also = " logical" if logical else ""
    how = rng.randrange(5)
    if how == 0:
        return [
            dict(case, options="framing=bare" + also, schema=text, value=d, want=[v]) for d, v in zip(data, values)
        ]
    if how == 1:
        return [dict(case, options="framing=key" + also, key=text, value=d, want=[v]) for d, v in zip(data, values)]
    if how == 2:
        start = b"\xc3\x01" + fingerprint(schema)
        return [
            dict(case, options="framing=single-object" + also, schema=text, value=start + d, want=[v])
            for d, v in zip(data, values)
        ]
    out, bare_named = io.BytesIO(), definitions(bare, {})
    codec = rng.choice(["null", "deflate", "snappy", "zstandard"])
    whole = fastavro.parse_schema(copy.deepcopy(schema))
    wrapped = fastavro.write.Writer(out, whole, codec=codec, sync_interval=rng.choice([1, 100, 16000]))
    for one in data:
        wrapped.write(tagged(bare, bare_named, io.BytesIO(one)))
    wrapped.flush()
    container = out.getvalue()
    values = read_container(container, same_schema if logical else plain)
    if how == 4 and isinstance(schema, dict) and schema["type"] == "record" and not ambiguous(schema):
        reader = reader_of(rng, schema)
        parsed_reader = fastavro.parse_schema(copy.deepcopy(reader if logical else plain(reader)))
        values = [read(parsed, one, parsed_reader) for one in data]
        fields = {f["name"]: f["type"] for f in reader["fields"]}
        values = [{k: promote(fields[k], v) for k, v in value.items()} for value in values]
        paths = [p for p in choose_paths(rng, values, 5) if isinstance(p[0], str)]
        case = dict(case, schema=json.dumps(reader), fields=fields_of(paths), paths=paths)
    return [dict(case, options=also, value=container, want=values)]


def tagged(schema, named, data):
    """Reads like fastavro, but unions come as (branch, value)."""
    if isinstance(schema, list):
        branch = schema[read_long(data)]
        value = tagged(branch, named, data)
        name = branch if isinstance(branch, str) else branch.get("name", branch["type"])
        return value if branch == "null" else (name, value)
    kind = schema if isinstance(schema, str) else schema["type"]
    if kind in named:
        return tagged(named[kind], named, data)
    if kind == "record":
        return {f["name"]: tagged(f["type"], named, data) for f in schema["fields"]}
    if kind in ("array", "map"):
        return tagged_items(schema, kind, named, data)
    return fastavro.schemaless_reader(data, fastavro.parse_schema(copy.deepcopy(schema)))


def tagged_items(schema, kind, named, data):
    items = []
    while (n := read_long(data)) != 0:
        if n < 0:
            n, _ = -n, read_long(data)
        for _ in range(n):
            if kind == "map":
                key = data.read(read_long(data)).decode()
                items.append((key, tagged(schema["values"], named, data)))
            else:
                items.append(tagged(schema["items"], named, data))
    return dict(items) if kind == "map" else items


def read_long(data):
    n = shift = 0
    while True:
        byte = data.read(1)[0]
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return n >> 1 ^ -(n & 1)


def promote(type_, value):
    """fastavro leaves some promoted values as they were written."""
    if type_ == "double" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type_ == "bytes" and isinstance(value, str):
        return value.encode()
    return value


# What DATA holds at least: an empty pattern would be a comparison with nothing.
FILES = {
    "ztf/*.avro": 15,
    "ztf/*.tar.gz": 1,
    "fink/*.avro": 3,
    "hop/*.avro": 1,
    "damaged/*.avro": 1,
    "lsst/*.confluent": 1,
    "lsst/lsst.v9_0.alert.avsc": 1,
    "gcn/*.json": 4,
    "**/*.csv": 1,
}


def check_files(data):
    """How many patterns have less than they must; tells them, or that there are no files."""
    if not os.path.isdir(data):
        print(f"files: left out, {data} is no folder: generated values only (RILLE_TEST_DATA says where files are)")
        return 0
    found = {pattern: len(glob.glob(os.path.join(data, pattern), recursive=True)) for pattern in FILES}
    short = {pattern: n for pattern, n in found.items() if n < FILES[pattern]}
    for pattern, n in short.items():
        print(f"files: {n} of {data}/{pattern}, {FILES[pattern]} at least are meant to be there")
    return len(short)


def avro_files(data):
    cases = []
    for path in sorted(
        glob.glob(f"{data}/ztf/*.avro") + glob.glob(f"{data}/fink/*.avro") + glob.glob(f"{data}/hop/*.avro")
    ):
        cases.append((path, open(path, "rb").read()))
    for path in sorted(glob.glob(f"{data}/ztf/*.tar.gz")):
        with tarfile.open(path) as tar:
            cases += [
                (f"{path}/{m.name}", tar.extractfile(m).read())
                for m in tar.getmembers()
                if m.name.endswith(".avro")
            ]
    for path in sorted(glob.glob(f"{data}/damaged/*.avro")):
        body = open(path, "rb").read()
        try:
            read_container(body)
        except Exception:
            continue  # what fastavro refuses too is for the unit tests
        cases.append((path, body))
    return cases


def compare_avro_files(dump, data, rng, tally):
    for path, body in avro_files(data):
        for options, bare in (("", plain), ("logical", same_schema)):
            values = read_container(body, bare)
            paths = leaf_paths(values) + [p for p in choose_paths(rng, values, 30) if isinstance(p[0], str)]
            case = {"format": "avro", "options": options, "fields": fields_of(paths), "paths": paths, "value": body}
            case.update(want=values, key=b"")
            tally.check(case, ask(dump, [case])[0])
    for path in glob.glob(f"{data}/lsst/*.confluent"):
        schema = open(f"{data}/lsst/lsst.v9_0.alert.avsc").read()
        body = open(path, "rb").read()
        value = fastavro.schemaless_reader(
            io.BytesIO(body[5:]), fastavro.parse_schema(plain(json.loads(schema)))
        )
        paths = leaf_paths([value]) + [p for p in choose_paths(rng, [value], 60) if isinstance(p[0], str)]
        case = {
            "format": "avro",
            "options": "framing=confluent",
            "schema": schema,
            "fields": fields_of(paths),
        }
        case.update(paths=paths, value=body, want=[value])
        tally.check(case, ask(dump, [case])[0])


def compare_avro(dump, data, rng, n):
    files, made, wrong = Tally("avro files"), Tally("avro generated"), 0
    if os.path.isdir(data):
        compare_avro_files(dump, data, rng, files)
        wrong = files.report(2 * sum(FILES[pattern] for pattern in FILES if pattern.endswith(".avro")))
    cases, maker, values = [], Maker(rng), 0
    while values < n:
        new = avro_case(rng, maker, 5)
        values += sum(len(case["want"]) for case in new)
        cases += new
    for case, answer in zip(cases, ask(dump, cases)):
        made.check(case, answer)
    return wrong + made.report(n)


# ---- Avro, names under a reader's schema


def name_cases():
    """(title, writer's schema, reader's, value): each kind in each place, called so or so by the reader."""
    kinds = [
        ({"type": "record", "fields": [{"name": "x", "type": "int"}]}, {"x": 1}),
        ({"type": "enum", "symbols": ["A", "B"]}, "B"),
        ({"type": "fixed", "size": 2}, b"ab"),
    ]
    places = {
        "top": (lambda t: t, lambda v: v),
        "field": (lambda t: {"type": "record", "name": "T", "fields": [{"name": "f", "type": t}]}, lambda v: {"f": v}),
        "array": (lambda t: {"type": "array", "items": t}, lambda v: [v]),
        "map": (lambda t: {"type": "map", "values": t}, lambda v: {"k": v}),
        "union": (lambda t: ["null", t], lambda v: v),
    }
    names = [(name, ()) for name in ("a.W", "b.W", "W", "a.R", "W.R", "a.w")]
    names += [(name, (alias,)) for name in ("a.R", "b.R", "R") for alias in ("W", "a.W", "c.W", "w", "a.R")]
    for (kind, value), place, (name, aliases) in itertools.product(kinds, places, names):
        wrap, fill = places[place]
        written, read_as = dict(kind, name="a.W"), dict(kind, name=name, aliases=list(aliases))
        title = f"{kind['type']} {place}: a.W as {name} {aliases}"
        yield title, wrap(written), wrap(read_as), fill(value)
        yield title + ", a union of the reader's", written, ["null", read_as], value
        yield title + ", a union of the writer's", ["null", written], read_as, value


def name_case(title, writer, reader, value):
    parsed = fastavro.parse_schema(copy.deepcopy(writer))
    out = io.BytesIO()
    fastavro.writer(out, parsed, [value])
    try:
        read(parsed, write(parsed, value), fastavro.parse_schema(copy.deepcopy(reader)))
        want = [value]
    except fastavro.read.SchemaResolutionError:
        want = None
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


# ---- Avro, written


def written_cases(data, rng, n):
    """Values of known schemas: what fastavro wrote, rille reads, writes again, and fastavro reads."""
    cases, maker = [], Maker(rng)
    if os.path.isdir(data):
        for _, body in avro_files(data):
            cases.append({"format": "avro", "options": "", "value": body, "want": read_container(body)})
    while len(cases) < n:
        schema = maker.record(3) if rng.random() < 0.8 else maker.schema(3)
        if isinstance(schema, str) or tables_in_unions(schema):
            continue
        parsed, named = fastavro.parse_schema(plain(schema)), definitions(schema, {})
        body = write(parsed, maker.value(schema, named))
        cases.append(
            {
                "format": "avro",
                "options": "framing=bare",
                "schema": json.dumps(schema),
                "value": body,
                "want": [read(parsed, body)],
            }
        )
    for case in cases:
        case["options"] += " encode=" + rng.choice(["null", "deflate", "snappy", "zstandard"])
    return cases


def tables_in_unions(schema):
    """A union in which a table may be more than one thing: there a branch must be named."""
    if isinstance(schema, list):
        tables = [b for b in schema if not isinstance(b, str) and b["type"] in ("record", "map")]
        tables += [b for b in schema if isinstance(b, str) and re.fullmatch(r"n\d+", b)]
        return len(tables) > 1 or any(map(tables_in_unions, schema))
    if isinstance(schema, dict):
        inner = [field["type"] for field in schema.get("fields", ())]
        inner += [schema[k] for k in ("items", "values") if k in schema]
        return any(map(tables_in_unions, inner))
    return False


def same_python(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isnan(a) and math.isnan(b) or struct.pack("<d", a) == struct.pack("<d", b)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_python(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same_python, a, b))
    return a == b


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


# ---- CSV


def csv_text(rng):
    alphabet = "abc,;\"'\r\n\t \u00e4\u20ac#"
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(0, 10)))


def compare_csv(dump, data, rng, n):
    tally, cases = Tally("csv generated"), []
    made = 0
    while made < n:
        width, rows = rng.randrange(1, 8), rng.randrange(1, 10)
        delimiter = rng.choice(",;\t|")
        table = [[csv_text(rng) for _ in range(width)] for _ in range(rows)]
        out = io.StringIO(newline="")
        end = rng.choice(["\r\n", "\n"])  # csv does not quote a CR where lines end in LF
        quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]) if end == "\r\n" else csv.QUOTE_ALL
        csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(table)
        text = out.getvalue()
        want = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
        assert want == table or width == 1, (want, table)
        fields = ",".join(f"f{i}=[{i}]:bytes" for i in range(width))
        case = {"format": "csv", "options": "", "fields": fields, "value": text}
        case["options"] = f"delimiter={delimiter}" if delimiter != "\t" else ""
        case["format"] = "tsv" if delimiter == "\t" else "csv"
        case["table"] = want
        cases.append(case)
        made += rows
    for case, answer in zip(cases, ask(dump, cases)):
        check_csv(tally, case, answer)
    wrong = tally.report() + compare_csv_written(dump, cases) + compare_numbers(dump, rng, n)
    return wrong + compare_csv_auto(dump, data, rng, n)


def compare_csv_written(dump, cases):
    """What rille read and wrote again, as Python reads it."""
    tally = Tally("csv written")
    cases = [dict(case, options=case["options"] + " encode=null") for case in cases]
    for case, answer in zip(cases, ask(dump, cases)):
        found = re.search("delimiter=(.)", case["options"])
        delimiter = found.group(1) if found else "\t" if case["format"] == "tsv" else ","
        if "error" in answer:
            tally.complain("refused", case, answer, case["table"])
            continue
        text = base64.b64decode(answer["encoded"]["b"]).decode()
        got = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        tally.values += len(got)
        if got != case["table"]:
            tally.complain("another table", case, got, case["table"])
    return tally.report()


def check_csv(tally, case, answer):
    want = case["table"]
    got = answer.get("rows")
    tally.values += len(want)
    if got is None or len(got) != len(want):
        tally.complain("refused or another number of rows", case, answer, want)
        return
    for row, expected in zip(got, want):
        for cell, text in zip(row, expected):
            tally.cells += 1
            if not (same(cell, text.encode()) or (text == "" and cell == {"m": 1})):
                tally.complain("a cell", case, cell, text)


def compare_numbers(dump, rng, n):
    """Declared f64 against Python's float, which rounds right too."""
    tally, texts = Tally("csv numbers"), []
    for _ in range(n):
        bits = struct.unpack("<d", rng.randbytes(8))[0]
        choice = rng.randrange(5)
        texts.append(
            repr(bits)
            if choice == 0
            else (
                f"{rng.uniform(-1e9, 1e9):.{rng.randrange(0, 20)}f}"
                if choice == 1
                else (
                    f"{rng.uniform(0, 1e3):.18e}"
                    if choice == 2
                    else (
                        f"{rng.choice(['', '-', '+'])}{rng.randrange(0, 10**rng.randrange(1, 25))}.{rng.randrange(0, 10**18)}"
                        if choice == 3
                        else rng.choice(["", " "])
                        + repr(rng.uniform(-10, 10))
                        + "e"
                        + str(rng.randrange(-320, 300))
                    )
                )
            )
        )
    case = {"format": "csv", "options": "columns=x", "fields": "x:f64", "value": "\n".join(texts)}
    answer = ask(dump, [case])[0]
    for text, row in zip(texts, answer.get("rows") or []):
        tally.values += 1
        tally.cells += 1
        if not same(row[0], float(text)):
            tally.complain(text, case, row[0], float(text))
    if tally.values != len(texts):
        tally.complain("refused", case, answer, len(texts))
    return tally.report()


def auto(text, quoted):
    """What a cell without a declared type is: a number as JSON writes it, without quotes; else a text."""
    if quoted:
        return text
    if text == "":
        return MISSING
    number = text.strip(" \t")
    if re.fullmatch(r"-?(0|[1-9]\d*)", number):
        return int(number)
    if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", number):
        return Wide(number) if math.isinf(float(number)) else float(number)
    return text


def auto_text(rng):
    """A cell's text and whether it stands in quotes."""
    kind = rng.randrange(7)
    if kind == 0:
        return csv_text(rng), True
    if kind == 1:
        return str(rng.randrange(-(10**20), 10**20) // 10 ** rng.randrange(0, 20)), rng.random() < 0.2
    if kind == 2:
        return repr(struct.unpack("<d", rng.randbytes(8))[0]), rng.random() < 0.2
    if kind == 3:
        odd = ["", "-0", "007", "+5", ".5", "5.", "1e5", "1E-3", "1e400", "nan", "true", "-", "1.2.3", " 5", "0x10"]
        return rng.choice(odd), False
    return "".join(rng.choice("abz_-.\u00e4 0189eE+") for _ in range(rng.randrange(1, 12))), False


def auto_table(rng, delimiter):
    """Names, cells as (text, quoted), and their CSV, which Python's reader reads alike."""
    width = rng.randrange(2, 8)
    names = [f"n{i}" + "".join(rng.choice("ab.[] \u00e4") for _ in range(rng.randrange(0, 4))) for i in range(width)]
    table = [[auto_text(rng) for _ in range(width)] for _ in range(rng.randrange(1, 8))]
    lines = [[(name, False) for name in names]] + table
    text = "".join(
        delimiter.join('"' + cell.replace('"', '""') + '"' if quoted else cell for cell, quoted in line) + "\n"
        for line in lines
    )
    read = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert read == [[cell for cell, _ in line] for line in lines], (read, lines)
    return names, table, text


def real_tables(data):
    for path in glob.glob(os.path.join(data, "**", "*.csv"), recursive=True):
        with open(path, newline="", encoding="utf-8") as file:
            text = file.read()
        if '"' in text:
            continue  # Python's reader does not tell which cells were in quotes
        names, *rows = csv.reader(io.StringIO(text, newline=""))
        yield names, [[(cell, False) for cell in row] for row in rows], text


def auto_case(names, table, text, format_, options):
    paths = [[name] for name in names]
    return {"format": format_, "options": options, "fields": fields_of(paths), "value": text, "names": names, "table": table}


def compare_csv_auto(dump, data, rng, n):
    """Cells without declared types, under the names of a header: rows and whole records."""
    real = [auto_case(*table, "csv", "header") for table in real_tables(data)]
    made, cases = 0, []
    while made < n:
        delimiter = rng.choice(",;\t|")
        table = auto_table(rng, delimiter)
        tab = delimiter == "\t"
        cases.append(auto_case(*table, "tsv" if tab else "csv", "header" + ("" if tab else f" delimiter={delimiter}")))
        made += len(table[1])
    wrong = check_auto(Tally("csv files"), dump, real) if os.path.isdir(data) else 0
    return wrong + check_auto(Tally("csv auto"), dump, cases)


def check_auto(tally, dump, cases):
    for case, answer in zip(cases, ask(dump, cases) if cases else []):
        tally.values += len(case["table"])
        if len(answer.get("rows", ())) != len(case["table"]):
            tally.complain("refused or another number of rows", case, answer, case["table"])
            continue
        for row, record, cells in zip(answer["rows"], answer["records"], case["table"]):
            want = [auto(*cell) for cell in cells]
            whole = [[name, None if cell is MISSING else cell] for name, cell in zip(case["names"], want)]
            tally.cells += len(cells)
            if len(row) != len(want) or not all(map(same, row, want)):
                tally.complain("a row", case, row, want)
            pairs = record.get("o", [])
            if [name for name, _ in pairs] != case["names"] or not all(
                same(got, cell) for (_, got), (_, cell) in zip(pairs, whole)
            ):
                tally.complain("a record", case, record, whole)
    return tally.report()


# ---- JSON


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


class Number(str):
    """One as it is to be written."""


def json_number(rng):
    """Spellings that json.dumps has not: exponents, signs and zeros, more digits than a number holds."""
    sign, digits = rng.choice(["", "-"]), "".join(rng.choice(string.digits) for _ in range(30))
    whole = rng.choice(["0", str(rng.randrange(1, 1000)), "9" + digits[: rng.choice([17, 18, 19])]])
    edge = rng.choice([2**53, 2**63, 2**64, 10**18, 10**19]) + rng.randrange(-2, 3)
    part = "." + digits[: rng.randrange(1, 30)]
    power = rng.choice("eE") + rng.choice(["", "+", "-"]) + rng.choice(["", "0", "00"]) + str(rng.randrange(0, 330))
    short = rng.choice("eE") + rng.choice(["", "+", "-"]) + str(rng.randrange(0, 23))
    return sign + rng.choice(["0", "0.0", "0e0", str(edge), whole, whole + part, whole + power, whole + short, whole + part + power])


def json_string(rng, text, odd):
    """Any character may be an escape, and those beyond 16 bits two."""
    out = ""
    for c in text:
        if rng.random() < odd:
            units = c.encode("utf-16-be").hex()
            units = units if rng.random() < 0.5 else units.upper()
            out += "".join("\\u" + units[i : i + 4] for i in range(0, len(units), 4))
        else:
            out += "\\/" if c == "/" and odd and rng.random() < 0.5 else json.dumps(c, ensure_ascii=False)[1:-1]
    return f'"{out}"'


def json_text(rng, value, odd):
    """Escapes and blanks where they may stand; the share of both is odd."""
    pad = lambda: "".join(rng.choice(" \t\r\n") for _ in range(rng.randrange(1, 4))) if rng.random() < odd else ""
    if isinstance(value, dict):
        items = list(value.items())
        if items and rng.random() < odd / 2:  # a key twice: the last one counts
            items.insert(0, (rng.choice(items)[0], json_value(rng, 1)))
        pairs = [f"{pad()}{json_string(rng, k, odd)}{pad()}:{json_text(rng, v, odd)}" for k, v in items]
        text = "{" + (",".join(pairs) or pad()) + "}"
    elif isinstance(value, list):
        text = "[" + (",".join(json_text(rng, item, odd) for item in value) or pad()) + "]"
    elif isinstance(value, Number):
        text = str(value)
    else:
        text = json_string(rng, value, odd) if isinstance(value, str) else json.dumps(value)
    return pad() + text + pad()


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


def compare_json(dump, data, rng, n):
    tally, cases = Tally("json"), []
    documents = [open(path).read() for path in sorted(glob.glob(f"{data}/gcn/*.json"))]
    while len(documents) < n:
        value = {rng.choice("abcdef"): json_value(rng, 4) for _ in range(rng.randrange(1, 6))}
        documents.append(json_text(rng, value, rng.choice([0, 0.1, 0.5])))
    for text in documents:
        want = json_read(text)
        paths = (
            [p for p in choose_paths(rng, [want], 4) if isinstance(p[0], str)]
            if isinstance(want, dict)
            else []
        )
        cases.append(
            {
                "format": "json",
                "options": "",
                "fields": fields_of(paths),
                "paths": paths,
                "value": text,
                "want": want,
            }
        )
    for case, answer in zip(cases, ask(dump, cases)):
        tally.values += 1
        if "error" in answer or not same(answer["records"][0], case["want"]):
            tally.complain("a document", case, answer, case["want"])
            continue
        for path, got in zip(case["paths"], answer["rows"][0]):
            tally.cells += 1
            if not same_json(got, follow(case["want"], path)):
                tally.complain(f"path {path}", case, got, follow(case["want"], path))
    return tally.report()


# ---- shapes


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


def shape_case(rng):
    kind = rng.choice(["f64", "f32", "i64"])
    shape = [rng.randrange(1, 5) for _ in range(rng.randrange(1, 4))]
    value = nest(rng, shape, kind)
    want = expected(value, kind)
    wrong = rng.random() < 0.2
    if rng.random() < 0.3:
        value = flat(value)
    if wrong:
        value = value[:-1] if rng.random() < 0.5 else value + value[:1]
    options = f"shape={kind},{'x'.join(map(str, shape))},p.a"
    document = {"b": 1, "p": {"a": value, "c": [0]}}
    case = {"options": options, "fields": "b", "want": want, "wrong": wrong, "kind": kind}
    if rng.random() < 0.5:
        text = json.dumps(document, indent=rng.choice([None, 2]))
        return dict(case, format="json", value=text)
    items = "long" if kind == "i64" else ["null", "double"]
    depth = value
    while isinstance(depth, list) and depth:
        items, depth = {"type": "array", "items": items}, depth[0]
    if not isinstance(items, dict) or items.get("type") != "array":
        items = {"type": "array", "items": items}
    inner = {"type": "record", "name": "P", "fields": [{"name": "a", "type": items}]}
    schema = {"type": "record", "name": "R", "fields": [{"name": "p", "type": inner}, {"name": "b", "type": "int"}]}
    body = write(fastavro.parse_schema(copy.deepcopy(schema)), document)
    return dict(case, format="avro", options="framing=bare " + options, schema=json.dumps(schema), value=body)


def compare_shapes(dump, rng, n):
    tally = Tally("shapes")
    cases = [shape_case(rng) for _ in range(n)]
    for case, answer in zip(cases, ask(dump, cases)):
        tally.values += 1
        if case["wrong"]:
            if "found shape" not in answer.get("error", ""):
                tally.complain("a wrong shape was taken", case, answer, case["want"])
            continue
        got = answer.get("rows", [[None, None]])[0][1]
        tally.cells += 1
        if not same(got, case["want"]):
            tally.complain("a shape", case, answer, case["want"])
    return tally.report()


def main():
    dump, data = sys.argv[1:3]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 20261130
    rng = random.Random(seed)
    wrong = check_files(data)
    wrong += compare_avro(dump, data, rng, n) + compare_csv(dump, data, rng, n) + compare_json(dump, data, rng, n)
    wrong += compare_avro_written(dump, data, rng, n) + compare_avro_names(dump)
    wrong += compare_shapes(dump, rng, n)
    sys.exit(1 if wrong else 0)


main()
