#!/usr/bin/env python3
"""Writes conformance/cases/numbers.case (more functions of numbers) and places.case (grids, positions, choices), from numpy.

Run by hand, with numpy: python3 conformance/golden/numbers_numpy.py [folder], default conformance/cases. Half precision is computed in float64 and rounded once.
"""
import numpy as np
import lines
from lines import FLOATS, INF, INTS, KIND, NAN, TOLERANCE, fails, line, save, title

KIND["bf16"] = "f8"
TOLERANCE |= {"f16": "2e-3", "bf16": "1.6e-2", "f32": "2e-6", "f64": "1e-13"}
SIGNED = [d for d in INTS if d[0] == "i"]
rng = np.random.default_rng(29)


def quarters(n, *shape):
    return lines.quarters(rng, n, *shape)


# ---- quotients ----

title("fmod, trunc_divide, divmod")
X, Y = np.array([[-7.5, 7.25, -0.375], [5.25, 1.75, -2.75]]), np.array([2.0, -2.5, 1.0])
for d in FLOATS:
    line("fmod", [(d, X), (d, Y)], "", d, np.fmod(X, Y))
    line("trunc_divide", [(d, X), (d, Y)], "", d, np.trunc(X / Y))
    line("divmod", [(d, X), (d, Y)], "", d, np.divmod(X, Y)[0])
    line("divmod.1", [(d, X), (d, Y)], "", d, np.divmod(X, Y)[1])
for d in INTS:
    a = np.array([7, 8, 9, 0, 5] if d[0] == "u" else [7, -8, 9, 0, -5])
    b = np.array([2, 3, 3, 4, 5] if d[0] == "u" else [-2, 3, 3, 4, 5])
    line("fmod", [(d, a), (d, b)], "", d, np.fmod(a, b))
    line("trunc_divide", [(d, a), (d, b)], "", d, np.trunc(a / b).astype(int))
    line("divmod", [(d, a), (d, b)], "", d, a // b)
    line("divmod.1", [(d, a), (d, b)], "", d, a % b)
E = np.array([-1e-20, 1e-20, INF, 3.0, NAN, 5.0])
line("fmod", [("f64", E), ("f64", [1.0, -1.0, 2.0, INF, 1.0, NAN])], "", "f64", np.fmod(E, [1.0, -1.0, 2.0, INF, 1.0, NAN]))
line("fmod", [("f64", X), "2"], "", "f64", np.fmod(X, 2))
line("fmod", [("i8", [-128, 127]), ("i8", [3])], "", "i8", np.fmod(np.array([-128, 127], "i1"), np.int8(3)))
fails("fmod c64[1] c64[1] ! VN_E_DTYPE", "fmod [1 2] [1 2 3] ! VN_E_SHAPE", "trunc_divide bool[1] bool[1] ! VN_E_DTYPE", "divmod [1 2] [1 2 3] ! VN_E_SHAPE")
title("divide_no_nan, stable_divide, stable_pow, float_power")
P, Q = np.array([1.5, -2.0, 0.0, 3.0, INF]), np.array([0.5, 0.0, 0.0, -4.0, 1.0])
for d in FLOATS:
    line("divide_no_nan", [(d, P), (d, Q)], "", d, np.where(Q == 0, 0, P / np.where(Q == 0, 1, Q)))
    line("divide_no_nan", [(d, P[:2]), (d, [0.5, -1.5])], "", d, P[:2] / [0.5, -1.5])
    line("stable_divide", [(d, P[:4]), (d, [1.0, 2.0, 4.0, -8.0])], "min_base=0.5", d, P[:4] / (np.array([1.0, 2.0, 4.0, -8.0]) + 0.5))
    line("stable_pow", [(d, [1.0, 2.0, 0.5]), (d, [2.0, 0.5, -1.0])], "min_base=0.25", d, np.array([1.25, 2.25, 0.75]) ** np.array([2.0, 0.5, -1.0]))
    line("float_power", [(d, [1.5, 2.0, 4.0]), (d, [2.0, -1.0, 0.5])], "", "f64", np.float_power([1.5, 2.0, 4.0], [2.0, -1.0, 0.5]))
line("stable_divide", [("f64", P), ("f64", Q)], "", "f64", P / (Q + 1e-5))
line("stable_pow", [("f64", [0.0, 2.0]), ("f64", [2.0, 3.0])], "", "f64", np.array([1e-5, 2 + 1e-5]) ** [2.0, 3.0])
for d in INTS:
    line("float_power", [(d, [1, 2, 3]), ("f64", [-1.0, -2.0, 2.0])], "", "f64", np.float_power([1, 2, 3], [-1.0, -2.0, 2.0]))
line("float_power", [("i32", [2, 3]), ("i32", [-2, 3])], "", "f64", np.float_power([2, 3], [-2, 3]))
line("float_power", [("c64", np.array([1 + 1j, 2])), ("c64", np.array([2, 0.5]))], "", "c128", np.float_power(np.array([1 + 1j, 2]), np.array([2, 0.5])))
fails("divide_no_nan i32[1] i32[1] ! VN_E_DTYPE", "stable_divide [1] [1] min_base=-1 ! VN_E_ARG", "stable_pow [1] [1] min_base=inf ! VN_E_ARG", "float_power bool[1] bool[1] ! VN_E_DTYPE")

# ---- elementwise ----

title("lerp, modf")
A, B, W = quarters(6, 2, 3), quarters(6, 2, 3), np.array([0.0, 0.25, 1.0])
for d in FLOATS:
    line("lerp", [(d, A), (d, B), (d, W)], "", d, A + W * (B - A))
    line("modf", [(d, X)], "", d, np.modf(X)[0], "")
    line("modf.1", [(d, X)], "", d, np.modf(X)[1], "")
line("lerp", [("f64", A), ("f64", B), "0.3"], "", "f64", A + 0.3 * (B - A))
Z = A + 1j * B
line("lerp", [("c128", Z), ("c128", Z[::-1]), ("c128", W)], "", "c128", Z + W * (Z[::-1] - Z))
S = np.array([INF, -INF, NAN, -0.0, 0.0, -3.0])
line("modf", [("f64", S)], "", "f64", np.modf(S)[0], "")
line("modf.1", [("f64", S)], "", "f64", np.modf(S)[1], "")
fails("lerp i32[1] i32[1] i32[1] ! VN_E_DTYPE", "lerp [1 2] [1 2 3] [1] ! VN_E_SHAPE", "modf i32[1] ! VN_E_DTYPE")
title("activations")
V = np.array([-2.125, -0.875, -0.25, 0.375, 0.75, 1.625])
for d in FLOATS:
    line("binarize", [(d, V)], "", d, V > 0)
    line("binarize", [(d, V)], "threshold=0.5", d, V > 0.5)
    line("scaled_tanh", [(d, V)], "", d, 1.7159 * np.tanh(0.67 * V))
    line("scaled_tanh", [(d, V)], "alpha=2 beta=0.5", d, 2 * np.tanh(0.5 * V))
    line("sparse_sigmoid", [(d, V)], "", d, np.clip((V + 1) / 2, 0, 1))
    line("relu_squared", [(d, V)], "", d, np.maximum(V, 0) ** 2)
    line("quick_gelu", [(d, V)], "", d, V / (1 + np.exp(-1.702 * V)))
    line("shrink", [(d, V)], "", d, np.where(abs(V) > 0.5, V, 0))
    line("shrink", [(d, V)], "bound=0.5 bias=0.25", d, np.where(V > 0.5, V - 0.25, np.where(V < -0.5, V + 0.25, 0)))
for d in INTS:
    line("binarize", [(d, [0, 1, 2, 3])], "threshold=1.5", d, [0, 0, 1, 1])
line("shrink", [("f64", [0.5, -0.5, NAN, INF])], "bias=1", "f64", [0, 0, NAN, INF])
line("sparse_sigmoid", [("f64", [NAN, INF, -INF, -1, 1])], "", "f64", [NAN, 1, 0, 0, 1])
line("binarize", [("f64", [NAN, 0, INF])], "", "f64", [0, 0, 1])
fails("binarize bool[1] ! VN_E_DTYPE", "scaled_tanh i32[1] ! VN_E_DTYPE", "shrink [1] bound=-1 ! VN_E_ARG", "quick_gelu i32[1] ! VN_E_DTYPE", "relu_squared c64[1] ! VN_E_DTYPE", "sparse_sigmoid i32[1] ! VN_E_DTYPE")
title("polyval")
C = np.array([0.5, -1.25, 0.0, 2.0])
for d in FLOATS:
    line("polyval", [(d, C), (d, V.reshape(2, 3) / 2)], "", d, np.polyval(C, V.reshape(2, 3) / 2))
for d in SIGNED:
    line("polyval", [(d, [1, -2, 3]), (d, [0, 1, -2])], "", d, np.polyval([1, -2, 3], np.array([0, 1, -2])))
line("polyval", [("c128", np.array([1, 1j])), ("c128", np.array([1j, 2]))], "", "c128", np.polyval(np.array([1, 1j]), np.array([1j, 2])))
line("polyval", [("f64", np.zeros(0)), ("f64", [1.0, 2.0])], "", "f64", [0.0, 0.0])
line("polyval", [("f64", [3.0]), ("f64", np.array(2.0))], "", "f64", 3.0)
many = np.arange(131) % 7 / 8 - 0.25  # more coefficients than are multiplied one by one
line("polyval", [("f64", many), ("f64", V[:3] / 4)], "", "f64", np.polyval(many, V[:3] / 4))
fails("polyval [[1]] [1] ! VN_E_SHAPE", "polyval bool[1] bool[1] ! VN_E_DTYPE")
title("complex numbers and casts")
R, T = np.array([1.0, 2.0, 0.5]), np.array([0.25, -1.5, 3.0])
for d, c in (("f32", "c64"), ("f64", "c128"), ("f16", "c64"), ("bf16", "c64")):
    line("polar", [(d, R), (d, T)], "", c, R * np.exp(1j * T))
    line("view_as_complex", [(d, [[1.0, 2.0], [3.0, -0.5]])], "", c, np.array([1 + 2j, 3 - 0.5j]))
for c, d in (("c64", "f32"), ("c128", "f64")):
    line("view_as_real", [(c, np.array([[1 + 2j, 3 - 0.5j]]))], "", d, [[[1, 2], [3, -0.5]]])
    line("isreal", [(c, np.array([1 + 2j, 3, complex(0, NAN)]))], "", "bool", [0, 1, 0])
for d in ["bool"] + INTS + FLOATS:
    line("isreal", [(d, [1, 0])], "", "bool", [1, 1])
fails("view_as_complex [1 2 3] ! VN_E_SHAPE", "view_as_complex f32{1} ! VN_E_SHAPE", "view_as_real [1] ! VN_E_DTYPE", "polar c64[1] c64[1] ! VN_E_DTYPE", "view_as_complex i32[1 2] ! VN_E_DTYPE")
for d in INTS:
    k = np.iinfo(KIND[d])
    for e in INTS:
        m = np.iinfo(KIND[e])
        v = [int(k.min), int(k.max), 5]
        line("saturate_cast", [(d, np.array(v, KIND[d]))], f"dtype={'uint' if e[0] == 'u' else 'int'}{e[1:]}", e, np.array([min(max(x, int(m.min)), int(m.max)) for x in v], KIND[e]))
    line("saturate_cast", [("f64", [-1e30, 3.75, NAN, INF])], f"dtype={'uint' if d[0] == 'u' else 'int'}{d[1:]}", d, np.array([int(k.min), 3, 0, int(k.max)], KIND[d]))
line("saturate_cast", [("f64", [1e300, -1e300, 1.5, NAN])], "dtype=float32", "f32", np.array([3.4028234663852886e38, -3.4028234663852886e38, 1.5, NAN]))
line("saturate_cast", [("f32", [1e30, -70000.0, 2.0])], "dtype=float16", "f16", [65504, -65504, 2])
line("saturate_cast", [("f16", [65504.0, 2.0])], "dtype=float64", "f64", [65504, 2])
fails("saturate_cast c64[1] dtype=float32 ! VN_E_DTYPE", "saturate_cast [1] dtype=complex64 ! VN_E_DTYPE")

# ---- tests ----

title("tests")
for d in FLOATS:
    x = np.array([1.0, INF, -INF, NAN, 0.0])
    line("isposinf", [(d, x)], "", "bool", np.isposinf(x))
    line("isneginf", [(d, x)], "", "bool", np.isneginf(x))
    line("has_nans", [(d, x)], "", "bool", 1)
    line("has_nans", [(d, [1.0, INF])], "", "bool", 0)
    line("has_nans", [(d, [1.0, INF])], "or_infinite", "bool", 1)
    line("array_equal", [(d, A), (d, A)], "", "bool", 1)
    line("array_equal", [(d, A), (d, A), (d, B)], "", "bool", 0)
line("has_nans", [("c64", np.array([1 + 1j, complex(0, NAN)]))], "", "bool", 1)
line("has_nans", [("f64", np.zeros(0))], "", "bool", 0)
for d in ["bool"] + INTS:
    line("array_equal", [(d, [1, 0]), (d, [1, 0])], "", "bool", 1)
    line("array_equal", [(d, [1, 0]), (d, [1, 1])], "", "bool", 0)
line("array_equal", [("f64", [1.0, 2.0]), ("f64", [1.0])], "", "bool", 0)
line("array_equal", [("f64", [NAN]), ("f64", [NAN])], "", "bool", 0)
line("array_equal", [("i32", [1, 2]), ("f64", [1.0, 2.0])], "", "bool", 1)
line("array_equal", [("f64", np.zeros((0, 2))), ("f64", np.zeros((0, 2)))], "", "bool", 1)
line("array_equal", [("f64", [1.0])], "", "bool", 1)
fails("isposinf i32[1] ! VN_E_DTYPE", "isneginf c64[1] ! VN_E_DTYPE", "has_nans bool[1] ! VN_E_DTYPE", "array_equal null [1] ! VN_E_NULL")

# ---- reductions ----

title("ptp, average, var_mean")
M = quarters(24, 2, 3, 4)
for d in FLOATS:
    for axes, o in (((0,), "axes=0"), ((1, 2), "axes=1,2"), (None, ""), ((-1,), "axes=-1 keepdims")):
        keep = "keepdims" in o
        line("ptp", [(d, M)], o, d, np.ptp(M, axis=axes if axes is None or len(axes) > 1 else axes[0], keepdims=keep))
        line("average", [(d, M)], o, d, np.mean(M, axis=axes, keepdims=keep))
        line("var_mean", [(d, M)], o, d, np.var(M, axis=axes, keepdims=keep))
        line("var_mean.1", [(d, M)], o, d, np.mean(M, axis=axes, keepdims=keep))
    w = np.array([0.5, 1.0, 0.25, 2.0])
    line("average", [(d, M), (d, w)], "axes=2", d, np.average(M, axis=2, weights=w))
    line("average", [(d, M), (d, w)], "", d, np.sum(M * w) / np.sum(w * np.ones(M.shape)))
line("var_mean", [("f64", M)], "axes=2 correction=1", "f64", np.var(M, axis=2, ddof=1))
for d in INTS:
    line("ptp", [(d, [[1, 9, 4], [7, 7, 7]])], "axes=1", d, [8, 0])
line("average", [("c128", Z)], "axes=1", "c128", np.mean(Z, axis=1))
fails("ptp f32(0)[] ! VN_E_SHAPE", "average [1 2] [1 2 3] ! VN_E_SHAPE", "average i32[1] ! VN_E_DTYPE", "var_mean i32[1] ! VN_E_DTYPE", "ptp c64[1] ! VN_E_DTYPE")
title("places of extremes")
N = M.copy()
N[0, 1, 2] = N[1, 0, 0] = NAN
for d in FLOATS:
    line("nanargmax", [(d, N)], "axes=2", "i64", np.nanargmax(N, axis=2))
    line("nanargmin", [(d, N)], "axes=1 keepdims", "i64", np.nanargmin(N, axis=1, keepdims=True))
    line("nanargmax", [(d, N)], "", "i64", np.nanargmax(N))
    line("nanargmin", [(d, N)], "", "i64", np.nanargmin(N))
    for op, f in (("max", np.argmax), ("min", np.argmin)):
        p = f(M, axis=1, keepdims=True)
        line(f"{op}_with_index", [(d, M)], "axis=1", d, np.take_along_axis(M, p, 1), "")
        line(f"{op}_with_index.1", [(d, M)], "axis=1", "i64", p)
    for axis in (-1, 1):
        p = np.take(np.argsort(M, axis=axis), [(M.shape[axis] - 1) // 2], axis=axis)
        line("median_with_index", [(d, M)], f"axis={axis}", d, np.take_along_axis(M, p, axis), "")
        line("median_with_index.1", [(d, M)], f"axis={axis}", "i64", p)
line("nanargmax", [("f64", [[NAN, NAN], [1.0, NAN]])], "axes=1", "i64", [-1, 0])
line("nanargmin", [("f64", [NAN, -INF, INF])], "", "i64", 1)
for d in INTS:
    line("max_with_index", [(d, [3, 9, 9])], "", d, [9])
    line("max_with_index.1", [(d, [3, 9, 9])], "", "i64", [1])
    line("min_with_index", [(d, [3, 1, 1])], "", d, [1])
    line("median_with_index", [(d, [3, 1, 2, 7])], "", d, [2])
line("median_with_index", [("f64", [1.0, NAN, 0.0])], "", "f64", [NAN])
line("median_with_index.1", [("f64", [1.0, NAN, 0.0])], "", "i64", [1])
line("max_with_index.1", [("f64", [1.0, NAN, NAN])], "", "i64", [1])
fails("nanargmax i32[1] ! VN_E_DTYPE", "nanargmin f32(0)[] ! VN_E_SHAPE", "max_with_index f32(2,0)[] ! VN_E_SHAPE", "min_with_index f32{1} ! VN_E_ARG", "median_with_index [1] axis=1 ! VN_E_ARG")
title("lengths")
for d in FLOATS:
    for p in (1, 2, 3, INF):
        n = np.linalg.norm(M, ord=p, axis=2, keepdims=True)
        line("lp_normalize", [(d, M)], f"axes=2 p={p}", d, M / n)
    for p in (1, 2):
        n = np.sum(abs(M) ** p) ** (1 / p)
        line("clip_vector_norm", [(d, M)], f"max_norm=3 p={p}", d, M * 3 / n)
        line("clip_vector_norm", [(d, M / 64)], f"max_norm=8 p={p}", d, M / 64)
    for order in ("fro", "nuc", 1, -1, INF, -INF, 2, -2):
        n = np.linalg.norm(M, ord=order, axis=(1, 2), keepdims=True)
        line("clip_matrix_norm", [(d, M)], f"max_norm=4 order={order}", d, M * np.minimum(1, 4 / n), {"f32": "2e-5"}.get(d))
    line("sparsify", [(d, M)], "count=5", d, np.where(abs(M) >= np.sort(abs(M).ravel())[-5], M, 0), "")
    F = M[:, 0, :2] / 4
    for k in (1, 2, 3):
        e = {1: "nb->b", 2: "na,nb->ab", 3: "na,nb,nc->abc"}[k]
        line("higher_order_moment", [(d, F)], f"order={k}", d, np.einsum(e, *[F] * k) / len(F))
line("lp_normalize", [("f64", [[0.0, 0.0], [NAN, 1.0]])], "axes=1", "f64", [[0.0, 0.0], [NAN, NAN]])
line("sparsify", [("i32", [3, -4, 1, 4])], "count=1", "i32", [0, -4, 0, 0])
line("sparsify", [("f64", [3.0, -4.0])], "count=9", "f64", [3.0, -4.0])
line("sparsify", [("f64", [3.0, -4.0])], "count=0", "f64", [0.0, 0.0])
line("higher_order_moment", [("f64", M / 4)], "order=2", "f64", np.einsum("nab,ncd->abcd", M / 4, M / 4) / 2)
fails("lp_normalize [1] axes=0 p=0 ! VN_E_ARG", "clip_vector_norm [1] max_norm=0 ! VN_E_ARG", "clip_matrix_norm [1] max_norm=1 ! VN_E_SHAPE", "clip_matrix_norm [[1]] max_norm=1 order=best ! VN_E_ARG",
      "sparsify [1] count=-1 ! VN_E_ARG", "higher_order_moment [1] order=2 ! VN_E_SHAPE", "higher_order_moment f32(1,1,1,1,1,1)[1] order=8 ! VN_E_SHAPE", "higher_order_moment [[1]] order=9 ! VN_E_ARG")
title("for optimizers and losses")
D = quarters(12, 3, 4) / 4
for d in FLOATS:
    line("safe_root_mean_square", [(d, D)], "", d, np.sqrt(np.mean(D**2)))
    line("safe_root_mean_square", [(d, D)], "min_rms=9", d, 9.0)
    line("l1_l2_penalty", [(d, D)], "l1=0.5 l2=0.25", d, 0.5 * np.sum(abs(D)) + 0.25 * np.sum(D**2))
    u = D / np.linalg.norm(D, axis=1, keepdims=True)
    line("orthogonal_penalty", [(d, D)], "factor=0.5", d, 0.5 * 0.5 * np.sum(abs(u @ u.T * (1 - np.eye(3)))) / 3)
    u = (D / np.linalg.norm(D, axis=0, keepdims=True)).T
    line("orthogonal_penalty", [(d, D)], "factor=0.5 columns", d, 0.5 * 0.5 * np.sum(abs(u @ u.T * (1 - np.eye(4)))) / 6)
    n = np.sqrt(np.sum(D**2, axis=0, keepdims=True))
    line("unitwise_norm", [(d, D)], "", d, np.broadcast_to(n, D.shape))
    most = np.array([0.5, 9.0, 0.75, 1.0])
    line("unitwise_clip", [(d, D), (d, np.broadcast_to(n, D.shape)), (d, most)], "", d, np.where(n < most, D, D * most / n))
    for low, high, rate in ((0, 1, 1), (0.5, 1.5, 0.75), (1, 1, 1)):
        want = rate * np.clip(n, low, high) + (1 - rate) * n
        line("min_max_norm", [(d, D)], f"axes=0 max_value={high} min_value={low} rate={rate}", d, D * want / (1e-7 + n))
V3 = quarters(24, 2, 3, 4)
line("unitwise_norm", [("f64", D[0])], "", "f64", np.full(4, np.sqrt(np.sum(D[0] ** 2))))
line("unitwise_norm", [("f64", V3)], "", "f64", np.broadcast_to(np.sqrt(np.sum(V3**2, axis=0, keepdims=True)), V3.shape))
line("unitwise_norm", [("f64", V3.reshape(1, 2, 3, 4))], "", "f64", np.broadcast_to(np.sqrt(np.sum(V3**2, axis=(0, 1))), (1, 2, 3, 4)))
fails("safe_root_mean_square [1] min_rms=-1 ! VN_E_ARG", "l1_l2_penalty [1] l1=-1 ! VN_E_ARG", "orthogonal_penalty [1] ! VN_E_SHAPE",
      "min_max_norm [1] axes=0 max_value=1 min_value=2 ! VN_E_ARG", "min_max_norm [1] axes=1 ! VN_E_ARG", "unitwise_clip [1 2] [1 2 3] 1 ! VN_E_SHAPE", "unitwise_norm i32[1] ! VN_E_DTYPE")
save("numbers.case", "More functions of numbers.")

# ---- places ----

title("logspace, geomspace, tri, eye_like")
WORD = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
for d in FLOATS:
    line("logspace", [], f"start=0 stop=2 n=5 dtype={WORD[d]}", d, np.logspace(0, 2, 5))
    line("geomspace", [], f"start=1 stop=64 n=4 dtype={WORD[d]}", d, np.geomspace(1, 64, 4))
line("logspace", [], "start=-1 stop=3 n=7 base=2 no_endpoint dtype=float64", "f64", np.logspace(-1, 3, 7, base=2, endpoint=False))
line("logspace", [], "start=1 stop=3 n=1 dtype=float64", "f64", [10.0])
line("logspace", [], "start=1 stop=3 n=0 dtype=float64", "f64", np.zeros(0))
line("geomspace", [], "start=-256 stop=-1 n=9 dtype=float64", "f64", np.geomspace(-256, -1, 9))
line("geomspace", [], "start=3 stop=700 n=1 dtype=float64", "f64", [3.0])
fails("logspace start=0 stop=1 n=-1 ! VN_E_ARG", "logspace start=0 stop=1 n=2 base=0 ! VN_E_ARG", "logspace start=0 stop=1 n=2 dtype=int32 ! VN_E_DTYPE", "geomspace start=0 stop=1 n=2 ! VN_E_ARG",
      "geomspace start=-1 stop=1 n=2 ! VN_E_ARG", "logspace start=inf stop=1 n=2 ! VN_E_ARG")
for d, word in [("bool", "bool"), ("i64", "int64"), ("u8", "uint8"), ("f32", "float32"), ("f64", "float64"), ("c64", "complex64"), ("f16", "float16"), ("bf16", "bfloat16")]:
    for k in (-1, 0, 2):
        line("tri", [], f"rows=3 columns=4 k={k} dtype={word}", d, np.tri(3, 4, k), "")
line("tri", [], "rows=3 columns=4 k=1 part=upper", "f32", np.triu(np.ones((3, 4)), 1), "")
line("tri", [], "rows=4 columns=3 k=-1 part=diagonal", "f32", np.eye(4, 3, -1), "")
line("tri", [], "rows=4 columns=3 k=1 part=diagonal invert dtype=bool", "bool", np.eye(4, 3, 1) == 0)
line("tri", [], "rows=0 columns=3", "f32", np.zeros((0, 3)), "")
for d in ["bool"] + INTS + FLOATS + ["c64", "c128"]:
    line("eye_like", [(d, np.ones((2, 3)))], "", d, np.eye(2, 3), "")
line("eye_like", [("f64", np.ones((2, 3, 3)))], "k=1", "f64", np.broadcast_to(np.eye(3, 3, 1), (2, 3, 3)), "")
fails("tri rows=-1 columns=2 ! VN_E_ARG", "tri rows=2 columns=2 part=best ! VN_E_ARG", "eye_like [1] ! VN_E_SHAPE")
title("positions")
for shape in ((3,), (2, 3), (2, 1, 3), (0, 2)):
    line("indices", [], f"shape={','.join(map(str, shape))}", "i64", np.indices(shape))
    line("indices", [], f"shape={','.join(map(str, shape))} last", "i64", np.moveaxis(np.indices(shape), 0, -1))
for n, m in ((3, 4), (4, 2), (0, 3), (3, 0)):
    for k in (-2, 0, 1, 9, -9):
        line("tril_indices", [], f"rows={n} columns={m} k={k}", "i64", np.array(np.tril_indices(n, k, m)).reshape(2, -1))
        line("triu_indices", [], f"rows={n} columns={m} k={k}", "i64", np.array(np.triu_indices(n, k, m)).reshape(2, -1))
for d in INTS:
    line("unravel_index", [(d, [[0, 5], [11, 7]])], "shape=3,4", "i64", np.array(np.unravel_index([[0, 5], [11, 7]], (3, 4))))
line("unravel_index", [("i64", [-1, 24, 23])], "shape=2,3,4", "i64", [[-1, -1, 1], [-1, -1, 2], [-1, -1, 3]])
line("unravel_index", [("i64", np.array(5))], "shape=6", "i64", [5])
fails("unravel_index [1] shape=2 ! VN_E_DTYPE", "unravel_index i64[1] shape=9223372036854775807,2 ! VN_E_SHAPE", "tril_indices rows=-1 columns=1 ! VN_E_ARG", "triu_indices rows=9223372036854775807 columns=2 ! VN_E_SHAPE")
for d in INTS + FLOATS:
    line("meshgrid_stack", [(d, [1, 2]), (d, [3, 4, 5])], "", d, np.stack(np.meshgrid([1, 2], [3, 4, 5], indexing="ij"), -1), "")
line("meshgrid_stack", [("f64", [1.0, 2.0])], "", "f64", [[1.0], [2.0]])
fails("meshgrid_stack [[1]] ! VN_E_SHAPE")
title("turned")
I = np.arange(24).reshape(2, 3, 4)
for d in ["bool"] + INTS + FLOATS + ["c64"]:
    x = I % 2 if d == "bool" else I
    line("rot90", [(d, x)], "", d, np.rot90(x), "")
for k in (-1, 0, 2, 3, 4, 5):
    line("rot90", [("f64", I)], f"k={k} axis1=2 axis2=1", "f64", np.rot90(I, k, (2, 1)), "")
fails("rot90 [1] ! VN_E_ARG", "rot90 [[1]] axis1=1 axis2=1 ! VN_E_ARG", "rot90 [[1]] axis2=2 ! VN_E_ARG")


def filled(x, v):
    x = np.array(x)
    n = min(x.shape[-2:])
    x[..., range(n), range(n)] = v
    return x


for d in INTS + FLOATS + ["c128"]:
    line("fill_diagonal", [(d, I[0]), "7"], "", d, filled(I[0], 7), "")
G = quarters(24, 2, 4, 3)
line("fill_diagonal", [("f64", G), ("f64", [1.5, 2.5, 3.5])], "", "f64", filled(G, [1.5, 2.5, 3.5]))
line("fill_diagonal", [("f64", G), ("f64", [[1.5, 2.5, 3.5], [0.5, 0.25, 0.75]])], "", "f64", filled(G, [[1.5, 2.5, 3.5], [0.5, 0.25, 0.75]]))
fails("fill_diagonal [1] 2 ! VN_E_SHAPE", "fill_diagonal [[1 2] [3 4]] [1 2 3] ! VN_E_SHAPE", "fill_diagonal i32[[1]] [1.5] ! VN_E_DTYPE")
for d in FLOATS + SIGNED:
    x = [1, 2, 3] if d in SIGNED else [0.5, -1.5, 2.0]
    line("vander", [(d, x)], "", d, np.vander(x))
    line("vander", [(d, x)], "columns=4 increasing", d, np.vander(x, 4, increasing=True))
line("vander", [("c128", np.array([1j, 2]))], "columns=3", "c128", np.vander(np.array([1j, 2]), 3))
line("vander", [("f64", [2.0, 3.0])], "columns=1", "f64", [[1.0], [1.0]])
line("vander", [("f64", np.zeros(0))], "columns=2", "f64", np.zeros((0, 2)))
line("vander", [("f64", np.zeros(0))], "", "f64", np.zeros((0, 0)))
fails("vander [[1]] ! VN_E_SHAPE", "vander bool[1] ! VN_E_DTYPE", "vander [1] columns=-1 ! VN_E_ARG")
for d in FLOATS:
    v = np.array([[1.0, 2.0, 3.0], [0.5, -1.5, 4.0]])
    line("skew_symmetric", [(d, v)], "", d, [[[0, -c, b], [c, 0, -a], [-b, a, 0]] for a, b, c in v])
fails("skew_symmetric [1 2] ! VN_E_SHAPE", "skew_symmetric i32[1 2 3] ! VN_E_DTYPE")
title("choices")
for d in ["bool"] + INTS + FLOATS:
    c = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1]] if d == "bool" else [[10, 11, 12], [20, 21, 22], [30, 31, 32]])
    line("choose", [("i64", [2, 0, 1]), (d, c)], "", d, np.choose([2, 0, 1], c), "")
    cond = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]]) > 0
    line("select", [("bool", cond), (d, c), "1"], "", d, np.select(list(cond), list(c), 1), "")
line("choose", [("i32", [[0], [1]]), ("f64", c.astype(float))], "", "f64", np.choose([[0], [1]], c))
line("choose", [("i64", np.array(1)), ("f64", c.astype(float))], "", "f64", c[1])
line("select", [("bool", cond[:, :1]), ("f64", c.astype(float)), ("f64", [[0.5], [1.5]])], "", "f64", np.select([x * np.ones((2, 3)) > 0 for x in cond[:, :1]], list(c), np.array([[0.5], [1.5]]) * np.ones((2, 3))))
fails("choose [1] [[1]] ! VN_E_DTYPE", "choose i64[1] f32{1} ! VN_E_SHAPE", "choose i64[0 0] f32(2,3)[1 ...] ! VN_E_SHAPE", "select [[1]] [[1]] 0 ! VN_E_DTYPE", "select bool[[1] [1]] [[1]] 0 ! VN_E_SHAPE")
for d, word in [("bool", "bool"), ("i64", "int64"), ("u8", "uint8"), ("f32", "float32"), ("f16", "float16"), ("bf16", "bfloat16"), ("f64", "float64")]:
    line("multi_hot", [("i32", [[0, 2, 2], [3, -1, 9]])], f"size=4 dtype={word}", d, [[1, 0, 1, 0], [0, 0, 0, 1]], "")
    if d != "bool":
        line("one_hot_fill", [("i64", [0, 2])], f"size=3 on=5 off=2 dtype={word}", d, [[5, 2, 2], [2, 2, 5]], "")
line("multi_hot", [("u8", [1])], "size=2", "f32", [0, 1], "")
line("one_hot_fill", [("i8", np.array([[1], [-1]]))], "size=2 on=-1", "f32", [[[0, -1]], [[0, 0]]], "")
fails("multi_hot i64{1} size=2 ! VN_E_SHAPE", "multi_hot [1] size=2 ! VN_E_DTYPE", "one_hot_fill i64[1] size=-1 ! VN_E_ARG", "one_hot_fill i64[1] size=2 dtype=complex64 ! VN_E_DTYPE")
save("places.case", "Grids, positions, choices.")
