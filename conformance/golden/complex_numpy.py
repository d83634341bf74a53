#!/usr/bin/env python3
"""Prints conformance/cases/complex.case: complex numbers, from numpy.

Run by hand, with numpy: python3 conformance/golden/complex_numpy.py > conformance/cases/complex.case. Functions are compared with those of numpy in long double, so that
every digit counts; special values are those of C's Annex G as far as numpy's libraries have them.
"""
import numpy as np

TAGS = {np.dtype(t): tag for t, tag in [(np.bool_, "bool"), (np.int32, "i32"), (np.int64, "i64"), (np.float16, "f16"), (np.float32, "f32"), (np.float64, "f64"),
                                        (np.complex64, "c64"), (np.complex128, "c128")]}
np.seterr(all="ignore")
INF, NAN = np.inf, np.nan


def number(v):
    if isinstance(v, (np.bool_, np.integer)):
        return str(int(v))
    if isinstance(v, np.complexfloating):
        imaginary = number(v.imag)
        return number(v.real) + ("" if imaginary[0] == "-" else "+") + imaginary + "j"
    text = repr(float(v))
    return text[:-2] if text.endswith(".0") else text


def array(a):
    a = np.asarray(a)
    numbers = " ".join(number(v) for v in a.ravel())
    if a.ndim == 0:
        return f"{TAGS[a.dtype]}{{{numbers}}}"
    shape = "" if a.ndim == 1 and a.size else f"({','.join(map(str, a.shape))})"
    return f"{TAGS[a.dtype]}{shape}[{numbers}]"


def case(op, inputs, result, options="", tolerance=""):
    words = [op, *[x if isinstance(x, str) else array(x) for x in inputs], options, "=", result if isinstance(result, str) else array(result)]
    print(" ".join(w for w in words if w) + (f" ~ {tolerance}" if tolerance else ""))


def c64(*values):
    return np.array(values, np.complex64)


def c128(*values):
    return np.array(values, np.complex128)


def rough(*values):
    """A place without derivatives: a NaN behind the values keeps the runner from looking for them."""
    return c128(*values, complex(NAN, NAN))


def title(text):
    print(f"\n# {text}")


POINTS = c128(0.5 + 0.25j, -0.75 + 1.5j, -2 - 0.5j, 1.25 - 2j, 0.125 - 0.5j, 3 + 0.75j)
FUNCTIONS = {"sqrt": np.sqrt, "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "log10": np.log10, "sin": np.sin,
             "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
             "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh}


def exact(function, x):
    """function in long double, rounded to the dtype of x."""
    return function(np.asarray(x).astype(np.clongdouble)).astype(np.asarray(x).dtype)


def functions():
    title("Functions: values, in both precisions, and derivatives.")
    for name, function in FUNCTIONS.items():
        case(name, [POINTS], exact(function, POINTS), tolerance="1e-14")
        case(name, [POINTS.astype(np.complex64)[:4]], exact(function, POINTS.astype(np.complex64)[:4]), tolerance="3e-7")
    title("Sides of the branch cuts, which the sign of a zero tells.")
    sides = rough(complex(-2, 0.0), complex(-2, -0.0), complex(2, 0.0), complex(2, -0.0), complex(0.0, 2), complex(-0.0, 2), complex(0.0, -2))
    for name in ["sqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh"]:
        case(name, [sides], exact(FUNCTIONS[name], sides), tolerance="1e-14")
    title("Far out, and close to 0: nothing overflows or loses its digits on the way.")
    far = rough(1e300 + 1e300j, 1e-300 + 2e-300j, -3e200 + 4e-200j, 5e-324 + 0j)
    for name in ["sqrt", "log"]:
        case(name, [far], exact(FUNCTIONS[name], far), tolerance="1e-14 rel")
    for name in ["asin", "acosh", "atan"]:
        case(name, [far[[0, 1, -1]]], exact(FUNCTIONS[name], far[[0, 1, -1]]), tolerance="1e-14")
    near = c128(1e-10 + 1e-10j, 3e-20 - 1e-15j, -1e-12 + 2e-9j)
    case("expm1", [near], np.array([np.complex128(z + z * z / 2 + z * z * z / 6) for z in near.astype(np.clongdouble)]), tolerance="1e-14 rel")
    case("log1p", [near], np.array([np.complex128(z - z * z / 2 + z * z * z / 3) for z in near.astype(np.clongdouble)]), tolerance="1e-14 rel")
    large = c128(709.5 + 1.57j, -800 + 1j, 712 + 1.5707963267948966j)
    for name in ["exp", "sinh", "cosh", "tanh"]:
        case(name, [large], exact(FUNCTIONS[name], large), tolerance="1e-12 rel")


def special():
    title("Special values.")
    table = {
        "exp": [(complex(INF, 0), complex(INF, 0)), (complex(-INF, 1), complex(0, 0)), (complex(-INF, INF), complex(0, 0)),
                (complex(INF, NAN), complex(INF, NAN)), (complex(1, INF), complex(NAN, NAN)), (complex(NAN, 0), complex(NAN, 0))],
        "log": [(complex(0, 0), complex(-INF, 0)), (complex(-0.0, 0), complex(-INF, np.pi)), (complex(INF, INF), complex(INF, np.pi / 4)),
                (complex(-INF, 1), complex(INF, np.pi)), (complex(NAN, INF), complex(INF, NAN)), (complex(NAN, 1), complex(NAN, NAN))],
        "sqrt": [(complex(-0.0, -0.0), complex(0, -0.0)), (complex(1, INF), complex(INF, INF)), (complex(-INF, 1), complex(0, INF)),
                 (complex(-INF, -1), complex(0, -INF)), (complex(INF, -1), complex(INF, -0.0)), (complex(NAN, 1), complex(NAN, NAN))],
        "sinh": [(complex(-0.0, 0), complex(-0.0, 0)), (complex(INF, 0), complex(INF, 0)), (complex(0, INF), complex(0, NAN)),
                 (complex(INF, INF), complex(INF, NAN)), (complex(NAN, 0), complex(NAN, 0)), (complex(1, INF), complex(NAN, NAN))],
        "cosh": [(complex(0, 0), complex(1, 0)), (complex(INF, 0), complex(INF, 0)), (complex(-INF, 0), complex(INF, -0.0)),
                 (complex(INF, INF), complex(INF, NAN)), (complex(INF, NAN), complex(INF, NAN)), (complex(1, INF), complex(NAN, NAN))],
        "tanh": [(complex(INF, 1), complex(1, 0)), (complex(-INF, INF), complex(-1, 0)), (complex(INF, NAN), complex(1, 0)),
                 (complex(NAN, 0), complex(NAN, 0)), (complex(-0.0, -0.0), complex(-0.0, -0.0)), (complex(1, INF), complex(NAN, NAN))],
        "asin": [(complex(INF, 1), complex(np.pi / 2, INF)), (complex(1, INF), complex(0, INF)), (complex(INF, -INF), complex(np.pi / 4, -INF))],
        "acos": [(complex(INF, 1), complex(0, -INF)), (complex(-INF, 1), complex(np.pi, -INF)), (complex(1, -INF), complex(np.pi / 2, INF))],
        "acosh": [(complex(INF, 1), complex(INF, 0)), (complex(-INF, 1), complex(INF, np.pi)), (complex(1, -INF), complex(INF, -np.pi / 2))],
        "atanh": [(complex(1, 0), complex(INF, 0)), (complex(INF, 1), complex(0, np.pi / 2)), (complex(-1, -INF), complex(-0.0, -np.pi / 2))],
        "abs": [(complex(INF, NAN), INF), (complex(NAN, 1), NAN), (complex(-0.0, -0.0), 0.0), (complex(3e300, -4e300), 5e300),
                (complex(3e-300, 4e-300), 5e-300), (complex(-INF, 1), INF)],
        "isnan": [(complex(NAN, 0), True), (complex(0, NAN), True), (complex(INF, 1), False)],
        "isinf": [(complex(NAN, -INF), True), (complex(INF, 0), True), (complex(1, NAN), False)],
        "isfinite": [(complex(1, 2), True), (complex(NAN, 0), False), (complex(0, INF), False)],
    }
    for name, rows in table.items():
        case(name, [c128(*[x for x, _ in rows])], np.array([z for _, z in rows]), tolerance="2e-15 rel" if name == "abs" else "")
    case("abs", [rough(3e38 + 0j, 3e-40 + 4e-40j, 3 - 4j).astype(np.complex64)], np.array([3e38, 5e-40, 5, NAN], np.float32), tolerance="1e-4 rel")


def arithmetic():
    title("Arithmetic: dtypes, broadcasting, numbers in an expression.")
    x, y = POINTS[:3], POINTS[3:]
    for name, f in [("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide)]:
        case(name, [x, y], f(x, y))
        case(name, [x.astype(np.complex64), y.astype(np.complex64)], f(x, y).astype(np.complex64))
        case(name, [x.reshape(3, 1), y], f(x.reshape(3, 1), y))
        case(name, [x.astype(np.complex64), np.array([1.5, -2, 0.5], np.float32)], f(x, np.array([1.5, -2, 0.5])).astype(np.complex64))
        case(name, [x.astype(np.complex64), np.array([1.5, -2, 0.5])], f(x, np.array([1.5, -2, 0.5])))
        case(name, ["2", x.astype(np.complex64)], f(np.complex64(2), x.astype(np.complex64)))
    case("add", [np.array([True, False]), c64(1j, 2)], c64(1 + 1j, 2))
    case("mul", [np.array([2, 3], np.int32), c64(1j, 2)], c64(2j, 6))
    case("add", [np.array([1, 2], np.float16), c64(1j, 2)], c64(1 + 1j, 4))
    case("mul", [np.complex128(1 + 2j), np.complex128(3 - 1j)], np.complex128(5 + 5j))
    case("add", [np.zeros((2, 0), np.complex64), c64(1j).reshape(1, 1)], np.zeros((2, 0), np.complex64))
    case("div", [c128(1, 0, 1e300 + 1e300j, 1e-310 + 1e-310j), c128(0, 0, 2e300 + 2e300j, 1e-310 - 1e-310j)],
         "c128[inf+nanj nan+nanj 0.5+0j 1j]", tolerance="1e-13")
    case("mul", [c128(complex(INF, 0), complex(INF, NAN), complex(0, -INF)), c128(2, 2, 1j)], "c128[inf+nanj nan+nanj inf+nanj]")
    case("mul", ["c64(37)[inf+nanj 1+infj ...]", "c64(37)[2 ...]"], "c64(37)[nan+nanj nan+infj ...]")
    case("add", [c64(complex(INF, 1), complex(NAN, 1)), c64(complex(1, -INF), 1)], "c64[inf-infj nan+1j]")
    case("neg", [x], -x)
    case("neg", [c64(0, 1 - 2j)], c64(complex(-0.0, -0.0), -1 + 2j))
    case("square", [x], x * x)
    case("square", [x.astype(np.complex64)], (x * x).astype(np.complex64))
    case("reciprocal", [y], 1 / y)
    case("abs", [POINTS], np.abs(POINTS))
    case("abs", [c64(3 + 4j, -5 - 12j)], np.array([5, 13], np.float32))
    case("sign", [POINTS], POINTS / np.abs(POINTS))
    case("sign", [rough(3 + 4j, 0).astype(np.complex64)], rough(0.6 + 0.8j, 0).astype(np.complex64))
    case("sign", [rough(3e300 + 4e300j, -3e-310j, 0)], rough(0.6 + 0.8j, -1j, 0))
    case("pow", [x, y], np.power(x.astype(np.clongdouble), y.astype(np.clongdouble)).astype(np.complex128), tolerance="1e-13")
    case("pow", [POINTS, "3"], POINTS**3, tolerance="1e-13")
    case("pow", [POINTS, "-2"], 1 / POINTS**2, tolerance="1e-13")
    case("pow", [rough(1 + 1j, 0, 0, 2, 0, 0), c128(0, 0, 2 + 1j, 0.5j, -1, 1j, 1)],
         rough(1, 1, 0, np.power(2, 0.5j), complex(NAN, NAN), complex(NAN, NAN)))
    case("equal", [c64(1 + 1j, 1 + 1j, complex(NAN, 0)), c64(1 + 1j, 1 - 1j, complex(NAN, 0))], np.array([True, False, False]))
    case("not_equal", [c128(1 + 1j, 1 + 1j, complex(NAN, 0)), c128(1 + 1j, 1 - 1j, complex(NAN, 0))], np.array([False, True, True]))
    case("equal", [c64(1, 2 + 1j), "1"], np.array([True, False]))
    case("logical_not", [c64(1j, 0)], np.array([False, True]))
    case("logical_and", [c64(1j, 0), c64(1, 1)], np.array([True, False]))


def parts():
    title("Parts.")
    x = POINTS[:4]
    case("real", [x], x.real)
    case("real", [x.astype(np.complex64)], x.real.astype(np.float32))
    case("real", [np.array([1, 2], np.int32)], np.array([1, 2], np.int32))
    case("real", [np.array([1, 2], np.float32)], np.array([1, 2], np.float32))
    case("imag", [x], x.imag)
    case("imag", [x.astype(np.complex64)], x.imag.astype(np.float32))
    case("imag", [np.array([1, 2], np.float64)], np.zeros(2))
    case("imag", [np.array([1, 2], np.int32)], np.zeros(2, np.int32))
    case("conj", [x], x.conj())
    case("conj", [x.astype(np.complex64)], x.conj().astype(np.complex64))
    case("conj", [np.array([1.5, -2], np.float16)], np.array([1.5, -2], np.float16))
    case("angle", [POINTS], np.angle(POINTS))
    case("angle", [rough(1j, -1, 0).astype(np.complex64)], np.angle(rough(1j, -1, 0)).astype(np.float32))
    case("angle", [np.array([1, -1], np.float32)], np.array([0, np.pi], np.float32))
    ends = np.array([0, -0.0, INF, -INF, NAN])
    case("angle", [ends], np.angle(ends))
    re, im = np.array([1, -2, 0.5]), np.array([0.25, 3, -1])
    case("complex", [re, im], re + 1j * im)
    case("complex", [re.astype(np.float32), im.astype(np.float32)], (re + 1j * im).astype(np.complex64))
    case("complex", [re.astype(np.float32), im], re + 1j * im)
    case("complex", [re.astype(np.float16), im.astype(np.float16)], (re + 1j * im).astype(np.complex64))
    case("complex", [re.reshape(3, 1), im], re.reshape(3, 1) + 1j * im)
    case("complex", [re.astype(np.float32), "2"], (re + 2j).astype(np.complex64))
    case("complex", ["0", im], c128(0.25j, 3j, complex(0, -1)))
    case("complex", ["f32(0)[]", "f32(0)[]"], np.zeros(0, np.complex64))
    case("complex", ["f64{inf}", "f64{nan}"], "c128{inf+nanj}")
    case("real", ["c64{1+2j}"], "f32{1}")
    case("cast", [c64(1 + 2j, -3j)], c128(1 + 2j, -3j), "dtype=complex128")
    case("cast", [c128(1 + 2j, 1e300 - 3j)], "c64[1+2j inf-3j]", "dtype=complex64")
    case("cast", [np.array([1.5, -2], np.float16)], c64(1.5, -2), "dtype=complex64")
    case("cast", [np.array([1.5, -2], np.float64)], c128(1.5, -2), "dtype=complex128")
    case("cast", [np.array([7, -2], np.int32)], c128(7, -2), "dtype=complex128")
    case("cast", [np.array([True, False])], c64(1, 0), "dtype=complex64")
    case("variable", [x], x)
    case("stop_gradient", [x], x)


def arrays():
    title("Shapes, choices, sums and products.")
    x = np.arange(1, 7).reshape(2, 3) + 1j * np.array([[0.5, -1, 2], [1, 0, -3]])
    half = x.astype(np.complex64)
    case("sum", [x], x.sum())
    case("sum", [half], half.sum(1), "axes=-1")
    case("sum", [x], x.sum(0, keepdims=True), "axes=0 keepdims")
    case("sum", ["c64(0,3)[]"], np.zeros(3, np.complex64), "axes=0")
    case("sum", ["c64(70000)[1+2j 0.5-1j ...]"], "c64{52500+35000j}")
    case("sum", ["c128(300,300)[1+2j 0.5-1j ...]"], "c128(300)[225+150j ...]", "axes=1")
    case("sum", ["c128(300,300)[1+2j 0.5-1j ...]"], "c128(300)[300+600j 150-300j ...]", "axes=0")
    case("sum", ["c128(20000,3)[1+2j 0.5-1j 3 ...]"], "c128[20000+40000j 10000-20000j 60000]", "axes=0")
    case("mean", [x], x.mean(1), "axes=1")
    case("mean", [half], half.mean())
    case("prod", [x], x.prod(1), "axes=1", "1e-13")
    case("prod", [half], half.prod(0), "axes=0")
    case("any", [c64(0, 1j)], np.bool_(True))
    case("all", [c64(0, 1j)], np.bool_(False))
    case("cumulative_sum", [x], x.cumsum(1), "axis=1")
    case("cumulative_sum", [half], half[::-1].cumsum(0)[::-1], "axis=0 reverse")
    case("matmul", [x, x.T], x @ x.T)
    case("matmul", [half, half.T], half @ half.T)
    case("matmul", [x, x[0]], x @ x[0])
    case("matmul", [half, np.array([1, -1, 2], np.float32)], half @ np.array([1, -1, 2], np.float32))
    case("matmul", [np.stack([x, 1j * x]), x.T], np.stack([x, 1j * x]) @ x.T)
    case("matmul", ["c64(0,3)[]", half.T], np.zeros((0, 2), np.complex64))
    case("matmul", ["c128(40,70)[1+1j 2-1j ...]", "c128(70,50)[0.5-0.5j ...]"], "c128(40,50)[52.5-52.5j ...]")
    case("matmul", ["c64(200,300)[1+1j 2-1j ...]", "c64(300,250)[0.5-0.5j ...]"], "c64(200,250)[225-225j ...]")
    case("matmul", ["c64(200,300)[1+1j 2-1j ...]", "c64(300,1)[0.5-0.5j ...]"], "c64(200,1)[225-225j ...]")
    case("matmul", ["c128(17,5,300)[1+1j 2-1j ...]", "c128(17,300,7)[0.5-0.5j ...]"], "c128(17,5,7)[225-225j ...]")
    mask = np.array([[True], [False]])
    case("where", [mask, x, -x], np.where(mask, x, -x))
    case("where", [mask, half, "0"], np.where(mask, half, 0).astype(np.complex64))
    case("where", [mask, x, np.float64(2)], np.where(mask, x, 2))
    case("reshape", [x], x.reshape(3, 2), "shape=3,2")
    case("broadcast_to", [x[:, :1]], np.broadcast_to(x[:, :1], (2, 3)), "shape=2,3")
    case("permute_dims", [x], x.T, "axes=1,0")
    case("permute_dims", [half], half.T, "axes=1,0")
    case("permute_dims", ["c128(100,200)[1+1j ...]"], "c128(200,100)[1+1j ...]", "axes=1,0")
    case("flip", [x], x[:, ::-1], "axes=1")
    case("slice", [x, "i64[0 1]"], x[:, 1:], "size=2,2")
    case("slice", [half, "i64[1 0]"], half[1:], "size=1,3")
    case("slice_set", [x, x[:1, :2] * 1j, "i64[1 1]"], np.vstack([x[:1], np.hstack([x[1:, :1], x[:1, :2] * 1j])]))
    case("expand_dims", [half], half.reshape(2, 1, 3), "axis=1")


def errors():
    title("What complex numbers do not have: an order, roundings, a place on the real line.")
    x = "c64[1+2j 3]"
    for name in ["less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "floor_divide", "remainder", "atan2", "logaddexp", "hypot"]:
        print(f"{name} {x} {x} ! VN_E_DTYPE")
    for name in ["floor", "ceil", "trunc", "erf", "sigmoid", "softplus"]:
        print(f"{name} {x} ! VN_E_DTYPE")
    for name in ["max", "min", "var", "std", "logsumexp"]:
        print(f"{name} {x} ! VN_E_DTYPE")
    for line in [f"softmax {x} axis=0 ! VN_E_DTYPE", f"clip {x} 0 1 ! VN_E_DTYPE", f"cast {x} dtype=float32 ! VN_E_DTYPE",
                 f"cast {x} dtype=int64 ! VN_E_DTYPE", f"cast {x} dtype=bool ! VN_E_DTYPE", f"complex {x} [1 2] ! VN_E_DTYPE",
                 "complex i32[1 2] i32[1 2] ! VN_E_DTYPE", "complex [1 2] [1 2 3] ! VN_E_SHAPE", "real bool[1] ! VN_E_DTYPE",
                 "angle i32[1] ! VN_E_DTYPE", "conj bool[1] ! VN_E_DTYPE", "imag bool[1] ! VN_E_DTYPE", "real null ! VN_E_NULL",
                 f"slice_set {x} [1] i64[0] ! VN_E_DTYPE", f"slice {x} {x} size=1 ! VN_E_DTYPE"]:
        print(line)


def moved():
    """Ops that move numbers, and products: positions that are out of range read as NaN and are not written."""
    title("---- moved, not computed ----")
    x, y, m = c64(1 + 2j, 3, 0 - 1j), c128(1, 2, 3), np.array([[1 + 2j, 3], [4, 5j]])
    i = np.array([2, 0, -1, 5])
    case("take", [x, i], np.append(x, c64(NAN))[[2, 0, 2, 3]], "axis=0")
    case("take", [m, np.array([1, 7])], np.array([m[1], [NAN, NAN]]), "axis=0")
    case("index_set", [y, np.array([0, 9]), c128(1j, 2j)], c128(1j, 2, 3), "axis=0")
    case("index_add", [c64(1j, 2), np.array([0, 0]), c64(1, 1j)], c64(1 + 2j, 2), "axis=0")
    case("concat", [x[:1], x[1:]], x, "axis=0")
    case("stack", [c128(1j), c128(2)], np.stack([c128(1j), c128(2)]), "axis=0")
    case("pad", [x], np.pad(x, (1, 1)), "before=1 after=1")
    case("stride", [POINTS], POINTS[::2], "steps=2")
    case("roll", [x], np.roll(x, 1), "shift=1")
    case("tril", [m], np.tril(m))
    case("outer", [c64(1j, 2), c64(1, 1j)], np.outer(c64(1j, 2), c64(1, 1j)))
    case("einsum", [m, c128(1, 1j)], m @ c128(1, 1j), "equation=ij,j->i")
    case("cumulative_prod", [c64(1j, 2, 1j)], np.cumprod(c64(1j, 2, 1j)), "axis=0")
    case("mask", [x, np.array([True, False, True])], x[[0, 2]])
    for name in ["sort", "argmax"]:
        print(f"{name} {array(x)} ! VN_E_DTYPE")
    print(f"topk {array(x)} k=1 ! VN_E_DTYPE\nconv c64(1,2,1)[1 2] c64(1,1,1)[1] ! VN_E_DTYPE")


print("# Complex numbers: arithmetic, functions, parts, and the ops that take any dtype. Printed by complex_numpy.py.")
arithmetic()
parts()
arrays()
functions()
special()
errors()
moved()
