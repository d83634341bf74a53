#!/usr/bin/env python3
"""Writes conformance/cases/{losses,metrics}.case: expected results of losses and metrics, from their formulas in numpy.

Run by hand, with numpy: python3 conformance/golden/losses_numpy.py [folder], default conformance/cases. Derivatives are checked at the values of lines whose
inputs are all finite, so lines at the edge of where a function is defined have a NaN or an infinity among their inputs.
"""
import itertools
import math
import os
import sys

import numpy as np

INF, NAN = float("inf"), float("nan")
out = []


def written(d, a):
    a = np.asarray(a)
    body = " ".join(repr(float(v)).removesuffix(".0") for v in a.ravel())
    return f"{d}{{{body}}}" if a.ndim == 0 else f"{d}({','.join(map(str, a.shape))})[{body}]"


def line(op, inputs, options, result):
    """inputs and result: (dtype, array), or text."""
    words = [i if isinstance(i, str) else written(*i) for i in inputs]
    out.append(" ".join([op] + words + ([options] if options else []) + ["=", written(*result)]))


def fails(code, *lines):
    out.extend(f"{words} ! VN_E_{code}" for words in lines)


def title(what):
    out.append(f"# ---- {what} ----")


def reduced(each, how):
    with np.errstate(all="ignore"):
        return {"none": each, "sum": np.sum(each), "mean": np.sum(each) / np.float64(np.size(each))}[how]


X = np.array([[0.5, -1.25, 2], [-0.75, 3.5, 0.25]])
T = np.array([[1, -1, 1], [-1, 1, -1.0]])
W = np.array([[0.5], [2]])
ROW = np.array([0.125, 1, -2])
P = np.array([[0.5, 0.25, 0.75], [0.125, 0.875, 0.375]])
Q = np.array([[0.5, 0.25, 0.25], [0.125, 0.625, 0.25]])
Y = np.array([[1, 0, 1], [0.25, 1, 0]])
CLASSES = np.array([0.5, 2, 1])
EMPTY = np.zeros((0, 3))


# ---- formulas ----


def huber(d, end, bend):
    a = np.abs(d)
    return np.where(a < end, bend * d * d / 2, bend * end * (a - end / 2))


def log_softmax(x):
    s = x - np.max(x, -1, keepdims=True)
    return s - np.log(np.sum(np.exp(s), -1, keepdims=True))


def clamped(p):
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(p), -100)


def labels(log_p, index, ignore=-100, weight=None, smoothing=0, how="mean"):
    weight = np.ones(log_p.shape[-1]) if weight is None else weight
    each, share = [], []
    for row, k in zip(log_p, index):
        one = k < 0 or k >= len(row)
        share.append(0 if k == ignore else NAN if one else weight[k])
        part = -np.sum(weight * row) * smoothing / len(row)
        each.append(0 if k == ignore else NAN if one else -row[k] * weight[k] * (1 - smoothing) + part)
    return np.sum(each) / np.sum(share) if how == "mean" else reduced(np.array(each), how)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def logits(x, y, weight=1, positive=1):
    return weight * (positive * y * softplus(-x) + (1 - y) * softplus(x))


def stirling(t):
    u = np.where(t > 1, t, 2)
    return np.where(t > 1, u * np.log(u) - u + np.log(2 * np.pi * u) / 2, 0)


def cosine(x, y):
    return np.sum(x * y, -1) / np.sqrt(np.sum(x * x, -1) * np.sum(y * y, -1))


def distance(x, y, order=2):
    return np.sum(np.abs(x - y + 1e-6) ** order, -1) ** (1 / order)


def ctc(log_probs, targets, steps, lengths, blank=0):
    """The sum over all paths, one by one."""
    losses = []
    for b in range(log_probs.shape[1]):
        total = 0
        for path in itertools.product(range(log_probs.shape[2]), repeat=int(steps[b])):
            said = [k for k, _ in itertools.groupby(path) if k != blank]
            if said == list(targets[b][: lengths[b]]):
                total += math.exp(sum(log_probs[t, b, k] for t, k in enumerate(path)))
        losses.append(-math.log(total) if total else INF)
    return np.array(losses)


# ---- lines ----


def numbers():
    title("numbers")
    d = X - T
    for op, options, f in [("mse_loss", "", d * d), ("mae_loss", "", np.abs(d)), ("huber_loss", "delta=1.5", huber(d, 1.5, 1)),
                           ("smooth_l1_loss", "beta=0.625", huber(d, 0.625, 1.6)), ("hinge_loss", "", np.maximum(1 - X * T, 0)),
                           ("squared_hinge_loss", "", np.maximum(1 - X * T, 0) ** 2)]:
        line(op, [("f64", X), ("f64", T)], options, ("f64", reduced(f, "mean")))
        if op in ("mse_loss", "huber_loss", "hinge_loss"):
            line(op, [("f32", X), ("f32", T), ("f32", W)], f"{options} reduction=none".strip(), ("f32", f * W))
    d = X - ROW
    line("mse_loss", [("f32", X), ("f64", ROW), "0.5"], "reduction=sum", ("f64", np.sum(d * d) / 2))
    line("smooth_l1_loss", [("f64", X), ("f64", ROW)], "beta=0 reduction=sum", ("f64", np.sum(np.abs(d))))
    for half in "f16", "bf16":
        line("mse_loss", [(half, np.full((2, 3), 255)), (half, ROW * 0)], "", (half, 65025))
    for how, value in ("mean", NAN), ("sum", 0):
        line("mse_loss", [("f32", EMPTY), ("f32", EMPTY)], f"reduction={how}", ("f32", value))
    line("mse_loss", [("f64", 3), ("f64", 1)], "reduction=none", ("f64", 4))
    line("huber_loss", [("f32", [NAN, INF, -INF]), ("f32", ROW * 0)], "reduction=none", ("f32", [NAN, INF, INF]))
    line("hinge_loss", [("f64", X), ("i8", T)], "reduction=sum", ("f64", np.sum(np.maximum(1 - X * T, 0))))
    fails("SHAPE", "mse_loss [[1] [2]] [1 2]")
    fails("ARG", "mse_loss [1] [1] reduction=batchmean")
    fails("DTYPE", "mse_loss i32[1] i32[1]")


def classes():
    title("classes")
    lp = log_softmax(X)
    line("cross_entropy", [("f64", X), ("f64", Q)], "", ("f64", -np.sum(Q * lp) / 2))
    line("cross_entropy", [("f64", X.T), ("f64", Q.T), ("f64", CLASSES)], "axis=0 label_smoothing=0.25 reduction=none",
         ("f64", -np.sum((Q * 0.75 + 0.25 / 3) * CLASSES * lp, -1)))
    line("cross_entropy", [("f64", P), ("f64", Q)], "from_probs reduction=sum", ("f64", -np.sum(Q * np.log(P))))
    line("cross_entropy", [("f32", [[0, 1, NAN], [0.5, 0.5, 0]]), ("f32", [[1, 0, 0], [1, 0, 0]])], "from_probs reduction=none", ("f32", [NAN, np.log(2)]))
    line("cross_entropy", [("f32", [[1e4, -1e4, 0], [0, 0, -INF]]), ("f32", [[0, 1, 0], [0.5, 0.5, 0]])], "reduction=none", ("f32", [2e4, np.log(2)]))
    line("cross_entropy", [("bf16", X), ("bf16", Q)], "", ("bf16", -np.sum(Q * lp) / 2))
    line("cross_entropy", [("f64", X), ("u8", [2, 1])], "", ("f64", labels(lp, [2, 1])))
    line("cross_entropy", [("f64", X.T), ("i32", [2, 0]), ("f64", CLASSES)], "axis=0 label_smoothing=0.25",
         ("f64", labels(lp, [2, 0], weight=CLASSES, smoothing=0.25)))
    line("cross_entropy", [("f64", X), ("i8", [2, -1]), ("f64", CLASSES)], "ignore_index=-1 label_smoothing=0.25 reduction=none",
         ("f64", labels(lp, [2, -1], -1, CLASSES, 0.25, "none")))
    line("cross_entropy", [("f64", P), ("i64", [0, 2])], "from_probs reduction=sum", ("f64", -np.log(0.5 * 0.375)))
    line("cross_entropy", [("f32", [[0, 1, NAN], [0.5, 0.5, 0]]), ("u64", [0, 2])], "from_probs reduction=none", ("f32", [100, 100]))
    line("cross_entropy", [("f32", [[1e4, -1e4, 0], [1, -INF, 1]]), ("i64", [1, 0])], "reduction=none", ("f32", [2e4, np.log(2)]))
    line("cross_entropy", [("f16", X), ("i64", [2, 1])], "", ("f16", labels(lp, [2, 1])))
    line("cross_entropy", [("f32", X), ("i64", [-100, -100])], "", ("f32", NAN))
    line("nll_loss", [("f64", X), ("i64", [2, -100]), ("f64", CLASSES)], "", ("f64", labels(X, [2, -100], weight=CLASSES)))
    line("nll_loss", [("f32", X), ("i64", [0, 1])], "reduction=none", ("f32", labels(X, [0, 1], how="none")))
    fails("SHAPE", "cross_entropy [[1 2]] i64[0 1]")
    fails("ARG", "cross_entropy [1] [1] label_smoothing=2")
    fails('INDEX "target[1] is 3; there are 3 classes"', "cross_entropy [[1 2 3] [4 5 6]] i64[0 3]")
    fails('INDEX "target[0] is -1; there are 3 classes"', "cross_entropy [[1 2 3] [4 5 6]] i32[-1 0]")
    fails('INDEX "index[0] is -1; there are 3 classes"', "nll_loss [[1 2 3] [4 5 6]] i8[-1 -100]")


def yes_or_no():
    title("yes or no")
    each = -(Y * np.log(P) + (1 - Y) * np.log1p(-P))
    line("binary_cross_entropy", [("f64", P), ("f64", Y)], "", ("f64", np.mean(each)))
    line("binary_cross_entropy", [("f32", P), ("f32", Y), ("f32", W)], "reduction=none", ("f32", each * W))
    line("binary_cross_entropy", [("f32", [[0, 0, NAN], [1, 1, 1.5]]), ("f32", [[1, 0, 1], [1, 0.5, 1]])], "reduction=none",
         ("f32", [[100, 0, NAN], [0, 50, NAN]]))
    line("binary_cross_entropy_with_logits", [("f64", X * 0), ("f64", Y)], "", ("f64", np.log(2)))
    line("binary_cross_entropy_with_logits", [("f64", X), ("f64", Y), ("f64", W), ("f64", CLASSES)], "", ("f64", np.mean(logits(X, Y, W, CLASSES))))
    line("binary_cross_entropy_with_logits", [("f32", X), ("f32", Y), "none", ("f32", CLASSES)], "reduction=none", ("f32", logits(X, Y, 1, CLASSES)))
    line("binary_cross_entropy_with_logits", [("f32", [[1e4, -1e4, -30], [NAN, 1e4, -1e4]]), ("f32", Y)], "reduction=none",
         ("f32", [[0, 0, 30], [NAN, 0, 0]]))
    line("binary_cross_entropy", [("f64", P), ("bool", Y > 0.5)], "", ("f64", -np.mean(np.log(np.where(Y > 0.5, P, 1 - P)))))


def distributions():
    title("distributions")
    lp = log_softmax(X)
    kl = Q * (np.log(Q) - lp)
    line("kl_div", [("f64", lp), ("f64", Q)], "reduction=batchmean", ("f64", np.sum(kl) / 2))
    line("kl_div", [("f64", lp), ("f64", np.log(Q))], "log_target", ("f64", np.mean(kl)))
    line("kl_div", [("f32", [[-INF, -INF, 0], [-1, NAN, -1]]), ("f32", [[0, 0.5, 1], [0, 1, 1]])], "reduction=none", ("f32", [[0, INF, 0], [0, NAN, 1]]))
    counts = np.array([[3, 0.5, 7], [0, 2, 1.5]])
    for full in 0, 1:
        plus = stirling(counts) * full
        line("poisson_nll_loss", [("f64", X), ("f64", counts)], f"full={full}", ("f64", np.mean(np.exp(X) - counts * X + plus)))
        line("log_poisson_loss", [("f64", X), ("f64", counts)], f"full={full} reduction=none", ("f64", np.exp(X) - counts * X + plus))
    line("poisson_nll_loss", [("f32", P), ("f32", counts)], "rate_input=1 reduction=sum", ("f32", np.sum(P - counts * np.log(P))))
    for full in 0, 1:
        each = (np.log(P) + (X - T) ** 2 / P + full * np.log(2 * np.pi)) / 2
        line("gaussian_nll_loss", [("f64", X), ("f64", T), ("f64", P)], f"full={full}", ("f64", np.mean(each)))
    line("gaussian_nll_loss", [("f32", [1, 2, NAN]), ("f32", [1, 1, 1]), "0"], "epsilon=0.25 reduction=none",
         ("f32", [np.log(0.25) / 2, np.log(0.25) / 2 + 2, NAN]))
    fails("SHAPE", "kl_div 1 0.5 reduction=batchmean")


def vectors():
    title("vectors")
    line("cosine_similarity", [("f64", X), ("f64", P)], "", ("f64", cosine(X, P)))
    line("cosine_similarity", [("f64", X.T), ("f64", P[0][:, None])], "axis=0", ("f64", cosine(X, P[0])))
    line("cosine_similarity", [("f32", [[NAN, 0, 0], [0, 0, 0]]), ("f32", [3e30, 0, 4e30])], "", ("f32", [NAN, 0]))
    line("cosine_similarity", [("f16", [[300, 0, 400], [0, 300, 400]]), ("f16", [300, 0, 0])], "", ("f16", [0.6, 0]))
    c = cosine(X, P)
    line("cosine_embedding_loss", [("f64", X), ("f64", P), ("i64", [-1, 1])], "margin=0.125", ("f64", np.mean([max(c[0] - 0.125, 0), 1 - c[1]])))
    line("cosine_embedding_loss", [("f64", X), ("f64", P), ("i64", [1, -1])], "reduction=none", ("f64", [1 - c[0], max(c[1], 0)]))
    for options, order in ("", 2), ("order=3", 3):
        each = np.maximum(distance(X, P, order) - distance(X, T, order) + 1, 0)
        line("triplet_margin_loss", [("f64", X), ("f64", P), ("f64", T)], options, ("f64", np.mean(each)))
    swapped = np.minimum(distance(X, T), distance(P, T))
    line("triplet_margin_loss", [("f64", X), ("f64", P), ("f64", T)], "margin=4 swap reduction=none",
         ("f64", np.maximum(distance(X, P) - swapped + 4, 0)))
    fails("SHAPE", "cosine_embedding_loss [[1 2]] [[1 2]] i64[1 1]")


def paths():
    title("paths")
    x = np.round(np.log(1 + np.abs(np.sin(np.arange(18.0))).reshape(3, 2, 3)), 3) - 1.5
    steps, lengths, targets = [3, 3], [2, 2], np.array([[1, 2], [2, 2]])
    rest = [("i64", steps), ("i32", lengths)]
    each = ctc(x, targets, steps, lengths)
    line("ctc_loss", [("f64", x), ("i8", targets)] + rest, "reduction=none", ("f64", each))
    even = np.where(np.arange(18).reshape(3, 2, 3) == 2, -INF, -1)
    line("ctc_loss", [("f16", even), ("i64", targets)] + rest, "", ("f16", np.mean(ctc(even, targets, steps, lengths) / 2)))
    line("ctc_loss", [("f64", x), ("i64", [[1, 0], [0, -7]]), ("i64", [9, 2]), ("i64", [2, 1])], "blank=2 reduction=none",
         ("f64", ctc(x, np.array([[1, 0], [0, 9]]), [3, 2], [2, 1], 2)))
    line("ctc_loss", [("f64", x), ("i64", [[1, 1], [1, 1]]), ("i64", [2, 2]), ("i64", [2, 1])], "reduction=none",
         ("f64", ctc(x, np.array([[1, 1], [1, 1]]), [2, 2], [2, 1])))
    line("ctc_loss", [("f64", x), ("i64", [[1, 1], [1, 1]]), ("i64", [2, 2]), ("i64", [2, 1])], "zero_infinity reduction=sum",
         ("f64", ctc(x, np.array([[1, 1], [1, 1]]), [2, 2], [2, 1])[1]))
    line("ctc_loss", [("f64", x), ("i64", targets), ("i64", [0, 0]), ("i64", [0, 1])], "reduction=none", ("f64", [0, INF]))
    line("ctc_loss", [("f32", x), ("i64", [[3, 1], [-1, 1]])] + rest, "reduction=none", ("f32", [NAN, NAN]))
    line("ctc_loss", [("f32", x), ("i64", targets), ("i64", steps), ("i64", [3, -1])], "reduction=none", ("f32", [NAN, NAN]))
    line("ctc_loss", [("f32", np.where(np.arange(3) == 1, -INF, x)), ("i64", targets)] + rest, "reduction=none", ("f32", [INF, each[1]]))
    x0 = ("f64", x[:, :, :2])
    line("ctc_loss", [x0, ("i64", np.zeros((2, 0))), ("i64", steps), ("i64", [0, 0])], "", ("f64", -np.sum(x[:, :, 0]) / 2))
    fails("SHAPE", "ctc_loss [[[1]]] i64[[1]] i64[1] i64{1}")
    fails("ARG", "ctc_loss [[[1]]] i64[[1]] i64[1] i64[1] blank=1")


# ---- metrics ----


def confusion(x, target, n):
    m = np.zeros((n, n))
    for p, t in zip(x, target):
        if 0 <= p < n and 0 <= t < n:
            m[t, p] += 1
    return m


def scores(m):
    hits, taken, wanted = np.diag(m), m.sum(0), m.sum(1)
    for op, top, bottom in [("precision", hits, taken), ("recall", hits, wanted), ("f1", 2 * hits, taken + wanted)]:
        each = top / np.maximum(bottom, 1)
        yield op, {"none": each, "macro": np.mean(each), "weighted": np.sum(each * wanted) / np.sum(wanted), "micro": np.sum(top) / np.sum(bottom)}


def metrics():
    title("hits")
    line("accuracy", [("f32", X), ("i64", [2, 0])], "", ("f32", 0.5))
    line("accuracy", [("i32", np.arange(12).reshape(2, 2, 3)), ("u8", [[2, 1], [2, 2]])], "", ("f32", 0.75))
    line("accuracy", [("f32", [[NAN, 1, INF], [1, 1, 0]]), ("i64", [0, -3])], "", ("f32", 0.5))
    line("accuracy", [("f32", EMPTY), ("i64", np.zeros(0))], "", ("f32", NAN))
    for k, part in (2, 0.5), (3, 1):
        line("top_k_accuracy", [("f64", X), ("i64", [2, 0])], f"k={k}", ("f32", part))
    fails("SHAPE", "accuracy [[1 2]] i64[0 0]")
    fails("ARG", "top_k_accuracy [1 2] i64{0} k=3")
    title("classes")
    x, target = [0, 2, 1, 0, 1, 2, 2, 7, 0], [0, 1, 1, 0, 2, 2, 2, 1, -1]
    m = confusion(x, target, 4)
    line("confusion_matrix", [("i64", x), ("i8", target)], "classes=4", ("i64", m))
    line("confusion_matrix", [("i64", np.zeros(0)), ("i64", np.zeros(0))], "classes=0", ("i64", np.zeros((0, 0))))
    for op, averages in scores(m):
        for name, value in averages.items() if op == "precision" else [("none", averages["none"]), ("weighted", averages["weighted"])]:
            line(op, [("u8", x), ("i64", target)], f"classes=4 average={name}", ("f32", value))
    fails("SHAPE", "confusion_matrix i64[1] i64[1] classes=9000000000000000000")
    fails("ARG", "precision i64[1] i64[1] classes=2 average=binary")
    fails("DTYPE", "f1 [1] i64[1] classes=2")
    title("scores")
    s = np.array([0.1, 0.4, 0.35, 0.8, 0.4, 0.4, 0.9, 0.1])
    y = np.array([0, 0, 1, 1, 1, 0, 1, 0])
    above = np.mean([(a > b) + (a == b) / 2 for a in s[y == 1] for b in s[y == 0]])
    line("roc_auc", [("f32", s), ("bool", y)], "", ("f32", above))
    line("roc_auc", [("i64", [[3, 1], [2, 3]]), ("f32", [[1, 0], [1, 0]])], "", ("f32", 0.625))
    line("roc_auc", [("f32", [1, NAN, INF, -INF]), ("i64", [0, 5, 1, 0])], "", ("f32", 1))
    line("roc_auc", [("f32", [1, 2]), ("i64", [1, 1])], "", ("f32", NAN))
    fails("SHAPE", "roc_auc [1 2] bool[1]")


def write(name, what, *parts):
    out.clear()
    for part in parts:
        part()
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
    with open(os.path.join(folder, name + ".case"), "w") as f:
        f.write(f"# {what}. Printed by losses_numpy.py.\n" + "\n".join(out) + "\n")


write("losses", "Losses", numbers, classes, yes_or_no, distributions, vectors, paths)
write("metrics", "Metrics", metrics)
