"""susy.py BROKERS TOPIC GROUP N FILE: scores N rows of CSV by an ONNX network, batch by batch, and commits each.

Prints rows=, right= (scores on their label's side of 0.5), seconds= (from the first message to the last commit)."""
import sys
import time

import numpy as np
import onnxruntime
from confluent_kafka import Consumer

brokers, topic, group, n, path = sys.argv[1:]
n = int(n)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
consumer = Consumer({"bootstrap.servers": brokers, "group.id": group, "auto.offset.reset": "earliest",
                     "enable.auto.commit": False, "fetch.queue.backoff.ms": 10})
consumer.subscribe([topic])
rows = right = 0
start = None
while rows < n:
    messages = consumer.consume(4096, 0.5)
    if not messages:
        continue
    start = start or time.perf_counter()
    x = np.array([m.value().split(b",") for m in messages], dtype=np.float32)
    y = np.array([m.key() == b"1" for m in messages])
    (score,) = session.run(None, {"features": x})
    right += int(((score[:, 0] > 0.5) == y).sum())
    rows += len(messages)
    consumer.commit(asynchronous=False)
print(f"rows={rows} right={right} seconds={time.perf_counter() - start:f}")
consumer.close()
