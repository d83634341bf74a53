"""composed.py: ops that NumPy has no function for, written with those it has.

The plugin carries this file as text and runs it once, when it opens. Each function writes its result into `out`, which is no input; halves
arrive as float32.
"""
import numpy


def sigmoid(x, out):
    """exp(min(x, 0)) / (1 + exp(-|x|)), which is 1 / (1 + exp(-x)) without overflow, and as accurate far below 0 as above."""
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
