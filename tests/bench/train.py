"""train.py ROWS EPOCHS OUT   the network of the training job in Keras, from memory, at batch 64

ROWS: lines LABEL<tab>CSV of 18 numbers. OUT gets rows=, accuracy= (on the last 4,096 rows) and seconds= (of fit).
"""

import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

lines = [line.rstrip().split("\t") for line in open(sys.argv[1])]
y = np.array([float(label) for label, _ in lines], "f4")
x = np.array([row.split(",") for _, row in lines], "f4")
epochs = int(sys.argv[2])
layers = tf.keras.layers
network = tf.keras.Sequential([layers.Input(shape=(18,))])
for width, rate in ((128, 0.2), (256, 0.4), (128, 0.4)):
    network.add(layers.Dense(width, activation="relu"))
    network.add(layers.Dropout(rate))
network.add(layers.Dense(1))
loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
network.compile(optimizer="adam", loss=loss)
network.train_on_batch(x[:64], y[:64])  # tracing is not counted
begin = time.perf_counter()
network.fit(x, y, batch_size=64, epochs=epochs, verbose=0)
seconds = time.perf_counter() - begin
accuracy = np.mean((network.predict(x[-4096:], verbose=0)[:, 0] > 0) == (y[-4096:] > 0.5))
with open(sys.argv[3], "w") as out:
    out.write(f"rows={len(x) * epochs} accuracy={accuracy:.4f} seconds={seconds:.3f}\n")
