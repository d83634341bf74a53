#!/usr/bin/env python3
"""Writes conformance/cases/perceptual.case: distances of pictures by features, from their formulas in numpy (LPIPS, DISTS, Gram matrices) and scipy's root of a matrix (Frechet).

Run by hand, with numpy and scipy: python3 conformance/golden/perceptual_scipy.py [folder], default conformance/cases.
"""
import numpy as np
import scipy.linalg
from lines import INF, NAN, TOLERANCE, fails, line, save, title, waves

TOLERANCE |= {"f16": "4e-3", "bf16": "3e-2", "f32": "8e-6", "f64": "1e-11"}
X, Y = waves(1, 2, 3, 2, 4), waves(2, 2, 3, 2, 4)
W, V = np.array([0.5, 1, 0, 2]), np.array([0.25, 0.5, 1, 0.125])


def gram(x, y):
    n, c = len(x), x.shape[-1]
    x, y = x.reshape(n, -1, c), y.reshape(n, -1, c)
    g = [np.einsum("npc,npd->ncd", a, a) for a in (x, y)]
    return ((g[0] - g[1]) ** 2).sum((1, 2)) / (4 * c**2 * x.shape[1] ** 2)


def lpips(x, y, w):
    unit = [a / np.maximum(np.sqrt((a * a).sum(-1, keepdims=True)), 1e-10) for a in (x, y)]
    return ((unit[0] - unit[1]) ** 2 * w).sum(-1).mean(axis=tuple(range(1, x.ndim - 1)))


def dists(x, y, alpha, beta):
    n, c = len(x), x.shape[-1]
    x, y = x.reshape(n, -1, c), y.reshape(n, -1, c)
    mx, my = x.mean(1), y.mean(1)
    s = (2 * mx * my + 1e-6) / (mx**2 + my**2 + 1e-6)
    cov = (x * y).mean(1) - mx * my
    t = (2 * cov + 1e-6) / (x.var(1) + y.var(1) + 1e-6)
    return ((1 - s) * alpha + (1 - t) * beta).sum(-1)


def frechet(x, y):
    a, b = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    a, b = np.atleast_2d(a), np.atleast_2d(b)
    return ((x.mean(0) - y.mean(0)) ** 2).sum() + np.trace(a + b - 2 * np.real(scipy.linalg.sqrtm(a @ b)))


def both(op, inputs, each):
    for how in "mean", "none", "sum":
        line(op, inputs, f"reduction={how}", "f64", {"mean": np.mean, "sum": np.sum, "none": np.asarray}[how](each))


title("Gram matrices")
both("gram_matrix_loss", [("f64", X), ("f64", Y)], gram(X, Y))
line("gram_matrix_loss", [("f32", X), ("f32", Y)], "", "f32", gram(X, Y).mean())
line("gram_matrix_loss", [("f64", X[:, :, 0]), ("f64", Y[:, :, 0])], "reduction=none", "f64", gram(X[:, :, 0], Y[:, :, 0]))
line("gram_matrix_loss", [("f64", X[:, 0, 0]), ("f64", X[:, 0, 0])], "", "f64", 0)
fails("gram_matrix_loss [1 2] [1 2] ! VN_E_SHAPE \"features (n, ..., channels)\"", "gram_matrix_loss [[1 2]] [[1 2 3]] ! VN_E_SHAPE", "gram_matrix_loss f32(2,0,3)[] f32(2,0,3)[] ! VN_E_SHAPE \"without features\"",
      "gram_matrix_loss i32[[1]] i32[[1]] ! VN_E_DTYPE", "gram_matrix_loss [[1]] [[1]] reduction=best ! VN_E_ARG")
title("LPIPS")
both("lpips", [("f64", X), ("f64", Y), ("f64", W)], lpips(X, Y, W))
line("lpips", [("f64", X), ("f64", Y)], "reduction=none", "f64", lpips(X, Y, 1))
line("lpips", [("f32", X), ("f32", Y), ("f32", W)], "", "f32", lpips(X, Y, W).mean())
fails("lpips [[1 2]] [[1 2]] [1] ! VN_E_SHAPE", "lpips [[1 2]] [1 2] ! VN_E_SHAPE", "lpips [[nan 2]] [[1 2]] = f32{nan}")
title("DISTS")
both("dists", [("f64", X), ("f64", Y), ("f64", W), ("f64", V)], dists(X, Y, W, V))
line("dists", [("f64", X), ("f64", Y)], "reduction=none", "f64", dists(X, Y, 1 / 8, 1 / 8))
line("dists", [("f32", X), ("f32", Y), ("f32", W), ("f32", V)], "", "f32", dists(X, Y, W, V).mean())
line("dists", [("f64", X), ("f64", X)], "", "f64", 0, "1e-12")
fails("dists [[1 2]] [[1 2]] [1] ! VN_E_SHAPE", "dists [[1 2]] [[1 2]] [1 2] [1] ! VN_E_SHAPE")
title("Frechet's distance")
rng = np.random.default_rng(5)
rows = lambda n, d: rng.normal(size=(n, d)).round(3)  # of full rank: scipy's root of a singular matrix has half the digits
A, B, C, D = rows(7, 3), rows(5, 3) * 1.5 + 0.25, rows(9, 4), rows(6, 4) - 2
line("frechet_distance", [("f64", A), ("f64", B)], "", "f64", frechet(A, B), "1e-9")
line("frechet_distance", [("f32", A), ("f32", B)], "", "f32", frechet(A, B), "2e-5")
line("frechet_distance", [("f64", A[:, :1]), ("f64", B[:, :1])], "", "f64", frechet(A[:, :1], B[:, :1]), "1e-9")
line("frechet_distance", [("f64", C), ("f64", D)], "", "f64", frechet(C, D), "1e-9")
line("frechet_distance", [("f64", C[:3]), ("f64", D)], "", "f64", frechet(C[:3], D), "1e-6")
fails("frechet_distance [[1 2]] [[1 2] [3 4]] ! VN_E_SHAPE \"two rows at least\"", "frechet_distance [[1 2] [2 3]] [[1] [3]] ! VN_E_SHAPE", "frechet_distance [1 2] [1 2] ! VN_E_SHAPE",
      "frechet_distance i32[[1] [2]] i32[[1] [2]] ! VN_E_DTYPE")
save("perceptual.case", "Distances of pictures by the features of a network, by numpy and scipy.")
