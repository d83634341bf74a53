# SPDX-License-Identifier: Apache-2.0
"""fft.py: Fourier transforms by numpy.fft. norm: what the result is divided by: nothing (0), the root of the length (1) or the length (2)."""
import numpy

FORWARD = ("backward", "ortho", "forward")  # NumPy's name for each, of a transform
BACK = FORWARD[::-1]  # and of an inverse one


def dft(axis, inverse, norm, x):
    if not x.size:  # which NumPy refuses where the axis itself is empty
        return x.copy()
    return numpy.fft.ifft(x, axis=axis, norm=BACK[norm]) if inverse else numpy.fft.fft(x, axis=axis, norm=FORWARD[norm])


def rdft(norm, x):
    return numpy.fft.rfft(x, norm=FORWARD[norm])


def irdft(n, norm, x):
    return numpy.fft.irfft(x, n, norm=BACK[norm])
