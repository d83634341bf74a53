#!/usr/bin/env python3
"""Prints conformance/cases/random.case: expected results of uniform and normal, from an independent implementation.

Run by hand, with numpy: python3 conformance/golden/random_numpy.py > conformance/cases/random.case. Philox 4x32-10 is checked against the known answers of Random123 first.
Element e of a float32 array takes word e%4 of block e/4, of a float64 array words 2(e%2), 2(e%2)+1 of block e/2. Normal numbers are
Box-Muller pairs of neighbouring elements: the first gives the radius, the second the angle; they are computed in float64 here.
"""
import numpy as np

M32 = 0xFFFFFFFF


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(q >> 32) ^ c[1] ^ k[0], q & M32, (p >> 32) ^ c[3] ^ k[1], p & M32]
        k = [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return c


def known_answers():
    for counter, key, answer in [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ]:
        c, k, a = ([int(w, 16) for w in text.split()] for text in (counter, key, answer))
        assert philox(c, k) == a, (counter, key)


def words(key, blocks):
    """The words of blocks, in order."""
    k = [key[0] & M32, key[0] >> 32]
    out = []
    for b in blocks:
        out += philox([b & M32, b >> 32, key[1] & M32, key[1] >> 32], k)
    return out


def unit32(key, n):
    return np.array([w >> 8 for w in words(key, range((n + 3) // 4))][:n], np.float64) * 2.0**-24


def unit64(key, n):
    w = words(key, range((n + 1) // 2))
    return np.array([((a << 32 | b) >> 11) * 2.0**-53 for a, b in zip(w[::2], w[1::2])][:n])


def normal32(key, n):
    w = words(key, range((n + 3) // 4))
    out = []
    for a, b in zip(w[::2], w[1::2]):
        r, t = np.sqrt(-2 * np.log((a + 0.5) * 2.0**-32)), 2 * np.pi * (b * 2.0**-32)
        out += [r * np.cos(t), r * np.sin(t)]
    return np.array(out[:n])


def normal64(key, n):
    u = unit64(key, n + n % 2)
    out = []
    for a, b in zip(u[::2], u[1::2]):
        r, t = np.sqrt(-2 * np.log(a + 2.0**-54)), 2 * np.pi * b
        out += [r * np.cos(t), r * np.sin(t)]
    return np.array(out[:n])


SHORT = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "int32": "i32", "int64": "i64", "uint8": "u8"}


def line(op, key, low, high, shape, dtype, values, tolerance=""):
    size = ",".join(map(str, shape))
    numbers = " ".join(repr(int(v)) if "int" in dtype else repr(float(v)) for v in values)
    option = "" if dtype == "float32" else f" dtype={dtype}"
    print(f"{op} u64[{key[0]} {key[1]}] {low} {high} shape={size}{option} = {SHORT[dtype]}({size})[{numbers}]{tolerance}")


def main():
    known_answers()
    zero, some, ones = (0, 0), (12345678901234567890, 42), (2**64 - 1, 2**64 - 1)
    pi = (0x299F31D0A4093822, 0x0370734413198A2E)
    print("# uniform and normal: exact words of Philox 4x32-10, the same on every engine. Printed by random_numpy.py.\n")
    print("# The first block of key 0 0 is the known answer of Random123: 6627e8d5 e169c58d bc57ac4c 9b00dbd8, of which 24 bits are taken.")
    for key in (zero, some, ones, pi, (1, 0), (0, 1), (2**32, 0), (0, 2**32), (2**63, 2**63)):
        line("uniform", key, 0, 1, [4], "float32", unit32(key, 4), " ~ 0")
        line("uniform", key, 0, 1, [2], "float64", unit64(key, 2), " ~ 0")
    print("\n# More than one block, and parts of blocks.")
    for shape in ([1], [2], [3], [5], [7], [2, 3], [3, 1, 3], [33]):
        n = int(np.prod(shape))
        line("uniform", some, 0, 1, shape, "float32", unit32(some, n), " ~ 0")
        if n < 10:
            line("uniform", some, 0, 1, shape, "float64", unit64(some, n), " ~ 0")
    print("uniform u64[1 2] 0 1 shape= = f32{%r} ~ 0" % float(unit32((1, 2), 1)[0]))
    print("uniform u64[1 2] 0 1 shape= dtype=float64 = f64{%r} ~ 0" % float(unit64((1, 2), 1)[0]))
    print("uniform u64[1 2] 0 1 shape=0 = f32(0)[]")
    print("uniform u64[1 2] 0 1 shape=2,0,3 dtype=float64 = f64(2,0,3)[]")
    print("\n# Longer than what a kernel makes in one go.")
    line("uniform", some, 0, 1, [260], "float32", unit32(some, 260), " ~ 0")
    line("uniform", some, 0, 1, [130], "float64", unit64(some, 130), " ~ 0")
    line("uniform", some, 0, 10, [1030], "uint8", np.trunc(10 * unit64(some, 1030)))
    line("normal", some, 0, 2, [1030], "int8", np.trunc(2 * normal64(some, 1030)))
    print("\n# Other ranges: exact where one rounding is all there is.")
    line("uniform", some, 2, 4, [6], "float32", np.float32(2 + 2 * unit32(some, 6)), " ~ 0")
    line("uniform", some, -1, 1, [6], "float32", np.float32(-1 + 2 * unit32(some, 6)), " ~ 0")
    line("uniform", some, -1, 1, [6], "float64", -1 + 2 * unit64(some, 6), " ~ 0")
    line("uniform", some, 5, 5, [3], "float32", [5, 5, 5], " ~ 0")
    line("uniform", some, 1, 0, [3], "float32", 1 - unit32(some, 3), " ~ 1e-7")
    line("uniform", some, 0.1, 0.7, [5], "float32", 0.1 + 0.6 * unit32(some, 5), " ~ 1e-7")
    line("uniform", some, -3.5, 10, [5], "float64", -3.5 + 13.5 * unit64(some, 5))
    u = unit32(some, 6).reshape(2, 3)
    print("uniform u64[%d %d] [0 1 2] [[3] [5]] shape=2,3 = f32(2,3)[%s] ~ 1e-6" % (*some, " ".join(
        repr(float(v)) for v in (np.array([0, 1, 2]) + (np.array([[3], [5]]) - np.array([0, 1, 2])) * u).ravel())))
    print("uniform u64[%d %d] f64{-1} f64[1 3] shape=2 dtype=float64 = f64[%s]" % (*some, " ".join(
        repr(float(v)) for v in -1 + np.array([2, 4]) * unit64(some, 2))))
    print("\n# Half precision is float32 numbers, rounded (to below the upper end); integers are float64 numbers, cut.")
    line("uniform", some, 0, 1, [8], "float16", np.float16(unit32(some, 8)), " ~ 0")
    line("uniform", some, 0, 1, [4], "bfloat16", unit32(some, 4), " ~ 4e-3")
    line("uniform", some, 0, 100, [8], "int32", np.trunc(100 * unit64(some, 8)))
    line("uniform", some, -10, 10, [8], "int8", np.trunc(-10 + 20 * unit64(some, 8)))
    line("uniform", some, 0, 256, [8], "uint8", np.trunc(256 * unit64(some, 8)))
    line("uniform", some, 0, 2**40, [4], "int64", np.trunc(2**40 * unit64(some, 4)))
    print("\n# Normal numbers.")
    for key in (zero, some, ones, pi):
        line("normal", key, 0, 1, [8], "float32", normal32(key, 8), " ~ 1e-6")
        line("normal", key, 0, 1, [6], "float64", normal64(key, 6))
    for n in (1, 3, 5):
        line("normal", some, 0, 1, [n], "float32", normal32(some, n), " ~ 1e-6")
        line("normal", some, 0, 1, [n], "float64", normal64(some, n))
    line("normal", some, 10, 2, [2, 3], "float32", 10 + 2 * normal32(some, 6), " ~ 1e-6")
    line("normal", some, -1, 0.5, [2, 2], "float64", -1 + 0.5 * normal64(some, 4))
    line("normal", some, 3, 0, [3], "float32", [3, 3, 3], " ~ 0")
    line("normal", some, 0, 1, [4], "float16", normal32(some, 4))
    line("normal", some, 0, 1, [4], "bfloat16", normal32(some, 4))
    line("normal", some, 0, 100, [6], "int32", np.trunc(100 * normal64(some, 6)))
    print("normal u64[%d %d] [[0] [100]] [1 10] shape=2,2 = f32(2,2)[%s] ~ 1e-5" % (*some, " ".join(
        repr(float(v)) for v in (np.array([[0], [100]]) + np.array([1, 10]) * normal32(some, 4).reshape(2, 2)).ravel())))
    print("normal u64[1 2] 0 1 shape= = f32{%r} ~ 1e-6" % float(normal32((1, 2), 1)[0]))
    print("normal u64[1 2] 0 1 shape=0,3 = f32(0,3)[]")


if __name__ == "__main__":
    main()
