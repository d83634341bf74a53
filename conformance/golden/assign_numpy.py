#!/usr/bin/env python3
"""Writes conformance/cases/assign.case: what NumPy's x[...] = y and x[...] += y give, for slices with steps and for positions on several axes.

Run by hand: python3 conformance/golden/assign_numpy.py > conformance/cases/assign.case
"""
import itertools

import numpy as np

rng = np.random.default_rng(7)
SHORT = {"float": "f", "uint": "u", "int": "i", "bool": "bool", "complex": "c"}


def written(a):
    """An array in the notation of the case files; a text is a number without a dtype as it stands."""
    if isinstance(a, str):
        return a
    a = np.asarray(a)
    kind = str(a.dtype).rstrip("0123456789")
    items = " ".join(f"{v.real:g}" if kind == "complex" else f"{v:g}" if kind == "float" else str(int(v)) for v in a.reshape(-1).tolist())
    name = SHORT[kind] + str(a.dtype)[len(kind):]
    return f"{name}({','.join(map(str, a.shape))})[{items}]" if a.ndim else f"{name}{{{items}}}"


def case(op, inputs, options, expected):
    texts = {k: ",".join(map(str, v)) if isinstance(v, tuple) else v for k, v in options.items()}
    print(op, *map(written, inputs), *(k if v is True else f"{k}={v}" for k, v in texts.items()), "=", written(expected))


def numbers(shape, dtype="float32"):
    n = int(np.prod(shape))
    return (rng.permutation(n) + 1).reshape(shape).astype(dtype)


def slices(parts):
    """Options of slice_step, and the index in Python."""
    start, stop, step = (tuple(p[k] for p in parts) for k in range(3))
    index = tuple(slice(*p) for p in parts)
    return {"start": start, "stop": tuple(-10**9 if b is None else b for b in stop), "step": step}, index


def assign(x, parts, y, add=False):
    options, index = slices(parts)
    z = x.copy()
    if add:
        z[index] += y
    else:
        z[index] = float(y.rstrip("i")) if isinstance(y, str) else y
    case("slice_step_set", [x, y], {**options, **({"add": True} if add else {})}, z)


print("# Written by assign_numpy.py.")
print("\n# ---- slice_step_set ----")
x = numbers(10)
for part in (1, 10, 2), (0, 10, 1), (9, None, -1), (9, None, -3), (2, 5, 1), (-3, 10, 1), (7, 2, -2), (3, 3, 1), (5, 2, 1), (0, 10, 9), (0, 10, 100), (4, 5, 1):
    n = len(x[slices([part])[1]])
    assign(x, [part], 100 * numbers(n))
    assign(x, [part], 100 * numbers(n), add=True)
    assign(x, [part], "-1.5")
x = numbers((4, 5))
for parts in ([(0, 4, 2), (4, None, -1)], [(3, None, -2), (1, 5, 3)], [(1, 3, 1), (0, 5, 2)], [(1, 3, 1), (2, 4, 1)], [(0, 4, 1), (0, 5, 1)], [(0, 0, 1), (0, 5, 2)]):
    shape = x[slices(parts)[1]].shape
    for of in shape, shape[1:], (shape[0], 1), ():
        assign(x, parts, 100 * numbers(of))
    assign(x, parts, 100 * numbers(shape), add=True)
    assign(x, parts, "7i")
x = numbers((3, 4, 5))
for steps in itertools.product((1, 2, -2), repeat=3):
    parts = [(0, n, s) if s > 0 else (n - 1, None, s) for n, s in zip(x.shape, steps)]
    assign(x, parts, 100 * numbers(x[slices(parts)[1]].shape))
assign(numbers((2, 3, 2, 4)), [(1, None, -1), (0, 3, 2), (1, 2, 1), (3, 0, -2)], 100 * numbers((2, 2, 1, 2)), add=True)
x = np.arange(40, dtype="float32").reshape(2, 20)
for parts in [(0, 2, 1), (3, 20, 8)], [(1, None, -1), (17, 0, -8)], [(1, 2, 1), (19, None, -9)], [(0, 2, 1), (19, 12, -1)], [(1, None, -1), (8, 20, 8)]:
    y = x[slices(parts)[1]][::-1] + 100
    assign(x, parts, y)
    assign(x, parts, y, add=True)
for d in "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float64", "complex64", "complex128":
    x = (numbers(7) % 2).astype(d)
    assign(x, [(6, None, -2)], np.array([1, 0, 1, 1], d))
    assign(x, [(1, 6, 2)], np.array(1, d))
    if d != "bool":
        assign(x, [(0, 7, 3)], np.array([1, 2, 3], d), add=True)
print("slice_step_set", "i64[1 2 3] 9007199254740993i start=0 stop=3 step=2 = i64[9007199254740993 2 9007199254740993]")
print("slice_step_set", "c64[1 2 3] 1+2j start=2 stop=-9 step=-2 = c64[1+2j 2 1+2j]")
case("slice_step_set", [np.float32(3), np.float32(4)], {"start": (), "stop": ()}, np.float32(4))
case("slice_step_set", [np.float32(3), np.float32(4)], {"start": (), "stop": (), "add": True}, np.float32(7))
case("slice_step_set", [numbers((0, 3)), np.zeros((0, 2), "float32")], {"start": (0, 0), "stop": (5, 3), "step": (2, 2)}, np.zeros((0, 3), "float32"))
print("""slice_step_set [1 2 3] [1 2] start=0 stop=3 ! VN_E_SHAPE "slice_step_set: 2 does not broadcast to 3"
slice_step_set [1 2 3] i32[1] start=0 stop=3 ! VN_E_DTYPE "y is int32 but x is float32"
slice_step_set i32[1 2 3] 0.5 start=0 stop=3 ! VN_E_DTYPE "0.5"
slice_step_set [1 2 3] 1+2j start=0 stop=3 ! VN_E_DTYPE
slice_step_set [1 2 3] [1] start=0 stop=3 step=0 ! VN_E_ARG "step 0"
slice_step_set [1 2 3] [1] start=0,0 stop=3 ! VN_E_ARG
slice_step_set bool[1 0] bool[1] start=0 stop=2 add ! VN_E_DTYPE
slice_step_set [1 2 3] null start=0 stop=3 ! VN_E_NULL""")


def positions(x, axes, shape):
    """Random positions into axes, some of them from the end."""
    return np.stack([rng.integers(-x.shape[a], x.shape[a], shape) for a in axes], -1).astype("int64")


def index(x, axes, at):
    where = [slice(None)] * x.ndim
    for k, a in enumerate(axes):
        where[a] = at[..., k]
    return tuple(where)


print("\n# ---- gather_nd and scatter_nd with axes ----")
x = numbers((2, 3, 4))
for axes in (0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (2, 0), (1, 0), (2, 1), (0, 1, 2), (2, 0, 1), (-1,), (-3, -1), (1, -1):
    for shape in (2,), (2, 2), ():
        at = positions(x, axes, shape)
        plain = tuple(a % 3 for a in axes)
        ordered = len(plain) == 1 or all(b == a + 1 for a, b in zip(plain, plain[1:]))
        where = index(x, plain, at)
        if not ordered and len(plain) > 1:  # NumPy puts neighbours in any order into their place: ours come first
            front = np.moveaxis(x, plain, range(len(plain)))
            expected = front[tuple(at[..., k] for k in range(len(plain)))]
        else:
            expected = x[where]
        case("gather_nd", [x, at], {"axes": axes}, expected)
        y = 100 * numbers(expected.shape)
        for add in False, True:
            moved = (np.moveaxis(x, plain, range(len(plain))) if not ordered else x).copy()
            to = tuple(at[..., k] for k in range(len(plain))) if not ordered else where
            if add:
                np.add.at(moved, to, y)
            else:
                moved[to] = y
            z = np.moveaxis(moved, range(len(plain)), plain) if not ordered else moved
            case("scatter_nd", [x, at, y], {"axes": axes, **({"add": True} if add else {})}, z)
print("scatter_nd [[1 2] [3 4]] i64[[0 1] [1 0]] 9 = [[1 9] [9 4]]")
print("scatter_nd i64[[1 2] [3 4]] i64[[0 1] [1 0]] 9007199254740993i axes=1,0 = i64[[1 9007199254740993] [9007199254740993 4]]")
print("""gather_nd [[1 2] [3 4]] i64[[2 0]] axes=1,0 = [nan]
scatter_nd [[1 2] [3 4]] i64[[2 0] [1 0]] [8 9] axes=1,0 = [[1 9] [3 4]]
gather_nd [[1 2] [3 4]] i64[[0 0]] axes=1 ! VN_E_ARG "1 axes are given"
gather_nd [[1 2] [3 4]] i64[[0 0]] axes=1,1 ! VN_E_ARG "axis 1 is given twice"
gather_nd [[1 2] [3 4]] i64[[0 0]] axes=1,2 ! VN_E_ARG "axis 2 is outside the rank 2"
gather_nd [[1 2] [3 4]] i64[[0 0]] axes=-1,-3 ! VN_E_ARG "axis -3 is outside"
scatter_nd [[1 2] [3 4]] i64[[0 0]] [1 2 3] axes=1,0 ! VN_E_SHAPE "does not broadcast" """.rstrip())
