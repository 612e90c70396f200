"""train RILLE [CASES [NETWORKS [SEED]]]   metrics against scikit-learn; networks' files in ONNX Runtime

CASES pairs of random scores and labels (many ties, both float types, scores of 0 and 1) through rille.metrics and
scikit-learn; NETWORKS trained networks, saved as ONNX, held against the ONNX checker and run by ONNX Runtime to
what rille gives within 1e-5. Prints each difference; exit status 1 when there is one.
"""

import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime
import sklearn
from sklearn import metrics

here = os.path.dirname(os.path.abspath(__file__))


def generate(folder, cases, networks, rng):
    for case in range(1, cases + 1):
        n = int(rng.integers(1, 700))
        labels = (rng.random(n) < rng.random()).astype(rng.choice(["u1", "f4", "i8", "?"]))
        scores = np.clip(rng.random(n) + 0.2 * labels - 0.1, 0, 1)
        if case % 2:
            scores = np.round(scores, 1)
        np.save(f"{folder}/{case}.scores.npy", scores.astype(rng.choice(["f4", "f8"])))
        np.save(f"{folder}/{case}.labels.npy", labels)
    for i in range(1, networks + 1):
        shape = int(rng.integers(1, 400)), int(rng.integers(1, 30))
        np.save(f"{folder}/{i}.x.npy", rng.normal(size=shape).astype("f4"))


def expected(scores, labels):
    yes, said = labels.astype(int), (scores > 0.5).astype(int)
    both = len(set(yes)) == 2
    tn, fp, fn, tp = metrics.confusion_matrix(yes, said, labels=[0, 1]).ravel()
    nan = {"zero_division": np.nan}
    return [
        metrics.accuracy_score(yes, said),
        metrics.roc_auc_score(yes, scores) if both else np.nan,
        metrics.log_loss(yes, np.stack([1 - scores, scores], 1), labels=[0, 1]),
        tn, fp, fn, tp,
        metrics.precision_score(yes, said, **nan), metrics.recall_score(yes, said, **nan), metrics.f1_score(yes, said, **nan),
    ]  # fmt: skip


def check_metrics(folder, cases):
    wrong = 0
    values = np.loadtxt(f"{folder}/values", ndmin=2)
    for case in range(1, cases + 1):
        scores, labels = np.load(f"{folder}/{case}.scores.npy"), np.load(f"{folder}/{case}.labels.npy")
        want, got = np.asarray(expected(scores, labels), float), values[case - 1]
        # 1 - score of a float32 is rounded before scikit-learn takes its logarithm
        close = 1e-6 if scores.dtype == np.float32 else 1e-11
        if not np.allclose(got, want, rtol=close, atol=1e-12, equal_nan=True):
            wrong += 1
            print(f"case {case}, {len(labels)} rows of {scores.dtype}: {got}, not {want}")
    return wrong


def check_networks(folder, networks):
    wrong, most = 0, 0.0
    for i in range(1, networks + 1):
        model = onnx.load(f"{folder}/{i}.onnx")
        onnx.checker.check_model(model, full_check=True)
        assert model.ir_version == 8 and [(o.domain, o.version) for o in model.opset_import] == [("", 17)]
        session = onnxruntime.InferenceSession(f"{folder}/{i}.onnx", providers=["CPUExecutionProvider"])
        got = session.run(["score"], {"features": np.load(f"{folder}/{i}.x.npy")})[0]
        want = np.load(f"{folder}/{i}.y.npy")
        far = float(np.abs(got - want).max()) if got.shape == want.shape else np.inf
        most = max(most, far)
        if not far <= 1e-5:
            wrong += 1
            print(f"network {i}: {got.shape} differs from {want.shape} by {far}")
    return wrong, most


def main():
    rille, cases = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    networks, seed = int(sys.argv[3]) if len(sys.argv) > 3 else 30, int(sys.argv[4]) if len(sys.argv) > 4 else 1
    warnings.filterwarnings("ignore", module="sklearn")
    with tempfile.TemporaryDirectory() as folder:
        generate(folder, cases, networks, np.random.default_rng(seed))
        script = [rille, "run", f"{here}/train.lua", "--input", "/dev/null", "--", folder, str(cases), str(networks)]
        run = subprocess.run(script, capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        wrong = check_metrics(folder, cases)
        print(f"metrics: {cases} cases, {wrong} differ from scikit-learn {sklearn.__version__} (seed {seed})")
        bad, most = check_networks(folder, networks)
        print(f"networks: {networks}, {bad} differ from ONNX Runtime {onnxruntime.__version__}; the most: {most:.1e}")
    sys.exit(wrong + bad > 0)


main()
