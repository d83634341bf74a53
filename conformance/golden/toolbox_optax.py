#!/usr/bin/env python3
"""Writes conformance/suite/toolbox.inc: trees of numbers, second derivatives, schedules and updates of optax, steps of meta-learning by jax.

Run by hand, with optax: python3 conformance/golden/toolbox_optax.py [folder], default conformance/suite. Everything is computed in float64.
"""
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from optax import tree_utils

jax.config.update("jax_enable_x64", True)
out = []


def table(name, values):
    v = np.asarray(values, float).ravel()
    out.append(f"static const double {name}[{len(v)}] = {{{', '.join(repr(float(x)) for x in v)}}};")


def flat(tree):
    return np.concatenate([np.ravel(x) for x in jax.tree.leaves(tree)])


# Parameters and gradients: "a" a matrix, "b" a vector.
P = {"a": np.array([[0.5, -1.25, 2.0], [1.5, 0.25, -0.75]]), "b": np.array([-0.5, 1.0])}
G = {"a": np.array([[-1.0, 0.5, 0.25], [2.0, -0.125, 1.5]]), "b": np.array([0.75, -2.5])}
table("toolbox_p", flat(P))
table("toolbox_g", flat(G))

# ---- trees ----

table("tree_numbers", [tree_utils.tree_sum(P), tree_utils.tree_max(P), tree_utils.tree_min(P), tree_utils.tree_vdot(P, G)])
table("tree_scaled", flat(tree_utils.tree_add_scale(P, 0.3, G)))
table("tree_moment1", flat(tree_utils.tree_update_moment(G, P, 0.9, 1)))
table("tree_moment3", flat(tree_utils.tree_update_moment(G, P, 0.9, 3)))
table("tree_elem_norm", flat(tree_utils.tree_update_moment_per_elem_norm(G, P, 0.8, 2)))
table("tree_infinity", flat(tree_utils.tree_update_infinity_moment(G, P, 0.99, 1e-3)))
table("tree_corrected", flat(tree_utils.tree_bias_correction(P, 0.9, 3)))
table("tree_incremental", flat(optax.incremental_update(P, G, 0.25)))

# ---- second derivatives: a loss of a network of one layer ----

X, Y = np.array([[1.0, -0.5, 0.25], [0.5, 2.0, -1.0], [-1.5, 0.75, 0.5]]), np.array([[0.5, -0.25], [1.0, 0.0], [-0.5, 0.75]])


def loss(p, x=X, y=Y):
    return jnp.mean((jnp.tanh(x @ p["a"].T + p["b"]) - y) ** 2)


table("toolbox_x", X)
table("toolbox_y", Y)
table("second_hvp", flat(jax.jvp(jax.grad(loss), (P,), (G,))[1]))
H = jax.hessian(lambda v: loss({"a": v[:6].reshape(2, 3), "b": v[6:]}))(flat(P))
table("second_diagonal", np.diag(H))
table("second_fisher", flat(jax.tree.map(lambda g: g**2, jax.grad(loss)(P))))

# ---- meta-learning: task t has the inputs X + t / 2, and is tested on X - t / 4 ----


def task_loss(p, t, outer):
    return loss(p, X - t / 4 if outer else X + t / 2, Y)


def adapt(p, t, steps, lr):
    for _ in range(steps):
        p = jax.tree.map(lambda w, g: w - lr * g, p, jax.grad(task_loss)(p, t, False))
    return p


TASKS, STEPS, LR = 3, 2, 0.1
mean = lambda trees: flat(jax.tree.map(lambda *x: sum(x) / len(x), *trees))
table("meta_loss", [np.mean([task_loss(adapt(P, t, STEPS, LR), t, True) for t in range(TASKS)])])
table("meta_maml", mean([jax.grad(lambda p: task_loss(adapt(p, t, STEPS, LR), t, True))(P) for t in range(TASKS)]))
table("meta_fomaml", mean([jax.grad(task_loss)(adapt(P, t, STEPS, LR), t, True) for t in range(TASKS)]))
table("meta_reptile", mean([jax.tree.map(lambda a, b: (a - b) / LR, P, adapt(P, t, STEPS, LR)) for t in range(TASKS)]))

# ---- schedules ----

s = optax.piecewise_constant_schedule(0.5, {3: 0.5, 7: 0.2})
table("piecewise_constant", [s(k) for k in range(12)])
for kind in ("linear", "cosine"):
    s = optax.piecewise_interpolate_schedule(kind, 0.5, {3: 0.5, 7: 0.2})
    table(f"piecewise_{kind}", [s(k) for k in range(12)])

# ---- updates ----

LOSSES = [1.0, 0.9, 0.9, 0.95, 0.9, 0.91, 0.7, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.6, 0.9, 0.9]
table("plateau_losses", LOSSES)
for name, o in (("plain", {"patience": 2, "factor": 0.5}), ("cooled", {"patience": 1, "factor": 0.5, "cooldown": 2, "rtol": 0.0, "atol": 0.05, "min_scale": 0.2, "accumulation_size": 2})):
    t = optax.contrib.reduce_on_plateau(**o)
    state, scales = t.init(jnp.zeros(())), []
    for v in LOSSES:
        u, state = t.update(jnp.ones(()), state, value=v)
        scales.append(float(u))
    table(f"plateau_{name}", scales)

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suite")
with open(os.path.join(folder, "toolbox.inc"), "w") as f:
    f.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* Trees of numbers, second derivatives, meta-learning, schedules and updates, by optax and jax. Printed by toolbox_optax.py. */\n" + "\n".join(out) + "\n")
