# Written by python/tools/stubs.py (make stubs); the tests compare.
import builtins
from typing import Any, Callable, Sequence
from . import Array, ArrayLike, DTypeLike

def fft(x: ArrayLike, axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
    """The Fourier transform along an axis; real numbers are taken as complex ones.
    n: the length of the transform; x is cut to it, or padded with zeros; that of x unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
def fftfreq(n: Any, /, d: Any = ..., dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """The frequencies of the elements of fft for samples at a distance of d: 0, 1 ... -2, -1, divided by n d."""
def fftn(x: ArrayLike, axes: int | Sequence[int] | None = ..., s: int | Sequence[int] | None = ..., norm: str = ...) -> Array:
    """Fft along several axes; None: along every axis.
    s: the lengths of the transforms, one for each of the axes; x is cut to them, or padded with zeros; those of x unless given
    norm: which of a transform and its inverse is divided by the product of the lengths; ortho: both, by its square root (backward, ortho, forward)"""
def fftshift(x: ArrayLike, axes: int | Sequence[int] | None = ...) -> Array:
    """x with the frequency 0 moved to the middle of these axes."""
def hfft(x: ArrayLike, axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
    """The Fourier transform, which is real, of numbers of which x is the first half and the conjugates of x are the second.
    n: the length of the result; x is cut to n / 2 + 1 elements, or padded with zeros; 2 (m - 1) for m elements of x unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
def ifft(x: ArrayLike, axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
    """The inverse of fft.
    n: the length of the transform; x is cut to it, or padded with zeros; that of x unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
def ifftn(x: ArrayLike, axes: int | Sequence[int] | None = ..., s: int | Sequence[int] | None = ..., norm: str = ...) -> Array:
    """The inverse of fftn.
    s: the lengths of the transforms, one for each of the axes; x is cut to them, or padded with zeros; those of x unless given
    norm: which of a transform and its inverse is divided by the product of the lengths; ortho: both, by its square root (backward, ortho, forward)"""
def ifftshift(x: ArrayLike, axes: int | Sequence[int] | None = ...) -> Array:
    """The inverse of fftshift."""
def ihfft(x: ArrayLike, axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
    """The inverse of hfft: the first n / 2 + 1 elements.
    n: the length of the transform; x is cut to it, or padded with zeros; that of x unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
def irfft(x: ArrayLike, axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
    """The inverse of rfft; imaginary parts of the first element and, for an even n, of element n / 2 are not read.
    n: the length of the result; x is cut to n / 2 + 1 elements, or padded with zeros; 2 (m - 1) for m elements of x unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
def irfftn(x: ArrayLike, axes: int | Sequence[int] | None = ..., s: int | Sequence[int] | None = ..., norm: str = ...) -> Array:
    """The inverse of rfftn.
    s: the sizes of the result, one for each of the axes; unless given those of x, and 2 (m - 1) for m elements along the last
    norm: which of a transform and its inverse is divided by the product of the lengths; ortho: both, by its square root (backward, ortho, forward)"""
def rfft(x: ArrayLike, axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
    """The first n / 2 + 1 elements of the Fourier transform of real numbers along an axis.
    n: the length of the transform; x is cut to it, or padded with zeros; that of x unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
def rfftfreq(n: Any, /, d: Any = ..., dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """The frequencies of the elements of rfft for n samples at a distance of d: 0, 1 ... n / 2, divided by n d."""
def rfftn(x: ArrayLike, axes: int | Sequence[int] | None = ..., s: int | Sequence[int] | None = ..., norm: str = ...) -> Array:
    """Rfft along the last of several axes, then fft along the others; None: along every axis.
    s: the lengths of the transforms, one for each of the axes; x is cut to them, or padded with zeros; those of x unless given
    norm: which of a transform and its inverse is divided by the product of the lengths; ortho: both, by its square root (backward, ortho, forward)"""
