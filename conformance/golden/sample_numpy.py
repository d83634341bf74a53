#!/usr/bin/env python3
"""Prints conformance/cases/sample.case: expected results of the random ops other than uniform and normal, from an independent implementation.

Run by hand, with numpy and scipy: python3 conformance/golden/sample_numpy.py > conformance/cases/sample.case. Element e takes 64 bits, half of block e/2, or block e if it needs
more; try t of a block that is rejected is the block 2^48 t further on.
"""
import math

import numpy as np
from scipy.special import gammaln, ndtr, ndtri, log_ndtr
from scipy.stats import binom

from random_numpy import known_answers, normal32, normal64, philox, M32

M64 = 2**64 - 1


def block(key, b):
    """The two 64-bit numbers of block b."""
    w = philox([b & M32, b >> 32 & M32, key[1] & M32, key[1] >> 32], [key[0] & M32, key[0] >> 32])
    return w[0] << 32 | w[1], w[2] << 32 | w[3]


def attempt(b, t):
    return b + (t << 48) & M64


def half(key, e, t=0):
    return block(key, attempt(e // 2, t))[e % 2]


def unit(bits):
    return (bits >> 11) * 2.0**-53


def below(key, e, n):
    t = 0
    while True:
        product = half(key, e, t) * n
        if product % 2**64 >= 2**64 % n:
            return product >> 64
        t += 1


def randint(key, low, high, n):
    low, high = np.broadcast_to(np.array(low, object), n), np.broadcast_to(np.array(high, object), n)
    return [int(a) + (below(key, e, int(b) - int(a)) if a < b else 0) for e, (a, b) in enumerate(zip(low, high))]


def exponential(key, n):
    return [0 - math.log1p(-unit(half(key, e))) for e in range(n)]


def normal(bits):
    x = -float(ndtri(0.5 * (unit(bits << 1 & M64) + 2.0**-54)))
    return x if bits >> 63 else -x


def gamma_parts(key, e, alpha, first=0):
    """A gamma number as m and the logarithm of a factor."""
    d = (alpha + 1 if alpha < 1 else alpha) - 1 / 3
    c, t = 1 / math.sqrt(9 * d), 0
    while True:
        p, q = block(key, attempt(e, first + t))
        x, u = normal(p), unit(q) + 2.0**-54
        v = (1 + c * x)**3
        if v > 0 and math.log(u) < x * x / 2 + d * (1 - v + math.log(v)):
            break
        t += 1
    if alpha >= 1:
        return d * v, 0
    return d * v, math.log(unit(block(key, attempt(e, first + 255))[0]) + 2.0**-54) / alpha


def gamma(key, alpha, n):
    return [m * math.exp(l) for m, l in (gamma_parts(key, e, alpha) for e in range(n))]


def beta(key, a, b, n):
    out = []
    for e in range(n):
        (x, lx), (y, ly) = gamma_parts(key, e, a), gamma_parts(key, e, b, 256)
        out.append(1 / (1 + math.exp(min(700, math.log(y) + ly - math.log(x) - lx))))
    return out


def truncated(key, low, high, n):
    """Below 0 and bisected, on logarithms of probabilities; mirrored where there is more above 0."""
    flip = low + high > 0
    a, b = (-high, -low) if flip else (low, high)
    out = []
    for e in range(n):
        u = unit(half(key, e))
        if b < -30:  # counted from b
            target = log_ndtr(b) + math.log1p(u * math.expm1(log_ndtr(a) - log_ndtr(b)))
        else:
            target = math.log(ndtr(a) + (u + 2.0**-54) * (ndtr(b) - ndtr(a)))
        lo, hi = max(a, min(b, 0) - 40), min(b, 40)
        for _ in range(200):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if log_ndtr(mid) < target else (lo, mid)
        out.append(-lo if flip else lo)
    return out


def poisson(key, rate, n):
    out = []
    for e in range(n):
        if rate < 10:
            k, u, term = 0, unit(block(key, e)[0]), math.exp(-rate)
            while u >= term:
                u -= term
                k += 1
                term *= rate / k
            out.append(k)
            continue
        b = 0.931 + 2.53 * math.sqrt(rate)
        a, t = -0.059 + 0.02483 * b, 0
        while True:
            p, q = block(key, attempt(e, t))
            t += 1
            u, v = unit(p) - 0.5, unit(q) + 2.0**-54
            us = 0.5 - abs(u)
            k = math.floor((2 * a / us + b) * u + rate + 0.43)
            if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
                break
            if k < 0 or (us < 0.013 and v > us):
                continue
            if math.log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / us**2 + b)) <= k * math.log(rate) - rate - gammaln(k + 1):
                break
        out.append(k)
    return out


def gumbel(key, n):
    return [-math.log(x if x > 0 else 2.0**-54) for x in exponential(key, n)]


def laplace(key, mean, scale, n):
    out = []
    for e in range(n):
        bits = half(key, e)
        x = 0 - math.log1p(-unit(bits << 1 & M64))
        out.append(mean + scale * (x if bits >> 63 else -x))
    return out


def binomial(key, count, p, n):
    q, out = min(p, 1 - p), []
    mean = count * q
    for e in range(n):
        if mean < 10:
            k = int(np.searchsorted(binom.cdf(np.arange(min(count, 128) + 1), count, q), unit(block(key, e)[0]), "right"))
        else:
            deviation, t = math.sqrt(mean * (1 - q)), 0
            b = 1.15 + 2.53 * deviation
            a, mode = -0.0873 + 0.0248 * b + 0.01 * q, math.floor((count + 1) * q)
            while True:
                x, y = block(key, attempt(e, t))
                t += 1
                u, v = unit(x) - 0.5, unit(y) + 2.0**-54
                us = 0.5 - abs(u)
                k = math.floor((2 * a / us + b) * u + mean + 0.5)
                if k < 0 or k > count:
                    continue
                if us >= 0.07 and v <= 0.92 - 4.2 / b:
                    break
                if math.log(v * (2.83 + 5.1 / b) * deviation / (a / us**2 + b)) <= binom.logpmf(k, count, q) - binom.logpmf(mode, count, q):
                    break
        out.append(count - k if p > 0.5 else k)
    return out


def dirichlet(key, alpha, rows):
    alphas = list(alpha) * rows
    x = np.array([gamma(key, a, e + 1)[e] for e, a in enumerate(alphas)]).reshape(rows, len(alpha))
    return (x / x.sum(1, keepdims=True)).ravel()


def multivariate(key, mean, cov, rows, wide=True):
    z = (normal64 if wide else normal32)(key, rows * len(mean)).reshape(rows, len(mean))
    return (np.array(mean) + z @ np.linalg.cholesky(np.array(cov)).T).ravel()


def choose(key, weights, samples):
    out = []
    for r, row in enumerate(weights):
        sums = np.cumsum(np.array(row, np.float64))
        for s in range(samples):
            out.append(int(np.searchsorted(sums, unit(half(key, r * samples + s)) * sums[-1], "right")))
    return out


def race(key, weights, samples):
    out = []
    for r, row in enumerate(weights):
        times = [(-math.log1p(-unit(half(key, r * len(row) + i))) / w, i) for i, w in enumerate(row) if w > 0]
        order = [i for _, i in sorted(times)][:samples]
        out += order + [-1] * (samples - len(order))
    return out


def permutation(key, n):
    order = []
    for i in range(n):
        j = below(key, i, i + 1)
        order.append(i)
        order[i], order[j] = order[j], order[i]
    return order


def split(key, n):
    return [x for i in range(n) for x in block(key, 2**63 + i)]


def fold(key, data):
    return [x for d in data for x in block(block(key, 3 << 62), d & M64)]


SHORT = {"bool": "bool", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
SHORT |= {f"{u}int{b}": f"{u[:1] or 'i'}{b}" for u in ("", "u") for b in (8, 16, 32, 64)}


def text(values, dtype):
    return " ".join(repr(float(v)) if "float" in dtype else str(int(v)) for v in values)


def line(op, key, inputs, options, shape, dtype, values, tolerance=""):
    """shape and dtype: of the result."""
    size = ",".join(map(str, shape))
    value = f"{{{text(values, dtype)}}}" if not shape else f"({size})[{text(values, dtype)}]"
    print(" ".join(f"{op} u64[{key[0]} {key[1]}] {inputs} {options} = {SHORT[dtype]}{value}{tolerance}".split()))


def sampled(op, key, inputs, n, dtype, values, default, tolerance=""):
    option = "" if dtype == default else f"dtype={dtype}"
    line(op, key, inputs, f"shape={n} {option}", [n], dtype, values, tolerance)


def bits_and_integers(zero, some, ones):
    pi = (0x299F31D0A4093822, 0x0370734413198A2E)
    print("# Known answers of Random123: counter and key of zeros, of ones, of the digits of pi.")
    for key, b, answer in [(zero, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"), (ones, -1, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
                           (pi, 0x85A308D3243F6A88 - 2**64, "d16cfe09 94fdcceb 5001e420 24126ea1")]:
        words = [int(w, 16) for w in answer.split()]
        line("random_bits", key, "", f"shape=4 block={b}", [4], "uint32", words)
        line("random_bits", key, "", f"shape=2 dtype=uint64 block={b}", [2], "uint64", [words[0] << 32 | words[1], words[2] << 32 | words[3]])
    pairs = [half(some, e) for e in range(133)]
    words = [w for p in pairs for w in (p >> 32, p & M32)]
    line("random_bits", some, "", "shape=7", [7], "uint32", words[:7])
    line("random_bits", some, "", "shape=7 dtype=uint8", [7], "uint8", [w & 255 for w in words[:7]])
    line("random_bits", some, "", "shape=7 dtype=uint16", [7], "uint16", [w & 65535 for w in words[:7]])
    line("random_bits", some, "", "shape=7 dtype=uint16 block=1", [7], "uint16", [w & 65535 for w in words[4:11]])
    line("random_bits", some, "", "shape=266", [266], "uint32", words)
    line("random_bits", some, "", "shape=133 dtype=uint64", [133], "uint64", pairs)
    line("random_bits", some, "", "shape= dtype=uint64", [], "uint64", pairs[:1])
    line("random_bits", some, "", "shape=2,0", [2, 0], "uint32", [])

    print("\n# Integers; the long ranges reject up to half of what they sample.")
    for low, high, dtype in [(0, 10, "int64"), (-5, 6, "int8"), (0, 256, "uint8"), (-32768, 32768, "int16"), (0, 1, "int32"),
                             (-2**31, 2**31, "int32"), (0, 2**32, "uint32"), (7, 9, "uint16")]:
        sampled("randint", some, f"{low} {high}", 33 if dtype == "int64" else 8, dtype, randint(some, low, high, 33 if dtype == "int64" else 8), "int64")
    for low, high in [(-2**63, 2**63 - 1), (-2**62, 2**62 + 1), (-2**63, 1), (0, 3 * 2**61), (5, 5), (5, -5)]:
        sampled("randint", some, f"i64[{low}] i64[{high}]", 33, "int64", randint(some, low, high, 33), "int64")
    for low, high in [(0, 2**64 - 1), (2**63 - 1, 2**64 - 1), (2**64 - 2, 2**64 - 1)]:
        sampled("randint", some, f"u64[{low}] u64[{high}]", 8, "uint64", randint(some, low, high, 8), "int64")
    line("randint", some, "i8[0 10 20] i32[[100] [1000]]", "shape=2,3", [2, 3], "int64", randint(some, [0, 10, 20] * 2, [100] * 3 + [1000] * 3, 6))
    line("randint", some, "0 6", "shape=", [], "int64", randint(some, 0, 6, 1))
    line("randint", some, "0 6", "shape=0", [0], "int64", [])
    sampled("randint", ones, "0 1000", 1030, "int16", randint(ones, 0, 1000, 1030), "int64")


def floats(some, zero):
    print("\n# Bernoulli: a probability of any float dtype.")
    u = [unit(half(some, e)) for e in range(140)]
    for p, write in [(0.5, "0.5"), (0.25, "f16[0.25]"), (0.125, "bf16[0.125]"), (0.9, "f64[0.9]"), (0, "0"), (1, "1"), (-1, "[-1]"), (2, "[2]"),
                     (-1, "[nan]")]:
        sampled("bernoulli", some, write, 140, "bool", [x < p for x in u], "bool")
    for dtype in ("int8", "uint64", "float16", "float32"):
        sampled("bernoulli", some, "0.5", 9, dtype, [x < 0.5 for x in u[:9]], "bool")
    line("bernoulli", some, "[[0.1] [0.9]]", "shape=2,4", [2, 4], "bool", [x < (0.1 if e < 4 else 0.9) for e, x in enumerate(u[:8])])
    line("bernoulli", some, "0.5", "shape=", [], "bool", [u[0] < 0.5])
    line("bernoulli", some, "0.5", "shape=0", [0], "bool", [])

    print("\n# Exponential numbers.")
    sampled("exponential", some, "", 133, "float32", exponential(some, 133), "float32", " ~ 2e-7")
    for dtype, tolerance in [("float16", " ~ 1e-3"), ("bfloat16", " ~ 8e-3"), ("float64", " ~ 1e-15")]:
        sampled("exponential", zero, "", 8, dtype, exponential(zero, 8), "float32", tolerance)
    line("exponential", some, "", "shape=", [], "float32", exponential(some, 1), " ~ 2e-7")
    line("exponential", some, "", "shape=2,0", [2, 0], "float32", [])

    print("\n# Gumbel and Laplace numbers.")
    for op, inputs, make in ("gumbel", "", gumbel), ("laplace", "0.5 2", lambda key, n: laplace(key, 0.5, 2, n)):
        sampled(op, some, inputs, 133, "float32", make(some, 133), "float32", " ~ 1e-6")
        for dtype, tolerance in [("float16", " ~ 8e-3"), ("bfloat16", " ~ 6e-2"), ("float64", " ~ 1e-14")]:
            sampled(op, zero, inputs, 8, dtype, make(zero, 8), "float32", tolerance)
        line(op, some, inputs, "shape=", [], "float32", make(some, 1), " ~ 1e-6")
        line(op, some, inputs, "shape=2,0", [2, 0], "float32", [])
    line("laplace", some, "[[-1] [5]] [0 3]", "shape=2,2", [2, 2], "float32", [-1, laplace(some, -1, 3, 2)[1], 5, laplace(some, 5, 3, 4)[3]], " ~ 2e-6")
    line("laplace", some, "[nan inf 0] [1 1 nan]", "shape=3", [3], "float32", [math.nan, math.inf, math.nan])

    print("\n# Gamma and beta numbers, also where they are almost 0.")
    for alpha in (1, 2.5, 100, 1e6, 0.5, 0.01):
        sampled("gamma", some, f"{alpha}", 133 if alpha == 2.5 else 9, "float64", gamma(some, alpha, 133 if alpha == 2.5 else 9), "float32", " ~ 1e-9 rel")
    sampled("gamma", some, "2.5", 9, "float32", gamma(some, 2.5, 9), "float32", " ~ 2e-7")
    sampled("gamma", some, "2.5", 9, "float16", gamma(some, 2.5, 9), "float32", " ~ 1e-3")
    sampled("gamma", some, "2.5", 9, "bfloat16", gamma(some, 2.5, 9), "float32", " ~ 8e-3")
    line("gamma", some, "[0 -1 nan inf]", "shape=4", [4], "float32", [math.nan, math.nan, math.nan, math.inf])
    line("gamma", some, "2.5", "shape=", [], "float32", gamma(some, 2.5, 1), " ~ 2e-7")
    line("gamma", some, "2.5", "shape=0", [0], "float32", [])
    for a, b in ((1, 1), (2, 5), (0.5, 0.5), (0.01, 0.02), (500, 3)):
        sampled("beta", some, f"{a} {b}", 9, "float64", beta(some, a, b, 9), "float32", " ~ 1e-9")
    sampled("beta", some, "2 5", 9, "float32", beta(some, 2, 5, 9), "float32", " ~ 2e-7")
    sampled("beta", some, "2 5", 9, "float16", beta(some, 2, 5, 9), "float32", " ~ 1e-3")
    line("beta", some, "[0 1 nan inf 1 inf] [1 -1 1 1 inf inf]", "shape=6", [6], "float32", [math.nan, math.nan, math.nan, 1, 0, math.nan])
    line("beta", some, "2 5", "shape=0,2", [0, 2], "float32", [])

    print("\n# Shares, and vectors of normal numbers.")
    for alpha, rows, dtype, tolerance in [((1, 2, 3), 3, "float64", " ~ 1e-9"), ((0.5, 0.5), 4, "float32", " ~ 1e-6"), ((5, 1, 0.2, 3), 2, "float16", " ~ 1e-3")]:
        write = f"{SHORT[dtype]}[{' '.join(map(str, alpha))}]"
        line("dirichlet", some, write, f"shape={rows},{len(alpha)}" + ("" if dtype == "float32" else f" dtype={dtype}"), [rows, len(alpha)], dtype, dirichlet(some, np.array(alpha, {"float16": np.float16}.get(dtype, float)).astype(float), rows), tolerance)
    line("dirichlet", some, "2", "shape=3", [3], "float32", dirichlet(some, (2, 2, 2), 1), " ~ 1e-6")
    line("dirichlet", some, "[[1 2] [0 1]]", "shape=2,2", [2, 2], "float32", [*dirichlet(some, (1, 2), 1), math.nan, math.nan], " ~ 1e-6")
    line("dirichlet", some, "[1 2]", "shape=0,2", [0, 2], "float32", [])
    mean, cov = [1, -2, 0.5], [[2, 0.5, 0.25], [0.5, 1, -0.25], [0.25, -0.25, 1.5]]
    written = ["[" + " ".join(map(str, mean)) + "]", "[" + " ".join("[" + " ".join(map(str, r)) + "]" for r in cov) + "]"]
    for dtype, prefix, tolerance in [("float64", "f64", " ~ 1e-10"), ("float32", "f32", " ~ 4e-6"), ("bfloat16", "bf16", " ~ 6e-2")]:
        inputs = " ".join(prefix + w for w in written)
        line("multivariate_normal", some, inputs, "shape=4" + ("" if dtype == "float32" else f" dtype={dtype}"), [4, 3], dtype, multivariate(some, mean, cov, 4, dtype == "float64"), tolerance)
    line("multivariate_normal", some, " ".join("f64" + w for w in written), "shape= dtype=float64", [3], "float64", multivariate(some, mean, cov, 1), " ~ 1e-10")
    both = np.array([cov, 4 * np.array(cov)])
    line("multivariate_normal", some, f"f64{written[0]} f64(2,3,3)[{text(both.ravel(), 'float')}]", "shape=2 dtype=float64", [2, 3], "float64",
         np.array(mean * 2) + (multivariate(some, mean, cov, 2) - np.array(mean * 2)) * np.repeat([1, 2], 3), " ~ 1e-10")
    line("multivariate_normal", some, "[1 2] [[1 0] [0 1]]", "shape=0", [0, 2], "float32", [])

    print("\n# Truncated normal numbers, also far out, where no double holds their probabilities.")
    for low, high in ((-2, 2), (-1, 3), (2, 5), (-5, -2), (-math.inf, math.inf), (0, math.inf), (-math.inf, -6), (12, 13), (35, 36), (-40, -39),
                      (100, math.inf), (-1000, -999)):
        sampled("truncated_normal", some, f"{low} {high}", 9, "float64", truncated(some, low, high, 9), "float32", " ~ 1e-8")
    sampled("truncated_normal", some, "-2 2", 133, "float32", truncated(some, -2, 2, 133), "float32", " ~ 1e-6")
    sampled("truncated_normal", some, "-2 2", 9, "float16", truncated(some, -2, 2, 9), "float32", " ~ 1e-3")
    line("truncated_normal", some, "[1 2 nan 0 -inf inf] [1 1 0 nan -inf inf]", "shape=6", [6], "float32", [1] + [math.nan] * 3 + [-math.inf, math.inf])
    line("truncated_normal", some, "[[-1] [5]] [6 7]", "shape=2,2", [2, 2], "float32",
         [truncated(some, low, high, 4)[k] for k, (low, high) in enumerate([(-1, 6), (-1, 7), (5, 6), (5, 7)])], " ~ 1e-6")
    line("truncated_normal", some, "-2 2", "shape=0", [0], "float32", [])

    print("\n# Poisson numbers.")
    for rate in (0.1, 3, 9.99, 10, 30, 1000, 1e9):
        sampled("poisson", some, f"{rate}", 133 if rate in (3, 30) else 16, "int64", poisson(some, rate, 133 if rate in (3, 30) else 16), "int64")
    for dtype in ("int8", "uint16", "float16", "float64"):
        sampled("poisson", some, "f16[3]", 9, dtype, poisson(some, 3, 9), "int64")
    line("poisson", some, "[0 -1 nan -inf inf]", "shape=5", [5], "int64", [0, -1, -1, -1, 2**63 - 1])
    line("poisson", some, "f64[[3] [30]]", "shape=2,2", [2, 2], "int64", poisson(some, 3, 2) + poisson(some, 30, 4)[2:])
    line("poisson", some, "3", "shape=", [], "int64", poisson(some, 3, 1))
    line("poisson", some, "3", "shape=0", [0], "int64", [])


    print("\n# Binomial numbers.")
    for count, p, n in (5, 0.3, 133), (10, 0.9, 16), (100, 0.05, 16), (50, 0.4, 133), (1000, 0.75, 16), (10**6, 0.001, 16), (10**9, 0.5, 16), (1, 0.5, 16), (7, 0, 4), (7, 1, 4), (0, 0.5, 4):
        sampled("binomial", some, f"{count} {p}", n, "int64", binomial(some, count, p, n), "int64")
    for dtype in ("int8", "uint16", "float16", "float64"):
        sampled("binomial", some, "f16[20] f32[0.25]", 9, dtype, binomial(some, 20, 0.25, 9), "int64")
    line("binomial", some, "[-1 nan inf 5 5 5] [0.5 0.5 0.5 -1 2 nan]", "shape=6", [6], "int64", [-1] * 6)
    line("binomial", some, "f64[[5] [50]] f64[0.3 0.4]", "shape=2,2", [2, 2], "int64",
         [binomial(some, count, p, 4)[e] for e, (count, p) in enumerate([(5, 0.3), (5, 0.4), (50, 0.3), (50, 0.4)])])
    line("binomial", some, "5 0.5", "shape=0", [0], "int64", [])


def choices(some):
    print("\n# Indices.")
    rows = [[1, 2, 3, 4], [0, 0, 5, 0], [1, 0, 0, 1]]
    for prefix in ("f32", "f16", "f64", "i8", "u64"):
        write = f"{prefix}{rows}".replace(",", "")
        line("multinomial", some, write, "samples=7", [3, 7], "int64", choose(some, rows, 7))
    write = f"f32{rows}".replace(",", "")
    line("multinomial", some, write, "samples=4 no_replace=1", [3, 4], "int64", race(some, rows, 4))
    line("multinomial", some, write, "samples=2 no_replace=1", [3, 2], "int64", race(some, rows, 2))
    line("multinomial", some, "[1 2 3]", "samples=5", [5], "int64", choose(some, [[1, 2, 3]], 5))
    line("multinomial", some, "[1 2 3]", "samples=0", [0], "int64", [])
    line("multinomial", some, "f32(0,3)[]", "samples=2", [0, 2], "int64", [])
    line("multinomial", some, "f32(2,0)[]", "samples=2", [2, 2], "int64", [-1] * 4)
    line("multinomial", some, "f32(2,0)[]", "samples=2 no_replace=1", [2, 2], "int64", [-1] * 4)
    bad = "[[0 0] [-1 2] [nan 1] [inf 1] [0 1]]"
    line("multinomial", some, bad, "samples=2", [5, 2], "int64", [-1] * 8 + [1, 1])
    line("multinomial", some, bad, "samples=2 no_replace=1", [5, 2], "int64", [-1] * 8 + [1, -1])
    many = [(i * 7919) % 101 for i in range(1100)]
    line("multinomial", some, f"[{text(many, 'int')}]", "samples=130", [130], "int64", choose(some, [many], 130))
    line("multinomial", some, f"[{text(many, 'int')}]", "samples=130 no_replace=1", [130], "int64", race(some, [many], 130))
    logits = [[0, 1, -1, 0.5], [1000, 999, -math.inf, 0], [-1000, -1000, -1000, -1001]]
    weights = [np.exp(np.array(r) - max(r)) for r in logits]
    write = f"{logits}".replace(",", "")
    line("categorical", some, write, "", [3], "int64", choose(some, weights, 1))
    line("categorical", some, f"f16{write}", "samples=7", [3, 7], "int64", choose(some, weights, 7))
    line("categorical", some, f"f64{write}", "samples=7", [3, 7], "int64", choose(some, weights, 7))
    line("categorical", some, "[0 0 0]", "", [], "int64", choose(some, [[1, 1, 1]], 1))
    line("categorical", some, "[[-inf -inf] [nan 0] [inf 0] [0 -inf]]", "samples=2", [4, 2], "int64", [-1] * 6 + [0, 0])
    line("categorical", some, "f32(2,0)[]", "", [2], "int64", [-1, -1])

    print("\n# Orders and keys.")
    for n in (0, 1, 2, 10, 1030):
        line("permutation", some, "", f"n={n}", [n], "int64", permutation(some, n))
    order = permutation(some, 5)
    x = np.arange(30.0).reshape(5, 3, 2)
    write = "f32(5,3,2)[%s]" % text(x.ravel(), "int")
    line("shuffle", some, write, "", [5, 3, 2], "float32", x[order].ravel())
    line("shuffle", some, write, "inverse=1", [5, 3, 2], "float32", x[np.argsort(order)].ravel())
    line("shuffle", some, write, "axis=1", [5, 3, 2], "float32", x[:, permutation(some, 3)].ravel())
    line("shuffle", some, write, "axis=-1", [5, 3, 2], "float32", x[:, :, permutation(some, 2)].ravel())
    for dtype in ("bool", "int8", "uint64", "float16", "bfloat16", "float64"):
        values = [v % 2 if dtype == "bool" else v for v in range(5)]
        line("shuffle", some, f"{SHORT[dtype]}[{text(values, 'int')}]", "", [5], dtype, [values[k] for k in order])
    line("shuffle", some, "f32(0,2)[]", "", [0, 2], "float32", [])
    line("shuffle", some, "f32(2,0)[]", "", [2, 0], "float32", [])
    line("random_split", some, "", "n=3", [3, 2], "uint64", split(some, 3))
    line("random_split", some, "", "n=0", [0, 2], "uint64", [])
    line("random_fold", some, "7", "", [2], "uint64", fold(some, [7]))
    line("random_fold", some, "i8[0 1 -1]", "", [3, 2], "uint64", fold(some, [0, 1, -1]))
    line("random_fold", some, "u64[[18446744073709551615] [9223372036854775808]]", "", [2, 1, 2], "uint64", fold(some, [M64, 2**63]))


ERRORS = """
# Errors.
uniform f32[1 2] 0 1 shape=2 ! VN_E_DTYPE
uniform u64[1 2 3] 0 1 shape=2 ! VN_E_SHAPE
uniform u64[1 2] 0 1 shape=2 dtype=bool ! VN_E_DTYPE
uniform u64[1 2] 0 1 shape=-2 ! VN_E_SHAPE
truncated_normal u64[1 2] 0 1 shape=2 dtype=int32 ! VN_E_DTYPE
truncated_normal u64[1 2] f64[0] 1 shape=2 ! VN_E_DTYPE
truncated_normal u64[1 2] 0 [1 2 3] shape=2 ! VN_E_SHAPE
exponential i64[1 2] shape=2 ! VN_E_DTYPE
exponential u64[1] shape=2 ! VN_E_SHAPE
exponential u64[1 2] shape=2 dtype=uint8 ! VN_E_DTYPE
exponential u64[1 2] shape=4611686018427387904,4 ! VN_E_SHAPE
exponential u64[1 2] shape=-1 ! VN_E_SHAPE
gamma u64[1 2] f16[1] shape=2 ! VN_E_DTYPE
gamma u64[1 2] i32[1] shape=2 dtype=int32 ! VN_E_DTYPE
gamma u64[1 2] [1 2] shape= ! VN_E_SHAPE
beta u64[1 2] 1 f64[1] shape=2 ! VN_E_DTYPE
beta u64[1 2] 1 [1 2 3] shape=2,2 ! VN_E_SHAPE
beta u64[[1 2]] 1 1 shape=2 ! VN_E_SHAPE
bernoulli u64[1 2] i32[1] shape=2 ! VN_E_DTYPE
bernoulli u64[1 2] [1 0 1] shape=2 ! VN_E_SHAPE
poisson u64[1 2] i32[3] shape=2 ! VN_E_DTYPE
poisson u64[1 2] 3 shape=2 dtype=bool ! VN_E_DTYPE
poisson u32[1 2] 3 shape=2 ! VN_E_DTYPE
randint u64[1 2] [0] 5 shape=2 ! VN_E_DTYPE
randint u64[1 2] 0.5 5 shape=2 ! VN_E_DTYPE
randint u64[1 2] 0 5 shape=2 dtype=float32 ! VN_E_DTYPE
randint u64[1 2] u64[0] 5 shape=2 ! VN_E_DTYPE
randint u64[1 2] i64[0] 5 shape=2 dtype=uint64 ! VN_E_DTYPE
randint u64[1 2] -1 5 shape=2 dtype=uint64 ! VN_E_DTYPE
randint u64[1 2] i32[0 1 2] 5 shape=2 ! VN_E_SHAPE
randint u64[1 2] 5 2 shape=2 ! VN_E_ARG "low 5 is not below high 2"
randint u64[1 2] 5 5 shape=2 ! VN_E_ARG "not below"
randint u64[1 2] 5 5 shape=0 dtype=uint8 ! VN_E_ARG "not below"
normal u64[1 2] 0 -1 shape=2 ! VN_E_ARG "std is -1, it must be non-negative"
normal u64[1 2] [0] nan shape=2 ! VN_E_ARG "std"
truncated_normal u64[1 2] 1 0 shape=2 ! VN_E_ARG "low 1 is not below high 0"
truncated_normal u64[1 2] nan 0 shape=2 ! VN_E_ARG "not below"
gamma u64[1 2] 0 shape=2 ! VN_E_ARG "alpha is 0, it must be positive"
gamma u64[1 2] nan shape=2 ! VN_E_ARG "alpha"
beta u64[1 2] -1 1 shape=2 ! VN_E_ARG "a is -1, it must be positive"
beta u64[1 2] [1] -1 shape=2 ! VN_E_ARG "b is -1"
bernoulli u64[1 2] 2 shape=2 ! VN_E_ARG "p is 2, not a probability"
bernoulli u64[1 2] -0.5 shape=2 ! VN_E_ARG "not a probability"
bernoulli u64[1 2] nan shape=2 ! VN_E_ARG "not a probability"
poisson u64[1 2] -1 shape=2 ! VN_E_ARG "rate is -1, it must be non-negative"
poisson u64[1 2] nan shape=2 ! VN_E_ARG "rate"
gumbel u64[1 2] shape=2 dtype=int32 ! VN_E_DTYPE
gumbel u64[1] shape=2 ! VN_E_SHAPE
laplace u64[1 2] 0 -1 shape=2 ! VN_E_ARG "scale is -1, it must be non-negative"
laplace u64[1 2] f64[0] 1 shape=2 ! VN_E_DTYPE
laplace u64[1 2] [0 1 2] 1 shape=2 ! VN_E_SHAPE
dirichlet u64[1 2] 0 shape=2 ! VN_E_ARG "alpha is 0, it must be positive"
dirichlet u64[1 2] 1 shape= ! VN_E_SHAPE "a last axis"
dirichlet u64[1 2] [1 2 3] shape=2 ! VN_E_SHAPE
dirichlet u64[1 2] i32[1 2] shape=2 ! VN_E_DTYPE
multivariate_normal u64[1 2] [1 2] [[1 0 0] [0 1 0]] shape=2 ! VN_E_SHAPE "(..., n, n) are needed"
multivariate_normal u64[1 2] f32{1} [[1]] shape=2 ! VN_E_SHAPE
multivariate_normal u64[1 2] [[1 2] [3 4]] [[1 0] [0 1]] shape=3 ! VN_E_SHAPE
multivariate_normal u64[1 2] f64[1] f64[[1]] shape=2 ! VN_E_DTYPE
binomial u64[1 2] -1 0.5 shape=2 ! VN_E_ARG "count is -1, a number of tries is needed"
binomial u64[1 2] 5 1.5 shape=2 ! VN_E_ARG "p is 1.5, not a probability"
binomial u64[1 2] i32[5] 0.5 shape=2 ! VN_E_DTYPE
binomial u64[1 2] 5 0.5 shape=2 dtype=bool ! VN_E_DTYPE
random_bits u64[1 2] shape=2 dtype=int32 ! VN_E_DTYPE
random_bits u64[1 2] shape=2 dtype=float64 ! VN_E_DTYPE
multinomial u64[1 2] bool[1 0] samples=2 ! VN_E_DTYPE
multinomial u64[1 2] f32{1} samples=2 ! VN_E_SHAPE
multinomial u64[1 2] [1 2] samples=-1 ! VN_E_ARG
multinomial u64[1] [1 2] samples=1 ! VN_E_SHAPE
categorical u64[1 2] i32[1 2] ! VN_E_DTYPE
categorical u64[1 2] f32{1} ! VN_E_SHAPE
categorical u64[1 2] [1 2] samples=-1 ! VN_E_ARG
categorical f64[1 2] [1 2] ! VN_E_DTYPE
permutation u64[1 2] n=-1 ! VN_E_ARG
permutation u64[1 2 3] n=1 ! VN_E_SHAPE
permutation i64[1 2] n=1 ! VN_E_DTYPE
shuffle u64[1 2] f32{1} ! VN_E_SHAPE
shuffle u64[1 2] [1 2] axis=1 ! VN_E_ARG
shuffle u64[1 2] [1 2] axis=-2 ! VN_E_ARG
shuffle [1 2] [1 2] ! VN_E_DTYPE
random_split u64[1 2] n=-1 ! VN_E_ARG
random_split u64[1 2] n=9223372036854775807 ! VN_E_SHAPE
random_split f32[1 2] n=1 ! VN_E_DTYPE
random_fold u64[1 2] [1] ! VN_E_DTYPE
random_fold u64[1 2] 0.5 ! VN_E_DTYPE
random_fold u64[1] 1 ! VN_E_SHAPE
"""


def main():
    known_answers()
    zero, some, ones = (0, 0), (12345678901234567890, 42), (M64, M64)
    print("# Random numbers from a key, the same on every engine. Printed by sample_numpy.py.\n")
    bits_and_integers(zero, some, ones)
    floats(some, zero)
    choices(some)
    print(ERRORS, end="")


if __name__ == "__main__":
    main()
