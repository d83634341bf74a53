#!/usr/bin/env python3
"""Prints conformance/cases/standard_values.case: values of the Array API standard far out and at the edges, from an independent reference.

Run by hand, with mpmath: python3 conformance/golden/standard_values.py > conformance/cases/standard_values.case. Complex functions are computed with 2,600
bits and rounded once, quotients of floats as fractions, integers as Python's; what is unique is found by comparing each element with all others.
"""
import fractions
import itertools
import math
import struct

import mpmath as mp

mp.mp.prec = 2600
INF, NAN = math.inf, math.nan


def title(words):
    print(f"\n# ---- {words} ----")


def single(x):
    """x rounded to float32."""
    return struct.unpack("f", struct.pack("f", x))[0]


def number(x):
    return repr(float(x)).removesuffix(".0")


def complex_text(z):
    imag = number(z.imag)
    return f"{number(z.real)}{imag if imag[0] == '-' else '+' + imag}j"


def vector(tag, values, text=number):
    return f"{tag}[{' '.join(text(v) for v in values)}]"


def repeated(tag, values, text=number, n=67):
    return f"{tag}({n})[{' '.join(text(v) for v in values)} ...]"


# ---- division of floats ----


def modulo(x, y):
    """The remainder that has the sign of y, and the floor of the quotient, both exact."""
    x, y = fractions.Fraction(x), fractions.Fraction(y)
    floor = x // y
    return x - y * floor, floor


def nearest(tag, q):
    largest = {"f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}[tag]
    if abs(q) > largest:
        return INF if q > 0 else -INF
    return single(float(q)) if tag == "f32" else float(q)


def division():
    title("floor_divide, remainder: quotients that overflow, in whole vectors and behind them; divisors below the normal numbers")
    pairs = {"f32": [(3e38, 0.1), (-3e38, 0.1), (3e38, -0.1), (1e20, 1e-20), (3e38, 7.0), (-1e30, 3e-15), (5.0, 3.0)],
             "f64": [(1.7e308, 0.1), (-1.7e308, 0.1), (1.7e308, -0.1), (1e200, 1e-150), (1.7e308, 7.0), (-1e300, 3e-15), (5.0, 3.0)]}
    small = {"f32": [(3e38, 1e-40), (-1.5, 1e-40), (3.3e-40, 1e-40), (3e38, 1e-45), (1.0, -7e-41)],
             "f64": [(1.7e308, 1e-310), (-1.5, 1e-310), (3.3e-310, 1e-310), (1.7e308, 5e-324), (1.0, -7e-312)]}
    for points in (pairs, small):
        for tag, given in points.items():
            given = [tuple(single(v) if tag == "f32" else v for v in p) for p in given]
            rests, floors = ([nearest(tag, modulo(*p)[k]) for p in given] + [NAN] for k in (0, 1))
            for show in (vector, repeated):
                args = " ".join(show(tag, [p[k] for p in given] + [(NAN, 1.0)[k]]) for k in (0, 1))
                print(f"remainder {args} = {show(tag, rests)} ~ 0\nfloor_divide {args} = {show(tag, floors)} ~ {'1e-6' if tag == 'f32' else '1e-15'} rel")


# ---- complex functions ----

FUNCTIONS = {
    "exp": mp.exp, "expm1": lambda z: mp.exp(z) - 1, "log": mp.log, "log1p": lambda z: mp.log(1 + z), "sqrt": mp.sqrt, "sin": mp.sin, "cos": mp.cos, "tan": mp.tan,
    "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh}


def rounded(tag, z):
    parts = []
    for v in (z.real, z.imag):
        limit = mp.mpf("3.4028235677973366e38" if tag == "c64" else "1.797693134862315807e308")
        part = float(v) if abs(v) < limit else math.copysign(INF, v)
        parts.append(part if tag == "c128" or math.isinf(part) else single(part))
    return complex(*parts)


def far(tag, op, points):
    """A line whose last number is NaN, so that derivatives, which may be infinite there, are not looked for."""
    points = [complex(single(z.real), single(z.imag)) if tag == "c64" else z for z in points]
    values = [rounded(tag, mp.mpc(FUNCTIONS[op](mp.mpc(z.real, z.imag)))) for z in points]
    nan = complex(NAN, NAN)
    print(f"{op} {vector(tag, points + [nan], complex_text)} = {vector(tag, values + [nan], complex_text)} ~ {'2e-6' if tag == 'c64' else '1e-13'} rel")


def quadrants(*points):
    return [complex(a * z.real, b * z.imag) for z in points for a, b in itertools.product((1, -1), repeat=2)]


def complex_functions():
    title("expm1 near -40, where 1 hides the rest of the real part but not the imaginary one; and just before it overflows")
    for tag in ("c64", "c128"):
        far(tag, "expm1", [complex(a, b) for a in (-15.5, -17.5, -20, -36.5, -38, -39.5, -40, -45) for b in (1, -2.5)])
    far("c128", "expm1", [complex(709.75, 0.5), complex(709.9, 1.5), complex(709.9, -1.5), complex(1e-9, 1e-9), complex(-1e-9, 2e-12)])
    far("c64", "expm1", [complex(88.75, 1.5), complex(88.9, -1.5), complex(1e-5, 1e-5), complex(-1e-5, 2e-6)])
    title("the inverse functions far out: beyond 2^500 a square overflows, and 1 is lost beside the number")
    huge = quadrants(1e160 + 1j, 2 + 1e170j, 3e155 + 4e155j, 1e300 + 1e-300j, 5e-200 + 1e200j, 1.7e308 + 1.7e308j, 1e308 + 0.5j)
    for op in ("log", "log1p", "sqrt", "asin", "acos", "atan", "asinh", "acosh", "atanh"):
        far("c128", op, huge)
        far("c64", op, quadrants(1e25 + 1j, 2 + 1e20j, 3e37 + 4e37j, 3e38 + 3e38j))
    title("atan, atanh beside their poles")
    far("c128", "atanh", quadrants(1 + 1e-200j, 1 + 1e-9j, 1 + 1e-300j, 0.9999999 + 1e-170j))
    far("c128", "atan", quadrants(1e-200 + 1j, 1e-9 + 1j, 1e-300 + 1j, 1e-170 + 0.9999999j))
    title("large real and imaginary parts of the others")
    for op in ("sinh", "cosh", "tanh", "exp"):
        far("c128", op, quadrants(300 + 1e5j, 709.9 + 2j, 25 + 1e10j, 1e-200 + 3j))
    for op in ("sin", "cos", "tan"):
        far("c128", op, quadrants(1e5 + 300j, 2 + 709.9j, 1e10 + 25j, 3 + 1e-200j))
    title("at infinity: the part of tanh and tan that is 0 has the sign of x's, whatever the angle; a NaN beside a number is NaN")
    for tag in ("c64", "c128"):
        ends = [complex(a * INF, b) for a in (1, -1) for b in (0.0, -0.0, 1, -1, 2, -2, 4, -4, 7, 1e5, -1e5)]
        print(f"tanh {vector(tag, ends, complex_text)} = {vector(tag, [complex(math.copysign(1, z.real), math.copysign(0, z.imag)) for z in ends], complex_text)} ~ 0 signed")
        ends = [complex(z.imag, z.real) for z in ends]
        print(f"tan {vector(tag, ends, complex_text)} = {vector(tag, [complex(math.copysign(0, z.real), math.copysign(1, z.imag)) for z in ends], complex_text)} ~ 0 signed")
        for op, given in (("atanh", "1e30+nanj nan+1e30j 3+nanj nan+2j"), ("atan", "nan+1e30j 1e30+nanj nan+3j 2+nanj")):
            print(f"{op} {tag}[{given}] = {tag}[nan+nanj nan+nanj nan+nanj nan+nanj]")
    print("atanh c128[1e200+nanj -1e200+nanj nan+1e200j nan-1e200j] = c128[nan+nanj nan+nanj nan+nanj nan+nanj]")
    title("expm1, sign of the four zeros")
    for tag in ("c64", "c128"):
        print(f"expm1 {tag}(19)[0+0j -0+0j 0-0j -0-0j nan+nanj ...] = {tag}(19)[0+0j 0+0j 0-0j 0-0j nan+nanj ...] ~ 0 signed")
        print(f"sign {tag}(19)[0+0j -0+0j 0-0j -0-0j nan+nanj ...] = {tag}(19)[0+0j 0+0j 0+0j 0+0j nan+nanj ...] ~ 0 signed")
    print("sign c64{nan+nanj} = c64{nan+nanj}\nsign c128{3-4j} = c128{0.6-0.8j} ~ 1e-15\nsign c64(1)[nan] = c64(1)[nan+nanj]\nexpm1 c64{-inf+infj} = c64{-1}\ntanh c64{inf+2j} = c64{1} ~ 0 signed\ntan c128{2+infj} = c128{1j} ~ 0 signed")


# ---- sets ----


def distinct(xs):
    """The groups of equal numbers, by real, then imaginary part, NaN last: lists of positions. NaN equals nothing."""
    groups = []
    for k, x in enumerate(xs):
        found = next((g for g in groups if xs[g[0]] == x), None)
        if found is None:
            groups.append([k])
        else:
            found.append(k)
    key = lambda v: (math.isnan(v), 0.0 if math.isnan(v) else v)
    return sorted(groups, key=lambda g: (key(xs[g[0]].real), key(xs[g[0]].imag), g[0]))


def sets():
    title("unique, unique_sized of complex numbers: by their real, then their imaginary parts; every NaN is distinct")
    lists = [[2 + 1j, 1, 2 + 1j, 1 - 1j, 1, -0.5j, 2 - 1j, complex(NAN, 1), complex(NAN, 1), 1 + 0j, complex(2, NAN)],
             [complex(INF, -1), complex(-INF, 2), complex(INF, -1), complex(0, INF), 0j, complex(-0.0, 0), complex(0, -0.0), complex(NAN, NAN), complex(0, INF), 3, 3]]
    for tag, xs in itertools.product(("c64", "c128"), lists):
        groups = distinct(xs)
        inverse = [next(n for n, g in enumerate(groups) if k in g) for k in range(len(xs))]
        x = vector(tag, xs, complex_text)
        values = [xs[g[0]] for g in groups]
        print(f"unique {x} = {vector(tag, values, complex_text)}\nunique.1 {x} = {vector('i64', [g[0] for g in groups])}")
        print(f"unique.2 {x} = {vector('i64', inverse)}\nunique.3 {x} = {vector('i64', [len(g) for g in groups])}")
        for size in (3, len(groups) + 2):
            print(f"unique_sized {x} size={size} fill=7 = {vector(tag, (values + [7, 7])[:size], complex_text)}")
            print(f"unique_sized.1 {x} size={size} = {vector('i64', ([len(g) for g in groups] + [0, 0])[:size])}")
    print("unique c64(0)[] = c64(0)[]\nunique.2 c64(2,0)[] = i64(2,0)[]\nunique c128{2j} = c128[2j]\nunique.2 c64[[1j 2] [2 nan]] = i64[[0 1] [1 2]]")
    title("isin")
    x, y = [3, -1, 7, 0, 3], [[7, 3], [5, 3]]
    flat = sum(y, [])
    for tag in ("i8", "i32", "i64"):
        for word, turn in (("", False), (" invert", True)):
            print(f"isin {vector(tag, x)} {tag}[[7 3] [5 3]]{word} = {vector('bool', [(v in flat) != turn for v in x])}")
    print("isin u64[18446744073709551615 9007199254740993] u64[9007199254740992 18446744073709551615] = bool[1 0]\nisin i64{3} i64[1 3] = bool{1}")
    print("isin [nan 0 -0 inf] [nan -0 inf] = bool[0 1 1 1]\nisin [nan 0] [nan 0] invert = bool[1 0]\nisin 3 i32[1 3] = bool{1}\nisin i32[1 3] 3 invert = bool[1 0]")
    print("isin i32[1 2] i32(0)[] = bool[0 0]\nisin i32[1 2] i32(0)[] invert = bool[1 1]\nisin i32(0)[] i32[1] = bool(0)[]\nisin i8[1 2] i64[2 300] = bool[0 1]")
    print("isin [1] [1] invert=2 ! VN_E_ARG\nisin c64[1] c64[1] ! VN_E_DTYPE\nisin i64[1] u64[1] ! VN_E_DTYPE")


# ---- creation ----


def creation():
    title("arange beyond int64, exact")
    for start, stop, step in ((2**64 - 6, 2**64 - 1, 2), (2**63 - 2, 2**63 + 2, 1), (2**63 + 2, 2**63 - 2, -1), (0, 2**64 - 1, 2**63 + 1), (2**64 - 1, 0, -(2**62 + 1)), (2**64 - 1, 0, 1),
                              (2**53 + 1, 2**53 + 4, 1)):
        wanted = list(range(start, stop, step))
        print(f"arange start={start} stop={stop} step={step} dtype=uint64 = u64({len(wanted)})[{' '.join(map(str, wanted))}]")
    for start, stop, step in ((-2**63, 2**63 - 1, 2**63 - 1), (-2**63, 2**63, 2**62), (2**63 - 1, -2**63, -2**62), (5, -6, -5), (0, 0, 1), (-3, 3, 2)):
        wanted = list(range(start, stop, step))
        print(f"arange start={start} stop={stop} step={step} dtype=int64 = i64({len(wanted)})[{' '.join(map(str, wanted))}]")
    print("arange start=18446744073709551614 stop=18446744073709551615 dtype=float64 = f64[18446744073709551614]")
    print("arange start=9223372036854775808 stop=9223372036854775810 dtype=int64 ! VN_E_DTYPE\narange start=-1 stop=3 dtype=uint64 ! VN_E_DTYPE")
    print('arange start=-1 stop=18446744073709551615 dtype=uint64 ! VN_E_SHAPE "too many"\narange start=0 stop=18446744073709551615 dtype=uint64 ! VN_E_SHAPE "too many"')
    print('arange start=18446744073709551610 stop=18446744073709551615 step=0 dtype=uint64 ! VN_E_ARG "steps of 0"')
    title("linspace of complex numbers")
    for tag, dtype in (("c64", "complex64"), ("c128", "complex128")):
        for (a, b), n, end in itertools.product(((1 - 2j, 3 + 2j), (0.5j, -1 + 0j)), (5, 1), (True, False)):
            step = (fractions.Fraction(b.real) - fractions.Fraction(a.real), fractions.Fraction(b.imag) - fractions.Fraction(a.imag))
            parts = max(n - end, 1)
            wanted = [complex(float(a.real + step[0] * k / parts), float(a.imag + step[1] * k / parts)) for k in range(n)]
            print(f"linspace start={number(a.real)} stop={number(b.real)} n={n} dtype={dtype} start_imag={number(a.imag)} stop_imag={number(b.imag)}"
                  f"{'' if end else ' no_endpoint'} = {vector(tag, wanted, complex_text)} ~ 1e-6")
    print("linspace start=0 stop=1 n=3 dtype=complex64 = c64[0 0.5 1]\nlinspace start=0 stop=1 n=0 dtype=complex64 stop_imag=2 = c64(0)[]")
    print('linspace start=0 stop=1 n=3 stop_imag=2 ! VN_E_DTYPE "a complex dtype is needed"\nlinspace start=0 stop=1 n=3 dtype=complex64 stop_imag=inf ! VN_E_ARG')


# ---- shapes ----


def shapes():
    title("rank 32, sizes of zero")
    ones, zeros = ",".join(["1"] * 32), ",".join(["1"] * 31 + ["0"])
    two = ",".join(["1"] * 30 + ["2", "3"])
    values = "1 2 3 4 5 6"
    print(f"add f32({two})[{values}] f32({ones})[1] = f32({two})[2 3 4 5 6 7]\nsum f32({two})[{values}] = f32{{21}}\nmul i32({two})[{values}] 2 = i32({two})[2 4 6 8 10 12]")
    print(f"exp f64({ones})[0] = f64({ones})[1]\nless f32({two})[{values}] 4 = bool({two})[1 1 1 0 0 0]\nargsort f32({two})[3 1 2 6 5 4] = i64({two})[1 2 0 2 1 0]")
    axes = ",".join(str(k) for k in [*range(30), 31, 30])
    print(f"permute_dims f32({two})[{values}] axes={axes} = f32({','.join(['1'] * 30 + ['3', '2'])})[1 4 2 5 3 6]")
    print(f"cumulative_sum i64({two})[{values}] axis=-1 = i64({two})[1 3 6 4 9 15]\nmatmul f32({','.join(['1'] * 30 + ['2', '3'])})[{values}] f32[1 1 1] = f32({','.join(['1'] * 30 + ['2'])})[6 15]")
    print(f"add f32({zeros})[] f32({ones})[1] = f32({zeros})[]\nsum f32({zeros})[] = f32{{0}}\nmask f32({zeros})[] bool({zeros})[] = f32(0)[]\nreshape f32({zeros})[] shape=0,3 = f32(0,3)[]")
    print(f"unique f32({zeros})[] = f32(0)[]\nconcat f32(0,2)[] [[1 2]] axis=0 = [[1 2]]\nwhere bool(0)[] f32(0)[] 1 = f32(0)[]")
    print("expand_dims f32(" + ones + ")[1] axis=0 ! VN_E_SHAPE\nmask f32(2,0)[] bool[1 0] = f32(1,0)[]")
    print("mask [[1 2] [3 4]] bool(2,0)[] = f32(0)[]\nmask [[1 2] [3 4]] bool(0)[] = f32(0,2)[]\nmask f32(0,1)[] bool(0,0)[] = f32(0)[]\nmask i32[1 2] bool(0)[] = i32(0)[]")
    print("mask_sized [[1 2] [3 4]] bool(0,2)[] size=3 fill=5 = [5 5 5]\nmask_sized [[1 2] [3 4]] bool(0)[] size=1 = [[0 0]]\nmask [[1 2] [3 4]] bool[[1 0 0] [0 0 0]] ! VN_E_SHAPE\nmask [1 2] bool(0,0)[] ! VN_E_SHAPE")


def ends():
    title("hardsigmoid, hardswish: exact at both ends, in every dtype")
    for tag in ("f32", "f64", "f16", "bf16"):
        print(f"hardsigmoid {tag}(67)[-3 3 -4 4 nan ...] = {tag}(67)[0 1 0 1 nan ...] ~ 0\nhardswish {tag}(67)[-3 3 -4 4 nan ...] = {tag}(67)[0 3 0 4 nan ...] ~ 0")


print("# Values of the Array API standard far out and at the edges. Printed by standard_values.py.")
division()
complex_functions()
sets()
creation()
shapes()
ends()
