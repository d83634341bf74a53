#!/usr/bin/env python3
"""Writes conformance/cases/losses_more.case: losses from optax, keras and torch themselves; the loss of transducers from all its paths, one by one.

Run by hand, with optax, keras (on jax), torch and numpy: python3 conformance/golden/losses_optax.py [folder], default conformance/cases.
"""
import itertools
import os
import sys

os.environ["KERAS_BACKEND"] = "jax"
import jax
import keras
import numpy as np
import optax
import torch
from lines import INF, NAN, TOLERANCE, fails, line, out, title

jax.config.update("jax_enable_x64", True)
keras.config.set_floatx("float64")
TOLERANCE |= {"f16": "4e-3", "bf16": "3e-2", "f32": "4e-6", "f64": "1e-12"}
NEAR = "2e-6"  # keras keeps probabilities 1e-7 away from 0 and 1

X = np.array([[0.5, -1.25, 2], [-0.75, 3.5, 0.25]])
T = np.array([[1, -1, 1], [-1, 1, -1.0]])
Y = np.array([[1, 0, 1], [0, 1, 0.0]])
P = np.array([[0.5, 0.25, 0.75], [0.125, 0.875, 0.375]])
W = np.array([[0.5], [2]])
Q = np.array([[0.5, 0.25, 0.25], [0.125, 0.625, 0.25]])
CLASSES = np.array([0.5, 2, 1])
INDEX = np.array([2, 0])
HOT = np.eye(3)[INDEX]


def reduced(each, how):
    return {"none": each, "sum": np.sum(each), "mean": np.mean(each)}[how]


def both(op, inputs, options, each, d="f64", tolerance=None):
    """A mean, and all losses."""
    each = np.asarray(each, dtype="f8")
    for how in "mean", "none":
        line(op, inputs, f"{options} reduction={how}".strip(), d, reduced(each, how), tolerance)


def t(x):
    return torch.tensor(x)


F = torch.nn.functional

title("numbers")
both("log_cosh_loss", [("f64", X), ("f64", T)], "", optax.log_cosh(X, T))
line("log_cosh_loss", [("f32", [800, -800, NAN]), ("f32", [0, 0, 0])], "reduction=none", "f32", [800 - np.log(2), 800 - np.log(2), NAN])
line("lp_loss", [("f64", X), ("f64", T)], "p=3", "f64", np.mean(np.abs(X - T) ** 3))
line("lp_loss", [("f32", X), ("f32", T), ("f32", W)], "p=1 reduction=sum", "f32", np.sum(np.abs(X - T) * W))
line("mape_loss", [("f64", X), ("f64", T * 3)], "", "f64", np.mean(keras.losses.mean_absolute_percentage_error(T * 3, X)), "1e-6")
line("msle_loss", [("f64", P), ("f64", Y + 1)], "", "f64", np.mean(keras.losses.mean_squared_logarithmic_error(Y + 1, P)), "1e-6")
both("soft_margin_loss", [("f64", X), ("f64", T)], "", F.soft_margin_loss(t(X), t(T), reduction="none"))
line("soft_margin_loss", [("f16", X), ("f16", T)], "", "f16", F.soft_margin_loss(t(X), t(T)))
both("hinge_embedding_loss", [("f64", X), ("f64", T)], "margin=0.75", F.hinge_embedding_loss(t(X), t(T), margin=0.75, reduction="none"))
both("margin_ranking_loss", [("f64", X), ("f64", P), ("i8", T)], "margin=0.5", F.margin_ranking_loss(t(X), t(P), t(T), margin=0.5, reduction="none"))
both("perceptron_loss", [("f64", X), ("f64", T)], "", optax.losses.perceptron_loss(X, T))
both("sparsemax_loss", [("f64", X * 0.375), ("f64", Y)], "", optax.losses.sparsemax_loss(X * 0.375, Y))
fails("soft_margin_loss [[1] [2]] [1 2] ! VN_E_SHAPE", "lp_loss [1] [1] p=0 ! VN_E_ARG", "margin_ranking_loss [1] [1 2] [1] ! VN_E_SHAPE", "log_cosh_loss i32[1] i32[1] ! VN_E_DTYPE")

title("focal losses")
both("sigmoid_focal_loss", [("f64", X), ("f64", Y)], "", optax.losses.sigmoid_focal_loss(X, Y))
both("sigmoid_focal_loss", [("f64", X), ("f64", Y), ("f64", W)], "gamma=1.5 alpha=0.25", optax.losses.sigmoid_focal_loss(X, Y, alpha=0.25, gamma=1.5) * W)
line("sigmoid_focal_loss", [("bf16", X), ("bf16", Y)], "gamma=0", "bf16", np.mean(optax.sigmoid_binary_cross_entropy(X, Y)))
line("sigmoid_focal_loss", [("f32", [200, -200, NAN]), ("f32", [1, 1, 0])], "reduction=none", "f32", [0, 200, NAN])
line("binary_focal_loss", [("f64", P), ("f64", Y)], "gamma=3", "f64", np.mean(keras.losses.binary_focal_crossentropy(Y, P, gamma=3.0)), NEAR)
line("binary_focal_loss", [("f64", P), ("f64", Y)], "alpha=0.25 label_smoothing=0.125", "f64",
     np.mean(keras.losses.binary_focal_crossentropy(Y, P, apply_class_balancing=True, alpha=0.25, label_smoothing=0.125)), NEAR)
focal = keras.losses.categorical_focal_crossentropy
both("categorical_focal_loss", [("f64", X), ("i64", INDEX)], "", focal(HOT, X, from_logits=True), tolerance=NEAR)
both("categorical_focal_loss", [("f64", P), ("f64", Q)], "gamma=1 alpha=1 from_probs label_smoothing=0.125", focal(Q, P, alpha=1.0, gamma=1.0, label_smoothing=0.125), tolerance=NEAR)
each = np.asarray(focal(HOT, X, from_logits=True, alpha=1.0, gamma=0.0))
line("categorical_focal_loss", [("f64", X), ("u8", INDEX), ("f64", CLASSES)], "gamma=0 alpha=1", "f64", np.sum(each * CLASSES[INDEX]) / np.sum(CLASSES[INDEX]), NEAR)
fails("sigmoid_focal_loss [1] [1] gamma=-1 ! VN_E_ARG", "binary_focal_loss [1] [1] alpha=2 ! VN_E_ARG")

title("classes")
both("categorical_hinge_loss", [("f64", X), ("i64", INDEX)], "", keras.losses.categorical_hinge(HOT, X))
both("categorical_hinge_loss", [("f64", X), ("f64", Q)], "", keras.losses.categorical_hinge(Q, X))
both("multiclass_hinge_loss", [("f64", X), ("i64", INDEX)], "", optax.losses.multiclass_hinge_loss(X, INDEX))
both("multiclass_perceptron_loss", [("f64", X), ("i32", INDEX)], "", optax.losses.multiclass_perceptron_loss(X, INDEX))
both("multiclass_sparsemax_loss", [("f64", X / 2), ("i64", INDEX)], "", optax.losses.multiclass_sparsemax_loss(X / 2, INDEX))
both("multi_margin_loss", [("f64", X), ("i64", INDEX)], "", F.multi_margin_loss(t(X), t(INDEX), reduction="none"))
line("multi_margin_loss", [("f64", X), ("i64", INDEX), ("f64", CLASSES)], "margin=0.5 squared reduction=sum", "f64",
     np.sum(np.asarray(F.multi_margin_loss(t(X), t(INDEX), p=2, margin=0.5, reduction="none")) * CLASSES[INDEX]))
both("generalized_cross_entropy", [("f64", P), ("i64", INDEX)], "q=0.75 from_probs", keras.losses.categorical_generalized_cross_entropy(INDEX, P, 0.75))
line("generalized_cross_entropy", [("f64", X), ("i64", INDEX)], "", "f64", np.mean(keras.losses.categorical_generalized_cross_entropy(INDEX, jax.nn.softmax(X), 0.5)))
both("poly_loss", [("f64", X), ("f64", Q)], "epsilon=1.5", optax.losses.poly_loss_cross_entropy(X, Q, epsilon=1.5))
line("poly_loss", [("f16", X), ("i64", INDEX)], "", "f16", np.mean(optax.losses.poly_loss_cross_entropy(X, HOT)))
each = optax.losses.poly_loss_cross_entropy(X, HOT)
line("poly_loss", [("f32", X), ("i64", INDEX), ("f32", CLASSES)], "reduction=none", "f32", each * CLASSES[INDEX])
for op in "categorical_hinge_loss", "poly_loss", "multi_margin_loss", "generalized_cross_entropy", "multiclass_perceptron_loss":
    fails(f'{op} [[1 2 3] [4 5 6]] i64[3 0] ! VN_E_INDEX "target[0] is 3; there are 3 classes"', f"{op} [[1 2 3] [4 5 6]] i64[0 -1] ! VN_E_INDEX")
fails("categorical_hinge_loss [[1 2]] i64[0 1] ! VN_E_SHAPE", "categorical_hinge_loss [[1 2]] [1 0] ! VN_E_SHAPE", "multi_margin_loss [[1 2]] i64[0] [1] ! VN_E_SHAPE",
      "multi_margin_loss 1 i64{0} ! VN_E_SHAPE", "generalized_cross_entropy [[1 2]] i64[0] q=0 ! VN_E_ARG", "poly_loss [[1 2]] bool[1] ! VN_E_SHAPE")
both("generalized_kl_div", [("f64", np.log(P)), ("f64", Q)], "", optax.losses.generalized_kl_divergence(np.log(P), Q))
line("generalized_kl_div", [("f64", np.log(P)), ("f64", Q)], "axis=0 reduction=sum", "f64", np.sum(optax.losses.convex_kl_divergence(np.log(P), Q, axis=0)))
line("generalized_kl_div", [("f32", [[-INF, 0], [NAN, 0]]), ("f32", [[0, 1], [0, 1]])], "reduction=none", "f32", [0, NAN])
line("cosine_distance", [("f64", X), ("f64", P)], "", "f64", optax.losses.cosine_distance(X, P))
line("cosine_distance", [("f32", X), ("f32", P)], "axis=0", "f32", optax.losses.cosine_distance(X, P, axis=0))
line("smooth_labels", [("f64", HOT)], "share=0.25", "f64", optax.smooth_labels(HOT, 0.25))
line("smooth_labels", [("f16", HOT)], "share=0.5 axis=0", "f16", optax.smooth_labels(HOT, 0.5, axis=0))
fails("generalized_kl_div [[1 2]] [1 2] ! VN_E_SHAPE", "smooth_labels [1] share=2 ! VN_E_ARG", "smooth_labels [1] axis=1 ! VN_E_ARG")

title("overlaps")
S = np.array([[[0.5, 0.25], [1, 0]], [[0.75, 0.5], [0.125, 0.375]]])
R = np.array([[[1, 0], [1, 0]], [[0, 1], [0, 1.0]]])
line("dice_loss", [("f64", S), ("f64", R)], "epsilon=5e-8", "f64", keras.losses.dice(R, S))
line("dice_loss", [("f64", S), ("f64", R)], "axes=1,2 epsilon=5e-8 reduction=none", "f64", keras.losses.dice(R, S, axis=(1, 2)))
line("dice_loss", [("f64", S), ("f64", R), ("f64", [1, 3])], "axes=1 smooth=1 epsilon=0 activation=softmax reduction=none", "f64",
     optax.losses.dice_loss(S, R, class_weights=np.array([1.0, 3.0]), reduction="none"))
line("dice_loss", [("f64", X), ("f64", Y)], "axes=1 smooth=1 epsilon=0 activation=sigmoid reduction=none", "f64", optax.losses.binary_dice_loss(X, Y))
line("dice_loss", [("bf16", S), ("bf16", R)], "", "bf16", keras.losses.dice(R, S))
line("tversky_loss", [("f64", S), ("f64", R)], "alpha=0.75 beta=0.25", "f64", keras.losses.tversky(R, S, alpha=0.25, beta=0.75))
line("tversky_loss", [("f64", S), ("f64", R)], "axes=1,2 alpha=0.75 beta=0.25 reduction=none keepdims", "f64", np.reshape(keras.losses.tversky(R, S, alpha=0.25, beta=0.75, axis=(1, 2)), (2, 1, 1)))
line("generalized_dice_loss", [("f64", S), ("f64", R)], "", "f64", optax.losses.multiclass_generalized_dice_loss(S, R))
line("generalized_dice_loss", [("f64", S), ("i64", [[0, 1], [1, 1]])], "smooth=0.5", "f64", optax.losses.multiclass_generalized_dice_loss(S, np.eye(2)[[[0, 1], [1, 1]]], smooth=0.5))
fails("dice_loss [[1 2]] [1 2] ! VN_E_SHAPE", "dice_loss [1] [1] [1 2] ! VN_E_SHAPE", "tversky_loss [1] [1] alpha=-1 ! VN_E_ARG", "generalized_dice_loss [1 2] [1 0] ! VN_E_SHAPE")

title("embeddings and lists")
E = np.array([[0.5, -1.25, 2], [-0.75, 3.5, 0.25], [1, 1, -0.5], [0.25, 0.5, 1.5]])
LABELS = np.array([0, 1, 1, 0])
line("ntxent_loss", [("f64", E), ("i64", LABELS)], "temperature=0.5", "f64", optax.losses.ntxent(E, LABELS, 0.5))
line("ntxent_loss", [("f32", E), ("i8", [0, 0, 0, 1])], "", "f32", optax.losses.ntxent(E, np.array([0, 0, 0, 1])), "2e-5")
line("ntxent_loss", [("f32", E[:2]), ("i64", [0, 1])], "", "f32", NAN)
line("ntxent_loss", [("f32", E[:2]), ("i64", [1, 1])], "", "f32", 0)
unit = np.round(E / np.linalg.norm(E, axis=1, keepdims=True), 3)
both("circle_loss", [("f64", unit), ("i64", LABELS)], "gamma=8", keras.losses.circle(LABELS, unit, gamma=8))
both("circle_loss", [("f64", unit), ("i64", [0, 0, 1, 2])], "gamma=4 margin=0.25", keras.losses.circle(np.array([0, 0, 1, 2]), unit, gamma=4, margin=0.25))
ranking = optax.losses.ranking_softmax_loss
both("ranking_softmax_loss", [("f64", X), ("f64", P)], "", ranking(X, P, reduce_fn=None))
where = np.array([[True, False, True], [False, False, False]])
line("ranking_softmax_loss", [("f64", X), ("f64", P), ("f64", Q), ("bool", where)], "", "f64", ranking(X, P, weights=Q, where=where))
line("ranking_softmax_loss", [("f32", X), ("f32", P), "none", ("bool", where)], "reduction=none", "f32", [ranking(X, P, where=where, reduce_fn=None)[0], 0])
fails("ntxent_loss [1 2] i64[1 2] ! VN_E_SHAPE", "ntxent_loss [[1]] [1] ! VN_E_DTYPE", "ntxent_loss [[1]] i64[1] temperature=0 ! VN_E_ARG", "circle_loss [[1]] i64[1 2] ! VN_E_SHAPE",
      "ranking_softmax_loss [1 2] [1] ! VN_E_SHAPE", "ranking_softmax_loss [1 2] [1 2] [1 1] [1 1] ! VN_E_DTYPE")

title("paths of transducers")


def transducer(x, targets, steps, lengths, blank=0):
    """Blanks and labels in every order that ends with a blank."""
    log_p, losses = np.log(np.exp(x) / np.exp(x).sum(-1, keepdims=True)), []
    for b, (n, u) in enumerate(zip(steps, lengths)):
        total = 0
        for places in itertools.combinations(range(n - 1 + u), u):
            at, said, p = 0, 0, 0.0
            for k in range(n - 1 + u):
                if k in places:
                    p, said = p + log_p[b, at, said, targets[b][said]], said + 1
                else:
                    p, at = p + log_p[b, at, said, blank], at + 1
            total += np.exp(p + log_p[b, at, said, blank])
        losses.append(-np.log(total) if total else INF)
    return np.array(losses)


x = np.round(np.sin(np.arange(2 * 3 * 3 * 3) * 1.7), 3).reshape(2, 3, 3, 3)
targets = [[1, 2], [2, 2]]
both("rnnt_loss", [("f64", x), ("i64", targets), ("i64", [3, 3]), ("i64", [2, 2])], "", transducer(x, targets, [3, 3], [2, 2]))
line("rnnt_loss", [("f64", x), ("i32", [[0, -1], [1, 0]]), ("i32", [2, 3]), ("i32", [1, 0])], "blank=-1 reduction=none", "f64", transducer(x, [[0, 0], [1, 0]], [2, 3], [1, 0], 2))
line("rnnt_loss", [("f32", x), ("i64", [[3, 1], [1, 1]]), ("i64", [3, 4]), ("i64", [2, 2])], "reduction=none", "f32", [NAN, NAN])
line("rnnt_loss", [("f32", x), ("i64", targets), ("i64", [0, 3]), ("i64", [2, 3])], "reduction=none", "f32", [NAN, NAN])
never = np.where(np.arange(3) == 1, -INF, x)
with np.errstate(divide="ignore"):
    line("rnnt_loss", [("f32", never), ("i64", targets), ("i64", [3, 3]), ("i64", [2, 2])], "reduction=none", "f32", [INF, transducer(never, targets, [3, 3], [2, 2])[1]])
line("rnnt_loss", [("f16", x[:, :, :1]), ("i64", np.zeros((2, 0))), ("i64", [3, 3]), ("i64", [0, 0])], "", "f16", np.mean(transducer(x, targets, [3, 3], [0, 0])))
fails("rnnt_loss [[[1]]] i64[[1]] i64[1] i64[1] ! VN_E_SHAPE", "rnnt_loss [[[[1]]]] i64[[1]] i64[1] i64[1] ! VN_E_SHAPE", "rnnt_loss [[[[1]]]] i64(1,0)[] i64[1] i64[0] blank=1 ! VN_E_ARG")

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
with open(os.path.join(folder, "losses_more.case"), "w") as f:
    f.write("# Losses of optax, keras and torch. Printed by losses_optax.py.\n" + "\n".join(out) + "\n")
