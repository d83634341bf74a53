#!/usr/bin/env python3
"""Prints conformance/cases/complex_linalg.case: linear algebra of complex numbers, from numpy.

Run by hand: python3 conformance/golden/complex_linalg_numpy.py > conformance/cases/complex_linalg.case
"""
import numpy as np

rng = np.random.default_rng(17)
TAGS = {np.dtype(t): tag for t, tag in [(np.int64, "i64"), (np.float32, "f32"), (np.float64, "f64"), (np.complex64, "c64"), (np.complex128, "c128")]}
TOLERANCE = {"c128": " ~ 1e-11", "f64": " ~ 1e-11", "c64": " ~ 1e-4", "f32": " ~ 1e-4", "i64": ""}


def number(v):
    if isinstance(v, complex | np.complexfloating):
        imaginary = number(v.imag)
        return number(v.real) + ("" if imaginary[0] == "-" else "+") + imaginary + "j"
    return str(int(v)) if isinstance(v, np.integer) else repr(round(float(v), 15) + 0.0).removesuffix(".0")


def text(x, tag=None):
    x = np.asarray(x)
    words = " ".join(number(v) for v in x.ravel())
    tag = tag or TAGS[x.dtype]
    return f"{tag}({','.join(map(str, x.shape))})[{words}]" if x.ndim else f"{tag}{{{words}}}"


def case(op, inputs, result, options="", single=False):
    """single: the same in single precision."""
    result = np.asarray(result)
    tags = {"c128": "c64", "f64": "f32", "i64": "i64"} if single else {t: t for t in ("c128", "f64", "i64")}
    made = tags[TAGS[result.dtype]]
    words = [op, *(x if isinstance(x, str) else text(x, tags[TAGS[np.asarray(x).dtype]]) for x in inputs), options, "=", text(result, made)]
    print(" ".join(w for w in words if w) + TOLERANCE[made])


def both(op, inputs, result, options=""):
    for single in (False, True):
        case(op, inputs, result, options, single)


def title(words):
    print(f"\n# ---- {words} ----")


def some(*shape):
    return (rng.integers(-12, 13, shape) + 1j * rng.integers(-12, 13, shape)) / 4


def regular(*shape):
    return some(*shape) + (5 + 2j) * np.eye(shape[-1])


def hermitian(*shape):
    x = some(*shape)
    return x + np.swapaxes(x.conj(), -1, -2)


def systems():
    title("solve, inv, matrix_power")
    a, b = regular(3, 3), some(3, 2)
    both("solve", [a, b], np.linalg.solve(a, b))
    both("solve", [a, b[:, 0]], np.linalg.solve(a, b[:, 0]))
    batch = regular(2, 2, 2)
    wide, real = some(1, 2, 3), regular(3, 3).real
    case("solve", [batch, wide], np.linalg.solve(batch, wide))
    case("solve", [batch, b[:2, 0]], np.stack([np.linalg.solve(m, b[:2, 0]) for m in batch]))
    case("solve", [a, b.real], np.linalg.solve(a, b.real))
    case("solve", [real, b], np.linalg.solve(real, b))
    both("inv", [a], np.linalg.inv(a))
    case("inv", [batch], np.linalg.inv(batch))
    for n in (0, 1, 2, 5, -1, -3):
        case("matrix_power", [a], np.linalg.matrix_power(a, n), f"n={n}")
    case("matrix_power", [batch], np.linalg.matrix_power(batch, 3), "n=3", True)
    print("inv c64(0,0)[] = c64(0,0)[]\nsolve c64(0,2,2)[] c64(0,2,1)[] = c64(0,2,1)[]\nsolve c128(2,0,0)[] c128(0)[] = c128(2,0)[]\ninv c128[[2j]] = c128[[-0.5j]] ~ 1e-15")
    print("inv c64[1j 2] ! VN_E_SHAPE\nsolve c64[[1j]] c64[1 2] ! VN_E_SHAPE\nmatrix_power c64[[1 2]] n=2 ! VN_E_SHAPE")


def values():
    title("eigvalsh: only the lower triangle is read, and real parts of the diagonal; svdvals")
    h = hermitian(3, 3)
    for x in (h, hermitian(2, 2, 2), hermitian(4, 4)):
        both("eigvalsh", [x], np.linalg.eigvalsh(x))
    spoilt = np.tril(h) + np.triu(some(3, 3), 1) + 3j * np.eye(3)
    case("eigvalsh", [spoilt], np.linalg.eigvalsh(h))
    for x in (some(3, 3), some(4, 2), some(2, 4), some(2, 3, 2)):
        both("svdvals", [x], np.linalg.svd(x, compute_uv=False))
    print("eigvalsh c64(0,0)[] = f32(0)[]\nsvdvals c128(3,0)[] = f64(0)[]\nsvdvals c64(0,2,3)[] = f32(0,2)[]\neigvalsh c128[[2 1j] [-1j 2]] = f64[1 3] ~ 1e-12\nsvdvals c128[[3j]] = f64[3] ~ 1e-14")
    print("eigvalsh c64[[nan 0] [0 1]] = [nan nan]\nsvdvals c64[[nan+1j]] = [nan]\neigvalsh c64[1j] ! VN_E_SHAPE\nsvdvals c64[1j] ! VN_E_SHAPE")
    title("matrix_rank, matrix_norm")
    low = some(4, 2) @ some(2, 4)
    both("matrix_rank", [low], np.linalg.matrix_rank(low))
    case("matrix_rank", [np.stack([np.diag([4, 2j]), np.diag([8j, 1])]), np.array([0.6, 0.1])], np.array([1, 2]))
    print("matrix_norm f64[[3e200 0] [0 4e200]] = f64{5e200} ~ 1e-15 rel\nmatrix_norm c64[[3e30+0j 0] [0 0+4e30j]] = f32{5e30} ~ 1e-6 rel")
    x = some(3, 4)
    for order in ("fro", "nuc", "1", "-1", "inf", "-inf", "2", "-2"):
        value = np.linalg.norm(x, order if order in ("fro", "nuc") else float(order))
        both("matrix_norm", [x], value, f"order={order}")
    case("matrix_norm", [np.array([[0, 2j], [1 + 1j, 0]])], np.sqrt(6.0))
    batch = some(2, 2, 3)
    case("matrix_norm", [batch], np.linalg.norm(batch, axis=(-2, -1), keepdims=True), "keepdims")
    print("matrix_norm c64(0,3)[] order=2 = f32{0}\nmatrix_norm c64[1j] ! VN_E_SHAPE")


def adjoint(x):
    return np.swapaxes(x.conj(), -1, -2)


def phases(v, axis):
    """The factors with which the first components of (nearly) the largest magnitude become positive."""
    size = np.abs(v)
    first = np.expand_dims((size >= 0.999 * size.max(axis, keepdims=True)).argmax(axis), axis)
    z = np.take_along_axis(v, first, axis)
    return z.conj() / np.abs(z)


def qr_of(x, mode="reduced"):
    """With a diagonal of r that is not negative."""
    q, r = np.linalg.qr(x, mode)
    d = np.diagonal(r, 0, -2, -1)
    factors = np.ones(r.shape[:-1], complex)
    factors[..., : d.shape[-1]] = d / np.abs(d)
    return q * factors[..., None, :], np.triu(r * factors.conj()[..., :, None])


def svd_of(x):
    u, s, vh = np.linalg.svd(x, False)
    f = phases(vh, -1) if x.shape[-2] >= x.shape[-1] else np.swapaxes(phases(u, -2), -1, -2).conj()
    return u * np.swapaxes(f, -1, -2).conj(), s, vh * f


def factorisations():
    title("cholesky: the triangle above the diagonal and its imaginary parts are not read; solve_triangular")
    x = some(3, 3)
    a = x @ adjoint(x) + 3 * np.eye(3)
    l = np.linalg.cholesky(a)
    both("cholesky", [a], l)
    both("cholesky", [a], adjoint(l), "upper")
    case("cholesky", [np.tril(a) + np.triu(some(3, 3), 1) + 2j * np.eye(3)], l)
    x = some(2, 2, 2)
    batch = x @ adjoint(x) + np.eye(2)
    both("cholesky", [batch], np.linalg.cholesky(batch))
    nans = " ".join(["nan+nanj"] * 4)
    print(f"cholesky c64[[1 0] [2j 1]] = c64(2,2)[{nans}]\ncholesky c128[[-1 0] [0 1]] upper = c128(2,2)[{nans}]\ncholesky c64[[nan 0] [0 1]] = c64(2,2)[{nans}]")
    print(f"cholesky c128(2,2,2)[4 0 0 4 1 0 2j 1] = c128(2,2,2)[2 0 0 2 {nans}]\ncholesky c64(0,0)[] = c64(0,0)[]\ncholesky c128(2,0,0)[] = c128(2,0,0)[]\ncholesky c64[1j] ! VN_E_SHAPE")
    a, b = regular(3, 3), some(3, 2)
    for upper in (0, 1):
        t = np.triu(a) if upper else np.tril(a)
        both("solve_triangular", [a, b], np.linalg.solve(t, b), f"upper={upper}")
        case("solve_triangular", [a, b], np.linalg.solve(t.T, b), f"upper={upper} transpose")
    unit = np.tril(a, -1) + np.eye(3)
    case("solve_triangular", [a, b], np.linalg.solve(unit, b), "unit")
    title("det, slogdet, lu_factor")
    for x in (regular(3, 3), some(2, 2, 2), some(4, 4)):
        sign, size = np.linalg.slogdet(x)
        both("det", [x], np.linalg.det(x))
        both("slogdet", [x], sign)
        both("slogdet.1", [x], size)
    print("det c64(0,0)[] = c64{1}\nslogdet.1 c64(2,0,0)[] = [0 0]\nslogdet c128(0,0)[] = c128{1}\ndet c128[[2j]] = c128{2j}\nslogdet c128[[2j]] = c128{1j}\nslogdet.1 c128[[4j]] = f64{1.3862943611198906} ~ 1e-14")
    print("det c64[1j] ! VN_E_SHAPE\nslogdet c64(2,3)[1 2 3 4 5 6] ! VN_E_SHAPE")
    title("qr")
    for x in (some(3, 3), some(4, 3), some(2, 4), some(2, 3, 2)):
        q, r = qr_of(x)
        both("qr", [x], q)
        both("qr.1", [x], r)
    x = some(2, 3)
    case("qr", [x], qr_of(x, "complete")[0], "complete")
    print("qr c128[[-2j]] = c128[[-1j]]\nqr.1 c128[[-2j]] = c128[[2]]\nqr c64(3,0)[] = c64(3,0)[]\nqr.1 c64(0,3)[] = c64(0,3)[]\nqr c64(0,3,2)[] = c64(0,3,2)[]\nqr c64[1j] ! VN_E_SHAPE")
    title("eigh")
    for x in (hermitian(3, 3), hermitian(2, 2, 2), hermitian(4, 4)):
        w, v = np.linalg.eigh(x)
        both("eigh", [x], w)
        both("eigh.1", [x], v * phases(v, -2))
    print("eigh.1 c128[[-3]] = c128[[1]]\neigh.1 c64(0,0)[] = c64(0,0)[]\neigh c64(2,0,0)[] = f32(2,0)[]")
    print(f"eigh c64[[nan 0] [0 1]] = [nan nan]\neigh.1 c128[[1 0] [inf 1]] = c128(2,2)[{nans}]\neigh c64[1j] ! VN_E_SHAPE")
    title("svd, pinv")
    for x in (some(3, 3), some(4, 2), some(2, 4), some(2, 3, 2)):
        for k, part in enumerate(svd_of(x)):
            both(f"svd.{k}" if k else "svd", [x], part)
        both("pinv", [x], np.linalg.pinv(x))
    print("svd c128[[3j]] = c128[[1j]]\nsvd.2 c128[[3j]] = c128[[1]]\nsvd c64(3,0)[] = c64(3,0)[]\nsvd.1 c64(3,0)[] = f32(0)[]\npinv c64(0,2)[] = c64(2,0)[]")
    print(f"svd c64[[nan 0] [0 1]] = c64(2,2)[{nans}]\nsvd.1 c64[[nan 0] [0 1]] = [nan nan]\nsvd c64[1j] ! VN_E_SHAPE\npinv c64[1j] ! VN_E_SHAPE")
    case("pinv", [np.stack([np.diag([4, 2j]), np.diag([8j, 1])]), np.array([0.6, 0.1])], np.stack([np.diag([0.25, 0j]), np.diag([-0.125j, 1])]))


def vectors():
    title("norm, vecdot, cross, round")
    x = some(2, 3)
    for order in (2, 1, 0, 3, 0.5, -1, np.inf, -np.inf):
        both("norm", [x], np.linalg.norm(x, order, 1), f"axes=1 order={number(order)}")
    case("norm", [x], np.linalg.norm(x.ravel()))
    print("norm c64[3e30j 4e30] = f32{5e30} ~ 1e-6\nnorm c64(2,0)[] axes=1 = [0 0]\nnorm c64[inf+1j 2] = f32{inf}")
    y = some(2, 3)
    both("vecdot", [x, y], np.vecdot(x, y))
    case("vecdot", [x, y[0]], np.vecdot(x, y[0]))
    case("vecdot", [x, y.real], np.vecdot(x, y.real))
    case("vecdot", [x, y], np.sum(x.conj() * y, 0), "axis=-2")
    both("cross", [x, y], np.cross(x, y))
    case("cross", [x.T, y.T.real], np.cross(x.T, y.T.real, axis=0), "axis=0")
    z = np.array([1.5 + 2.5j, -0.5 - 3.75j, 0.25 - 7j, complex(np.nan, np.nan)])  # has no derivative at a tie
    both("round", [z], np.round(z))
    print("round c64[nan+1.5j inf-0.4j] = c64[nan+2j inf+0j]\nround c64(0)[] = c64(0)[]\nvecdot c64[1j 2] c64[1] ! VN_E_SHAPE\ncross c64[1j 2] c64[1 2] ! VN_E_SHAPE")


if __name__ == "__main__":
    print("# Linear algebra of complex numbers. Printed by complex_linalg_numpy.py.")
    systems()
    factorisations()
    values()
    vectors()
