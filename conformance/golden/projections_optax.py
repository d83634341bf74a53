#!/usr/bin/env python3
"""Writes conformance/cases/projections.case: projections from optax, pairs of least cost and non-negative least squares from scipy; and tensors.case: tensors as
matrices, from tensorly and numpy.

Run by hand, with optax, scipy and tensorly: python3 conformance/golden/projections_optax.py [folder], default conformance/cases.
"""
import itertools

import jax
import numpy as np
import optax.projections as of
import lines
from lines import FLOATS, INF, INTS, KIND, NAN, TOLERANCE, fails, line, save, title
from scipy.linalg import solve_triangular
from scipy.optimize import linear_sum_assignment, nnls
from tensorly import base, tenalg

jax.config.update("jax_enable_x64", True)
KIND["bf16"] = "f8"
TOLERANCE |= {"f16": "3e-3", "bf16": "2e-2", "f32": "3e-6", "f64": "1e-13"}
rng = np.random.default_rng(31)


def quarters(n, *shape):
    return lines.quarters(rng, n, *shape)


title("projections")
X, A = quarters(6, 2, 3), quarters(6, 2, 3) / 4
for d in FLOATS:
    for f, option, sizes in (("simplex", "total", (1, 2.5)), ("l1_sphere", "length", (1, 3)), ("l1_ball", "length", (2, 99)), ("l2_sphere", "length", (1, 4)), ("l2_ball", "length", (2, 99)),
                             ("linf_ball", "length", (1, 99)), ("hypercube", "size", (1, 2))):
        for s in sizes:
            line(f"projection_{f}", [(d, X)], f"{option}={s}", d, getattr(of, f"projection_{f}")(X, float(s)))
    line("projection_box", [(d, X), (d, [-1.0, 0.5, 0.0]), "1.5"], "", d, np.clip(X, [-1.0, 0.5, 0.0], 1.5))
    for b in (0, 1.5):
        line("projection_hyperplane", [(d, X), (d, A)], f"b={b}", d, of.projection_hyperplane(X, A, b))
        line("projection_halfspace", [(d, X), (d, A)], f"b={b}", d, of.projection_halfspace(X, A, b))
        line("projection_halfspace", [(d, X), (d, -A)], f"b={b}", d, of.projection_halfspace(X, -A, b))
    line("projection_vector", [(d, X), (d, A)], "", d, of.projection_vector(X, A))
L = rng.integers(-4000, 4000, 4099) / 64
line("projection_simplex", [("f64", L)], "", "f64", of.projection_simplex(L, 1.0))
line("projection_box", [("f64", X), "0", "2"], "", "f64", of.projection_box(X, 0.0, 2.0))
for op in ("simplex", "l1_sphere", "l1_ball", "l2_sphere", "l2_ball", "linf_ball", "hypercube"):
    o = {"simplex": "total", "hypercube": "size"}.get(op, "length")
    fails(f"projection_{op} i32[1] ! VN_E_DTYPE", f"projection_{op} [1] {o}=0 ! VN_E_ARG", f"projection_{op} null ! VN_E_NULL")
fails("projection_box [1 2] [1 2 3] 4 ! VN_E_SHAPE", "projection_hyperplane [1 2] [1] ! VN_E_SHAPE", "projection_halfspace [1 2] [1] ! VN_E_SHAPE", "projection_vector [1 2] [1] ! VN_E_SHAPE")
title("assignment")


def assigned(d, c, more=""):
    rows, columns = linear_sum_assignment(c, maximize="maximize" in more)
    line("linear_sum_assignment", [(d, c)], more, "i64", rows)
    line("linear_sum_assignment.1", [(d, c)], more, "i64", columns)


def unique_costs():
    """A matrix 4 x 5 whose sums of pairs have one extreme only."""
    while True:
        c = rng.permutation(20).reshape(4, 5)
        sums = sorted(sum(c[r, k] for r, k in enumerate(p)) for p in itertools.permutations(range(5), 4))
        if sums[0] < sums[1] and sums[-2] < sums[-1]:
            return c


for d in FLOATS + INTS:
    assigned(d, unique_costs())
    assigned(d, unique_costs().T, "maximize")
assigned("f64", rng.permutation(1600).reshape(40, 40) / 8)
assigned("f64", rng.permutation(33 * 17).reshape(33, 17) / 8)
assigned("f64", np.array([[INF, 1.0, 2.0], [3.0, INF, 1.0], [0.5, 2.0, INF]]))
assigned("f64", np.zeros((0, 3)))
fails("linear_sum_assignment [1 2] ! VN_E_SHAPE", "linear_sum_assignment c64[[1]] ! VN_E_DTYPE", "linear_sum_assignment [[nan]] ! VN_E_ARG", 'linear_sum_assignment [[inf]] ! VN_E_ARG "must not be"',
      "linear_sum_assignment [[-inf 1] [1 1]] ! VN_E_ARG")
save("projections.case", "Projections and assignment.")

title("unfolding")
T = np.arange(24.0).reshape(2, 3, 4)
for d in ["bool"] + INTS + FLOATS + ["c64"]:
    x = T % 2 if d == "bool" else T
    line("tensor_unfold", [(d, x)], "mode=1", d, base.unfold(x, 1), "")
    line("tensor_fold", [(d, base.unfold(x, 1))], "shape=2,3,4 mode=1", d, x, "")
U = np.arange(48.0).reshape(2, 3, 4, 2)
for mode in (0, 2, -1):
    line("tensor_unfold", [("f64", T)], f"mode={mode}", "f64", base.unfold(T, mode))
    line("tensor_fold", [("f64", base.unfold(T, mode))], f"shape=2,3,4 mode={mode}", "f64", T)
for mode, begin, end, ravel in ((0, 1, 0, False), (1, 1, 0, False), (0, 1, 1, False), (1, 0, 1, True), (1, 1, 1, True), (0, 1, 0, True)):
    y = base.partial_unfold(U, mode, begin, end, ravel)
    line("tensor_unfold", [("f64", U)], f"mode={mode} skip_begin={begin} skip_end={end}" + (" ravel" if ravel else ""), "f64", y)
    line("tensor_fold", [("f64", y)], f"shape=2,3,4,2 mode={mode} skip_begin={begin} skip_end={end}", "f64", U)
line("tensor_unfold", [("f64", U)], "skip_begin=1 ravel", "f64", base.partial_tensor_to_vec(U, 1))
line("tensor_fold", [("f64", base.partial_tensor_to_vec(U, 1))], "shape=2,3,4,2 skip_begin=1", "f64", base.partial_vec_to_tensor(base.partial_tensor_to_vec(U, 1), U.shape, 1))
for rows, columns in (((0,), None), ((2, 0), (1,)), ((1,), (2, 0)), ((0, 1, 2), None)):
    o = f"rows={','.join(map(str, rows))}" + (f" columns={','.join(map(str, columns))}" if columns else "")
    line("matricize", [("f64", T)], o, "f64", base.matricize(T, list(rows), list(columns) if columns else None))
fails("tensor_unfold f32{1} ! VN_E_ARG", "tensor_unfold [1 2] mode=1 ! VN_E_ARG", "tensor_unfold [[1 2]] skip_begin=2 ! VN_E_ARG", "tensor_fold [[1 2 3]] shape=2,2 mode=0 ! VN_E_SHAPE",
      "tensor_fold [[1 2]] shape=2,1 mode=2 ! VN_E_ARG", "matricize [[1 2]] rows=0 columns=0 ! VN_E_ARG", "matricize f32(1,1,1)[1] rows=0 columns=1 ! VN_E_ARG")
title("products")
M = [quarters(4, 2, 2) / 2, quarters(6, 2, 3) / 2, quarters(20, 5, 4) / 4]
for d in FLOATS:
    line("multi_mode_dot", [(d, T / 8)] + [(d, m) for m in M], "", d, tenalg.multi_mode_dot(T / 8, M))
line("multi_mode_dot", [("f64", T), ("f64", M[2]), ("f64", M[0])], "modes=2,0", "f64", tenalg.multi_mode_dot(T, [M[2], M[0]], modes=[2, 0]))
line("multi_mode_dot", [("f64", T), ("f64", M[2].T)], "modes=2 transpose", "f64", tenalg.multi_mode_dot(T, [M[2].T], modes=[2], transpose=True))
line("multi_mode_dot", [("f64", T), ("f64", [1.0, 2.0]), ("f64", M[1])], "modes=0,1", "f64", tenalg.multi_mode_dot(T, [np.array([1.0, 2.0]), M[1]], modes=[0, 1]))
line("multi_mode_dot", [("f64", T)], "", "f64", T)
Z = T + 1j * T[::-1]
C = M[1] + 1j * M[1][::-1]
line("multi_mode_dot", [("c128", Z), ("c128", C)], "modes=1", "c128", np.einsum("ajb,ij->aib", Z, C))
line("multi_mode_dot", [("c128", Z), ("c128", C.T)], "modes=1 transpose", "c128", np.einsum("ajb,ij->aib", Z, C.conj()))
fails("multi_mode_dot [[1 2]] [[1 2]] ! VN_E_SHAPE", "multi_mode_dot [[1 2]] [[1]] [[1 2]] modes=0,0 ! VN_E_ARG", "multi_mode_dot [[1 2]] [[1]] modes=2 ! VN_E_ARG",
      "multi_mode_dot [[1 2]] [[1]] modes=0,1 ! VN_E_ARG")
S = quarters(24, 2, 3, 4)
for d in FLOATS:
    line("general_inner_product", [(d, T / 8), (d, S / 8)], "", d, tenalg.inner(T / 8, S / 8), {"f16": "2e-2", "bf16": "0.2"}.get(d))
line("general_inner_product", [("f64", T), ("f64", S.transpose(1, 2, 0))], "modes=2", "f64", tenalg.inner(T, S.transpose(1, 2, 0), n_modes=2))
line("general_inner_product", [("i32", [1, 2]), ("i32", [3, 4])], "", "i32", 11)
fails("general_inner_product [1 2] [[1 2]] ! VN_E_SHAPE", "general_inner_product [1 2] [1 2 3] ! VN_E_SHAPE", "general_inner_product [1 2] [1 2] modes=2 ! VN_E_SHAPE")
P = quarters(6, 2, 3) / 2
for d in FLOATS:
    line("addmm", [(d, [0.5, -1.0, 2.0, 1.5]), (d, P), (d, S[0] / 4)], "alpha=0.5 beta=2", d, 0.5 * P @ (S[0] / 4) + 2 * np.array([0.5, -1.0, 2.0, 1.5]))
line("addmm", [("f64", np.array(1.5)), ("f64", P), ("f64", S)], "", "f64", P @ S + 1.5)
fails("addmm [1] [1] [1] ! VN_E_SHAPE", "addmm [1] [[1 2]] [[1 2]] ! VN_E_SHAPE", "addmm [1 2 3] [[1]] [[1]] ! VN_E_SHAPE", "addmm i32[1] i32[[1]] i32[[1]] ! VN_E_DTYPE")
title("systems and factors")
G = quarters(36, 2, 3, 6) + 4 * np.eye(6).reshape(2, 3, 6)
H = quarters(6, 2, 3)
line("tensorsolve", [("f64", G.reshape(2, 3, 3, 2)), ("f64", H)], "", "f64", np.linalg.tensorsolve(G.reshape(2, 3, 3, 2), H), "1e-11")
line("tensorsolve", [("f32", np.eye(6).reshape(2, 3, 6) * 2), ("f32", H)], "", "f32", np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 6) * 2, H))
fails("tensorsolve [[1 2]] [1] ! VN_E_SHAPE", "tensorsolve [[1]] [1 2] ! VN_E_SHAPE", "tensorsolve i32[[1]] i32[1] ! VN_E_DTYPE")
R = np.array([[2.0, 9.0, 9.0], [0.5, -1.0, 9.0], [1.5, 0.25, 4.0]])
for d in FLOATS:
    line("tri_inv", [(d, R)], "", d, solve_triangular(R, np.eye(3), lower=True))
    line("tri_inv", [(d, [R.T, 2 * R.T])], "upper", d, [solve_triangular(R.T, np.eye(3)), solve_triangular(2 * R.T, np.eye(3))])
fails("tri_inv [1] ! VN_E_SHAPE", "tri_inv [[1 2]] ! VN_E_SHAPE", "tri_inv i32[[1]] ! VN_E_DTYPE")


def signed(u, s, vh, k):
    """The rows of vh, or the columns of u if it is the smaller one, have a first component of largest size that is positive."""
    by = vh if u.shape[0] >= vh.shape[1] else u.T
    for r in range(len(s)):
        sign = np.sign(by[r][np.argmax(abs(by[r]).round(12))])
        u[:, r], vh[r] = u[:, r] * sign, vh[r] * sign
    return u[:, :k], s[:k], vh[:k]


D = quarters(20, 5, 4)
for x, k in ((D, 2), (D.T, 3), (D, 9)):
    for n, v in enumerate(signed(*np.linalg.svd(x, full_matrices=False), k)):
        line("truncated_svd" + (f".{n}" if n else ""), [("f64", x)], f"count={k}", "f64", v, "1e-11")
fails("truncated_svd [1] count=1 ! VN_E_SHAPE", "truncated_svd [[1]] count=0 ! VN_E_ARG", "truncated_svd i32[[1]] count=1 ! VN_E_DTYPE")
for rows, columns in ((6, 4), (5, 5), (4, 7), (30, 12)):
    a, b = quarters(rows * columns, rows, columns) / columns, quarters(rows)
    x, r = nnls(a, b)
    line("nnls", [("f64", a), ("f64", b)], "", "f64", x, "1e-9")
    line("nnls.1", [("f64", a), ("f64", b)], "", "f64", r, "1e-8")
x, r = nnls(np.array([[1.0, 0.5], [0.25, 2.0]]), np.array([2.0, -1.0]))
for d in FLOATS:
    line("nnls", [(d, [[1.0, 0.5], [0.25, 2.0]]), (d, [2.0, -1.0])], "", d, x)
line("nnls", [("f64", [[1.0], [2.0]]), ("f64", [-1.0, -1.0])], "", "f64", [0.0])
fails("nnls [1] [1] ! VN_E_SHAPE", "nnls [[1]] [1 2] ! VN_E_SHAPE", "nnls i32[[1]] i32[1] ! VN_E_DTYPE", "nnls [[1]] [1] max_steps=-1 ! VN_E_ARG")
save("tensors.case", "Tensors as matrices.")
