#!/usr/bin/env python3
"""Prints conformance/suite/conv_lstm.inc: what Keras's ConvLSTM layers with 1 to 3 spatial axes give, in float64: y of all steps, then h, then c.

Run by hand, with keras and a backend: KERAS_BACKEND=jax JAX_ENABLE_X64=1 python3 conformance/golden/conv_lstm_keras.py > conformance/suite/conv_lstm.inc

Variables are waves, as in sequence_torch.py, numbered 0 (input), 1 (recurrent), 2 (bias); x is number 50.
"""
import math

import keras
import numpy as np

keras.config.set_floatx("float64")


def waves(number, *shape):
    n = math.prod(shape)
    return np.array([math.sin(1 + 0.7 * k + 0.9 * number) * 0.8 for k in range(n)]).reshape(shape)


print("/* SPDX-License-Identifier: Apache-2.0 */\n/* conv_lstm.inc: printed by conformance/golden/conv_lstm_keras.py: do not edit. y, then h, then c. */")
for n, kernel, shape, more in (1, (3,), (2, 3, 4, 2), {}), (2, (2, 2), (1, 2, 4, 3, 2), {"strides": 2, "padding": "same"}), (3, (2, 1, 2), (1, 2, 2, 2, 3, 2), {}):
    layer = getattr(keras.layers, f"ConvLSTM{n}D")(2, kernel, return_sequences=True, return_state=True, dtype="float64", **more)
    x = waves(50, *shape)
    layer.build(x.shape)
    layer.set_weights([waves(0, *kernel, 2, 8), waves(1, *kernel, 2, 8), waves(2, 8)])
    values = [repr(float(v)) for a in layer(x) for v in np.asarray(a).ravel()]
    print(f"static const double conv_lstm{n}d[] = {{")
    for k in range(0, len(values), 6):
        print("    " + ", ".join(values[k:k + 6]) + ",")
    print("};")
