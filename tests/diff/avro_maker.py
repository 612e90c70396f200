"""Avro schemas by chance, and values of them."""

import math
import string
import struct
import uuid

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
SIMPLE = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"]
LIMIT = 12  # deeper than this a value ends as soon as it can


def name_of(branch):
    return branch if isinstance(branch, str) else branch.get("name", branch["type"])


class Schemas:
    def __init__(self, rng):
        self.rng, self.names, self.open = rng, 0, []

    def name(self):
        self.names += 1
        return f"n{self.names}"

    def top(self):
        """More often a record than not; may be a type without parts."""
        return self.record(3) if self.rng.random() < 0.8 else self.schema(3)

    def kind(self, depth, in_union):
        kinds = SIMPLE * 2 + ["enum", "fixed"] + ["logical"] * 3
        if depth > 0:
            kinds += ["record"] * 4 + ["array", "map"] * 3 + ([] if in_union else ["union"] * 5)
        return self.rng.choice(kinds)

    def schema(self, depth, in_union=False):
        kind = self.kind(depth, in_union)
        if kind == "logical":
            return self.logical()
        if kind == "enum":
            return {"type": "enum", "name": self.name(), "symbols": ["A", "B", "C"][: self.rng.randrange(1, 4)]}
        if kind == "fixed":
            return {"type": "fixed", "name": self.name(), "size": self.rng.randrange(0, 6)}
        if kind == "array":
            return {"type": "array", "items": self.schema(depth - 1)}
        if kind == "map":
            return {"type": "map", "values": self.schema(depth - 1)}
        if kind == "union":
            return self.union(depth)
        return self.record(depth) if kind == "record" else kind

    def logical(self):
        name = self.rng.choice(["decimal", "decimal-fixed", "uuid", "uuid-fixed", "duration", *NUMBERS])
        if name in NUMBERS:
            return {"type": NUMBERS[name][0], "logicalType": name}
        if name == "uuid":
            return {"type": "string", "logicalType": "uuid"}
        if name == "uuid-fixed":
            return {"type": "fixed", "name": self.name(), "size": 16, "logicalType": "uuid"}
        if name == "duration":
            return {"type": "fixed", "name": self.name(), "size": 12, "logicalType": "duration"}
        return self.decimal(name == "decimal-fixed")

    def decimal(self, fixed):
        rng = self.rng
        size = rng.randrange(1, 20)
        precision = rng.randrange(1, int(math.log10(2) * (8 * size - 1)) + 1)
        type_ = {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": rng.randrange(precision + 1)}
        return dict(type_, type="fixed", name=self.name(), size=size) if fixed else type_

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


class Values:
    """named: all definitions of the schemas that are asked for."""

    def __init__(self, rng, named):
        self.rng, self.named = rng, named

    def value(self, schema, depth=0):
        if isinstance(schema, list):
            return self.of_union(schema, depth)
        if isinstance(schema, dict) and "logicalType" in schema:
            return self.logical(schema)
        kind = schema if isinstance(schema, str) else schema["type"]
        if kind in self.named:
            return self.value(self.named[kind], depth + 1)
        if kind in ("array", "map"):
            return self.items(schema, kind, depth)
        if kind == "record":
            return {field["name"]: self.value(field["type"], depth + 1) for field in schema["fields"]}
        if kind == "fixed":
            return self.rng.randbytes(schema["size"])
        if kind == "enum":
            return self.rng.choice(schema["symbols"])
        return self.simple(kind)

    def of_union(self, union, depth):
        """As fastavro takes it: with its branch's name."""
        branches = ["null"] if depth > LIMIT and "null" in union else union
        branch = self.rng.choice(branches)
        value = self.value(branch, depth + 1)
        return value if branch == "null" else (name_of(branch), value)

    def items(self, schema, kind, depth):
        n = self.rng.choice([0, 1, 2, 5 if kind == "array" else 4]) if depth < LIMIT else 0
        if kind == "array":
            return [self.value(schema["items"], depth + 1) for _ in range(n)]
        return {self.text(): self.value(schema["values"], depth + 1) for _ in range(n)}

    def simple(self, kind):
        rng = self.rng
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
        return rng.randbytes(rng.randrange(0, 20)) if kind == "bytes" else self.text()

    def logical(self, schema):
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

    def text(self):
        alphabet = string.ascii_letters + ' ."[]\\\u00e4\u20ac\U0001f600'
        return "".join(self.rng.choice(alphabet) for _ in range(self.rng.randrange(0, 12)))
