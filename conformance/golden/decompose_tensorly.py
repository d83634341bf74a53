#!/usr/bin/env python3
"""Writes conformance/suite/decompose.inc: decompositions by TensorLy.

Run by hand, with tensorly: python3 conformance/golden/decompose_tensorly.py [folder], default conformance/suite. Signs of singular vectors are free, so products and absolute values are written.
"""
import math
import os
import sys

import numpy as np
import tensorly as tl
from tensorly import decomposition

from random_numpy import unit64
from sample_numpy import split

out = []


def table(name, values):
    v = np.asarray(values, float).ravel()
    out.append(f"static const double {name}[{len(v)}] = {{{', '.join(repr(float(x)) for x in v)}}};")


X = np.array([math.sin(1 + 0.7 * k + 0.9 * 3) * 0.8 for k in range(60)]).reshape(3, 4, 5) + np.arange(60).reshape(3, 4, 5) ** 2 % 7 / 5
table("decomposed_x", X)

# ---- Tucker, of all axes, two of them, and where the iteration begins ----

RANKS = [2, 2, 3]
core, factors = decomposition.tucker(X, RANKS, init="svd", n_iter_max=100, tol=1e-12)
table("tucker_product", tl.tucker_to_tensor((core, factors)))
table("tucker_core", np.abs(core))
for k, f in enumerate(factors):
    table(f"tucker_factor{k}", np.abs(f))
(core, factors), _ = decomposition.partial_tucker(X, [2, 3], modes=[0, 2], init="svd", n_iter_max=100, tol=1e-12)
table("partial_core", np.abs(core))
table("partial_product", tl.tenalg.multi_mode_dot(core, factors, modes=[0, 2]))
start = [np.linalg.svd(tl.unfold(X, k))[0][:, :r] for k, r in enumerate(RANKS)]
table("start_core", np.abs(tl.tenalg.multi_mode_dot(X, start, transpose=True)))

# ---- CP: what ranks 1 to 3 leave of x, rounded to what rounding leaves alike ----

left = [tl.cp_to_tensor(decomposition.parafac(X, rank=r, init="svd", n_iter_max=5000, tol=1e-15)) - X for r in (1, 2, 3)]
table("cp_errors", [round(float(np.linalg.norm(e) / np.linalg.norm(X)), 6) for e in left])

# ---- trains ----

train = decomposition.tensor_train(X, [1, 2, 3, 1])
table("train_product", tl.tt_to_tensor(train))
for k, f in enumerate(train):
    table(f"train_core{k}", np.abs(f))
cores = [np.array([math.cos(1 + 0.3 * k + n) for k in range(math.prod(s))]).reshape(s) for n, s in enumerate([(1, 2, 3, 2), (2, 2, 2, 3), (3, 1, 2, 1)])]
for k, c in enumerate(cores):
    table(f"matrix_core{k}", c)
table("matrix_tensor", tl.tt_matrix_to_tensor(cores))

# ---- random numbers of CP, with the columns' lengths ----

KEY = (77, 5)
keys = split(KEY, 3)
factors = [unit64(tuple(keys[2 * k:2 * k + 2]), n * 2).reshape(n, 2) for k, n in enumerate((3, 4, 2))]
weights, normal = tl.cp_tensor.cp_normalize((np.ones(2), factors))
table("cp_weights", weights)
table("cp_factor1", normal[1])

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suite")
with open(os.path.join(folder, "decompose.inc"), "w") as f:
    f.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* Decompositions by TensorLy. Printed by conformance/golden/decompose_tensorly.py. */\n" + "\n".join(out) + "\n")
