# Written by python/tools/stubs.py (make stubs); the tests compare.
from typing import Any, Callable, NamedTuple, Sequence, TypeVar, Union
import builtins
import types

_F = TypeVar("_F", bound=Callable[..., Any])  # jit and other decorators return a function of the same type

class DType:
    name: str
    itemsize: int

class EngineError(RuntimeError): ...

ArrayLike = Union["Array", builtins.bool, builtins.int, builtins.float, builtins.complex, Sequence[Any], Any]
DTypeLike = Union[DType, str, type, Any]
class EigResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array
class EighResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array
class QRResult(NamedTuple):
    Q: Array
    R: Array
class SVDResult(NamedTuple):
    U: Array
    S: Array
    Vh: Array
class UniqueAllResult(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array
class UniqueCountsResult(NamedTuple):
    values: Array
    counts: Array
class UniqueInverseResult(NamedTuple):
    values: Array
    inverse_indices: Array
class adam_step_result(NamedTuple):
    delta: Array
    m: Array
    v: Array
class adam_update_result(NamedTuple):
    w_new: Array
    m: Array
    v: Array
class batch_norm_training_result(NamedTuple):
    y: Array
    mean: Array
    variance: Array
class connected_components_with_stats_result(NamedTuple):
    labels: Array
    stats: Array
class cummax_result(NamedTuple):
    values: Array
    indices: Array
class cummin_result(NamedTuple):
    values: Array
    indices: Array
class divmod_result(NamedTuple):
    quotient: Array
    rest: Array
class eig_result(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array
class eigh_result(NamedTuple):
    values: Array
    vectors: Array
class eigh_tridiagonal_result(NamedTuple):
    values: Array
    vectors: Array
class frexp_result(NamedTuple):
    mantissa: Array
    exponent: Array
class gru_result(NamedTuple):
    y: Array
    last_h: Array
class gru_update_result(NamedTuple):
    h: Array
    last_h: Array
class histogram_result(NamedTuple):
    counts: Array
    limits: Array
class instance_norm_result(NamedTuple):
    y: Array
    mean: Array
    variance: Array
class lamb_update_result(NamedTuple):
    w_new: Array
    m: Array
    v: Array
class linear_sum_assignment_result(NamedTuple):
    rows: Array
    columns: Array
class lstm_result(NamedTuple):
    y: Array
    last_h: Array
    last_c: Array
class lstm_update_result(NamedTuple):
    h: Array
    last_h: Array
    last_c: Array
class lstsq_result(NamedTuple):
    solution: Array
    residuals: Array
    rank: Array
    singular_values: Array
class lu_result(NamedTuple):
    lu: Array
    permutation: Array
class max_pool_with_indices_result(NamedTuple):
    y: Array
    index: Array  # type: ignore[assignment]
class max_with_index_result(NamedTuple):
    values: Array
    indices: Array
class median_with_index_result(NamedTuple):
    values: Array
    indices: Array
class min_with_index_result(NamedTuple):
    values: Array
    indices: Array
class modf_result(NamedTuple):
    fraction: Array
    whole: Array
class nnls_result(NamedTuple):
    solution: Array
    residual: Array
class nonnegative_svd_result(NamedTuple):
    w: Array
    h: Array
class power_iteration_result(NamedTuple):
    value: Array
    vector: Array
class qr_result(NamedTuple):
    q: Array
    r: Array
class slogdet_result(NamedTuple):
    sign: Array
    logabsdet: Array
class spectral_normalize_result(NamedTuple):
    z: Array
    vector: Array
class svd_result(NamedTuple):
    u: Array
    s: Array
    vh: Array
class topk_result(NamedTuple):
    values: Array
    indices: Array
class truncated_svd_result(NamedTuple):
    u: Array
    s: Array
    vh: Array
class unique_result(NamedTuple):
    values: Array
    indices: Array
    inverse: Array
    counts: Array
class unique_consecutive_result(NamedTuple):
    values: Array
    inverse: Array
    counts: Array
class unique_counts_result(NamedTuple):
    values: Array
    counts: Array
class unique_inverse_result(NamedTuple):
    values: Array
    inverse: Array
class unique_sized_result(NamedTuple):
    values: Array
    counts: Array
class var_mean_result(NamedTuple):
    variance: Array
    mean: Array
class Array:
    """An n-dimensional array. Make one with vinea.asarray, vinea.zeros and the like."""
    @property
    def T(self) -> Array: ...
    def __array__(self, dtype: DTypeLike | None = ..., copy: builtins.bool | None = ...) -> Array: ...
    def __array_namespace__(self, /, *, api_version: Any | None = ...) -> Array: ...
    def __dlpack__(self, /, *, stream: Any | None = ..., max_version: Any | None = ..., dl_device: Any | None = ..., copy: builtins.bool | None = ...) -> Array:
        """A DLPack capsule with the values, read-only unless copied."""
    def __dlpack_device__(self, /) -> Array:
        """The device in DLPack's numbers: (1, 0), the CPU."""
    def abs(self) -> Array:
        """The absolute value, of a complex number a real one; its derivative at 0 is 0."""
    def accuracy(self, index: ArrayLike) -> Array:
        """How often the largest element along the last axis of x is the one at the index; an index of floats, in the shape of x, has a share for each class, the largest of which is meant."""
    def acos(self) -> Array:
        """Inverse cosine, in [0, pi]."""
    def acosh(self) -> Array:
        """Inverse hyperbolic cosine; NaN below 1."""
    def adaptive_avg_pool(self, size: int | Sequence[int], data_format: str = ...) -> Array:
        """The mean of windows of x with 1 to 3 spatial axes, as many along each as size says: window j of m over n elements goes from floor(j n / m) to ceil((j + 1) n / m).
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
    def adaptive_max_pool(self, size: int | Sequence[int], data_format: str = ...) -> Array:
        """The largest element of windows of x with 1 to 3 spatial axes, as many along each as size says: window j of m over n elements goes from floor(j n / m) to ceil((j + 1) n / m).
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
    def add(self, y: ArrayLike) -> Array:
        """x + y, broadcast."""
    def adjoint(self) -> Array:
        """x with its last two axes exchanged, and conjugated."""
    def adjust_sharpness(self, factor: float = ..., max_val: float = ...) -> Array:
        """Images whose distance from their smoothed selves is multiplied: 0 smoothes, 1 is x, 2 sharpens; clipped to 0 ... max_val."""
    def affine_transform(self, transform: ArrayLike, interpolation: str = ..., mode: str = ..., value: float = ...) -> Array:
        """Images whose pixel (x, y) is that of x at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1; transform [8] or [N, 8] holds a0 a1 a2 b0 b1 b2 c0 c1.
        interpolation: between the neighbours in all directions, or the nearest one (bilinear, nearest)
        mode: what is outside x: a value; its edge; x again; x mirrored at the centre of the last element, or at its edge (constant, nearest, wrap, mirror, reflect)
        value: of what is outside, if constant"""
    def all(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """True where all elements over axes are not zero."""
    def allclose(self, y: ArrayLike, rtol: float = ..., atol: float = ..., equal_nan: builtins.bool = ...) -> Array:
        """True if isclose holds everywhere; vinea.tree.map is for trees.
        rtol: the part of |y| by which they may differ
        atol: and this much besides
        equal_nan: NaN is close to NaN"""
    def alpha_dropout(self, key: ArrayLike | None = ..., prob: float = ...) -> Array:
        """Dropout behind selu: dropped elements take selu's lowest value, and all are scaled and shifted so that mean 0 and variance 1 stay."""
    def angle(self) -> Array:
        """The angle of a complex number, in [-pi, pi]; of a real number 0 or pi."""
    def any(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """True where any element over axes is not zero."""
    def argmax(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Position of the largest element along one axis, or in the flattened x for all; the first where there are several; NaN wins."""
    def argmin(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Position of the smallest element along one axis, or in the flattened x for all; the first where there are several; NaN wins."""
    def argsort(self, /, axis: int | Sequence[int] | None = ..., descending: Any = ..., stable: Any = ...) -> Array:
        """Positions that sort x along an axis; equal elements stay in their order in both directions; NaN is the largest: last, or first when descending.
        descending: the largest first"""
    def as_strided(self, shape: int | Sequence[int], strides: int | Sequence[int], offset: int = ...) -> Array:
        """The elements offset + the sum of place times stride, of the flattened x, for every place of the shape; strides count elements and may be 0 or below; what is outside x is an error."""
    def asin(self) -> Array:
        """Inverse sine, in [-pi/2, pi/2]."""
    def asinh(self) -> Array:
        """Inverse hyperbolic sine."""
    def astype(self, dtype: DTypeLike | None, /, copy: builtins.bool | None = ..., device: str | None = ...) -> Array:
        """x as another dtype; floats to integers truncate toward zero, out of range they give the nearest integer of the dtype and NaN gives 0; integers wrap around; of a complex number only its parts are real (real, imag)."""
    @property
    def at(self) -> Any: ...
    def atan(self) -> Array:
        """Inverse tangent, in [-pi/2, pi/2]."""
    def atan2(self, y: ArrayLike) -> Array:
        """The angle whose tangent is x / y, in the quadrant of the point (y, x)."""
    def atanh(self) -> Array:
        """Inverse hyperbolic tangent."""
    def auto_contrast(self, max_val: float = ...) -> Array:
        """Each channel of each image stretched, so that it goes from 0 to max_val; one of a single value stays as it is."""
    def average(self, weights: ArrayLike | None = ..., axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """The mean over axes, with weights that broadcast to x: their sum is what products are divided by."""
    def avg_pool(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., include_padding: builtins.bool = ...) -> Array:
        """The mean of each window of x [N, in..., C], over the elements of x in it, or over the whole window if include_padding; 0 where a window is padding alone.
        strides: steps of the window; the window's own sizes unless given
        pads: (low, high) for each spatial axis
        include_padding: padding counts as zeros"""
    def avg_pool1d(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., include_padding: builtins.bool = ...) -> Array:
        """The mean of each window of x with 1 spatial axis; padding SAME or VALID unless pads gives (low, high) for each axis, or one number for all; strides are the window if not given; padding itself as in avg_pool.
        strides: steps of the window; the window's own sizes unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
        include_padding: padding counts as zeros"""
    def avg_pool2d(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., include_padding: builtins.bool = ...) -> Array:
        """The mean of each window of x with 2 spatial axes; options as in avg_pool1d.
        strides: steps of the window; the window's own sizes unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
        include_padding: padding counts as zeros"""
    def avg_pool3d(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., include_padding: builtins.bool = ...) -> Array:
        """The mean of each window of x with 3 spatial axes; options as in avg_pool1d.
        strides: steps of the window; the window's own sizes unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
        include_padding: padding counts as zeros"""
    def batch_dot(self, y: ArrayLike, axis_x: int = ..., axis_y: int = ..., normalize: builtins.bool = ...) -> Array:
        """For each entry of the first axis, which is the batch, the sum of products along an axis of x and one of y: (batch, the other axes of x, those of y), or (batch, 1) if there are none.
        normalize: both are divided by their lengths along these axes first, so that vectors give cosines"""
    def batch_norm(self, mean: ArrayLike, variance: ArrayLike, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., axis: int = ..., epsilon: float = ...) -> Array:
        """(x - mean) / sqrt(variance + epsilon) times weight, plus bias, all per channel (axis)."""
    def batch_norm_training(self, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., axis: int = ..., epsilon: float = ...) -> batch_norm_training_result:
        """batch_norm by the mean and variance of each channel (axis) of x itself, which are the other results; the variance is divided by the number of elements.
        Returns y, mean, variance."""
    def bilinear(self, y: ArrayLike, w: ArrayLike, bias: ArrayLike | None = ...) -> Array:
        """x w y of x (..., m), y (..., n) and each of the matrices w (out, m, n), plus a bias (out): (..., out)."""
    def binarize(self, threshold: float = ...) -> Array:
        """1 where x is above the threshold, else 0."""
    def binary_cross_entropy(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """-target log(x) - (1 - target) log(1 - x) of probabilities x, times weight; the logarithm of 0 is -100 here, with derivative 0; NaN unless x lies in [0, 1].
        reduction: what becomes of the losses (mean, sum, none)"""
    def binary_cross_entropy_with_logits(self, target: ArrayLike, weight: ArrayLike | None = ..., pos_weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """binary_cross_entropy of sigmoid(x), accurate for every x; pos_weight multiplies the part of target.
        reduction: what becomes of the losses (mean, sum, none)"""
    def binary_focal_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., gamma: float = ..., alpha: float = ..., label_smoothing: float = ..., reduction: str = ...) -> Array:
        """sigmoid_focal_loss of probabilities x instead of logits.
        alpha: weight of targets that are 1, with 1 - alpha for those that are 0; none if it is below 0
        label_smoothing: this share of the target is spread over both
        reduction: what becomes of the losses (mean, sum, none)"""
    def bincount(self, weights: Any | None = ..., minlength: Any | None = ..., *, length: Any | None = ...) -> Array:
        """How often each of 0, 1, 2 ... occurs in x, or the sum of the weights, of x's shape, where it does. As
        long as the largest number needs and at least minlength, which computes x at once, and numbers below 0 are a ValueError; or of a length,
        and numbers below 0 or beyond it are not counted."""
    def bitcast(self, dtype: DTypeLike) -> Array:
        """The bytes of x as another dtype; of another size, the last axis has as many elements more or fewer."""
    def bitwise_and(self, y: ArrayLike) -> Array:
        """The bits that x and y both have, broadcast."""
    def bitwise_invert(self) -> Array:
        """The bits that x does not have."""
    def bitwise_left_shift(self, y: ArrayLike) -> Array:
        """x with its bits y places higher, broadcast; 0 where y is below 0, or the width or more."""
    def bitwise_or(self, y: ArrayLike) -> Array:
        """The bits that x or y has, broadcast."""
    def bitwise_right_shift(self, y: ArrayLike) -> Array:
        """Floor(x / 2^y), broadcast; -1 for x < 0 and else 0 where y is below 0, or the width or more."""
    def bitwise_xor(self, y: ArrayLike) -> Array:
        """The bits that one of x and y has, broadcast."""
    def bleu_counts(self, target: ArrayLike, pad: int = ..., order: int = ...) -> Array:
        """What BLEU is made of, (2 order + 2), int64: for n = 1 ... order how many n-grams of the rows of x (rows, tokens) are in those of target, each as often as there at most; how many there are in x; the tokens of x and of target.
        pad: the number that stands behind the end of a sequence
        order: of the longest n-grams"""
    def block_masked_matmul(self, y: ArrayLike, mask: ArrayLike | None = ..., x_mask: ArrayLike | None = ..., y_mask: ArrayLike | None = ..., block: int = ...) -> Array:
        """Matmul of matrices whose blocks of block x block elements are multiplied by the elements of masks, as are those of the result; bools are 0 and 1."""
    def broadcast_to(self, shape: int | Sequence[int]) -> Array:
        """x repeated to a larger shape by the broadcasting rule."""
    def calibration_counts(self, index: ArrayLike, bins: int = ...) -> Array:
        """For each of so many equal parts of 0 to 1 in which the largest of the probabilities x (..., classes) lies: (3, bins), int64, how many rows, how many of these have their class there (index), and the sum of the probabilities, in units of 2^-30."""
    def cast(self, dtype: DTypeLike) -> Array:
        """x as another dtype; floats to integers truncate toward zero, out of range they give the nearest integer of the dtype and NaN gives 0; integers wrap around; of a complex number only its parts are real (real, imag)."""
    def categorical_focal_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., gamma: float = ..., alpha: float = ..., label_smoothing: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
        """-sum(alpha (1 - p)^gamma target log(p)) over the classes, with p = softmax(x): cross_entropy in which what is easy counts little.
        alpha: times the loss; 1 leaves it out
        label_smoothing: this share of the target is spread over all classes
        from_probs: x are probabilities, or in proportion to them, not logits
        reduction: what becomes of the losses (mean, sum, none)"""
    def categorical_hinge_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """1 + max((1 - target) x) - sum(target x) over the classes where that is above 0, else 0.
        reduction: what becomes of the losses (mean, sum, none)"""
    def cbrt(self) -> Array:
        """The cube root, also of negative numbers."""
    def cdist(self, y: ArrayLike, p: float = ...) -> Array:
        """The distances between all rows of x (..., n, d) and y (..., m, d): (..., n, m), in the norm p; long Euclidean ones by a product."""
    def ceil(self) -> Array:
        """Rounded up to an integer."""
    def celu(self, alpha: float = ...) -> Array:
        """x where it is above 0, else alpha (exp(x / alpha) - 1)."""
    def cholesky(self, upper: builtins.bool = ...) -> Array:
        """The lower triangular l with l l^H = x, or its adjoint when upper; only x's lower triangle is read and gets a gradient; NaN for a matrix that is not positive definite.
        upper: the upper factor"""
    def cholesky_inverse(self, upper: builtins.bool = ...) -> Array:
        """The inverse of l l^H, where x is the lower triangular l, or of u^H u, where it is the upper triangular u.
        upper: the upper factor"""
    def circle_loss(self, index: ArrayLike, gamma: float = ..., margin: float = ..., reduction: str = ...) -> Array:
        """Circle loss of embeddings x (n, features) of length 1: softplus of the logarithm of the sums over pairs of equal and of different index (n), each pair weighted by its distance from where it should be; 0 for rows without both.
        gamma: scale
        margin: how strict it is: cosines of 1 - margin within, of margin between classes
        reduction: what becomes of the losses (mean, sum, none)"""
    def clip(self, /, min: Any | None = ..., max: Any | None = ...) -> Array:
        """x kept between min and max, either of which may be absent, broadcast; at a bound the gradient is shared."""
    def clip_matrix_norm(self, max_norm: float, order: str = ...) -> Array:
        """Each matrix scaled down to the norm `max_norm` if its own is larger.
        order: which norm, as in matrix_norm (fro, nuc, 1, -1, inf, -inf, 2, -2)"""
    def clip_vector_norm(self, max_norm: float, p: float = ...) -> Array:
        """x, as one vector, scaled down to the length `max_norm` if it is longer."""
    def cond(self, order: str = ...) -> Array:
        """The condition number: a norm of x times that of its inverse; for 2 and -2 the ratio of the largest to the smallest singular value or its inverse, for which x need not be square.
        order: which norm, as in matrix_norm (2, -2, fro, nuc, 1, -1, inf, -inf)"""
    def confusion_matrix(self, target: ArrayLike, classes: int) -> Array:
        """How often each class (row) was taken for each (column): (classes, classes), int64, of predicted classes x; pairs with a number that is no class are left out, here and in precision, recall and f1."""
    def conj(self) -> Array:
        """The complex conjugate; real numbers themselves."""
    def connected_components(self, diagonal: builtins.bool = ...) -> Array:
        """The pixels of [height, width] or [N, height, width] that are not 0, with a number for each group of neighbours: 1, 2 ... in the order of their first pixels, in each image; 0 for the others.
        diagonal: pixels that touch at a corner belong together too: eight neighbours, not four"""
    def connected_components_with_stats(self, components: int, diagonal: builtins.bool = ...) -> connected_components_with_stats_result:
        """connected_components, and of the first components of each image left, top, width, height and area: [components, 5] or [N, components, 5]; zeros where there are fewer.
            diagonal: pixels that touch at a corner belong together too: eight neighbours, not four
        Returns labels, stats."""
    def conv(self, w: ArrayLike, strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., groups: int = ...) -> Array:
        """Convolution of x [N, in..., C] with w [kernel..., C/groups, O]: [N, out..., O], 1 to 3 spatial axes; pads is (low, high) for each of them; out is (in + low + high - (kernel-1)*dilation - 1) / stride + 1 rounded down, 0 where the filter does not fit.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        pads: (low, high) for each spatial axis
        dilations: distances between the elements of the filter; one number serves all; 1 unless given
        groups: number of channel groups, each with its own filters"""
    def conv1d(self, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
        """Convolution of x [N, W, C] (NCW: [N, C, W]) with filters [w, C/groups, O] (channel_first: [O, C/groups, w]) and a bias [O]; padding SAME or VALID unless pads gives (low, high) for each axis, or one number for all; one stride or dilation serves all axes; an empty result is an error.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given
        x_dilations: distances between the elements of x, with zeros between them; 1 unless given
        groups: number of channel groups, each with its own filters
        filter_format: how the axes of the filters are ordered (channel_last, channel_first, WIO, OIW)"""
    def conv1d_transpose(self, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
        """Transposed convolution of x with filters [w, C, O/groups] and a bias [O]; the adjoint of the conv1d that maps the length of the result to that of x: length n*stride for SAME, n*stride + max((w-1)*dilation + 1 - stride, 0) for VALID, or output_shape, which that conv1d must map back; filter_format channel_first is [C, O/groups, w], WOI [w, O/groups, C].
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        output_shape: lengths of the result, one for each spatial axis
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given
        groups: number of channel groups, each with its own filters
        filter_format: how the axes of the filters are ordered (channel_last, channel_first, WIO, IOW, WOI)"""
    def conv2d(self, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
        """Convolution of x [N, H, W, C] (NCHW: [N, C, H, W]) with filters [h, w, C/groups, O] and a bias [O]; options as in conv1d.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given
        x_dilations: distances between the elements of x, with zeros between them; 1 unless given
        groups: number of channel groups, each with its own filters
        filter_format: how the axes of the filters are ordered (channel_last, channel_first, HWIO, OIHW)"""
    def conv2d_transpose(self, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
        """Transposed convolution of x with filters [h, w, C, O/groups] and a bias [O]; options as in conv1d_transpose.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        output_shape: lengths of the result, one for each spatial axis
        data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given
        groups: number of channel groups, each with its own filters
        filter_format: how the axes of the filters are ordered (channel_last, channel_first, HWIO, IOHW, HWOI)"""
    def conv3d(self, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
        """Convolution of x [N, D, H, W, C] (NCDHW: [N, C, D, H, W]) with filters [d, h, w, C/groups, O] and a bias [O]; options as in conv1d.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given
        x_dilations: distances between the elements of x, with zeros between them; 1 unless given
        groups: number of channel groups, each with its own filters
        filter_format: how the axes of the filters are ordered (channel_last, channel_first, DHWIO, OIDHW)"""
    def conv3d_transpose(self, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
        """Transposed convolution of x with filters [d, h, w, C, O/groups] and a bias [O]; options as in conv1d_transpose.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        output_shape: lengths of the result, one for each spatial axis
        data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given
        groups: number of channel groups, each with its own filters
        filter_format: how the axes of the filters are ordered (channel_last, channel_first, DHWIO, IODHW, DHWOI)"""
    def conv_general_dilated(self, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
        """Convolution of x with 1 to 3 spatial axes, channel_last or channel_first, with filters [kernel..., C/groups, O]; options as in conv1d.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given
        x_dilations: distances between the elements of x, with zeros between them; 1 unless given
        groups: number of channel groups, each with its own filters
        filter_format: how the axes of the filters are ordered (channel_last, channel_first, WIO, HWIO, DHWIO, OIW, OIHW, OIDHW)"""
    def conv_general_transpose(self, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
        """Transposed convolution of x with 1 to 3 spatial axes, channel_last or channel_first, with filters [kernel..., C, O/groups]; options as in conv1d_transpose.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        output_shape: lengths of the result, one for each spatial axis
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given
        groups: number of channel groups, each with its own filters
        filter_format: how the axes of the filters are ordered (channel_last, channel_first, WIO, HWIO, DHWIO, IOW, IOHW, IODHW, WOI, HWOI, DHWOI)"""
    def convolve(self, y: ArrayLike, mode: str = ...) -> Array:
        """Element k of the result is the sum of x[j] y[k - j] along the last axes, of which leading ones broadcast; long floats and complex numbers go through Fourier transforms.
        mode: all n + m - 1 sums; the middle ones, as many as the longer of both has; those where both overlap entirely (full, same, valid)"""
    def coo_indices(self, count: int = ...) -> Array:
        """Where x is not 0: (count, axes), int64, in row-major order; -1 behind the last one; -1 as count: as many as there are, which are counted now."""
    def coo_values(self, indices: ArrayLike) -> Array:
        """The elements of x at indices (n, axes): (n); 0 at an index out of range, as -1 is."""
    def copy(self) -> Array:
        """The same values in memory of their own."""
    def copysign(self, y: ArrayLike) -> Array:
        """x with the sign of y, broadcast."""
    def corrcoef(self, y: ArrayLike | None = ..., columns: builtins.bool = ...) -> Array:
        """Correlation coefficients of the variables in the rows of x, and of y below them: cov divided by the standard deviations, kept within [-1, 1].
        columns: variables are the columns of x and y, not their rows"""
    def correlate(self, y: ArrayLike, mode: str = ...) -> Array:
        """The sums of x[j + k] conj(y[j]) along the last axes, of which leading ones broadcast.
        mode: the sums where both overlap entirely; the middle ones, as many as the longer of both has; all n + m - 1 (valid, same, full)"""
    def cos(self) -> Array:
        """Cosine of x radians."""
    def cosh(self) -> Array:
        """Hyperbolic cosine."""
    def cosine_distance(self, y: ArrayLike, axis: int = ..., epsilon: float = ...) -> Array:
        """1 - cosine_similarity.
        epsilon: the least length"""
    def cosine_embedding_loss(self, y: ArrayLike, target: ArrayLike, axis: int = ..., epsilon: float = ..., margin: float = ..., reduction: str = ...) -> Array:
        """1 - cosine_similarity(x, y) where target is above 0, else what it is above margin.
        epsilon: the least length
        margin: similarities below it cost nothing
        reduction: what becomes of the losses (mean, sum, none)"""
    def cosine_similarity(self, y: ArrayLike, axis: int = ..., epsilon: float = ...) -> Array:
        """The cosine of the angle between vectors along an axis of x and y, broadcast; lengths count as epsilon at least.
        epsilon: the least length"""
    def count_nonzero(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """How many elements over axes are not zero."""
    def cov(self, y: ArrayLike | None = ..., fweights: ArrayLike | None = ..., aweights: ArrayLike | None = ..., correction: float = ..., columns: builtins.bool = ...) -> Array:
        """Covariance matrix of the variables in the rows of x (a vector is one), and of y below them, over the observations; 0-d for one variable; fweights: how often each observation counts, aweights: its importance; the sum of squares is divided by their number less the correction.
        columns: variables are the columns of x and y, not their rows"""
    def cross(self, y: ArrayLike, axis: int = ...) -> Array:
        """The cross product of vectors of 3 elements along an axis of the result; the other axes broadcast."""
    def cross_entropy(self, target: ArrayLike, weight: ArrayLike | None = ..., axis: int = ..., ignore_index: int = ..., label_smoothing: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
        """-log_softmax(x) along an axis of classes at the class that an integer target has, times the weight of the class; 0 where that is ignore_index; one that is no class is an error where the call can see it, NaN where it is computed later; the mean is that of what is not ignored, divided by its weights. A float target are probabilities: -sum(target log_softmax(x)), weight one number for each class.
        ignore_index: classes of this number do not count
        label_smoothing: this share of the target is spread over all classes
        from_probs: x are probabilities, not logits; their logarithm at 0 is -100
        reduction: what becomes of the losses (mean, sum, none)"""
    def cummax(self, axis: int, reverse: builtins.bool = ...) -> cummax_result:
        """The largest element so far along an axis, and its position; NaN wins; of equal ones the last, which gets the gradient.
            reverse: from the end
        Returns values, indices."""
    def cummin(self, axis: int, reverse: builtins.bool = ...) -> cummin_result:
        """The smallest element so far along an axis, and its position; NaN wins; of equal ones the last, which gets the gradient.
            reverse: from the end
        Returns values, indices."""
    def cumulative_prod(self, /, axis: int | Sequence[int] | None = ..., dtype: DTypeLike | None = ..., include_initial: Any = ...) -> Array:
        """Running product along an axis, from its start, or from its end when reverse; floats are multiplied in float64 and rounded once.
        reverse: from the end
        include_initial: the sum or product of no elements comes first, so there is one element more; last when reverse"""
    def cumulative_sum(self, /, axis: int | Sequence[int] | None = ..., dtype: DTypeLike | None = ..., include_initial: Any = ...) -> Array:
        """Running sum along an axis, from its start, or from its end when reverse; floats are added in float64 and rounded once.
        reverse: from the end
        include_initial: the sum or product of no elements comes first, so there is one element more; last when reverse"""
    def dct(self, type: int = ..., axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
        """The discrete cosine transform of type 1 to 4 along an axis, as scipy.fft.dct has it: type 2 is twice the sum of x[j] cos(pi k (2 j + 1) / (2 n)); ortho makes it orthogonal; type 1 needs two elements.
        n: the length of the transform; x is cut to it, or padded with zeros; that of x unless given
        norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
    def deform_conv2d(self, offset: ArrayLike, filters: ArrayLike, mask: ArrayLike | None = ..., bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., groups: int = ...) -> Array:
        """Convolution of x [N, H, W, C] with filters [h, w, C/groups, O] whose elements are at places that offset moves: [N, out, out, (parts of the channels) h w 2] holds (down, across) in pixels; mask, with half as many, multiplies what is there.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        pads: zeros (low, high) around each spatial axis; one number serves all; 0 unless given
        dilations: distances between the elements of a window; one number serves all; 1 unless given
        groups: number of channel groups, each with its own filters"""
    def depthwise_conv2d(self, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """Every channel of x [N, H, W, C] with a filter of its own, filters [h, w, C] or [h, w, C, 1]; options as in conv1d.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given"""
    def det(self) -> Array:
        """Determinants; 0 for singular matrices, where the gradient is NaN."""
    @property
    def device(self) -> str: ...
    def diag(self, k: int = ...) -> Array:
        """The square matrix with a vector on diagonal k and zeros elsewhere."""
    def diagonal(self, offset: int = ...) -> Array:
        """Diagonal number offset of the last two axes, as the last axis."""
    def dice_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., smooth: float = ..., epsilon: float = ..., activation: str | None = ..., reduction: str = ...) -> Array:
        """tversky_loss with alpha and beta 1/2: 1 - 2 sum(x target) / (sum(x) + sum(target)) over axes, times weight.
        smooth: added to the overlap and to what it is divided by
        epsilon: added to what the overlap is divided by
        activation: x are shares, or logits of these (none, sigmoid, softmax)
        reduction: what becomes of the losses (mean, sum, none)"""
    def diff(self, /, n: Any = ..., axis: int | Sequence[int] | None = ..., prepend: Any | None = ..., append: Any | None = ...) -> Array:
        """Differences of neighbours along an axis, n times over, of x with prepend before it and append behind it, where they are given; x itself for n = 0; integers wrap around."""
    def digamma(self) -> Array:
        """The derivative of lgamma; at 0 infinite against its sign, NaN at whole numbers below."""
    def dilate(self, steps: int | Sequence[int]) -> Array:
        """Step - 1 zeros between the elements of each axis; an empty axis stays empty."""
    def dists(self, y: ArrayLike, alpha: ArrayLike | None = ..., beta: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """Structure and texture of features x and y (n, ..., channels): the sum over channels of alpha times 1 - similarity of means, and beta times 1 - similarity of variances and covariance; 1 / (2 channels) each unless given; vinea.feature_distance adds up layers.
        reduction: what becomes of the losses (mean, sum, none)"""
    def div(self, y: ArrayLike) -> Array:
        """x / y, broadcast."""
    def divide(self, y: ArrayLike) -> Array:
        """x / y, broadcast."""
    def divide_no_nan(self, y: ArrayLike) -> Array:
        """x / y, and 0 where y is 0, with a gradient of 0 there."""
    def divmod(self, y: ArrayLike) -> divmod_result:
        """floor_divide and remainder of x and y.
        Returns quotient, rest."""
    def dropout(self, key: ArrayLike | None = ..., prob: float = ..., no_scale: builtins.bool = ..., noise_shape: int | Sequence[int] | None = ...) -> Array:
        """Zeros with probability prob in place of elements of x, the others divided by 1 - prob unless no_scale; noise_shape: 1 for axes along which all share one choice, -1 or the size for the others; prob 0 gives x, prob 1 zeros; without a key (None) the thread's next one is taken.
        no_scale: the elements kept are not divided by 1 - prob
        noise_shape: 1 for axes along which all share one choice, -1 or the size for the others"""
    @property
    def dtype(self) -> DType: ...
    def edit_distance(self, target: ArrayLike, pad: int = ..., no_substitution: builtins.bool = ...) -> Array:
        """How many tokens must be put in, taken out or replaced to make each row of target (rows, tokens) of that of x (rows, tokens): Levenshtein's distance, int64.
        pad: the number that stands behind the end of a sequence
        no_substitution: a token that replaces another is one that goes and one that comes"""
    def eig(self, /) -> EigResult:
        """Eigenvalues and eigenvectors, as columns, of square matrices, complex for real matrices too; ascending by real part, then by imaginary part; vectors have length 1, and the first component of largest magnitude is positive; NaN if an element is not finite; the gradient needs distinct eigenvalues.
        Returns eigenvalues, eigenvectors."""
    def eigh(self, /) -> EighResult:
        """Eigenvalues, ascending, and orthonormal eigenvectors, as columns, of symmetric or Hermitian matrices, of which the lower triangle is read and gets the gradient; in each vector the first component of largest magnitude is positive; NaN if an element is not finite.
        Returns values, vectors."""
    def eigvals(self) -> Array:
        """Eigenvalues of square matrices, complex for real matrices too; ascending by real part, then by imaginary part."""
    def eigvalsh(self) -> Array:
        """Eigenvalues of symmetric or Hermitian matrices, ascending; only the lower triangle is read."""
    def einops_reduce(self, pattern: str, reduction: str = ..., names: str | None = ..., lengths: int | Sequence[int] | None = ...) -> Array:
        """Rearrange where axes missing on the right are reduced: sum, mean, max, min or prod.
        reduction: what becomes of the axes missing on the right (sum, mean, max, min, prod)
        names: the axes whose sizes the pattern leaves open: 'h w'
        lengths: their sizes: [2, 3]"""
    def einops_repeat(self, pattern: str, names: str | None = ..., lengths: int | Sequence[int] | None = ...) -> Array:
        """Rearrange where axes new on the right repeat x: 'h w -> h w c' with the length of c, or 'h w -> h w 3'.
        names: the axes whose sizes the pattern leaves open: 'h w'
        lengths: their sizes: [2, 3]"""
    def elastic_transform(self, displacement: ArrayLike, interpolation: str = ..., mode: str = ..., value: float = ...) -> Array:
        """Images whose pixel (x, y) is that of x at (x + dx, y + dy); displacement [height, width, 2] or [N, height, width, 2] holds dx and dy in pixels.
        interpolation: between the neighbours in all directions, or the nearest one (bilinear, nearest)
        mode: what is outside x: a value; its edge; x again; x mirrored at the centre of the last element, or at its edge (constant, nearest, wrap, mirror, reflect)
        value: of what is outside, if constant"""
    def elu(self, alpha: float = ...) -> Array:
        """x where it is above 0, else alpha (exp(x) - 1)."""
    def empty_like(self, /, dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
        """Zeros of the shape of x."""
    @property
    def engine(self) -> str: ...
    def equal(self, y: ArrayLike) -> Array:
        """x == y, broadcast."""
    def equalize(self, bins: int = ..., max_val: float = ...) -> Array:
        """Each channel of each image, from 0 to max_val, in levels that are about equally frequent; one of fewer pixels than bins stays as it is."""
    def erf(self) -> Array:
        """The error function."""
    def erfc(self) -> Array:
        """1 - erf(x), accurate where that is small."""
    def erfinv(self) -> Array:
        """The inverse of erf; infinite at -1 and 1, NaN beyond."""
    def eval(self, /) -> Array:
        """Computes the values now; returns the array."""
    def exp(self) -> Array:
        """e to the x, elementwise."""
    def expand_dims(self, /, axis: int | Sequence[int] | None = ...) -> Array:
        """x with an axis of size 1 more, at axis."""
    def explain(self, /) -> str:
        """What evaluating the array would run, as text."""
    def expm1(self) -> Array:
        """e to the x less 1, accurate near 0."""
    def extract_patches(self, size: int | Sequence[int], strides: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., padding: str = ...) -> Array:
        """The patches of x [N, in..., C], 2 or 3 spatial axes: [N, places..., elements of a patch times C], its places first, then its channels.
        strides: steps between patches; the size of a patch unless given
        dilations: distances between the elements of a patch; one number serves all; 1 unless given
        padding: SAME: zeros around x, so that a patch begins at every step (VALID, SAME)"""
    def eye_like(self, k: int = ...) -> Array:
        """Ones on diagonal k of the last two axes, zeros elsewhere, with the shape, dtype and engine of x."""
    def f1(self, target: ArrayLike, classes: int, average: str = ...) -> Array:
        """The harmonic mean of precision and recall, 0 where both are; averages as in precision.
        average: over the classes (macro, micro, weighted, none)"""
    def fill_diagonal(self, value: ArrayLike) -> Array:
        """Matrices with another main diagonal: a number, or a vector for each."""
    def filter2d(self, filter: ArrayLike, padding: str = ..., border: str = ...) -> Array:
        """Every channel of x [N, H, W, C] correlated with one filter [h, w]: sums of products of what is around a pixel.
        padding: the result is as large as x, or has only the places where the filter is inside (SAME, VALID)
        border: what is outside of x: zeros, or as in vinea.pad (constant, reflect, edge, symmetric, wrap)"""
    def flatten(self) -> Array:
        """All elements of x in one axis, in row-major order."""
    def flip(self, /, axis: int | Sequence[int] | None = ...) -> Array:
        """The elements of these axes in reverse order."""
    def float_power(self, y: ArrayLike) -> Array:
        """x to the y in float64, or complex128 if one of them is complex; integers may have negative powers."""
    def floor(self) -> Array:
        """Rounded down to an integer."""
    def floor_divide(self, y: ArrayLike) -> Array:
        """Floor(x / y), broadcast; an integer divided by 0 gives 0, infinities are divided as by div."""
    def fmax(self, y: ArrayLike) -> Array:
        """The larger of x and y, broadcast; a number wins over NaN; ties share the gradient."""
    def fmin(self, y: ArrayLike) -> Array:
        """The smaller of x and y, broadcast; a number wins over NaN; ties share the gradient."""
    def fmod(self, y: ArrayLike) -> Array:
        """x - y * trunc(x / y), which has the sign of x; an integer modulo 0 is 0."""
    def fold(self, size: int | Sequence[int], window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """Columns [N, C window, positions] added up where unfold would have read them: [N, C, size...]; what falls on the padding is left out.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        pads: zeros on both sides of each spatial axis; one number serves all; 0 unless given
        dilations: distances between the elements of a window; one number serves all; 1 unless given"""
    def fourier_features(self, max_freq: float = ..., bands: int = ..., linear: builtins.bool = ..., no_input: builtins.bool = ..., flatten: builtins.bool = ...) -> Array:
        """x (..., features) with sines and cosines of pi f x for frequencies f from 1 to max_freq / 2: (..., features, 1 + 2 bands).
        linear: frequencies are evenly spaced, not their logarithms
        no_input: sines and cosines alone
        flatten: one axis (features + 2 bands features): x, then all sines, then all cosines"""
    def frechet_distance(self, y: ArrayLike) -> Array:
        """Frechet's distance of two sets of features, x (n, features) and y (m, features), as normal distributions: |mean difference|^2 + trace(C1 + C2 - 2 (C1 C2)^(1/2)) of their unbiased covariances; of features of an Inception network it is FID."""
    def frexp(self) -> frexp_result:
        """x as mantissa times 2^exponent, the mantissa in [1/2, 1) apart from its sign; 0, infinities and NaN are their own mantissas, with exponent 0.
        Returns mantissa, exponent."""
    def full_like(self, /, fill_value: Any, dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
        """One number, or an array broadcast, with the shape, dtype and engine of x; as full otherwise."""
    def gather_matmul(self, y: ArrayLike, x_index: ArrayLike | None = ..., y_index: ArrayLike | None = ...) -> Array:
        """Matmul of the matrices of x and y at these positions among them, counted through all leading axes; without an index all of them; out of range as in take."""
    def gather_nd(self, index: ArrayLike, axes: int | Sequence[int] | None = ...) -> Array:
        """The parts of x at positions into several of its axes (None: the first ones), held by the last axis of the index. Where these axes are neighbours, in order, the other axes of the index take their place; otherwise they come first. Out of range as in take."""
    def gaussian_blur(self, height: int = ..., width: int = ..., sigma: float = ..., width_sigma: float | None = ...) -> Array:
        """Every channel of x with a Gaussian filter of this size and deviation; outside there are zeros.
        width_sigma: the deviation along the width; sigma unless given"""
    def gaussian_dropout(self, key: ArrayLike | None = ..., prob: float = ...) -> Array:
        """x times normal numbers of mean 1 and the variance prob / (1 - prob), that of dropout."""
    def gaussian_nll_loss(self, target: ArrayLike, variance: ArrayLike, full: builtins.bool = ..., epsilon: float = ..., reduction: str = ...) -> Array:
        """(log(v) + (x - target)^2 / v) / 2 with v the variance, at least epsilon; full: plus log(2 pi) / 2.
        full: with log(2 pi) / 2
        epsilon: the least variance
        reduction: what becomes of the losses (mean, sum, none)"""
    def gaussian_noise(self, key: ArrayLike | None = ..., std: float = ...) -> Array:
        """x plus normal numbers of this deviation."""
    def gcd(self, y: ArrayLike) -> Array:
        """The greatest common divisor of the sizes of two integers, broadcast; gcd(0, 0) is 0."""
    def gelu(self, approximate: builtins.bool = ...) -> Array:
        """x times the normal distribution function at x; approximate: by tanh.
        approximate: by tanh, within 5e-4"""
    def general_inner_product(self, y: ArrayLike, modes: int | None = ...) -> Array:
        """The sum of products over the last modes of x and as many first ones of y.
        modes: how many; all of two arrays of one shape unless given"""
    def generalized_cross_entropy(self, target: ArrayLike, weight: ArrayLike | None = ..., q: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
        """(1 - p^q) / q with p the probability of the target: cross entropy for small q, the mean absolute error for 1, which bears wrong labels.
        from_probs: x are probabilities, not logits
        reduction: what becomes of the losses (mean, sum, none)"""
    def generalized_dice_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., smooth: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
        """dice_loss of each class over the axes between the first and the last, where the probabilities softmax(x) are, times a weight that is the smaller the more often the class is a target: 1 / frequency^2, 1 on average; times weight.
        smooth: added to the overlap and to what it is divided by
        from_probs: x are probabilities, not logits
        reduction: what becomes of the losses (mean, sum, none)"""
    def global_avg_pool(self, data_format: str = ..., keepdims: builtins.bool = ...) -> Array:
        """The mean of each channel of x with 1 to 3 spatial axes: [N, C], or with axes of size 1 if keepdims.
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
        keepdims: the spatial axes stay, with size 1"""
    def global_max_pool(self, data_format: str = ..., keepdims: builtins.bool = ...) -> Array:
        """The largest element of each channel of x with 1 to 3 spatial axes: [N, C], or with axes of size 1 if keepdims.
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
        keepdims: the spatial axes stay, with size 1"""
    def glu(self, axis: int = ...) -> Array:
        """The first half of x along an axis times the sigmoid of the second."""
    def gradient(self, at: ArrayLike | None = ..., axis: int = ..., spacing: float = ..., edge_order: int = ...) -> Array:
        """Derivative of samples x along an axis: central differences, one-sided ones at both ends; the samples are at the positions `at`, or spacing apart; not to be confused with vinea.grad.
        edge_order: order of the differences at both ends"""
    def gram_matrix_loss(self, y: ArrayLike, reduction: str = ...) -> Array:
        """The style of pictures by features x and y (n, ..., channels) of a network: the sum of squared differences of their Gram matrices F^T F over the places, divided by 4 (places channels)^2; vinea.feature_distance adds up layers.
        reduction: what becomes of the losses (mean, sum, none)"""
    def greater(self, y: ArrayLike) -> Array:
        """x > y, broadcast."""
    def greater_equal(self, y: ArrayLike) -> Array:
        """x >= y, broadcast."""
    def grey_dilation(self, kernel: ArrayLike) -> Array:
        """The largest of the neighbours of each pixel where the kernel [h, w], with its middle at the pixel, is true; what is outside does not count."""
    def grey_erosion(self, kernel: ArrayLike) -> Array:
        """The smallest of them."""
    def grid_sample(self, grid: ArrayLike, interpolation: str = ..., padding: str = ..., align_corners: builtins.bool = ..., data_format: str = ...) -> Array:
        """x at the places of a grid [N, h, w, 2], horizontal and vertical ones from -1 to 1: [N, h, w, C], or [N, C, h, w] of NCHW.
        interpolation: between the four neighbours, or the nearest one (bilinear, nearest)
        padding: what is outside x (zeros, border, reflection)
        align_corners: -1 and 1 are the centres of the first and the last element, not their outer edges
        data_format: where x has its channels (NHWC, NCHW)"""
    def group_norm(self, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., *, groups: int, axis: int = ..., epsilon: float = ...) -> Array:
        """x with mean 0 and variance 1 over each group of channels (axis) and all other axes but the first, times weight, plus bias, per channel."""
    def gru(self, h: ArrayLike, w_input: ArrayLike, w_recurrent: ArrayLike, bias_input: ArrayLike | None = ..., bias_recurrent: ArrayLike | None = ..., reverse: builtins.bool = ...) -> gru_result:
        """Gated recurrent unit over x (T, B, I) from state h (B, H); weights (I, 3H), (H, 3H) and biases (3H) in the order r, z, n, with n = tanh(.. + r (h w + b)); gives all h and the last one.
            reverse: from the last step to the first
        Returns y, last_h."""
    def gru_update(self, init_h: ArrayLike, kernel: ArrayLike, recurrent_kernel: ArrayLike, bias: ArrayLike | None = ..., recurrent_bias: ArrayLike | None = ..., time_major: builtins.bool = ...) -> gru_update_result:
        """Gru over x (batch..., steps, features), or (steps, batch..., features) if time_major, from a state (batch..., size); kernels (features, 3 size), (size, 3 size) and biases (3 size) in the order r, z, n; all h and the last one.
            time_major: x is (steps, batch..., features)
        Returns h, last_h."""
    def hadamard_transform(self, scale: float | None = ...) -> Array:
        """x times a Hadamard matrix along the last axis, of n = m 2^k elements with m 1, 12, 20 or 28, then times a scale, 1 / sqrt(n) unless given: the Kronecker product of Sloane's matrix of m rows and that of Sylvester.
        scale: the result is multiplied by it; 1 / sqrt(n) for n elements along the axis unless given"""
    def hardshrink(self, bound: float = ...) -> Array:
        """x, 0 within the bound."""
    def hardsigmoid(self) -> Array:
        """x / 6 + 1 / 2 kept between 0 and 1; at -3 and 3 its gradient is half the slope, 1 / 12."""
    def hardswish(self) -> Array:
        """x hardsigmoid(x), also in its gradient: -1 / 4 at -3, 5 / 4 at 3."""
    def hardtanh(self, min: float = ..., max: float = ...) -> Array:
        """x kept between min and max; at a bound the derivative is one half."""
    def has_nans(self, or_infinite: builtins.bool = ...) -> Array:
        """True if any element is NaN.
        or_infinite: infinities count too"""
    def hash_bins(self, bins: int, salt: int = ...) -> Array:
        """A bin (int64) from 0 to bins - 1 for each integer, by its hash; another salt gives other ones."""
    def heaviside(self, y: ArrayLike) -> Array:
        """0 where x is below 0, 1 where it is above, y where it is 0, broadcast; NaN for NaN."""
    def higher_order_moment(self, order: int) -> Array:
        """The mean over the first axis of products of `order` elements of each sample: (features ..., repeated order times)."""
    def hinge_embedding_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., margin: float = ..., reduction: str = ...) -> Array:
        """The distance x where target is above 0, else what it lacks of margin; times weight.
        reduction: what becomes of the losses (mean, sum, none)"""
    def hinge_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """1 - x target where that is above 0, else 0; targets are -1 and 1.
        reduction: what becomes of the losses (mean, sum, none)"""
    def histogram(self, edges: ArrayLike | None = ..., weights: ArrayLike | None = ..., bins: int = ..., low: float | None = ..., high: float | None = ..., density: builtins.bool = ...) -> histogram_result:
        """How many elements of x are in each bin, or the sum of their weights, and the ascending limits of the bins: the edges if they are given, otherwise of bins of equal width; a bin includes its lower limit, the last one both; elements outside are left out.
            low: where the first bin begins; at the smallest element unless given
            high: where the last bin ends, itself included; at the largest element unless given
            density: divided by the sum of all and by the width of the bin
        Returns counts, limits."""
    def hsv_to_rgb(self) -> Array:
        """Red, green and blue of hue, saturation and value (..., 3)."""
    def huber_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., delta: float = ..., reduction: str = ...) -> Array:
        """Half the square of x - target up to delta, straight lines from there.
        reduction: what becomes of the losses (mean, sum, none)"""
    def hypot(self, y: ArrayLike) -> Array:
        """Sqrt(x^2 + y^2), without overflow, broadcast."""
    def i0(self) -> Array:
        """The modified Bessel function of the first kind, of order 0."""
    def i0e(self) -> Array:
        """Exp(-|x|) i0(x)."""
    def i1(self) -> Array:
        """The modified Bessel function of the first kind, of order 1."""
    def i1e(self) -> Array:
        """Exp(-|x|) i1(x)."""
    def idct(self, type: int = ..., axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
        """The inverse of dct of the same type and norm.
        n: the length of the transform; x is cut to it, or padded with zeros; that of x unless given
        norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
    @property
    def imag(self) -> Array: ...
    def index_add(self, index: ArrayLike, y: ArrayLike, axis: int) -> Array:
        """x with y, of the shape take gives or broadcast to it, added at these positions of an axis, all of them where positions repeat; out of range nothing happens."""
    def index_put(self, index: ArrayLike, y: ArrayLike, axes: int | Sequence[int] | None = ..., add: builtins.bool = ...) -> Array:
        """x with the parts that gather_nd would read replaced by y, broadcast, or y added to them; the last one counts where positions repeat; out of range nothing happens.
        add: elements of y are added to those of x instead of replacing them"""
    def index_set(self, index: ArrayLike, y: ArrayLike, axis: int) -> Array:
        """x with its slices at these positions of an axis replaced by y, broadcast; the last one counts where positions repeat; out of range nothing happens."""
    def instance_norm(self, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., axis: int = ..., epsilon: float = ...) -> instance_norm_result:
        """Each channel (axis) of each entry of the batch (axis 0) with mean 0 and variance 1, times weight, plus bias; the other results are mean and variance, (N, C).
        Returns y, mean, variance."""
    def interp(self, xp: ArrayLike, fp: ArrayLike, left: ArrayLike | None = ..., right: ArrayLike | None = ..., period: float = ...) -> Array:
        """The function with values fp at the ascending positions xp, linear in between, at x; before the first position left, after the last one right, unless given the first and last values.
        period: positions are taken modulo this; 0: they are not"""
    def interpolate(self, size: int | Sequence[int], mode: str = ..., align_corners: builtins.bool = ..., data_format: str = ..., antialias: builtins.bool = ...) -> Array:
        """x with 1 to 3 spatial axes at other sizes; mode nearest (element floor(j n / m)), nearest_exact (floor((j + 1/2) n / m)), linear or cubic, between elements at (j + 1/2) n / m - 1/2, or j (n - 1) / (m - 1) if align_corners; beyond the ends they go on; area as adaptive_avg_pool; cubic_keys (cubic with a = -1/2) and lanczos as scale_and_translate.
        mode: between elements; area: the mean of those that an element of the result covers (linear, nearest, nearest_exact, cubic, area, cubic_keys, lanczos3, lanczos5)
        align_corners: the first and last elements stay where they are
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
        antialias: smaller sizes take from all elements that they cover: linear, cubic (as cubic_keys), lanczos"""
    def inv(self) -> Array:
        """The inverse of matrices; inf or NaN for singular ones."""
    def inverse_pth_root(self, p: int, ridge: float = ...) -> Array:
        """x^(-1/p) of symmetric or Hermitian matrices without negative eigenvalues, to which ridge times the largest is added first; only the lower triangle is read."""
    def iou(self, target: ArrayLike, classes: int, average: str = ...) -> Array:
        """Those that x takes for a class and are of it, divided by those that either is true of; floats instead of class numbers have a last axis of classes, the largest of which is meant; averages as in precision, but macro is over the classes that occur.
        average: over the classes (macro, micro, weighted, none)"""
    @property
    def is_ready(self) -> builtins.bool: ...
    def isclose(self, y: ArrayLike, rtol: float = ..., atol: float = ..., equal_nan: builtins.bool = ...) -> Array:
        """True where |x - y| <= atol + rtol |y|, in float64, broadcast; an infinity is close only to itself.
        rtol: the part of |y| by which they may differ
        atol: and this much besides
        equal_nan: NaN is close to NaN"""
    def isfinite(self) -> Array:
        """True where x is neither NaN nor an infinity."""
    def isin(self, x2: ArrayLike, /, *, invert: Any = ...) -> Array:
        """True where an element of x is among the values; NaN never is.
        invert: true where it is not"""
    def isinf(self) -> Array:
        """True where x is an infinity."""
    def isnan(self) -> Array:
        """True where x is NaN."""
    def isneginf(self) -> Array:
        """True where x is -inf."""
    def isposinf(self) -> Array:
        """True where x is inf."""
    def isreal(self) -> Array:
        """True where x has no imaginary part, or one of 0."""
    def istft(self, window: ArrayLike | None = ..., *, length: int, step: int, n: int | None = ..., norm: str = ..., two_sided: builtins.bool = ..., center: builtins.bool = ..., samples: int | None = ...) -> Array:
        """The signal [..., samples] whose stft is x [..., frames, n / 2 + 1], or nearest to it: inverse transforms times the window, added up where frames overlap, divided by the sum of the squares of the windows where that is above 1e-10.
        n: the length of the transforms; the frame's unless given
        norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)
        two_sided: x has all n frequencies, and the result is complex
        center: half a frame is cut off on both sides
        samples: the number of samples; what follows the last frame is 0; as many as the frames cover unless given"""
    def item(self, /) -> Any:
        """The value of an array of one element, as a Python number."""
    @property
    def itemsize(self) -> int: ...
    def kron(self, y: ArrayLike) -> Array:
        """The Kronecker product: y times each element of x, axis by axis; the lower rank has ones before it."""
    def l1_l2_penalty(self, l1: float = ..., l2: float = ...) -> Array:
        """l1 times the sum of absolute values plus l2 times the sum of squares, to be added to a loss."""
    def l2_normalize(self, axes: int | Sequence[int], epsilon: float = ...) -> Array:
        """x divided by the norm of its vectors over axes, or by epsilon where that is larger."""
    def layer_norm(self, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., *, axes: int | Sequence[int], epsilon: float = ...) -> Array:
        """x with mean 0 and variance 1 over axes, times weight, plus bias, which have the sizes of these axes."""
    def lcm(self, y: ArrayLike) -> Array:
        """The least common multiple of the sizes of two integers, broadcast; 0 where one is 0; wraps around."""
    def ldexp(self, exponent: ArrayLike) -> Array:
        """x times 2^exponent, an integer, broadcast, rounded once."""
    def leaky_relu(self, slope: float = ...) -> Array:
        """x where it is above 0, else slope x."""
    def lerp(self, y: ArrayLike, weight: ArrayLike) -> Array:
        """x + weight (y - x): x for weight 0, y for weight 1."""
    def less(self, y: ArrayLike) -> Array:
        """x < y, broadcast."""
    def less_equal(self, y: ArrayLike) -> Array:
        """x <= y, broadcast."""
    def lgamma(self) -> Array:
        """The logarithm of the size of the gamma function; infinite at 0 and at whole numbers below."""
    def linear(self, weight: ArrayLike, bias: ArrayLike | None = ...) -> Array:
        """x weight^T + bias: x (outer..., inner..., in), weight (outer..., out, in), bias (outer..., out); one weight matrix for each entry of the outer axes, which may be none."""
    def local_response_norm(self, size: int = ..., axis: int = ..., alpha: float = ..., beta: float = ..., bias: float = ..., sum: builtins.bool = ...) -> Array:
        """x / (bias + alpha mean(x^2))^beta, over as many neighbours along an axis as size says; zeros are outside.
        alpha: times the mean of squares
        beta: the power of the denominator
        bias: added to it
        sum: the sum of squares, not their mean"""
    def log(self) -> Array:
        """Natural logarithm; -inf at 0, NaN below."""
    def log10(self) -> Array:
        """Logarithm to base 10."""
    def log1p(self) -> Array:
        """Natural logarithm of 1 + x, accurate near 0."""
    def log2(self) -> Array:
        """Logarithm to base 2."""
    def log_cosh_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """Log(cosh(x - target)), times weight: a parabola near 0, lines far away.
        reduction: what becomes of the losses (mean, sum, none)"""
    def log_poisson_loss(self, target: ArrayLike, full: builtins.bool = ..., reduction: str = ...) -> Array:
        """poisson_nll_loss of x, the logarithm of the rate.
        full: with Stirling's approximation of log(target!)
        reduction: what becomes of the losses (mean, sum, none)"""
    def log_sigmoid(self) -> Array:
        """Log(sigmoid(x)), without overflow."""
    def log_softmax(self, axis: int) -> Array:
        """Logarithm of softmax along an axis, accurate."""
    def logaddexp(self, y: ArrayLike) -> Array:
        """Log(exp(x) + exp(y)), without overflow, broadcast."""
    def logaddexp2(self, y: ArrayLike) -> Array:
        """Log2(2^x + 2^y), without overflow, broadcast."""
    def logcumsumexp(self, axis: int, reverse: builtins.bool = ...) -> Array:
        """Logarithm of the running sum of exponentials along an axis, without overflow; added in float64.
        reverse: from the end"""
    def logical_and(self, y: ArrayLike) -> Array:
        """True where x and y are not zero, broadcast."""
    def logical_not(self) -> Array:
        """True where x is zero."""
    def logical_or(self, y: ArrayLike) -> Array:
        """True where x or y is not zero, broadcast."""
    def logical_xor(self, y: ArrayLike) -> Array:
        """True where one of x and y is not zero, broadcast."""
    def logit(self, epsilon: float = ...) -> Array:
        """Log(x / (1 - x)), the inverse of sigmoid; NaN outside [0, 1].
        epsilon: x is kept between epsilon and 1 - epsilon first"""
    def logsumexp(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Logarithm of the sum of exponentials over axes, without overflow."""
    def lookup(self, vocabulary: ArrayLike, unknown: int = ..., from_end: builtins.bool = ...) -> Array:
        """Positions (int64) of the elements of x in a vocabulary (n) of the same dtype, whose first one counts if it is there twice, plus the numbers that stand for what is not in it.
        unknown: how many numbers stand for what is not in the vocabulary, before its own; with several a number takes one by its hash, with 0 it is -1
        from_end: those numbers come after the vocabulary's own"""
    def lp_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., p: float = ..., reduction: str = ...) -> Array:
        """|x - target|^p, times weight.
        reduction: what becomes of the losses (mean, sum, none)"""
    def lp_normalize(self, axes: int | Sequence[int], p: float = ..., epsilon: float = ...) -> Array:
        """x divided by its norm p over axes, at least epsilon."""
    def lpips(self, y: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """Learned perceptual distance of features x and y (n, ..., channels): the mean over places of the sum over channels of weight (channels) times squared differences of features that are divided by their length at each place; vinea.feature_distance adds up layers.
        reduction: what becomes of the losses (mean, sum, none)"""
    def lstm(self, h: ArrayLike, c: ArrayLike, w_input: ArrayLike, w_recurrent: ArrayLike, bias: ArrayLike | None = ..., reverse: builtins.bool = ...) -> lstm_result:
        """Long short-term memory over x (T, B, I) from states h, c (B, H); weights (I, 4H), (H, 4H) and bias (4H) in the order i, f, g, o; gives all h and the last h, c; no steps give h, c.
            reverse: from the last step to the first
        Returns y, last_h, last_c."""
    def lstm_update(self, init_h: ArrayLike, init_c: ArrayLike, kernel: ArrayLike, recurrent_kernel: ArrayLike, bias: ArrayLike | None = ..., recurrent_bias: ArrayLike | None = ..., time_major: builtins.bool = ...) -> lstm_update_result:
        """Lstm over x (batch..., steps, features), or (steps, batch..., features) if time_major, from states (batch..., size); kernels (features, 4 size), (size, 4 size) and biases (4 size) in the order i, f, g, o; all h, the last h and c.
            time_major: x is (steps, batch..., features)
        Returns h, last_h, last_c."""
    def lu(self) -> lu_result:
        """Partial pivoting of square matrices: u and, below its diagonal, l without its ones; which row of x each row was.
        Returns lu, permutation."""
    @property
    def mT(self) -> Array: ...
    def mae_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """|x - target|, times weight; the mean, the sum, or each (none).
        reduction: what becomes of the losses (mean, sum, none)"""
    def map_coordinates(self, at: ArrayLike, interpolation: str = ..., mode: str = ..., value: float = ...) -> Array:
        """x at places between its elements: at (rank of x, ...) has a coordinate for each axis; 0 is the first element.
        interpolation: between the neighbours in all directions, or the nearest one (bilinear, nearest)
        mode: what is outside x: a value; its edge; x again; x mirrored at the centre of the last element, or at its edge (constant, nearest, wrap, mirror, reflect)
        value: of what is outside, if constant"""
    def mape_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """100 |x - target| / |target|, times weight; |target| counts as 1e-7 at least.
        reduction: what becomes of the losses (mean, sum, none)"""
    def margin_ranking_loss(self, y: ArrayLike, target: ArrayLike, margin: float = ..., reduction: str = ...) -> Array:
        """margin - target (x - y) where that is above 0, else 0: target is 1 where x, -1 where y should rank higher.
        reduction: what becomes of the losses (mean, sum, none)"""
    def mask(self, mask: ArrayLike) -> Array:
        """The elements of x where the mask holds, whose shape is that of the first axes of x, or has sizes of 0 among them; computes the mask at once."""
    def mask_sized(self, mask: ArrayLike, size: int, fill: float = ...) -> Array:
        """The first elements that mask gives, as many as size; after the last one fill."""
    def masked_steps(self, value: float = ...) -> Array:
        """x with zeros at the steps (..., steps, features) whose features are all this value, which stands for what is missing."""
    def matmul(self, y: ArrayLike) -> Array:
        """Matrix product over the last two axes, batch axes broadcast; vectors as in the Array API standard."""
    def matricize(self, rows: int | Sequence[int], columns: int | Sequence[int] | None = ...) -> Array:
        """x as a matrix: these axes, in this order, are its rows, those its columns; all other axes unless given."""
    def matrix_exp(self) -> Array:
        """The exponential of square matrices, the sum of x^k / k!, by scaling and squaring; NaN where the largest sum of a column's absolute values is above 350000."""
    def matrix_norm(self, /, *, keepdims: builtins.bool = ..., ord: Any = ...) -> Array:
        """Norms of matrices: fro (Frobenius), nuc (sum of singular values), 1 and -1 (largest and smallest sum of a column's absolute values), inf and -inf (of a row's), 2 and -2 (largest and smallest singular value); of empty matrices 0, or inf for the negative ones.
        order: which norm (fro, nuc, 1, -1, inf, -inf, 2, -2)
        keepdims: the last two axes stay, with size 1"""
    def matrix_power(self, n: int) -> Array:
        """x multiplied n times by itself; of the inverse where n is negative, the identity where it is 0."""
    def matrix_rank(self, /, *, rtol: Any | None = ...) -> Array:
        """How many singular values are above rtol, a number or one for each matrix, times the largest (the larger size times the dtype's epsilon unless given)."""
    def matrix_transpose(self) -> Array:
        """x with its last two axes exchanged."""
    def max(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Largest element over axes; NaN wins; ties share the gradient."""
    def max_pool(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """The largest element of each window of x [N, in..., C], NaN wins; padding never does (a window of padding alone gives -inf, the smallest integer); strides are the window's size if not given; the gradient goes to the first of equal elements.
        strides: steps of the window; the window's own sizes unless given
        pads: (low, high) for each spatial axis
        dilations: distances between the elements of a window; 1 unless given"""
    def max_pool1d(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """The largest element of each window of x with 1 spatial axis; padding SAME or VALID unless pads gives (low, high) for each axis, or one number for all; strides are the window if not given; padding itself as in max_pool.
        strides: steps of the window; the window's own sizes unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given"""
    def max_pool2d(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """The largest element of each window of x with 2 spatial axes; options as in max_pool1d.
        strides: steps of the window; the window's own sizes unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given"""
    def max_pool3d(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """The largest element of each window of x with 3 spatial axes; options as in max_pool1d.
        strides: steps of the window; the window's own sizes unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given"""
    def max_pool_with_indices(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> max_pool_with_indices_result:
        """max_pool1d, 2d or 3d, and the number of the place of each maximum along the spatial axes of x, in row-major order; -1 for a window of padding alone.
            strides: steps of the window; the window's own sizes unless given
            padding: how x is padded unless pads are given (VALID, SAME)
            pads: padding (low, high) for each spatial axis, or one number for all
            data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
            dilations: distances between the elements of a window; one number serves all; 1 unless given
        Returns y, index."""
    def max_unpool(self, index: ArrayLike, size: int | Sequence[int], data_format: str = ...) -> Array:
        """x at the places that max_pool_with_indices gave, in an array of these spatial sizes with zeros elsewhere; places below 0 are none; of several at one place the last counts.
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
    def max_with_index(self, axis: int = ...) -> max_with_index_result:
        """The largest element along an axis and the position of the first of its kind, both with size 1 there; NaN wins.
        Returns values, indices."""
    def maximum(self, y: ArrayLike) -> Array:
        """The larger of x and y, broadcast; NaN wins; ties share the gradient."""
    def mean(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Arithmetic mean over axes."""
    def median(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """The middle element over axes, or the mean of the two in the middle."""
    def median_filter(self, height: int = ..., width: int = ...) -> Array:
        """The median of the window around each pixel; outside there is the edge."""
    def median_with_index(self, axis: int = ...) -> median_with_index_result:
        """The middle element along an axis, the lower of two, and its position, both with size 1 there; NaN wins.
        Returns values, indices."""
    def min(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Smallest element over axes; NaN wins; ties share the gradient."""
    def min_max_norm(self, axes: int | Sequence[int], max_value: float = ..., min_value: float = ..., rate: float = ...) -> Array:
        """x with its vectors over axes brought to lengths from min_value to max_value, as a constraint of weights; 1e-7 is added to lengths they are divided by.
        max_value: longer vectors are scaled down to this
        min_value: shorter ones up to this
        rate: how far: 1 is all the way"""
    def min_with_index(self, axis: int = ...) -> min_with_index_result:
        """The smallest element along an axis and the position of the first of its kind, both with size 1 there; NaN wins.
        Returns values, indices."""
    def minimum(self, y: ArrayLike) -> Array:
        """The smaller of x and y, broadcast; NaN wins; ties share the gradient."""
    def mish(self) -> Array:
        """x tanh(softplus(x))."""
    def mode_dot(self, y: ArrayLike, mode: int) -> Array:
        """The matrix y times axis `mode` of x, which gets as many elements as y has rows; a vector removes the axis."""
    def modf(self) -> modf_result:
        """x in two parts, both with its sign: what follows the point, and trunc(x); an infinity has no fraction.
        Returns fraction, whole."""
    def moveaxis(self, source: Any, destination: Any, /) -> Array:
        """Axes source at the places destination, the others in their order."""
    def ms_ssim(self, y: ArrayLike, max_val: float = ..., filter_size: int = ..., filter_sigma: float = ..., k1: float = ..., k2: float = ..., scales: int = ...) -> Array:
        """The structural similarity of images x and y at several scales: [N], the product of the contrasts of all and the brightness of the last, each to its power.
        filter_size: of the Gaussian filter
        filter_sigma: its deviation
        k1: keeps the ratio of brightnesses away from 0 / 0
        k2: that of contrasts
        scales: how many sizes, each half of the one before; their powers are 0.0448, 0.2856, 0.3001, 0.2363 and 0.1333"""
    def mse_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """(x - target)^2, times weight; the mean, the sum, or each (none).
        reduction: what becomes of the losses (mean, sum, none)"""
    def msle_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """(log(1 + x) - log(1 + target))^2, times weight; x and target count as 1e-7 at least.
        reduction: what becomes of the losses (mean, sum, none)"""
    def mul(self, y: ArrayLike) -> Array:
        """x * y, broadcast."""
    def multi_margin_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., margin: float = ..., squared: builtins.bool = ..., reduction: str = ...) -> Array:
        """The sum over the other classes of what x is above x at the target less margin, divided by the number of classes.
        squared: each margin is squared
        reduction: what becomes of the losses (mean, sum, none)"""
    def multiclass_hinge_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """Max(x + 1 - target) - sum(target x) over the classes (Crammer and Singer).
        reduction: what becomes of the losses (mean, sum, none)"""
    def multiclass_perceptron_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """Max(x) - sum(target x) over the classes.
        reduction: what becomes of the losses (mean, sum, none)"""
    def multiclass_sparsemax_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """Sum(p x) + (1 - sum(p^2)) / 2 - sum(target x) over the classes, with p = sparsemax(x).
        reduction: what becomes of the losses (mean, sum, none)"""
    def multiply(self, y: ArrayLike) -> Array:
        """x * y, broadcast."""
    def nan_to_num(self, nan: float = ..., posinf: float | None = ..., neginf: float | None = ...) -> Array:
        """x with numbers in place of NaN and infinities, of a complex number in both parts; integers stay as they are.
        nan: in place of NaN
        posinf: in place of infinity; the largest number of the dtype unless given
        neginf: in place of -infinity; the smallest number of the dtype unless given"""
    def nanargmax(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Argmax without NaN; -1 if there is nothing else."""
    def nanargmin(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Argmin without NaN; -1 if there is nothing else."""
    def nancumprod(self, axis: int, reverse: builtins.bool = ..., include_initial: builtins.bool = ...) -> Array:
        """cumulative_prod with 1 in place of NaN.
        reverse: from the end
        include_initial: the sum or product of no elements comes first, so there is one element more; last when reverse"""
    def nancumsum(self, axis: int, reverse: builtins.bool = ..., include_initial: builtins.bool = ...) -> Array:
        """cumulative_sum with 0 in place of NaN.
        reverse: from the end
        include_initial: the sum or product of no elements comes first, so there is one element more; last when reverse"""
    def nanmax(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Largest element over axes without NaN; NaN of none; ties share the gradient."""
    def nanmean(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Arithmetic mean over axes without NaN; NaN of none."""
    def nanmedian(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Median over axes without NaN; NaN of none."""
    def nanmin(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Smallest element over axes without NaN; NaN of none; ties share the gradient."""
    def nanpercentile(self, q: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., method: str = ...) -> Array:
        """Nanquantile, with q from 0 to 100.
        method: what lies between two elements, as numpy.quantile names it (linear, lower, higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased)"""
    def nanprod(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Product over axes without NaN; 1 of none."""
    def nanquantile(self, q: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., method: str = ...) -> Array:
        """Quantile over axes without NaN; NaN of none.
        method: what lies between two elements, as numpy.quantile names it (linear, lower, higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased)"""
    def nanstd(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: float = ...) -> Array:
        """Standard deviation over axes without NaN, the root of nanvar; its derivative at 0 is 0."""
    def nansum(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Sum over axes without NaN; 0 of none."""
    def nanvar(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: float = ...) -> Array:
        """Variance over axes without NaN; NaN unless their number is above the correction."""
    @property
    def nbytes(self) -> int: ...
    @property
    def ndim(self) -> int: ...
    def neg(self) -> Array:
        """-x, elementwise; integers wrap around."""
    def negative(self) -> Array:
        """-x, elementwise; integers wrap around."""
    def nextafter(self, y: ArrayLike) -> Array:
        """The number next to x in the direction of y, broadcast; y where they are equal."""
    def nonzero(self, /) -> tuple[Array, ...]:
        """The positions of the elements that are not zero: one array for each axis."""
    def nonzero_sized(self, size: int, fill: int = ...) -> Array:
        """The first positions that nonzero gives, as many as size; rows after the last one hold fill."""
    def norm(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., order: float = ...) -> Array:
        """The norm of the vectors over axes, sum(|x|^order)^(1/order), without overflow; order 0 counts what is not 0, inf and -inf are the extremes; of no elements 0, or inf for a negative order; its derivative at 0 is 0."""
    def not_equal(self, y: ArrayLike) -> Array:
        """x != y, broadcast."""
    def ntxent_loss(self, index: ArrayLike, temperature: float = ...) -> Array:
        """The normalised, temperature-scaled cross entropy of embeddings x (n, features): the mean over all pairs of equal index (n) of -log of their share, exp(cosine / temperature), among the pair itself and all pairs of different index; NaN if no two are equal."""
    def ones_like(self, /, dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
        """Ones with the shape, dtype and engine of x."""
    def orthogonal_penalty(self, factor: float = ..., columns: builtins.bool = ...) -> Array:
        """factor times the mean absolute cosine of the angles between the rows of a matrix, to be added to a loss.
        columns: columns instead of rows are to be orthogonal"""
    def outer(self, y: ArrayLike) -> Array:
        """All products of an element of the vector x and one of the vector y."""
    def pad(self, before: int | Sequence[int], after: int | Sequence[int], mode: str = ..., value: float = ...) -> Array:
        """x with elements added before and after each axis; mode constant (value; negative amounts cut), edge, reflect, symmetric or wrap.
        mode: where the new elements come from (constant, edge, reflect, symmetric, wrap)
        value: of new elements, if constant"""
    def pairwise_distance(self, y: ArrayLike, p: float = ..., epsilon: float = ..., keepdims: builtins.bool = ...) -> Array:
        """The norm of x - y + epsilon along the last axis; x and y broadcast; cdist has that of all pairs.
        p: the order of the norm
        epsilon: added to every difference, so that there is a gradient where x is y
        keepdims: the last axis stays, with size 1"""
    def percentile(self, q: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., method: str = ...) -> Array:
        """Quantile, with q from 0 to 100.
        method: what lies between two elements, as numpy.quantile names it (linear, lower, higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased)"""
    def perceptron_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """-x target where that is above 0, else 0; targets are -1 and 1.
        reduction: what becomes of the losses (mean, sum, none)"""
    def permute_dims(self, axes: int | Sequence[int]) -> Array:
        """axes in another order: axis i of the result is axis axes[i] of x."""
    def perspective_transform(self, start: ArrayLike, end: ArrayLike, interpolation: str = ..., mode: str = ..., value: float = ...) -> Array:
        """Images in which the corners start [4, 2] or [N, 4, 2], as (x, y), have moved to end, and all else with them.
        interpolation: between the neighbours in all directions, or the nearest one (bilinear, nearest)
        mode: what is outside x: a value; its edge; x again; x mirrored at the centre of the last element, or at its edge (constant, nearest, wrap, mirror, reflect)
        value: of what is outside, if constant"""
    def pinv(self, /, rtol: Any | None = ...) -> Array:
        """The pseudoinverse; singular values up to rtol, a number or one for each matrix, times the largest count as 0 (the larger size times the dtype's epsilon unless given); the gradient needs distinct singular values."""
    def poisson_nll_loss(self, target: ArrayLike, rate_input: builtins.bool = ..., full: builtins.bool = ..., epsilon: float = ..., reduction: str = ...) -> Array:
        """Exp(x) - target x, or x - target log(x + epsilon) with rate_input; full: plus Stirling's log(target!) where target is above 1.
        rate_input: x is the rate itself, not its logarithm
        full: with Stirling's approximation of log(target!)
        epsilon: keeps the logarithm of a rate finite
        reduction: what becomes of the losses (mean, sum, none)"""
    def poly_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., epsilon: float = ..., reduction: str = ...) -> Array:
        """cross_entropy plus epsilon times 1 - p, where p is the probability of the target.
        reduction: what becomes of the losses (mean, sum, none)"""
    def polygamma(self, order: int = ...) -> Array:
        """A derivative of digamma, order 0 (itself) to 8; at 0 and below at whole numbers infinite for an odd order, else infinite against the sign of 0, and NaN."""
    def positive(self) -> Array:
        """+x."""
    def posterize(self, bits: int = ..., max_val: float = ...) -> Array:
        """x from 0 to max_val in 2^bits levels, each the least value of its range."""
    def pow(self, y: ArrayLike) -> Array:
        """x to the y, broadcast; integers wrap around, and to a negative power they are rounded toward 0."""
    def power_iteration(self, start: ArrayLike | None = ..., iterations: int = ...) -> power_iteration_result:
        """The eigenvalue of largest size of square matrices, and its vector of length 1: start, some numbers unless given, times x again and again.
        Returns value, vector."""
    def precision(self, target: ArrayLike, classes: int, average: str = ...) -> Array:
        """Of those that x takes for a class the part that is of it, 0 of none: for each class (none), their mean (macro), with the class's share of the targets as weight (weighted), or of all classes together (micro).
        average: over the classes (macro, micro, weighted, none)"""
    def prelu(self, weight: ArrayLike) -> Array:
        """x where it is above 0, else weight x; weight is broadcast to the shape of x."""
    def prod(self, /, axis: int | Sequence[int] | None = ..., dtype: DTypeLike | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Product over axes; small integers multiply to int64 or uint64."""
    def projection_box(self, lower: ArrayLike, upper: ArrayLike) -> Array:
        """Onto vectors between lower and upper, which broadcast to x."""
    def projection_halfspace(self, a: ArrayLike, b: float = ...) -> Array:
        """Onto vectors whose product with a, of x's shape, is at most b."""
    def projection_hypercube(self, size: float = ...) -> Array:
        """Onto vectors whose elements are in [0, size]."""
    def projection_hyperplane(self, a: ArrayLike, b: float = ...) -> Array:
        """Onto vectors whose product with a, of x's shape, is b."""
    def projection_l1_ball(self, length: float = ...) -> Array:
        """Onto vectors whose absolute values add up to at most length."""
    def projection_l1_sphere(self, length: float = ...) -> Array:
        """Onto vectors whose absolute values add up to length."""
    def projection_l2_ball(self, length: float = ...) -> Array:
        """Onto vectors of at most this Euclidean length."""
    def projection_l2_sphere(self, length: float = ...) -> Array:
        """Onto vectors of this Euclidean length; NaN for zeros, which have no direction."""
    def projection_linf_ball(self, length: float = ...) -> Array:
        """Onto vectors whose elements are in [-length, length]."""
    def projection_simplex(self, total: float = ...) -> Array:
        """Onto numbers of 0 and more that add up to total."""
    def projection_vector(self, a: ArrayLike) -> Array:
        """Onto multiples of a, of x's shape."""
    def psnr(self, y: ArrayLike, max_val: float = ...) -> Array:
        """The peak signal-to-noise ratio of two arrays in decibels, 10 log10(max_val^2 / mean((x - y)^2)); max_val is the largest value that is possible."""
    def ptp(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
        """The largest less the smallest element over axes; ties share the gradient."""
    def put_along_axis(self, index: Any, y: Any | None = ..., axis: int | Sequence[int] | None = ..., add: Any = ..., *, values: Any | None = ...) -> Array:
        """x with the elements that take_along_axis would read replaced by y, or y added to them; out of range nothing happens. With NumPy's
        keyword, put_along_axis(x, index, values=y, axis=axis), x itself gets the new value, as by assignment, and is returned."""
    def qr(self, /, mode: Any = ...) -> QRResult:
        """x = q r, q with orthonormal columns (m, k), r upper triangular (k, n) with no negative number on its diagonal; k is the smaller of m and n, or m when complete, which has a gradient only for m <= n.
            complete: q is square
        Returns q, r."""
    def quantile(self, q: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., method: str = ...) -> Array:
        """The element of x over axes below which the part q lies: (shape of q, then that of the reduction); NaN where q is outside [0, 1].
        method: what lies between two elements, as numpy.quantile names it (linear, lower, higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased)"""
    def quick_gelu(self) -> Array:
        """x sigmoid(1.702 x), near gelu."""
    def quiet_softmax(self, axis: int = ...) -> Array:
        """Exp(x) / (1 + sum(exp(x))) along an axis, without overflow: near 0 everywhere where all x are far below 0."""
    def ranking_softmax_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., mask: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """-sum(target log_softmax(x)) over lists along the last axis, target times weight; entries where mask is false do not count, nor lists that have no others.
        reduction: what becomes of the losses (mean, sum, none)"""
    def ravel(self, *args: Any, **kwargs: Any) -> Array:
        """All elements of x in one axis, in row-major order."""
    @property
    def real(self) -> Array: ...
    def rearrange(self, pattern: str, names: str | None = ..., lengths: int | Sequence[int] | None = ...) -> Array:
        """Axes split, permuted and merged by a pattern such as 'b (h w) c -> b c h w', with the names and lengths of the axes it leaves open.
        names: the axes whose sizes the pattern leaves open: 'h w'
        lengths: their sizes: [2, 3]"""
    def recall(self, target: ArrayLike, classes: int, average: str = ...) -> Array:
        """Of those that are of a class the part that x takes for it, 0 of none; averages as in precision.
        average: over the classes (macro, micro, weighted, none)"""
    def reciprocal(self) -> Array:
        """1 / x."""
    def reconstruct_patches(self, shape: int | Sequence[int], size: int | Sequence[int], strides: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., padding: str = ..., sum: builtins.bool = ...) -> Array:
        """An array of this shape, [N, in..., C], from the patches that extract_patches takes from it: the mean of the elements that patches share, 0 where there is none.
        strides: steps between patches; the size of a patch unless given
        dilations: distances between the elements of a patch; one number serves all; 1 unless given
        padding: as of extract_patches (VALID, SAME)
        sum: the sum of what overlaps, not its mean"""
    def reduce_window(self, window: int | Sequence[int], reduction: str = ..., strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ...) -> Array:
        """Windows over all axes of x, reduced; one of no elements gives what a reduction of none gives: 0, 1, -inf or inf, or the smallest or largest integer.
        reduction: of the elements of a window (sum, max, min, prod)
        strides: steps of the window along all axes; one number serves all; 1 unless given
        pads: (low, high) for each axis, or one number for all; what is outside never counts
        dilations: distances between the elements of a window; 1 unless given
        x_dilations: distances between the elements of x; what is between them never counts; 1 unless given"""
    def relu(self) -> Array:
        """x where it is above 0, else 0; its derivative at 0 is 0."""
    def relu6(self) -> Array:
        """x kept between 0 and 6; its derivative at 0 is 0, at 6 one half."""
    def relu_squared(self) -> Array:
        """Relu(x), squared."""
    def remainder(self, y: ArrayLike) -> Array:
        """x - y * floor(x / y), which has the sign of y; an integer by 0 gives 0."""
    def repeat(self, repeats: Any, /, axis: int | Sequence[int] | None = ...) -> Array:
        """Each element along an axis repeated."""
    def repeat_counts(self, counts: ArrayLike, axis: int) -> Array:
        """Element k along an axis repeated counts[k] times, or all counts times if that is one number; computes the counts at once."""
    def repeat_counts_sized(self, counts: ArrayLike, axis: int, size: int, fill: float = ...) -> Array:
        """The first elements that repeat_counts gives along the axis, as many as size; after the last one fill."""
    def rescale(self, scale: float, offset: float = ...) -> Array:
        """x scale + offset; integers become float32: rescale(pixels, 1 / 255.0, 0)."""
    def reshape(self, *shape: Any, **options: Any) -> Array: ...
    def rgb_to_grayscale(self) -> Array:
        """The brightness of colours (..., 3): (..., 1), 0.2989 red + 0.587 green + 0.114 blue."""
    def rgb_to_hsv(self) -> Array:
        """Hue, saturation and value, each from 0 to 1, of red, green and blue (..., 3) from 0 to 1; the hue of gray is 0."""
    def rgb_to_yuv(self) -> Array:
        """Brightness and the two colour differences (ITU-R BT.601) of red, green and blue (..., 3)."""
    def rms_norm(self, weight: ArrayLike | None = ..., *, axes: int | Sequence[int], epsilon: float = ...) -> Array:
        """x divided by the root of its mean square over axes, times weight, which has the sizes of these axes."""
    def rnnt_loss(self, targets: ArrayLike, input_lengths: ArrayLike, target_lengths: ArrayLike, blank: int = ..., reduction: str = ...) -> Array:
        """The loss of recurrent transducers: -log of the probability of all paths through input_lengths (batch) steps that emit the targets (batch, labels), of target_lengths (batch); x are logits (batch, steps, labels + 1, classes): after each label, and before the first; NaN for labels that are no classes and lengths that are not there.
        blank: the class that stands for no label; -1 is the last
        reduction: what becomes of the losses (mean, sum, none)"""
    def roc_auc(self, target: ArrayLike) -> Array:
        """How often a score x whose target is true (not 0) is above one whose target is false, a tie counting half: the area under the ROC curve, exactly; NaN is the largest score."""
    def roi_align(self, boxes: ArrayLike, image: ArrayLike, height: int, width: int, spatial_scale: float = ..., samples: int = ..., not_aligned: builtins.bool = ...) -> Array:
        """boxes [K, 4], as (left, top, right, bottom), of the images whose numbers are in image [K], as arrays of one size: [K, height, width, C].
        spatial_scale: what the boxes are multiplied by: the size of x as a part of that of the image in which they were found
        samples: places along each axis whose mean is an element of the result
        not_aligned: a box from 0 begins at the middle of the first pixel, not at its edge, and is at least one pixel wide"""
    def roll(self, /, shift: Any, axis: int | Sequence[int] | None = ...) -> Array:
        """Elements moved by shift along axes, those that leave at one end enter at the other; one shift serves all axes; None: the flattened x."""
    def rot90(self, k: int = ..., axis1: int = ..., axis2: int = ...) -> Array:
        """x rotated k times by 90 degrees, from axis1 towards axis2."""
    def rotary_embedding(self, base: float = ..., offset: int = ..., interleaved: builtins.bool = ..., stretch: float = ..., scaling: str = ..., trained: int | None = ..., fast: float | None = ..., slow: float = ...) -> Array:
        """x (..., positions, features) with pair k of the features rotated by the angle (offset + position) / stretch base^(-2k / features); a pair is element k of the first and of the second half of the features, or two neighbours if interleaved; scaling has other ways to stretch, of which yarn also multiplies by 1 + 0.1 log(stretch).
        base: of the angles
        offset: position of the first element
        interleaved: pairs are neighbours, not element k of the first and of the second half
        stretch: how much further a model reaches than the length it was trained with
        scaling: what is stretched: positions are divided by it; base grows with it, so that the slowest pair is; the same only as far as there are more positions than trained; pairs that turn less than slow times over them are, those of more than fast turns not; pairs of long waves are (linear, ntk, dynamic, yarn, llama3)
        trained: the length a model was trained with, for dynamic, yarn and llama3
        fast: turns over that length from which on a pair stays as it is: 32 for yarn, 4 for llama3, unless given
        slow: turns up to which it is stretched"""
    def round(self) -> Array:
        """Rounded to the nearest integer, ties to even; of a complex number both parts."""
    def rrelu(self, key: ArrayLike | None = ..., low: float = ..., high: float = ...) -> Array:
        """x where it is 0 or above, else x times a random slope in [low, high): leaky_relu while training."""
    def rsqrt(self) -> Array:
        """1 / sqrt(x)."""
    def safe_root_mean_square(self, min_rms: float = ...) -> Array:
        """The root of the mean square of all elements, or min_rms if that is larger, whose derivative is 0."""
    def saturate_cast(self, dtype: DTypeLike) -> Array:
        """x as another dtype; a number outside its range becomes its nearest number, where cast of an integer wraps around."""
    def scale_and_translate(self, scale: ArrayLike, translation: ArrayLike, shape: int | Sequence[int], axes: int | Sequence[int] | None = ..., method: str = ..., no_antialias: builtins.bool = ...) -> Array:
        """x, with some axes enlarged and then shifted, in an array of this shape; scale and translation have a number for each of these axes; what comes from outside x is 0.
        method: the kernel: a triangle, Keys's cubic with a = -1/2, or a windowed sinc (linear, cubic, lanczos3, lanczos5)
        no_antialias: the kernel does not grow where x is made smaller"""
    def scaled_tanh(self, alpha: float = ..., beta: float = ...) -> Array:
        """alpha tanh(beta x)."""
    def scatter_nd(self, index: ArrayLike, y: ArrayLike, axes: int | Sequence[int] | None = ..., add: builtins.bool = ...) -> Array:
        """x with the parts that gather_nd would read replaced by y, broadcast, or y added to them; the last one counts where positions repeat; out of range nothing happens.
        add: elements of y are added to those of x instead of replacing them"""
    def score_counts(self, target: ArrayLike, bins: int = ...) -> Array:
        """How many scores x, from 0 to 1, lie in each of so many equal parts: (2, bins), int64, of those whose target is 0, and of the others; NaN is in none, and a target of integers is 0 or 1."""
    def searchsorted(self, x2: ArrayLike, /, side: Any = ..., sorter: Any | None = ...) -> Array:
        """Where values belong in the ascending vector x, or in x taken at the positions of the sorter: before equal elements, or after them when right; NaN is the largest.
        right: behind equal elements instead of before them"""
    def segment_matmul(self, y: ArrayLike, segments: ArrayLike) -> Array:
        """For each row (from, to) of segments the product of columns from ... to - 1 of the matrix x and these rows of y: (..., m, n)."""
    def segment_max(self, id: ArrayLike, segments: int) -> Array:
        """Their largest elements, NaN wins; -inf, or the smallest integer, for an empty segment."""
    def segment_mean(self, id: ArrayLike, segments: int) -> Array:
        """Their means; 0 for an empty segment."""
    def segment_min(self, id: ArrayLike, segments: int) -> Array:
        """Their smallest elements, NaN wins; inf, or the largest integer, for an empty segment."""
    def segment_prod(self, id: ArrayLike, segments: int) -> Array:
        """Their products; 1 for an empty segment."""
    def segment_sum(self, id: ArrayLike, segments: int) -> Array:
        """The slices of x along its first axis added up by the segment each belongs to: 0 .. segments-1 in id, the others belong to none; 0 for an empty segment."""
    def selu(self) -> Array:
        """1.0507 times elu with alpha 1.67326, the constants of self-normalising networks."""
    def separable_conv1d(self, depthwise: ArrayLike, pointwise: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """depthwise filters [w, C, m], m for each channel of x [N, W, C], then a product of channels with pointwise [C m, O] and a bias [O]; options as in conv1d.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given"""
    def separable_conv2d(self, depthwise: ArrayLike, pointwise: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """separable_conv1d of x [N, H, W, C] with depthwise filters [h, w, C, m].
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given"""
    @property
    def shape(self) -> tuple[int, ...]: ...
    def shrink(self, bound: float = ..., bias: float = ...) -> Array:
        """x less bias above bound, x plus bias below -bound, 0 in between; the bound itself is in between."""
    def sigmoid(self) -> Array:
        """1 / (1 + exp(-x))."""
    def sigmoid_focal_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., gamma: float = ..., alpha: float = ..., label_smoothing: float = ..., reduction: str = ...) -> Array:
        """binary_cross_entropy_with_logits times (1 - p)^gamma, where p is the probability of what is right, so that what is easy counts little.
        alpha: weight of targets that are 1, with 1 - alpha for those that are 0; none if it is below 0
        label_smoothing: this share of the target is spread over both
        reduction: what becomes of the losses (mean, sum, none)"""
    def sign(self) -> Array:
        """-1, 0 or 1, of a complex number x / |x|; NaN for NaN."""
    def signbit(self) -> Array:
        """True where x has a minus sign, -0 and NaN included."""
    def silu(self) -> Array:
        """x sigmoid(x)."""
    def sin(self) -> Array:
        """Sine of x radians."""
    def sinc(self) -> Array:
        """Sin(pi x) / (pi x), 1 at 0, NaN at infinities."""
    def sinh(self) -> Array:
        """Hyperbolic sine."""
    def sinusoidal_encoding(self, size: int, min_freq: float = ..., max_freq: float = ..., scale: float | None = ..., cos_first: builtins.bool = ..., full_turns: builtins.bool = ..., interleaved: builtins.bool = ...) -> Array:
        """Sines and cosines of x times size / 2 frequencies between max_freq and min_freq, whose logarithms are evenly spaced: (..., size), sines in the first half; size is even.
        min_freq: that of the last pair
        max_freq: that of the first
        scale: the result is multiplied by it; sqrt(2 / size) unless given
        cos_first: cosines come before sines
        full_turns: frequencies are in turns, not in radians
        interleaved: the sine and the cosine of a frequency are neighbours"""
    @property
    def size(self) -> int: ...
    def skew_symmetric(self) -> Array:
        """The matrices (..., 3, 3) that multiply a vector as the cross product with x (..., 3) does."""
    def slice(self, start: ArrayLike, size: int | Sequence[int]) -> Array:
        """The block of the given size that begins at start (int64, one number per axis; an input, so a new start is no new program)."""
    def slice_set(self, y: ArrayLike, start: ArrayLike) -> Array:
        """x with the block that begins at start replaced by y."""
    def slice_step(self, start: int | Sequence[int], stop: int | Sequence[int], step: int | Sequence[int] | None = ...) -> Array:
        """x[start:stop:step] of every axis as Python has it: negative numbers count from the end, what is out of range is cut; steps are 1 if not given."""
    def slice_step_set(self, y: ArrayLike, start: int | Sequence[int], stop: int | Sequence[int], step: int | Sequence[int] | None = ..., add: builtins.bool = ...) -> Array:
        """x with the elements that slice_step would read replaced by y, broadcast, or y added to them.
        add: elements of y are added to those of x instead of replacing them"""
    def sliding_window_view(self, window: int | Sequence[int], axes: int | Sequence[int] | None = ..., steps: int | Sequence[int] | None = ...) -> Array:
        """All windows of the given sizes along axes, in new axes at the end; along each axis (n - window) / step + 1 of them, rounded down.
        steps: distances between windows along the axes; one number serves all; 1 unless given"""
    def slogdet(self) -> slogdet_result:
        """Sign (of absolute value 1, if complex) and logarithm of the absolute value of determinants; 0 and -inf for singular matrices.
        Returns sign, logabsdet."""
    def smooth_l1_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., beta: float = ..., reduction: str = ...) -> Array:
        """huber_loss divided by delta, here called beta; |x - target| for beta 0.
        reduction: what becomes of the losses (mean, sum, none)"""
    def smooth_labels(self, share: float = ..., axis: int = ...) -> Array:
        """x times 1 - share, plus share spread evenly along an axis."""
    def sobel_edges(self) -> Array:
        """How x changes downwards and to the right, by Sobel's filters: [N, height, width, channels, 2]; outside there are zeros."""
    def soft_margin_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """Log(1 + exp(-x target)), times weight; targets are -1 and 1.
        reduction: what becomes of the losses (mean, sum, none)"""
    def softmax(self, axis: int) -> Array:
        """Exp(x) / sum(exp(x)) along an axis, without overflow."""
    def softmin(self, axis: int) -> Array:
        """Softmax of -x along an axis."""
    def softplus(self, beta: float = ...) -> Array:
        """Log(1 + exp(beta x)) / beta, without overflow: the larger beta, the closer to relu."""
    def softshrink(self, bound: float = ...) -> Array:
        """x, closer to 0 by the bound; 0 within it."""
    def softsign(self) -> Array:
        """x / (1 + |x|)."""
    def solarize(self, threshold: float = ..., max_val: float = ...) -> Array:
        """max_val - x where x reaches the threshold, else x."""
    def sort(self, /, axis: int | Sequence[int] | None = ..., descending: Any = ..., stable: Any = ...) -> Array:
        """x sorted along an axis, stable as argsort; NaN is the largest.
        descending: the largest first"""
    def sparse_cross_entropy(self, target: ArrayLike, weight: ArrayLike | None = ..., axis: int = ..., ignore_index: int = ..., label_smoothing: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
        """-log_softmax(x) along an axis of classes at the class that an integer target has, times the weight of the class; 0 where that is ignore_index; one that is no class is an error where the call can see it, NaN where it is computed later; the mean is that of what is not ignored, divided by its weights. A float target are probabilities: -sum(target log_softmax(x)), weight one number for each class.
        ignore_index: classes of this number do not count
        label_smoothing: this share of the target is spread over all classes
        from_probs: x are probabilities, not logits; their logarithm at 0 is -100
        reduction: what becomes of the losses (mean, sum, none)"""
    def sparse_plus(self) -> Array:
        """0 up to -1, (x + 1)^2 / 4 up to 1, then x."""
    def sparse_sigmoid(self) -> Array:
        """(x + 1) / 2 clamped to [0, 1]."""
    def sparsemax(self, axis: int = ...) -> Array:
        """The distribution along an axis that is closest to x: most elements are 0, unlike those of softmax."""
    def sparsemax_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """sparse_plus of x where target is 0, of -x where it is not: 0 where x is certain and right; times weight.
        reduction: what becomes of the losses (mean, sum, none)"""
    def sparsify(self, count: int) -> Array:
        """x with zeros in place of all but the count elements of largest size; of equal ones the first stay."""
    def split(self, parts: Any, /, axis: int | Sequence[int] | None = ...) -> tuple[Array, ...]:
        """x cut along an axis into so many equal parts, or into parts of these sizes, as a tuple."""
    def sqrt(self) -> Array:
        """The square root; NaN below 0."""
    def square(self) -> Array:
        """x * x, elementwise."""
    def squared_hinge_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
        """The square of hinge_loss.
        reduction: what becomes of the losses (mean, sum, none)"""
    def squareplus(self, b: float = ...) -> Array:
        """(x + sqrt(x^2 + b)) / 2, smooth as softplus is, without exponentials."""
    def squeeze(self, /, axis: int | Sequence[int] | None = ...) -> Array:
        """x without these axes of size 1."""
    def ssim(self, y: ArrayLike, max_val: float = ..., filter_size: int = ..., filter_sigma: float = ..., k1: float = ..., k2: float = ...) -> Array:
        """The structural similarity of images x and y, at most 1: [N], the mean over windows and channels; max_val is the largest value that is possible.
        filter_size: of the Gaussian filter
        filter_sigma: its deviation
        k1: keeps the ratio of brightnesses away from 0 / 0
        k2: that of contrasts"""
    def stable_divide(self, y: ArrayLike, min_base: float = ...) -> Array:
        """x / (y + min_base)."""
    def stable_pow(self, y: ArrayLike, min_base: float = ...) -> Array:
        """(x + min_base) to the y."""
    def std(self, /, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: Any = ..., *, ddof: Any | None = ...) -> Array:
        """Standard deviation over axes, the root of var."""
    def stft(self, window: ArrayLike | None = ..., *, length: int, step: int, n: int | None = ..., norm: str = ..., two_sided: builtins.bool = ..., center: builtins.bool = ..., pad_mode: str = ..., pad_end: builtins.bool = ...) -> Array:
        """The Fourier transforms of frames of x [..., samples], of this length and this step apart, times a window: [..., frames, n / 2 + 1]; a window shorter than the frame stands in its middle, with zeros around it; complex x needs two_sided.
        n: the length of the transforms; zeros follow a shorter frame; the frame's unless given
        norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)
        two_sided: all n frequencies, not n / 2 + 1
        center: x is padded by half a frame on both sides, so that frame k is centred at element k step
        pad_mode: how, as in pad (reflect, constant, edge, symmetric, wrap)
        pad_end: zeros follow x, so that a frame begins at every step up to its end"""
    def stop_gradient(self) -> Array:
        """The same values; no derivative flows through."""
    def sub(self, y: ArrayLike) -> Array:
        """x - y, broadcast."""
    def subtract(self, y: ArrayLike) -> Array:
        """x - y, broadcast."""
    def sum(self, /, axis: int | Sequence[int] | None = ..., dtype: DTypeLike | None = ..., keepdims: builtins.bool = ...) -> Array:
        """Sum over axes; small integers sum to int64 or uint64, half precision accumulates in float32."""
    def sum_pool(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """The sum of each window of x [N, in..., C], in x's dtype; strides are the window's size if not given.
        strides: steps of the window; the window's own sizes unless given
        pads: (low, high) for each spatial axis
        dilations: distances between the elements of a window; 1 unless given"""
    def svd(self, /, full_matrices: Any = ...) -> SVDResult:
        """x = u diag(s) vh with orthonormal columns of u (m, k) and rows of vh (k, n), s descending, k the smaller of m and n; in each vector of the square factor (vh if m >= n) the first component of largest magnitude is positive; NaN if an element is not finite.
            full_matrices: u and vh are square: vectors that complete a basis follow; the longer of both has no gradient then
        Returns u, s, vh."""
    def svdvals(self) -> Array:
        """Singular values, descending."""
    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """x with two axes exchanged."""
    def take(self, indices: Any, /, axis: int | Sequence[int] | None = ...) -> Array:
        """The parts of x at these positions of an axis, or of the flattened x."""
    def take_along_axis(self, indices: Any, /, axis: int | Sequence[int] | None = ...) -> Array:
        """For each element of the index that element of x along the axis; x and index broadcast outside it; out of range as in take."""
    def tan(self) -> Array:
        """Tangent of x radians."""
    def tanh(self) -> Array:
        """Hyperbolic tangent, elementwise."""
    def tanhshrink(self) -> Array:
        """x - tanh(x)."""
    def tensor_fold(self, shape: int | Sequence[int], mode: int = ..., skip_begin: int = ..., skip_end: int = ...) -> Array:
        """The array of this shape whose tensor_unfold is x, unfolded into one axis or two.
        skip_begin: so many first axes were left as they are
        skip_end: so many last axes were left as they are"""
    def tensor_unfold(self, mode: int = ..., skip_begin: int = ..., skip_end: int = ..., ravel: builtins.bool = ...) -> Array:
        """x as a matrix: the rows are those of axis `mode`, the columns all other axes in their order.
        skip_begin: so many first axes stay as they are, and mode counts those behind them
        skip_end: so many last axes stay as they are
        ravel: the unfolded axes as one instead of two"""
    def tensordot(self, x2: ArrayLike, /, axes: Any = ...) -> Array:
        """Sum of products over x_axes of x and y_axes of y, pair by pair; the other axes of x, then those of y remain."""
    def threshold(self, threshold: float, value: float = ...) -> Array:
        """x where it is above the threshold, else value."""
    def tile(self, repetitions: Any, /) -> Array:
        """x as a whole repeated along each axis; the shorter of shape and list has ones before it."""
    def to(self, engine: Any, /) -> Array:
        """The same values on another engine."""
    def to_device(self, device: str | None, /, *, stream: Any | None = ...) -> Array:
        """The array itself: the only device is 'cpu'."""
    def tolist(self, /) -> Any:
        """The elements as nested lists of Python numbers."""
    def top_k_accuracy(self, index: ArrayLike, k: int) -> Array:
        """How often the index, as in accuracy, is among the k largest elements along the last axis of x, as topk finds them."""
    def topk(self, k: int, axis: int = ..., smallest: builtins.bool = ...) -> topk_result:
        """The k largest elements along an axis in descending order, or the smallest in ascending order, and their positions; of equal ones the first; NaN is the largest.
            smallest: the k smallest elements
        Returns values, indices."""
    def trace(self, /, offset: Any = ..., dtype: DTypeLike | None = ...) -> Array:
        """The sum of diagonal number offset of the last two axes; small integers sum to int64 or uint64."""
    def transpose(self, *axes: Any) -> Array:
        """The axes in another order; reversed if none is given."""
    def tri_inv(self, upper: builtins.bool = ...) -> Array:
        """Inverses of lower triangular matrices, or upper ones; the other triangle is not read.
        upper: the upper triangle is read"""
    def tril(self, k: int = ...) -> Array:
        """The last two axes as matrices, zero above diagonal k."""
    def trim_zeros(self, trim: str = ...) -> Array:
        """x without the zeros at both ends, of more than one axis without the slices of zeros on each side; computes x at once.
        trim: from the front, from the back, or both (fb, f, b)"""
    def triu(self, k: int = ...) -> Array:
        """The last two axes as matrices, zero below diagonal k."""
    def trunc(self) -> Array:
        """Rounded to an integer toward zero."""
    def trunc_divide(self, y: ArrayLike) -> Array:
        """x / y rounded toward zero; an integer divided by 0 gives 0."""
    def truncated_svd(self, count: int) -> truncated_svd_result:
        """The largest singular values of matrices, at most count, with their vectors: the matrix of that rank nearest to x.
        Returns u, s, vh."""
    def tversky_loss(self, target: ArrayLike, weight: ArrayLike | None = ..., axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., alpha: float = ..., beta: float = ..., smooth: float = ..., epsilon: float = ..., activation: str | None = ..., reduction: str = ...) -> Array:
        """1 - o / (o + alpha sum(x (1 - target)) + beta sum(target (1 - x))) with the overlap o = sum(x target) over axes, times weight.
        alpha: of x where there is no target
        beta: of targets that x lacks
        smooth: added to the overlap and to what it is divided by
        epsilon: added to what the overlap is divided by
        activation: x are shares, or logits of these (none, sigmoid, softmax)
        reduction: what becomes of the losses (mean, sum, none)"""
    def unfold(self, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ...) -> Array:
        """The windows of x [N, C, in...], 1 to 3 spatial axes, as columns: [N, C window, positions], the channel first, then the place in the window.
        strides: steps of the window along the spatial axes; one number serves all; 1 unless given
        pads: zeros on both sides of each spatial axis; one number serves all; 0 unless given
        dilations: distances between the elements of a window; one number serves all; 1 unless given"""
    def unique(self) -> unique_result:
        """The distinct elements of the flattened x, ascending, complex ones by their real, then their imaginary parts; where each comes first; for each element of x its place among them; how often each occurs; NaNs are distinct; computes x at once.
        Returns values, indices, inverse, counts."""
    def unique_all(self, /) -> UniqueAllResult:
        """The distinct elements; where each comes first; for each element its place among them; how often each occurs."""
    def unique_consecutive(self, axes: int | Sequence[int] | None = ...) -> unique_consecutive_result:
        """x without elements that equal the one before, in the flattened x or slice by slice along one axis; for each element its place among those left; how many each stands for; NaNs are distinct; computes x at once.
        Returns values, inverse, counts."""
    def unique_counts(self, /) -> UniqueCountsResult:
        """The distinct elements and how often each occurs."""
    def unique_inverse(self, /) -> UniqueInverseResult:
        """The distinct elements and for each element of x its place among them."""
    def unique_sized(self, size: int, fill: float = ...) -> unique_sized_result:
        """The smallest distinct elements of the flattened x, as many as size, and how often each occurs; after the last one fill, and 0.
        Returns values, counts."""
    def unique_values(self, /) -> Array:
        """The distinct elements."""
    def unitwise_clip(self, norm: ArrayLike, max_norm: ArrayLike) -> Array:
        """x scaled down to the length `max_norm` where its length `norm` is not below it; both broadcast to x."""
    def unitwise_norm(self) -> Array:
        """For each element the Euclidean length of its unit: of the whole vector, of a column of a matrix (all but the last axis), of the last two axes of three, of a filter of a convolution."""
    def unstack(self, /, axis: int | Sequence[int] | None = ...) -> tuple[Array, ...]:
        """The parts of x along an axis, as a tuple."""
    def vander(self, columns: int | None = ..., increasing: builtins.bool = ...) -> Array:
        """The powers of a vector's elements, one row each: columns - 1 ... 1, 0.
        columns: how many; as many as rows unless given
        increasing: powers 0, 1, 2 ... from left to right"""
    def var(self, /, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: Any = ..., *, ddof: Any | None = ...) -> Array:
        """Variance over axes: squared distances from the mean, divided by their number less the correction; NaN unless that is above 0."""
    def var_mean(self, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: float = ...) -> var_mean_result:
        """Var and mean over axes.
        Returns variance, mean."""
    def variable(self) -> Array:
        """A differentiable leaf with the values of x and no history; integers become float32."""
    def vecdot(self, x2: ArrayLike, /, axis: int | Sequence[int] | None = ...) -> Array:
        """Sum of products along an axis, of conjugates of x if it is complex; other axes broadcast; where ranks differ the axis counts from the end."""
    def vector_norm(self, /, *, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., ord: Any = ...) -> Array:
        """The norm of the vectors over axes, sum(|x|^order)^(1/order), without overflow; order 0 counts what is not 0, inf and -inf are the extremes; of no elements 0, or inf for a negative order; its derivative at 0 is 0."""
    def view_as_complex(self) -> Array:
        """Real and imaginary parts, which are the two elements of the last axis, as complex numbers; half precision becomes complex64."""
    def view_as_real(self) -> Array:
        """The real and imaginary parts of complex numbers as the two elements of a new last axis."""
    def xlogy(self, y: ArrayLike) -> Array:
        """x log(y), broadcast; 0 where x is 0, unless y is NaN."""
    def yuv_to_rgb(self) -> Array:
        """Red, green and blue of brightness and the two colour differences (..., 3)."""
    def zeros_like(self, /, dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
        """Zeros with the shape, dtype and engine of x."""
    def zeta(self, q: ArrayLike) -> Array:
        """The zeta function of Hurwitz, the sum of (q + k)^-x over k >= 0, broadcast; zeta(x, 1) is Riemann's; infinite for x = 1 and at q = 0, -1 ...; NaN for x < 1, and for q < 0 unless x is whole."""
    def __add__(self, other: Any, /) -> Array: ...
    def __radd__(self, other: Any, /) -> Array: ...
    def __iadd__(self, other: Any, /) -> Array: ...
    def __sub__(self, other: Any, /) -> Array: ...
    def __rsub__(self, other: Any, /) -> Array: ...
    def __isub__(self, other: Any, /) -> Array: ...
    def __mul__(self, other: Any, /) -> Array: ...
    def __rmul__(self, other: Any, /) -> Array: ...
    def __imul__(self, other: Any, /) -> Array: ...
    def __truediv__(self, other: Any, /) -> Array: ...
    def __rtruediv__(self, other: Any, /) -> Array: ...
    def __itruediv__(self, other: Any, /) -> Array: ...
    def __floordiv__(self, other: Any, /) -> Array: ...
    def __rfloordiv__(self, other: Any, /) -> Array: ...
    def __ifloordiv__(self, other: Any, /) -> Array: ...
    def __mod__(self, other: Any, /) -> Array: ...
    def __rmod__(self, other: Any, /) -> Array: ...
    def __imod__(self, other: Any, /) -> Array: ...
    def __pow__(self, other: Any, /) -> Array: ...
    def __rpow__(self, other: Any, /) -> Array: ...
    def __ipow__(self, other: Any, /) -> Array: ...
    def __matmul__(self, other: Any, /) -> Array: ...
    def __rmatmul__(self, other: Any, /) -> Array: ...
    def __imatmul__(self, other: Any, /) -> Array: ...
    def __and__(self, other: Any, /) -> Array: ...
    def __rand__(self, other: Any, /) -> Array: ...
    def __iand__(self, other: Any, /) -> Array: ...
    def __or__(self, other: Any, /) -> Array: ...
    def __ror__(self, other: Any, /) -> Array: ...
    def __ior__(self, other: Any, /) -> Array: ...
    def __xor__(self, other: Any, /) -> Array: ...
    def __rxor__(self, other: Any, /) -> Array: ...
    def __ixor__(self, other: Any, /) -> Array: ...
    def __lshift__(self, other: Any, /) -> Array: ...
    def __rlshift__(self, other: Any, /) -> Array: ...
    def __ilshift__(self, other: Any, /) -> Array: ...
    def __rshift__(self, other: Any, /) -> Array: ...
    def __rrshift__(self, other: Any, /) -> Array: ...
    def __irshift__(self, other: Any, /) -> Array: ...
    def __lt__(self, other: Any, /) -> Array: ...
    def __le__(self, other: Any, /) -> Array: ...
    def __gt__(self, other: Any, /) -> Array: ...
    def __ge__(self, other: Any, /) -> Array: ...
    def __eq__(self, other: Any, /) -> Array: ...  # type: ignore[override]
    def __ne__(self, other: Any, /) -> Array: ...  # type: ignore[override]
    def __neg__(self) -> Array: ...
    def __pos__(self) -> Array: ...
    def __abs__(self) -> Array: ...
    def __invert__(self) -> Array: ...
    def __bool__(self) -> builtins.bool: ...
    def __int__(self) -> builtins.int: ...
    def __float__(self) -> builtins.float: ...
    def __complex__(self) -> builtins.complex: ...
    def __index__(self) -> builtins.int: ...
    def __len__(self) -> builtins.int: ...
    def __contains__(self, value: Any, /) -> builtins.bool: ...
    def __divmod__(self, other: Any, /) -> tuple[Array, Array]: ...
    def __rdivmod__(self, other: Any, /) -> tuple[Array, Array]: ...
    def __round__(self, digits: int | None = ..., /) -> Array: ...
    def __copy__(self) -> Array: ...
    def __deepcopy__(self, memo: Any, /) -> Array: ...
    def __format__(self, spec: str, /) -> str: ...
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any: ...
    def __getitem__(self, key: Any, /) -> Array: ...
    def __setitem__(self, key: Any, value: Any, /) -> None: ...
    def __iter__(self) -> Any: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __release_buffer__(self, view: memoryview, /) -> None: ...
    __hash__: None  # type: ignore[assignment]
    __array_priority__: int
def abs(x: ArrayLike) -> Array:
    """The absolute value, of a complex number a real one; its derivative at 0 is 0."""
def accuracy(x: ArrayLike, index: ArrayLike) -> Array:
    """How often the largest element along the last axis of x is the one at the index; an index of floats, in the shape of x, has a share for each class, the largest of which is meant."""
def acos(x: ArrayLike) -> Array:
    """Inverse cosine, in [0, pi]."""
def acosh(x: ArrayLike) -> Array:
    """Inverse hyperbolic cosine; NaN below 1."""
def adam_step(dcdw: ArrayLike, mw: ArrayLike, vw: ArrayLike, step: ArrayLike, beta1: float = ..., beta2: float = ..., epsilon: float = ..., paper: builtins.bool = ...) -> adam_step_result:
    """Adam's direction and new moments; epsilon folded in as sqrt(1 - beta2^t) / (1 - beta1^t + epsilon), or as in the paper.
        beta1: decay of the mean of gradients
        beta2: decay of the mean of their squares
        epsilon: keeps the denominator away from 0
        paper: epsilon as in the paper, not folded into the rate
    Returns delta, m, v."""
def adam_update(w: ArrayLike, dcdw: ArrayLike, lr: ArrayLike, mw_tm1: ArrayLike, vw_tm1: ArrayLike, step: ArrayLike, beta1: float = ..., beta2: float = ..., epsilon: float = ..., paper: builtins.bool = ..., keep_gradients: builtins.bool = ...) -> adam_update_result:
    """w - lr * adam_step, and the new moments.
        beta1: decay of the mean of gradients
        beta2: decay of the mean of their squares
        epsilon: keeps the denominator away from 0
        paper: epsilon as in the paper, not folded into the rate
        keep_gradients: the results keep their history
    Returns w_new, m, v."""
def adaptive_avg_pool(x: ArrayLike, size: int | Sequence[int], data_format: str = ...) -> Array:
    """The mean of windows of x with 1 to 3 spatial axes, as many along each as size says: window j of m over n elements goes from floor(j n / m) to ceil((j + 1) n / m).
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
def adaptive_max_pool(x: ArrayLike, size: int | Sequence[int], data_format: str = ...) -> Array:
    """The largest element of windows of x with 1 to 3 spatial axes, as many along each as size says: window j of m over n elements goes from floor(j n / m) to ceil((j + 1) n / m).
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
def add(x: ArrayLike, y: ArrayLike) -> Array:
    """x + y, broadcast."""
def additive_attention(q: ArrayLike, k: ArrayLike, v: ArrayLike, scale: ArrayLike | None = ..., mask: ArrayLike | None = ...) -> Array:
    """Attention whose score of a query and a key is the sum of scale tanh(q + k) over the features: q (..., queries, features), k (..., keys, features), v (..., keys, width), scale (features), ones unless given; the mask is that of attention."""
def addmm(c: ArrayLike, a: ArrayLike, b: ArrayLike, alpha: float = ..., beta: float = ...) -> Array:
    """alpha a b + beta c, where c broadcasts to the matrix product."""
def adjoint(x: ArrayLike) -> Array:
    """x with its last two axes exchanged, and conjugated."""
def adjust_sharpness(x: ArrayLike, factor: float = ..., max_val: float = ...) -> Array:
    """Images whose distance from their smoothed selves is multiplied: 0 smoothes, 1 is x, 2 sharpens; clipped to 0 ... max_val."""
def affine_grid(theta: ArrayLike, height: int, width: int, align_corners: builtins.bool = ...) -> Array:
    """The places [N, height, width, 2] for grid_sample of an image moved by theta [N, 2, 3]: (x, y, 1) times its rows.
    align_corners: as of grid_sample"""
def affine_transform(x: ArrayLike, transform: ArrayLike, interpolation: str = ..., mode: str = ..., value: float = ...) -> Array:
    """Images whose pixel (x, y) is that of x at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1; transform [8] or [N, 8] holds a0 a1 a2 b0 b1 b2 c0 c1.
    interpolation: between the neighbours in all directions, or the nearest one (bilinear, nearest)
    mode: what is outside x: a value; its edge; x again; x mirrored at the centre of the last element, or at its edge (constant, nearest, wrap, mirror, reflect)
    value: of what is outside, if constant"""
def alibi(heads: int, queries: int, keys: int, dtype: DTypeLike = ..., offset: int = ...) -> Array:
    """Attention with linear biases: the distance of each query and key times a slope for each head, to be added to the scores: (heads, queries, keys); head h of n has -2^(-8 (h + 1) / n).
    offset: position of the first query"""
def all(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """True where all elements over axes are not zero."""
def allclose(x: ArrayLike, y: ArrayLike, rtol: float = ..., atol: float = ..., equal_nan: builtins.bool = ...) -> Array:
    """True if isclose holds everywhere; vinea.tree.map is for trees.
    rtol: the part of |y| by which they may differ
    atol: and this much besides
    equal_nan: NaN is close to NaN"""
def alpha_dropout(x: ArrayLike, key: ArrayLike | None = ..., prob: float = ...) -> Array:
    """Dropout behind selu: dropped elements take selu's lowest value, and all are scaled and shifted so that mean 0 and variance 1 stay."""
def angle(x: ArrayLike) -> Array:
    """The angle of a complex number, in [-pi, pi]; of a real number 0 or pi."""
def any(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """True where any element over axes is not zero."""
def arange(start: Any, /, stop: Any | None = ..., step: Any = ..., dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """start, start + step ... up to but excluding stop; integer dtypes truncate each number; by name, integers are exact."""
def argmax(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Position of the largest element along one axis, or in the flattened x for all; the first where there are several; NaN wins."""
def argmin(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Position of the smallest element along one axis, or in the flattened x for all; the first where there are several; NaN wins."""
def argsort(x: ArrayLike, /, axis: int | Sequence[int] | None = ..., descending: Any = ..., stable: Any = ...) -> Array:
    """Positions that sort x along an axis; equal elements stay in their order in both directions; NaN is the largest: last, or first when descending.
    descending: the largest first"""
def array(obj: Any, dtype: DTypeLike | None = ..., *, copy: builtins.bool | None = ..., device: str | None = ...) -> Array:
    """A new array of numbers, nested sequences, or an array of any library; the values are copied."""
def array_equal(xs: Sequence[ArrayLike]) -> Array:
    """True if all arrays have one shape and equal elements; NaN equals nothing."""
def as_strided(x: ArrayLike, shape: int | Sequence[int], strides: int | Sequence[int], offset: int = ...) -> Array:
    """The elements offset + the sum of place times stride, of the flattened x, for every place of the shape; strides count elements and may be 0 or below; what is outside x is an error."""
def asarray(obj: Any, /, dtype: DTypeLike | None = ..., device: str | None = ..., copy: builtins.bool | None = ...) -> Array:
    """An array of numbers, of nested sequences, or of an array of any library, which is not copied unless it must be."""
def asin(x: ArrayLike) -> Array:
    """Inverse sine, in [-pi/2, pi/2]."""
def asinh(x: ArrayLike) -> Array:
    """Inverse hyperbolic sine."""
def astype(x: ArrayLike, dtype: DTypeLike | None, /, copy: builtins.bool | None = ..., device: str | None = ...) -> Array:
    """x as another dtype; floats to integers truncate toward zero, out of range they give the nearest integer of the dtype and NaN gives 0; integers wrap around; of a complex number only its parts are real (real, imag)."""
def atan(x: ArrayLike) -> Array:
    """Inverse tangent, in [-pi/2, pi/2]."""
def atan2(x: ArrayLike, y: ArrayLike) -> Array:
    """The angle whose tangent is x / y, in the quadrant of the point (y, x)."""
def atanh(x: ArrayLike) -> Array:
    """Inverse hyperbolic tangent."""
def attention(q: ArrayLike, k: ArrayLike, v: ArrayLike, mask: ArrayLike | None = ..., scale: float | None = ..., causal: builtins.bool = ...) -> Array:
    """Softmax(scale q k^T + mask) v over the last two axes, leading axes broadcast; a bool mask says where to attend, a float one is added (-inf: not there); causal: query i attends to keys up to i + keys - queries; a query with nothing to attend to gives zeros; scores of places not attended to are ignored, NaN too, and so are k and v of keys no query attends to.
    scale: of products of queries and keys; 1 / sqrt(size of the last axis of q) unless given
    causal: query i attends to keys up to i + keys - queries"""
def auto_contrast(x: ArrayLike, max_val: float = ...) -> Array:
    """Each channel of each image stretched, so that it goes from 0 to max_val; one of a single value stays as it is."""
class autocast:
    """Mixed precision in a block, `with vn.autocast("bfloat16"):`: matrix products, convolutions, attention and recurrent layers compute in bfloat16 or float16 and take
    float32 inputs in it; losses, norms, softmax, sums and their kin take half precision as float32; all else computes in the dtype of its inputs. Parameters
    and their gradients stay float32. None switches it off in the block."""
    def __enter__(self) -> autocast: ...
    def __exit__(self, *unused: Any) -> None: ...
    def __init__(self, dtype: DTypeLike | None) -> None: ...
def average(x: ArrayLike, weights: ArrayLike | None = ..., axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """The mean over axes, with weights that broadcast to x: their sum is what products are divided by."""
def avg_pool(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., include_padding: builtins.bool = ...) -> Array:
    """The mean of each window of x [N, in..., C], over the elements of x in it, or over the whole window if include_padding; 0 where a window is padding alone.
    strides: steps of the window; the window's own sizes unless given
    pads: (low, high) for each spatial axis
    include_padding: padding counts as zeros"""
def avg_pool1d(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., include_padding: builtins.bool = ...) -> Array:
    """The mean of each window of x with 1 spatial axis; padding SAME or VALID unless pads gives (low, high) for each axis, or one number for all; strides are the window if not given; padding itself as in avg_pool.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    include_padding: padding counts as zeros"""
def avg_pool2d(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., include_padding: builtins.bool = ...) -> Array:
    """The mean of each window of x with 2 spatial axes; options as in avg_pool1d.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    include_padding: padding counts as zeros"""
def avg_pool3d(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., include_padding: builtins.bool = ...) -> Array:
    """The mean of each window of x with 3 spatial axes; options as in avg_pool1d.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
    include_padding: padding counts as zeros"""
def bartlett_window(n: int, dtype: DTypeLike = ..., periodic: builtins.bool = ...) -> Array:
    """The window of Bartlett, a triangle: 1 - |2 j / (n - 1) - 1|.
    periodic: the first n elements of the window of n + 1, for Fourier transforms"""
def batch_dot(x: ArrayLike, y: ArrayLike, axis_x: int = ..., axis_y: int = ..., normalize: builtins.bool = ...) -> Array:
    """For each entry of the first axis, which is the batch, the sum of products along an axis of x and one of y: (batch, the other axes of x, those of y), or (batch, 1) if there are none.
    normalize: both are divided by their lengths along these axes first, so that vectors give cosines"""
def batch_norm(x: ArrayLike, mean: ArrayLike, variance: ArrayLike, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., axis: int = ..., epsilon: float = ...) -> Array:
    """(x - mean) / sqrt(variance + epsilon) times weight, plus bias, all per channel (axis)."""
def batch_norm_training(x: ArrayLike, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., axis: int = ..., epsilon: float = ...) -> batch_norm_training_result:
    """batch_norm by the mean and variance of each channel (axis) of x itself, which are the other results; the variance is divided by the number of elements.
    Returns y, mean, variance."""
def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """The regularised incomplete beta function, the part of B(a, b) that comes from numbers below x, broadcast; NaN for a or b below 0 and for x outside [0, 1]."""
bfloat16: DType
def bilinear(x: ArrayLike, y: ArrayLike, w: ArrayLike, bias: ArrayLike | None = ...) -> Array:
    """x w y of x (..., m), y (..., n) and each of the matrices w (out, m, n), plus a bias (out): (..., out)."""
def binarize(x: ArrayLike, threshold: float = ...) -> Array:
    """1 where x is above the threshold, else 0."""
def binary_cross_entropy(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """-target log(x) - (1 - target) log(1 - x) of probabilities x, times weight; the logarithm of 0 is -100 here, with derivative 0; NaN unless x lies in [0, 1].
    reduction: what becomes of the losses (mean, sum, none)"""
def binary_cross_entropy_with_logits(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., pos_weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """binary_cross_entropy of sigmoid(x), accurate for every x; pos_weight multiplies the part of target.
    reduction: what becomes of the losses (mean, sum, none)"""
def binary_focal_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., gamma: float = ..., alpha: float = ..., label_smoothing: float = ..., reduction: str = ...) -> Array:
    """sigmoid_focal_loss of probabilities x instead of logits.
    alpha: weight of targets that are 1, with 1 - alpha for those that are 0; none if it is below 0
    label_smoothing: this share of the target is spread over both
    reduction: what becomes of the losses (mean, sum, none)"""
def bincount(x: ArrayLike, weights: Any | None = ..., minlength: Any | None = ..., *, length: Any | None = ...) -> Array:
    """How often each of 0, 1, 2 ... occurs in x, or the sum of the weights, of x's shape, where it does. As
    long as the largest number needs and at least minlength, which computes x at once, and numbers below 0 are a ValueError; or of a length,
    and numbers below 0 or beyond it are not counted."""
def bitcast(x: ArrayLike, dtype: DTypeLike) -> Array:
    """The bytes of x as another dtype; of another size, the last axis has as many elements more or fewer."""
def bitwise_and(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits that x and y both have, broadcast."""
def bitwise_invert(x: ArrayLike) -> Array:
    """The bits that x does not have."""
def bitwise_left_shift(x: ArrayLike, y: ArrayLike) -> Array:
    """x with its bits y places higher, broadcast; 0 where y is below 0, or the width or more."""
def bitwise_or(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits that x or y has, broadcast."""
def bitwise_right_shift(x: ArrayLike, y: ArrayLike) -> Array:
    """Floor(x / 2^y), broadcast; -1 for x < 0 and else 0 where y is below 0, or the width or more."""
def bitwise_xor(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits that one of x and y has, broadcast."""
def blackman_window(n: int, dtype: DTypeLike = ..., periodic: builtins.bool = ...) -> Array:
    """The window of Blackman: 0.42 - 0.5 cos(2 pi j / (n - 1)) + 0.08 cos(4 pi j / (n - 1)).
    periodic: the first n elements of the window of n + 1, for Fourier transforms"""
def bleu_counts(x: ArrayLike, target: ArrayLike, pad: int = ..., order: int = ...) -> Array:
    """What BLEU is made of, (2 order + 2), int64: for n = 1 ... order how many n-grams of the rows of x (rows, tokens) are in those of target, each as often as there at most; how many there are in x; the tokens of x and of target.
    pad: the number that stands behind the end of a sequence
    order: of the longest n-grams"""
def block_masked_matmul(x: ArrayLike, y: ArrayLike, mask: ArrayLike | None = ..., x_mask: ArrayLike | None = ..., y_mask: ArrayLike | None = ..., block: int = ...) -> Array:
    """Matmul of matrices whose blocks of block x block elements are multiplied by the elements of masks, as are those of the result; bools are 0 and 1."""
bool: DType
def broadcast_arrays(*arrays: Any) -> tuple[Array, ...]:
    """All arrays broadcast to their common shape."""
def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to."""
def broadcast_to(x: ArrayLike, shape: int | Sequence[int]) -> Array:
    """x repeated to a larger shape by the broadcasting rule."""
def calibration_counts(x: ArrayLike, index: ArrayLike, bins: int = ...) -> Array:
    """For each of so many equal parts of 0 to 1 in which the largest of the probabilities x (..., classes) lies: (3, bins), int64, how many rows, how many of these have their class there (index), and the sum of the probabilities, in units of 2^-30."""
def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """Whether promotion takes one dtype, or that of an array, to another."""
def cast(x: ArrayLike, dtype: DTypeLike) -> Array:
    """x as another dtype; floats to integers truncate toward zero, out of range they give the nearest integer of the dtype and NaN gives 0; integers wrap around; of a complex number only its parts are real (real, imag)."""
def categorical_focal_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., gamma: float = ..., alpha: float = ..., label_smoothing: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
    """-sum(alpha (1 - p)^gamma target log(p)) over the classes, with p = softmax(x): cross_entropy in which what is easy counts little.
    alpha: times the loss; 1 leaves it out
    label_smoothing: this share of the target is spread over all classes
    from_probs: x are probabilities, or in proportion to them, not logits
    reduction: what becomes of the losses (mean, sum, none)"""
def categorical_hinge_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """1 + max((1 - target) x) - sum(target x) over the classes where that is above 0, else 0.
    reduction: what becomes of the losses (mean, sum, none)"""
def category_encoding(index: ArrayLike, weights: ArrayLike | None = ..., *, size: int, dtype: DTypeLike = ..., mode: str = ...) -> Array:
    """Categories as numbers: (..., size); numbers outside 0 ... size - 1 name none; weights, of the shape of the index, are counted instead of 1 (count only).
    mode: 1 for the categories that the last axis names; a row for each number; how often each is named (multi_hot, one_hot, count)"""
def cbrt(x: ArrayLike) -> Array:
    """The cube root, also of negative numbers."""
def cdist(x: ArrayLike, y: ArrayLike, p: float = ...) -> Array:
    """The distances between all rows of x (..., n, d) and y (..., m, d): (..., n, m), in the norm p; long Euclidean ones by a product."""
def ceil(x: ArrayLike) -> Array:
    """Rounded up to an integer."""
def celu(x: ArrayLike, alpha: float = ...) -> Array:
    """x where it is above 0, else alpha (exp(x / alpha) - 1)."""
def cholesky(x: ArrayLike, upper: builtins.bool = ...) -> Array:
    """The lower triangular l with l l^H = x, or its adjoint when upper; only x's lower triangle is read and gets a gradient; NaN for a matrix that is not positive definite.
    upper: the upper factor"""
def cholesky_inverse(x: ArrayLike, upper: builtins.bool = ...) -> Array:
    """The inverse of l l^H, where x is the lower triangular l, or of u^H u, where it is the upper triangular u.
    upper: the upper factor"""
def choose(index: ArrayLike, choices: ArrayLike) -> Array:
    """For each element of the index that array of the choices (n, ...), which broadcast with it; out of range as in take."""
def circle_loss(x: ArrayLike, index: ArrayLike, gamma: float = ..., margin: float = ..., reduction: str = ...) -> Array:
    """Circle loss of embeddings x (n, features) of length 1: softplus of the logarithm of the sums over pairs of equal and of different index (n), each pair weighted by its distance from where it should be; 0 for rows without both.
    gamma: scale
    margin: how strict it is: cosines of 1 - margin within, of margin between classes
    reduction: what becomes of the losses (mean, sum, none)"""
def clip(x: ArrayLike, /, min: Any | None = ..., max: Any | None = ...) -> Array:
    """x kept between min and max, either of which may be absent, broadcast; at a bound the gradient is shared."""
def clip_matrix_norm(x: ArrayLike, max_norm: float, order: str = ...) -> Array:
    """Each matrix scaled down to the norm `max_norm` if its own is larger.
    order: which norm, as in matrix_norm (fro, nuc, 1, -1, inf, -inf, 2, -2)"""
def clip_vector_norm(x: ArrayLike, max_norm: float, p: float = ...) -> Array:
    """x, as one vector, scaled down to the length `max_norm` if it is longer."""
def complex(re: ArrayLike, im: ArrayLike) -> Array:
    """The complex numbers re + i im, broadcast; complex128 from float64, else complex64."""
complex128: DType
complex64: DType
def concat(arrays: Sequence[ArrayLike], /, axis: int | Sequence[int] | None = ...) -> Array:
    """Arrays one after another along an axis, dtypes promoted; all other sizes are equal."""
def cond(x: ArrayLike, order: str = ...) -> Array:
    """The condition number: a norm of x times that of its inverse; for 2 and -2 the ratio of the largest to the smallest singular value or its inverse, for which x need not be square.
    order: which norm, as in matrix_norm (2, -2, fro, nuc, 1, -1, inf, -inf)"""
def confusion_matrix(x: ArrayLike, target: ArrayLike, classes: int) -> Array:
    """How often each class (row) was taken for each (column): (classes, classes), int64, of predicted classes x; pairs with a number that is no class are left out, here and in precision, recall and f1."""
def conj(x: ArrayLike) -> Array:
    """The complex conjugate; real numbers themselves."""
def connected_components(x: ArrayLike, diagonal: builtins.bool = ...) -> Array:
    """The pixels of [height, width] or [N, height, width] that are not 0, with a number for each group of neighbours: 1, 2 ... in the order of their first pixels, in each image; 0 for the others.
    diagonal: pixels that touch at a corner belong together too: eight neighbours, not four"""
def connected_components_with_stats(x: ArrayLike, components: int, diagonal: builtins.bool = ...) -> connected_components_with_stats_result:
    """connected_components, and of the first components of each image left, top, width, height and area: [components, 5] or [N, components, 5]; zeros where there are fewer.
        diagonal: pixels that touch at a corner belong together too: eight neighbours, not four
    Returns labels, stats."""
def conv(x: ArrayLike, w: ArrayLike, strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., groups: int = ...) -> Array:
    """Convolution of x [N, in..., C] with w [kernel..., C/groups, O]: [N, out..., O], 1 to 3 spatial axes; pads is (low, high) for each of them; out is (in + low + high - (kernel-1)*dilation - 1) / stride + 1 rounded down, 0 where the filter does not fit.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    pads: (low, high) for each spatial axis
    dilations: distances between the elements of the filter; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters"""
def conv1d(x: ArrayLike, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
    """Convolution of x [N, W, C] (NCW: [N, C, W]) with filters [w, C/groups, O] (channel_first: [O, C/groups, w]) and a bias [O]; padding SAME or VALID unless pads gives (low, high) for each axis, or one number for all; one stride or dilation serves all axes; an empty result is an error.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    x_dilations: distances between the elements of x, with zeros between them; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of the filters are ordered (channel_last, channel_first, WIO, OIW)"""
def conv1d_transpose(x: ArrayLike, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
    """Transposed convolution of x with filters [w, C, O/groups] and a bias [O]; the adjoint of the conv1d that maps the length of the result to that of x: length n*stride for SAME, n*stride + max((w-1)*dilation + 1 - stride, 0) for VALID, or output_shape, which that conv1d must map back; filter_format channel_first is [C, O/groups, w], WOI [w, O/groups, C].
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    output_shape: lengths of the result, one for each spatial axis
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of the filters are ordered (channel_last, channel_first, WIO, IOW, WOI)"""
def conv2d(x: ArrayLike, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
    """Convolution of x [N, H, W, C] (NCHW: [N, C, H, W]) with filters [h, w, C/groups, O] and a bias [O]; options as in conv1d.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    x_dilations: distances between the elements of x, with zeros between them; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of the filters are ordered (channel_last, channel_first, HWIO, OIHW)"""
def conv2d_transpose(x: ArrayLike, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
    """Transposed convolution of x with filters [h, w, C, O/groups] and a bias [O]; options as in conv1d_transpose.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    output_shape: lengths of the result, one for each spatial axis
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of the filters are ordered (channel_last, channel_first, HWIO, IOHW, HWOI)"""
def conv3d(x: ArrayLike, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
    """Convolution of x [N, D, H, W, C] (NCDHW: [N, C, D, H, W]) with filters [d, h, w, C/groups, O] and a bias [O]; options as in conv1d.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    x_dilations: distances between the elements of x, with zeros between them; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of the filters are ordered (channel_last, channel_first, DHWIO, OIDHW)"""
def conv3d_transpose(x: ArrayLike, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
    """Transposed convolution of x with filters [d, h, w, C, O/groups] and a bias [O]; options as in conv1d_transpose.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    output_shape: lengths of the result, one for each spatial axis
    data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of the filters are ordered (channel_last, channel_first, DHWIO, IODHW, DHWOI)"""
def conv_general_dilated(x: ArrayLike, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
    """Convolution of x with 1 to 3 spatial axes, channel_last or channel_first, with filters [kernel..., C/groups, O]; options as in conv1d.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    x_dilations: distances between the elements of x, with zeros between them; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of the filters are ordered (channel_last, channel_first, WIO, HWIO, DHWIO, OIW, OIHW, OIDHW)"""
def conv_general_transpose(x: ArrayLike, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ...) -> Array:
    """Transposed convolution of x with 1 to 3 spatial axes, channel_last or channel_first, with filters [kernel..., C, O/groups]; options as in conv1d_transpose.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    output_shape: lengths of the result, one for each spatial axis
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of the filters are ordered (channel_last, channel_first, WIO, HWIO, DHWIO, IOW, IOHW, IODHW, WOI, HWOI, DHWOI)"""
def convolve(x: ArrayLike, y: ArrayLike, mode: str = ...) -> Array:
    """Element k of the result is the sum of x[j] y[k - j] along the last axes, of which leading ones broadcast; long floats and complex numbers go through Fourier transforms.
    mode: all n + m - 1 sums; the middle ones, as many as the longer of both has; those where both overlap entirely (full, same, valid)"""
def coo_indices(x: ArrayLike, count: int = ...) -> Array:
    """Where x is not 0: (count, axes), int64, in row-major order; -1 behind the last one; -1 as count: as many as there are, which are counted now."""
def coo_matmul(indices: ArrayLike, values: ArrayLike, y: ArrayLike, rows: int) -> Array:
    """The product of a sparse matrix (rows, n), as indices (k, 2) and values (k), and y (n) or (n, m), without the matrix itself."""
def coo_to_dense(indices: ArrayLike, values: ArrayLike, shape: int | Sequence[int]) -> Array:
    """An array of this shape with values (n) at indices (n, axes) and 0 elsewhere; values at the same index are added, those out of range left out."""
def coo_values(x: ArrayLike, indices: ArrayLike) -> Array:
    """The elements of x at indices (n, axes): (n); 0 at an index out of range, as -1 is."""
def copysign(x: ArrayLike, y: ArrayLike) -> Array:
    """x with the sign of y, broadcast."""
def corrcoef(x: ArrayLike, y: ArrayLike | None = ..., columns: builtins.bool = ...) -> Array:
    """Correlation coefficients of the variables in the rows of x, and of y below them: cov divided by the standard deviations, kept within [-1, 1].
    columns: variables are the columns of x and y, not their rows"""
def correlate(x: ArrayLike, y: ArrayLike, mode: str = ...) -> Array:
    """The sums of x[j + k] conj(y[j]) along the last axes, of which leading ones broadcast.
    mode: the sums where both overlap entirely; the middle ones, as many as the longer of both has; all n + m - 1 (valid, same, full)"""
def cos(x: ArrayLike) -> Array:
    """Cosine of x radians."""
def cosh(x: ArrayLike) -> Array:
    """Hyperbolic cosine."""
def cosine_distance(x: ArrayLike, y: ArrayLike, axis: int = ..., epsilon: float = ...) -> Array:
    """1 - cosine_similarity.
    epsilon: the least length"""
def cosine_embedding_loss(x: ArrayLike, y: ArrayLike, target: ArrayLike, axis: int = ..., epsilon: float = ..., margin: float = ..., reduction: str = ...) -> Array:
    """1 - cosine_similarity(x, y) where target is above 0, else what it is above margin.
    epsilon: the least length
    margin: similarities below it cost nothing
    reduction: what becomes of the losses (mean, sum, none)"""
def cosine_similarity(x: ArrayLike, y: ArrayLike, axis: int = ..., epsilon: float = ...) -> Array:
    """The cosine of the angle between vectors along an axis of x and y, broadcast; lengths count as epsilon at least.
    epsilon: the least length"""
def count_nonzero(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """How many elements over axes are not zero."""
def cov(x: ArrayLike, y: ArrayLike | None = ..., fweights: ArrayLike | None = ..., aweights: ArrayLike | None = ..., correction: float = ..., columns: builtins.bool = ...) -> Array:
    """Covariance matrix of the variables in the rows of x (a vector is one), and of y below them, over the observations; 0-d for one variable; fweights: how often each observation counts, aweights: its importance; the sum of squares is divided by their number less the correction.
    columns: variables are the columns of x and y, not their rows"""
def cross(x: ArrayLike, y: ArrayLike, axis: int = ...) -> Array:
    """The cross product of vectors of 3 elements along an axis of the result; the other axes broadcast."""
def cross_entropy(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., axis: int = ..., ignore_index: int = ..., label_smoothing: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
    """-log_softmax(x) along an axis of classes at the class that an integer target has, times the weight of the class; 0 where that is ignore_index; one that is no class is an error where the call can see it, NaN where it is computed later; the mean is that of what is not ignored, divided by its weights. A float target are probabilities: -sum(target log_softmax(x)), weight one number for each class.
    ignore_index: classes of this number do not count
    label_smoothing: this share of the target is spread over all classes
    from_probs: x are probabilities, not logits; their logarithm at 0 is -100
    reduction: what becomes of the losses (mean, sum, none)"""
def csr_indices(pointers: ArrayLike, columns: ArrayLike) -> Array:
    """Indices (n, 2) of pointers (rows + 1) and columns (n): from CSR to COO."""
def csr_matmul(pointers: ArrayLike, columns: ArrayLike, values: ArrayLike, y: ArrayLike) -> Array:
    """The product of a sparse matrix (rows, n), as pointers (rows + 1), columns (k) and values (k), and y (n) or (n, m), without the matrix itself."""
def csr_pointers(indices: ArrayLike, rows: int) -> Array:
    """Where the values of each row begin, and the last ones end: (rows + 1), int64, of indices (n, 2) in row-major order; the second column of the indices is CSR's other part."""
def csr_to_dense(pointers: ArrayLike, columns: ArrayLike, values: ArrayLike, width: int) -> Array:
    """The matrix (rows, width) of pointers (rows + 1), columns (n) and values (n), with 0 elsewhere."""
def ctc_loss(log_probs: ArrayLike, targets: ArrayLike, input_lengths: ArrayLike, target_lengths: ArrayLike, blank: int = ..., zero_infinity: builtins.bool = ..., reduction: str = ...) -> Array:
    """-log of the probability that paths of input_lengths (batch) steps through log_probs (steps, batch, classes) spell the targets (batch, labels), of target_lengths (batch), when repetitions and then blanks are taken out; inf, or 0 (zero_infinity), where no path does, NaN for labels that are no classes and lengths beyond the labels; each is divided by its length for the mean.
    blank: the class that stands for no label
    zero_infinity: 0 where no path spells the target
    reduction: what becomes of the losses (mean, sum, none)"""
def cummax(x: ArrayLike, axis: int, reverse: builtins.bool = ...) -> cummax_result:
    """The largest element so far along an axis, and its position; NaN wins; of equal ones the last, which gets the gradient.
        reverse: from the end
    Returns values, indices."""
def cummin(x: ArrayLike, axis: int, reverse: builtins.bool = ...) -> cummin_result:
    """The smallest element so far along an axis, and its position; NaN wins; of equal ones the last, which gets the gradient.
        reverse: from the end
    Returns values, indices."""
def cumulative_prod(x: ArrayLike, /, axis: int | Sequence[int] | None = ..., dtype: DTypeLike | None = ..., include_initial: Any = ...) -> Array:
    """Running product along an axis, from its start, or from its end when reverse; floats are multiplied in float64 and rounded once.
    reverse: from the end
    include_initial: the sum or product of no elements comes first, so there is one element more; last when reverse"""
def cumulative_sum(x: ArrayLike, /, axis: int | Sequence[int] | None = ..., dtype: DTypeLike | None = ..., include_initial: Any = ...) -> Array:
    """Running sum along an axis, from its start, or from its end when reverse; floats are added in float64 and rounded once.
    reverse: from the end
    include_initial: the sum or product of no elements comes first, so there is one element more; last when reverse"""
class custom_gradient:
    """A function of arrays with a gradient of your own:

        @vn.custom_gradient
        def clamp(x):
            return vn.clip(x, -1, 1)

        @clamp.gradient
        def _(x, y, ct):          # input, output, derivative of the loss by the output
            return ct             # in the shape of x

    A function of several arrays has a rule that takes all of them, then output and derivative, and returns a tuple: a gradient or None for each. An
    argument may be a tree, and then so is its gradient."""
    def __call__(self, *args: Any) -> Any: ...
    def __init__(self, fn: Callable[..., Any]) -> None: ...
    def gradient(self, rule: _F) -> _F: ...
def dct(x: ArrayLike, type: int = ..., axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
    """The discrete cosine transform of type 1 to 4 along an axis, as scipy.fft.dct has it: type 2 is twice the sum of x[j] cos(pi k (2 j + 1) / (2 n)); ortho makes it orthogonal; type 1 needs two elements.
    n: the length of the transform; x is cut to it, or padded with zeros; that of x unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
def deform_conv2d(x: ArrayLike, offset: ArrayLike, filters: ArrayLike, mask: ArrayLike | None = ..., bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., groups: int = ...) -> Array:
    """Convolution of x [N, H, W, C] with filters [h, w, C/groups, O] whose elements are at places that offset moves: [N, out, out, (parts of the channels) h w 2] holds (down, across) in pixels; mask, with half as many, multiplies what is there.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    pads: zeros (low, high) around each spatial axis; one number serves all; 0 unless given
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters"""
def depthwise_conv2d(x: ArrayLike, filters: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """Every channel of x [N, H, W, C] with a filter of its own, filters [h, w, C] or [h, w, C, 1]; options as in conv1d.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def det(x: ArrayLike) -> Array:
    """Determinants; 0 for singular matrices, where the gradient is NaN."""
def diag(x: ArrayLike, k: int = ...) -> Array:
    """The square matrix with a vector on diagonal k and zeros elsewhere."""
def diagonal(x: ArrayLike, offset: int = ...) -> Array:
    """Diagonal number offset of the last two axes, as the last axis."""
def dice_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., smooth: float = ..., epsilon: float = ..., activation: str | None = ..., reduction: str = ...) -> Array:
    """tversky_loss with alpha and beta 1/2: 1 - 2 sum(x target) / (sum(x) + sum(target)) over axes, times weight.
    smooth: added to the overlap and to what it is divided by
    epsilon: added to what the overlap is divided by
    activation: x are shares, or logits of these (none, sigmoid, softmax)
    reduction: what becomes of the losses (mean, sum, none)"""
def diff(x: ArrayLike, /, n: Any = ..., axis: int | Sequence[int] | None = ..., prepend: Any | None = ..., append: Any | None = ...) -> Array:
    """Differences of neighbours along an axis, n times over, of x with prepend before it and append behind it, where they are given; x itself for n = 0; integers wrap around."""
def digamma(x: ArrayLike) -> Array:
    """The derivative of lgamma; at 0 infinite against its sign, NaN at whole numbers below."""
def dilate(x: ArrayLike, steps: int | Sequence[int]) -> Array:
    """Step - 1 zeros between the elements of each axis; an empty axis stays empty."""
def dists(x: ArrayLike, y: ArrayLike, alpha: ArrayLike | None = ..., beta: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """Structure and texture of features x and y (n, ..., channels): the sum over channels of alpha times 1 - similarity of means, and beta times 1 - similarity of variances and covariance; 1 / (2 channels) each unless given; vinea.feature_distance adds up layers.
    reduction: what becomes of the losses (mean, sum, none)"""
def div(x: ArrayLike, y: ArrayLike) -> Array:
    """x / y, broadcast."""
def divide(x: ArrayLike, y: ArrayLike) -> Array:
    """x / y, broadcast."""
def divide_no_nan(x: ArrayLike, y: ArrayLike) -> Array:
    """x / y, and 0 where y is 0, with a gradient of 0 there."""
def divmod(x: ArrayLike, y: ArrayLike) -> divmod_result:
    """floor_divide and remainder of x and y.
    Returns quotient, rest."""
def dropout(x: ArrayLike, key: ArrayLike | None = ..., prob: float = ..., no_scale: builtins.bool = ..., noise_shape: int | Sequence[int] | None = ...) -> Array:
    """Zeros with probability prob in place of elements of x, the others divided by 1 - prob unless no_scale; noise_shape: 1 for axes along which all share one choice, -1 or the size for the others; prob 0 gives x, prob 1 zeros; without a key (None) the thread's next one is taken.
    no_scale: the elements kept are not divided by 1 - prob
    noise_shape: 1 for axes along which all share one choice, -1 or the size for the others"""
def dtype(spec: Any) -> DType:
    """The dtype of that name, of a NumPy or torch dtype, or of a Python type (bool, int, float, complex)."""
e: float
def edit_distance(x: ArrayLike, target: ArrayLike, pad: int = ..., no_substitution: builtins.bool = ...) -> Array:
    """How many tokens must be put in, taken out or replaced to make each row of target (rows, tokens) of that of x (rows, tokens): Levenshtein's distance, int64.
    pad: the number that stands behind the end of a sequence
    no_substitution: a token that replaces another is one that goes and one that comes"""
def eig(x: ArrayLike, /) -> EigResult:
    """Eigenvalues and eigenvectors, as columns, of square matrices, complex for real matrices too; ascending by real part, then by imaginary part; vectors have length 1, and the first component of largest magnitude is positive; NaN if an element is not finite; the gradient needs distinct eigenvalues.
    Returns eigenvalues, eigenvectors."""
def eigh(x: ArrayLike, /) -> EighResult:
    """Eigenvalues, ascending, and orthonormal eigenvectors, as columns, of symmetric or Hermitian matrices, of which the lower triangle is read and gets the gradient; in each vector the first component of largest magnitude is positive; NaN if an element is not finite.
    Returns values, vectors."""
def eigh_tridiagonal(diagonal: ArrayLike, beside: ArrayLike, first: int = ..., count: int | None = ...) -> eigh_tridiagonal_result:
    """Eigenvalues, ascending, and eigenvectors, as columns, of the symmetric matrix with this diagonal and these elements beside it.
        first: the number of the first eigenvalue that is wanted, from 0 on
        count: how many are wanted; all from the first on unless given
    Returns values, vectors."""
def eigvals(x: ArrayLike) -> Array:
    """Eigenvalues of square matrices, complex for real matrices too; ascending by real part, then by imaginary part."""
def eigvalsh(x: ArrayLike) -> Array:
    """Eigenvalues of symmetric or Hermitian matrices, ascending; only the lower triangle is read."""
def einops_reduce(x: ArrayLike, pattern: str, reduction: str = ..., names: str | None = ..., lengths: int | Sequence[int] | None = ...) -> Array:
    """Rearrange where axes missing on the right are reduced: sum, mean, max, min or prod.
    reduction: what becomes of the axes missing on the right (sum, mean, max, min, prod)
    names: the axes whose sizes the pattern leaves open: 'h w'
    lengths: their sizes: [2, 3]"""
def einops_repeat(x: ArrayLike, pattern: str, names: str | None = ..., lengths: int | Sequence[int] | None = ...) -> Array:
    """Rearrange where axes new on the right repeat x: 'h w -> h w c' with the length of c, or 'h w -> h w 3'.
    names: the axes whose sizes the pattern leaves open: 'h w'
    lengths: their sizes: [2, 3]"""
def einsum(xs: Any, /, *more: Any, equation: Any | None = ...) -> Array:
    """Sums of products: einsum([x, y], "ij,jk->ik"), or as in NumPy einsum("ij,jk->ik", x, y)."""
def elastic_transform(x: ArrayLike, displacement: ArrayLike, interpolation: str = ..., mode: str = ..., value: float = ...) -> Array:
    """Images whose pixel (x, y) is that of x at (x + dx, y + dy); displacement [height, width, 2] or [N, height, width, 2] holds dx and dy in pixels.
    interpolation: between the neighbours in all directions, or the nearest one (bilinear, nearest)
    mode: what is outside x: a value; its edge; x again; x mirrored at the centre of the last element, or at its edge (constant, nearest, wrap, mirror, reflect)
    value: of what is outside, if constant"""
def elu(x: ArrayLike, alpha: float = ...) -> Array:
    """x where it is above 0, else alpha (exp(x) - 1)."""
def embedding(index: ArrayLike, table: ArrayLike, padding_index: int = ..., max_norm: float = ..., not_from_end: builtins.bool = ...) -> Array:
    """The rows of the table (rows, features) at the index, of any shape: (..., features); out of range, and below 0, as in take; row padding_index gets no gradient; rows longer than max_norm, if that is above 0, are scaled down to it.
    padding_index: this row gets no gradient; row 0 is 0, none is -1
    max_norm: longer rows are scaled down to this length
    not_from_end: a position below 0 is out of range"""
def empty(shape: int | Sequence[int], dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """Zeros: every array has defined values."""
def empty_like(x: ArrayLike, /, dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """Zeros of the shape of x."""
def engine(name: str, version: Any = ...) -> Any:
    """The namespace of an engine: vinea's functions, with new arrays on that engine. Raises EngineError if it is not available."""
def engines() -> dict[str, dict[str, Any]]:
    """All engines, available or not, as a dict from name to what is known about it. Loads those that can be loaded."""
def equal(x: ArrayLike, y: ArrayLike) -> Array:
    """x == y, broadcast."""
def equalize(x: ArrayLike, bins: int = ..., max_val: float = ...) -> Array:
    """Each channel of each image, from 0 to max_val, in levels that are about equally frequent; one of fewer pixels than bins stays as it is."""
def erf(x: ArrayLike) -> Array:
    """The error function."""
def erfc(x: ArrayLike) -> Array:
    """1 - erf(x), accurate where that is small."""
def erfinv(x: ArrayLike) -> Array:
    """The inverse of erf; infinite at -1 and 1, NaN beyond."""
def eval(*arrays: Any) -> None:
    """Computes arrays together, as one program."""
def exp(x: ArrayLike) -> Array:
    """e to the x, elementwise."""
def expand_dims(x: ArrayLike, /, axis: int | Sequence[int] | None = ...) -> Array:
    """x with an axis of size 1 more, at axis."""
def expm1(x: ArrayLike) -> Array:
    """e to the x less 1, accurate near 0."""
def extract_patches(x: ArrayLike, size: int | Sequence[int], strides: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., padding: str = ...) -> Array:
    """The patches of x [N, in..., C], 2 or 3 spatial axes: [N, places..., elements of a patch times C], its places first, then its channels.
    strides: steps between patches; the size of a patch unless given
    dilations: distances between the elements of a patch; one number serves all; 1 unless given
    padding: SAME: zeros around x, so that a patch begins at every step (VALID, SAME)"""
def eye(n_rows: Any, n_cols: Any | None = ..., /, k: Any = ..., dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """A matrix with ones on diagonal k and zeros elsewhere; diagonals above the main one are positive."""
def eye_like(x: ArrayLike, k: int = ...) -> Array:
    """Ones on diagonal k of the last two axes, zeros elsewhere, with the shape, dtype and engine of x."""
def f1(x: ArrayLike, target: ArrayLike, classes: int, average: str = ...) -> Array:
    """The harmonic mean of precision and recall, 0 where both are; averages as in precision.
    average: over the classes (macro, micro, weighted, none)"""
from . import fft as fft
def fill_diagonal(x: ArrayLike, value: ArrayLike) -> Array:
    """Matrices with another main diagonal: a number, or a vector for each."""
def filter2d(x: ArrayLike, filter: ArrayLike, padding: str = ..., border: str = ...) -> Array:
    """Every channel of x [N, H, W, C] correlated with one filter [h, w]: sums of products of what is around a pixel.
    padding: the result is as large as x, or has only the places where the filter is inside (SAME, VALID)
    border: what is outside of x: zeros, or as in vinea.pad (constant, reflect, edge, symmetric, wrap)"""
def finfo(type: Any, /) -> Any:
    """Limits of a float dtype; of a complex dtype those of its parts."""
def flatten(x: ArrayLike) -> Array:
    """All elements of x in one axis, in row-major order."""
def flip(x: ArrayLike, /, axis: int | Sequence[int] | None = ...) -> Array:
    """The elements of these axes in reverse order."""
float16: DType
float32: DType
float64: DType
def float_power(x: ArrayLike, y: ArrayLike) -> Array:
    """x to the y in float64, or complex128 if one of them is complex; integers may have negative powers."""
def floor(x: ArrayLike) -> Array:
    """Rounded down to an integer."""
def floor_divide(x: ArrayLike, y: ArrayLike) -> Array:
    """Floor(x / y), broadcast; an integer divided by 0 gives 0, infinities are divided as by div."""
def fmax(x: ArrayLike, y: ArrayLike) -> Array:
    """The larger of x and y, broadcast; a number wins over NaN; ties share the gradient."""
def fmin(x: ArrayLike, y: ArrayLike) -> Array:
    """The smaller of x and y, broadcast; a number wins over NaN; ties share the gradient."""
def fmod(x: ArrayLike, y: ArrayLike) -> Array:
    """x - y * trunc(x / y), which has the sign of x; an integer modulo 0 is 0."""
def fold(x: ArrayLike, size: int | Sequence[int], window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """Columns [N, C window, positions] added up where unfold would have read them: [N, C, size...]; what falls on the padding is left out.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    pads: zeros on both sides of each spatial axis; one number serves all; 0 unless given
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def fourier_features(x: ArrayLike, max_freq: float = ..., bands: int = ..., linear: builtins.bool = ..., no_input: builtins.bool = ..., flatten: builtins.bool = ...) -> Array:
    """x (..., features) with sines and cosines of pi f x for frequencies f from 1 to max_freq / 2: (..., features, 1 + 2 bands).
    linear: frequencies are evenly spaced, not their logarithms
    no_input: sines and cosines alone
    flatten: one axis (features + 2 bands features): x, then all sines, then all cosines"""
def frechet_distance(x: ArrayLike, y: ArrayLike) -> Array:
    """Frechet's distance of two sets of features, x (n, features) and y (m, features), as normal distributions: |mean difference|^2 + trace(C1 + C2 - 2 (C1 C2)^(1/2)) of their unbiased covariances; of features of an Inception network it is FID."""
def frexp(x: ArrayLike) -> frexp_result:
    """x as mantissa times 2^exponent, the mantissa in [1/2, 1) apart from its sign; 0, infinities and NaN are their own mantissas, with exponent 0.
    Returns mantissa, exponent."""
def from_dlpack(other: Any, /, device: str | None = ..., copy: builtins.bool | None = ...) -> Array:
    """An array over the memory of another library's, without a copy unless asked for."""
def full(shape: int | Sequence[int], fill_value: Any, dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """One number everywhere, or an array broadcast to the shape; a number that the dtype cannot hold is an error, an array is cast."""
def full_like(x: ArrayLike, /, fill_value: Any, dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """One number, or an array broadcast, with the shape, dtype and engine of x; as full otherwise."""
def gammainc(a: ArrayLike, x: ArrayLike) -> Array:
    """The regularised lower incomplete gamma function, the part of gamma(a) that comes from numbers below x, broadcast; NaN for a or x below 0."""
def gammaincc(a: ArrayLike, x: ArrayLike) -> Array:
    """1 - gammainc(a, x), accurate where that is small."""
def gather_matmul(x: ArrayLike, y: ArrayLike, x_index: ArrayLike | None = ..., y_index: ArrayLike | None = ...) -> Array:
    """Matmul of the matrices of x and y at these positions among them, counted through all leading axes; without an index all of them; out of range as in take."""
def gather_nd(x: ArrayLike, index: ArrayLike, axes: int | Sequence[int] | None = ...) -> Array:
    """The parts of x at positions into several of its axes (None: the first ones), held by the last axis of the index. Where these axes are neighbours, in order, the other axes of the index take their place; otherwise they come first. Out of range as in take."""
def gaussian_blur(x: ArrayLike, height: int = ..., width: int = ..., sigma: float = ..., width_sigma: float | None = ...) -> Array:
    """Every channel of x with a Gaussian filter of this size and deviation; outside there are zeros.
    width_sigma: the deviation along the width; sigma unless given"""
def gaussian_dropout(x: ArrayLike, key: ArrayLike | None = ..., prob: float = ...) -> Array:
    """x times normal numbers of mean 1 and the variance prob / (1 - prob), that of dropout."""
def gaussian_nll_loss(x: ArrayLike, target: ArrayLike, variance: ArrayLike, full: builtins.bool = ..., epsilon: float = ..., reduction: str = ...) -> Array:
    """(log(v) + (x - target)^2 / v) / 2 with v the variance, at least epsilon; full: plus log(2 pi) / 2.
    full: with log(2 pi) / 2
    epsilon: the least variance
    reduction: what becomes of the losses (mean, sum, none)"""
def gaussian_noise(x: ArrayLike, key: ArrayLike | None = ..., std: float = ...) -> Array:
    """x plus normal numbers of this deviation."""
def gcd(x: ArrayLike, y: ArrayLike) -> Array:
    """The greatest common divisor of the sizes of two integers, broadcast; gcd(0, 0) is 0."""
def gelu(x: ArrayLike, approximate: builtins.bool = ...) -> Array:
    """x times the normal distribution function at x; approximate: by tanh.
    approximate: by tanh, within 5e-4"""
def general_inner_product(x: ArrayLike, y: ArrayLike, modes: int | None = ...) -> Array:
    """The sum of products over the last modes of x and as many first ones of y.
    modes: how many; all of two arrays of one shape unless given"""
def generalized_cross_entropy(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., q: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
    """(1 - p^q) / q with p the probability of the target: cross entropy for small q, the mean absolute error for 1, which bears wrong labels.
    from_probs: x are probabilities, not logits
    reduction: what becomes of the losses (mean, sum, none)"""
def generalized_dice_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., smooth: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
    """dice_loss of each class over the axes between the first and the last, where the probabilities softmax(x) are, times a weight that is the smaller the more often the class is a target: 1 / frequency^2, 1 on average; times weight.
    smooth: added to the overlap and to what it is divided by
    from_probs: x are probabilities, not logits
    reduction: what becomes of the losses (mean, sum, none)"""
def generalized_kl_div(log_probs: ArrayLike, target: ArrayLike, axis: int = ..., reduction: str = ...) -> Array:
    """Sum(target (log(target) - log_probs) + exp(log_probs) - target) along an axis: convex in both.
    reduction: what becomes of the losses (mean, sum, none)"""
def geomspace(start: float, stop: float, n: int, dtype: DTypeLike = ...) -> Array:
    """n numbers from start to stop, each the same multiple of the one before; neither is 0 and both have one sign."""
def global_avg_pool(x: ArrayLike, data_format: str = ..., keepdims: builtins.bool = ...) -> Array:
    """The mean of each channel of x with 1 to 3 spatial axes: [N, C], or with axes of size 1 if keepdims.
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
    keepdims: the spatial axes stay, with size 1"""
def global_max_pool(x: ArrayLike, data_format: str = ..., keepdims: builtins.bool = ...) -> Array:
    """The largest element of each channel of x with 1 to 3 spatial axes: [N, C], or with axes of size 1 if keepdims.
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
    keepdims: the spatial axes stay, with size 1"""
def glu(x: ArrayLike, axis: int = ...) -> Array:
    """The first half of x along an axis times the sigmoid of the second."""
def grad(fn: Callable[..., Any], argnums: int | Sequence[int] = ..., has_aux: builtins.bool = ...) -> Callable[..., Any]:
    """A function that returns the gradients of fn, a scalar, by arguments; with has_aux, (gradients, anything)."""
def gradient(x: ArrayLike, at: ArrayLike | None = ..., axis: int = ..., spacing: float = ..., edge_order: int = ...) -> Array:
    """Derivative of samples x along an axis: central differences, one-sided ones at both ends; the samples are at the positions `at`, or spacing apart; not to be confused with vinea.grad.
    edge_order: order of the differences at both ends"""
def gradient_descent_update(w: ArrayLike, dcdw: ArrayLike, lr: ArrayLike, keep_gradients: builtins.bool = ...) -> Array:
    """w - lr * dcdw, without history unless gradients are kept.
    keep_gradients: the results keep their history"""
def gram_matrix_loss(x: ArrayLike, y: ArrayLike, reduction: str = ...) -> Array:
    """The style of pictures by features x and y (n, ..., channels) of a network: the sum of squared differences of their Gram matrices F^T F over the places, divided by 4 (places channels)^2; vinea.feature_distance adds up layers.
    reduction: what becomes of the losses (mean, sum, none)"""
def greater(x: ArrayLike, y: ArrayLike) -> Array:
    """x > y, broadcast."""
def greater_equal(x: ArrayLike, y: ArrayLike) -> Array:
    """x >= y, broadcast."""
def grey_dilation(x: ArrayLike, kernel: ArrayLike) -> Array:
    """The largest of the neighbours of each pixel where the kernel [h, w], with its middle at the pixel, is true; what is outside does not count."""
def grey_erosion(x: ArrayLike, kernel: ArrayLike) -> Array:
    """The smallest of them."""
def grid_sample(x: ArrayLike, grid: ArrayLike, interpolation: str = ..., padding: str = ..., align_corners: builtins.bool = ..., data_format: str = ...) -> Array:
    """x at the places of a grid [N, h, w, 2], horizontal and vertical ones from -1 to 1: [N, h, w, C], or [N, C, h, w] of NCHW.
    interpolation: between the four neighbours, or the nearest one (bilinear, nearest)
    padding: what is outside x (zeros, border, reflection)
    align_corners: -1 and 1 are the centres of the first and the last element, not their outer edges
    data_format: where x has its channels (NHWC, NCHW)"""
def group_norm(x: ArrayLike, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., *, groups: int, axis: int = ..., epsilon: float = ...) -> Array:
    """x with mean 0 and variance 1 over each group of channels (axis) and all other axes but the first, times weight, plus bias, per channel."""
def gru(x: ArrayLike, h: ArrayLike, w_input: ArrayLike, w_recurrent: ArrayLike, bias_input: ArrayLike | None = ..., bias_recurrent: ArrayLike | None = ..., reverse: builtins.bool = ...) -> gru_result:
    """Gated recurrent unit over x (T, B, I) from state h (B, H); weights (I, 3H), (H, 3H) and biases (3H) in the order r, z, n, with n = tanh(.. + r (h w + b)); gives all h and the last one.
        reverse: from the last step to the first
    Returns y, last_h."""
def gru_update(x: ArrayLike, init_h: ArrayLike, kernel: ArrayLike, recurrent_kernel: ArrayLike, bias: ArrayLike | None = ..., recurrent_bias: ArrayLike | None = ..., time_major: builtins.bool = ...) -> gru_update_result:
    """Gru over x (batch..., steps, features), or (steps, batch..., features) if time_major, from a state (batch..., size); kernels (features, 3 size), (size, 3 size) and biases (3 size) in the order r, z, n; all h and the last one.
        time_major: x is (steps, batch..., features)
    Returns h, last_h."""
def hadamard_transform(x: ArrayLike, scale: float | None = ...) -> Array:
    """x times a Hadamard matrix along the last axis, of n = m 2^k elements with m 1, 12, 20 or 28, then times a scale, 1 / sqrt(n) unless given: the Kronecker product of Sloane's matrix of m rows and that of Sylvester.
    scale: the result is multiplied by it; 1 / sqrt(n) for n elements along the axis unless given"""
def hamming_window(n: int, dtype: DTypeLike = ..., periodic: builtins.bool = ..., alpha: float = ..., beta: float = ...) -> Array:
    """The window of Hamming: alpha - beta cos(2 pi j / (n - 1)).
    periodic: the first n elements of the window of n + 1, for Fourier transforms
    alpha: its mean
    beta: how much it goes up and down"""
def hann_window(n: int, dtype: DTypeLike = ..., periodic: builtins.bool = ...) -> Array:
    """The window of Hann: (1 - cos(2 pi j / (n - 1))) / 2.
    periodic: the first n elements of the window of n + 1, for Fourier transforms"""
def hardshrink(x: ArrayLike, bound: float = ...) -> Array:
    """x, 0 within the bound."""
def hardsigmoid(x: ArrayLike) -> Array:
    """x / 6 + 1 / 2 kept between 0 and 1; at -3 and 3 its gradient is half the slope, 1 / 12."""
def hardswish(x: ArrayLike) -> Array:
    """x hardsigmoid(x), also in its gradient: -1 / 4 at -3, 5 / 4 at 3."""
def hardtanh(x: ArrayLike, min: float = ..., max: float = ...) -> Array:
    """x kept between min and max; at a bound the derivative is one half."""
def has_nans(x: ArrayLike, or_infinite: builtins.bool = ...) -> Array:
    """True if any element is NaN.
    or_infinite: infinities count too"""
def hash_bins(x: ArrayLike, bins: int, salt: int = ...) -> Array:
    """A bin (int64) from 0 to bins - 1 for each integer, by its hash; another salt gives other ones."""
def hashed_cross(xs: Sequence[ArrayLike], bins: int, salt: int = ...) -> Array:
    """A bin (int64) for each combination of integers at the same place of arrays, which broadcast."""
def heaviside(x: ArrayLike, y: ArrayLike) -> Array:
    """0 where x is below 0, 1 where it is above, y where it is 0, broadcast; NaN for NaN."""
def hessian(fn: Callable[..., Any], argnums: int | Sequence[int] = ...) -> Callable[..., Any]:
    """A function that returns the second derivatives of a scalar fn by an argument: an array of shape x.shape + x.shape. For a tree, the
    tree of the argument with the same tree in each place."""
def higher_order_moment(x: ArrayLike, order: int) -> Array:
    """The mean over the first axis of products of `order` elements of each sample: (features ..., repeated order times)."""
def hinge_embedding_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., margin: float = ..., reduction: str = ...) -> Array:
    """The distance x where target is above 0, else what it lacks of margin; times weight.
    reduction: what becomes of the losses (mean, sum, none)"""
def hinge_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """1 - x target where that is above 0, else 0; targets are -1 and 1.
    reduction: what becomes of the losses (mean, sum, none)"""
def histogram(x: ArrayLike, edges: ArrayLike | None = ..., weights: ArrayLike | None = ..., bins: int = ..., low: float | None = ..., high: float | None = ..., density: builtins.bool = ...) -> histogram_result:
    """How many elements of x are in each bin, or the sum of their weights, and the ascending limits of the bins: the edges if they are given, otherwise of bins of equal width; a bin includes its lower limit, the last one both; elements outside are left out.
        low: where the first bin begins; at the smallest element unless given
        high: where the last bin ends, itself included; at the largest element unless given
        density: divided by the sum of all and by the width of the bin
    Returns counts, limits."""
def hsv_to_rgb(x: ArrayLike) -> Array:
    """Red, green and blue of hue, saturation and value (..., 3)."""
def huber_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., delta: float = ..., reduction: str = ...) -> Array:
    """Half the square of x - target up to delta, straight lines from there.
    reduction: what becomes of the losses (mean, sum, none)"""
def hypot(x: ArrayLike, y: ArrayLike) -> Array:
    """Sqrt(x^2 + y^2), without overflow, broadcast."""
def i0(x: ArrayLike) -> Array:
    """The modified Bessel function of the first kind, of order 0."""
def i0e(x: ArrayLike) -> Array:
    """Exp(-|x|) i0(x)."""
def i1(x: ArrayLike) -> Array:
    """The modified Bessel function of the first kind, of order 1."""
def i1e(x: ArrayLike) -> Array:
    """Exp(-|x|) i1(x)."""
def idct(x: ArrayLike, type: int = ..., axis: int = ..., n: int | None = ..., norm: str = ...) -> Array:
    """The inverse of dct of the same type and norm.
    n: the length of the transform; x is cut to it, or padded with zeros; that of x unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
def igamma(a: ArrayLike, x: ArrayLike) -> Array:
    """The regularised lower incomplete gamma function, the part of gamma(a) that comes from numbers below x, broadcast; NaN for a or x below 0."""
def igammac(a: ArrayLike, x: ArrayLike) -> Array:
    """1 - gammainc(a, x), accurate where that is small."""
def iinfo(type: Any, /) -> Any:
    """Limits of an integer dtype."""
def imag(x: ArrayLike) -> Array:
    """The imaginary part; 0 for real numbers."""
def index_add(x: ArrayLike, index: ArrayLike, y: ArrayLike, axis: int) -> Array:
    """x with y, of the shape take gives or broadcast to it, added at these positions of an axis, all of them where positions repeat; out of range nothing happens."""
def index_put(x: ArrayLike, index: ArrayLike, y: ArrayLike, axes: int | Sequence[int] | None = ..., add: builtins.bool = ...) -> Array:
    """x with the parts that gather_nd would read replaced by y, broadcast, or y added to them; the last one counts where positions repeat; out of range nothing happens.
    add: elements of y are added to those of x instead of replacing them"""
def index_set(x: ArrayLike, index: ArrayLike, y: ArrayLike, axis: int) -> Array:
    """x with its slices at these positions of an axis replaced by y, broadcast; the last one counts where positions repeat; out of range nothing happens."""
def indices(shape: int | Sequence[int], last: builtins.bool = ...) -> Array:
    """The positions of all elements of an array of this shape: (rank, shape ...).
    last: the number of the axis is the last axis instead of the first"""
inf: float
def instance_norm(x: ArrayLike, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., axis: int = ..., epsilon: float = ...) -> instance_norm_result:
    """Each channel (axis) of each entry of the batch (axis 0) with mean 0 and variance 1, times weight, plus bias; the other results are mean and variance, (N, C).
    Returns y, mean, variance."""
int16: DType
int32: DType
int64: DType
int8: DType
def interp(x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: ArrayLike | None = ..., right: ArrayLike | None = ..., period: float = ...) -> Array:
    """The function with values fp at the ascending positions xp, linear in between, at x; before the first position left, after the last one right, unless given the first and last values.
    period: positions are taken modulo this; 0: they are not"""
def interpolate(x: ArrayLike, size: int | Sequence[int], mode: str = ..., align_corners: builtins.bool = ..., data_format: str = ..., antialias: builtins.bool = ...) -> Array:
    """x with 1 to 3 spatial axes at other sizes; mode nearest (element floor(j n / m)), nearest_exact (floor((j + 1/2) n / m)), linear or cubic, between elements at (j + 1/2) n / m - 1/2, or j (n - 1) / (m - 1) if align_corners; beyond the ends they go on; area as adaptive_avg_pool; cubic_keys (cubic with a = -1/2) and lanczos as scale_and_translate.
    mode: between elements; area: the mean of those that an element of the result covers (linear, nearest, nearest_exact, cubic, area, cubic_keys, lanczos3, lanczos5)
    align_corners: the first and last elements stay where they are
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
    antialias: smaller sizes take from all elements that they cover: linear, cubic (as cubic_keys), lanczos"""
def inv(x: ArrayLike) -> Array:
    """The inverse of matrices; inf or NaN for singular ones."""
def inverse_pth_root(x: ArrayLike, p: int, ridge: float = ...) -> Array:
    """x^(-1/p) of symmetric or Hermitian matrices without negative eigenvalues, to which ridge times the largest is added first; only the lower triangle is read."""
def iou(x: ArrayLike, target: ArrayLike, classes: int, average: str = ...) -> Array:
    """Those that x takes for a class and are of it, divided by those that either is true of; floats instead of class numbers have a last axis of classes, the largest of which is meant; averages as in precision, but macro is over the classes that occur.
    average: over the classes (macro, micro, weighted, none)"""
def isclose(x: ArrayLike, y: ArrayLike, rtol: float = ..., atol: float = ..., equal_nan: builtins.bool = ...) -> Array:
    """True where |x - y| <= atol + rtol |y|, in float64, broadcast; an infinity is close only to itself.
    rtol: the part of |y| by which they may differ
    atol: and this much besides
    equal_nan: NaN is close to NaN"""
def isdtype(dtype: DTypeLike | None, kind: Any) -> builtins.bool:
    """Whether a dtype is of a kind: a dtype, 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating',
    'numeric', or a tuple of these."""
def isfinite(x: ArrayLike) -> Array:
    """True where x is neither NaN nor an infinity."""
def isin(x1: ArrayLike, x2: ArrayLike, /, *, invert: Any = ...) -> Array:
    """True where an element of x is among the values; NaN never is.
    invert: true where it is not"""
def isinf(x: ArrayLike) -> Array:
    """True where x is an infinity."""
def isnan(x: ArrayLike) -> Array:
    """True where x is NaN."""
def isneginf(x: ArrayLike) -> Array:
    """True where x is -inf."""
def isposinf(x: ArrayLike) -> Array:
    """True where x is inf."""
def isreal(x: ArrayLike) -> Array:
    """True where x has no imaginary part, or one of 0."""
def istft(x: ArrayLike, window: ArrayLike | None = ..., *, length: int, step: int, n: int | None = ..., norm: str = ..., two_sided: builtins.bool = ..., center: builtins.bool = ..., samples: int | None = ...) -> Array:
    """The signal [..., samples] whose stft is x [..., frames, n / 2 + 1], or nearest to it: inverse transforms times the window, added up where frames overlap, divided by the sum of the squares of the windows where that is above 1e-10.
    n: the length of the transforms; the frame's unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)
    two_sided: x has all n frequencies, and the result is complex
    center: half a frame is cut off on both sides
    samples: the number of samples; what follows the last frame is 0; as many as the frames cover unless given"""
def jacobian(fn: Callable[..., Any], argnums: int | Sequence[int] = ...) -> Callable[..., Any]:
    """A function that returns the derivatives of fn's result by an argument: an array of shape y.shape + x.shape. For trees, the tree of
    the result with the tree of the argument in each place; for several arguments, a tuple."""
def jit(fn: _F) -> _F:
    """Records fn once for each combination of shapes, dtypes and engine of its arrays, and then runs the recorded program. Arguments and
    results are trees; arrays of other libraries among the arguments become Vinea's. What is not an array is a constant of the program and must be hashable;
    the programs of the last 1024 combinations of constants are kept, so numbers that change at every call are better given as arrays. Arrays and modules that fn takes from outside
    may change: then it is recorded again, as where a number becomes an array. Numbers from outside are constants. fn must not need values, and
    random numbers inside need a key, which is an argument."""
def jvp(fn: Callable[..., Any], x: ArrayLike, tangent: Any) -> tuple[Any, Any]:
    """fn(x), and the Jacobian of fn at x times the tangent, a tree as x: a tree as fn(x)."""
def kaiser_bessel_derived_window(n: int, beta: float = ..., dtype: DTypeLike = ...) -> Array:
    """The roots of running sums of the window of Kaiser of n / 2 + 1 elements, divided by its sum, and their mirror image; n is even."""
def kaiser_window(n: int, beta: float = ..., dtype: DTypeLike = ..., periodic: builtins.bool = ...) -> Array:
    """The window of Kaiser: i0(beta sqrt(1 - (2 j / (n - 1) - 1)^2)) / i0(beta).
    periodic: the first n elements of the window of n + 1, for Fourier transforms"""
def khatri_rao(xs: Sequence[ArrayLike]) -> Array:
    """Kronecker products column by column of matrices with as many columns each: all products of their rows."""
def kl_div(log_probs: ArrayLike, target: ArrayLike, log_target: builtins.bool = ..., reduction: str = ...) -> Array:
    """target (log(target) - log_probs), elementwise, 0 where target is 0; target may be logarithms too; the mean is that of all elements, batchmean the sum divided by the size of the first axis.
    log_target: target are logarithms
    reduction: what becomes of the losses (mean, sum, none, batchmean)"""
def kron(x: ArrayLike, y: ArrayLike) -> Array:
    """The Kronecker product: y times each element of x, axis by axis; the lower rank has ones before it."""
def l1_l2_penalty(x: ArrayLike, l1: float = ..., l2: float = ...) -> Array:
    """l1 times the sum of absolute values plus l2 times the sum of squares, to be added to a loss."""
def l2_normalize(x: ArrayLike, axes: int | Sequence[int], epsilon: float = ...) -> Array:
    """x divided by the norm of its vectors over axes, or by epsilon where that is larger."""
def lamb_update(w: ArrayLike, dcdw: ArrayLike, lr: ArrayLike, mw_tm1: ArrayLike, vw_tm1: ArrayLike, step: ArrayLike, beta1: float = ..., beta2: float = ..., epsilon: float = ..., paper: builtins.bool = ..., max_trust_ratio: float | None = ..., decay_lambda: float = ..., min_denominator: float = ..., keep_gradients: builtins.bool = ...) -> lamb_update_result:
    """w - lr * r * adam_step with the trust ratio r = |w| / |adam_step + decay_lambda w|, at most max_trust_ratio (10, or no limit in the paper's variant, unless given).
        beta1: decay of the mean of gradients
        beta2: decay of the mean of their squares
        epsilon: keeps the denominator away from 0
        paper: epsilon as in the paper, not folded into the rate
        max_trust_ratio: the largest trust ratio; 10 unless given, without limit as in the paper
        decay_lambda: weight decay
        min_denominator: the least that lengths are divided by
        keep_gradients: the results keep their history
    Returns w_new, m, v."""
def lars_update(w: ArrayLike, dcdw: ArrayLike, lr: ArrayLike, decay_lambda: float = ..., min_denominator: float = ..., paper: builtins.bool = ..., keep_gradients: builtins.bool = ...) -> Array:
    """A step scaled by |w| / |dcdw|, or by 1 / (decay_lambda |dcdw|); or as in the paper; lengths do not overflow.
    decay_lambda: weight decay
    min_denominator: the least that lengths are divided by
    paper: the paper's formula; the step is scaled by 1 where w or dcdw is all zeros
    keep_gradients: the results keep their history"""
def layer_norm(x: ArrayLike, weight: ArrayLike | None = ..., bias: ArrayLike | None = ..., *, axes: int | Sequence[int], epsilon: float = ...) -> Array:
    """x with mean 0 and variance 1 over axes, times weight, plus bias, which have the sizes of these axes."""
def lcm(x: ArrayLike, y: ArrayLike) -> Array:
    """The least common multiple of the sizes of two integers, broadcast; 0 where one is 0; wraps around."""
def ldexp(x: ArrayLike, exponent: ArrayLike) -> Array:
    """x times 2^exponent, an integer, broadcast, rounded once."""
def leaky_relu(x: ArrayLike, slope: float = ...) -> Array:
    """x where it is above 0, else slope x."""
def lerp(x: ArrayLike, y: ArrayLike, weight: ArrayLike) -> Array:
    """x + weight (y - x): x for weight 0, y for weight 1."""
def less(x: ArrayLike, y: ArrayLike) -> Array:
    """x < y, broadcast."""
def less_equal(x: ArrayLike, y: ArrayLike) -> Array:
    """x <= y, broadcast."""
def lexsort(keys: Sequence[ArrayLike], axis: int = ...) -> Array:
    """Positions that sort by the last key along an axis, equal ones by the key before it and so on; stable, NaN is the largest."""
def lgamma(x: ArrayLike) -> Array:
    """The logarithm of the size of the gamma function; infinite at 0 and at whole numbers below."""
from . import linalg as linalg
def linear(x: ArrayLike, weight: ArrayLike, bias: ArrayLike | None = ...) -> Array:
    """x weight^T + bias: x (outer..., inner..., in), weight (outer..., out, in), bias (outer..., out); one weight matrix for each entry of the outer axes, which may be none."""
def linear_sum_assignment(costs: ArrayLike, maximize: builtins.bool = ...) -> linear_sum_assignment_result:
    """Pairs of a row and a column of a matrix, none of them twice and as many as there can be, whose elements have the smallest sum (the Hungarian problem); rows ascend; inf marks pairs that must not be; computes it at once.
        maximize: the largest sum instead of the smallest
    Returns rows, columns."""
def linspace(start: Any, stop: Any, /, num: Any, dtype: DTypeLike | None = ..., device: str | None = ..., endpoint: Any = ...) -> Array:
    """n equally spaced numbers from start to stop.
    no_endpoint: stop is not among the numbers: it would follow the last one
    start_imag: the imaginary part of start, for complex dtypes
    stop_imag: the imaginary part of stop, for complex dtypes"""
def load(path: Any, copy: builtins.bool | None = ...) -> Any:
    """What is in a safetensors or npz file as nested dicts of arrays, in a .npy file the array. Values are read when they are used, so the file must not change
    until then, but may be replaced; with copy they are read now."""
def local_response_norm(x: ArrayLike, size: int = ..., axis: int = ..., alpha: float = ..., beta: float = ..., bias: float = ..., sum: builtins.bool = ...) -> Array:
    """x / (bias + alpha mean(x^2))^beta, over as many neighbours along an axis as size says; zeros are outside.
    alpha: times the mean of squares
    beta: the power of the denominator
    bias: added to it
    sum: the sum of squares, not their mean"""
def log(x: ArrayLike) -> Array:
    """Natural logarithm; -inf at 0, NaN below."""
def log10(x: ArrayLike) -> Array:
    """Logarithm to base 10."""
def log1p(x: ArrayLike) -> Array:
    """Natural logarithm of 1 + x, accurate near 0."""
def log2(x: ArrayLike) -> Array:
    """Logarithm to base 2."""
def log_cosh_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """Log(cosh(x - target)), times weight: a parabola near 0, lines far away.
    reduction: what becomes of the losses (mean, sum, none)"""
def log_poisson_loss(x: ArrayLike, target: ArrayLike, full: builtins.bool = ..., reduction: str = ...) -> Array:
    """poisson_nll_loss of x, the logarithm of the rate.
    full: with Stirling's approximation of log(target!)
    reduction: what becomes of the losses (mean, sum, none)"""
def log_sigmoid(x: ArrayLike) -> Array:
    """Log(sigmoid(x)), without overflow."""
def log_softmax(x: ArrayLike, axis: int) -> Array:
    """Logarithm of softmax along an axis, accurate."""
def logaddexp(x: ArrayLike, y: ArrayLike) -> Array:
    """Log(exp(x) + exp(y)), without overflow, broadcast."""
def logaddexp2(x: ArrayLike, y: ArrayLike) -> Array:
    """Log2(2^x + 2^y), without overflow, broadcast."""
def logcumsumexp(x: ArrayLike, axis: int, reverse: builtins.bool = ...) -> Array:
    """Logarithm of the running sum of exponentials along an axis, without overflow; added in float64.
    reverse: from the end"""
def logical_and(x: ArrayLike, y: ArrayLike) -> Array:
    """True where x and y are not zero, broadcast."""
def logical_not(x: ArrayLike) -> Array:
    """True where x is zero."""
def logical_or(x: ArrayLike, y: ArrayLike) -> Array:
    """True where x or y is not zero, broadcast."""
def logical_xor(x: ArrayLike, y: ArrayLike) -> Array:
    """True where one of x and y is not zero, broadcast."""
def logit(x: ArrayLike, epsilon: float = ...) -> Array:
    """Log(x / (1 - x)), the inverse of sigmoid; NaN outside [0, 1].
    epsilon: x is kept between epsilon and 1 - epsilon first"""
def logspace(start: float, stop: float, n: int, dtype: DTypeLike = ..., base: float = ..., no_endpoint: builtins.bool = ...) -> Array:
    """n powers of the base, with equally spaced exponents from start to stop.
    base: of the powers
    no_endpoint: the power of stop is not among the numbers: it would follow the last one"""
def logsumexp(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Logarithm of the sum of exponentials over axes, without overflow."""
def lookup(x: ArrayLike, vocabulary: ArrayLike, unknown: int = ..., from_end: builtins.bool = ...) -> Array:
    """Positions (int64) of the elements of x in a vocabulary (n) of the same dtype, whose first one counts if it is there twice, plus the numbers that stand for what is not in it.
    unknown: how many numbers stand for what is not in the vocabulary, before its own; with several a number takes one by its hash, with 0 it is -1
    from_end: those numbers come after the vocabulary's own"""
def lp_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., p: float = ..., reduction: str = ...) -> Array:
    """|x - target|^p, times weight.
    reduction: what becomes of the losses (mean, sum, none)"""
def lp_normalize(x: ArrayLike, axes: int | Sequence[int], p: float = ..., epsilon: float = ...) -> Array:
    """x divided by its norm p over axes, at least epsilon."""
def lpips(x: ArrayLike, y: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """Learned perceptual distance of features x and y (n, ..., channels): the mean over places of the sum over channels of weight (channels) times squared differences of features that are divided by their length at each place; vinea.feature_distance adds up layers.
    reduction: what becomes of the losses (mean, sum, none)"""
def lstm(x: ArrayLike, h: ArrayLike, c: ArrayLike, w_input: ArrayLike, w_recurrent: ArrayLike, bias: ArrayLike | None = ..., reverse: builtins.bool = ...) -> lstm_result:
    """Long short-term memory over x (T, B, I) from states h, c (B, H); weights (I, 4H), (H, 4H) and bias (4H) in the order i, f, g, o; gives all h and the last h, c; no steps give h, c.
        reverse: from the last step to the first
    Returns y, last_h, last_c."""
def lstm_update(x: ArrayLike, init_h: ArrayLike, init_c: ArrayLike, kernel: ArrayLike, recurrent_kernel: ArrayLike, bias: ArrayLike | None = ..., recurrent_bias: ArrayLike | None = ..., time_major: builtins.bool = ...) -> lstm_update_result:
    """Lstm over x (batch..., steps, features), or (steps, batch..., features) if time_major, from states (batch..., size); kernels (features, 4 size), (size, 4 size) and biases (4 size) in the order i, f, g, o; all h, the last h and c.
        time_major: x is (steps, batch..., features)
    Returns h, last_h, last_c."""
def lstsq(a: Any, b: Any, rcond: Any | None = ..., *, rtol: Any | None = ...) -> Array:
    """The x of smallest length for which a x is nearest to b, a vector or matrices; the sums of squares of b - a x; the rank of a; its singular
    values, of which those up to rtol times the largest count as 0. NumPy calls it rcond; below 0 that is the dtype's epsilon."""
def lu(x: ArrayLike) -> lu_result:
    """Partial pivoting of square matrices: u and, below its diagonal, l without its ones; which row of x each row was.
    Returns lu, permutation."""
def lu_solve(lu: ArrayLike, permutation: ArrayLike, b: ArrayLike) -> Array:
    """x with a x = b, where lu and permutation are those of a (vinea.lu); b is a vector, or matrices, and batch axes broadcast."""
def mae_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """|x - target|, times weight; the mean, the sum, or each (none).
    reduction: what becomes of the losses (mean, sum, none)"""
def map_coordinates(x: ArrayLike, at: ArrayLike, interpolation: str = ..., mode: str = ..., value: float = ...) -> Array:
    """x at places between its elements: at (rank of x, ...) has a coordinate for each axis; 0 is the first element.
    interpolation: between the neighbours in all directions, or the nearest one (bilinear, nearest)
    mode: what is outside x: a value; its edge; x again; x mirrored at the centre of the last element, or at its edge (constant, nearest, wrap, mirror, reflect)
    value: of what is outside, if constant"""
def mape_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """100 |x - target| / |target|, times weight; |target| counts as 1e-7 at least.
    reduction: what becomes of the losses (mean, sum, none)"""
def margin_ranking_loss(x: ArrayLike, y: ArrayLike, target: ArrayLike, margin: float = ..., reduction: str = ...) -> Array:
    """margin - target (x - y) where that is above 0, else 0: target is 1 where x, -1 where y should rank higher.
    reduction: what becomes of the losses (mean, sum, none)"""
def mask(x: ArrayLike, mask: ArrayLike) -> Array:
    """The elements of x where the mask holds, whose shape is that of the first axes of x, or has sizes of 0 among them; computes the mask at once."""
def mask_sized(x: ArrayLike, mask: ArrayLike, size: int, fill: float = ...) -> Array:
    """The first elements that mask gives, as many as size; after the last one fill."""
def masked_steps(x: ArrayLike, value: float = ...) -> Array:
    """x with zeros at the steps (..., steps, features) whose features are all this value, which stands for what is missing."""
def matmul(x: ArrayLike, y: ArrayLike) -> Array:
    """Matrix product over the last two axes, batch axes broadcast; vectors as in the Array API standard."""
def matmul_precision(mode: Any | None = ...) -> str:
    """How exactly this thread computes float32 products from now on: "exact", the default, "split", "fast", "tf32" or "bf16", as far as its engines have it.
    Returns the mode before; None changes nothing."""
def matricize(x: ArrayLike, rows: int | Sequence[int], columns: int | Sequence[int] | None = ...) -> Array:
    """x as a matrix: these axes, in this order, are its rows, those its columns; all other axes unless given."""
def matrix_exp(x: ArrayLike) -> Array:
    """The exponential of square matrices, the sum of x^k / k!, by scaling and squaring; NaN where the largest sum of a column's absolute values is above 350000."""
def matrix_norm(x: ArrayLike, /, *, keepdims: builtins.bool = ..., ord: Any = ...) -> Array:
    """Norms of matrices: fro (Frobenius), nuc (sum of singular values), 1 and -1 (largest and smallest sum of a column's absolute values), inf and -inf (of a row's), 2 and -2 (largest and smallest singular value); of empty matrices 0, or inf for the negative ones.
    order: which norm (fro, nuc, 1, -1, inf, -inf, 2, -2)
    keepdims: the last two axes stay, with size 1"""
def matrix_power(x: ArrayLike, n: int) -> Array:
    """x multiplied n times by itself; of the inverse where n is negative, the identity where it is 0."""
def matrix_rank(x: ArrayLike, /, *, rtol: Any | None = ...) -> Array:
    """How many singular values are above rtol, a number or one for each matrix, times the largest (the larger size times the dtype's epsilon unless given)."""
def matrix_transpose(x: ArrayLike) -> Array:
    """x with its last two axes exchanged."""
def max(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Largest element over axes; NaN wins; ties share the gradient."""
def max_pool(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """The largest element of each window of x [N, in..., C], NaN wins; padding never does (a window of padding alone gives -inf, the smallest integer); strides are the window's size if not given; the gradient goes to the first of equal elements.
    strides: steps of the window; the window's own sizes unless given
    pads: (low, high) for each spatial axis
    dilations: distances between the elements of a window; 1 unless given"""
def max_pool1d(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """The largest element of each window of x with 1 spatial axis; padding SAME or VALID unless pads gives (low, high) for each axis, or one number for all; strides are the window if not given; padding itself as in max_pool.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def max_pool2d(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """The largest element of each window of x with 2 spatial axes; options as in max_pool1d.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def max_pool3d(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """The largest element of each window of x with 3 spatial axes; options as in max_pool1d.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def max_pool_with_indices(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> max_pool_with_indices_result:
    """max_pool1d, 2d or 3d, and the number of the place of each maximum along the spatial axes of x, in row-major order; -1 for a window of padding alone.
        strides: steps of the window; the window's own sizes unless given
        padding: how x is padded unless pads are given (VALID, SAME)
        pads: padding (low, high) for each spatial axis, or one number for all
        data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
        dilations: distances between the elements of a window; one number serves all; 1 unless given
    Returns y, index."""
def max_unpool(x: ArrayLike, index: ArrayLike, size: int | Sequence[int], data_format: str = ...) -> Array:
    """x at the places that max_pool_with_indices gave, in an array of these spatial sizes with zeros elsewhere; places below 0 are none; of several at one place the last counts.
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
def max_with_index(x: ArrayLike, axis: int = ...) -> max_with_index_result:
    """The largest element along an axis and the position of the first of its kind, both with size 1 there; NaN wins.
    Returns values, indices."""
def maximum(x: ArrayLike, y: ArrayLike) -> Array:
    """The larger of x and y, broadcast; NaN wins; ties share the gradient."""
def mean(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Arithmetic mean over axes."""
def mean_of(xs: Sequence[ArrayLike]) -> Array:
    """The mean of several arrays, element by element; they broadcast."""
def median(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """The middle element over axes, or the mean of the two in the middle."""
def median_filter(x: ArrayLike, height: int = ..., width: int = ...) -> Array:
    """The median of the window around each pixel; outside there is the edge."""
def median_with_index(x: ArrayLike, axis: int = ...) -> median_with_index_result:
    """The middle element along an axis, the lower of two, and its position, both with size 1 there; NaN wins.
    Returns values, indices."""
def mel_weights(bands: int, bins: int, sample_rate: float, dtype: DTypeLike = ..., low: float = ..., high: float | None = ...) -> Array:
    """The matrix (bins, bands) that turns spectra from 0 to half the sample rate into bands: triangles of equal width on the mel scale, 1 in their middle; bin 0 belongs to none.
    low: the lower end of the first band, in Hertz
    high: the upper end of the last band, in Hertz; half the sample rate unless given"""
def memory(limit: Any | None = ...) -> dict[str, int]:
    """What Vinea holds: bytes used, at the peak, cached; arrays (handles) and recorded ops (nodes) alive. A limit of bytes, 0 for none, stays: what exceeds it
    is a MemoryError."""
def meshgrid(*arrays: Any, indexing: Any = ...) -> tuple[Array, ...]:
    """Vectors as arrays of as many axes, each along one of them."""
def meshgrid_stack(xs: Sequence[ArrayLike]) -> Array:
    """All combinations of elements of vectors: (n0, n1 ..., vectors)."""
def min(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Smallest element over axes; NaN wins; ties share the gradient."""
def min_max_norm(x: ArrayLike, axes: int | Sequence[int], max_value: float = ..., min_value: float = ..., rate: float = ...) -> Array:
    """x with its vectors over axes brought to lengths from min_value to max_value, as a constraint of weights; 1e-7 is added to lengths they are divided by.
    max_value: longer vectors are scaled down to this
    min_value: shorter ones up to this
    rate: how far: 1 is all the way"""
def min_with_index(x: ArrayLike, axis: int = ...) -> min_with_index_result:
    """The smallest element along an axis and the position of the first of its kind, both with size 1 there; NaN wins.
    Returns values, indices."""
def minimum(x: ArrayLike, y: ArrayLike) -> Array:
    """The smaller of x and y, broadcast; NaN wins; ties share the gradient."""
def mish(x: ArrayLike) -> Array:
    """x tanh(softplus(x))."""
def mode_dot(x: ArrayLike, y: ArrayLike, mode: int) -> Array:
    """The matrix y times axis `mode` of x, which gets as many elements as y has rows; a vector removes the axis."""
def modf(x: ArrayLike) -> modf_result:
    """x in two parts, both with its sign: what follows the point, and trunc(x); an infinity has no fraction.
    Returns fraction, whole."""
def moveaxis(x: ArrayLike, source: Any, destination: Any, /) -> Array:
    """Axes source at the places destination, the others in their order."""
def ms_ssim(x: ArrayLike, y: ArrayLike, max_val: float = ..., filter_size: int = ..., filter_sigma: float = ..., k1: float = ..., k2: float = ..., scales: int = ...) -> Array:
    """The structural similarity of images x and y at several scales: [N], the product of the contrasts of all and the brightness of the last, each to its power.
    filter_size: of the Gaussian filter
    filter_sigma: its deviation
    k1: keeps the ratio of brightnesses away from 0 / 0
    k2: that of contrasts
    scales: how many sizes, each half of the one before; their powers are 0.0448, 0.2856, 0.3001, 0.2363 and 0.1333"""
def mse_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """(x - target)^2, times weight; the mean, the sum, or each (none).
    reduction: what becomes of the losses (mean, sum, none)"""
def msle_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """(log(1 + x) - log(1 + target))^2, times weight; x and target count as 1e-7 at least.
    reduction: what becomes of the losses (mean, sum, none)"""
def mul(x: ArrayLike, y: ArrayLike) -> Array:
    """x * y, broadcast."""
def multi_dot(xs: Sequence[ArrayLike]) -> Array:
    """The product of two or more matrices, in the order that takes the fewest multiplications; the first and the last may be vectors."""
def multi_hot(index: ArrayLike, size: int, dtype: DTypeLike = ...) -> Array:
    """1 at every position that the last axis of the index names, 0 elsewhere: (..., size); positions outside name none."""
def multi_margin_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., margin: float = ..., squared: builtins.bool = ..., reduction: str = ...) -> Array:
    """The sum over the other classes of what x is above x at the target less margin, divided by the number of classes.
    squared: each margin is squared
    reduction: what becomes of the losses (mean, sum, none)"""
def multi_mode_dot(xs: Sequence[ArrayLike], modes: int | Sequence[int] | None = ..., transpose: builtins.bool = ...) -> Array:
    """The first array, an axis of which each matrix behind it multiplies, as mode_dot; a vector removes its axis.
    modes: the axis that each matrix belongs to; 0, 1, 2 ... unless given
    transpose: transposed matrices, conjugated if they are complex"""
def multiclass_hinge_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """Max(x + 1 - target) - sum(target x) over the classes (Crammer and Singer).
    reduction: what becomes of the losses (mean, sum, none)"""
def multiclass_perceptron_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """Max(x) - sum(target x) over the classes.
    reduction: what becomes of the losses (mean, sum, none)"""
def multiclass_sparsemax_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """Sum(p x) + (1 - sum(p^2)) / 2 - sum(target x) over the classes, with p = sparsemax(x).
    reduction: what becomes of the losses (mean, sum, none)"""
def multiply(x: ArrayLike, y: ArrayLike) -> Array:
    """x * y, broadcast."""
nan: float
def nan_to_num(x: ArrayLike, nan: float = ..., posinf: float | None = ..., neginf: float | None = ...) -> Array:
    """x with numbers in place of NaN and infinities, of a complex number in both parts; integers stay as they are.
    nan: in place of NaN
    posinf: in place of infinity; the largest number of the dtype unless given
    neginf: in place of -infinity; the smallest number of the dtype unless given"""
def nanargmax(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Argmax without NaN; -1 if there is nothing else."""
def nanargmin(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Argmin without NaN; -1 if there is nothing else."""
def nancumprod(x: ArrayLike, axis: int, reverse: builtins.bool = ..., include_initial: builtins.bool = ...) -> Array:
    """cumulative_prod with 1 in place of NaN.
    reverse: from the end
    include_initial: the sum or product of no elements comes first, so there is one element more; last when reverse"""
def nancumsum(x: ArrayLike, axis: int, reverse: builtins.bool = ..., include_initial: builtins.bool = ...) -> Array:
    """cumulative_sum with 0 in place of NaN.
    reverse: from the end
    include_initial: the sum or product of no elements comes first, so there is one element more; last when reverse"""
def nanmax(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Largest element over axes without NaN; NaN of none; ties share the gradient."""
def nanmean(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Arithmetic mean over axes without NaN; NaN of none."""
def nanmedian(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Median over axes without NaN; NaN of none."""
def nanmin(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Smallest element over axes without NaN; NaN of none; ties share the gradient."""
def nanpercentile(x: ArrayLike, q: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., method: str = ...) -> Array:
    """Nanquantile, with q from 0 to 100.
    method: what lies between two elements, as numpy.quantile names it (linear, lower, higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased)"""
def nanprod(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Product over axes without NaN; 1 of none."""
def nanquantile(x: ArrayLike, q: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., method: str = ...) -> Array:
    """Quantile over axes without NaN; NaN of none.
    method: what lies between two elements, as numpy.quantile names it (linear, lower, higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased)"""
def nanstd(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: float = ...) -> Array:
    """Standard deviation over axes without NaN, the root of nanvar; its derivative at 0 is 0."""
def nansum(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Sum over axes without NaN; 0 of none."""
def nanvar(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: float = ...) -> Array:
    """Variance over axes without NaN; NaN unless their number is above the correction."""
def neg(x: ArrayLike) -> Array:
    """-x, elementwise; integers wrap around."""
def negative(x: ArrayLike) -> Array:
    """-x, elementwise; integers wrap around."""
newaxis: None
def nextafter(x: ArrayLike, y: ArrayLike) -> Array:
    """The number next to x in the direction of y, broadcast; y where they are equal."""
def nll_loss(log_probs: ArrayLike, index: ArrayLike, weight: ArrayLike | None = ..., axis: int = ..., ignore_index: int = ..., reduction: str = ...) -> Array:
    """cross_entropy of logarithms of probabilities, for classes: -log_probs at the index.
    ignore_index: targets that do not count
    reduction: what becomes of the losses (mean, sum, none)"""
from . import nn as nn
def nnls(a: ArrayLike, b: ArrayLike, max_steps: int | None = ...) -> nnls_result:
    """The x without elements below 0 for which the matrix a times x is nearest to the vector b, and the length of a x - b (Lawson and Hanson); computes both at once.
        max_steps: changes of the set of elements above 0; three times their number unless given
    Returns solution, residual."""
class no_grad:
    """Inside the block, or the decorated function, ops record no history."""
    def __call__(self, func: _F) -> _F: ...
    def __enter__(self) -> no_grad: ...
    def __exit__(self, *unused: Any) -> None: ...
def non_max_suppression(boxes: ArrayLike, scores: ArrayLike, classes: ArrayLike | None = ..., iou: float = ..., max_boxes: int | None = ..., min_score: float | None = ...) -> Array:
    """The numbers of the boxes [K, 4], as (left, top, right, bottom), that no box of a higher score, itself kept and of the same class, overlaps by more than iou, a part of what both cover; by falling score, then -1.
    max_boxes: how many boxes at most, the size of the result; all unless given
    min_score: boxes of this score or less are left out; none unless given"""
def nonnegative_svd(u: ArrayLike, s: ArrayLike, vh: ArrayLike) -> nonnegative_svd_result:
    """Two matrices without negative elements whose product is near u s vh: for each singular value the positive or the negative parts of both vectors, whichever are longer (NNDSVD); u (m, r), s (r), vh (r, n) to w (m, r), h (r, n).
    Returns w, h."""
def nonzero(x: ArrayLike, /) -> tuple[Array, ...]:
    """The positions of the elements that are not zero: one array for each axis."""
def nonzero_sized(x: ArrayLike, size: int, fill: int = ...) -> Array:
    """The first positions that nonzero gives, as many as size; rows after the last one hold fill."""
def norm(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., order: float = ...) -> Array:
    """The norm of the vectors over axes, sum(|x|^order)^(1/order), without overflow; order 0 counts what is not 0, inf and -inf are the extremes; of no elements 0, or inf for a negative order; its derivative at 0 is 0."""
def not_equal(x: ArrayLike, y: ArrayLike) -> Array:
    """x != y, broadcast."""
def ntxent_loss(x: ArrayLike, index: ArrayLike, temperature: float = ...) -> Array:
    """The normalised, temperature-scaled cross entropy of embeddings x (n, features): the mean over all pairs of equal index (n) of -log of their share, exp(cosine / temperature), among the pair itself and all pairs of different index; NaN if no two are equal."""
def one_hot(index: ArrayLike, size: int, dtype: DTypeLike = ...) -> Array:
    """A last axis of the given size, 1 at the index and 0 elsewhere; only zeros where the index is below 0 or not below the size."""
def one_hot_fill(index: ArrayLike, size: int, on: float = ..., off: float = ..., dtype: DTypeLike = ...) -> Array:
    """A last axis of the given size, `on` at the index and `off` elsewhere."""
def ones(shape: int | Sequence[int], dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """Ones; true for bool."""
def ones_like(x: ArrayLike, /, dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """Ones with the shape, dtype and engine of x."""
def optimizer_update(w: ArrayLike, effective_grad: ArrayLike, lr: ArrayLike, keep_gradients: builtins.bool = ...) -> Array:
    """w - lr * effective_grad, without history unless gradients are kept.
    keep_gradients: the results keep their history"""
def orthogonal_penalty(x: ArrayLike, factor: float = ..., columns: builtins.bool = ...) -> Array:
    """factor times the mean absolute cosine of the angles between the rows of a matrix, to be added to a loss.
    columns: columns instead of rows are to be orthogonal"""
def outer(x: ArrayLike, y: ArrayLike) -> Array:
    """All products of an element of the vector x and one of the vector y."""
def pad(x: ArrayLike, before: int | Sequence[int], after: int | Sequence[int], mode: str = ..., value: float = ...) -> Array:
    """x with elements added before and after each axis; mode constant (value; negative amounts cut), edge, reflect, symmetric or wrap.
    mode: where the new elements come from (constant, edge, reflect, symmetric, wrap)
    value: of new elements, if constant"""
def padding_mask(lengths: ArrayLike, size: int) -> Array:
    """A last axis of the given size, true before the length and false from there on."""
def pairwise_distance(x: ArrayLike, y: ArrayLike, p: float = ..., epsilon: float = ..., keepdims: builtins.bool = ...) -> Array:
    """The norm of x - y + epsilon along the last axis; x and y broadcast; cdist has that of all pairs.
    p: the order of the norm
    epsilon: added to every difference, so that there is a gradient where x is y
    keepdims: the last axis stays, with size 1"""
def percentile(x: ArrayLike, q: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., method: str = ...) -> Array:
    """Quantile, with q from 0 to 100.
    method: what lies between two elements, as numpy.quantile names it (linear, lower, higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased)"""
def perceptron_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """-x target where that is above 0, else 0; targets are -1 and 1.
    reduction: what becomes of the losses (mean, sum, none)"""
def permute_dims(x: ArrayLike, axes: int | Sequence[int]) -> Array:
    """axes in another order: axis i of the result is axis axes[i] of x."""
def perspective_transform(x: ArrayLike, start: ArrayLike, end: ArrayLike, interpolation: str = ..., mode: str = ..., value: float = ...) -> Array:
    """Images in which the corners start [4, 2] or [N, 4, 2], as (x, y), have moved to end, and all else with them.
    interpolation: between the neighbours in all directions, or the nearest one (bilinear, nearest)
    mode: what is outside x: a value; its edge; x again; x mirrored at the centre of the last element, or at its edge (constant, nearest, wrap, mirror, reflect)
    value: of what is outside, if constant"""
pi: float
def pinv(x: ArrayLike, /, rtol: Any | None = ...) -> Array:
    """The pseudoinverse; singular values up to rtol, a number or one for each matrix, times the largest count as 0 (the larger size times the dtype's epsilon unless given); the gradient needs distinct singular values."""
def poisson_nll_loss(x: ArrayLike, target: ArrayLike, rate_input: builtins.bool = ..., full: builtins.bool = ..., epsilon: float = ..., reduction: str = ...) -> Array:
    """Exp(x) - target x, or x - target log(x + epsilon) with rate_input; full: plus Stirling's log(target!) where target is above 1.
    rate_input: x is the rate itself, not its logarithm
    full: with Stirling's approximation of log(target!)
    epsilon: keeps the logarithm of a rate finite
    reduction: what becomes of the losses (mean, sum, none)"""
def polar(length: ArrayLike, angle: ArrayLike) -> Array:
    """The complex number of this length and angle."""
def poly_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., epsilon: float = ..., reduction: str = ...) -> Array:
    """cross_entropy plus epsilon times 1 - p, where p is the probability of the target.
    reduction: what becomes of the losses (mean, sum, none)"""
def polygamma(x: ArrayLike, order: int = ...) -> Array:
    """A derivative of digamma, order 0 (itself) to 8; at 0 and below at whole numbers infinite for an odd order, else infinite against the sign of 0, and NaN."""
def polyval(coefficients: ArrayLike, x: ArrayLike) -> Array:
    """The polynomial with these coefficients, that of the highest power first, at x."""
def positive(x: ArrayLike) -> Array:
    """+x."""
def posterize(x: ArrayLike, bits: int = ..., max_val: float = ...) -> Array:
    """x from 0 to max_val in 2^bits levels, each the least value of its range."""
def pow(x: ArrayLike, y: ArrayLike) -> Array:
    """x to the y, broadcast; integers wrap around, and to a negative power they are rounded toward 0."""
def power_iteration(x: ArrayLike, start: ArrayLike | None = ..., iterations: int = ...) -> power_iteration_result:
    """The eigenvalue of largest size of square matrices, and its vector of length 1: start, some numbers unless given, times x again and again.
    Returns value, vector."""
def precision(x: ArrayLike, target: ArrayLike, classes: int, average: str = ...) -> Array:
    """Of those that x takes for a class the part that is of it, 0 of none: for each class (none), their mean (macro), with the class's share of the targets as weight (weighted), or of all classes together (micro).
    average: over the classes (macro, micro, weighted, none)"""
def prelu(x: ArrayLike, weight: ArrayLike) -> Array:
    """x where it is above 0, else weight x; weight is broadcast to the shape of x."""
def prod(x: ArrayLike, /, axis: int | Sequence[int] | None = ..., dtype: DTypeLike | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Product over axes; small integers multiply to int64 or uint64."""
def projection_box(x: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Array:
    """Onto vectors between lower and upper, which broadcast to x."""
def projection_halfspace(x: ArrayLike, a: ArrayLike, b: float = ...) -> Array:
    """Onto vectors whose product with a, of x's shape, is at most b."""
def projection_hypercube(x: ArrayLike, size: float = ...) -> Array:
    """Onto vectors whose elements are in [0, size]."""
def projection_hyperplane(x: ArrayLike, a: ArrayLike, b: float = ...) -> Array:
    """Onto vectors whose product with a, of x's shape, is b."""
def projection_l1_ball(x: ArrayLike, length: float = ...) -> Array:
    """Onto vectors whose absolute values add up to at most length."""
def projection_l1_sphere(x: ArrayLike, length: float = ...) -> Array:
    """Onto vectors whose absolute values add up to length."""
def projection_l2_ball(x: ArrayLike, length: float = ...) -> Array:
    """Onto vectors of at most this Euclidean length."""
def projection_l2_sphere(x: ArrayLike, length: float = ...) -> Array:
    """Onto vectors of this Euclidean length; NaN for zeros, which have no direction."""
def projection_linf_ball(x: ArrayLike, length: float = ...) -> Array:
    """Onto vectors whose elements are in [-length, length]."""
def projection_simplex(x: ArrayLike, total: float = ...) -> Array:
    """Onto numbers of 0 and more that add up to total."""
def projection_vector(x: ArrayLike, a: ArrayLike) -> Array:
    """Onto multiples of a, of x's shape."""
def psnr(x: ArrayLike, y: ArrayLike, max_val: float = ...) -> Array:
    """The peak signal-to-noise ratio of two arrays in decibels, 10 log10(max_val^2 / mean((x - y)^2)); max_val is the largest value that is possible."""
def ptp(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ...) -> Array:
    """The largest less the smallest element over axes; ties share the gradient."""
def put_along_axis(x: ArrayLike, index: Any, y: Any | None = ..., axis: int | Sequence[int] | None = ..., add: Any = ..., *, values: Any | None = ...) -> Array:
    """x with the elements that take_along_axis would read replaced by y, or y added to them; out of range nothing happens. With NumPy's
    keyword, put_along_axis(x, index, values=y, axis=axis), x itself gets the new value, as by assignment, and is returned."""
def qr(x: ArrayLike, /, mode: Any = ...) -> QRResult:
    """x = q r, q with orthonormal columns (m, k), r upper triangular (k, n) with no negative number on its diagonal; k is the smaller of m and n, or m when complete, which has a gradient only for m <= n.
        complete: q is square
    Returns q, r."""
def quantile(x: ArrayLike, q: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., method: str = ...) -> Array:
    """The element of x over axes below which the part q lies: (shape of q, then that of the reduction); NaN where q is outside [0, 1].
    method: what lies between two elements, as numpy.quantile names it (linear, lower, higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased)"""
def quick_gelu(x: ArrayLike) -> Array:
    """x sigmoid(1.702 x), near gelu."""
def quiet_softmax(x: ArrayLike, axis: int = ...) -> Array:
    """Exp(x) / (1 + sum(exp(x))) along an axis, without overflow: near 0 everywhere where all x are far below 0."""
from . import random as random
def ranking_softmax_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., mask: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """-sum(target log_softmax(x)) over lists along the last axis, target times weight; entries where mask is false do not count, nor lists that have no others.
    reduction: what becomes of the losses (mean, sum, none)"""
def real(x: ArrayLike) -> Array:
    """The real part; real numbers themselves."""
def rearrange(x: ArrayLike, pattern: str, names: str | None = ..., lengths: int | Sequence[int] | None = ...) -> Array:
    """Axes split, permuted and merged by a pattern such as 'b (h w) c -> b c h w', with the names and lengths of the axes it leaves open.
    names: the axes whose sizes the pattern leaves open: 'h w'
    lengths: their sizes: [2, 3]"""
def recall(x: ArrayLike, target: ArrayLike, classes: int, average: str = ...) -> Array:
    """Of those that are of a class the part that x takes for it, 0 of none; averages as in precision.
    average: over the classes (macro, micro, weighted, none)"""
def reciprocal(x: ArrayLike) -> Array:
    """1 / x."""
def reconstruct_patches(x: ArrayLike, shape: int | Sequence[int], size: int | Sequence[int], strides: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., padding: str = ..., sum: builtins.bool = ...) -> Array:
    """An array of this shape, [N, in..., C], from the patches that extract_patches takes from it: the mean of the elements that patches share, 0 where there is none.
    strides: steps between patches; the size of a patch unless given
    dilations: distances between the elements of a patch; one number serves all; 1 unless given
    padding: as of extract_patches (VALID, SAME)
    sum: the sum of what overlaps, not its mean"""
def reduce_window(x: ArrayLike, window: int | Sequence[int], reduction: str = ..., strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., x_dilations: int | Sequence[int] | None = ...) -> Array:
    """Windows over all axes of x, reduced; one of no elements gives what a reduction of none gives: 0, 1, -inf or inf, or the smallest or largest integer.
    reduction: of the elements of a window (sum, max, min, prod)
    strides: steps of the window along all axes; one number serves all; 1 unless given
    pads: (low, high) for each axis, or one number for all; what is outside never counts
    dilations: distances between the elements of a window; 1 unless given
    x_dilations: distances between the elements of x; what is between them never counts; 1 unless given"""
def relu(x: ArrayLike) -> Array:
    """x where it is above 0, else 0; its derivative at 0 is 0."""
def relu6(x: ArrayLike) -> Array:
    """x kept between 0 and 6; its derivative at 0 is 0, at 6 one half."""
def relu_squared(x: ArrayLike) -> Array:
    """Relu(x), squared."""
def remainder(x: ArrayLike, y: ArrayLike) -> Array:
    """x - y * floor(x / y), which has the sign of y; an integer by 0 gives 0."""
def repeat(x: ArrayLike, repeats: Any, /, axis: int | Sequence[int] | None = ...) -> Array:
    """Each element along an axis repeated."""
def repeat_counts(x: ArrayLike, counts: ArrayLike, axis: int) -> Array:
    """Element k along an axis repeated counts[k] times, or all counts times if that is one number; computes the counts at once."""
def repeat_counts_sized(x: ArrayLike, counts: ArrayLike, axis: int, size: int, fill: float = ...) -> Array:
    """The first elements that repeat_counts gives along the axis, as many as size; after the last one fill."""
def rescale(x: ArrayLike, scale: float, offset: float = ...) -> Array:
    """x scale + offset; integers become float32: rescale(pixels, 1 / 255.0, 0)."""
def reshape(x: ArrayLike, /, shape: int | Sequence[int], copy: builtins.bool | None = ...) -> Array:
    """Same elements in row-major order, another shape; one size may be -1."""
def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that an operation on these arrays, dtypes and Python numbers has."""
def rgb_to_grayscale(x: ArrayLike) -> Array:
    """The brightness of colours (..., 3): (..., 1), 0.2989 red + 0.587 green + 0.114 blue."""
def rgb_to_hsv(x: ArrayLike) -> Array:
    """Hue, saturation and value, each from 0 to 1, of red, green and blue (..., 3) from 0 to 1; the hue of gray is 0."""
def rgb_to_yuv(x: ArrayLike) -> Array:
    """Brightness and the two colour differences (ITU-R BT.601) of red, green and blue (..., 3)."""
def rms_norm(x: ArrayLike, weight: ArrayLike | None = ..., *, axes: int | Sequence[int], epsilon: float = ...) -> Array:
    """x divided by the root of its mean square over axes, times weight, which has the sizes of these axes."""
def rnnt_loss(x: ArrayLike, targets: ArrayLike, input_lengths: ArrayLike, target_lengths: ArrayLike, blank: int = ..., reduction: str = ...) -> Array:
    """The loss of recurrent transducers: -log of the probability of all paths through input_lengths (batch) steps that emit the targets (batch, labels), of target_lengths (batch); x are logits (batch, steps, labels + 1, classes): after each label, and before the first; NaN for labels that are no classes and lengths that are not there.
    blank: the class that stands for no label; -1 is the last
    reduction: what becomes of the losses (mean, sum, none)"""
def roc_auc(x: ArrayLike, target: ArrayLike) -> Array:
    """How often a score x whose target is true (not 0) is above one whose target is false, a tie counting half: the area under the ROC curve, exactly; NaN is the largest score."""
def roi_align(x: ArrayLike, boxes: ArrayLike, image: ArrayLike, height: int, width: int, spatial_scale: float = ..., samples: int = ..., not_aligned: builtins.bool = ...) -> Array:
    """boxes [K, 4], as (left, top, right, bottom), of the images whose numbers are in image [K], as arrays of one size: [K, height, width, C].
    spatial_scale: what the boxes are multiplied by: the size of x as a part of that of the image in which they were found
    samples: places along each axis whose mean is an element of the result
    not_aligned: a box from 0 begins at the middle of the first pixel, not at its edge, and is at least one pixel wide"""
def roll(x: ArrayLike, /, shift: Any, axis: int | Sequence[int] | None = ...) -> Array:
    """Elements moved by shift along axes, those that leave at one end enter at the other; one shift serves all axes; None: the flattened x."""
def rot90(x: ArrayLike, k: int = ..., axis1: int = ..., axis2: int = ...) -> Array:
    """x rotated k times by 90 degrees, from axis1 towards axis2."""
def rotary_embedding(x: ArrayLike, base: float = ..., offset: int = ..., interleaved: builtins.bool = ..., stretch: float = ..., scaling: str = ..., trained: int | None = ..., fast: float | None = ..., slow: float = ...) -> Array:
    """x (..., positions, features) with pair k of the features rotated by the angle (offset + position) / stretch base^(-2k / features); a pair is element k of the first and of the second half of the features, or two neighbours if interleaved; scaling has other ways to stretch, of which yarn also multiplies by 1 + 0.1 log(stretch).
    base: of the angles
    offset: position of the first element
    interleaved: pairs are neighbours, not element k of the first and of the second half
    stretch: how much further a model reaches than the length it was trained with
    scaling: what is stretched: positions are divided by it; base grows with it, so that the slowest pair is; the same only as far as there are more positions than trained; pairs that turn less than slow times over them are, those of more than fast turns not; pairs of long waves are (linear, ntk, dynamic, yarn, llama3)
    trained: the length a model was trained with, for dynamic, yarn and llama3
    fast: turns over that length from which on a pair stays as it is: 32 for yarn, 4 for llama3, unless given
    slow: turns up to which it is stretched"""
def round(x: ArrayLike) -> Array:
    """Rounded to the nearest integer, ties to even; of a complex number both parts."""
def rrelu(x: ArrayLike, key: ArrayLike | None = ..., low: float = ..., high: float = ...) -> Array:
    """x where it is 0 or above, else x times a random slope in [low, high): leaky_relu while training."""
def rsqrt(x: ArrayLike) -> Array:
    """1 / sqrt(x)."""
def safe_root_mean_square(x: ArrayLike, min_rms: float = ...) -> Array:
    """The root of the mean square of all elements, or min_rms if that is larger, whose derivative is 0."""
def saturate_cast(x: ArrayLike, dtype: DTypeLike) -> Array:
    """x as another dtype; a number outside its range becomes its nearest number, where cast of an integer wraps around."""
def save(path: Any, tree: Any) -> None:
    """Writes an array, or nested dicts, lists and tuples of arrays, to a file: .npz and .npy as NumPy reads them, with any other ending safetensors."""
def scale_and_translate(x: ArrayLike, scale: ArrayLike, translation: ArrayLike, shape: int | Sequence[int], axes: int | Sequence[int] | None = ..., method: str = ..., no_antialias: builtins.bool = ...) -> Array:
    """x, with some axes enlarged and then shifted, in an array of this shape; scale and translation have a number for each of these axes; what comes from outside x is 0.
    method: the kernel: a triangle, Keys's cubic with a = -1/2, or a windowed sinc (linear, cubic, lanczos3, lanczos5)
    no_antialias: the kernel does not grow where x is made smaller"""
def scaled_dot_product_attention(q: ArrayLike, k: ArrayLike, v: ArrayLike, mask: ArrayLike | None = ..., scale: float | None = ..., causal: builtins.bool = ..., zero_rows: builtins.bool = ...) -> Array:
    """Softmax(scale q k^T) v over the last two axes, leading axes broadcast; the mask, of any dtype, says where to attend: not 0; causal: query i attends to keys up to i; a query with nothing to attend to gives the mean of all v, or zeros if zero_rows; integers are computed as float32.
    scale: of products of queries and keys; 1 / sqrt(size of the last axis of q) unless given
    causal: query i attends to keys up to i
    zero_rows: a query with nothing to attend to gives zeros, not the mean of all v"""
def scaled_tanh(x: ArrayLike, alpha: float = ..., beta: float = ...) -> Array:
    """alpha tanh(beta x)."""
def scatter_nd(x: ArrayLike, index: ArrayLike, y: ArrayLike, axes: int | Sequence[int] | None = ..., add: builtins.bool = ...) -> Array:
    """x with the parts that gather_nd would read replaced by y, broadcast, or y added to them; the last one counts where positions repeat; out of range nothing happens.
    add: elements of y are added to those of x instead of replacing them"""
def score_counts(x: ArrayLike, target: ArrayLike, bins: int = ...) -> Array:
    """How many scores x, from 0 to 1, lie in each of so many equal parts: (2, bins), int64, of those whose target is 0, and of the others; NaN is in none, and a target of integers is 0 or 1."""
def searchsorted(x1: ArrayLike, x2: ArrayLike, /, side: Any = ..., sorter: Any | None = ...) -> Array:
    """Where values belong in the ascending vector x, or in x taken at the positions of the sorter: before equal elements, or after them when right; NaN is the largest.
    right: behind equal elements instead of before them"""
def segment_matmul(x: ArrayLike, y: ArrayLike, segments: ArrayLike) -> Array:
    """For each row (from, to) of segments the product of columns from ... to - 1 of the matrix x and these rows of y: (..., m, n)."""
def segment_max(x: ArrayLike, id: ArrayLike, segments: int) -> Array:
    """Their largest elements, NaN wins; -inf, or the smallest integer, for an empty segment."""
def segment_mean(x: ArrayLike, id: ArrayLike, segments: int) -> Array:
    """Their means; 0 for an empty segment."""
def segment_min(x: ArrayLike, id: ArrayLike, segments: int) -> Array:
    """Their smallest elements, NaN wins; inf, or the largest integer, for an empty segment."""
def segment_prod(x: ArrayLike, id: ArrayLike, segments: int) -> Array:
    """Their products; 1 for an empty segment."""
def segment_sum(x: ArrayLike, id: ArrayLike, segments: int) -> Array:
    """The slices of x along its first axis added up by the segment each belongs to: 0 .. segments-1 in id, the others belong to none; 0 for an empty segment."""
def select(conditions: ArrayLike, choices: ArrayLike, otherwise: ArrayLike) -> Array:
    """Of the choices (n, ...) the first whose condition (n, ...) holds, else otherwise; all broadcast."""
def selu(x: ArrayLike) -> Array:
    """1.0507 times elu with alpha 1.67326, the constants of self-normalising networks."""
def separable_conv1d(x: ArrayLike, depthwise: ArrayLike, pointwise: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """depthwise filters [w, C, m], m for each channel of x [N, W, C], then a product of channels with pointwise [C m, O] and a bias [O]; options as in conv1d.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def separable_conv2d(x: ArrayLike, depthwise: ArrayLike, pointwise: ArrayLike, bias: ArrayLike | None = ..., strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """separable_conv1d of x [N, H, W, C] with depthwise filters [h, w, C, m].
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def shrink(x: ArrayLike, bound: float = ..., bias: float = ...) -> Array:
    """x less bias above bound, x plus bias below -bound, 0 in between; the bound itself is in between."""
def sigmoid(x: ArrayLike) -> Array:
    """1 / (1 + exp(-x))."""
def sigmoid_focal_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., gamma: float = ..., alpha: float = ..., label_smoothing: float = ..., reduction: str = ...) -> Array:
    """binary_cross_entropy_with_logits times (1 - p)^gamma, where p is the probability of what is right, so that what is easy counts little.
    alpha: weight of targets that are 1, with 1 - alpha for those that are 0; none if it is below 0
    label_smoothing: this share of the target is spread over both
    reduction: what becomes of the losses (mean, sum, none)"""
def sign(x: ArrayLike) -> Array:
    """-1, 0 or 1, of a complex number x / |x|; NaN for NaN."""
def signbit(x: ArrayLike) -> Array:
    """True where x has a minus sign, -0 and NaN included."""
def silu(x: ArrayLike) -> Array:
    """x sigmoid(x)."""
def sin(x: ArrayLike) -> Array:
    """Sine of x radians."""
def sinc(x: ArrayLike) -> Array:
    """Sin(pi x) / (pi x), 1 at 0, NaN at infinities."""
def sinh(x: ArrayLike) -> Array:
    """Hyperbolic sine."""
def sinusoidal_encoding(x: ArrayLike, size: int, min_freq: float = ..., max_freq: float = ..., scale: float | None = ..., cos_first: builtins.bool = ..., full_turns: builtins.bool = ..., interleaved: builtins.bool = ...) -> Array:
    """Sines and cosines of x times size / 2 frequencies between max_freq and min_freq, whose logarithms are evenly spaced: (..., size), sines in the first half; size is even.
    min_freq: that of the last pair
    max_freq: that of the first
    scale: the result is multiplied by it; sqrt(2 / size) unless given
    cos_first: cosines come before sines
    full_turns: frequencies are in turns, not in radians
    interleaved: the sine and the cosine of a frequency are neighbours"""
def skew_symmetric(x: ArrayLike) -> Array:
    """The matrices (..., 3, 3) that multiply a vector as the cross product with x (..., 3) does."""
def slice(x: ArrayLike, start: ArrayLike, size: int | Sequence[int]) -> Array:
    """The block of the given size that begins at start (int64, one number per axis; an input, so a new start is no new program)."""
def slice_set(x: ArrayLike, y: ArrayLike, start: ArrayLike) -> Array:
    """x with the block that begins at start replaced by y."""
def slice_step(x: ArrayLike, start: int | Sequence[int], stop: int | Sequence[int], step: int | Sequence[int] | None = ...) -> Array:
    """x[start:stop:step] of every axis as Python has it: negative numbers count from the end, what is out of range is cut; steps are 1 if not given."""
def slice_step_set(x: ArrayLike, y: ArrayLike, start: int | Sequence[int], stop: int | Sequence[int], step: int | Sequence[int] | None = ..., add: builtins.bool = ...) -> Array:
    """x with the elements that slice_step would read replaced by y, broadcast, or y added to them.
    add: elements of y are added to those of x instead of replacing them"""
def sliding_window_mask(queries: int, keys: int, window: int, both_sides: builtins.bool = ...) -> Array:
    """A mask (queries, keys) that lets each query attend to its own key and those before it, as many as the window has; query i has key i + keys - queries.
    both_sides: also as many keys after the query"""
def sliding_window_view(x: ArrayLike, window: int | Sequence[int], axes: int | Sequence[int] | None = ..., steps: int | Sequence[int] | None = ...) -> Array:
    """All windows of the given sizes along axes, in new axes at the end; along each axis (n - window) / step + 1 of them, rounded down.
    steps: distances between windows along the axes; one number serves all; 1 unless given"""
def slogdet(x: ArrayLike) -> slogdet_result:
    """Sign (of absolute value 1, if complex) and logarithm of the absolute value of determinants; 0 and -inf for singular matrices.
    Returns sign, logabsdet."""
def smooth_l1_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., beta: float = ..., reduction: str = ...) -> Array:
    """huber_loss divided by delta, here called beta; |x - target| for beta 0.
    reduction: what becomes of the losses (mean, sum, none)"""
def smooth_labels(x: ArrayLike, share: float = ..., axis: int = ...) -> Array:
    """x times 1 - share, plus share spread evenly along an axis."""
def sobel_edges(x: ArrayLike) -> Array:
    """How x changes downwards and to the right, by Sobel's filters: [N, height, width, channels, 2]; outside there are zeros."""
def soft_margin_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """Log(1 + exp(-x target)), times weight; targets are -1 and 1.
    reduction: what becomes of the losses (mean, sum, none)"""
def softmax(x: ArrayLike, axis: int) -> Array:
    """Exp(x) / sum(exp(x)) along an axis, without overflow."""
def softmin(x: ArrayLike, axis: int) -> Array:
    """Softmax of -x along an axis."""
def softplus(x: ArrayLike, beta: float = ...) -> Array:
    """Log(1 + exp(beta x)) / beta, without overflow: the larger beta, the closer to relu."""
def softshrink(x: ArrayLike, bound: float = ...) -> Array:
    """x, closer to 0 by the bound; 0 within it."""
def softsign(x: ArrayLike) -> Array:
    """x / (1 + |x|)."""
def solarize(x: ArrayLike, threshold: float = ..., max_val: float = ...) -> Array:
    """max_val - x where x reaches the threshold, else x."""
def solve(a: ArrayLike, b: ArrayLike) -> Array:
    """x with a x = b, b a vector or matrices, batch axes broadcast; inf or NaN where a is singular."""
def solve_triangular(a: ArrayLike, b: ArrayLike, upper: builtins.bool = ..., transpose: builtins.bool = ..., unit: builtins.bool = ...) -> Array:
    """x with a x = b (a^T x = b when transpose), a one triangle of which is read, without its diagonal of ones when unit; batch axes broadcast; a zero on the diagonal gives inf or NaN.
    upper: a is an upper triangle
    transpose: solve with a transposed
    unit: the diagonal counts as ones and is not read"""
def sort(x: ArrayLike, /, axis: int | Sequence[int] | None = ..., descending: Any = ..., stable: Any = ...) -> Array:
    """x sorted along an axis, stable as argsort; NaN is the largest.
    descending: the largest first"""
def sparse_cross_entropy(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., axis: int = ..., ignore_index: int = ..., label_smoothing: float = ..., from_probs: builtins.bool = ..., reduction: str = ...) -> Array:
    """-log_softmax(x) along an axis of classes at the class that an integer target has, times the weight of the class; 0 where that is ignore_index; one that is no class is an error where the call can see it, NaN where it is computed later; the mean is that of what is not ignored, divided by its weights. A float target are probabilities: -sum(target log_softmax(x)), weight one number for each class.
    ignore_index: classes of this number do not count
    label_smoothing: this share of the target is spread over all classes
    from_probs: x are probabilities, not logits; their logarithm at 0 is -100
    reduction: what becomes of the losses (mean, sum, none)"""
def sparse_plus(x: ArrayLike) -> Array:
    """0 up to -1, (x + 1)^2 / 4 up to 1, then x."""
def sparse_sigmoid(x: ArrayLike) -> Array:
    """(x + 1) / 2 clamped to [0, 1]."""
def sparsemax(x: ArrayLike, axis: int = ...) -> Array:
    """The distribution along an axis that is closest to x: most elements are 0, unlike those of softmax."""
def sparsemax_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """sparse_plus of x where target is 0, of -x where it is not: 0 where x is certain and right; times weight.
    reduction: what becomes of the losses (mean, sum, none)"""
def sparsify(x: ArrayLike, count: int) -> Array:
    """x with zeros in place of all but the count elements of largest size; of equal ones the first stay."""
def spectral_normalize(w: ArrayLike, u: ArrayLike, iterations: int = ..., epsilon: float = ...) -> spectral_normalize_result:
    """w divided by its largest singular value, as a matrix of all axes but the last and the last (n), and the singular vector u (n) after some steps of the power method, to begin with at the next call.
    Returns z, vector."""
def split(x: ArrayLike, parts: Any, /, axis: int | Sequence[int] | None = ...) -> tuple[Array, ...]:
    """x cut along an axis into so many equal parts, or into parts of these sizes, as a tuple."""
def sqrt(x: ArrayLike) -> Array:
    """The square root; NaN below 0."""
def square(x: ArrayLike) -> Array:
    """x * x, elementwise."""
def squared_hinge_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., reduction: str = ...) -> Array:
    """The square of hinge_loss.
    reduction: what becomes of the losses (mean, sum, none)"""
def squareplus(x: ArrayLike, b: float = ...) -> Array:
    """(x + sqrt(x^2 + b)) / 2, smooth as softplus is, without exponentials."""
def squeeze(x: ArrayLike, /, axis: int | Sequence[int] | None = ...) -> Array:
    """x without these axes of size 1."""
def ssim(x: ArrayLike, y: ArrayLike, max_val: float = ..., filter_size: int = ..., filter_sigma: float = ..., k1: float = ..., k2: float = ...) -> Array:
    """The structural similarity of images x and y, at most 1: [N], the mean over windows and channels; max_val is the largest value that is possible.
    filter_size: of the Gaussian filter
    filter_sigma: its deviation
    k1: keeps the ratio of brightnesses away from 0 / 0
    k2: that of contrasts"""
def stable_divide(x: ArrayLike, y: ArrayLike, min_base: float = ...) -> Array:
    """x / (y + min_base)."""
def stable_pow(x: ArrayLike, y: ArrayLike, min_base: float = ...) -> Array:
    """(x + min_base) to the y."""
def stack(xs: Sequence[ArrayLike], axis: int = ...) -> Array:
    """Arrays of one shape next to each other along a new axis, dtypes promoted."""
def std(x: ArrayLike, /, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: Any = ..., *, ddof: Any | None = ...) -> Array:
    """Standard deviation over axes, the root of var."""
def stft(x: ArrayLike, window: ArrayLike | None = ..., *, length: int, step: int, n: int | None = ..., norm: str = ..., two_sided: builtins.bool = ..., center: builtins.bool = ..., pad_mode: str = ..., pad_end: builtins.bool = ...) -> Array:
    """The Fourier transforms of frames of x [..., samples], of this length and this step apart, times a window: [..., frames, n / 2 + 1]; a window shorter than the frame stands in its middle, with zeros around it; complex x needs two_sided.
    n: the length of the transforms; zeros follow a shorter frame; the frame's unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)
    two_sided: all n frequencies, not n / 2 + 1
    center: x is padded by half a frame on both sides, so that frame k is centred at element k step
    pad_mode: how, as in pad (reflect, constant, edge, symmetric, wrap)
    pad_end: zeros follow x, so that a frame begins at every step up to its end"""
def stop_gradient(x: ArrayLike) -> Array:
    """The same values; no derivative flows through."""
def sub(x: ArrayLike, y: ArrayLike) -> Array:
    """x - y, broadcast."""
def subtract(x: ArrayLike, y: ArrayLike) -> Array:
    """x - y, broadcast."""
def sum(x: ArrayLike, /, axis: int | Sequence[int] | None = ..., dtype: DTypeLike | None = ..., keepdims: builtins.bool = ...) -> Array:
    """Sum over axes; small integers sum to int64 or uint64, half precision accumulates in float32."""
def sum_pool(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """The sum of each window of x [N, in..., C], in x's dtype; strides are the window's size if not given.
    strides: steps of the window; the window's own sizes unless given
    pads: (low, high) for each spatial axis
    dilations: distances between the elements of a window; 1 unless given"""
def svd(x: ArrayLike, /, full_matrices: Any = ...) -> SVDResult:
    """x = u diag(s) vh with orthonormal columns of u (m, k) and rows of vh (k, n), s descending, k the smaller of m and n; in each vector of the square factor (vh if m >= n) the first component of largest magnitude is positive; NaN if an element is not finite.
        full_matrices: u and vh are square: vectors that complete a basis follow; the longer of both has no gradient then
    Returns u, s, vh."""
def svdvals(x: ArrayLike) -> Array:
    """Singular values, descending."""
def swapaxes(x: ArrayLike, axis1: int, axis2: int) -> Array:
    """x with two axes exchanged."""
def take(x: ArrayLike, indices: Any, /, axis: int | Sequence[int] | None = ...) -> Array:
    """The parts of x at these positions of an axis, or of the flattened x."""
def take_along_axis(x: ArrayLike, indices: Any, /, axis: int | Sequence[int] | None = ...) -> Array:
    """For each element of the index that element of x along the axis; x and index broadcast outside it; out of range as in take."""
def tan(x: ArrayLike) -> Array:
    """Tangent of x radians."""
def tanh(x: ArrayLike) -> Array:
    """Hyperbolic tangent, elementwise."""
def tanhshrink(x: ArrayLike) -> Array:
    """x - tanh(x)."""
def tensor_fold(x: ArrayLike, shape: int | Sequence[int], mode: int = ..., skip_begin: int = ..., skip_end: int = ...) -> Array:
    """The array of this shape whose tensor_unfold is x, unfolded into one axis or two.
    skip_begin: so many first axes were left as they are
    skip_end: so many last axes were left as they are"""
def tensor_unfold(x: ArrayLike, mode: int = ..., skip_begin: int = ..., skip_end: int = ..., ravel: builtins.bool = ...) -> Array:
    """x as a matrix: the rows are those of axis `mode`, the columns all other axes in their order.
    skip_begin: so many first axes stay as they are, and mode counts those behind them
    skip_end: so many last axes stay as they are
    ravel: the unfolded axes as one instead of two"""
def tensordot(x1: ArrayLike, x2: ArrayLike, /, axes: Any = ...) -> Array:
    """Sum of products over x_axes of x and y_axes of y, pair by pair; the other axes of x, then those of y remain."""
from . import tensors as tensors
def tensorsolve(a: ArrayLike, b: ArrayLike) -> Array:
    """x with tensordot(a, x) = b: the first axes of a have the shape of b, the others that of x and as many elements."""
def threshold(x: ArrayLike, threshold: float, value: float = ...) -> Array:
    """x where it is above the threshold, else value."""
def tile(x: ArrayLike, repetitions: Any, /) -> Array:
    """x as a whole repeated along each axis; the shorter of shape and list has ones before it."""
def to_jax(x: ArrayLike) -> Any:
    """The values as a JAX array, without a copy; JAX itself copies memory that is not aligned to 64 bytes (the numpy engine's, mostly)."""
def to_numpy(x: ArrayLike) -> Any:
    """The values as a NumPy array, read-only and without a copy where NumPy has the dtype. bfloat16 is copied: as the dtype of ml_dtypes where that is
    installed, otherwise as float32."""
def to_tensorflow(x: ArrayLike) -> Any:
    """The values as a TensorFlow tensor, without a copy where the memory is aligned to 64 bytes, which TensorFlow relies on (the numpy engine's mostly is not)."""
def to_torch(x: ArrayLike) -> Any:
    """The values as a torch tensor, without a copy; bools are copied. Torch would write to it although it is read-only: change a clone() of it."""
def top_k_accuracy(x: ArrayLike, index: ArrayLike, k: int) -> Array:
    """How often the index, as in accuracy, is among the k largest elements along the last axis of x, as topk finds them."""
def topk(x: ArrayLike, k: int, axis: int = ..., smallest: builtins.bool = ...) -> topk_result:
    """The k largest elements along an axis in descending order, or the smallest in ascending order, and their positions; of equal ones the first; NaN is the largest.
        smallest: the k smallest elements
    Returns values, indices."""
def trace(x: ArrayLike, /, offset: Any = ..., dtype: DTypeLike | None = ...) -> Array:
    """The sum of diagonal number offset of the last two axes; small integers sum to int64 or uint64."""
def trapezoid(y: ArrayLike, x: ArrayLike | None = ..., axis: int = ..., dx: float = ...) -> Array:
    """Integral of samples y along an axis by the trapezoidal rule; they are at the positions x, one for each or of y's shape, or dx apart."""
def trapz(y: ArrayLike, x: ArrayLike | None = ..., axis: int = ..., dx: float = ...) -> Array:
    """Integral of samples y along an axis by the trapezoidal rule; they are at the positions x, one for each or of y's shape, or dx apart."""
from . import tree as tree
def tri(rows: int, columns: int, k: int = ..., dtype: DTypeLike = ..., part: str = ..., invert: builtins.bool = ...) -> Array:
    """A matrix with a triangle of ones, and zeros elsewhere; of bool a mask.
    part: ones at and below diagonal k, at and above it, or on it (lower, upper, diagonal)
    invert: zeros there, and ones everywhere else"""
def tri_inv(x: ArrayLike, upper: builtins.bool = ...) -> Array:
    """Inverses of lower triangular matrices, or upper ones; the other triangle is not read.
    upper: the upper triangle is read"""
def tril(x: ArrayLike, k: int = ...) -> Array:
    """The last two axes as matrices, zero above diagonal k."""
def tril_indices(rows: int, columns: int, k: int = ...) -> Array:
    """rows and columns of the elements at and below diagonal k of a matrix: (2, elements)."""
def trim_zeros(x: ArrayLike, trim: str = ...) -> Array:
    """x without the zeros at both ends, of more than one axis without the slices of zeros on each side; computes x at once.
    trim: from the front, from the back, or both (fb, f, b)"""
def triplet_margin_loss(anchor: ArrayLike, positive: ArrayLike, negative: ArrayLike, axis: int = ..., margin: float = ..., order: float = ..., epsilon: float = ..., swap: builtins.bool = ..., reduction: str = ...) -> Array:
    """How much the norm of anchor - positive + epsilon along an axis, plus margin, is above that of anchor - negative + epsilon, or of positive - negative + epsilon if smaller (swap).
    margin: how much further away negatives should be
    order: of the norm
    epsilon: added to differences
    swap: negatives are measured from the positive where that is nearer
    reduction: what becomes of the losses (mean, sum, none)"""
def triu(x: ArrayLike, k: int = ...) -> Array:
    """The last two axes as matrices, zero below diagonal k."""
def triu_indices(rows: int, columns: int, k: int = ...) -> Array:
    """rows and columns of the elements at and above diagonal k of a matrix: (2, elements)."""
def trunc(x: ArrayLike) -> Array:
    """Rounded to an integer toward zero."""
def trunc_divide(x: ArrayLike, y: ArrayLike) -> Array:
    """x / y rounded toward zero; an integer divided by 0 gives 0."""
def truncated_svd(x: ArrayLike, count: int) -> truncated_svd_result:
    """The largest singular values of matrices, at most count, with their vectors: the matrix of that rank nearest to x.
    Returns u, s, vh."""
def tversky_loss(x: ArrayLike, target: ArrayLike, weight: ArrayLike | None = ..., axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., alpha: float = ..., beta: float = ..., smooth: float = ..., epsilon: float = ..., activation: str | None = ..., reduction: str = ...) -> Array:
    """1 - o / (o + alpha sum(x (1 - target)) + beta sum(target (1 - x))) with the overlap o = sum(x target) over axes, times weight.
    alpha: of x where there is no target
    beta: of targets that x lacks
    smooth: added to the overlap and to what it is divided by
    epsilon: added to what the overlap is divided by
    activation: x are shares, or logits of these (none, sigmoid, softmax)
    reduction: what becomes of the losses (mean, sum, none)"""
uint16: DType
uint32: DType
uint64: DType
uint8: DType
def unfold(x: ArrayLike, window: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ...) -> Array:
    """The windows of x [N, C, in...], 1 to 3 spatial axes, as columns: [N, C window, positions], the channel first, then the place in the window.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    pads: zeros on both sides of each spatial axis; one number serves all; 0 unless given
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def unique(x: ArrayLike) -> unique_result:
    """The distinct elements of the flattened x, ascending, complex ones by their real, then their imaginary parts; where each comes first; for each element of x its place among them; how often each occurs; NaNs are distinct; computes x at once.
    Returns values, indices, inverse, counts."""
def unique_all(x: ArrayLike, /) -> UniqueAllResult:
    """The distinct elements; where each comes first; for each element its place among them; how often each occurs."""
def unique_consecutive(x: ArrayLike, axes: int | Sequence[int] | None = ...) -> unique_consecutive_result:
    """x without elements that equal the one before, in the flattened x or slice by slice along one axis; for each element its place among those left; how many each stands for; NaNs are distinct; computes x at once.
    Returns values, inverse, counts."""
def unique_counts(x: ArrayLike, /) -> UniqueCountsResult:
    """The distinct elements and how often each occurs."""
def unique_inverse(x: ArrayLike, /) -> UniqueInverseResult:
    """The distinct elements and for each element of x its place among them."""
def unique_sized(x: ArrayLike, size: int, fill: float = ...) -> unique_sized_result:
    """The smallest distinct elements of the flattened x, as many as size, and how often each occurs; after the last one fill, and 0.
    Returns values, counts."""
def unique_values(x: ArrayLike, /) -> Array:
    """The distinct elements."""
def unitwise_clip(x: ArrayLike, norm: ArrayLike, max_norm: ArrayLike) -> Array:
    """x scaled down to the length `max_norm` where its length `norm` is not below it; both broadcast to x."""
def unitwise_norm(x: ArrayLike) -> Array:
    """For each element the Euclidean length of its unit: of the whole vector, of a column of a matrix (all but the last axis), of the last two axes of three, of a filter of a convolution."""
def unravel_index(index: ArrayLike, shape: int | Sequence[int]) -> Array:
    """The positions (rank, ...) in an array of this shape that these elements of the flattened array have; -1 where there is none."""
def unstack(x: ArrayLike, /, axis: int | Sequence[int] | None = ...) -> tuple[Array, ...]:
    """The parts of x along an axis, as a tuple."""
class use:
    """use(name) makes an engine the current one of this thread, or of this task inside asyncio; as a context manager, until the end of the
    block, any number of times. With everywhere=True it is that of all threads and tasks that selected none."""
    def __enter__(self) -> use: ...
    def __exit__(self, *unused: Any) -> None: ...
    def __init__(self, name: str, *, everywhere: builtins.bool = ...) -> None: ...
def using() -> str:
    """The name of the current engine."""
def value_and_grad(fn: Callable[..., Any], argnums: int | Sequence[int] = ..., has_aux: builtins.bool = ...) -> Callable[..., tuple[Any, Any]]:
    """A function that returns fn's value, a scalar, and its gradients by arguments: a tree of the structure of the argument, a tuple for
    several. With has_aux, fn returns (loss, anything)."""
def vander(x: ArrayLike, columns: int | None = ..., increasing: builtins.bool = ...) -> Array:
    """The powers of a vector's elements, one row each: columns - 1 ... 1, 0.
    columns: how many; as many as rows unless given
    increasing: powers 0, 1, 2 ... from left to right"""
def var(x: ArrayLike, /, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: Any = ..., *, ddof: Any | None = ...) -> Array:
    """Variance over axes: squared distances from the mean, divided by their number less the correction; NaN unless that is above 0."""
def var_mean(x: ArrayLike, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., correction: float = ...) -> var_mean_result:
    """Var and mean over axes.
    Returns variance, mean."""
def variable(x: ArrayLike) -> Array:
    """A differentiable leaf with the values of x and no history; integers become float32."""
def vecdot(x1: ArrayLike, x2: ArrayLike, /, axis: int | Sequence[int] | None = ...) -> Array:
    """Sum of products along an axis, of conjugates of x if it is complex; other axes broadcast; where ranks differ the axis counts from the end."""
def vector_norm(x: ArrayLike, /, *, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., ord: Any = ...) -> Array:
    """The norm of the vectors over axes, sum(|x|^order)^(1/order), without overflow; order 0 counts what is not 0, inf and -inf are the extremes; of no elements 0, or inf for a negative order; its derivative at 0 is 0."""
def view_as_complex(x: ArrayLike) -> Array:
    """Real and imaginary parts, which are the two elements of the last axis, as complex numbers; half precision becomes complex64."""
def view_as_real(x: ArrayLike) -> Array:
    """The real and imaginary parts of complex numbers as the two elements of a new last axis."""
def vjp(fn: Callable[..., Any], x: ArrayLike, cotangent: Any) -> tuple[Any, Any]:
    """fn(x), and the cotangent, a tree as fn(x), times the Jacobian of fn at x: a tree as x."""
def vorbis_window(n: int, dtype: DTypeLike = ...) -> Array:
    """The window of Vorbis: sin(pi / 2 sin^2(pi (j + 1/2) / n))."""
def where(condition: Any, x: ArrayLike | None = ..., y: Any | None = ...) -> Array:
    """x where the condition holds, y elsewhere; of the condition alone, as in NumPy, the positions where it holds: nonzero(condition)."""
def xlogy(x: ArrayLike, y: ArrayLike) -> Array:
    """x log(y), broadcast; 0 where x is 0, unless y is NaN."""
def yuv_to_rgb(x: ArrayLike) -> Array:
    """Red, green and blue of brightness and the two colour differences (..., 3)."""
def zeros(shape: int | Sequence[int], dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """Zeros; false for bool."""
def zeros_like(x: ArrayLike, /, dtype: DTypeLike | None = ..., device: str | None = ...) -> Array:
    """Zeros with the shape, dtype and engine of x."""
def zeta(x: ArrayLike, q: ArrayLike) -> Array:
    """The zeta function of Hurwitz, the sum of (q + k)^-x over k >= 0, broadcast; zeta(x, 1) is Riemann's; infinite for x = 1 and at q = 0, -1 ...; NaN for x < 1, and for q < 0 unless x is whole."""
__version__: str
