"""What was compared of one kind and how much of it was different."""

from answers import same
from paths import follow


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
            if case["paths"]:
                self.check_cells(f"record {i}, ", case, answer["rows"][i], want)

    def check_cells(self, where, case, row, want, alike=same):
        """A row's cells, each against what its path leads to."""
        for path, got in zip(case["paths"], row):
            self.cells += 1
            if not alike(got, follow(want, path)):
                self.complain(f"{where}path {path}", case, got, follow(want, path))

    def report(self, least=1):
        print(f"{self.name}: {self.values} values, {self.cells} fields, {self.wrong} different")
        if self.values < least:
            print(f"{self.name}: that should have been {least} values at least")
            self.wrong += 1
        return self.wrong
