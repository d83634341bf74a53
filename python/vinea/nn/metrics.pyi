# Written by python/tools/stubs.py (make stubs); the tests compare.
import builtins
from typing import Any, Callable, Sequence
from .. import Array, ArrayLike, DTypeLike
from . import Optimizer

def accuracy(prediction: ArrayLike, target: ArrayLike) -> float:
    """The share of rows whose class is the most likely one."""
def bleu(prediction: ArrayLike, target: ArrayLike, *, pad: int = ..., order: int = ...) -> float:
    """Sequences of tokens: BLEU of all rows together, with one reference each: the geometric mean of the precisions of n-grams, less what is too short.
    pad: the number that stands behind the end of a sequence
    order: of the longest n-grams"""
def calibration_error(prediction: ArrayLike, target: ArrayLike, *, bins: int = ...) -> float:
    """How far the probability of what is predicted is from how often it is right, on average over parts of 0 to 1: the expected calibration error."""
def categorical_focal(prediction: ArrayLike, target: ArrayLike, *, gamma: float = ..., alpha: float = ...) -> float:
    """The mean of the loss of that name.
    alpha: times the loss"""
def categorical_hinge(prediction: ArrayLike, target: ArrayLike) -> float:
    """The mean of the loss of that name."""
def concordance(prediction: ArrayLike, target: ArrayLike) -> float:
    """Lin's correlation, which is 1 only where outputs are the targets."""
def dice(prediction: ArrayLike, target: ArrayLike, *, average: str = ...) -> float:
    """Twice the overlap of a class's rows and those taken for it, divided by the sum of both: f1, as segmentation calls it.
    average: over the classes (macro, micro, weighted)"""
def f1(prediction: ArrayLike, target: ArrayLike, *, average: str = ...) -> float:
    """The harmonic mean of precision and recall of a class; averaged over classes.
    average: over the classes (macro, micro, weighted)"""
def f_beta(prediction: ArrayLike, target: ArrayLike, *, beta: float = ..., average: str = ...) -> float:
    """Precision and recall of a class, in which recall weighs beta times as much; averaged over classes.
    average: over the classes (macro, micro, weighted)"""
def false_negatives(prediction: ArrayLike, target: ArrayLike, *, label: int = ...) -> float:
    """How many rows of the class were not taken for it."""
def false_positives(prediction: ArrayLike, target: ArrayLike, *, label: int = ...) -> float:
    """How many rows of others were taken for the class."""
def focal(prediction: ArrayLike, target: ArrayLike, *, gamma: float = ...) -> float:
    """The mean of the loss of that name; targets are 0 and 1."""
def iou(prediction: ArrayLike, target: ArrayLike, *, average: str = ...) -> float:
    """The overlap of a class's rows and those taken for it, divided by those in either; averaged over the classes that occur.
    average: over the classes (macro, micro, weighted)"""
def log_cosh(prediction: ArrayLike, target: ArrayLike) -> float:
    """The mean of log(cosh) of the differences."""
def mae(prediction: ArrayLike, target: ArrayLike) -> float:
    """The mean of absolute differences."""
def mape(prediction: ArrayLike, target: ArrayLike) -> float:
    """The mean of absolute differences in percent of the target."""
def ms_ssim(prediction: ArrayLike, target: ArrayLike, *, max_val: float = ..., filter_size: int = ..., scales: int = ...) -> float:
    """Images: the mean of their structural similarities at several scales, vinea.ms_ssim.
    filter_size: of the Gaussian filter
    scales: how many sizes, each half of the one before"""
def mse(prediction: ArrayLike, target: ArrayLike) -> float:
    """The mean of squared differences."""
def msle(prediction: ArrayLike, target: ArrayLike) -> float:
    """The mean of squared differences of log(1 + x)."""
def pearson(prediction: ArrayLike, target: ArrayLike) -> float:
    """Pearson's correlation of outputs and targets."""
def perplexity(prediction: ArrayLike, target: ArrayLike) -> float:
    """e to the mean cross entropy."""
def pr_auc(prediction: ArrayLike, target: ArrayLike, *, bins: int = ...) -> float:
    """Two classes: the area under precision over recall, average precision, with probabilities in so many parts of 0 to 1."""
def precision(prediction: ArrayLike, target: ArrayLike, *, average: str = ...) -> float:
    """Of the rows taken for a class, the share that is of it; averaged over classes.
    average: over the classes (macro, micro, weighted)"""
def precision_at_recall(prediction: ArrayLike, target: ArrayLike, *, recall: float = ..., bins: int = ...) -> float:
    """Two classes: the best precision of class 1 of thresholds with at least this recall.
    bins: thresholds: so many parts of 0 to 1"""
def psnr(prediction: ArrayLike, target: ArrayLike, *, max_val: float = ...) -> float:
    """The peak signal-to-noise ratio of each example in decibels: the mean over rows."""
def r2(prediction: ArrayLike, target: ArrayLike) -> float:
    """The coefficient of determination: 1 - mse / the variance of the targets."""
def recall(prediction: ArrayLike, target: ArrayLike, *, average: str = ...) -> float:
    """Of the rows of a class, the share taken for it; averaged over classes.
    average: over the classes (macro, micro, weighted)"""
def recall_at_precision(prediction: ArrayLike, target: ArrayLike, *, precision: float = ..., bins: int = ...) -> float:
    """Two classes: the best recall of class 1 of thresholds with at least this precision.
    bins: thresholds: so many parts of 0 to 1"""
def rmse(prediction: ArrayLike, target: ArrayLike) -> float:
    """The root of mse."""
def roc_auc(prediction: ArrayLike, target: ArrayLike, *, bins: int = ...) -> float:
    """Two classes: how often a row of class 1 is more likely than one of class 0; a tie, in one of so many parts of 0 to 1, counts half."""
def rouge_l(prediction: ArrayLike, target: ArrayLike, *, pad: int = ...) -> float:
    """Sequences of tokens: twice the longest common subsequence, divided by the tokens of both; the mean over rows.
    pad: the number that stands behind the end of a sequence"""
def sensitivity_at_specificity(prediction: ArrayLike, target: ArrayLike, *, specificity: float = ..., bins: int = ...) -> float:
    """Two classes: the best recall of class 1 of thresholds with at least this recall of class 0.
    bins: thresholds: so many parts of 0 to 1"""
def specificity_at_sensitivity(prediction: ArrayLike, target: ArrayLike, *, sensitivity: float = ..., bins: int = ...) -> float:
    """Two classes: the best recall of class 0 of thresholds with at least this recall of class 1.
    bins: thresholds: so many parts of 0 to 1"""
def ssim(prediction: ArrayLike, target: ArrayLike, *, max_val: float = ..., filter_size: int = ...) -> float:
    """Images: the mean of their structural similarities, vinea.ssim.
    filter_size: of the Gaussian filter"""
def token_error_rate(prediction: ArrayLike, target: ArrayLike, *, pad: int = ...) -> float:
    """Sequences of tokens: how many must be put in, taken out or replaced, divided by the tokens of the targets; of characters or words, whichever tokens are.
    pad: the number that stands behind the end of a sequence"""
def top(prediction: ArrayLike, target: ArrayLike, *, k: int = ...) -> float:
    """The share of rows whose class is among the k most likely ones."""
def true_negatives(prediction: ArrayLike, target: ArrayLike, *, label: int = ...) -> float:
    """How many rows of others were not taken for the class."""
def true_positives(prediction: ArrayLike, target: ArrayLike, *, label: int = ...) -> float:
    """How many rows of the class were taken for it."""
