#!/usr/bin/env python3
"""Writes conformance/suite/nn_signal.inc: what Keras's layers STFTSpectrogram and MelSpectrogram make of a signal of 24 samples.

Run by hand, with keras and a backend: KERAS_BACKEND=jax python3 conformance/golden/spectrogram_keras.py [folder], default conformance/suite.
"""
import os
import sys

import keras
import numpy as np

X = ((np.arange(24) * 7 % 11) / 4 - 1.25).astype("f4")
out = []


def literal(v):
    t = f"{v + 0:.7g}"
    return t + ("F" if "." in t or "e" in t else ".F")


def stored(name, values):
    v = np.asarray(values, "f4")
    out.append(f"static const float {name}[{v.shape[0]}][{v.shape[1]}] = {{")
    out.extend("    {" + ", ".join(literal(float(e)) for e in row) + "}," for row in v)
    out.append("};")


def spectrogram(name, **options):
    stored(name, keras.layers.STFTSpectrogram(frame_length=6, frame_step=4, fft_length=8, **options)(X[None, :, None])[0])


def mel_spectrogram(name, **options):
    stored(name, np.swapaxes(keras.layers.MelSpectrogram(fft_length=16, sequence_stride=6, sampling_rate=4000, **options)(X[None])[0], 0, 1))


stored("tones", X[None])
for mode in ("log", "magnitude", "psd", "real", "imag", "stft"):
    spectrogram("keras_" + mode, mode=mode)
spectrogram("keras_angle", mode="angle", padding="same", window="blackman")
spectrogram("keras_same", mode="magnitude", window="hamming", periodic=True, scaling="spectrum", padding="same")
spectrogram("keras_plain", mode="real", window=None, scaling=None)
mel_spectrogram("keras_mel", num_mel_bins=3)
mel_spectrogram("keras_mel_short", num_mel_bins=2, sequence_length=10, min_freq=100.0, max_freq=1500.0, mag_exp=1.0, ref_power=2.0, top_db=4.0, window="hamming")
mel_spectrogram("keras_mel_power", num_mel_bins=2, power_to_db=False, mag_exp=3.0)
folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suite")
with open(os.path.join(folder, "nn_signal.inc"), "w") as f:
    f.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* Spectrograms by Keras. Printed by spectrogram_keras.py. */\n" + "\n".join(out) + "\n")
