# micro_peers.py avro|json|csv SECONDS FILE...   what Python's decoders cost: lines as micro_codec prints them
#
# Of Avro each file is a message, else each line of one. fastavro.reader parses the schema in each message's header anew;
# "schema cached" is what a loop does that minds: as PEERS' b_fastavro.py, a header that was seen before is known by its
# bytes, and its records are read by the schema parsed then.
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


def long_at(data, at):
    shift = value = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at
        shift += 7


# The first record of containers without compression.
class Cached:
    def __init__(self, fastavro, wanted):
        self.fastavro, self.wanted = fastavro, wanted
        self.known = []  # (the header up to the sync marker, the schema), the last used first

    def learn(self, message):
        file = io.BytesIO(message)
        reader = self.fastavro.reader(file)
        assert reader.codec == "null", reader.codec
        header = message[:message.index(reader._header["sync"])]
        self.known.insert(0, (header, self.fastavro.parse_schema(reader.writer_schema)))

    def schema_of(self, message):
        for i, (header, schema) in enumerate(self.known):
            if message.startswith(header):
                if i > 0:
                    self.known.insert(0, self.known.pop(i))
                return len(header) + 16, schema
        self.learn(message)
        return self.schema_of(message)

    def __call__(self, message):
        at, schema = self.schema_of(message)
        _, at = long_at(message, at)  # how many records
        size, at = long_at(message, at)
        return self.fastavro.schemaless_reader(io.BytesIO(message[at:at + size]), schema, self.wanted)


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
        "fastavro, schema cached: id and 3 fields, by a reader schema": Cached(fastavro, wanted),
        "fastavro, schema cached: the whole value": Cached(fastavro, None),
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


# What is cached must be what is read anew.
def check_cached(jobs, messages):
    for name, job in jobs.items():
        plain = jobs[name.replace(", schema cached", "")]
        assert all(repr(job(m)) == repr(plain(m)) for m in messages), name


def main():
    fmt, seconds = sys.argv[1], float(sys.argv[2])
    messages = list(read(fmt, sys.argv[3:]))
    jobs = {"avro": avro_jobs, "json": json_jobs, "csv": csv_jobs}[fmt]()
    if fmt == "avro":
        check_cached(jobs, messages)
    for name, job in jobs.items():
        measure(name, job, messages, seconds)


main()
