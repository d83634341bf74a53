# Written by python/tools/stubs.py (make stubs); the tests compare.
import builtins
from typing import Any, Callable, Sequence
from . import Array, ArrayLike, DTypeLike

def bernoulli(p: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """True (1) with probability p, of any float dtype; an array never where p is below 0 or NaN, always from 1 on; a number is in [0, 1]."""
def beta(a: ArrayLike, b: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Beta random numbers, in [0, 1]; NaN unless a > 0 and b > 0, and numbers are refused; NaN where both are infinite; no gradient."""
def binomial(count: ArrayLike, p: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """How many of count tries with probability p succeed, both of any float dtype; -1 unless 0 <= count < 2^63 and 0 <= p <= 1, and numbers are refused; computed as int64."""
def categorical(logits: ArrayLike, samples: int = ..., key: ArrayLike | None = ...) -> Array:
    """Indices (int64) along the last axis of logits, sampled in proportion to their exponentials: one each (...), or (..., samples) if given; -1 in rows with NaN, inf or only -inf."""
def dirichlet(alpha: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Shares, which add up to 1 along the last axis of the shape: gamma numbers of shape parameters alpha, divided by their sum; NaN unless all alpha > 0, and a number is refused; no gradient."""
def exponential(shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Exponential random numbers of mean 1."""
def gamma(alpha: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Gamma random numbers of shape parameter alpha and scale 1; NaN unless alpha > 0, and a number is refused; no gradient."""
def gumbel(shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Gumbel random numbers of location 0 and scale 1: -log of exponential ones."""
def key(seed: Any | None = ..., /) -> Array:
    """A key, for the argument key of random functions: that of a seed, or the next one of the thread's state."""
def laplace(mean: ArrayLike, scale: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Laplace random numbers: mean plus scale times exponential ones of either sign; a number scale is not negative."""
def multinomial(weights: ArrayLike, samples: int, no_replace: builtins.bool = ..., key: ArrayLike | None = ...) -> Array:
    """Indices (int64) along the last axis of weights, sampled in proportion to them: (..., samples); without replacement -1 follows when no weight is left; -1 in rows with a negative or NaN weight, an infinite sum or no positive weight.
    no_replace: no index twice"""
def multivariate_normal(mean: ArrayLike, cov: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Vectors (shape, n) of normal random numbers with means (..., n) and a covariance matrix (..., n, n), whose outer axes broadcast to the shape: mean + L z with L the Cholesky factor; NaN unless it is positive definite."""
def normal(mean: ArrayLike, std: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Normal random numbers from a key, equal bits on every engine; integers are truncated; a number std is not negative."""
def permutation(n: int, key: ArrayLike | None = ...) -> Array:
    """The numbers 0 to n-1 (int64) in random order, all orders equally likely."""
def poisson(rate: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Poisson random numbers of mean rate, of any float dtype; -1 where it is below 0 or NaN, and such a number is refused; computed as int64, at most its largest number."""
def randint(low: ArrayLike, high: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Unbiased random integers in [low, high); low where low >= high, and numbers are refused; bounds are integers, taken as int64, or uint64 for a uint64 result."""
def random_bits(shape: int | Sequence[int], dtype: DTypeLike = ..., block: int = ..., key: ArrayLike | None = ...) -> Array:
    """The words of Philox 4x32-10 from this block on (modulo 2^64): 4 elements from a block, 2 of uint64, high word first; small dtypes take low bits.
    block: the first block"""
def random_fold(data: ArrayLike, key: ArrayLike | None = ...) -> Array:
    """A new key (..., 2) from a key and each integer of data."""
def random_split(n: int, key: ArrayLike | None = ...) -> Array:
    """n independent keys (n, 2) from one, which should not be used for numbers then."""
def seed(number: Any, /) -> None:
    """The state that this thread's random numbers without a key come from, from a number."""
def shuffle(x: ArrayLike, axis: int = ..., inverse: builtins.bool = ..., key: ArrayLike | None = ...) -> Array:
    """x with the elements along an axis in random order, that of permutation, its rows kept whole; inverse undoes what the same key did.
    inverse: undo what the same key did"""
def truncated_normal(low: ArrayLike, high: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Standard normal random numbers between low and high, also far out; NaN unless low <= high, and numbers are refused; no gradient."""
def uniform(low: ArrayLike, high: ArrayLike, shape: int | Sequence[int], dtype: DTypeLike = ..., key: ArrayLike | None = ...) -> Array:
    """Uniform random numbers in [low, high) from a key, equal bits on every engine; integers are truncated."""
