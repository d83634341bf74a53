#!/usr/bin/env python3
"""Writes conformance/cases/{index,sort,select}.case: expected results of indexing, sorting and selecting, from numpy.

Run by hand, with numpy: python3 conformance/golden/index_numpy.py [folder], default conformance/cases. numpy refuses positions out of range: for reading, x gets an extra
element, NaN or 0; for writing, such positions are dropped. Derivatives are checked at the values of lines whose inputs are
all finite, so where a difference could change an order these lines have an infinity, a NaN, or integers.
"""
import os
import sys

import numpy as np
from lines import FLOATS, INF, INTS, NAN, out, title, written

KIND = {"bool": "?", "f32": "f4", "f64": "f8", "f16": "f4", "bf16": "f4"} | {f"{s}{b}": f"{s}{b // 8}" for s in "iu" for b in (8, 16, 32, 64)}
ANY = ["bool"] + INTS + FLOATS
FEW = ["bool", "i64", "bf16", "f32"]  # of every size


def line(op, inputs, options, result):
    """inputs and result: (dtype, array), or text."""
    words = [i if isinstance(i, str) else written(*i) for i in inputs]
    out.append(" ".join([op] + words + ([options] if options else []) + ["=", written(*result)]))


def fails(code, *lines):
    out.extend(f"{words} ! VN_E_{code}" for words in lines)


def numbers(d, values, shape=None):
    a = np.array(values, dtype=float if d in FLOATS else object)
    return np.asarray(a if shape is None else a.reshape(shape)).astype(KIND[d])


# ---- indexing ----


def valid(i, n):
    return (i >= -n) & (i < n)


def take(d, x, i, axis):
    n = x.shape[axis]
    missing = np.full([1 if k == axis else s for k, s in enumerate(x.shape)], NAN if d in FLOATS else 0).astype(x.dtype)
    return np.take(np.concatenate([x, missing], axis), np.where(valid(i, n), np.where(i < 0, i + n, i), n), axis)


def put(x, i, y, axis, add):
    """One index after the other, in order."""
    x, n = np.moveaxis(x.copy(), axis, 0), x.shape[axis]
    y = np.broadcast_to(y, np.moveaxis(x, 0, axis).shape[:axis] + i.shape + np.moveaxis(x, 0, axis).shape[axis + 1 :])
    y = np.moveaxis(y, range(axis, axis + i.ndim), range(i.ndim)).reshape((i.size,) + x.shape[1:])
    for j, p in enumerate(i.ravel()):
        if valid(p, n):
            x[p] = x[p] + y[j] if add else y[j]
    return np.moveaxis(x, 0, axis)


def along(d, x, i, axis):
    axis %= x.ndim
    shape = np.broadcast_shapes(*([s for k, s in enumerate(a.shape) if k != axis] for a in (x, i)))
    x, i = (np.broadcast_to(a, shape[:axis] + (a.shape[axis],) + shape[axis:]) for a in (x, i))
    z = np.empty(i.shape, x.dtype)
    for at in np.ndindex(i.shape):
        row = x[at[:axis] + (slice(None),) + at[axis + 1 :]]
        z[at] = row[i[at]] if valid(i[at], len(row)) else NAN if d in FLOATS else 0
    return z


def put_along(x, i, y, axis, add):
    axis %= x.ndim
    i = np.broadcast_to(i, [i.shape[axis] if k == axis else s for k, s in enumerate(x.shape)])
    x, y = x.copy(), np.broadcast_to(y, i.shape)
    for at in np.ndindex(i.shape):
        if valid(i[at], x.shape[axis]):
            to = at[:axis] + (i[at],) + at[axis + 1 :]
            x[to] = x[to] + y[at] if add else y[at]
    return x


def index_case():
    a = numbers("f32", np.arange(24) * 0.5 - 3, (2, 3, 4))
    title("take: the axes of the index replace one of x's; below 0 from the end; out of range NaN or 0")
    for i, axis in [([2, 0, -1, 2], 1), ([[0, 3, 4], [-4, -5, 1]], 2), (1, 0), (-3, 0), ([], 1)]:
        i = np.array(i, dtype="i8")
        line("take", [("f32", a), ("i64", i)], f"axis={axis}", ("f32", take("f32", a, i, axis)))
    line("take", [("f32", a), "i64[1 1]"], "axis=-3", ("f32", a[[1, 1]]))
    far = np.array([2**63 - 1, -(2**63), 2, -3])
    line("take", [("f64", [1.5, -0.0, INF]), ("i64", far)], "axis=0", ("f64", [NAN, NAN, INF, 1.5]))
    line("take", [("f32", np.zeros((2, 0))), "i64[0 -1]"], "axis=1", ("f32", np.full((2, 2), NAN)))
    line("take", [("i32", np.zeros((0, 2))), "i64[0]"], "axis=0", ("i32", [[0, 0]]))
    line("take", [("f32", np.zeros((0, 2))), ("i64", np.zeros((0, 3)))], "axis=0", ("f32", np.zeros((0, 3, 2))))
    for d in ANY:
        x, i = numbers(d, [1, 0, 1, 0, 1, 1] if d == "bool" else [1, 2, 3, 100, 5, 6], (3, 2)), np.array([2, -1, 0, 3])
        line("take", [(d, x), ("i64", i)], "axis=0", (d, take(d, x, i, 0)))
        if d in FEW:
            line("take", [(d, x.ravel()), ("i64", i)], "axis=0", (d, take(d, x.ravel(), i, 0)))
    for d in INTS:
        line("take", ["[1 2 3]", (d, [2, 0, 100])], "axis=0", ("f32", [3, 1, NAN]))
    line("take", ["[1 2 3]", "u64[18446744073709551615 1]"], "axis=0", ("f32", [NAN, 2]))
    line("take", ["f64[1e300 nan -inf]", "u8[255 2 1]"], "axis=0", ("f64", [NAN, -INF, NAN]))
    line("take", ["i64[9223372036854775807 -9223372036854775808]", "i8[-1 0]"], "axis=0", ("i64", [-(2**63), 2**63 - 1]))
    fails("DTYPE", "take [1 2] [0] axis=0", "take [1 2] bool[0] axis=0", "take [1 2] 0 axis=0")
    fails("ARG", "take [1 2] i64[0] axis=1", "take [1 2] i64[0] axis=-2", "take f32{1} i64[0] axis=0", "take [1 2] i64[0]")
    ones = ",".join("1" * 17)
    fails("SHAPE", f"take f32({ones})[1] i64({ones})[0] axis=0")
    fails("NULL", "take [1 2] null axis=0")

    title("index_add, index_set: all are added, the last one stays")
    y = numbers("f32", np.arange(32) * 0.25 + 1, (2, 4, 4))
    for op, add in [("index_add", True), ("index_set", False)]:
        for i, part, axis in [([2, 0, -1, 2], y, 1), ([1, 7, -9, -2], y, 1), (0, y[0, :3], 0), ([], y[:, :0], 1)]:
            i = np.array(i, dtype="i8")
            line(op, [("f32", a), ("i64", i), ("f32", part)], f"axis={axis}", ("f32", put(a, i, part, axis, add)))
        i = np.array([[0, 3], [0, -1]])
        part = numbers("f32", [1, 2, 3, 4], (1, 2, 2))
        line(op, [("f32", a), ("i64", i), ("f32", part)], "axis=-1", ("f32", put(a, i, part, 2, add)))
        line(op, [("f32", a), "i64[1 1]", "0.5"], "axis=0", ("f32", put(a, np.array([1, 1]), np.float32(0.5), 0, add)))
        line(op, ["f64[1 2 3]", "u64[2 18446744073709551615]", "f64[inf 5]"], "axis=0", ("f64", [1, 2, INF]))
        line(op, [("f32", np.zeros((2, 0))), "i64[0]", "[[1] [2]]"], "axis=1", ("f32", np.zeros((2, 0))))
        for d in ANY if op == "index_set" else ANY[1:]:
            x, part = (numbers(d, v, (3, 2)) for v in ([1, 0, 1, 0, 1, 1], [0, 1, 1, 0, 0, 1])) if d == "bool" else (
                numbers(d, [1, 2, 3, 100, 5, 6], (3, 2)), numbers(d, [1, 20, 7, 8, 9, 11], (3, 2)))
            line(op, [(d, x), "i64[2 2 0]", (d, part)], "axis=0", (d, put(x, np.array([2, 2, 0]), part, 0, add)))
        fails("DTYPE", f"{op} [1 2] i64[0] f64[1] axis=0", f"{op} [1 2] [0] [1] axis=0", f"{op} i32[1 2] i64[0] 0.5 axis=0")
        fails("SHAPE", f"{op} [1 2] i64[0] [1 2] axis=0", f"{op} [1 2] i64[0] [[1]] axis=0", f"{op} [[1 2]] i64[0] [[1] [2] [3]] axis=1")
        fails("ARG", f"{op} [1 2] i64[0] [1] axis=1", f"{op} f32{{1}} i64[0] [1] axis=0", f"{op} [1 2] i64[0] [1]")
        fails("NULL", f"{op} [1 2] i64[0] null axis=0")
    line("index_add", ["f16[2048 1]", "i64[0 0 1]", "f16[1 1 5]"], "axis=0", ("f16", [2050.0, 6]))  # added in float32, rounded once
    line("index_add", ["i8[100 1]", "i64[0 0]", "i8[100 100]"], "axis=0", ("i8", [44, 1]))
    fails("DTYPE", "index_add bool[1 0] i64[0] bool[1] axis=0")

    title("take_along_axis, put_along_axis")
    i = np.array([[[0, 1, -1, 3], [2, -3, 1, -4]]])
    one = np.array([[[3], [-1], [4]], [[0], [1], [-5]]])
    for x, j, axis in [(a, i, 1), (a, one, -1), (a[:, :1], i, 1), (a[:1], np.zeros((2, 0, 4), int), 1), (a[0, 0], np.array([3, 3]), 0)]:
        line("take_along_axis", [("f32", x), ("i64", j)], f"axis={axis}", ("f32", along("f32", x, j, axis)))
    line("take_along_axis", ["u8[[1 2] [3 4]]", "u64[[1] [2]]"], "", ("u8", [[2], [0]]))
    for add in (0, 1):
        word = " add" if add else ""
        y = numbers("f32", [10, 20, 30, 40], (1, 1, 4))
        line("put_along_axis", [("f32", a), ("i64", i), ("f32", y)], "axis=1" + word, ("f32", put_along(a, i, y, 1, add)))
        line("put_along_axis", [("f32", a), ("i64", one), "0.25"], "axis=-1" + word, ("f32", put_along(a, one, np.float32(0.25), -1, add)))
        same = np.array([1, 1, 0, 1])
        line("put_along_axis", [("f32", a[0, 0]), ("i64", same), ("f32", y[0, 0])], "add" if add else "", ("f32", put_along(a[0, 0], same, y[0, 0], 0, add)))
    line("put_along_axis", ["bool[1 1]", "i8[1]", "bool[0]"], "", ("bool", [1, 0]))
    fails("SHAPE", "take_along_axis [1 2] i64[[0]]", "take_along_axis [[1 2] [3 4]] i64(3,1)[0 0 0]", "put_along_axis [1 2] i64{0} [1]",
          "put_along_axis [[1 2]] i64[[0] [0]] 1", "put_along_axis [1 2] i64[0] [1 2]")
    fails("ARG", "take_along_axis [1 2] i64[0] axis=1", "take_along_axis f32{1} i64{0}", "put_along_axis [1 2] i64[0] [1] axis=-2")
    fails("DTYPE", "take_along_axis [1 2] [0]", "put_along_axis [1 2] i64[0] f64[1]", "put_along_axis bool[1 0] i64[0] bool[1] add")

    title("gather_nd, scatter_nd: the last axis of the index holds a position")
    at = np.array([[1, 2], [0, -1], [-2, 0], [2, 0], [0, -4]])
    rows = np.array([a[1, 2], a[0, 2], a[0, 0], np.full(4, NAN), np.full(4, NAN)])
    line("gather_nd", [("f32", a), ("i64", at)], "", ("f32", rows))
    line("gather_nd", [("f32", a), ("i32", at[:3].reshape(3, 1, 2))], "", ("f32", rows[:3].reshape(3, 1, 4)))
    line("gather_nd", [("f32", a), "i64[1 -2 3]"], "", ("f32", a[1, -2, 3]))
    line("gather_nd", [("f32", a[0]), ("i64", np.zeros((2, 0)))], "", ("f32", np.array([a[0], a[0]])))
    line("gather_nd", [("i32", np.zeros((0, 2))), "i64[[0 0]]"], "", ("i32", [0]))
    z, w = a.copy(), a.copy()
    y = numbers("f32", np.arange(20) + 1, (5, 4))
    z[1, 2], z[0, 2], z[0, 0] = y[:3]
    w[1, 2] += y[0]; w[0, 2] += y[1]; w[0, 0] += y[2]
    line("scatter_nd", [("f32", a), ("i64", at), ("f32", y)], "", ("f32", z))
    line("scatter_nd", [("f32", a), ("i64", at), ("f32", y)], "add", ("f32", w))
    line("scatter_nd", ["i32[1 2 3]", "i64[[0] [0] [-1]]", "i32[5 6 7]"], "", ("i32", [6, 2, 7]))
    line("scatter_nd", ["i32[1 2 3]", "i64[[0] [0] [-1]]", "5"], "add", ("i32", [11, 2, 8]))
    fails("SHAPE", "gather_nd [1 2] i64{0}", "gather_nd [1 2] i64[0 0]", "scatter_nd [1 2] i64[[0]] [1 2]", "scatter_nd [1 2] i64[0 0] 1")
    fails("DTYPE", "gather_nd [1 2] [0]", "scatter_nd [1 2] i64[0] f64{1}", "scatter_nd bool[1] i64[0] bool{1} add")

    title("one_hot, bincount")
    for d in ["f32", "bool", "i8", "bf16", "f64"]:
        line("one_hot", ["i64[[0 2] [-1 3]]"], "size=3" + {"f32": "", "bool": " dtype=bool", "i8": " dtype=int8", "bf16": " dtype=bfloat16", "f64": " dtype=float64"}[d],
             (d, [[[1, 0, 0], [0, 0, 1]], [[0, 0, 0], [0, 0, 0]]]))
    line("one_hot", ["u64{18446744073709551615}"], "size=2", ("f32", [0, 0]))
    line("one_hot", ["i8[1]"], "size=0", ("f32", np.zeros((1, 0))))
    fails("ARG", "one_hot i64[0] size=-1", "one_hot i64[0]", "bincount i64[0] length=-1")
    fails("DTYPE", "one_hot [0] size=2", "one_hot bool[0] size=2", "bincount [0] length=2", "bincount bool[0] length=2")
    fails("SHAPE", f"one_hot i64({','.join('1' * 32)})[0] size=2")
    for d in INTS:
        line("bincount", [(d, [[3, 1, 1], [0, 9, 1]])], "length=5", ("i64", np.bincount([3, 1, 1, 0, 9, 1])[:5]))
    line("bincount", ["i64[-1 -9223372036854775808 9223372036854775807 1]"], "length=2", ("i64", [0, 1]))
    line("bincount", ["i64{1}"], "length=3", ("i64", [0, 1, 0]))
    line("bincount", ["i32(0)[]"], "length=2", ("i64", [0, 0]))
    line("bincount", ["i32[0 1]"], "length=0", ("i64", np.zeros(0)))
    for d, least in (("i8", 0), ("u64", 4), ("i32", 12)):  # as long as the largest number needs
        line("bincount", [(d, [[3, 1, 1], [0, 9, 1]])], f"length={least} grow", ("i64", np.bincount([3, 1, 1, 0, 9, 1], minlength=least)))
    line("bincount", ["i64[-1 -7]"], "length=0 grow", ("i64", np.zeros(0)))
    line("bincount", ["i64(0)[]"], "length=2 grow", ("i64", [0, 0]))
    line("bincount", ["i64[2 0]", "f64[0.5 2]"], "length=0 grow", ("f64", np.bincount([2, 0], [0.5, 2])))
    out.append('bincount i64[9223372036854775807] length=0 grow ! VN_E_SHAPE "too large"')


# ---- sorting ----


def argsort(x, axis=-1, descending=False):
    """A stable descending sort: reverse, sort, reverse."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    n = x.shape[axis]
    return np.flip(n - 1 - np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)


def some(d, n):
    """Many equal ones, the limits of the dtype among them."""
    r = np.random.default_rng(n)
    if d == "bool":
        return r.integers(0, 2, n).astype("?")
    if d in INTS:
        low, high = np.iinfo(KIND[d]).min, np.iinfo(KIND[d]).max
        few = numbers(d, range(5))
        return np.concatenate([numbers(d, [low, high]), r.integers(low // 2, high // 2, n - 12, dtype=KIND[d]), few, few])
    return np.concatenate([[INF, -INF, NAN, 0.0, -0.0, NAN, 0.0], r.integers(-9, 9, n - 7)]).astype(KIND[d])


def sort_case():
    title("argsort, sort: stable both ways, NaN the largest, -0 equal to 0")
    x = numbers("f32", np.random.default_rng(1).permutation(24) * 0.5 - 3, (2, 3, 4))
    for axis in (0, 1, -1):
        for down in (0, 1):
            o, word = argsort(x, axis, down), f"axis={axis}" + (" descending" if down else "")
            line("argsort", [("f32", x)], word, ("i64", o))
            line("sort", [("f32", x)], word, ("f32", np.take_along_axis(x, o, axis)))
    for k, d in enumerate(ANY):
        for n in (24, 67):
            a, down = some(d, n), (n + k) % 2
            o, word = argsort(a, 0, down), "descending" if down else ""
            line("argsort", [(d, a)], word, ("i64", o))
            if d in FEW:
                line("sort", [(d, a)], word, (d, a[o]))
    tiny = numbers("f64", [1e-310, -1e-310, 0, 1e300, -1e300, INF, 1, np.nextafter(1, 2)])
    line("argsort", [("f64", tiny)], "", ("i64", argsort(tiny)))
    for op, d in [("argsort", "i64"), ("sort", "f32")]:
        line(op, ["f32(3,0)[]"], "", (d, np.zeros((3, 0))))
        line(op, ["f32(0,3)[]"], "axis=1", (d, np.zeros((0, 3))))
        line(op, ["f32[[inf]]"], "", (d, [[0]] if op == "argsort" else [[INF]]))
        fails("ARG", f"{op} [1 2] axis=1", f"{op} f32{{1}}", f"{op} [1 2] axis=-2")
        fails("NULL", f"{op} null")

    title("topk: of equal ones the first")
    a = numbers("f32", [3, NAN, 5, 5, INF, 1, 3, -INF])
    for k in (0, 1, 4, 8):
        for largest in (1, 0):
            o, word = argsort(a, 0, largest)[:k], f"k={k}" + ("" if largest else " smallest=1")
            line("topk", [("f32", a)], word, ("f32", a[o]))
            line("topk.1", [("f32", a)], word, ("i64", o))
    line("topk", [("f32", x)], "k=2 axis=1", ("f32", np.take_along_axis(x, argsort(x, 1, True)[:, :2], 1)))
    line("topk", [("f32", x)], "k=1 axis=0 smallest=1", ("f32", x.min(0, keepdims=True)))
    line("topk.1", ["u8[[1 9 9] [0 0 2]]"], "k=2", ("i64", [[1, 2], [2, 0]]))
    line("topk", ["bool[0 1 0 1]"], "k=3", ("bool", [1, 1, 0]))
    line("topk", ["bf16[1 3 2]"], "k=1", ("bf16", [3]))
    fails("ARG", "topk [1 2] k=3", "topk [1 2] k=-1", "topk [1 2] k=1 axis=1", "topk f32{1} k=0", "topk [1 2]")

    title("searchsorted: NaN is the largest")
    for d in ANY:
        a, v = np.sort(some(d, 67), kind="stable"), some(d, 24)  # -0 and 0 stay in their order
        for right in (0, 1):
            line("searchsorted", [(d, a), (d, v)], "right" if right else "", ("i64", np.searchsorted(a, v, "right" if right else "left")))
    line("searchsorted", ["i32[1 3 5]", "i64[[3] [4]]"], "", ("i64", [[1], [2]]))
    line("searchsorted", ["f64[1 3 5]", "3"], "right", ("i64", 2))
    line("searchsorted", ["[1 3 5]", "f32(2,0)[]"], "", ("i64", np.zeros((2, 0))))
    line("searchsorted", ["f32(0)[]", "[1 nan]"], "right", ("i64", [0, 0]))
    fails("SHAPE", "searchsorted [[1 2]] [1]", "searchsorted f32{1} [1]")
    fails("DTYPE", "searchsorted i64[1] u64[1]", "searchsorted i64[1] 0.5")
    fails("NULL", "searchsorted [1] null")

    title("argmax, argmin: NaN wins, the first of equal ones")
    for op, f in [("argmax", np.argmax), ("argmin", np.argmin)]:
        for axis in (0, -2, 2):
            line(op, [("f32", x)], f"axes={axis}", ("i64", f(x, axis)))
        line(op, [("f32", x)], "axes=1 keepdims", ("i64", f(x, 1, keepdims=True)))
        line(op, [("f32", x)], "", ("i64", f(x)))
        line(op, [("f32", x)], "keepdims", ("i64", f(x, keepdims=True)))
        for d in ANY:
            a = np.flip(some(d, 24))
            line(op, [(d, a)], "", ("i64", f(a)))
        line(op, ["i32[3 7 -1 7 -1]"], "axes=0", ("i64", 1 if op == "argmax" else 2))
        line(op, ["f32{5}"], "", ("i64", 0))
        line(op, ["f32(0,3)[]"], "axes=1", ("i64", np.zeros(0)))
        line(op, ["[-inf -inf]"], "", ("i64", 0))
        fails("SHAPE", f"{op} f32(0,3)[]", f"{op} f32(0,3)[] axes=0", f"{op} f32(0)[]")
        fails("ARG", f"{op} f32(2,2,2)[1 ...] axes=0,1", f"{op} [1] axes=1", f"{op} f32{{1}} axes=0", f"{op} [[1]] axes=")


# ---- selecting ----


def select_case():
    x = numbers("f32", [0, 1.5, 0, -2, 0, 0, 3, 0, -0.0, NAN, INF, 0], (2, 3, 2))
    title("count_nonzero")
    for axes, word in [(None, ""), (0, "axes=0"), ((0, 2), "axes=0,2"), (-1, "axes=-1 keepdims")]:
        line("count_nonzero", [("f32", x)], word, ("i64", np.count_nonzero(x, axes, keepdims="keep" in word)))
    for d in FEW:
        line("count_nonzero", [(d, numbers(d, [0, 1, 0, 1, 1]))], "", ("i64", 3))
    line("count_nonzero", ["f32{0}"], "", ("i64", 0))
    line("count_nonzero", ["f32(2,0)[]"], "axes=1", ("i64", [0, 0]))
    fails("ARG", "count_nonzero [1] axes=1")

    title("nonzero, nonzero_sized: row-major order")
    line("nonzero", [("f32", x)], "", ("i64", np.argwhere(x)))
    for d in FEW:
        line("nonzero", [(d, numbers(d, [0, 1, 0, 1, 1]))], "", ("i64", [[1], [3], [4]]))
    line("nonzero", ["i32(3,2)[0 ...]"], "", ("i64", np.zeros((0, 2))))
    line("nonzero", ["f32(0,3)[]"], "", ("i64", np.zeros((0, 2))))
    line("nonzero", ["f32{5}"], "", ("i64", np.zeros((1, 0))))
    for size, fill in [(5, -1), (7, -1), (8, 9), (2, -1), (0, -1)]:
        p = np.full((size, 3), fill)
        p[:5] = np.argwhere(x)[:size]
        line("nonzero_sized", [("f32", x)], f"size={size}" + ("" if fill == -1 else f" fill={fill}"), ("i64", p))
    line("nonzero_sized", ["f32(0,3)[]"], "size=2", ("i64", np.full((2, 2), -1)))
    line("nonzero_sized", ["bool{1}"], "size=2", ("i64", np.zeros((2, 0))))
    fails("ARG", "nonzero_sized [1] size=-1", "nonzero_sized [1]")
    fails("NULL", "nonzero null")

    title("mask, mask_sized")
    a = numbers("f32", np.arange(12) * 0.5 - 3, (2, 3, 2))
    m = np.array([[1, 0, 1], [0, 0, 1]], "?")
    for mask in (m, x != 0, np.array([0, 1], "?"), np.array(True), np.array(False), np.zeros((2, 3), "?")):
        line("mask", [("f32", a), ("bool", mask)], "", ("f32", a[mask]))
    for d in FEW:
        line("mask", [(d, numbers(d, [0, 1, 0, 1, 1])), "bool[1 1 0 0 1]"], "", (d, [0, 1, 1]))
    line("mask", ["f32(0,2)[]", "bool(0)[]"], "", ("f32", np.zeros((0, 2))))
    for size, fill, mask in [(3, 0, m), (5, 2.5, m), (2, 0, m), (0, 0, m), (2, -1, x[0, 0] != 0)]:
        s = a if mask is m else a[0, 0]
        p = np.full((size,) + s[mask].shape[1:], fill, "f4")
        p[: len(s[mask])] = s[mask][:size]
        line("mask_sized", [("f32", s), ("bool", mask)], f"size={size}" + (f" fill={fill}" if fill else ""), ("f32", p))
    line("mask_sized", ["i8[1 2 3]", "bool[0 1 0]"], "size=2 fill=-7", ("i8", [2, -7]))
    line("mask_sized", ["f64[1 2 3]", "bool[0 1 0]"], "size=2 fill=0.1", ("f64", [2, 0.1]))
    line("mask_sized", ["[1 2 inf]", "bool[0 1 1]"], "size=4 fill=nan", ("f32", [2, INF, NAN, NAN]))
    line("mask_sized", ["bool[0 1]", "bool[1 1]"], "size=3 fill=1", ("bool", [0, 1, 1]))
    for op, word in [("mask", ""), ("mask_sized", " size=1")]:
        fails("SHAPE", f"{op} [1 2] bool[1]{word}", f"{op} [1 2] bool[[1] [1]]{word}", f"{op} [[1 2] [3 4] [5 6]] bool[1 1]{word}")
        fails("DTYPE", f"{op} [1 2] [1 0]{word}", f"{op} [1 2] i8[1 0]{word}")
    fails("ARG", "mask_sized [1] bool[1] size=-1")
    fails("DTYPE", "mask_sized i8[1] bool[1] size=1 fill=0.5")

    title("unique, unique_sized: NaNs are distinct")
    for d, u in ("i32", np.array([[3, 1, 3], [2, 1, -4]])), ("f32", np.array([2.5, NAN, 0, NAN, 2.5])), ("bool", np.zeros(0)), ("u8", np.array([7, 7, 7])):
        v, inverse, counts = np.unique(u, return_inverse=True, return_counts=True, equal_nan=False)
        for op, results in ("values", [(d, v)]), ("counts", [(d, v), ("i64", counts)]), ("inverse", [(d, v), ("i64", inverse.reshape(u.shape))]):
            for k, result in enumerate(results):
                line(f"unique_{op}.{k}" if k else f"unique_{op}", [(d, u)], "", result)
    out.append("unique_values c64[1j] = c64[1j]")
    for d in ANY:
        u = some(d, 24)
        v, i, inverse, counts = np.unique(u, True, True, True, equal_nan=False)
        line("unique", [(d, u)], "", (d, v))
        if d not in FEW:
            continue
        line("unique.1", [(d, u)], "", ("i64", i))
        line("unique.2", [(d, u.reshape(4, 6))], "", ("i64", inverse.reshape(4, 6)))
        line("unique.3", [(d, u)], "", ("i64", counts))
    line("unique", ["f64[[3 1] [2 -4]]"], "", ("f64", [-4, 1, 2, 3]))
    for k, e in enumerate([[5], [0], 0, [1]]):
        line(f"unique.{k}" if k else "unique", ["f32{5}"], "", ("i64" if k else "f32", e))
        line(f"unique.{k}" if k else "unique", ["f32(2,0)[]"], "", ("i64" if k else "f32", np.zeros((2, 0) if k == 2 else 0)))
    for size, fill in [(3, 0), (5, -1), (2, 0), (0, 0)]:
        v, c = (np.array(w[:size] + [f] * (size - 3)) for w, f in (([1, 2, 3], fill), ([1, 1, 2], 0)))
        word = f"size={size}" + (f" fill={fill}" if fill else "")
        line("unique_sized", ["i32[[3 1] [3 2]]"], word, ("i32", v))
        line("unique_sized.1", ["i32[[3 1] [3 2]]"], word, ("i64", c))
    line("unique_sized", ["f64[3 1 2]"], "size=4 fill=0.1", ("f64", [1, 2, 3, 0.1]))
    line("unique_sized", ["[nan 1 nan inf]"], "size=5", ("f32", [1, INF, NAN, NAN, 0]))
    line("unique_sized.1", ["[nan 1 nan inf]"], "size=5", ("i64", [1, 1, 1, 1, 0]))
    line("unique_sized", ["f32(0)[]"], "size=1 fill=2", ("f32", [2]))
    fails("ARG", "unique_sized [1] size=-1", "unique_sized [1]")
    fails("DTYPE", "unique_sized i8[1] size=1 fill=0.5")
    fails("NULL", "unique null")

    title("isin: NaN is in nothing")
    for d in ANY:
        u, v = some(d, 24), some(d, 24)[5:13]
        line("isin", [(d, u.reshape(4, 6)), (d, v)], "", ("bool", np.isin(u, v).reshape(4, 6)))
    line("isin", ["i8[1 2 3]", "i64[[2] [300]]"], "", ("bool", [0, 1, 0]))
    line("isin", ["i32[0 1 2]", "i32(0)[]"], "", ("bool", [0, 0, 0]))
    line("isin", ["f64[0.1 0.5]", "0.1"], "", ("bool", [1, 0]))
    line("isin", ["0.1", "f64[0.1 0.5]"], "", ("bool", True))
    line("isin", ["f32(0)[]", "[1]"], "", ("bool", np.zeros(0)))
    fails("DTYPE", "isin i64[1] u64[1]", "isin i64[1] 0.5", "isin 0.5 i64[1]")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
    for name, what in [("index", "Reading and writing at positions"), ("sort", "Order"), ("select", "What depends on values")]:
        out.clear()
        globals()[name + "_case"]()
        with open(os.path.join(folder, name + ".case"), "w") as f:
            f.write(f"# {what}. Printed by index_numpy.py.\n" + "\n".join(out) + "\n")


main()
