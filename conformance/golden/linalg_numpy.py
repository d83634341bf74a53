#!/usr/bin/env python3
"""Prints conformance/cases/linalg.case: linear algebra, from numpy and scipy in float64.

Run by hand: python3 conformance/golden/linalg_numpy.py > conformance/cases/linalg.case. Where a factorisation is unique only up to signs, numpy's result is first normalised to
the op table's convention: a non-negative diagonal of r, vectors whose largest component is positive.
"""
import numpy as np
from scipy.linalg import lu, solve_triangular

rng = np.random.default_rng(5)
TOLERANCE = {"f64": " ~ 1e-12", "f32": " ~ 2e-5", "f16": " ~ 4e-3", "bf16": " ~ 3e-2"}


def text(x, dtype="f64"):
    x = np.asarray(x, np.float64) + 0.0  # no -0
    numbers = " ".join(repr(round(float(v), 15) + 0.0).removesuffix(".0") for v in x.ravel())
    return f"{dtype}({','.join(map(str, x.shape))})[{numbers}]" if x.ndim else f"{dtype}{{{numbers}}}"


def case(op, inputs, expected, options="", dtype="f64", tolerance=None):
    words = [op, *(text(x, dtype) for x in inputs), options, "=", text(expected, dtype)]
    print(" ".join(w for w in words if w) + (TOLERANCE[dtype] if tolerance is None else tolerance))


def title(words):
    print(f"\n# ---- {words} ----")


def some(*shape):
    """Numbers that every float dtype holds."""
    return rng.integers(-12, 13, shape) / 4


def definite(*shape):
    x = some(*shape)
    return x @ np.swapaxes(x, -1, -2) + 3 * np.eye(shape[-1])


def with_positive_diagonal(q, r):
    k = min(r.shape[-2:])
    d = np.where(np.diagonal(r, 0, -2, -1) < 0, -1.0, 1.0)
    signs = np.ones(r.shape[:-1])
    signs[..., :k] = d
    return q * signs[..., None, :], r * signs[..., :, None]


def cholesky():
    title("cholesky: the triangle above the diagonal is not read")
    a = definite(3, 3)
    l = np.linalg.cholesky(a)
    for dtype in TOLERANCE:
        case("cholesky", [a], l, dtype=dtype)
    case("cholesky", [a], l.T, "upper")
    case("cholesky", [np.tril(a) + np.triu(some(3, 3), 1)], l.T, "upper=1")
    b = definite(2, 2, 3, 3)
    case("cholesky", [b], np.linalg.cholesky(b))
    case("cholesky", [[[9.0]]], [[3.0]])
    print("cholesky f32(0,0)[] = f32(0,0)[]\ncholesky f64(0,3,3)[] = f64(0,3,3)[]\ncholesky f16(2,0,0)[] upper = f16(2,0,0)[]")
    print("cholesky [[1 5] [2 1]] = [[nan nan] [nan nan]]\ncholesky [[0 0] [0 1]] = [[nan nan] [nan nan]]")
    print("cholesky [[[4 0] [0 4]] [[-1 0] [0 1]]] = [[[2 0] [0 2]] [[nan nan] [nan nan]]]")
    print("cholesky [[nan 0] [0 1]] = [[nan nan] [nan nan]]\ncholesky [[1 nan] [0 4]] = [[1 0] [0 2]]")
    print("cholesky f64[[1 0] [inf 1]] = f64[[nan nan] [nan nan]]\ncholesky f64[[inf 0] [0 1]] upper = f64[[nan nan] [nan nan]]")
    errors("cholesky")
    print("cholesky f32{1} ! VN_E_SHAPE\ncholesky bool[[1]] ! VN_E_DTYPE\ncholesky null ! VN_E_NULL\ncholesky [[1]] upper=0.5 ! VN_E_ARG")


def errors(op):
    print(f"{op} [1 2] ! VN_E_SHAPE\n{op} [[1 2 3] [4 5 6]] ! VN_E_SHAPE\n{op} i32[[1 0] [0 1]] ! VN_E_DTYPE")


def triangular():
    title("solve_triangular: only that triangle is read")
    a, b = some(3, 3) + 4 * np.eye(3), some(3, 2)
    for lower in (1, 0):
        for transpose in (0, 1):
            for unit in {0, int(lower == transpose)}:
                x = solve_triangular(a, b, trans=transpose, lower=bool(lower), unit_diagonal=bool(unit))
                case("solve_triangular", [a, b], x, f"upper={1 - lower} transpose={transpose} unit={unit}")
    x = solve_triangular(a, b, lower=True)
    for dtype in ("f32", "f16", "bf16"):
        case("solve_triangular", [a, b], x, dtype=dtype)
    many = some(2, 1, 3, 3) + 4 * np.eye(3)
    right = some(2, 3, 2)
    expected = np.array([[solve_triangular(m[0], r, lower=True) for r in right] for m in many])
    case("solve_triangular", [many, right], expected)
    case("solve_triangular", [a, right], [solve_triangular(a, r) for r in right], "upper=1")
    print("solve_triangular [[2]] [[3]] = [[1.5]]\nsolve_triangular [[0]] [[3]] = [[inf]]\nsolve_triangular [[0]] [[0]] = [[nan]]")
    print("solve_triangular [[1 nan] [2 1]] [[3] [5]] = [[3] [-1]]\nsolve_triangular [[nan 7] [2 nan]] [[3] [5]] unit = [[3] [-1]]")
    print("solve_triangular [[2 0] [0 0]] [[2] [-1]] = [[1] [-inf]]\nsolve_triangular [[1 0] [1 1]] [[inf] [1]] = [[inf] [-inf]]")
    print("solve_triangular f32(0,0)[] f32(0,2)[] = f32(0,2)[]\nsolve_triangular [[1]] f32(1,0)[] = f32(1,0)[]")
    print("solve_triangular f64(0,2,2)[] f64(1,2,1)[1 2] = f64(0,2,1)[]\nsolve_triangular f32[[2]] f64[[3]] = f64[[1.5]]")
    print("solve_triangular [[1 2]] [[1]] ! VN_E_SHAPE\nsolve_triangular [[1]] [1] ! VN_E_SHAPE\nsolve_triangular [1] [[1]] ! VN_E_SHAPE")
    print("solve_triangular [[1]] [[1] [2]] ! VN_E_SHAPE\nsolve_triangular f32(2,1,1)[1 1] f32(3,1,1)[1 1 1] ! VN_E_SHAPE")
    print("solve_triangular i32[[1]] i32[[1]] ! VN_E_DTYPE\nsolve_triangular [[1]] [[1]] upper=0.5 ! VN_E_ARG")
    print("solve_triangular [[1]] null ! VN_E_NULL\nsolve_triangular [[1]] [[1]] side=1 ! VN_E_ARG")


def qr():
    title("qr: no negative number on the diagonal of r")
    for m, n in ((4, 3), (3, 4)):
        x = some(m, n)
        q, r = with_positive_diagonal(*np.linalg.qr(x))
        case("qr", [x], q)
        case("qr.1", [x], r)
        if m < n:
            case("qr", [x], q, "complete")
    for dtype in ("f32", "f16", "bf16"):
        case("qr", [x], q, dtype=dtype)
        case("qr.1", [x], r, dtype=dtype)
    x = some(2, 3, 3)
    q, r = with_positive_diagonal(*np.linalg.qr(x))
    case("qr", [x], q)
    case("qr.1", [x], r)
    print("qr [[-2]] = [[-1]]\nqr.1 [[-2]] = [[2]]")
    print("qr [[0 0] [0 nan]] = [[1 0] [0 1]]\nqr.1 [[0 0] [0 nan]] = [[0 nan] [0 nan]]\nqr.1 [[inf 1] [1 1]] = [[nan nan] [0 nan]]")
    print("qr f32(3,0)[] = f32(3,0)[]\nqr.1 f32(3,0)[] = f32(0,0)[]\nqr.1 f32(0,3)[] = f32(0,3)[]")
    print("qr f64(0,3,2)[] = f64(0,3,2)[]\nqr.1 f64(0,2,3)[] complete = f64(0,2,3)[]")
    print("qr [1 2] ! VN_E_SHAPE\nqr f32{1} ! VN_E_SHAPE\nqr i32[[1]] ! VN_E_DTYPE\nqr null ! VN_E_NULL\nqr [[1]] complete=x ! VN_E_ARG")


def lu_family():
    title("lu_factor: factors, permutation, its sign")
    a = np.array([[1.0, 2, 4], [4, -2, 1], [2, 5, 3]])
    for x in (a, a[:2, :2], np.stack([a.T, a])):
        p, l, u = lu(x)
        for dtype in ("f64", "f32") if x is a else ("f64",):
            case("lu_factor", [x], np.tril(l, -1) + u, dtype=dtype)
            case("lu_factor.2", [x], np.linalg.det(p), dtype=dtype, tolerance="")
        print(f"lu_factor.1 {text(x)} = {text(np.argmax(p, -2), 'i64')}")
    print("lu_factor f64(0,0)[] = f64(0,0)[]\nlu_factor.1 f64(0,0)[] = i64(0)[]\nlu_factor.2 f64(2,0,0)[] = f64[1 1]")
    print("lu_factor f64(0,1,1)[] = f64(0,1,1)[]\nlu_factor.2 f64(0,1,1)[] = f64(0)[]\nlu_factor f16[[2]] ! VN_E_DTYPE")
    for result, values in (("", "[[0 nan] [0 1]]"), (".1", "i64[0 1]"), (".2", "f32{1}")):
        print(f"lu_factor{result} [[0 nan] [0 1]] = {values}")
    errors("lu_factor")

    title("solve, inv")
    b = some(3, 2)
    for dtype in TOLERANCE:
        case("solve", [a, b], np.linalg.solve(a, b), dtype=dtype)
    v = some(3)
    case("solve", [a, v], np.linalg.solve(a, v))
    many = some(2, 1, 3, 3) + 5 * np.eye(3)
    case("solve", [many, v], np.linalg.solve(many, v[:, None])[..., 0])
    right = some(2, 3, 2)
    case("solve", [many, right], np.linalg.solve(many, right))
    case("solve", [a, right], np.linalg.solve(a, right))
    case("inv", [a], np.linalg.inv(a), dtype="f16")
    case("inv", [many], np.linalg.inv(many))
    print("solve f32[[2]] f64[3] = f64[1.5]\nsolve [[4]] [[3 1]] = [[0.75 0.25]]\nsolve [[0]] [3] = [inf]\nsolve [[0]] [0] = [nan]")
    print("solve f32(0,0)[] f32(0)[] = f32(0)[]\nsolve f32(0,0)[] f32(0,2)[] = f32(0,2)[]\nsolve f64(0,2,2)[] f64[1 2] = f64(0,2)[]")
    print("solve [[1]] f32(1,0)[] = f32(1,0)[]\nsolve [[nan]] [1] = [nan]\ninv [[nan 1] [0 1]] = [[nan nan] [nan nan]]")
    print("inv [[0]] = [[inf]]\ninv f32(0,0)[] = f32(0,0)[]\ninv f16(0,2,2)[] = f16(0,2,2)[]\ninv [[2 0] [0 0]] = [[nan nan] [nan inf]]")
    print("solve [[1 2]] [1] ! VN_E_SHAPE\nsolve [[1]] [1 2] ! VN_E_SHAPE\nsolve [1] [1] ! VN_E_SHAPE\nsolve [[1]] f32{1} ! VN_E_SHAPE")
    print("solve [[1]] [[1] [2]] ! VN_E_SHAPE\nsolve f32(2,1,1)[1 1] f32(3,1,1)[1 1 1] ! VN_E_SHAPE\nsolve i32[[1]] i32[1] ! VN_E_DTYPE")
    print("solve null [1] ! VN_E_NULL")
    errors("inv")

    title("det, slogdet")
    for x in (a, many[:, 0], np.array([[-2.0]])):
        sign, log = np.linalg.slogdet(x)
        for dtype in ("f64", "f16") if x is a else ("f64",):
            case("det", [x], np.linalg.det(x), dtype=dtype)
            case("slogdet", [x], sign, dtype=dtype)
            case("slogdet.1", [x], log, dtype=dtype)
    print("det f32(0,0)[] = f32{1}\nslogdet f32(0,0)[] = f32{1}\nslogdet.1 f64(0,0)[] = f64{0}\ndet f32(0,2,2)[] = f32(0)[]")
    print("det f16(2,0,0)[] = f16[1 1]\ndet [[nan 1] [1 1]] = f32{nan}\ndet [[1 1] [nan 1]] = f32{nan}\nslogdet.1 [[1 2] [2 4]] = f32{-inf}")
    print("det [[inf 0] [0 1]] = f32{inf}\nslogdet [[nan]] = f32{nan}")
    errors("det")
    errors("slogdet")


def signs(vectors):
    """For rows: the first component of nearly the largest magnitude is positive."""
    size = np.abs(vectors)
    first = np.argmax(size >= 0.999 * size.max(-1, keepdims=True), -1)
    return np.sign(np.take_along_axis(vectors, first[..., None], -1))


def transposed(x):
    return np.swapaxes(x, -1, -2)


def eigen():
    title("eigh, eigvalsh: the triangle above the diagonal is not read")
    a, many = definite(3, 3), some(2, 3, 3)
    for x in (a, many):
        values, rows = np.linalg.eigh(x)[0], transposed(np.linalg.eigh(x)[1])
        columns = transposed(rows * signs(rows))
        for dtype in TOLERANCE if x is a else ("f64",):
            case("eigh", [x], values, dtype=dtype)
            if x is a:
                case("eigvalsh", [x], values, dtype=dtype)
            case("eigh.1", [x], columns, dtype=dtype, tolerance=None if dtype[0] == "f" else " ~ 5e-2")
    print("eigh [[-3]] = [-3]\neigh.1 [[-3]] = [[1]]")
    print("eigh f32(0,0)[] = f32(0)[]\neigh.1 f32(2,0,0)[] = f32(2,0,0)[]\neigvalsh f64(0,2,2)[] = f64(0,2)[]")
    print("eigvalsh [[nan 0] [0 1]] = [nan nan]\neigvalsh [[1 nan] [0 1]] = [1 1]")
    print("eigh.1 [[1 0] [inf 1]] = [[nan nan] [nan nan]]\neigvalsh f64[[3e300 0] [4e300 -3e300]] = f64[-5e300 5e300] ~ 1e-12 rel")
    for op in ("eigh", "eigvalsh"):
        errors(op)

    title("svd, svdvals, pinv, matrix_rank")
    for shape in ((4, 3), (3, 4), (2, 3, 3)):
        x = some(*shape)
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        sign = signs(vh) if shape[-2] >= shape[-1] else signs(transposed(u))
        u, vh = u * transposed(sign), vh * sign
        for dtype in ("f64", "f32", "f16") if shape == (3, 4) else ("f64",):
            case("svd", [x], u, dtype=dtype)
            case("svd.1", [x], s, dtype=dtype)
            case("svd.2", [x], vh, dtype=dtype)
        if x.ndim == 2:
            case("svdvals", [x], s)
            case("pinv", [x], np.linalg.pinv(x))
        print(f"matrix_rank {text(x)} = i64{'[3 3]' if x.ndim > 2 else '{3}'}")
    print("svd [[-3]] = [[-1]]\nsvd.1 [[-3]] = [3]\nsvd.2 [[-3]] = [[1]]\nsvd f32(0,0)[] = f32(0,0)[]\nsvd f32(3,0)[] = f32(3,0)[]")
    print("svd.1 f32(0,3)[] = f32(0)[]\nsvd.2 f64(0,2,3)[] = f64(0,2,3)[]\nsvdvals [[nan 1] [1 1]] = [nan nan]\nsvdvals [[inf 1] [1 1]] = [nan nan]")
    print("pinv f64[[4]] = f64[[0.25]]\npinv f32(0,3)[] = f32(3,0)[]\npinv f32(2,0,0)[] = f32(2,0,0)[]\npinv [[nan 1] [1 1]] = [[nan nan] [nan nan]]")
    print("pinv f64[[2 0] [0 1]] 0.6 = f64[[0.5 0] [0 0]]\npinv f16[[0.5 0] [0 4]] = f16[[2 0] [0 0.25]]")
    print("matrix_rank [[1 2] [2 4]] = i64{1}\nmatrix_rank f16[[1 2] [2 4]] = i64{1}\nmatrix_rank [[0 0] [0 0]] = i64{0}")
    print("matrix_rank [[2 0] [0 1]] 0.6 = i64{1}\nmatrix_rank f32(2,0,3)[] = i64[0 0]\nmatrix_rank f32(0,2,3)[] = i64(0)[]")
    for op in ("svd", "svdvals", "pinv", "matrix_rank", "matrix_norm"):
        print(f"{op} [1 2] ! VN_E_SHAPE\n{op} i32[[1]] ! VN_E_DTYPE")
    print("svd bool[[1]] ! VN_E_DTYPE\npinv [[1]] rtol=1 ! VN_E_ARG")

    title("matrix_norm, matrix_power, cross")
    x = some(3, 4) + 0.125  # no element at the kink of abs
    for order in ("fro", "nuc", 1, -1, np.inf, -np.inf, 2, -2):
        case("matrix_norm", [x], np.linalg.norm(x, order), f"order={order}")
    many = some(2, 4, 3) + 0.125
    case("matrix_norm", [many], np.linalg.norm(many, axis=(-2, -1)))
    case("matrix_norm", [many], np.linalg.norm(many, 1, (-2, -1), keepdims=True), "order=1 keepdims")
    for dtype in ("f32", "f16", "bf16"):
        case("matrix_norm", [x], np.linalg.norm(x), dtype=dtype)
    print("matrix_norm f32(0,3)[] = f32{0}\nmatrix_norm f32(0,3)[] order=nuc = f32{0}\nmatrix_norm f32(0,3)[] order=1 = f32{0}")
    print("matrix_norm [[nan 1]] order=inf = f32{nan}\nmatrix_norm [[inf 1]] = f32{inf}")
    print("matrix_norm f32(0,3)[] order=inf = f32{0}\nmatrix_norm f32(0,3)[] order=2 = f32{0}\nmatrix_norm f32(3,0)[] order=-1 = f32{inf}")
    print("matrix_norm [[1]] order=3 ! VN_E_ARG")
    a = np.array([[1.0, 2, 0], [0, 1, -1], [1, 1, 2]])
    for n in (0, 1, 5, -3):
        case("matrix_power", [a], np.linalg.matrix_power(a, n), f"n={n}")
    case("matrix_power", [np.stack([a, a.T])], np.linalg.matrix_power(np.stack([a, a.T]), 3), "n=3", dtype="f16")
    print("matrix_power f32(0,0)[] n=3 = f32(0,0)[]\nmatrix_power [[1]] n=9223372036854775807 = [[1]]\nmatrix_power [[0]] n=-1 = [[inf]]")
    print("matrix_power [[1]] ! VN_E_ARG\nmatrix_power [[1 2]] n=2 ! VN_E_SHAPE\nmatrix_power i32[[1]] n=2 ! VN_E_DTYPE")
    x, y = some(2, 3), some(2, 3)
    case("cross", [x, y], np.cross(x, y))
    case("cross", [x.T, y.T], np.cross(x, y).T, "axis=0")
    case("cross", [x, y[0]], np.cross(x, y[0]), "axis=1", dtype="f32")
    print("cross i32[1 0 0] i32[0 1 0] = i32[0 0 1]\ncross f16[1 2 3] f16[4 5 6] = f16[-3 6 -3]\ncross u8[0 1 0] i16[1 0 0] = i16[0 0 -1]")
    print("cross f32(0,3)[] [1 2 3] = f32(0,3)[]\ncross [1 2] [3 4] ! VN_E_SHAPE\ncross [1 2 3] [[1]] ! VN_E_SHAPE\ncross [1 2 3] 1 ! VN_E_SHAPE")
    print("cross [1 2 3] [1 2 3] axis=1 ! VN_E_ARG\ncross bool[1 0 1] bool[1 0 1] ! VN_E_DTYPE\ncross [1 2 3] [1 2 3 4] ! VN_E_SHAPE")


def main():
    print("# Linear algebra. Printed by linalg_numpy.py.")
    cholesky()
    triangular()
    qr()
    lu_family()
    eigen()


main()
