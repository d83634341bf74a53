#!/usr/bin/env python3
"""Writes conformance/cases/matrices.case: functions of matrices from numpy and scipy, products of parts of matrices from numpy.

Run by hand, with numpy and scipy: python3 conformance/golden/matrices_scipy.py [folder], default conformance/cases. Half precision is computed in float64.
"""
import os
import sys

import numpy as np
import scipy.linalg
from scipy.spatial.distance import cdist
from lines import FLOATS, INF, INTS, KIND, NAN, TOLERANCE, fails, line, out, text, title

KIND["bf16"] = "f4"
TOLERANCE |= {"f16": "6e-3", "bf16": "5e-2", "f32": "2e-5", "f64": "1e-10", "c64": "4e-5", "c128": "1e-10"}
rng = np.random.default_rng(37)


def quarters(*shape):
    return rng.integers(-8, 9, shape) / 4


def complex_quarters(*shape):
    return quarters(*shape) + 1j * quarters(*shape)


def irregular(*shape):
    """Small numbers that no sums make equal."""
    return (1 + rng.permutation(1000)[: np.prod(shape)].reshape(shape)) / 8192


def square(n, *batch, kind=quarters):
    """Well conditioned."""
    return kind(*batch, n, n) / 4 + 3 * np.eye(n)[rng.permutation(n)]


title("adjoint, lu, lu_solve, cholesky_inverse")
for d in FLOATS + INTS:
    x = rng.integers(0, 9, (2, 2, 3))
    line("adjoint", [(d, x)], "", d, np.swapaxes(x, -1, -2), "")
for d in ("c64", "c128"):
    z = complex_quarters(2, 3)
    line("adjoint", [(d, z)], "", d, z.conj().T, "")
fails("adjoint [1 2] ! VN_E_SHAPE")


def factored(x):
    lu, pivots = scipy.linalg.lu_factor(x)
    order = np.arange(len(x))
    for k, p in enumerate(pivots):
        order[[k, p]] = order[[p, k]]
    return lu, order


for d, kind in (("f64", quarters), ("f32", quarters), ("c128", complex_quarters), ("c64", complex_quarters)):
    for n in (1, 2, 5):
        x = square(n, kind=kind)
        lu, p = factored(x)
        line("lu", [(d, x)], "", d, lu)
        line("lu.1", [(d, x)], "", "i64", p)
        b = kind(n)
        line("lu_solve", [(d, lu), ("i64", p), (d, b)], "", d, scipy.linalg.lu_solve(scipy.linalg.lu_factor(x), b))
        b = kind(n, 3)
        line("lu_solve", [(d, lu), ("i32", p), (d, b)], "", d, scipy.linalg.lu_solve(scipy.linalg.lu_factor(x), b))
x = square(3, 2)
f = [factored(m) for m in x]
lu, p = np.array([m[0] for m in f]), np.array([m[1] for m in f])
line("lu", [("f64", x)], "", "f64", lu)
for b in (quarters(2, 3, 2), quarters(3, 2)):
    line("lu_solve", [("f64", lu), ("i64", p), ("f64", b)], "", "f64", np.linalg.solve(x, b))
for d in ("f16", "bf16"):
    x = np.array([[4.0, 1.0], [2.0, 3.0]])
    lu, p = factored(x)
    line("lu", [(d, x)], "", d, lu)
    line("lu_solve", [(d, lu), ("i64", p), (d, [1.0, 2.0])], "", d, np.linalg.solve(x, [1.0, 2.0]))
fails("lu [[1 2 3]] ! VN_E_SHAPE", "lu [1] ! VN_E_SHAPE", "lu i32[[1]] ! VN_E_DTYPE", "lu_solve [[1 2] [3 4]] i64[0] [1 2] ! VN_E_SHAPE", "lu_solve [[1 2] [3 4]] i64[0 1] [1 2 3] ! VN_E_SHAPE",
      "lu_solve [[1 2] [3 4]] [0 1] [1 2] ! VN_E_DTYPE", "lu_solve [[1 2] [3 4]] i64[0 1] f64[1 2] ! VN_E_DTYPE", "lu_solve [[1 2]] i64[0] [1] ! VN_E_SHAPE")
for d in FLOATS + ["c64", "c128"]:
    x = np.tril(quarters(3, 3)) / 4 + 2 * np.eye(3) + (0.25j * np.tril(np.ones((3, 3)), -1) if d[0] == "c" else 0)
    line("cholesky_inverse", [(d, x)], "", d, np.linalg.inv(x @ x.conj().T))
    line("cholesky_inverse", [(d, x.conj().T)], "upper", d, np.linalg.inv(x @ x.conj().T))
fails("cholesky_inverse [[1 2 3]] ! VN_E_SHAPE", "cholesky_inverse i32[[1]] ! VN_E_DTYPE")

title("matrix_exp")
for n, sizes in ((1, [1.0]), (2, [4.0]), (3, [0.01, 1.0]), (5, [4.0])):
    for size in sizes:
        x = quarters(n, n) * size
        line("matrix_exp", [("f64", x)], "", "f64", scipy.linalg.expm(x), "1e-10 rel" if size < 4 else "1e-8 rel")
x = quarters(2, 2, 3, 3)
line("matrix_exp", [("f64", x)], "", "f64", scipy.linalg.expm(x))
for d in FLOATS:
    x = quarters(3, 3) / 4
    line("matrix_exp", [(d, x)], "", d, scipy.linalg.expm(x))
for d in ("c64", "c128"):
    z = complex_quarters(3, 3) / 2
    line("matrix_exp", [(d, z)], "", d, scipy.linalg.expm(z))
x = np.array([[0.0, 800.0], [-800.0, 0.0]])  # far beyond what needs no scaling
line("matrix_exp", [("f64", x)], "", "f64", [[np.cos(800), np.sin(800)], [-np.sin(800), np.cos(800)]], "1e-9")
line("matrix_exp", [("f64", [[0.0, 1.0], [0.0, 0.0]])], "", "f64", [[1.0, 1.0], [0.0, 1.0]])
line("matrix_exp", [("f64", [[NAN, 1.0], [0.0, 0.0]])], "", "f64", [[NAN, NAN], [NAN, NAN]])
line("matrix_exp", [("f64", [[-1e7, 0.0], [0.0, 0.0]])], "", "f64", [[NAN, NAN], [NAN, NAN]])
line("matrix_exp", [("f32", np.zeros((2, 0, 0)))], "", "f32", np.zeros((2, 0, 0)), "")
fails("matrix_exp [[1 2]] ! VN_E_SHAPE", "matrix_exp [1] ! VN_E_SHAPE", "matrix_exp i32[[1]] ! VN_E_DTYPE")

title("cond")
ORDERS = {"2": 2, "-2": -2, "fro": "fro", "nuc": "nuc", "1": 1, "-1": -1, "inf": np.inf, "-inf": -np.inf}
for o, p in ORDERS.items():
    x = square(3, 2) + irregular(2, 3, 3)
    line("cond", [("f64", x)], f"order={o}", "f64", np.linalg.cond(x, p))
    z = square(2, kind=complex_quarters) + (1 + 0.5j) * irregular(2, 2)
    line("cond", [("c128", z)], f"order={o}", "f64", np.linalg.cond(z, p))
for d in FLOATS:
    x = np.array([[3.0, 1.0], [1.0, 2.0]])
    line("cond", [(d, x)], "", d, np.linalg.cond(x))
x = quarters(2, 4)
line("cond", [("f64", x)], "", "f64", np.linalg.cond(x))
fails("cond [[1 2]] order=1 ! VN_E_SHAPE", "cond f32(0,0)[] ! VN_E_SHAPE", "cond [1] ! VN_E_SHAPE", "cond [[1]] order=3 ! VN_E_ARG", "cond i32[[1]] ! VN_E_DTYPE")

title("multi_dot, khatri_rao, mode_dot")
for shapes in (((2, 3), (3, 4)), ((2, 3), (3, 4), (4, 1)), ((10, 2), (2, 9), (9, 3), (3, 5)), ((3,), (3, 4), (4,)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2), (2, 5)), ((1, 8), (8, 2), (2, 6), (6, 2), (2, 3))):
    xs = [quarters(*s) for s in shapes]
    line("multi_dot", [("f64", x) for x in xs], "", "f64", np.linalg.multi_dot(xs))
for d in FLOATS + INTS:
    xs = [rng.integers(0, 3, s) for s in ((2, 3), (3, 2), (2, 2))]
    line("multi_dot", [(d, x) for x in xs], "", d, np.linalg.multi_dot(xs))
    line("khatri_rao", [(d, xs[1]), (d, xs[2])], "", d, scipy.linalg.khatri_rao(xs[1], xs[2]))
    line("mode_dot", [(d, xs[0]), (d, xs[1])], "mode=0", d, xs[1] @ xs[0])
xs = [complex_quarters(*s) for s in ((2, 3), (3, 2), (2, 3))]
line("multi_dot", [("c128", x) for x in xs], "", "c128", np.linalg.multi_dot(xs))
fails("multi_dot [[1]] ! VN_E_ARG", "multi_dot [[1 2]] [[1 2]] ! VN_E_SHAPE", "multi_dot [[1 2]] [1 2] [[1]] ! VN_E_SHAPE", "multi_dot f32{1} [1] ! VN_E_SHAPE", "multi_dot bool[[1]] bool[[1]] ! VN_E_DTYPE")
xs = [quarters(n, 3) for n in (2, 4, 2)]
line("khatri_rao", [("f64", x) for x in xs], "", "f64", scipy.linalg.khatri_rao(scipy.linalg.khatri_rao(xs[0], xs[1]), xs[2]))
line("khatri_rao", [("f64", xs[0])], "", "f64", xs[0])
line("khatri_rao", [("c128", xs[0] + 1j), ("f64", xs[1])], "", "c128", scipy.linalg.khatri_rao(xs[0] + 1j, xs[1]))
fails("khatri_rao [[1 2]] [[1]] ! VN_E_SHAPE", "khatri_rao [1 2] [[1 2]] ! VN_E_SHAPE", "khatri_rao bool[[1]] bool[[1]] ! VN_E_DTYPE")
T, M = quarters(2, 3, 4), [quarters(5, n) for n in (2, 3, 4)]
for mode in range(3):
    line("mode_dot", [("f64", T), ("f64", M[mode])], f"mode={mode}", "f64", np.moveaxis(np.tensordot(M[mode], T, (1, mode)), 0, mode))
    line("mode_dot", [("f64", T), ("f64", M[mode][0])], f"mode={mode - 3}", "f64", np.tensordot(T, M[mode][0], (mode, 0)))
line("mode_dot", [("c128", T + 1j), ("c128", M[1] - 2j)], "mode=1", "c128", np.moveaxis(np.tensordot(M[1] - 2j, T + 1j, (1, 1)), 0, 1))
fails("mode_dot [[1 2]] [[1 2 3]] mode=1 ! VN_E_SHAPE", "mode_dot [[1 2]] [[1 2]] mode=2 ! VN_E_ARG", "mode_dot [1 2] f32{1} mode=0 ! VN_E_SHAPE")

title("cdist")
X, Y = quarters(4, 3) + irregular(4, 3) / 4, quarters(5, 3) + 0.125 + irregular(5, 3) / 4
for p, k in ((2, {}), (1, {}), (3, {}), (INF, {}), (0.5, {})):
    metric = {"metric": "chebyshev"} if p == INF else {"metric": "minkowski", "p": p}
    line("cdist", [("f64", X), ("f64", Y)], f"p={p}", "f64", cdist(X, Y, **metric))
line("cdist", [("f64", X), ("f64", Y)], "p=0", "f64", np.count_nonzero(X[:, None] - Y, -1))
for d in FLOATS:
    line("cdist", [(d, X), (d, Y)], "", d, cdist(X, Y))
line("cdist", [("f64", np.stack([X, X + 1])), ("f64", Y)], "", "f64", [cdist(X, Y), cdist(X + 1, Y)])
line("cdist", [("f32", X), ("f64", Y)], "", "f64", cdist(X.astype("f4"), Y))
line("cdist", [("f64", [[0.0, 1.0], [3.0, INF]]), ("f64", [[0.0, 1.0]])], "", "f64", [[0.0], [INF]])
few = quarters(37), quarters(41)
many = np.resize(few[0], (40, 330)), np.resize(few[1], (90, 330))  # by a product
shown = [f"f64({a.shape[0]},{a.shape[1]})[{' '.join(text(v) for v in f)} ...]" for a, f in zip(many, few)]
line("cdist", shown, "", "f64", cdist(*many))
line("cdist", [("f32", np.zeros((0, 3))), ("f32", [[1.0, 2.0, 3.0]])], "", "f32", np.zeros((0, 1)), "")
fails("cdist [1 2] [[1 2]] ! VN_E_SHAPE", "cdist [[1 2]] [[1]] ! VN_E_SHAPE", "cdist [[1]] [[1]] p=-1 ! VN_E_ARG", "cdist c64[[1]] c64[[1]] ! VN_E_DTYPE", "cdist f32(2,1,1)[1 ...] f32(3,1,1)[1 ...] ! VN_E_SHAPE")

title("eigh_tridiagonal, power_iteration, inverse_pth_root")


def positive(v):
    """As eigh has them: the first component of largest magnitude is positive."""
    at = np.argmax(np.abs(v) > np.abs(v).max(0) * (1 - 1e-9), 0)
    return v * np.sign(v[at, np.arange(v.shape[1])])


for n in (1, 2, 5):
    a, b = quarters(n) + np.arange(n) * 3, rng.integers(1, 5, n - 1) / 4
    w, v = scipy.linalg.eigh_tridiagonal(a, b)
    for first, count in ((0, 0), (0, 1), (n - 1, 0), (n // 2, n - n // 2)):
        o = " ".join(t for t in (f"first={first}" if first else "", f"count={count}" if count else "") if t)
        e = slice(first, first + count if count else n)
        line("eigh_tridiagonal", [("f64", a), ("f64", b)], o, "f64", w[e])
        line("eigh_tridiagonal.1", [("f64", a), ("f64", b)], o, "f64", positive(v)[:, e])
for d in FLOATS:
    line("eigh_tridiagonal", [(d, [1.0, 2.0, 4.0]), (d, [0.5, 0.25])], "", d, scipy.linalg.eigh_tridiagonal([1.0, 2.0, 4.0], [0.5, 0.25])[0])
fails("eigh_tridiagonal [1 2] [1 2] ! VN_E_SHAPE", "eigh_tridiagonal f32(0)[] f32(0)[] ! VN_E_SHAPE", "eigh_tridiagonal [1 2] [1] first=2 ! VN_E_ARG", "eigh_tridiagonal [1 2] [1] count=3 ! VN_E_ARG",
      "eigh_tridiagonal [1 2] [1] first=-1 ! VN_E_ARG", "eigh_tridiagonal i32[1 2] i32[1] ! VN_E_DTYPE")
A = np.array([[4.0, 1.0, 0.5], [1.0, 1.0, 0.25], [0.5, 0.25, -0.5]])
w, v = np.linalg.eigh(A)
for d in FLOATS:
    line("power_iteration", [(d, A), (d, [1.0, 0.5, 0.25])], "iterations=40", d, w[2])
    line("power_iteration.1", [(d, A), (d, [1.0, 0.5, 0.25])], "iterations=40", d, v[:, 2] * np.sign(v[0, 2]))
line("power_iteration", [("f64", A)], "iterations=40", "f64", w[2])
line("power_iteration", [("f64", -A)], "iterations=40", "f64", -w[2])
line("power_iteration", [("f64", np.stack([A, 2 * A]))], "iterations=40", "f64", [w[2], 2 * w[2]])
s = np.array([1.0, 0.0, 2.0])
for _ in range(2):
    s = A @ s / np.linalg.norm(A @ s)
line("power_iteration", [("f64", A), ("f64", [1.0, 0.0, 2.0])], "iterations=2", "f64", s @ A @ s)
line("power_iteration.1", [("f64", A), ("f64", [1.0, 0.0, 2.0])], "iterations=2", "f64", s)
fails("power_iteration [[1 2]] ! VN_E_SHAPE", "power_iteration f32(0,0)[] ! VN_E_SHAPE", "power_iteration [[1]] [1 2] ! VN_E_SHAPE", "power_iteration [[1]] iterations=0 ! VN_E_ARG", "power_iteration c64[[1]] ! VN_E_DTYPE")
S = A @ A.T / 4 + np.diag([1.0, 2.0, 3.0])
w, v = np.linalg.eigh(S)
for p in (1, 2, 3, 4):
    line("inverse_pth_root", [("f64", S)], f"p={p} ridge=0", "f64", v @ np.diag(w ** (-1 / p)) @ v.T)
    line("inverse_pth_root", [("f64", S)], f"p={p}", "f64", v @ np.diag((w + 1e-6 * w[2]) ** (-1 / p)) @ v.T)
for d in FLOATS:
    line("inverse_pth_root", [(d, [[4.0, 0.0], [0.0, 16.0]])], "p=2 ridge=0", d, [[0.5, 0.0], [0.0, 0.25]])
H = S + 1j * np.array([[0, 0.5, 0], [-0.5, 0, 0.25], [0, -0.25, 0]])
w, v = np.linalg.eigh(H)
line("inverse_pth_root", [("c128", H)], "p=3 ridge=0", "c128", v @ np.diag(w ** (-1 / 3)) @ v.conj().T)
line("inverse_pth_root", [("f32", np.zeros((0, 0)))], "p=2", "f32", np.zeros((0, 0)), "")
fails("inverse_pth_root [[1 2]] p=2 ! VN_E_SHAPE", "inverse_pth_root [[1]] p=0 ! VN_E_ARG", "inverse_pth_root [[1]] p=2 ridge=-1 ! VN_E_ARG", "inverse_pth_root i32[[1]] p=2 ! VN_E_DTYPE")

title("products of parts")


def blown(mask, shape, block):
    return np.repeat(np.repeat(np.asarray(mask, float), block, -1), block, -2)[..., : shape[0], : shape[1]]


X, Y = quarters(5, 4), quarters(4, 3)
MX, MY, MO = quarters(3, 2), quarters(2, 2), quarters(3, 2)
for use in range(8):
    mo, mx, my = (m if use >> k & 1 else None for k, m in enumerate((MO, MX, MY)))
    z = (X * blown(mx, X.shape, 2) if mx is not None else X) @ (Y * blown(my, Y.shape, 2) if my is not None else Y)
    z = z * blown(mo, z.shape, 2) if mo is not None else z
    given = [("f64", m) if m is not None else "none" for m in (mo, mx, my)]
    while given and given[-1] == "none":
        given.pop()
    line("block_masked_matmul", [("f64", X), ("f64", Y)] + given, "block=2", "f64", z)
B = np.array([[1, 0], [0, 1], [1, 1]])
for d in FLOATS:
    line("block_masked_matmul", [(d, X), (d, Y), "none", ("bool", B)], "block=2", d, (X * blown(B, X.shape, 2)) @ Y)
line("block_masked_matmul", [("c128", X + 1j), ("c128", Y - 1j), ("bool", B)], "block=2", "c128", ((X + 1j) @ (Y - 1j)) * blown(B, (5, 3), 2))
line("block_masked_matmul", [("f64", X), ("f64", Y), ("bool", np.stack([B, 1 - B]))], "block=2", "f64", np.stack([(X @ Y) * blown(m, (5, 3), 2) for m in (B, 1 - B)]))
L, R = quarters(70, 2), quarters(2, 65)
line("block_masked_matmul", [("f64", L), ("f64", R), "none", ("bool", [[1], [0]])], "", "f64", (L * blown([[1], [0]], L.shape, 64)) @ R)
fails("block_masked_matmul [[1 2]] [[1] [2]] [[1 1]] block=2 ! VN_E_SHAPE", "block_masked_matmul [[1 2]] [[1]] ! VN_E_SHAPE", "block_masked_matmul [1 2] [[1] [2]] ! VN_E_SHAPE", "block_masked_matmul [[1]] [[1]] block=0 ! VN_E_ARG",
      "block_masked_matmul [[1]] [[1]] c64[[1]] ! VN_E_DTYPE", "block_masked_matmul i32[[1]] i32[[1]] ! VN_E_DTYPE")
X, Y = quarters(3, 2, 4), quarters(2, 2, 4, 3)
FX, FY = X, Y.reshape(4, 4, 3)
I, J = np.array([[2, 0], [1, -1]]), np.array([3, 1])
line("gather_matmul", [("f64", X), ("f64", Y), ("i64", I), ("i64", J)], "", "f64", FX[I] @ FY[J])
line("gather_matmul", [("f64", X), ("f64", Y), "none", ("i32", [3, 0, 0])], "", "f64", X @ FY[[3, 0, 0]])
line("gather_matmul", [("f64", X), ("f64", Y[0]), ("i64", [1, 2])], "", "f64", FX[[1, 2]] @ Y[0])
line("gather_matmul", [("f64", X), ("f64", Y[0, 0])], "", "f64", X @ Y[0, 0])
line("gather_matmul", [("f64", X), ("f64", Y), "none", ("i64", [4, 0, 1])], "", "f64", np.stack([np.full((2, 3), NAN), X[1] @ FY[0], X[2] @ FY[1]]))
for d in FLOATS + INTS:
    a, b = rng.integers(0, 3, (2, 1, 2)), rng.integers(0, 3, (3, 2, 2))
    line("gather_matmul", [(d, a), (d, b), "none", ("i64", [2, 0])], "", d, a @ b[[2, 0]])
few = quarters(29)
a, b = np.resize(few, (16, 1, 256)), np.resize(few[::-1], (5, 256, 257))  # few matrices serve many
j = rng.integers(0, 5, 7)
shown = [f"f64({','.join(map(str, s))})[{' '.join(text(v) for v in f)} ...]" for s, f in ((a.shape, few), (b.shape, few[::-1]))]
z = a @ b[np.resize(j, 16)]
out.append(f"gather_matmul {shown[0]} {shown[1]} none i64(16)[{' '.join(map(str, j))} ...] = f64(16,1,257)[{' '.join(text(v) for v in z.ravel())}] ~ 1e-9")
fails("gather_matmul [[1 2]] [[1 2]] ! VN_E_SHAPE", "gather_matmul [1] [[1]] ! VN_E_SHAPE", "gather_matmul [[1]] [[1]] [0] ! VN_E_DTYPE", "gather_matmul [[1]] [[1]] i64[0 0] i64[0 0 0] ! VN_E_SHAPE", "gather_matmul bool[[1]] bool[[1]] ! VN_E_DTYPE")
X, Y = quarters(3, 8), quarters(8, 2)
G = np.array([[0, 3], [3, 8], [4, 4], [7, 2], [2, 6]])
line("segment_matmul", [("f64", X), ("f64", Y), ("i64", G)], "", "f64", [X[:, a:b] @ Y[a:b] for a, b in G])
line("segment_matmul", [("f64", X), ("f64", Y), ("i32", G[1])], "", "f64", X[:, 3:8] @ Y[3:8])
line("segment_matmul", [("c128", X + 1j), ("c128", Y), ("i64", G[:2])], "", "c128", [(X + 1j)[:, a:b] @ Y[a:b] for a, b in G[:2]])
for d in FLOATS + INTS:
    a, b = rng.integers(0, 3, (2, 4)), rng.integers(0, 3, (4, 2))
    line("segment_matmul", [(d, a), (d, b), ("i64", [[0, 2], [2, 4]])], "", d, [a[:, :2] @ b[:2], a[:, 2:] @ b[2:]])
fails("segment_matmul [[1 2]] [[1]] i64[0 1] ! VN_E_SHAPE", "segment_matmul [[1]] [[1]] i64[0 1 2] ! VN_E_SHAPE", "segment_matmul [[1]] [[1]] [0 1] ! VN_E_DTYPE", "segment_matmul [1] [[1]] i64[0 1] ! VN_E_SHAPE", "segment_matmul bool[[1]] bool[[1]] i64[0 1] ! VN_E_DTYPE")

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
with open(os.path.join(folder, "matrices.case"), "w") as f:
    f.write("# Functions of matrices. Printed by matrices_scipy.py.\n" + "\n".join(out) + "\n")
