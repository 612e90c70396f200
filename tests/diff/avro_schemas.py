"""What there is to ask of an Avro schema."""

import json
import re


def plain(schema):
    """Without logical types, which fastavro would decode."""
    if isinstance(schema, list):
        return [plain(item) for item in schema]
    if isinstance(schema, dict):
        drop = ("logicalType", "__fastavro_parsed__")
        return {key: plain(item) for key, item in schema.items() if key not in drop}
    return schema


def same_schema(schema):
    return schema


def inner(schema):
    """The types of a record's fields, of an array's items, of a map's values."""
    return [field["type"] for field in schema.get("fields", ())] + [schema[k] for k in ("items", "values") if k in schema]


def definitions(schema, found):
    """Names before values: a value may need one that another value would have met first."""
    if isinstance(schema, list):
        for item in schema:
            definitions(item, found)
    elif isinstance(schema, dict):
        if "name" in schema:
            found[schema["name"]] = schema
        for type_ in inner(schema):
            definitions(type_, found)
    return found


def references(schema):
    """Does it define or use names? Those must keep their order."""
    return re.search(r'"n\d', json.dumps(schema)) is not None


def some_union(holds, schema):
    """Is there a union in it of which this holds?"""
    if isinstance(schema, list):
        return holds(schema) or any(some_union(holds, branch) for branch in schema)
    return isinstance(schema, dict) and any(some_union(holds, type_) for type_ in inner(schema))


def two_readings(union):
    simple = {branch if isinstance(branch, str) else branch["type"] for branch in union}
    return len(simple & {"int", "long", "float", "double"}) > 1 or {"bytes", "string"} <= simple


def ambiguous(schema):
    """A union with two branches that a value can be read as: fastavro takes the first, rille (as Java) the exact one."""
    return some_union(two_readings, schema)


def two_tables(union):
    tables = [b for b in union if not isinstance(b, str) and b["type"] in ("record", "map")]
    tables += [b for b in union if isinstance(b, str) and re.fullmatch(r"n\d+", b)]
    return len(tables) > 1


def tables_in_unions(schema):
    """A union in which a table may be more than one thing: there a branch must be named."""
    return some_union(two_tables, schema)
