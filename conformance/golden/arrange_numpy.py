#!/usr/bin/env python3
"""Writes conformance/cases/arrange.case: expected results of ops that rearrange elements and sum products, computed by NumPy.

Run by hand: python3 conformance/golden/arrange_numpy.py > conformance/cases/arrange.case. Errors are in arrange_errors.case, hand-written.
"""
import numpy as np

SHORT = {"float": "f", "uint": "u", "int": "i", "bool": "bool"}


def dtype_name(d):
    kind = str(d).rstrip("0123456789")
    return SHORT[kind] + str(d)[len(kind):]


def written(a):
    """An array in the notation of the case files."""
    a = np.asarray(a)
    items = " ".join(str(int(v)) if a.dtype.kind in "iub" else f"{float(v):.9g}" for v in a.reshape(-1))
    shape = ",".join(map(str, a.shape))
    return f"{dtype_name(a.dtype)}{{{items}}}" if not a.ndim else f"{dtype_name(a.dtype)}({shape})[{items}]"


def case(op, inputs, options, expected):
    lists = {k: ",".join(map(str, v)) if isinstance(v, (list, tuple)) else v for k, v in options.items()}
    print(op, *map(written, inputs), *(f"{k}={v}" for k, v in lists.items()), "=", written(expected))


def numbers(*shape, dtype="float32", first=1):
    return np.arange(first, first + int(np.prod(shape))).reshape(shape).astype(dtype)


x, y, cube, vector = numbers(2, 3), numbers(2, 3, first=7), numbers(2, 3, 4), numbers(5)
special = np.array([np.nan, -0.0, np.inf, -np.inf, 1], "float32")
single, empty = np.float32(4), np.zeros((2, 0), "float32")
print("# Written by arrange_numpy.py.")

print("\n# ---- concat, stack ----")
for op in ("concat",):
    for axis in 0, 1, -1:
        case(op, [x, y], {"axis": axis}, np.concatenate([x, y], axis))
    case(op, [x], {}, x)
    several = [vector, special, vector[:0], vector[:1]]
    case(op, several, {}, np.concatenate(several))
    case(op, [cube, cube[:, :1]], {"axis": 1}, np.concatenate([cube, cube[:, :1]], 1))
    case(op, [empty, empty], {}, np.zeros((4, 0), "float32"))
    for a, b in ("int8", "int32"), ("uint8", "int8"), ("bool", "float16"), ("float32", "float64"), ("bool", "bool"), ("uint16", "uint64"):
        p, q = np.array([1, 0], a), np.array([1, 1, 0], b)
        case(op, [p, q], {}, np.concatenate([p, q]))
case("concat", [x] * 8, {}, np.concatenate([x] * 8))
for axis in 0, 1, 2, -1, -3:
    case("stack", [x, y], {"axis": axis}, np.stack([x, y], axis))
case("stack", [single, single], {}, np.stack([single, single]))
case("stack", [numbers(2, dtype="int16"), numbers(2)], {"axis": 1}, np.stack([numbers(2), numbers(2)], 1))

print("\n# ---- pad ----")
for mode in "constant", "edge", "reflect", "symmetric", "wrap":
    for before, after in ((1, 0), (0, 2)), ((1, 2), (1, 2)), ((3, 5), (4, 7)):
        if mode == "reflect" and before[0] == 3:
            continue
        case("pad", [x], {"before": before, "after": after, "mode": mode}, np.pad(x, list(zip(before, after)), mode))
for a, before, after in (vector, 4, 3), (vector[:3], 9, 8), (vector[:2], 5, 4), (vector[:1], 2, 3):
    index = np.arange(-before, len(a) + after)
    period = max(2 * len(a) - 2, 1)
    mirrored = len(a) - 1 - np.abs(index % period - (len(a) - 1)) if len(a) > 1 else 0 * index
    case("pad", [a], {"before": [before], "after": [after], "mode": "reflect"}, a[mirrored])
case("pad", [vector], {"before": [-2], "after": [1], "value": 9}, np.array([3, 4, 5, 9], "float32"))
case("pad", [vector], {"before": [2], "after": [-5], "value": -1}, np.array([-1, -1], "float32"))
case("pad", [vector], {"before": [0], "after": [0], "mode": "wrap"}, vector)
case("pad", [empty], {"before": [0, 1], "after": [0, 1], "value": 2.5}, np.full((2, 2), 2.5, "float32"))
case("pad", [np.array([True])], {"before": [1], "after": [0], "value": 0}, np.array([False, True]))
case("pad", [np.array([200], "uint8")], {"before": [1], "after": [0], "value": 255}, np.array([255, 200], "uint8"))
case("pad", [single], {"before": [], "after": []}, single)

print("\n# ---- roll, tile, repeat ----")
for shift in 2, -1, 7, 0:
    case("roll", [vector], {"shift": [shift], "axes": [0]}, np.roll(vector, shift, 0))
    case("roll", [x], {"shift": [shift]}, np.roll(x, shift))
case("roll", [x], {"shift": [1, 2], "axes": [0, -1]}, np.roll(x, (1, 2), (0, -1)))
case("roll", [x], {"shift": [1], "axes": [1, 0]}, np.roll(x, 1, (1, 0)))
case("roll", [x], {"shift": [1, 1], "axes": [1, 1]}, np.roll(x, 2, 1))
case("roll", [empty], {"shift": [3], "axes": [1]}, empty)
case("roll", [single], {"shift": [3]}, single)
for times in [2], [3, 1], [1, 2], [2, 1, 2], [0], [1, 1], []:
    case("tile", [x], {"repetitions": times}, np.tile(x, times))
case("tile", [single], {"repetitions": [3]}, np.tile(single, 3))
case("tile", [empty], {"repetitions": [2, 3]}, np.tile(empty, (2, 3)))
case("tile", [special], {"repetitions": [2]}, np.tile(special, 2))
for times, axis in (2, 0), (3, 1), (2, -1), (0, 0), (1, 0):
    case("repeat", [x], {"repeats": times, "axis": axis}, np.repeat(x, times, axis))
case("repeat", [numbers(3, dtype="int64")], {"repeats": 2, "axis": 0}, np.repeat(numbers(3, dtype="int64"), 2))

print("\n# ---- axes ----")
for source, destination in ([0], [2]), ([0], [-1]), ([0, 1], [1, 2]), ([2, 0], [0, 1]), ([], []):
    case("moveaxis", [cube], {"source": source, "destination": destination}, np.moveaxis(cube, source, destination))
for a, b in (0, 1), (-1, 0), (1, 1):
    case("swapaxes", [cube], {"axis1": a, "axis2": b}, np.swapaxes(cube, a, b))
for a in x, cube, empty:
    case("matrix_transpose", [a], {}, np.swapaxes(a, -1, -2))
for a in x, single, empty, vector, numbers(2, 2, dtype="float16"):
    case("flatten", [a], {}, a.reshape(-1))

print("\n# ---- steps ----")
for steps in (1, 1), (2, 1), (1, 2), (2, 2), (9, 2), (1, 3), (9, 9):
    case("stride", [x], {"steps": steps}, x[::steps[0], ::steps[1]])
    wide = np.zeros(tuple((n - 1) * s + 1 for n, s in zip(x.shape, steps)), "float32")
    wide[::steps[0], ::steps[1]] = x
    case("dilate", [x], {"steps": steps}, wide)
case("stride", [empty], {"steps": [2, 2]}, empty[::2])
case("stride", [single], {"steps": []}, single)
case("stride", [special], {"steps": [2]}, special[::2])
case("stride", [numbers(300, dtype="int16")], {"steps": [7]}, numbers(300, dtype="int16")[::7])
case("dilate", [empty], {"steps": [3, 3]}, np.zeros((4, 0), "float32"))
case("dilate", [np.array([True, True])], {"steps": [3]}, np.array([1, 0, 0, 1], bool))
far = 9223372036854775807
for a, b, s in (1, 4, 1), (4, 0, -1), (-2, -9, -1), (0, 5, 2), (5, -99, -2), (9, 2, -3), (-3, 99, 1), (3, 1, 1), (0, 5, far), (-far - 1, far, 3), (
        far, -far - 1, -far - 1):
    case("slice_step", [vector], {"start": [a], "stop": [b], "step": [s]}, vector[a:b:s])
case("slice_step", [cube], {"start": [0, 2, 3], "stop": [9, -9, 0], "step": [1, -2, -2]}, cube[0:9, 2:-9:-2, 3:0:-2])
case("slice_step", [x], {"start": [0, 1], "stop": [1, 3]}, x[0:1, 1:3])
case("slice_step", [empty], {"start": [0, 0], "stop": [1, 1], "step": [1, -1]}, empty[0:1, 0:1:-1])
wide = numbers(2, 20)
for (a, b, s), (c, d, t) in ((0, 2, 1), (3, 20, 8)), ((0, 2, 1), (8, 20, 8)), ((1, -99, -1), (17, 0, -8)), ((0, 1, 1), (19, -99, -9)), ((0, 2, 1), (2, 20, 2)), ((1, 2, 1), (18, 3, -2)):
    case("slice_step", [wide], {"start": [a, c], "stop": [b, d], "step": [s, t]}, wide[a:b:s, c:d:t])
case("slice_step", [wide.T], {"start": [3, 1], "stop": [20, -99], "step": [10, -1]}, wide.T[3:20:10, 1:-99:-1])

print("\n# ---- differences, triangles, diagonals ----")
for n in 0, 1, 2, 5, 9:
    case("diff", [vector * vector], {"n": n}, np.diff(vector * vector, n))
case("diff", [cube * cube], {"axis": 1}, np.diff(cube * cube, axis=1))
case("diff", [np.array([1, 0], "uint8")], {}, np.array([255], "uint8"))
for k in 0, 1, -1, 5, -5, far, -far:
    bounded = max(min(k, 9), -9)
    case("tril", [x], {"k": k}, np.tril(x, bounded))
    case("triu", [x], {"k": k}, np.triu(x, bounded))
    case("diagonal", [x], {"offset": k}, np.diagonal(x, bounded))
    case("trace", [x], {"offset": k}, np.trace(x, bounded))
for k in 0, 1, -2:
    case("diag", [vector[:3]], {"k": k}, np.diag(vector[:3], k))
    case("diagonal", [cube], {"offset": k}, np.diagonal(cube, k, -2, -1))
    case("trace", [cube], {"offset": k}, np.trace(cube, k, -2, -1))
case("tril", [cube], {}, np.tril(cube))
case("triu", [np.full((2, 2), np.nan, "float32")], {"k": 1}, np.array([[0, np.nan], [0, 0]], "float32"))
case("tril", [np.ones((2, 2), bool)], {"k": -1}, np.tril(np.ones((2, 2), bool), -1))
case("diag", [vector[:0]], {"k": 2}, np.zeros((2, 2), "float32"))
case("trace", [numbers(2, 2, dtype="int8")], {}, np.int64(5))
case("diagonal", [empty], {}, np.zeros(0, "float32"))

print("\n# ---- products ----")
case("outer", [vector, vector[:2]], {}, np.outer(vector, vector[:2]))
case("outer", [numbers(2, dtype="int8"), numbers(2, dtype="int32")], {}, np.outer([1, 2], [1, 2]).astype("int32"))
case("vecdot", [x, y], {}, (x * y).sum(-1))
case("vecdot", [x, y], {"axis": 0}, (x * y).sum(0))
case("vecdot", [cube, cube[:1, 0, :]], {}, (cube * cube[:1, 0, :]).sum(-1))
case("vecdot", [vector, vector], {}, (vector * vector).sum())
case("vecdot", [np.array([100, 100], "int8"), np.array([2, 1], "int8")], {}, np.int8(44))
case("vecdot", [empty, empty], {}, np.zeros(2, "float32"))
for p, q, a, b in (x, y, [1], [1]), (x, y, [0, 1], [0, 1]), (x, y, [], []), (cube, x, [1, 0], [-1, 0]), (vector, vector, [0], [0]):
    case("tensordot", [p, q], {"x_axes": a, "y_axes": b}, np.tensordot(p, q, (a, b)))
case("tensordot", [empty, empty], {"x_axes": [1], "y_axes": [1]}, np.zeros((2, 2), "float32"))
for p, q in (x, y[:, :2]), (vector[:2], vector[:3]), (x, vector[:2]), (single, x), (x, single):
    case("kron", [p, q], {}, np.kron(p, q))
case("kron", [empty, x], {}, np.zeros((4, 0), "float32"))
for a in vector, numbers(1), numbers(7) - 4, vector[:0]:
    case("cumulative_prod", [a], {"axis": 0}, np.cumprod(a))
    case("cumulative_prod", [a], {"axis": -1, "reverse": 1}, np.cumprod(a[::-1])[::-1])
case("cumulative_prod", [x], {"axis": 1}, np.cumprod(x, 1))
case("cumulative_prod", [np.array([100, 2, 3], "int8")], {"axis": 0}, np.array([100, 200, 600]))

print("\n# ---- einsum ----")
square = numbers(3, 3)
for equation, operands in (("ij,jk->ik", [x, y.T]), ("ij,jk", [x, y.T]), ("ji,jk", [x, y]), ("ij->ji", [x]), ("ba", [x]), ("ij->", [x]), ("ij->j", [x]), (
        "ii", [square]), ("ii->i", [square]), ("i,j->ij", [vector, vector]), ("i,i", [vector, vector]), ("i,i->i", [vector, vector]), (
        "...j,...j->...", [x, y]), ("...ij,jk->...ik", [cube, numbers(4, 2)]), ("i...->...", [cube]), ("bij,bjk->bik", [cube, numbers(2, 4, 2)]), (
        "ij,jk,kl->il", [x, y.T, x]), ("ij,ij,ij->", [x, y, x]), ("ijk,ik->j", [cube, cube[:, 0]]), ("iij->j", [numbers(2, 2, 3)]), (
        "iii->i", [numbers(2, 2, 2)]), ("aB,Bc->ca", [x, y.T]), ("AB,ab", [x, y]), (",i->i", [single, vector]), ("ij,ij->ij", [x[:1], y]), (
        "...,...", [x, vector[:3]]), ("i,j,k->kij", [vector[:2], vector[:2], vector[:3]]), ("ij,k->ik", [x, vector[:2]]), ("ij,jk->ik", [
            empty, empty.T])):
    case("einsum", operands, {"equation": equation}, np.einsum(equation, *operands).astype("float32"))
case("einsum", [numbers(2, 2, dtype="int8") * 50, numbers(2, dtype="int8")], {"equation": "ij,j->i"}, np.array([-6, 38], "int8"))

print("\n# ---- patterns ----")
for pattern, sizes, expected in (("a,b,c->c,a,b", {}, cube.transpose(2, 0, 1)), ("a,b,c->(a,b),c", {}, cube.reshape(6, 4)), (
        "a,b,(c,d)->a,c,(b,d)", {"names": "d", "lengths": 2}, cube.reshape(2, 3, 2, 2).transpose(0, 2, 1, 3).reshape(2, 2, 6)), (
        "...,c->c,...", {}, np.moveaxis(cube, -1, 0)), ("a,...->(...),a", {}, cube.reshape(2, 12).T), (
        "a,b,c->a,1,b,c,()", {}, cube.reshape(2, 1, 3, 4, 1)), ("...->(...)", {}, cube.reshape(-1))):
    case("rearrange", [cube], {"pattern": pattern, **sizes}, expected)
case("rearrange", [cube[:1]], {"pattern": "1,b,c->c,b"}, cube[0].T)
case("rearrange", [single], {"pattern": "->1"}, single.reshape(1))
case("rearrange", [empty], {"pattern": "a,b->(a,b)"}, np.zeros(0, "float32"))
for kind, f in ("sum", np.sum), ("mean", np.mean), ("max", np.max), ("min", np.min), ("prod", np.prod):
    case("einops_reduce", [x], {"pattern": "a,b->b", "reduction": kind}, f(x, 0))
    case("einops_reduce", [cube], {"pattern": "a,b,(c,2)->c,b", "reduction": kind}, f(cube.reshape(2, 3, 2, 2), (0, 3)).T)
case("einops_reduce", [cube], {"pattern": "...->", "reduction": "sum"}, cube.sum())
case("einops_reduce", [cube], {"pattern": "a,...->a,1", "reduction": "max"}, cube.max((1, 2))[:, None])
case("einops_reduce", [numbers(2, 2, dtype="int8")], {"pattern": "a,b->a", "reduction": "sum"}, np.array([3, 7]))
case("einops_reduce", [x], {"pattern": "a,b->a"}, x.sum(1))
case("einops_repeat", [x], {"pattern": "a,b->a,b,c", "names": "c", "lengths": 2}, np.repeat(x[:, :, None], 2, 2))
case("einops_repeat", [x], {"pattern": "a,b->(2,a),(b,3)"}, np.repeat(np.tile(x, (2, 1)), 3, 1))
case("einops_repeat", [single], {"pattern": "->n", "names": "n", "lengths": 3}, np.full(3, 4, "float32"))

print("\n# Each difference is an op: not as many as there are bytes of memory.")
print("diff i32(2000)[1 ...] n=1001 ! VN_E_ARG\ndiff i32(2000)[1 ...] n=2000 = i32(0)[]")
