"""fits RILLE [CASES [SEED]]   rille.fits.image against astropy: every BITPIX, unsigned, scaled, BLANK, NaN, gzip'd

astropy writes CASES images of 1 to 4 axes, some with extensions behind, fits.lua saves what rille reads of them, and
what astropy reads is compared. Prints each difference (ten at most); exit status 1 when there is one.
"""

import gzip
import io
import os
import random
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from astropy.io import fits

RAW = {8: "u1", 16: ">i2", 32: ">i4", 64: ">i8", -32: ">f4", -64: ">f8"}
OTHER_SIGN = {8: -128, 16: 1 << 15, 32: 1 << 31, 64: 1 << 63}
here = os.path.dirname(os.path.abspath(__file__))


def pixels(rng, shape, dtype):
    if np.dtype(dtype).kind == "f":
        values = rng.normal(0, 1000, shape).astype(dtype)
        values[rng.random(shape) < 0.1] = np.nan
        return values
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=np.dtype(dtype).newbyteorder("="), endpoint=True).astype(dtype)


def header(bitpix, shape, raw, pick):
    """What astropy would leave out or change, were it to write the image, is in it."""
    head = fits.Header([("SIMPLE", True), ("BITPIX", bitpix), ("NAXIS", len(shape))])
    for i, size in enumerate(reversed(shape)):
        head[f"NAXIS{i + 1}"] = size
    head["OBJECT"] = "it's one"
    how = pick.choice(["plain", "scaled", "sign"] if bitpix > 0 else ["plain", "scaled"])
    if how == "scaled":
        head["BSCALE"], head["BZERO"] = pick.choice([0.5, 2.0, 1.0]), pick.choice([0.0, 10.0, -1.5])
    if how == "sign":
        head["BZERO"] = OTHER_SIGN[bitpix]
    if bitpix > 0 and how != "sign" and pick.random() < 0.5:
        head["BLANK"] = int(raw.flat[0])
    return head, how + " blank" * ("BLANK" in head)


def extension(rng):
    file = io.BytesIO()
    fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(pixels(rng, [2, 2], "f4"))]).writeto(file)
    return file.getvalue()[2880:]


def write(path, rng, pick):
    shape = [pick.choice([1, 2, 7, 63]) for _ in range(pick.randint(1, 3))] + [pick.choice([1, 3])]
    bitpix = pick.choice(list(RAW))
    raw = pixels(rng, shape, RAW[bitpix])
    head, how = header(bitpix, shape, raw, pick)
    data = head.tostring(endcard=True, padding=True).encode() + raw.tobytes()
    data += bytes(-len(data) % 2880)
    if pick.random() < 0.3:
        data += extension(rng)
    with open(path, "wb") as out:
        out.write(gzip.compress(data) if pick.random() < 0.5 else data)
    return f"BITPIX {bitpix} {how}"


def kind(dtype):
    """What a tensor can be of it."""
    wider = {"i1": "i4", "i2": "i4", "u2": "i4", "u4": "i8", "u8": "f8"}
    name = np.dtype(dtype).str[1:]
    return wider.get(name, name)


def differ(want, got):
    if want.shape != got.shape:
        return f"shape {got.shape}, not {want.shape}"
    if np.dtype(got.dtype).str[1:] != kind(want.dtype):
        return f"type {got.dtype}, not {kind(want.dtype)}"
    exact = want.dtype.kind in "iu" and got.dtype.kind in "iu"
    same = np.array_equal(got, want) if exact else np.allclose(got, want, rtol=1e-6, atol=0, equal_nan=True)
    return None if same else "pixels"


def main():
    rille, cases = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng, pick, faults = np.random.default_rng(seed), random.Random(seed), []
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        made = [write(f"{folder}/{case}.fits", rng, pick) for case in range(1, cases + 1)]
        subprocess.run([rille, "run", "-q", f"{here}/fits.lua", "--input", "/dev/null", "--", folder, str(cases)], check=True)
        for case in range(1, cases + 1):
            with fits.open(f"{folder}/{case}.fits") as file:
                why = differ(np.asarray(file[0].data), np.load(f"{folder}/{case}.npy"))
            if why:
                faults.append(f"case {case}: {why}: {made[case - 1]}")
    for fault in faults[:10]:
        print(f"fits: {fault}")
    print(f"fits: {cases} images of {len(set(made))} kinds, {len(faults)} differences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
