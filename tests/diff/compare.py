"""compare DUMP DATA [VALUES [SEED]]   what rille's decoders make of values, against fastavro, csv and json

DUMP is the program made from dump.c; its comment says how cases and answers look. DATA holds real files; without it
only generated values are compared. Prints each difference (ten at most) and a line a format; exit status 1 when there
is one.

A seed always makes the same values: they are drawn from one generator, in the order that main has here.
"""

import random
import sys

from avro_names import compare_avro_names
from avro_read import compare_avro
from avro_written import compare_avro_written
from csv_auto import compare_csv_auto
from csv_rows import compare_csv
from json_documents import compare_json
from real_files import check_files
from shapes import compare_shapes


def main():
    dump, data = sys.argv[1:3]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 20261130)
    wrong = check_files(data)
    wrong += compare_avro(dump, data, rng, n)
    wrong += compare_csv(dump, rng, n)
    wrong += compare_csv_auto(dump, data, rng, n)
    wrong += compare_json(dump, data, rng, n)
    wrong += compare_avro_written(dump, data, rng, n)
    wrong += compare_avro_names(dump)
    wrong += compare_shapes(dump, rng, n)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
