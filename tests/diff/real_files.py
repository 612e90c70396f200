"""What DATA, the folder of real files, holds."""

import glob
import os
import tarfile

from avro_fastavro import read_container

# What DATA holds at least: an empty pattern would be a comparison with nothing.
FILES = {
    "ztf/*.avro": 15,
    "ztf/*.tar.gz": 1,
    "fink/*.avro": 3,
    "hop/*.avro": 1,
    "damaged/*.avro": 1,
    "lsst/*.confluent": 1,
    "lsst/lsst.v9_0.alert.avsc": 1,
    "gcn/*.json": 4,
    "**/*.csv": 1,
}


def check_files(data):
    """How many patterns have less than they must; tells them, or that there are no files."""
    if not os.path.isdir(data):
        print(f"files: left out, {data} is no folder: generated values only (RILLE_TEST_DATA says where files are)")
        return 0
    found = {pattern: len(glob.glob(os.path.join(data, pattern), recursive=True)) for pattern in FILES}
    short = {pattern: n for pattern, n in found.items() if n < FILES[pattern]}
    for pattern, n in short.items():
        print(f"files: {n} of {data}/{pattern}, {FILES[pattern]} at least are meant to be there")
    return len(short)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def avro_files(data):
    """(path, content) of each, those in archives too. What fastavro refuses as well is for the unit tests."""
    whole = [path for folder in ("ztf", "fink", "hop") for path in glob.glob(f"{data}/{folder}/*.avro")]
    files = [(path, content(path)) for path in sorted(whole)]
    for path in sorted(glob.glob(f"{data}/ztf/*.tar.gz")):
        files += in_archive(path)
    damaged = [(path, content(path)) for path in sorted(glob.glob(f"{data}/damaged/*.avro"))]
    return files + [(path, body) for path, body in damaged if readable(body)]


def in_archive(path):
    with tarfile.open(path) as tar:
        members = [member for member in tar.getmembers() if member.name.endswith(".avro")]
        return [(f"{path}/{member.name}", tar.extractfile(member).read()) for member in members]


def readable(body):
    try:
        read_container(body)
    except Exception:
        return False
    return True
