"""CSV under the names of a header, its cells without declared types: rows and whole records, of files and generated."""

import glob
import math
import os
import re
import struct

from answers import MISSING, Wide, ask, same
from csv_rows import csv_read, csv_text
from paths import selecting
from tally import Tally


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


def spelled(cell):
    text, quoted = cell
    return '"' + text.replace('"', '""') + '"' if quoted else text


def auto_table(rng, delimiter):
    """Names, cells as (text, quoted), and their CSV, which Python's reader reads alike."""
    width = rng.randrange(2, 8)
    names = [f"n{i}" + "".join(rng.choice("ab.[] \u00e4") for _ in range(rng.randrange(0, 4))) for i in range(width)]
    table = [[auto_text(rng) for _ in range(width)] for _ in range(rng.randrange(1, 8))]
    lines = [[(name, False) for name in names]] + table
    text = "".join(delimiter.join(map(spelled, line)) + "\n" for line in lines)
    read = csv_read(text, delimiter)
    assert read == [[cell for cell, _ in line] for line in lines], (read, lines)
    return names, table, text


def real_tables(data):
    for path in glob.glob(os.path.join(data, "**", "*.csv"), recursive=True):
        with open(path, newline="", encoding="utf-8") as file:
            text = file.read()
        if '"' in text:
            continue  # Python's reader does not tell which cells were in quotes
        names, *rows = csv_read(text, ",")
        yield names, [[(cell, False) for cell in row] for row in rows], text


def auto_case(names, table, text, format_, options):
    case = {"format": format_, "options": options, "value": text, "names": names, "table": table}
    return dict(case, **selecting([[name] for name in names]))


def auto_cases(rng, n):
    made, cases = 0, []
    while made < n:
        delimiter = rng.choice(",;\t|")
        how = ("tsv", "header") if delimiter == "\t" else ("csv", f"header delimiter={delimiter}")
        cases.append(auto_case(*auto_table(rng, delimiter), *how))
        made += len(cases[-1]["table"])
    return cases


def check_row(tally, case, row, record, cells):
    """The cells, and the whole record: all names in their order, what is missing is null."""
    want = [auto(*cell) for cell in cells]
    whole = [[name, None if cell is MISSING else cell] for name, cell in zip(case["names"], want)]
    pairs = record.get("o", [])
    tally.cells += len(cells)
    if len(row) != len(want) or not all(map(same, row, want)):
        tally.complain("a row", case, row, want)
    named = [name for name, _ in pairs] == case["names"]
    if not named or not all(same(got, cell) for (_, got), (_, cell) in zip(pairs, whole)):
        tally.complain("a record", case, record, whole)


def check_auto(tally, dump, cases):
    for case, answer in zip(cases, ask(dump, cases) if cases else []):
        tally.values += len(case["table"])
        if len(answer.get("rows", ())) != len(case["table"]):
            tally.complain("refused or another number of rows", case, answer, case["table"])
            continue
        for row, record, cells in zip(answer["rows"], answer["records"], case["table"]):
            check_row(tally, case, row, record, cells)
    return tally.report()


def compare_csv_auto(dump, data, rng, n):
    real, cases = [auto_case(*table, "csv", "header") for table in real_tables(data)], auto_cases(rng, n)
    wrong = check_auto(Tally("csv files"), dump, real) if os.path.isdir(data) else 0
    return wrong + check_auto(Tally("csv auto"), dump, cases)
