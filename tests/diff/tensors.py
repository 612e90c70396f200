"""tensors RILLE [CASES [SEED]]   rille.tensor against NumPy: .npy files both ways, arithmetic, sums, comparisons

NumPy writes CASES pairs of arrays (all types that rille reads, both byte orders, C and Fortran order, versions 1.0 to
3.0), tensors.lua makes of them what rille makes, NumPy compares. Prints each difference (ten at most); exit status 1
when there is one.
"""

import os
import random
import subprocess
import sys
import tempfile

import numpy as np

TYPES = ["<f4", ">f4", "<f8", ">f8", "<i8", ">i8", "<i4", ">i4", "|u1"]
here = os.path.dirname(os.path.abspath(__file__))


def make(rng, shape, dtype):
    values = rng.integers(1, 60, shape)
    if np.dtype(dtype).kind == "f":
        values = values + rng.random(shape)
    array = np.asarray(values, dtype=dtype)
    return np.asfortranarray(array) if rng.integers(2) else array


def write(path, array, version):
    with open(path, "wb") as file:
        np.lib.format.write_array(file, array, version=version)


def generate(folder, cases, seed):
    rng, pick = np.random.default_rng(seed), random.Random(seed)
    for case in range(1, cases + 1):
        shape = [pick.randint(1, 7) for _ in range(pick.randint(1, 4))]
        shape[0] = pick.choice([1, 5, 300])
        other = shape[pick.randint(0, len(shape) - 1) :]
        other = [1 if pick.random() < 0.3 else n for n in other]
        dtype = pick.choice(TYPES)
        versions = [(1, 0), (2, 0), (3, 0)]
        write(f"{folder}/{case}.a.npy", make(rng, shape, dtype), pick.choice(versions))
        write(f"{folder}/{case}.b.npy", make(rng, other, pick.choice(TYPES)), pick.choice(versions))


def native(array):
    return np.asarray(array, dtype=array.dtype.newbyteorder("="))


def in_floats(a):
    return a.dtype.type if a.dtype.kind == "f" else np.float64


def softmax(a):
    e = np.exp(a.astype(np.float64) - a.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)).astype(in_floats(a))


def arith(a, b, op):
    if a.dtype.kind != "f" and b.dtype.kind != "f":
        return op(a.astype(np.int64), b.astype(np.int64))
    kind = np.float64 if np.float64 in (a.dtype, b.dtype) else np.float32
    return op(a.astype(np.float64), b.astype(np.float64)).astype(kind)


def whole_axis(a, axis):
    wide = a.astype(np.float64)
    n, kind = axis + 1, in_floats(a)
    sums = wide.sum(axis).astype(kind) if a.dtype.kind == "f" else a.astype(np.int64).sum(axis)
    return {
        f"sum{n}": sums,
        f"mean{n}": wide.mean(axis).astype(kind),
        f"std{n}": wide.std(axis).astype(kind),
        f"min{n}": a.min(axis),
        f"max{n}": a.max(axis),
        f"argmax{n}": a.argmax(axis) + 1,
    }


def expected(a, b):
    wide = a.astype(np.float64)
    want = {
        "copy": a,
        "flat": a.reshape(-1),
        "sum": wide.sum() if a.dtype.kind == "f" else a.astype(np.int64).sum(),
        "std": wide.std(),
        "float32": a.astype(np.float32),
        "clip": np.clip(a, 3, 40).astype(a.dtype),
        "softmax": softmax(a),
        "exp": np.exp(arith(a, np.asarray(64.0, dtype=in_floats(a)), np.divide)),
        "odd": a[a.reshape(len(a), -1)[:, 0] > 30],
        "add": arith(a, b, np.add),
        "sub": arith(a, b, np.subtract),
        "mul": arith(a, b, np.multiply),
        "div": arith(a, b, np.divide) if "f" in a.dtype.kind + b.dtype.kind else a / b,
        "eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b,
    }
    if a.ndim > 1:
        want["column"] = a[..., -1]
        want["stack"] = np.stack([a[0], a[-1]], -1)
    for axis in range(a.ndim):
        want.update(whole_axis(a, axis))
    return want


def differs(got, want):
    want = np.asarray(want)
    if got.shape != want.shape and not (got.size == want.size == 1):
        return f"shape {got.shape}, not {want.shape}"
    if got.ndim and got.dtype != want.dtype:
        return f"type {got.dtype}, not {want.dtype}"
    close = {"f": 1e-12}.get(want.dtype.kind, 0) if want.dtype != np.float32 else 3e-7
    if np.allclose(got, want, rtol=close, atol=0):
        return None
    return f"{got.ravel()[:4]}, not {want.ravel()[:4]}"


def main():
    rille, cases = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500
    seed, wrong, seen = int(sys.argv[3]) if len(sys.argv) > 3 else 1, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        generate(folder, cases, seed)
        script = [rille, "run", f"{here}/tensors.lua", "--input", "/dev/null", "--", folder, str(cases)]
        run = subprocess.run(script, capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        for case in range(1, cases + 1):
            a, b = (native(np.load(f"{folder}/{case}.{x}.npy")) for x in "ab")
            for name, want in expected(a, b).items():
                what = differs(np.load(f"{folder}/{case}.{name}.npy"), want)
                seen, wrong = seen + 1, wrong + (what is not None)
                if what and wrong <= 10:
                    print(f"case {case}, {name} of {a.dtype} {a.shape} and {b.dtype} {b.shape}: {what}")
    print(f"tensors: {cases} cases, {seen} answers, {wrong} differ from NumPy {np.__version__} (seed {seed})")
    sys.exit(wrong > 0)


main()
