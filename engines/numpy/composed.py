# SPDX-License-Identifier: Apache-2.0
"""composed.py: elementwise ops that NumPy lacks or computes differently, written with NumPy functions."""
import numpy


def sigmoid(x, out):
    """exp(min(x, 0)) / (1 + exp(-|x|)), which is 1 / (1 + exp(-x)) without overflow, and as accurate for large negative x as for positive. Written to
    `out`, which is not an input; half precision arrives as float32.
    """
    below = numpy.absolute(x, numpy.empty_like(out))
    numpy.negative(below, below)
    numpy.exp(below, below)
    numpy.add(below, 1, below)
    numpy.minimum(x, 0, out=out)
    numpy.exp(out, out)
    numpy.divide(out, below, out)


def floor_divide(x, y, out):
    """Like NumPy's, but infinities are divided as by numpy.divide. Written to `out`, which is not an input; half precision arrives as float32."""
    numpy.floor_divide(x, y, out)
    if out.dtype.kind == "f":
        infinite = numpy.isinf(x) | numpy.isinf(y)
        if infinite.any():
            numpy.divide(x, y, out, where=infinite)


def joined(re, im, out):
    out.real = re
    out.imag = im


def real_part(x, out):
    numpy.copyto(out, x.real)


def imaginary_part(x, out):
    numpy.copyto(out, x.imag)


def complex_div(x, y, out):
    """In complex128, with numbers scaled to about 1: numpy.divide treats very small ones as 0."""
    (x, by_x), (y, by_y) = _scaled(x), _scaled(y)
    ratio, by = numpy.divide(x, y), by_x - by_y
    out.real = numpy.ldexp(ratio.real, by)
    out.imag = numpy.ldexp(ratio.imag, by)


def complex_sign(x, out):
    """x / |x|, 0 at 0. numpy.sign of complex numbers differs between versions."""
    x, _ = _scaled(x)
    zero = x == 0
    size = numpy.where(zero, 1, numpy.absolute(x))
    out.real = numpy.where(zero, 0, x.real / size)
    out.imag = numpy.where(zero, 0, x.imag / size)


def complex_expm1(x, out):
    """exp(x) - 1 where numpy.expm1 overflows too early or is NaN in too many cases, and at 0, so that the real part is +0 there."""
    near = numpy.expm1(x)
    numpy.copyto(out, numpy.where(numpy.isfinite(near) & (x != 0), near, numpy.exp(x) - 1))


def complex_log1p(x, out):
    """By |1 + x|^2 - 1, unless that is close to -1: numpy.log1p of complex numbers is inexact near 0."""
    x = x.astype(numpy.complex128)
    more = x.real * (2 + x.real) + x.imag * x.imag
    plain = ~(numpy.maximum(numpy.absolute(x.real), numpy.absolute(x.imag)) < 2.0**400) | (more < -0.5)
    out.real = numpy.where(plain, numpy.log(1 + x).real, numpy.log1p(more) / 2)
    out.imag = numpy.arctan2(x.imag, 1 + x.real)


def complex_tan(x, out):
    """At an infinite imaginary part NumPy gives the real part the sign of sin(2 x.real), not that of x.real."""
    numpy.tan(x, out)
    numpy.copysign(out.real, x.real, out.real, where=numpy.isinf(x.imag))


def complex_tanh(x, out):
    """At an infinite real part NumPy gives the imaginary part the sign of sin(2 x.imag), not that of x.imag."""
    numpy.tanh(x, out)
    numpy.copysign(out.imag, x.imag, out.imag, where=numpy.isinf(x.real))


def complex_asin(x, out):
    """At infinity + NaN i versions differ in the sign of the infinite part."""
    numpy.arcsin(x, out)
    out.imag[numpy.isinf(x.real) & numpy.isnan(x.imag)] = numpy.inf


def complex_asinh(x, out):
    """At NaN + infinity i versions differ in the sign of the infinite part."""
    numpy.arcsinh(x, out)
    out.real[numpy.isnan(x.real) & numpy.isinf(x.imag)] = numpy.inf


def complex_acosh(x, out):
    """At 0 + NaN i older versions give NaN in both parts."""
    numpy.arccosh(x, out)
    out.imag[(x.real == 0) & numpy.isnan(x.imag)] = numpy.pi / 2


def _scaled(x):
    """x as complex128, scaled so that its larger part is about 1, and the binary exponents removed."""
    exponents = numpy.frexp(numpy.maximum(numpy.absolute(x.real), numpy.absolute(x.imag)))[1]
    scaled = numpy.empty(x.shape, numpy.complex128)
    scaled.real = numpy.ldexp(x.real, -exponents, dtype=numpy.float64)
    scaled.imag = numpy.ldexp(x.imag, -exponents, dtype=numpy.float64)
    return scaled, exponents


def nextafter(x, y):
    """nextafter, but y with its sign where they are equal."""
    return numpy.where(x == y, y, numpy.nextafter(x, y))


def frexp(used, x):
    return numpy.frexp(x)


def nan_to_num(nan, posinf, neginf, x):
    """What is not given is NaN: the extremes of the dtype, NumPy's None."""
    return numpy.nan_to_num(x, True, nan, *(None if v != v else v for v in (posinf, neginf)))


def cast(x, out):
    """Casts for which NumPy does not follow the op table: float64 to bfloat16, and floats to integers."""
    if out.dtype.kind in "iu":
        _float_to_integer(x, out)
    else:
        numpy.copyto(out, _odd_float32(x), casting="unsafe")


def _float_to_integer(x, out):
    """Truncated; clamped to the dtype's range, 0 for NaN. NumPy's result depends on the processor."""
    info = numpy.iinfo(out.dtype)
    low, above = float(info.min), float(info.max + 1)
    if x.dtype.itemsize == 2:  # bfloat16's functions are slow, and float16 cannot hold these numbers
        x = x.astype(numpy.float32)
    if not x.size or (x.min() >= low and x.max() < above):
        numpy.copyto(out, x, casting="unsafe")
        return
    numpy.copyto(out, numpy.where((x >= low) & (x < above), x, 0), casting="unsafe")
    out[x >= above] = info.max
    out[x < low] = info.min


def _odd_float32(x):
    """float64 to float32, rounded to odd, so that rounding again gives the correctly rounded result."""
    near = numpy.atleast_1d(x.astype(numpy.float32))
    bits, size, wanted = near.view(numpy.uint32), numpy.absolute(near, dtype=numpy.float64), numpy.absolute(x)
    bits -= size > wanted
    bits |= size != wanted
    return near.reshape(x.shape)
