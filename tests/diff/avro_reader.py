"""Readers' schemas: made by chance from the schema that values are written with."""

import copy
import json
import re

from avro_schemas import definitions, references

WIDER = {
    "int": ["long", "double"],
    "long": ["double"],
    "float": ["double"],
    "string": ["bytes"],
}
ADDED = [
    {"name": "a1", "type": "int", "default": 7},
    {"name": "a2", "type": ["null", "string"], "default": None},
    {"name": "a3", "type": {"type": "array", "items": "double"}, "default": [1.5, 2.0]},
]


def reader_of(rng, schema):
    """A reader's schema for a record: fields shuffled, dropped, promoted and added, enums narrowed, all renamed."""
    reader = copy.deepcopy(schema)
    fields = promoted(rng, reader["fields"])
    fields += [copy.deepcopy(field) for field in ADDED if rng.random() < 0.4]
    if not any(references(field["type"]) for field in fields):
        rng.shuffle(fields)
    reader["fields"] = fields
    narrow_enums(rng, reader)
    rename_fields(rng, reader)
    return renamed(rng, reader)


def promoted(rng, fields):
    """Some of them, some of a wider type."""
    kept = []
    for field in fields:
        if rng.random() < 0.2 and not references(field["type"]):
            continue
        kind = field["type"]
        if isinstance(kind, str) and kind in WIDER and rng.random() < 0.5:
            field["type"] = rng.choice(WIDER[kind])
        kept.append(field)
    return kept


def narrow_enums(rng, reader):
    """Fewer symbols and a default for the others."""
    for type_ in definitions(reader, {}).values():
        if type_["type"] == "enum" and rng.random() < 0.4:
            type_["symbols"] = rng.sample(["A", "B", "C", "D"], rng.randrange(1, 4))
            type_["default"] = rng.choice(type_["symbols"])


def rename_fields(rng, reader):
    """Fields by other names; what was written is an alias."""
    for record in (type_ for type_ in definitions(reader, {}).values() if type_["type"] == "record"):
        for field in record["fields"]:
            if re.fullmatch(r"f\d", field["name"]) and rng.random() < 0.2:
                field["aliases"] = rng.choice([[field["name"]], ["other", field["name"]]])
                field["name"] += "x"


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
