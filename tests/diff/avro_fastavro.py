"""Avro as fastavro reads and writes it, logical types as rille-avro(7) documents them."""

import copy
import datetime
import decimal
import io
import json
import uuid

import fastavro

from avro_schemas import definitions, plain

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


def parse(schema):
    """For fastavro, which may write into what it is given."""
    return fastavro.parse_schema(copy.deepcopy(schema))


def write(parsed, value):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, parsed, value)
    return out.getvalue()


def read(parsed, data, reader=None):
    return fastavro.schemaless_reader(io.BytesIO(data), parsed, reader)


def read_container(data, bare=plain):
    """Each value of the file, under its schema or what bare makes of that."""
    reader = fastavro.reader(io.BytesIO(data))
    parsed = fastavro.parse_schema(bare(json.loads(reader.metadata["avro.schema"])))
    values = []
    for block in fastavro.block_reader(io.BytesIO(data)):
        bytes_ = io.BytesIO(block.bytes_.getvalue())
        values += [fastavro.schemaless_reader(bytes_, parsed) for _ in range(block.num_records)]
    return values


def write_container(schema, data, codec, sync_interval):
    """Of values that are written without logical types a file that names these."""
    bare, out = plain(schema), io.BytesIO()
    named = definitions(bare, {})
    writer = fastavro.write.Writer(out, parse(schema), codec=codec, sync_interval=sync_interval)
    for one in data:
        writer.write(tagged(bare, named, io.BytesIO(one)))
    writer.flush()
    return out.getvalue()


def fingerprint(schema):
    canonical = fastavro.schema.to_parsing_canonical_form(copy.deepcopy(schema))
    return bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))


def promote(type_, value):
    """fastavro leaves some promoted values as they were written."""
    if type_ == "double" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type_ == "bytes" and isinstance(value, str):
        return value.encode()
    return value


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
    return fastavro.schemaless_reader(data, parse(schema))


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
