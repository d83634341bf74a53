#!/usr/bin/env python3
"""Prints conformance/cases/standard_options.case: options and shapes that the Array API standard has beside the usual ones, from numpy.

Run by hand: python3 conformance/golden/standard_numpy.py > conformance/cases/standard_options.case
"""
import numpy as np

rng = np.random.default_rng(3)
TAGS = {np.dtype(t): tag for t, tag in [(np.bool_, "bool"), (np.int8, "i8"), (np.int16, "i16"), (np.int32, "i32"), (np.int64, "i64"), (np.uint8, "u8"),
                                        (np.uint16, "u16"), (np.uint32, "u32"), (np.uint64, "u64"), (np.float32, "f32"), (np.float64, "f64")]}
np.seterr(all="ignore")


def text(x):
    if x is None:
        return "none"
    x = np.asarray(x)
    words = " ".join(str(int(v)) if x.dtype.kind in "biu" else repr(round(float(v), 15) + 0.0).removesuffix(".0") for v in x.ravel())
    return f"{TAGS[x.dtype]}({','.join(map(str, x.shape))})[{words}]" if x.ndim else f"{TAGS[x.dtype]}{{{words}}}"


def case(op, inputs, result, options="", tolerance=""):
    print(" ".join(w for w in [op, *map(text, inputs), options, "=", text(result)] if w) + (f" ~ {tolerance}" if tolerance else ""))


def title(words):
    print(f"\n# ---- {words} ----")


def some(*shape, dtype=np.float32):
    return (rng.integers(-12, 13, shape) / 4).astype(dtype)


def power():
    title("pow of integers: modulo 2^n")
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        x = np.array([0, 1, 2, 3, 7, 0, 2, 10, 5, 100], dtype)
        y = np.array([0, 5, 7, 4, 2, 3, 40, 9, 1, 0], dtype)
        case("pow", [x, y], np.power(x, y))
    x = np.array([-1, -1, -2, -3, -7], np.int32)
    case("pow", [x, np.array([3, 4, 5, 31, 0], np.int32)], np.power(x, np.array([3, 4, 5, 31, 0], np.int32)))
    case("pow", [np.array([[2], [-3]], np.int8), np.array([1, 2, 3], np.int64)], np.power(np.array([[2], [-3]], np.int64), np.array([1, 2, 3])))
    print("pow i32[2 1 -1 -1 0 -5] i32[-1 -3 -3 -4 -2 -1] = i32[0 1 -1 1 0 0]\npow i32[2 3] 3 = i32[8 27]\npow 2 u8[3 7 8] = u8[8 128 0]")
    print("pow i64[3] i64[40] = i64[-6289078614652622815]\npow i32(0)[] i32(0)[] = i32(0)[]\npow i32[2] u64[1] ! VN_E_DTYPE\npow i32[2] 0.5 ! VN_E_DTYPE")


def clip():
    title("clip with one bound, or none")
    x = some(2, 3)
    case("clip", [x, np.float32(-0.5), None], np.clip(x, np.float32(-0.5), None))
    high = some(3)
    case("clip", [x, None, high], np.clip(x, None, high))
    case("clip", [x], x)
    case("clip", [x, np.full((2, 1), -1, np.float32)], np.maximum(x, np.float32(-1)))
    print("clip i32[1 5 9] none 6 = i32[1 5 6]\nclip i32[1 5 9] 6 = i32[6 6 9]\nclip [1 5] none none = [1 5]\nclip [nan 5] 2 = [nan 5]")
    print("clip [1 2 3] [1 2] ! VN_E_SHAPE\nclip [1 2 3] none [1 2] ! VN_E_SHAPE\nclip none ! VN_E_NULL")


def cumulative():
    title("cumulative_sum, cumulative_prod with the initial element")
    x = some(2, 3)
    for axis in (0, 1, -1):
        for op, function, first in (("cumulative_sum", np.cumsum, 0), ("cumulative_prod", np.cumprod, 1)):
            y, shape = function(x, axis, np.float64), list(x.shape)
            shape[axis] = 1
            case(op, [x], np.concatenate([np.full(shape, first), y], axis).astype(np.float32), f"axis={axis} include_initial", "1e-6")
            back = np.flip(function(np.flip(x, axis), axis, np.float64), axis)
            case(op, [x], np.concatenate([back, np.full(shape, first)], axis).astype(np.float32), f"axis={axis} include_initial reverse", "1e-6")
    print("cumulative_sum i8[100 100] axis=0 include_initial = i64[0 100 200]\ncumulative_prod u8[100 100] axis=0 include_initial = u64[1 100 10000]")
    print("cumulative_sum f32(0)[] axis=0 include_initial = f32[0]\ncumulative_prod f32(2,0)[] axis=1 include_initial = f32[[1] [1]]")
    print("cumulative_sum f32(0,2)[] axis=1 include_initial = f32(0,3)[]\ncumulative_sum c64[1j 2] axis=0 include_initial = c64[0 1j 2+1j]")
    print("cumulative_prod c64[1j 2] axis=0 include_initial = c64[1 1j 2j]\ncumulative_sum f16[1 2] axis=0 include_initial = f16[0 1 3]")
    print("cumulative_sum [1] axis=0 include_initial=2 ! VN_E_ARG\ncumulative_sum [1] axis=1 include_initial ! VN_E_ARG")


def diff():
    title("diff with what is before and behind")
    x, before, behind = some(2, 4), some(2, 1), some(2, 2)
    for n in (0, 1, 2, 3):
        case("diff", [x, before, behind], np.diff(x, n, -1, before, behind), f"n={n}")
    case("diff", [x, before], np.diff(x, prepend=before))
    case("diff", [x, None, behind], np.diff(x, append=behind))
    above = some(1, 4)
    case("diff", [x, above], np.diff(x, axis=0, prepend=above), "axis=0")
    case("diff", [np.array([5, 1], np.uint8), np.array([9], np.uint8)], np.diff(np.array([5, 1], np.uint8), prepend=np.array([9], np.uint8)))
    print("diff i32[1 4] i64[0] = i64[1 3]\ndiff f32(0)[] [1 3] = [2]\ndiff f32(0)[] f32(0)[] [1] = f32(0)[]\ndiff c64[1j 3] none c64[3+1j] = c64[3-1j 1j]")
    print("diff [1 2] [[1]] ! VN_E_SHAPE \"prepend has shape\"\ndiff [[1 2]] none [[1] [2]] axis=1 ! VN_E_SHAPE \"append has shape\"")
    print("diff [1 2] none none n=-1 ! VN_E_ARG")


def searchsorted():
    title("searchsorted with a sorter")
    x = np.array([3, 1, 2, 2, 7], np.float32)
    sorter, values = np.argsort(x, kind="stable"), np.array([[0, 1, 2], [3, 8, 2.5]], np.float32)
    for dtype in (np.int64, np.int32, np.uint8):
        for side in ("left", "right"):
            case("searchsorted", [x, values, sorter.astype(dtype)], np.searchsorted(x, values, side, sorter), "right" if side == "right" else "")
    print("searchsorted i32[5 1] i32{3} i64[1 0] = i64{1}\nsearchsorted f32(0)[] [1 2] i64(0)[] = i64[0 0]\nsearchsorted [1 2] f32(0)[] i64[0 1] = i64(0)[]")
    print("searchsorted [1 2] 1.5 none right = i64{1}\nsearchsorted [1 2] [1] i64[0] ! VN_E_SHAPE \"sorter has shape\"\nsearchsorted [1 2] [1] [0 1] ! VN_E_DTYPE \"sorter is float32\"")


def repeat():
    title("repeat_counts, repeat_counts_sized")
    x, counts = some(2, 3), np.array([2, 0, 3])
    case("repeat_counts", [x, counts], np.repeat(x, counts, 1), "axis=1")
    case("repeat_counts", [x, np.array([1, 3], np.int32)], np.repeat(x, [1, 3], 0), "axis=-2")
    case("repeat_counts", [x, np.int64(2)], np.repeat(x, 2, 1), "axis=1")
    case("repeat_counts", [x, np.array([2])], np.repeat(x, 2, 0), "axis=0")
    case("repeat_counts", [x, np.zeros(3, np.int64)], np.repeat(x, 0, 1), "axis=1")
    y = np.repeat(x, counts, 1)
    case("repeat_counts_sized", [x, counts], np.concatenate([y, np.full((2, 2), 9, np.float32)], 1), "axis=1 size=7 fill=9")
    case("repeat_counts_sized", [x, counts], y[:, :4], "axis=1 size=4")
    print("repeat_counts f32(0)[] i64(0)[] axis=0 = f32(0)[]\nrepeat_counts f32(2,0)[] i64[1 2] axis=0 = f32(3,0)[]\nrepeat_counts bool[1 0] u8[1 2] axis=0 = bool[1 0 0]")
    print("repeat_counts c64[1j 2] i64[2 1] axis=0 = c64[1j 1j 2]\nrepeat_counts_sized i32[4 5] i64[1 1] axis=0 size=0 = i32(0)[]")
    print("repeat_counts_sized f32(0)[] i64(0)[] axis=0 size=2 = [0 0]\nrepeat_counts_sized [1 2] i64[1 1] axis=0 size=-1 ! VN_E_ARG")
    print("repeat_counts [1 2] i64[1 -1] axis=0 ! VN_E_ARG \"repeated -1 times\"\nrepeat_counts [1 2] i64[1 2 3] axis=0 ! VN_E_SHAPE \"counts has shape 3\"")
    print("repeat_counts [1 2] i64[[1 2]] axis=0 ! VN_E_SHAPE\nrepeat_counts [1 2] [1 2] axis=0 ! VN_E_DTYPE\nrepeat_counts [1 2] i64[1 2] axis=1 ! VN_E_ARG")
    print("repeat_counts [1 2] i64[9223372036854775807 1] axis=0 ! VN_E_SHAPE \"too large to address\"\nrepeat_counts null i64[1] axis=0 ! VN_E_NULL")


def statistics():
    title("var, std with a correction that is not below the number of elements")
    print("var [1 2 4] correction=5 = f32{nan}\nvar [1 2 4] correction=3 = f32{nan}\nstd [1 2 4] correction=3.5 = f32{nan}\nvar [[1 2] [3 5]] axes=1 correction=2 = [nan nan]")
    print("var f64[1 2 4] correction=2 = f64{4.666666666666667} ~ 1e-14\nvar f32(0)[] = f32{nan}\nstd f32(2,0)[] axes=1 = [nan nan]\nvar [3] correction=1 = f32{nan}")


def empty():
    title("empty masks, empty norms")
    print("mask f32(0,3)[] bool(0)[] = f32(0,3)[]\nmask f32(2,0)[] bool(2,0)[] = f32(0)[]\nmask [[1 2] [3 4]] bool[[0 0] [0 0]] = f32(0)[]\nmask [1 2] bool[0 0] = f32(0)[]")
    print("mask i32(0)[] bool(0)[] = i32(0)[]\nmask f32(0,3)[] bool(0,3)[] = f32(0)[]\nmask [1 2] bool{0} = f32(0,2)[]\nmask [1 2] bool{1} = [[1 2]]")
    print("mask f32(2,0,3)[] bool[1 0] = f32(1,0,3)[]\nmask_sized f32(0)[] bool(0)[] size=2 fill=5 = [5 5]\nnonzero f32(0,2)[] = i64(0,2)[]")
    for order, value in (("fro", 0), ("nuc", 0), ("1", 0), ("inf", 0), ("2", 0), ("-1", "inf"), ("-inf", "inf"), ("-2", "inf")):
        print(f"matrix_norm f32(0,3)[] order={order} = f32{{{value}}}\nmatrix_norm f64(2,3,0)[] order={order} = f64[{value} {value}]")
        print(f"matrix_norm f32(0,0)[] order={order} keepdims = f32[[{value}]]\nmatrix_norm f32(0,2,2)[] order={order} = f32(0)[]")
    for order, value in (("2", 0), ("0", 0), ("1", 0), ("3", 0), ("inf", 0), ("-1", "inf"), ("-inf", "inf"), ("-2.5", "inf")):
        print(f"norm f32(0)[] order={order} = f32{{{value}}}\nnorm f64(2,0)[] axes=1 order={order} = f64[{value} {value}]\nnorm f32(0,2)[] axes=1 order={order} = f32(0)[]")


def rank():
    title("pinv, matrix_rank with a tolerance for each matrix")
    x = np.stack([np.diag([4.0, 2.0, 1.0]), np.diag([8.0, 1.0, 0.0]), np.diag([1.0, 0.75, 0.25])])
    tolerance = np.array([0.3, 0.01, 0.5])
    case("matrix_rank", [x, tolerance], np.linalg.matrix_rank(x, rtol=tolerance))
    case("pinv", [x, tolerance], np.linalg.pinv(x, rtol=tolerance), "", "1e-12")
    case("matrix_rank", [x, np.float64(0.3)], np.linalg.matrix_rank(x, rtol=0.3))
    case("matrix_rank", [x, np.array([0.3])], np.linalg.matrix_rank(x, rtol=0.3))
    print("matrix_rank f32[[1 0] [0 0.5]] f64{0.6} = i64{1}\nmatrix_rank [[1 0] [0 0.5]] 0 = i64{2}\nmatrix_rank f32(0,2,2)[] f32(0)[] = i64(0)[]\nmatrix_rank [[1 0] [0 0.5]] none = i64{2}")
    print("matrix_rank [[1]] [1 2] ! VN_E_SHAPE\npinv [[1]] i32{1} ! VN_E_DTYPE \"rtol is int32\"\npinv [1] 0.5 ! VN_E_SHAPE")


def triangle():
    title("qr: zeros below the diagonal of r have no sign")
    print("qr.1 [[1 2] [0 -3]] = [[1 2] [0 3]] ~ 1e-6 signed\nqr.1 f64[[-1 2 3] [0 -3 4] [0 0 -2]] = f64[[1 -2 -3] [0 3 -4] [0 0 2]] ~ 1e-14 signed")
    print("qr.1 [[1 2] [0 -3] [0 0]] = [[1 2] [0 3]] ~ 1e-6 signed")


print("# Options and shapes of the Array API standard. Printed by standard_numpy.py.")
power()
clip()
cumulative()
diff()
searchsorted()
repeat()
statistics()
empty()
rank()
triangle()
