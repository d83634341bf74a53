# Written by python/tools/stubs.py (make stubs); the tests compare.
import builtins
from typing import Any, Callable, Sequence
from .. import Array, ArrayLike, DTypeLike
from . import Optimizer

def adaptive_clip(clipping: float = ..., epsilon: float = ...) -> Optimizer:
    """Each unit (a column of a matrix, a filter of a convolution, a whole vector) scaled down to this part of the length of its parameters."""
def add_decayed_weights(weight_decay: float = ...) -> Optimizer:
    """Plus the parameters times a number."""
def add_noise(eta: float = ..., gamma: float = ..., seed: int = ...) -> Optimizer:
    """Plus normal numbers that get smaller.
    eta: variance of the first step's noise
    gamma: the variance falls with the step to this power
    seed: of the noise"""
def by_param_norm(min_scale: float = ...) -> Optimizer:
    """Each array times the length of its parameters, or this if it is shorter."""
def by_param_rms(min_scale: float = ...) -> Optimizer:
    """Each array times the root mean square of its parameters."""
def centralize() -> Optimizer:
    """The mean over all axes but the first taken off arrays of two axes or more."""
def clip(max_delta: float) -> Optimizer:
    """Every number cut to [-max_delta, max_delta]."""
def clip_by_block_rms(max_rms: float) -> Optimizer:
    """Each array scaled down to this root mean square."""
def clip_by_global_norm(max_norm: float) -> Optimizer:
    """All together scaled down to this length."""
def ema(decay: float = ..., biased: builtins.bool = ...) -> Optimizer:
    """A mean of updates that decays.
    decay: how much stays from step to step
    biased: the mean leans towards 0 at first"""
def keep_nonnegative() -> Optimizer:
    """Updates that leave the parameters at 0 or above."""
def norm_bounds(max_norm: float = ..., min_norm: float = ..., rate: float = ..., along: int = ...) -> Optimizer:
    """Updates that leave the vectors of parameters between two lengths (the constraints MaxNorm, MinMaxNorm and UnitNorm of Keras): chain(adam, norm_bounds(max_norm=2)).
    max_norm: longer vectors are scaled down to this
    min_norm: shorter ones up to this; the same as max_norm: all have this length
    rate: how far: 1 is all the way
    along: the axis of vectors; below 0 all but the last axis, or the whole of a vector"""
def normalize(length: float = ..., epsilon: float = ...) -> Optimizer:
    """All together divided by their length plus epsilon, and times length."""
def penalty(l1: float = ..., l2: float = ...) -> Optimizer:
    """Plus the gradient of a penalty on the parameters (vinea.l1_l2_penalty), before an optimizer: chain(penalty(l1=0.001), adam).
    l1: of the sum of absolute values
    l2: of the sum of squares"""
def reduce_on_plateau(factor: float = ..., patience: int = ..., rtol: float = ..., atol: float = ..., cooldown: int = ..., every: int = ..., min_scale: float = ...) -> Optimizer:
    """Updates that become smaller when the loss falls no more, behind an optimizer: chain(adam, reduce_on_plateau(patience=5, every=100)).
    factor: times the scale of updates
    patience: after so many comparisons without a better loss
    rtol: a better loss is less by this part, and
    atol: by this much
    cooldown: comparisons that do not count after the scale was lowered
    every: the mean loss of so many steps is compared: the steps of an epoch
    min_scale: the smallest scale"""
def scale(by: float) -> Optimizer:
    """Times a number; a chain of directions ends with scale(-0.01)."""
def set_to_zero() -> Optimizer:
    """0: parameters that do not move."""
def sign() -> Optimizer:
    """Signs."""
def trace(decay: float = ..., nesterov: builtins.bool = ...) -> Optimizer:
    """A sum of updates that decays: momentum.
    decay: how much stays from step to step
    nesterov: look ahead"""
def trust_ratio(min_norm: float = ..., coefficient: float = ..., epsilon: float = ...) -> Optimizer:
    """Each array as long as its parameters; 1 where either has no length.
    min_norm: shorter lengths count as this
    coefficient: times the ratio
    epsilon: added to the length of the update"""
def zero_nans() -> Optimizer:
    """0 where there is NaN."""
