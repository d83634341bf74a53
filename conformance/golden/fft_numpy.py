#!/usr/bin/env python3
"""Prints conformance/cases/fft.case: Fourier transforms, from numpy in float64.

Run by hand: python3 conformance/golden/fft_numpy.py > conformance/cases/fft.case
"""
import numpy as np
from complex_linalg_numpy import text, title

rng = np.random.default_rng(11)
TAGS = {np.dtype(t): tag for t, tag in [(np.int32, "i32"), (np.float16, "f16"), (np.float32, "f32"), (np.float64, "f64"),
                                        (np.complex64, "c64"), (np.complex128, "c128")]}
TOLERANCE = {"c128": "1e-12", "f64": "1e-12", "c64": "1e-5", "f32": "1e-5", "f16": "2e-3", "bf16": "2e-2"}
NORMS = ("backward", "ortho", "forward")


def case(op, x, result, options="", tag=None, made=None):
    tag, made = tag or TAGS[x.dtype], made or TAGS[result.dtype]
    print(" ".join(w for w in [op, text(x, tag), options, "=", text(result, made)] if w) + f" ~ {TOLERANCE[made]}")


def real(*shape):
    """Numbers that every float dtype holds."""
    return rng.integers(-12, 13, shape) / 4


def complex_(*shape):
    return real(*shape) + 1j * real(*shape)


def options(**named):
    words = {k: v for k, v in named.items() if v is not None}
    return " ".join(f"{k}={','.join(map(str, v)) if isinstance(v, tuple) else v}" for k, v in words.items())


def one_axis(name, numbers, made):
    """made: tags of the results for complex128 or float64, and for single precision."""
    title(name)
    function, takes_complex = getattr(np.fft, name), numbers is complex_
    back_to_real = name in ("irfft", "hfft")
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 37):
        x = numbers(n // 2 + 1 if back_to_real else n)
        length = n if back_to_real and n % 2 else None
        if n == 1 and back_to_real:
            length = 1
        case(name, x, function(x, length), options(n=length), made=made[0])
    x = numbers(2, 5, 3)
    for axis in (0, 1, -1, -3):
        for n, norm in ((None, None), (3, "ortho"), (6, "forward"), (4, "backward")):
            case(name, x, function(x, n, axis, norm), options(axis=axis, n=n, norm=norm), made=made[0])
    x = numbers(2, 6)
    case(name, x, function(x), tag="c64" if takes_complex else "f32", made=made[1])
    if not takes_complex:
        for tag in ("f16", "bf16"):
            print(f"{name} {text(x, tag)} = {text(function(x), made[1])} ~ 1e-5")
    else:
        y = real(2, 6)
        case(name, y, function(y), tag="f64", made=made[0])
        case(name, y, function(y), tag="f16", made=made[1])
    tag = "c64" if takes_complex else "f32"
    out = {"rfft": 3, "ihfft": 3, "irfft": 6, "hfft": 6}.get(name, 4)
    print(f"{name} {tag}(0,4)[] = {made[1]}(0,{out})[]\n{name} {tag}(0)[] n=2 = {made[1]}({2 if out != 3 else 2})[{' '.join(['0'] * 2)}]")
    print(f"{name} {tag}(2,0)[] ! VN_E_SHAPE \"a transform of length 0 does not exist\"\n{name} {tag}[1 2] n=0 ! VN_E_ARG \"n is 0\"")
    print(f"{name} {tag}[1 2] n=-3 ! VN_E_ARG \"n is -3\"\n{name} {tag}[1 2] axis=1 ! VN_E_ARG \"axis 1\"\n{name} {tag}[1 2] axis=-2 ! VN_E_ARG")
    print(f"{name} {tag}{{1}} ! VN_E_ARG \"axis -1\"\n{name} i32[1 2] ! VN_E_DTYPE\n{name} bool[1 0] ! VN_E_DTYPE\n{name} null ! VN_E_NULL")
    print(f"{name} {tag}[1 2] norm=none ! VN_E_ARG \"possible are backward, ortho, forward\"\n{name} {tag}[1 2] m=2 ! VN_E_ARG")
    if not takes_complex:
        print(f"{name} c64[1 2] ! VN_E_DTYPE \"x is complex64, a float dtype is needed\"\n{name} c128[1+1j] ! VN_E_DTYPE")
    if back_to_real:
        print(f"{name} c64[1] ! VN_E_SHAPE \"length 0\"")


def several_axes(name, numbers, made):
    title(name)
    function, takes_complex = getattr(np.fft, name), numbers is complex_
    x = numbers(2, 3, 4)
    for axes, s in ((None, None), ((0, 1), None), ((-1, 0), None), ((1,), None), ((2, 0, 1), None), ((0, 2), (3, 5)), ((1, 0), (2, 4)), ((-1,), (6,))):
        for norm in (None, *NORMS[1:])[: 3 if axes in (None, (0, 2)) else 1]:
            y = function(x, s, axes, norm)
            case(name, x, y, options(axes=axes, s=s, norm=norm), made=made[0])
    y = numbers(3, 4)
    case(name, y, function(y), tag="c64" if takes_complex else "f32", made=made[1])
    case(name, y, function(y, (2, 2), (0, 1)), "s=2,2", tag="c64" if takes_complex else "f32", made=made[1])
    tag = "c64" if takes_complex else "f32"
    print(f"{name} {tag}(2,2)[1 2 3 4] axes=0,0 ! VN_E_ARG \"given twice\"\n{name} {tag}(2,2)[1 2 3 4] axes=0,-2 ! VN_E_ARG \"given twice\"")
    print(f"{name} {tag}(2,2)[1 2 3 4] axes=2 ! VN_E_ARG \"axis 2\"\n{name} {tag}(2,2)[1 2 3 4] axes=0 s=2,2 ! VN_E_ARG \"2 sizes in s for 1 axes\"")
    print(f"{name} {tag}(2,2)[1 2 3 4] s=3 ! VN_E_ARG\n{name} {tag}(2,2)[1 2 3 4] s=0,2 ! VN_E_ARG \"size 0 in s\"")
    print(f"{name} {tag}(2,0)[] ! VN_E_SHAPE\n{name} i32[1] ! VN_E_DTYPE\n{name} null ! VN_E_NULL")
    if name in ("fftn", "ifftn"):
        print(f"{name} c64{{1+2j}} = c64{{1+2j}}\n{name} c64[1 2] axes= = c64[1 2]")
    else:
        print(f"{name} {tag}{{1}} ! VN_E_ARG \"at least one axis\"\n{name} {tag}[1 2] axes= ! VN_E_ARG \"at least one axis\"")
    if not takes_complex:
        print(f"{name} c64[1 2] ! VN_E_DTYPE")


def helpers():
    title("fftfreq, rfftfreq: divided in float64")
    for name in ("fftfreq", "rfftfreq"):
        function = getattr(np.fft, name)
        for n in (1, 2, 3, 4, 7, 8):
            for d, dtype, tag in ((None, None, "f32"), (0.5, "float64", "f64"), (-0.25, "float16", "f16")):
                y = function(n, 1.0 if d is None else d)
                print(f"{name} {options(n=n, d=d, dtype=dtype)} = {text(y, tag)} ~ {TOLERANCE[tag]}")
        print(f"{name} n=0 ! VN_E_ARG \"n is 0\"\n{name} n=-1 ! VN_E_ARG\n{name} n=3 d=0 ! VN_E_ARG \"d is 0\"\n{name} n=3 d=nan ! VN_E_ARG")
        print(f"{name} n=3 dtype=int32 ! VN_E_DTYPE\n{name} n=3 dtype=complex64 ! VN_E_DTYPE\n{name} ! VN_E_ARG")
    title("fftshift, ifftshift")
    for name in ("fftshift", "ifftshift"):
        function = getattr(np.fft, name)
        for n in (1, 2, 5, 6):
            x = np.arange(n) + 1.0
            print(f"{name} {text(x)} = {text(function(x))}")
        x = np.arange(24).reshape(2, 3, 4) * 1.0
        for axes in (None, (0,), (-1,), (1, 2), (2, 0)):
            print(f"{name} {text(x, 'f32')} {options(axes=axes)} = {text(function(x, axes), 'f32')}".replace("  ", " "))
        print(f"{name} i32[1 2 3] = {'i32[3 1 2]' if name == 'fftshift' else 'i32[2 3 1]'}")
        print(f"{name} bool[1 0 0] = {'bool[0 1 0]' if name == 'fftshift' else 'bool[0 0 1]'}\n{name} c64[1j 2] = c64[2 1j]")
        print(f"{name} f32(0,3)[] = f32(0,3)[]\n{name} f32{{2}} = f32{{2}}\n{name} [1 2 3] axes= = [1 2 3]")
        print(f"{name} [1 2] axes=1 ! VN_E_ARG\n{name} [1 2] axes=0,0 ! VN_E_ARG \"given twice\"\n{name} null ! VN_E_NULL")


def primitives():
    """What the public ops are made of, one axis at a time. norm: divided by nothing, the root of the length, or the length."""
    title("dft, rdft, irdft")
    for n in (1, 2, 5, 6, 7, 12):
        x, y, z = complex_(2, n, 3), real(3, n), complex_(2, n // 2 + 1)
        for norm in range(3):
            forward, backward = NORMS[norm], NORMS[2 - norm]
            case("dft", x, np.fft.fft(x, axis=1, norm=forward), options(axis=1, norm=norm))
            case("dft", x, np.fft.ifft(x, axis=1, norm=backward), options(axis=1, inverse=1, norm=norm))
            case("rdft", y, np.fft.rfft(y, norm=forward), options(norm=norm), tag="f32", made="c64")
            case("irdft", z, np.fft.irfft(z, n, norm=backward), options(n=n, norm=norm), tag="c64", made="f32")
    print("dft c64(2,0)[] axis=1 = c64(2,0)[]\ndft c64(0,2)[] axis=1 inverse=1 = c64(0,2)[]")


print("# Fourier transforms. Printed by fft_numpy.py.")
for name in ("fft", "ifft"):
    one_axis(name, complex_, ("c128", "c64"))
for name in ("rfft", "ihfft"):
    one_axis(name, real, ("c128", "c64"))
for name in ("irfft", "hfft"):
    one_axis(name, complex_, ("f64", "f32"))
for name in ("fftn", "ifftn"):
    several_axes(name, complex_, ("c128", "c64"))
several_axes("rfftn", real, ("c128", "c64"))
several_axes("irfftn", complex_, ("f64", "f32"))
helpers()
primitives()
