# micro_peers.py avro|json|csv SECONDS FILE...   what Python's decoders cost: lines as micro_codec prints them
#
# Of Avro each file is a message, else each line of one.
import csv
import io
import json
import sys
import time


def read(fmt, paths):
    for path in paths:
        with open(path, "rb") as file:
            if fmt == "avro":
                yield file.read()
            else:
                yield from (line.rstrip(b"\n") for line in file if line.strip())


def avro_jobs():
    import fastavro

    candidate = [{"name": n, "type": t} for n, t in (("rb", ["null", "float"]), ("nbad", ["null", "int"]),
                                                     ("magdiff", ["null", "float"]))]
    wanted = fastavro.parse_schema({
        "type": "record", "name": "ztf.alert", "fields": [
            {"name": "objectId", "type": "string"},
            {"name": "candidate", "type": {"type": "record", "name": "ztf.alert.candidate", "fields": candidate}}]})
    return {
        "fastavro: id and 3 fields, by a reader schema":
            lambda m: next(iter(fastavro.reader(io.BytesIO(m), reader_schema=wanted))),
        "fastavro: the whole value": lambda m: next(iter(fastavro.reader(io.BytesIO(m)))),
    }


def json_jobs():
    return {"Python json: the whole value": json.loads}


def csv_jobs():
    def cells(message):
        return next(csv.reader((message.decode(),)))

    return {
        "Python csv: 18 columns as float": lambda m: [float(cell) for cell in cells(m)],
        "Python csv: the whole value": cells,
    }


# The best of rounds of some messages each, SECONDS of CPU together.
def measure(name, job, messages, seconds):
    best, at, each = 0, 0, 42
    start = now = time.process_time()
    while best == 0 or now - start < seconds:
        some = [messages[(at + i) % len(messages)] for i in range(each)]
        at += each
        before = time.process_time()
        for message in some:
            job(message)
        now = time.process_time()
        size = sum(map(len, some))
        best = max(best, size / (now - before))
        mean = size / each
    print(f"{name}\t{best:.0f}\t{mean / best * 1e6:.3f}")


def main():
    fmt, seconds = sys.argv[1], float(sys.argv[2])
    messages = list(read(fmt, sys.argv[3:]))
    for name, job in {"avro": avro_jobs, "json": json_jobs, "csv": csv_jobs}[fmt]().items():
        measure(name, job, messages, seconds)


main()
