#!/usr/bin/env python3
"""Writes conformance/cases/metric_counts.case and conformance/suite/metrics.inc: metrics from scikit-learn and nltk, and counts from loops in Python.

Run by hand, with numpy, scikit-learn and nltk: python3 conformance/golden/metrics_sklearn.py [folder], default conformance.
"""
import os
import sys

import numpy as np
import sklearn.metrics as sk
from lines import NAN, fails, line, out, title
from nltk.metrics.distance import edit_distance
from nltk.translate.bleu_score import corpus_bleu

rng = np.random.default_rng(23)


def until(row, pad):
    row = list(row)
    return row[: row.index(pad)] if pad in row else row


# ---- case lines ----

title("sequences of tokens")
X = np.array([[1, 2, 3, 4, 5], [7, 7, 7, 2, -1], [-1, 1, 1, 1, 1], [3, 1, 3, 1, 3]])
Y = np.array([[2, 3, 4, 5, 1, 6], [7, 7, 2, 2, 7, -1], [4, 5, -1, 0, 0, 0], [1, 3, 1, 3, 1, 9]])


def distances(x, y, pad=-1, cost=1):
    return [edit_distance(until(a, pad), until(b, pad), substitution_cost=cost) for a, b in zip(x, y)]


def ngram_counts(x, y, pad=-1, order=4):
    found, there, said, meant = [0] * order, [0] * order, 0, 0
    for a, b in zip(x, y):
        a, b = until(a, pad), until(b, pad)
        said, meant = said + len(a), meant + len(b)
        for n in range(1, order + 1):
            left = [tuple(b[k:k + n]) for k in range(len(b) - n + 1)]
            for gram in [tuple(a[k:k + n]) for k in range(len(a) - n + 1)]:
                there[n - 1] += 1
                if gram in left:
                    left.remove(gram)
                    found[n - 1] += 1
    return found + there + [said, meant]


line("edit_distance", [("i64", X), ("i64", Y)], "", "i64", distances(X, Y))
line("edit_distance", [("i32", X), ("i8", Y)], "no_substitution", "i64", distances(X, Y, cost=2))
line("edit_distance", [("u8", X + 1), ("i64", Y + 1)], "pad=0", "i64", distances(X + 1, Y + 1, 0))
line("edit_distance", [("i64", np.zeros((2, 0))), ("i64", Y[:2])], "", "i64", [6, 5])
line("edit_distance", [("i64", np.zeros((0, 3))), ("i64", np.zeros((0, 2)))], "", "i64", np.zeros(0))
long_x, long_y = rng.integers(0, 5, (3, 67)), rng.integers(0, 5, (3, 41))
line("edit_distance", [("i64", long_x), ("i64", long_y)], "", "i64", distances(long_x, long_y))
fails("edit_distance i64[1] i64[1] ! VN_E_SHAPE", "edit_distance i64[[1] [2]] i64[[1]] ! VN_E_SHAPE", "edit_distance [[1]] i64[[1]] ! VN_E_DTYPE")
line("bleu_counts", [("i64", X), ("i64", Y)], "", "i64", ngram_counts(X, Y))
line("bleu_counts", [("i32", X[:, :2]), ("i64", Y)], "order=3", "i64", ngram_counts(X[:, :2], Y, order=3))
line("bleu_counts", [("i64", X), ("i64", Y[:, :1])], "order=2 pad=7", "i64", ngram_counts(X, Y[:, :1], 7, 2))
fails("bleu_counts i64[[1]] i64[[1]] order=0 ! VN_E_ARG", "bleu_counts i64[1] i64[[1]] ! VN_E_SHAPE")

title("bins")
P = np.array([0, 0.1, 0.25, 0.5, 0.75, 0.9, 1, NAN, 0.3])
T = np.array([0, 0, 1, 1, 0, 1, 1, 1, 0])


def score_counts(p, t, bins):
    n = np.zeros((2, bins))
    for a, b in zip(p, t):
        if a == a:
            n[int(b), min(int(a * bins), bins - 1)] += 1
    return n


def calibration_counts(p, index, bins, unit=2**30):
    n = np.zeros((3, bins))
    for row, k in zip(p, index):
        b = min(int(row.max() * bins), bins - 1)
        n[:, b] += [1, row.argmax() == k, round(row.max() * unit)]
    return n


line("score_counts", [("f64", P), ("bool", T)], "bins=4", "i64", score_counts(P, T, 4))
line("score_counts", [("f32", P.reshape(3, 3)), ("f32", T.reshape(3, 3))], "bins=2", "i64", score_counts(P, T, 2))
line("score_counts", [("f64", P[:3]), ("i64", [0, 1, 1])], "bins=2", "i64", score_counts(P[:3], np.array([0, 1, 1]), 2))
fails("score_counts f64[0.1 0.9] i64[0 2] bins=2 ! VN_E_INDEX", "score_counts f64[0.1 0.9] i64[-1 1] bins=2 ! VN_E_INDEX")
fails("score_counts [1] [1 2] ! VN_E_SHAPE", "score_counts [1] [1] bins=0 ! VN_E_ARG", "score_counts i64[1] [1] ! VN_E_DTYPE")
Q = np.array([[0.5, 0.25, 0.25], [0.125, 0.625, 0.25], [0.0625, 0.0625, 0.875], [1, 0, 0]])
line("calibration_counts", [("f64", Q), ("i64", [0, 0, 2, 1])], "bins=4", "i64", calibration_counts(Q, [0, 0, 2, 1], 4))
line("calibration_counts", [("f16", Q), ("u8", [0, 1, 2, 0])], "bins=2", "i64", calibration_counts(Q, [0, 1, 2, 0], 2))
fails("calibration_counts [[1 2]] i64[0 1] ! VN_E_SHAPE", "calibration_counts 1 i64{0} ! VN_E_SHAPE")

# ---- metrics of a network that gives these outputs ----

ROWS, STEPS, WORDS = 23, 6, 5
logits, labels = np.round(rng.normal(0, 2, (ROWS, 3)), 3), rng.integers(0, 3, ROWS)
logits[labels == 0, 0] += 1.5
scores, yes = np.round(rng.normal(0, 2, ROWS), 3), rng.integers(0, 2, ROWS)
scores[yes == 1] += 1.5
numbers = np.round(rng.normal(3, 1, ROWS), 3)
guesses = np.round(numbers + rng.normal(0.25, 0.5, ROWS), 3)
meant = rng.integers(1, WORDS, (ROWS, STEPS))
said = np.where(rng.random((ROWS, STEPS)) < 0.2, rng.integers(0, WORDS, (ROWS, STEPS)), meant)
meant[::3, 4:] = 0
said[1::4, 5:] = 0
said[:, :4] = np.maximum(said[:, :4], 1)  # nltk counts one n-gram of a sentence that has none
values = {"classes": [], "yes": [], "numbers": [], "tokens": []}


def value(of, name, x):
    values[of].append((name, float(x)))


guess = logits.argmax(1)
for average in "macro", "micro", "weighted":
    tail = "" if average == "macro" else f"(average={average})"
    value("classes", "iou" + tail, sk.jaccard_score(labels, guess, average=average))
    value("classes", "dice" + tail, sk.f1_score(labels, guess, average=average))
value("classes", "f_beta(2)", sk.fbeta_score(labels, guess, beta=2, average="macro"))
value("classes", "f_beta(0.5; average=micro)".replace(";", ","), sk.fbeta_score(labels, guess, beta=0.5, average="micro"))
value("classes", "top(2)", sk.top_k_accuracy_score(labels, logits, k=2))
soft = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
value("classes", "perplexity", np.exp(sk.log_loss(labels, soft)))
matrix = sk.multilabel_confusion_matrix(labels, guess)
for k, name in enumerate(["true_negatives", "false_positives", "false_negatives", "true_positives"]):
    value("classes", name + "(2)", matrix[2].ravel()[k])
n = calibration_counts(soft, labels, 15)
value("classes", "calibration_error", np.sum(np.abs(n[1] - n[2] / 2**30)) / ROWS)
n = calibration_counts(soft, labels, 5)
value("classes", "calibration_error(5)", np.sum(np.abs(n[1] - n[2] / 2**30)) / ROWS)

p = 1 / (1 + np.exp(-scores))
value("yes", "accuracy", sk.accuracy_score(yes, scores > 0))
value("yes", "iou", sk.jaccard_score(yes, scores > 0, average="macro"))
for bins in 200, 10:
    binned = np.minimum(np.floor(p * bins), bins - 1)
    tail = "" if bins == 200 else f"({bins})"
    value("yes", "roc_auc" + tail, sk.roc_auc_score(yes, binned))
    value("yes", "pr_auc" + tail, sk.average_precision_score(yes, binned))
binned = np.minimum(np.floor(p * 200), 199)
fpr, tpr, _ = sk.roc_curve(yes, binned, drop_intermediate=False)
precision, recall, _ = sk.precision_recall_curve(yes, binned)
precision, recall = precision[:-1], recall[:-1]
value("yes", "precision_at_recall(0.8)", precision[recall >= 0.8].max())
value("yes", "recall_at_precision(0.8)", recall[precision >= 0.8].max())
value("yes", "sensitivity_at_specificity(0.6)", tpr[1 - fpr >= 0.6].max())
value("yes", "specificity_at_sensitivity(0.7)", (1 - fpr)[tpr >= 0.7].max())

value("numbers", "r2", sk.r2_score(numbers, guesses))
value("numbers", "pearson", np.corrcoef(guesses, numbers)[0, 1])
value("numbers", "concordance", 2 * np.cov(guesses, numbers, ddof=0)[0, 1] / (guesses.var() + numbers.var() + (guesses.mean() - numbers.mean()) ** 2))
value("numbers", "mape", 100 * sk.mean_absolute_percentage_error(numbers, guesses))
value("numbers", "msle", sk.mean_squared_log_error(numbers, guesses))
value("numbers", "log_cosh", np.mean(np.log(np.cosh(guesses - numbers))))
value("numbers", "rmse", sk.root_mean_squared_error(numbers, guesses))

pairs = [(until(a, 0), until(b, 0)) for a, b in zip(said, meant)]
value("tokens", "token_error_rate(0)", sum(edit_distance(a, b) for a, b in pairs) / sum(len(b) for _, b in pairs))
value("tokens", "bleu(0)", corpus_bleu([[b] for _, b in pairs], [a for a, _ in pairs]))
value("tokens", "bleu(0; 2)".replace(";", ","), corpus_bleu([[b] for _, b in pairs], [a for a, _ in pairs], weights=(0.5, 0.5)))
value("tokens", "rouge_l(0)", np.mean([1 - edit_distance(a, b, substitution_cost=2) / (len(a) + len(b)) for a, b in pairs]))

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
with open(os.path.join(folder, "cases", "metric_counts.case"), "w") as f:
    f.write("# Counts that metrics are made of. Printed by metrics_sklearn.py.\n" + "\n".join(out) + "\n")
with open(os.path.join(folder, "suite", "metrics.inc"), "w") as f:
    f.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* metrics.inc: printed by conformance/golden/metrics_sklearn.py: do not edit. Outputs, targets, and what metrics of them are. */\n")
    f.write(f"enum {{ ROWS = {ROWS}, STEPS = {STEPS}, WORDS = {WORDS} }};\n")
    for name, kind, data in [("class_outputs", "float", logits), ("class_labels", "int64_t", labels), ("yes_outputs", "float", scores), ("yes_labels", "int64_t", yes), ("guesses", "float", guesses),
                             ("numbers", "float", numbers), ("said", "int64_t", said), ("meant", "int64_t", meant)]:
        body = [f"{float(v)!r}f" if kind == "float" else str(int(v)) for v in data.ravel()]
        f.write(f"static const {kind} {name}[] = {{\n")
        f.writelines("    " + ", ".join(body[k:k + 16]) + ",\n" for k in range(0, len(body), 16))
        f.write("};\n")
    for name, rows in values.items():
        f.write(f"static const expected {name}_metrics[] = {{\n" + "".join(f'    {{"{n}", {v!r}}},\n' for n, v in rows) + "};\n")
