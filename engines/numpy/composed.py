"""composed.py: elementwise ops that NumPy has no function for, or not quite, written with those it has."""
import numpy


def sigmoid(x, out):
    """exp(min(x, 0)) / (1 + exp(-|x|)), which is 1 / (1 + exp(-x)) without overflow, and as accurate far below 0 as above. Written into
    `out`, which is no input; halves arrive as float32.
    """
    below = numpy.absolute(x, numpy.empty_like(out))
    numpy.negative(below, below)
    numpy.exp(below, below)
    numpy.add(below, 1, below)
    numpy.minimum(x, 0, out)
    numpy.exp(out, out)
    numpy.divide(out, below, out)


def joined(re, im, out):
    out.real = re
    out.imag = im


def real_part(x, out):
    numpy.copyto(out, x.real)


def imaginary_part(x, out):
    numpy.copyto(out, x.imag)


def nextafter(x, y):
    """y, and its sign, where they are equal."""
    return numpy.where(x == y, y, numpy.nextafter(x, y))


def odd_float32(x):
    """float64 as float32, rounded to the neighbour whose last bit is set where it is inexact: rounded once more it is rounded right."""
    near = numpy.atleast_1d(x.astype(numpy.float32))
    bits, size, wanted = near.view(numpy.uint32), numpy.absolute(near, dtype=numpy.float64), numpy.absolute(x)
    bits -= size > wanted
    bits |= size != wanted
    return near.reshape(x.shape)
