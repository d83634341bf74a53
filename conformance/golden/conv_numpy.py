"""Case lines for convolution and pooling: plain NumPy loops over every element of a window.

    python3 conformance/golden/conv_numpy.py conv > conformance/cases/conv.case
    python3 conformance/golden/conv_numpy.py pool > conformance/cases/pool.case
"""
import itertools
import sys

import numpy as np

random = np.random.default_rng(7)
PREFIX = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32",
          "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}


def out_size(n, k, s, lo, hi, d):
    return max(0, (n + lo + hi - (k - 1) * d - 1) // s + 1)


def meetings(size, window, strides, pads, dilations):
    """Every (place of x, tap, place of the result) that meet inside x."""
    out = [out_size(n, k, s, pads[2 * a], pads[2 * a + 1], d) for a, (n, k, s, d) in enumerate(zip(size, window, strides, dilations))]
    met = []
    for o in itertools.product(*map(range, out)):
        for t in itertools.product(*map(range, window)):
            at = tuple(o[a] * strides[a] - pads[2 * a] + t[a] * dilations[a] for a in range(len(size)))
            if all(0 <= i < n for i, n in zip(at, size)):
                met.append((at, t, o))
    return out, met


def conv(x, w, strides, pads, dilations, groups):
    n = x.ndim - 2
    out, met = meetings(x.shape[1:-1], w.shape[:n], strides, pads, dilations)
    cg, og = w.shape[n], w.shape[n + 1] // groups
    z = np.zeros((x.shape[0], *out, w.shape[-1]), x.dtype)
    for at, t, o in met:
        for g in range(groups):
            z[(slice(None), *o, slice(g * og, g * og + og))] += x[(slice(None), *at, slice(g * cg, g * cg + cg))] @ w[t][:, g * og:g * og + og]
    return z


def conv_input(ct, w, strides, pads, dilations, groups, size):
    n = ct.ndim - 2
    _, met = meetings(size, w.shape[:n], strides, pads, dilations)
    cg, og = w.shape[n], w.shape[n + 1] // groups
    z = np.zeros((ct.shape[0], *size, cg * groups), ct.dtype)
    for at, t, o in met:
        for g in range(groups):
            z[(slice(None), *at, slice(g * cg, g * cg + cg))] += ct[(slice(None), *o, slice(g * og, g * og + og))] @ w[t][:, g * og:g * og + og].T
    return z


def conv_filter(x, ct, strides, pads, dilations, groups, size):
    _, met = meetings(x.shape[1:-1], size, strides, pads, dilations)
    cg, og = x.shape[-1] // groups, ct.shape[-1] // groups
    z = np.zeros((*size, cg, ct.shape[-1]), x.dtype)
    for at, t, o in met:
        for g in range(groups):
            z[t][:, g * og:g * og + og] += x[(slice(None), *at, slice(g * cg, g * cg + cg))].T @ ct[(slice(None), *o, slice(g * og, g * og + og))]
    return z


def numbers(shape, dtype="float32"):
    low = 0 if dtype.startswith("u") else -4
    return random.integers(low, 5, shape).astype("float64" if dtype == "bfloat16" else dtype)


def distinct(shape):
    return random.permutation(int(np.prod(shape))).reshape(shape).astype("float32")


def text(x, dtype=None):
    values = " ".join("%d" % v if np.isfinite(v) and v == int(v) else repr(float(v)) for v in np.ravel(x))
    return "%s(%s)[%s]" % (PREFIX[dtype or str(x.dtype)], ",".join(map(str, x.shape)), values)


def line(op, inputs, z, dtype=None, tolerance="", **options):
    words = ["%s=%s" % (k, ",".join(map(str, v)) if isinstance(v, (list, tuple)) else v) for k, v in options.items() if v is not None]
    *given, made = [i if isinstance(i, str) else text(i, dtype) for i in (*inputs, z)]
    print(" ".join([op, *given, *words, "=", made]) + tolerance)


def conv_lines(x_shape, w_shape, strides=None, pads=None, dilations=None, groups=None, dtype="float32"):
    """conv, conv_input and conv_filter of one shape."""
    n = len(x_shape) - 2
    full = (strides or [1] * n, pads or [0] * 2 * n, dilations or [1] * n, groups or 1)
    options = dict(strides=strides, pads=pads, dilations=dilations, groups=groups)
    x, w = numbers(x_shape, dtype), numbers(w_shape, dtype)
    z = conv(x, w, *full)
    line("conv", [x, w], z, dtype, **options)
    ct = numbers(z.shape, dtype)
    line("conv_input", [ct, w], conv_input(ct, w, *full, x_shape[1:-1]), dtype, **options, size=x_shape[1:-1])
    line("conv_filter", [x, ct], conv_filter(x, ct, *full, w_shape[:n]), dtype, **options, size=w_shape[:n])


def first(x):
    return np.moveaxis(x, -1, 1)


def filter_first(w):
    return np.moveaxis(w, (-1, -2), (0, 1))


def dilated(x, by):
    for a, d in enumerate(by):
        shape = list(x.shape)
        shape[a + 1] = (shape[a + 1] - 1) * d + 1
        z = np.zeros(shape, x.dtype)
        z[(slice(None),) * (a + 1) + (slice(None, None, d),)] = x
        x = z
    return x


def conv_cases():
    print("# Convolution: printed by conv_numpy.py.\n\n# One, two and three spatial axes; strides, padding, dilation, groups.")
    conv_lines((1, 5, 1), (3, 1, 1))
    conv_lines((2, 6, 3), (2, 3, 2), strides=[2], pads=[1, 0])
    conv_lines((1, 7, 2), (3, 2, 3), strides=[3], pads=[0, 2], dilations=[2])
    conv_lines((1, 4, 5, 2), (3, 2, 2, 3), pads=[1, 1, 0, 1])
    conv_lines((2, 5, 4, 4), (2, 2, 2, 4), strides=[2, 1], groups=2)
    conv_lines((1, 4, 4, 3), (3, 3, 1, 3), pads=[1, 1, 1, 1], groups=3)
    conv_lines((1, 4, 3, 2), (2, 2, 1, 4), strides=[1, 2], dilations=[2, 1], groups=2)
    conv_lines((1, 3, 3, 3, 2), (2, 2, 2, 2, 2), strides=[1, 2, 1], pads=[0, 0, 1, 0, 0, 1])
    print("\n# A stride beyond the filter: some elements are never met. A filter of one element. The whole of x.")
    conv_lines((1, 5, 1), (1, 1, 2), strides=[3])
    conv_lines((1, 2, 2, 2), (1, 1, 2, 3))
    conv_lines((1, 3, 3, 1), (3, 3, 1, 1))
    print("\n# Every dtype.")
    for dtype in PREFIX:
        if dtype != "float32":
            conv_lines((1, 4, 2), (2, 2, 2), pads=[1, 0], dtype=dtype)
    print("conv i8(1,2,1)[127 127] i8(2,1,1)[1 1] = i8(1,1,1)[-2]")
    print("conv u8(1,2,1)[200 100] u8(2,1,1)[1 1] = u8(1,1,1)[44]")
    print("conv f16(1,3,1)[2048 1 -2048] f16(3,1,1)[1 1 1] = f16(1,1,1)[1]")
    print("conv i32(1,2,1)[1 2] f32(2,1,1)[0.5 0.25] = f32(1,1,1)[1]")
    print("\n# Nothing: no images, no channels, a filter that does not fit.")
    print("conv f32(0,3,1)[] f32(2,1,2)[1 2 3 4] = f32(0,2,2)[]")
    print("conv f32(1,3,0)[] f32(2,0,2)[] = f32(1,2,2)[0 0 0 0]")
    print("conv f32(1,3,1)[1 2 3] f32(2,1,0)[] = f32(1,2,0)[]")
    print("conv f32(1,1,1)[1] f32(2,1,1)[1 2] = f32(1,0,1)[]")
    print("conv f32(1,0,1)[] f32(2,1,1)[1 2] pads=1,1 = f32(1,1,1)[0]")
    print("conv_input f32(1,0,1)[] f32(2,1,1)[1 2] size=1 = f32(1,1,1)[0]")
    print("conv_input f32(0,2,1)[] f32(2,1,1)[1 2] size=3 = f32(0,3,1)[]")
    print("conv_filter f32(1,1,1)[1] f32(1,0,1)[] size=2 = f32(2,1,1)[0 0]")
    print("conv_filter f32(0,3,1)[] f32(0,2,1)[] size=2 = f32(2,1,1)[0 0]")
    print("\n# What is no number spreads.")
    print("conv f32(1,4,1)[1 nan 3 4] f32(2,1,1)[1 1] = f32(1,3,1)[nan nan 7]")
    print("conv f32(1,4,1)[inf 2 3 4] f32(2,1,1)[1 -1] = f32(1,3,1)[inf -1 -1]")
    print("\n# The general form: bias, layouts, negative padding, dilated inputs.")
    x, w, b = numbers((2, 4, 3)), numbers((2, 3, 2)), numbers((2,))
    one, two, none = [1], [1, 1], "none"
    line("conv_general", [x, w, none], conv(x, w, one, [0, 0], one, 1))
    line("conv_general", [x, w, b], conv(x, w, [2], [1, 1], one, 1) + b, strides=[2], pads=[1, 1])
    line("conv_general", [x, w], conv(x[:, 1:], w, one, [0, 2], one, 1), pads=[-1, 2])
    line("conv_general", [x, w], conv(x[:, 1:-1], w, one, [0, 0], one, 1), pads=[-1, -1])
    line("conv_general", [x, w], conv(dilated(x, [3]), w, one, [1, 0], one, 1), input_dilations=[3], pads=[1, 0])
    line("conv_general", [x, w], conv(dilated(x, [2])[:, 2:], w, one, [0, 1], [2], 1), input_dilations=[2], pads=[-2, 1], dilations=[2])
    x, w, b = numbers((1, 3, 4, 4)), numbers((2, 3, 2, 6)), numbers((6,))
    line("conv_general", [first(x), filter_first(w), b], first(conv(x, w, [1, 2], [0, 1, 1, 1], two, 2) + b), strides=[1, 2],
         pads=[0, 1, 1, 1], groups=2, channels_first=1)
    line("conv_general", [first(x), filter_first(w), none], first(conv(dilated(x, [2, 1]), w, two, [0] * 4, two, 2)), input_dilations=[2, 1],
         groups=2, channels_first=1)
    print("conv_general i32(1,2,1)[1 2] i32(2,1,1)[3 4] i32[5] = i32(1,1,1)[16]")
    print("\n# Transposed.")
    x, w, b = numbers((2, 3, 2)), numbers((3, 4, 2)), numbers((4,))
    line("conv_transpose_general", [x, w, none], conv_input(x, w, one, [0, 0], one, 1, [5]))
    line("conv_transpose_general", [x, w, b], conv_input(x, w, [2], [1, 0], one, 1, [6]) + b, strides=[2], pads=[1, 0])
    line("conv_transpose_general", [x, w, b], conv_input(x, w, [2], [1, 1], [2], 1, [8]) + b, strides=[2], pads=[1, 1], dilations=[2],
         output_pads=[1])
    x, w, b = numbers((1, 2, 3, 4)), numbers((2, 3, 1, 4)), numbers((2,))
    line("conv_transpose_general", [first(x), filter_first(w), b], first(conv_input(x, w, [2, 1], [0, 0, 1, 1], two, 2, [4, 3]) + b),
         strides=[2, 1], pads=[0, 0, 1, 1], groups=2, channels_first=1)
    print("\n# Many channels and places.")
    for c, o, dtype in ((40, 36, "float32"), (40, 36, "int64")):
        print("conv %s(2,9,8,%d)[1 ...] %s(3,3,%d,%d)[2 ...] = %s(2,7,6,%d)[%d ...]" % (*(PREFIX[dtype], c) * 2, o, PREFIX[dtype], o, 18 * c))
    print("\n# one result channel and kernels of 2x1 on an image of 2x1: layouts that look alike")
    for x_shape, w_shape, options in ((1, 2, 1, 2), (2, 1, 2, 1), {}), ((1, 2, 4), (1, 2, 2), {"groups": 2}):
        x, w = (np.arange(1, np.prod(s) + 1).astype("float64").reshape(s) for s in (x_shape, w_shape))
        n = x.ndim - 2
        line("conv", [x, w], conv(x, w, [1] * n, [0] * 2 * n, [1] * n, options.get("groups", 1)), **options)


def pool(x, window, strides, pads, dilations, start, join):
    out, met = meetings(x.shape[1:-1], window, strides, pads, dilations)
    z = np.full((x.shape[0], *out, x.shape[-1]), start, x.dtype)
    for at, _, o in met:
        z[(slice(None), *o)] = join(z[(slice(None), *o)], x[(slice(None), *at)])
    return z


def places(x, window, strides, pads, dilations):
    """For every window that meets anything, the place of its first maximum; NaN is larger than all."""
    _, met = meetings(x.shape[1:-1], window, strides, pads, dilations)
    best = {}
    for at, _, o in met:
        for n in range(x.shape[0]):
            for c in range(x.shape[-1]):
                to, here = (n, *o, c), (n, *at, c)
                if to not in best or x[here] > x[best[to]] or np.isnan(x[here]) > np.isnan(x[best[to]]):
                    best[to] = here
    return best


def max_lines(x, ct, full, dtype="float32", **options):
    """max_pool, where its maxima stand, and its backward pass."""
    lowest = np.iinfo(dtype).min if "int" in dtype else -np.inf
    top = pool(x, *full, lowest, np.maximum)
    line("max_pool", [x], top, dtype, **options)
    best = places(x, *full)
    scattered, index = np.zeros_like(x), np.full(ct.shape, -1)
    for to, at in best.items():
        scattered[at] += ct[to]
        index[to] = np.ravel_multi_index(at[1:-1], x.shape[1:-1])
    line("max_pool.1", [x], text(index), dtype, **options)
    line("max_pool_backward", [x, top, text(index), ct], scattered, dtype, **options)


def pool_lines(shape, window, strides=None, pads=None, dilations=None, dtype="float32"):
    n = len(window)
    full = (window, strides or window, pads or [0] * 2 * n, dilations or [1] * n)
    options = dict(window=window, strides=strides, pads=pads, dilations=dilations)
    x = distinct(shape).astype("float64" if dtype == "bfloat16" else dtype)
    z = pool(x, *full, 0, np.add)
    ct = numbers(z.shape, dtype)
    max_lines(x, ct, full, dtype, **options)
    line("sum_pool", [x], z, dtype, **options)
    spread = np.zeros_like(x)
    for at, _, o in meetings(shape[1:-1], *full)[1]:
        spread[(slice(None), *at)] += ct[(slice(None), *o)]
    line("sum_pool_backward", [ct], spread, dtype, **options, size=shape[1:-1])


def odd_lines():
    """Some images with NaN or -inf, others without."""
    nan, inf = np.nan, np.inf
    x = np.array([1, 2, 2, 0, 2, 1, 0, 2, 0, 0, 3, 3, 0, 0, 3, 3, nan, 5, 1, inf, 5, nan, inf, nan, 2, 7, inf, 1, 7, nan, inf, inf,
                  -inf, -inf, -inf, 0, -inf, -inf, 1, -inf, -inf, 4, -inf, -inf, 4, 4, -inf, -inf], "float32").reshape(3, 4, 4, 1)
    ct = np.array([1, nan, 10, -inf, 2, 20, inf, 200, 3, 30, 300, 3000], "float32").reshape(3, 2, 2, 1)
    max_lines(x, ct, ([2, 2], [2, 2], [0] * 4, [1, 1]), window=[2, 2])
    ct = np.array([1, 2, 10, 20, 2, 20, 40, 200, 3, 30, 300, 3000], "float32").reshape(3, 2, 2, 1)
    max_lines(x, ct, ([3, 3], [2, 2], [0, 1, 0, 1], [1, 1]), window=[3, 3], strides=[2, 2], pads=[0, 1, 0, 1])
    ct = np.arange(1, 28).astype("float32").reshape(3, 3, 3, 1)
    max_lines(x, ct, ([2, 2], [1, 1], [0] * 4, [1, 1]), window=[2, 2], strides=[1, 1])


def average(x, window, strides, pads, include):
    ones = np.ones_like(x)
    full = (window, strides, pads, [1] * len(window))
    sizes = np.prod(window) if include else np.maximum(1, pool(ones, *full, 0, np.add))
    return (pool(x, *full, 0, np.add) / sizes).astype(x.dtype)


def pool_cases():
    print("# Pooling: printed by conv_numpy.py.\n\n# Windows, strides (the window's size if not given), padding, dilation.")
    pool_lines((1, 4, 1), [2])
    pool_lines((2, 5, 3), [3], strides=[1], pads=[1, 1])
    pool_lines((1, 7, 2), [2], strides=[2], pads=[0, 1], dilations=[3])
    pool_lines((2, 4, 4, 2), [2, 2])
    pool_lines((1, 5, 4, 3), [3, 2], strides=[2, 1], pads=[1, 0, 0, 1])
    pool_lines((1, 3, 4, 3, 2), [2, 2, 2], strides=[1, 2, 1])
    print("\n# Every dtype.")
    for dtype in PREFIX:
        if dtype != "float32":
            pool_lines((1, 4, 2), [2], pads=[0, 1], strides=[1], dtype=dtype)
    print("sum_pool u8(1,2,1)[200 100] window=2 = u8(1,1,1)[44]")
    print("sum_pool f16(1,3,1)[2048 1 -2048] window=3 = f16(1,1,1)[1]")
    print("\n# The first of equal elements; NaN wins; the lowest numbers; windows of padding alone.")
    print("max_pool.1 i32(1,4,1)[3 3 1 3] window=2 strides=1 = i64(1,3,1)[0 1 3]")
    print("max_pool_backward i32(1,4,1)[3 3 1 3] i32(1,3,1)[3 3 3] i64(1,3,1)[0 1 3] i32(1,3,1)[1 10 100] window=2 strides=1 = i32(1,4,1)[1 10 0 100]")
    print("max_pool f32(1,4,1)[1 nan 3 4] window=2 strides=1 = f32(1,3,1)[nan nan 4]")
    print("max_pool.1 f32(1,4,1)[1 nan nan 4] window=2 strides=1 = i64(1,3,1)[1 1 2]")
    print("max_pool_backward f32(1,4,1)[1 nan nan 4] f32(1,3,1)[nan nan nan] i64(1,3,1)[1 1 2] f32(1,3,1)[1 10 100] window=2 strides=1 = f32(1,4,1)[0 11 100 0]")
    print("max_pool f32(1,2,1)[-inf -inf] window=2 = f32(1,1,1)[-inf]")
    print("max_pool.1 f32(1,2,1)[-inf -inf] window=2 = i64(1,1,1)[0]")
    print("max_pool_backward f32(1,2,1)[-inf -inf] f32(1,1,1)[-inf] i64(1,1,1)[0] f32(1,1,1)[5] window=2 = f32(1,2,1)[5 0]")
    print("max_pool.1 i8(1,2,1)[-128 -128] window=2 = i64(1,1,1)[0]")
    print("max_pool f32(1,2,1)[1 2] window=1 pads=1,0 = f32(1,3,1)[-inf 1 2]")
    print("max_pool i8(1,2,1)[1 2] window=1 pads=1,0 = i8(1,3,1)[-128 1 2]")
    print("max_pool.1 f32(1,2,1)[1 2] window=1 pads=1,0 = i64(1,3,1)[-1 0 1]")
    print("max_pool_backward f32(1,2,1)[1 2] f32(1,3,1)[-inf 1 2] i64(1,3,1)[-1 0 1] f32(1,3,1)[3 4 5] window=1 pads=1,0 = f32(1,2,1)[4 5]")
    print("\n# Some images with NaN or -inf, others without: each window by itself. The cotangent may be NaN and infinite too.")
    odd_lines()
    print("\n# Nothing.")
    print("max_pool f32(1,1,1)[1] window=2 = f32(1,0,1)[]")
    print("max_pool f32(0,4,1)[] window=2 = f32(0,2,1)[]")
    print("max_pool f32(1,4,0)[] window=2 = f32(1,2,0)[]")
    print("max_pool f32(1,0,1)[] window=1 pads=1,0 = f32(1,1,1)[-inf]")
    print("max_pool.1 f32(1,0,1)[] window=1 pads=1,0 = i64(1,1,1)[-1]")
    print("max_pool_backward f32(1,1,1)[1] f32(1,0,1)[] i64(1,0,1)[] f32(1,0,1)[] window=2 = f32(1,1,1)[0]")
    print("sum_pool f32(1,0,1)[] window=1 pads=1,0 = f32(1,1,1)[0]")
    print("sum_pool_backward f32(1,0,1)[] window=2 size=1 = f32(1,1,1)[0]")
    print("\n# Means.")
    x = numbers((1, 5, 2))
    line("avg_pool", [x], average(x, [2], [2], [0, 0], 0), window=[2])
    line("avg_pool", [x], average(x, [3], [1], [1, 1], 0), tolerance=" ~ 1e-6", window=[3], strides=[1], pads=[1, 1])
    line("avg_pool", [x], average(x, [3], [1], [1, 1], 1), tolerance=" ~ 1e-6", window=[3], strides=[1], pads=[1, 1], include_padding=1)
    x = numbers((1, 4, 3, 2))
    line("avg_pool", [x], average(x, [2, 2], [2, 1], [1, 1, 0, 1], 0), window=[2, 2], strides=[2, 1], pads=[1, 1, 0, 1])
    print("avg_pool f32(1,2,1)[1 2] window=1 pads=1,0 = f32(1,3,1)[0 1 2]")
    print("avg_pool f16(1,4,1)[60000 60000 1 2] window=2 = f16(1,2,1)[60000 1.5]")
    print("avg_pool bf16(1,4,1)[1 2 3 4] window=2 = bf16(1,2,1)[1.5 3.5]")
    print("avg_pool f64(1,4,1)[1 2 3 5] window=2 = f64(1,2,1)[1.5 4]")


{"conv": conv_cases, "pool": pool_cases}[sys.argv[1]]()
