# Written by python/tools/stubs.py (make stubs); the tests compare.
import builtins
from typing import Any, Callable, Sequence
from .. import Array, ArrayLike, DTypeLike
from . import Optimizer

def bce(prediction: ArrayLike, target: ArrayLike) -> Array:
    """Binary cross entropy: one logit against each target, which is 0 or 1."""
def categorical_focal(prediction: ArrayLike, target: ArrayLike, *, gamma: float = ..., alpha: float = ..., label_smoothing: float = ..., from_probs: builtins.bool = ...) -> Array:
    """cross_entropy in which what is easy counts little.
    alpha: times the loss
    label_smoothing: this share of the target is spread over all classes
    from_probs: the network gives probabilities, not logits"""
def categorical_hinge(prediction: ArrayLike, target: ArrayLike) -> Array:
    """1 + the largest output of other classes - that of the target where it is above 0."""
def circle(prediction: ArrayLike, target: ArrayLike, *, gamma: float = ..., margin: float = ...) -> Array:
    """Cosines of the same class become large, of different ones small; the network gives rows of length 1.
    gamma: scale
    margin: how strict it is"""
def cross_entropy(prediction: ArrayLike, target: ArrayLike, *, label_smoothing: float = ..., from_probs: builtins.bool = ...) -> Array:
    """Logits against class numbers, as vinea.cross_entropy.
    label_smoothing: this share of the target is spread over all classes
    from_probs: the network gives probabilities, not logits; their logarithm at 0 is -100"""
def dice(prediction: ArrayLike, target: ArrayLike, *, smooth: float = ..., activation: str = ...) -> Array:
    """1 - twice the overlap of output and target, divided by the sum of both; over the whole batch.
    smooth: added to the overlap and to what it is divided by
    activation: what makes shares of the network's output (sigmoid, none, softmax)"""
def focal(prediction: ArrayLike, target: ArrayLike, *, gamma: float = ..., alpha: float = ..., label_smoothing: float = ...) -> Array:
    """Bce in which what is easy counts little.
    alpha: weight of targets that are 1, with 1 - alpha for those that are 0; none if it is below 0
    label_smoothing: this share of the target is spread over both"""
def generalized_cross_entropy(prediction: ArrayLike, target: ArrayLike, *, q: float = ..., from_probs: builtins.bool = ...) -> Array:
    """(1 - p^q) / q with p the probability of the target; bears wrong labels.
    from_probs: the network gives probabilities, not logits"""
def generalized_dice(prediction: ArrayLike, target: ArrayLike, *, smooth: float = ..., from_probs: builtins.bool = ...) -> Array:
    """Dice of each class, weighted by how rare it is; targets have two axes or more.
    smooth: added to the overlap and to what it is divided by
    from_probs: the network gives probabilities, not logits"""
def hinge(prediction: ArrayLike, target: ArrayLike) -> Array:
    """1 - x target where that is above 0; targets are -1 and 1."""
def hinge_embedding(prediction: ArrayLike, target: ArrayLike, *, margin: float = ...) -> Array:
    """Distances where the target is 1, what they lack of margin where it is -1."""
def huber(prediction: ArrayLike, target: ArrayLike, *, delta: float = ...) -> Array:
    """Half the squared differences up to delta, in proportion to the difference beyond."""
def log_cosh(prediction: ArrayLike, target: ArrayLike) -> Array:
    """Log(cosh) of the differences: squared where they are small, absolute where they are large."""
def lp(prediction: ArrayLike, target: ArrayLike, *, p: float = ...) -> Array:
    """Absolute differences to the power p."""
def mae(prediction: ArrayLike, target: ArrayLike) -> Array:
    """Absolute differences."""
def mape(prediction: ArrayLike, target: ArrayLike) -> Array:
    """Absolute differences in percent of the target."""
def mse(prediction: ArrayLike, target: ArrayLike) -> Array:
    """Squared differences."""
def msle(prediction: ArrayLike, target: ArrayLike) -> Array:
    """Squared differences of log(1 + x)."""
def multi_margin(prediction: ArrayLike, target: ArrayLike, *, margin: float = ..., squared: builtins.bool = ...) -> Array:
    """What the outputs of other classes are above that of the target less margin; their mean.
    squared: each margin is squared"""
def multiclass_hinge(prediction: ArrayLike, target: ArrayLike) -> Array:
    """categorical_hinge without 0 among the outputs of others (Crammer and Singer)."""
def multiclass_perceptron(prediction: ArrayLike, target: ArrayLike) -> Array:
    """The largest output - that of the target."""
def multiclass_sparsemax(prediction: ArrayLike, target: ArrayLike) -> Array:
    """cross_entropy with sparsemax instead of softmax."""
def ntxent(prediction: ArrayLike, target: ArrayLike, *, temperature: float = ...) -> Array:
    """Pairs of the same class among those of different ones, by their cosines."""
def perceptron(prediction: ArrayLike, target: ArrayLike) -> Array:
    """-x target where that is above 0; targets are -1 and 1."""
def poisson_nll(prediction: ArrayLike, target: ArrayLike, *, rate_input: builtins.bool = ..., full: builtins.bool = ..., epsilon: float = ...) -> Array:
    """Counts that are Poisson distributed: -log of their probability.
    rate_input: the network gives the rate itself, not its logarithm
    full: with Stirling's approximation of log(target!)
    epsilon: keeps the logarithm of a rate finite"""
def poly(prediction: ArrayLike, target: ArrayLike, *, epsilon: float = ...) -> Array:
    """cross_entropy plus epsilon times 1 - the probability of the target."""
def ranking_softmax(prediction: ArrayLike, target: ArrayLike) -> Array:
    """Lists along the last axis: -sum(target log_softmax(x))."""
def smooth_l1(prediction: ArrayLike, target: ArrayLike, *, beta: float = ...) -> Array:
    """Huber divided by delta, here called beta; mae for beta 0."""
def soft_margin(prediction: ArrayLike, target: ArrayLike) -> Array:
    """Log(1 + exp(-x target)); targets are -1 and 1."""
def sparsemax(prediction: ArrayLike, target: ArrayLike) -> Array:
    """sparse_plus of one logit against each target, which is 0 or 1."""
def squared_hinge(prediction: ArrayLike, target: ArrayLike) -> Array:
    """Hinge, squared."""
def tversky(prediction: ArrayLike, target: ArrayLike, *, alpha: float = ..., beta: float = ..., smooth: float = ..., activation: str = ...) -> Array:
    """Dice with weights for what is too much and what is missing.
    alpha: of x where there is no target
    beta: of targets that x lacks
    smooth: added to the overlap and to what it is divided by
    activation: what makes shares of the network's output (sigmoid, none, softmax)"""
