"""CSV and TSV without a header, beside Python's csv: what is read, what is written again, and declared numbers."""

import base64
import csv
import io
import struct

from answers import ask, same
from tally import Tally


def csv_text(rng):
    alphabet = "abc,;\"'\r\n\t \u00e4\u20ac#"
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(0, 10)))


def csv_read(text, delimiter):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def csv_write(rng, table, delimiter):
    out = io.StringIO(newline="")
    end = rng.choice(["\r\n", "\n"])  # csv does not quote a CR where lines end in LF
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]) if end == "\r\n" else csv.QUOTE_ALL
    csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(table)
    return out.getvalue()


def csv_case(rng):
    width, rows = rng.randrange(1, 8), rng.randrange(1, 10)
    delimiter = rng.choice(",;\t|")
    table = [[csv_text(rng) for _ in range(width)] for _ in range(rows)]
    text = csv_write(rng, table, delimiter)
    want = [row for row in csv_read(text, delimiter) if row]
    assert want == table or width == 1, (want, table)
    case = {"format": "csv", "options": f"delimiter={delimiter}"}
    if delimiter == "\t":
        case = {"format": "tsv", "options": ""}
    fields = ",".join(f"f{i}=[{i}]:bytes" for i in range(width))
    return dict(case, fields=fields, value=text, table=want, delimiter=delimiter, rows=rows)


def csv_cases(rng, n):
    cases, made = [], 0
    while made < n:
        cases.append(csv_case(rng))
        made += cases[-1]["rows"]
    return cases


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


def compare_csv_read(dump, cases):
    tally = Tally("csv generated")
    for case, answer in zip(cases, ask(dump, cases)):
        check_csv(tally, case, answer)
    return tally.report()


def compare_csv_written(dump, cases):
    """What rille read and wrote again, as Python reads it."""
    tally = Tally("csv written")
    cases = [dict(case, options=case["options"] + " encode=null") for case in cases]
    for case, answer in zip(cases, ask(dump, cases)):
        if "error" in answer:
            tally.complain("refused", case, answer, case["table"])
            continue
        got = csv_read(base64.b64decode(answer["encoded"]["b"]).decode(), case["delimiter"])
        tally.values += len(got)
        if got != case["table"]:
            tally.complain("another table", case, got, case["table"])
    return tally.report()


def number_text(rng):
    """A double as Python writes it; digits behind a point; with an exponent; more of them than count; far exponents."""
    bits = struct.unpack("<d", rng.randbytes(8))[0]
    choice = rng.randrange(5)
    if choice == 0:
        return repr(bits)
    if choice == 1:
        return f"{rng.uniform(-1e9, 1e9):.{rng.randrange(0, 20)}f}"
    if choice == 2:
        return f"{rng.uniform(0, 1e3):.18e}"
    if choice == 3:
        sign, whole = rng.choice(["", "-", "+"]), rng.randrange(0, 10 ** rng.randrange(1, 25))
        return f"{sign}{whole}.{rng.randrange(0, 10**18)}"
    return f"{rng.choice(['', ' '])}{rng.uniform(-10, 10)!r}e{rng.randrange(-320, 300)}"


def compare_numbers(dump, rng, n):
    """Declared f64 against Python's float, which rounds right too."""
    tally, texts = Tally("csv numbers"), [number_text(rng) for _ in range(n)]
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


def compare_csv(dump, rng, n):
    cases = csv_cases(rng, n)
    return compare_csv_read(dump, cases) + compare_csv_written(dump, cases) + compare_numbers(dump, rng, n)
