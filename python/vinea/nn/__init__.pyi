# Written by python/tools/stubs.py (make stubs); the tests compare.
import builtins
from typing import Any, Callable, Sequence
from .. import Array, ArrayLike, DTypeLike

class Gradients:
    """Gradients of a module's variables, for an optimizer's step."""
    def dict(self, /) -> builtins.dict[str, Array]:
        """{path: array}"""
class Module:
    """The base class of networks. Modules and Parameters assigned to attributes become part of it, as do the modules in lists, tuples, dicts and dataclasses, also
    nested ones; forward computes the result. Whether other arrays of floats are to be trained would be a guess, so an attribute that is one is refused unless its name begins with _."""
    def __call__(self, x: ArrayLike, *args: Any, **kwargs: Any) -> Any:
        """named: a layer's other arguments, such as context, mask, lengths or h; None is not given. Several results, as of lstm(x, h=None), are a dict."""
    def __init__(self) -> None: ...
    def adapt(self, x: ArrayLike, /) -> None:
        """Of a layer that vinea.nn.normalization made: sets its mean and variance to those of the data."""
    def buffers(self, /) -> dict[str, Array]:
        """State that is not differentiated: {path: array}."""
    def constrain(self, name: str, constraint: Any, /) -> Any:
        """A bound of a variable by text, "max_norm(2)", which fit applies after each step."""
    def eval(self) -> Module:
        """Evaluation mode; returns the module."""
    def evaluate(self, x: ArrayLike, y: Any, /, *, batch: Any = ..., loss: Any | None = ..., metrics: Any | None = ..., allow_nonfinite: Any = ...) -> dict[str, float]:
        """Loss and metrics in evaluation mode: {name: number}."""
    def find_lr(self, x: ArrayLike, y: Any, /, *, start: Any = ..., stop: Any = ..., steps: Any = ..., batch: Any = ..., seed: Any = ..., optimizer: Any | None = ..., loss: Any | None = ...) -> Any:
        """The learning-rate finder: a short training whose rate rises from step to step. Gives a dict: rates, losses, smooth (a mean of losses), suggested (where they fall most), least (where they are least). The module gets its values back."""
    def fit(self, x: ArrayLike, y: Any, *, progress: Any | None = ..., callbacks: Any = ..., **options: Any) -> Result:
        """Trains the module on rows x and targets y: class numbers or numbers. Returns a dict with the history.

        Options: epochs=10, batch=32, drop_last=False, shuffle=True, seed; validation=(x, y), validation_rows or validation_split; optimizer (or its name, or a text: "chain(clip_by_global_norm(1), adam(0.01))"),
        loss (a name or a function of prediction and target), metrics ("accuracy, top5", or a list); monitor, patience and min_delta (early stopping); checkpoint, checkpoint_every=1, best, restore_best=False, resume=False
        and config (a text for these files); report, title, log_csv, log_jsonl, tensorboard (a folder); average (the decay of a moving average of the weights, which validation and the result have);
        plateau_patience, plateau_factor=0.1, plateau_cooldown, min_lr; allow_nonfinite=False (whether x may contain NaN and infinity), sample_weights (a number for each row, by which its loss is multiplied),
        class_weights (one for each class), balance=False (weights that give every class the same total), micro_batches (equal parts of a batch, each computed by itself).
        Callbacks (one, or several in a list) get a dict about every step and epoch; one that returns something true stops the training. A text names one of the library's:
        "reduce_on_plateau(0.5, patience=3), early_stopping(10)"."""
    def forward(self, *args: Any, **kwargs: Any) -> Any: ...
    def freeze(self, path: Any = ...) -> None:
        """Variables at or below a path get no gradients."""
    def load(self, path: Any) -> None:
        """Reads what save wrote, into this module."""
    def load_state_dict(self, state: Any) -> None:
        """Gives variables and buffers the values that state_dict returned, of this module or another one like it, or arrays of any library; all or none of them."""
    def parameters(self) -> list[Array]:
        """The variables as a list of arrays."""
    def penalty(self, /) -> Any:
        """The penalties of all regularizers of the network, a scalar."""
    def predict(self, /, x: ArrayLike, batch: Any = ..., *, allow_nonfinite: Any = ...) -> Array:
        """The module's results for all rows of x, in evaluation mode, in batches."""
    def regularize(self, name: str, regularizer: Any, /) -> Any:
        """A penalty on a variable, "w" or "submodules/v0/w", by text: "l2(0.01)". fit adds it to the loss; a loop of one's own adds penalty()."""
    def save(self, path: Any) -> None:
        """Writes variables and buffers to a file."""
    def state_dict(self) -> dict[str, Array]:
        """Copies of variables and buffers by their paths."""
    def structure(self, /) -> str:
        """Everything below the module, as text."""
    def summary(self, x: ArrayLike, /) -> str:
        """A table of the modules that a call with x runs; nothing is computed."""
    def train(self, training: Any = ...) -> Module:
        """Training mode, for dropout and running means; returns the module."""
    training: builtins.bool
    def unfreeze(self, path: Any = ...) -> None: ...
    def value_and_grad(self, fn: Callable[..., Any], /) -> tuple[Array, Gradients]:
        """The loss that fn() computes by calling the module, and its gradients, for an optimizer's step."""
    def variables(self, /) -> dict[str, Array]:
        """All variables: {path: array}."""
    def __getattr__(self, name: str) -> Any: ...
class Optimizer:
    """An optimizer, with its state. Functions of vinea.nn make them: adam(1e-3)."""
    def configure(self, /, *, clip_norm: Any = ..., clip_value: Any = ..., accumulate: Any = ..., schedule: Any | None = ..., warm_up: Any = ...) -> Optimizer:
        """What all optimizers share; returns the optimizer."""
    def eval_params(self, parameters: Any, /) -> Any:
        """Of schedule_free: the average of what the parameters, a tree or a module, went through, which is to be used and evaluated; of a module {path: array}."""
    loss_scale: Array
    lr: float
    def minimize(self, loss: Any, parameters: Any, /) -> Array:
        """One step by a loss, a function of the parameters, a tree whose arrays get new values; returns the loss before it. Line searches (backtracking, zoom)
        evaluate it several times."""
    state: dict[str, Any]
    def step(self, parameters: Any, gradients: Any, /, *, loss: Any | None = ...) -> None:
        """One step. A module and its gradients, or two trees; the arrays get new values. Optimizers that need the loss, such as momo, get it from a module's value_and_grad, or as loss."""
    steps: int
class Parameter(Array):
    """An array that belongs to a module: self.w = Parameter(vn.zeros(3)); then self.w is the array."""
    def __init__(self, value: Any) -> None: ...
class Recurrence(Module):
    """A recurrent network over any cell, such as lstm_cell(8, 16): a module that makes {y, states} of x and states, for one step. Called with x [batch, steps, ...] it gives y of
    all steps; called with lengths, or states by name, a dict of y and the states after the last step.

    class Fading(vn.nn.Module):
        def forward(self, x, total=None):
            total = x if total is None else 0.5 * total + x
            return {"y": vn.tanh(total), "total": total}"""
    def __call__(self, x: ArrayLike, **named: Any) -> Any:
        """named: a layer's other arguments, such as context, mask, lengths or h; None is not given. Several results, as of lstm(x, h=None), are a dict."""
    def __init__(self, cell: Any, *, last_only: Any = ..., reverse: Any = ...) -> None: ...
    def forward(self, *args: Any, **kwargs: Any) -> Any: ...
class Result(dict[str, Any]):
    """The result of a training; in a notebook it shows the report, if one was written."""
    def __init__(self, values: Any, report: Any | None = ...) -> None: ...
class Schedule:
    """A learning rate as a function of the step: schedule(step) is the rate. Functions of vinea.nn make them: cosine(1e-3, steps=100)."""
    def __call__(self, /, *args: Any, **kwargs: Any) -> float:
        """Call self as a function."""
class Sequential(Module):
    """Modules one after another."""
    def __init__(self, *modules: Any) -> None: ...
    def forward(self, *args: Any, **kwargs: Any) -> Any: ...
def adaptive_avg_pool(size: int | Sequence[int], data_format: str = ...) -> Module:
    """The mean of as many windows along each of 1 to 3 spatial axes as size says, or one number for all.
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
def adaptive_max_pool(size: int | Sequence[int], data_format: str = ...) -> Module:
    """The largest elements of such windows.
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
def additive_attention(size: int, no_scale: builtins.bool = ..., w_init: Any = ...) -> Module:
    """vinea.additive_attention of x [..., queries, size] over a context [..., keys, width]. Arguments: {x, context, keys, mask}, of which the last three may be missing: the context is then x, and keys [..., keys, size] are the context. Variable: scale [size].
    no_scale: no variable
    w_init: how scale begins"""
def alpha_dropout(prob: float = ...) -> Module:
    """vinea.alpha_dropout, for networks of selu, while training, else x."""
def aug_mix(amount: float = ..., chains: int = ..., depth: int = ..., alpha: float = ...) -> Module:
    """Images mixed with some chains of rand_augment's changes, by random shares.
    chains: of changes
    depth: the most changes of a chain
    alpha: of the distributions of the shares: equal ones are likelier for larger numbers"""
def avg_pool1d(window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., include_padding: builtins.bool = ...) -> Module:
    """vinea.avg_pool1d; window has a size for each spatial axis, or one for all.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    include_padding: padding counts as zeros"""
def avg_pool2d(window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., include_padding: builtins.bool = ...) -> Module:
    """vinea.avg_pool2d.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    include_padding: padding counts as zeros"""
def avg_pool3d(window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., include_padding: builtins.bool = ...) -> Module:
    """vinea.avg_pool3d.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
    include_padding: padding counts as zeros"""
def batch_norm1d(channels: int, epsilon: float = ..., momentum: float = ..., no_affine: builtins.bool = ..., no_running: builtins.bool = ..., data_format: str = ..., synchronized: builtins.bool = ...) -> Module:
    """Mean 0 and variance 1 over each channel of all x [N, W, C] or [N, C]: its own while training, which needs two numbers or more for each channel, else the running ones; buffers running_mean (zeros) and running_var (ones; towards the unbiased variance), in float32 where variables are half precision.
    epsilon: added to the variance
    momentum: how far the running numbers go towards new ones
    no_affine: neither weight nor bias
    no_running: x's own mean and variance, in training or not
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    synchronized: while training on several ranks: the mean and variance of the parts that all ranks compute at the same time, of the whole batch with as many micro_batches as ranks. The result depends on the number of ranks; there are no second gradients"""
def batch_norm2d(channels: int, epsilon: float = ..., momentum: float = ..., no_affine: builtins.bool = ..., no_running: builtins.bool = ..., data_format: str = ..., synchronized: builtins.bool = ...) -> Module:
    """batch_norm1d of x [N, H, W, C].
    epsilon: added to the variance
    momentum: how far the running numbers go towards new ones
    no_affine: neither weight nor bias
    no_running: x's own mean and variance, in training or not
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    synchronized: while training on several ranks: the mean and variance of the parts that all ranks compute at the same time, of the whole batch with as many micro_batches as ranks. The result depends on the number of ranks; there are no second gradients"""
def batch_norm3d(channels: int, epsilon: float = ..., momentum: float = ..., no_affine: builtins.bool = ..., no_running: builtins.bool = ..., data_format: str = ..., synchronized: builtins.bool = ...) -> Module:
    """batch_norm1d of x [N, D, H, W, C].
    epsilon: added to the variance
    momentum: how far the running numbers go towards new ones
    no_affine: neither weight nor bias
    no_running: x's own mean and variance, in training or not
    data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
    synchronized: while training on several ranks: the mean and variance of the parts that all ranks compute at the same time, of the whole batch with as many micro_batches as ranks. The result depends on the number of ranks; there are no second gradients"""
def bilinear(in1: int, in2: int, out: int, no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.bilinear of x [..., in1] and y [..., in2]: Arguments: {x, y}, of which the last may be missing: it is then x; w: [out, in1, in2], b: [out].
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def category_encoding(size: int, mode: str = ...) -> Module:
    """vinea.category_encoding of integers, in float32.
    mode: 1 for the categories that the last axis names; a row for each number; how often each is named (multi_hot, one_hot, count)"""
def conv1d(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.conv1d with filters w: [kernel..., in / groups, out], or as filter_format says, and a bias b: [1, ..., out], or [1, out, 1, ...]; kernel has a size for each spatial axis, or one for all.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of w are ordered (channel_last, channel_first, WIO, OIW)
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def conv1d_transpose(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.conv1d_transpose with filters w: [kernel..., in, out / groups] and a bias.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: the padding of the convolution that is transposed (VALID, SAME)
    output_shape: lengths of the result, one for each spatial axis
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of w are ordered (channel_last, channel_first, WIO, IOW, WOI)
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def conv2d(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.conv2d with filters and a bias, as conv1d.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of w are ordered (channel_last, channel_first, HWIO, OIHW)
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def conv2d_transpose(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.conv2d_transpose with filters and a bias.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: the padding of the convolution that is transposed (VALID, SAME)
    output_shape: lengths of the result, one for each spatial axis
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of w are ordered (channel_last, channel_first, HWIO, IOHW, HWOI)
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def conv3d(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.conv3d with filters and a bias, as conv1d.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of w are ordered (channel_last, channel_first, DHWIO, OIDHW)
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def conv3d_transpose(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., output_shape: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., filter_format: str = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.conv3d_transpose with filters and a bias.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: the padding of the convolution that is transposed (VALID, SAME)
    output_shape: lengths of the result, one for each spatial axis
    data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    filter_format: how the axes of w are ordered (channel_last, channel_first, DHWIO, IODHW, DHWOI)
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def conv_lstm1d(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., dilations: int | Sequence[int] | None = ..., last_only: builtins.bool = ..., reverse: builtins.bool = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """Lstm whose products are convolutions, over x [batch, steps, width, in]: y [batch, steps, width, out]. Called with {x, h, c, lengths} it gives {y, h, c}, as lstm does, with states [batch, width, out]. Variables: input/w [kernel..., in, 4 out], input/b [4 out], recurrent/w [kernel..., out, 4 out]; gates are in the order of vinea.lstm. The convolution of h has strides 1 and padding SAME.
    strides: steps of the window of x along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded (VALID, SAME)
    dilations: distances between the elements of a window of x; one number serves all; 1 unless given
    last_only: y is that of the last step, [batch, ..., out]
    reverse: from the last step to the first
    no_bias: no bias
    w_init: how filters begin
    b_init: how the bias begins"""
def conv_lstm2d(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., dilations: int | Sequence[int] | None = ..., last_only: builtins.bool = ..., reverse: builtins.bool = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """conv_lstm1d of x [batch, steps, height, width, in].
    strides: steps of the window of x along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded (VALID, SAME)
    dilations: distances between the elements of a window of x; one number serves all; 1 unless given
    last_only: y is that of the last step, [batch, ..., out]
    reverse: from the last step to the first
    no_bias: no bias
    w_init: how filters begin
    b_init: how the bias begins"""
def conv_lstm3d(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., dilations: int | Sequence[int] | None = ..., last_only: builtins.bool = ..., reverse: builtins.bool = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """conv_lstm1d of x [batch, steps, depth, height, width, in].
    strides: steps of the window of x along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded (VALID, SAME)
    dilations: distances between the elements of a window of x; one number serves all; 1 unless given
    last_only: y is that of the last step, [batch, ..., out]
    reverse: from the last step to the first
    no_bias: no bias
    w_init: how filters begin
    b_init: how the bias begins"""
def cut_mix(alpha: float = ...) -> Module:
    """A rectangle of each image from another of the batch, and as much of its label: takes and gives the trees {x: images, y: labels of floats}; the rest is beta(alpha, alpha) distributed."""
def dct(kind: int = ..., axis: int = ..., n: int | None = ..., norm: str = ...) -> Module:
    """vinea.dct of this type along an axis of x.
    n: the length of the transform; x is cut to it, or padded with zeros; that of x unless given
    norm: which of a transform and its inverse is divided by n; ortho: both, by its square root (backward, ortho, forward)"""
def deform_conv2d(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., pads: int | Sequence[int] | None = ..., dilations: int | Sequence[int] | None = ..., groups: int = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.deform_conv2d with filters w: [kernel..., in / groups, out] and a bias b: [out]. Arguments: {x, offset, mask}, of which the last two may be missing: without offset it is conv2d.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    pads: zeros (low, high) around each spatial axis; one number serves all; 0 unless given
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    groups: number of channel groups, each with its own filters
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def depthwise_conv2d(channels: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.depthwise_conv2d with filters w: [kernel..., channels] and a bias.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def discretization(bins: int) -> Module:
    """The bucket (int64) of each number, from 0: how many of the buffer boundaries, [bins - 1], are not above it; they begin as 1 ... bins - 1, and adapt makes them the quantiles of data that give equal buckets."""
def dropout(prob: float = ..., no_scale: builtins.bool = ..., noise_shape: int | Sequence[int] | None = ...) -> Module:
    """Sets elements to zero with this probability while training, and divides the others by 1 - prob.
    no_scale: the elements kept are not divided by 1 - prob
    noise_shape: 1 for axes along which all share one choice, -1 or the size for the others"""
def einsum_dense(equation: str, shape: int | Sequence[int], bias: int | Sequence[int] | None = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.einsum of x and weights w of this shape, as btd,de->bte, and a bias b.
    bias: the shape of b, which is added to the product; none: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def elu(alpha: float = ...) -> Module:
    """x where it is above 0, else alpha (exp(x) - 1)."""
def embedding(n: int, size: int, padding_index: int = ..., max_norm: float = ..., w_init: Any = ...) -> Module:
    """Rows of a table for integers of any shape; w: [n, size]; integers outside 0 ... n - 1 give zeros.
    padding_index: this row reads as zeros and is not trained; none is -1, row 0 is 0
    max_norm: longer rows are scaled down to this length
    w_init: initialiser of w"""
def feed_forward(size: int, hidden: int, activation: str = ..., dropout: float = ..., no_bias: builtins.bool = ...) -> Module:
    """Two linear layers over the last axis, with hidden features between. Variables: up/w, b; down/w, b; gate/w, b with swiglu or geglu.
    activation: between the two linear layers; the last two multiply silu or gelu of one by another (relu, gelu, silu, tanh, swiglu, geglu)
    dropout: while training, of what is between
    no_bias: no biases"""
def flatten(first: int = ..., last: int = ...) -> Module:
    """The axes first ... last, which may count from the end, as one: vinea.nn.flatten(1, -1) leaves the batch."""
def gaussian_dropout(prob: float = ...) -> Module:
    """vinea.gaussian_dropout while training, else x."""
def gaussian_noise(std: float = ...) -> Module:
    """vinea.gaussian_noise while training, else x."""
def geglu() -> Module:
    """The first half of the last axis times gelu of the second."""
def gelu(approximate: builtins.bool = ...) -> Module:
    """x times the normal distribution function at x.
    approximate: by tanh, within 5e-4"""
def global_avg_pool(data_format: str = ..., keepdims: builtins.bool = ...) -> Module:
    """The mean of each channel: [N, C].
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
    keepdims: the spatial axes stay, with size 1"""
def global_max_pool(data_format: str = ..., keepdims: builtins.bool = ...) -> Module:
    """The largest element of each channel: [N, C].
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
    keepdims: the spatial axes stay, with size 1"""
def group_norm(groups: int, channels: int, epsilon: float = ..., no_affine: builtins.bool = ..., data_format: str = ...) -> Module:
    """Mean 0 and variance 1 over each group of channels, of each entry of the batch; weight, bias: [channels].
    epsilon: added to the variance
    no_affine: neither weight nor bias
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
def gru(in_: int, out: int, layers: int = ..., last_only: builtins.bool = ..., no_state: builtins.bool = ..., with_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ..., dropout: float = ..., bidirectional: builtins.bool = ..., reverse: builtins.bool = ...) -> Module:
    """Gated recurrent units, called as lstm without c; weights [in, 3 out] and [out, 3 out], the order of gates is that of vinea.gru.
    layers: one above the other
    last_only: y is that of the last step, [batch..., out]
    no_state: y alone also for trees
    with_bias: input/layer_0/b and recurrent/layer_0/b ..., [4 out], [3 out] or [out]
    w_init: how weights begin
    b_init: how biases begin
    dropout: while training, of what a layer gives to the next
    bidirectional: each layer also runs from the last step to the first, with variables of its own, input/reverse_0/w ...: y [..., 2 out] has both side by side, states those of each layer's two directions
    reverse: from the last step to the first"""
def gru_cell(in_: int, out: int, with_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """One step of gru: {x, h} gives {y, h}, as lstm_cell.
    with_bias: input/layer_0/b and recurrent/layer_0/b, [4 out], [3 out] or [out]
    w_init: how weights begin
    b_init: how biases begin"""
def hardswish() -> Module:
    """x relu6(x + 3) / 6."""
def hashed_crossing(bins: int, salt: int = ...) -> Module:
    """vinea.hashed_cross of integers [..., features]: [...], a bin for each combination of features."""
def hashing(bins: int, salt: int = ...) -> Module:
    """vinea.hash_bins of integers."""
def identity() -> Module:
    """x itself."""
def instance_norm(channels: int, epsilon: float = ..., no_affine: builtins.bool = ..., data_format: str = ...) -> Module:
    """Mean 0 and variance 1 over each channel of each entry of the batch; weight, bias: [channels].
    epsilon: added to the variance
    no_affine: neither weight nor bias
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)"""
def layer_norm(shape: int | Sequence[int], epsilon: float = ..., new_std: float = ..., no_affine: builtins.bool = ...) -> Module:
    """(x - mean) / sqrt(var + epsilon) * new_std * weight + bias over the last axes, which have this shape; weight and bias have it too.
    epsilon: added to the variance
    new_std: the standard deviation of the result, before the weight
    no_affine: neither weight nor bias"""
def leaky_relu(slope: float = ...) -> Module:
    """x where it is above 0, else slope x."""
def linear(in_: int, out: int, no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """x w^T + b over the last axis; w: [out, in], b: [out].
    no_bias: no bias
    w_init: initialiser of w
    b_init: initialiser of b"""
def log_softmax(axis: int = ...) -> Module:
    """Logarithms of probabilities along an axis."""
def lookup(size: int, unknown: int = ..., from_end: builtins.bool = ...) -> Module:
    """vinea.lookup of integers in the buffer vocabulary, [size], which begins as 0 ... size - 1 and which adapt makes the most frequent integers of data.
    unknown: how many numbers stand for what is not in the vocabulary, before its own; with several a number takes one by its hash, with 0 it is -1
    from_end: those numbers come after the vocabulary's own"""
def lstm(in_: int, out: int, layers: int = ..., last_only: builtins.bool = ..., no_state: builtins.bool = ..., with_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ..., dropout: float = ..., bidirectional: builtins.bool = ..., reverse: builtins.bool = ...) -> Module:
    """Long short-term memory over x [batch..., steps, in]. Called with an array it gives y [batch..., steps, out], of the last layer; called with {x, h, c, lengths} it gives {y, h, c}: the states [layers, batch..., out] after the last step, from those before the first one, which may be missing: zeros. lengths [batch...], integers, may be missing too: the steps of each sequence, between 0 and all; after its end y is 0 and its states stay, and reverse begins there. Variables: input/layer_0/w [in, 4 out], recurrent/layer_0/w [out, 4 out], input/layer_1/w ...; the order of gates is that of vinea.lstm.
    layers: one above the other
    last_only: y is that of the last step, [batch..., out]
    no_state: y alone also for trees
    with_bias: input/layer_0/b and recurrent/layer_0/b ..., [4 out], [3 out] or [out]
    w_init: how weights begin
    b_init: how biases begin
    dropout: while training, of what a layer gives to the next
    bidirectional: each layer also runs from the last step to the first, with variables of its own, input/reverse_0/w ...: y [..., 2 out] has both side by side, states those of each layer's two directions
    reverse: from the last step to the first"""
def lstm_cell(in_: int, out: int, with_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """One step of lstm, with its variables: {x [batch..., in], h, c} gives {y, h, c}, [batch..., out] each; y is h; states that are missing are zeros. vinea.nn.Recurrence calls it for every step of a sequence.
    with_bias: input/layer_0/b and recurrent/layer_0/b, [4 out], [3 out] or [out]
    w_init: how weights begin
    b_init: how biases begin"""
def masking(value: float = ...) -> Module:
    """vinea.masked_steps: zeros at the steps whose features are all this value."""
def max_pool1d(window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Module:
    """vinea.max_pool1d; window has a size for each spatial axis, or one for all.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def max_pool2d(window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Module:
    """vinea.max_pool2d.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def max_pool3d(window: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ...) -> Module:
    """vinea.max_pool3d.
    strides: steps of the window; the window's own sizes unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NDHWC, NCDHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given"""
def mel_spectrogram(bands: int = ..., sample_rate: float = ..., n: int = ..., length: int | None = ..., step: int = ..., window: str = ..., low: float = ..., high: float | None = ..., exponent: float = ..., no_db: builtins.bool = ..., top_db: float = ..., min_power: float = ..., reference: float = ...) -> Module:
    """The power in mel bands (vinea.mel_weights) of frames of x [..., samples], centred: [..., frames, bands], in decibels.
    n: the length of frames and transforms
    length: that of the window, in their middle; n unless given
    step: the distance between frames
    window: a periodic window (hann, hamming, blackman, bartlett, none)
    low: the lower end of the first band, in Hertz
    high: the upper end of the last band, in Hertz; half the sample rate unless given
    exponent: magnitudes to this power
    no_db: not in decibels
    top_db: decibels are at most this much below the largest
    min_power: a smaller power counts as this
    reference: the power at 0 decibels"""
def mish() -> Module:
    """x tanh(softplus(x))."""
def mix_up(alpha: float = ...) -> Module:
    """Each image mixed with another of the batch, by shares from the distribution beta(alpha, alpha), and its label too: takes and gives the trees {x: images, y: labels of floats}."""
def multi_head_attention(query_dim: int, heads: int = ..., head_dim: int | None = ..., context_dim: int | None = ..., dropout: float = ..., scale: float | None = ..., no_to_q: builtins.bool = ..., no_to_kv: builtins.bool = ..., no_to_out: builtins.bool = ..., no_bias: builtins.bool = ..., causal: builtins.bool = ..., zero_rows: builtins.bool = ..., kv_heads: int | None = ...) -> Module:
    """Attention with several heads of x [..., queries, query_dim] over a context [..., keys, context_dim]. Arguments: {x, context, mask}, of which the last two may be missing: the context is then x; mask [..., queries, keys] says where to attend: not 0. Variables: to_q/w, b; to_kv/k/w, b; to_kv/v/w, b; to_out/submodules/v0/w, b, as of linear layers.
    heads: how many
    head_dim: features of a head; 64, or query_dim / heads with no_to_q, unless given
    context_dim: features of the context; query_dim unless given
    dropout: of what to_out gives
    scale: of products of queries and keys; 1 / sqrt(head_dim) unless given
    no_to_q: x is q
    no_to_kv: the first half of the context's last axis is k, the second v
    no_to_out: the heads side by side are the result
    no_bias: of the projections
    causal: query i attends to keys up to i; not together with a mask
    zero_rows: a query with nothing to attend to gives zeros (before to_out), not the mean of all v
    kv_heads: heads of keys and values, each for as many of the heads (grouped-query attention); as many as heads unless given"""
def normalization(size: int, inverse: builtins.bool = ...) -> Module:
    """(x - mean) / sqrt(variance) over the last axis, with buffers mean (zeros) and variance (ones), [size], that adapt computes from data.
    inverse: x sqrt(variance) + mean instead"""
def positional_encoding(size: int, base: float = ..., offset: int = ...) -> Module:
    """x [..., steps, size] plus sines and cosines of its positions, side by side, as the Transformer has them.
    base: frequencies are base^(-2k / size)
    offset: position of the first step"""
def prelu(channels: int = ..., data_format: str = ..., init: Any = ...) -> Module:
    """x where it is above 0, else weight x; weight: [channels]; one weight serves all.
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW)
    init: initialiser of weight"""
def rand_augment(amount: float = ..., changes: int = ...) -> Module:
    """Images with some of 14 changes, chosen for each image: shear, shift, rotation, brightness, contrast, saturation, sharpness, fewer levels, inverted brightness, equalisation, stretching, none.
    changes: how many, one after the other"""
def random_auto_contrast(prob: float = ...) -> Module:
    """Images stretched by chance, so that each channel goes from 0 to 1: vinea.auto_contrast."""
def random_blur(sigma: float = ..., taps: int = ...) -> Module:
    """Images with a Gaussian filter, each of its own deviation up to sigma; outside there is the edge.
    taps: pixels that the filter covers along each axis, an odd number"""
def random_brightness(part: float = ...) -> Module:
    """Images with a number from -part to part added, which is for pixels from 0 to 1."""
def random_color_degeneration(part: float = ...) -> Module:
    """Images moved towards gray by up to this part of the way; images without 3 channels stay as they are."""
def random_color_jitter(brightness: float = ..., contrast: float = ..., saturation: float = ..., hue: float = ...) -> Module:
    """random_brightness, random_contrast, random_saturation and random_hue in one.
    brightness: as of random_brightness; 0 for none
    contrast: as of random_contrast
    saturation: as of random_saturation
    hue: as of random_hue"""
def random_contrast(part: float = ...) -> Module:
    """Images whose distance from the mean of each channel is multiplied by 1 - part to 1 + part."""
def random_crop(part: float = ...) -> Module:
    """A part of each image, at a random place, in the size of the whole: 1 - part to 1 of height and width."""
def random_elastic(pixels: float = ..., sigma: float = ..., fill: str = ...) -> Module:
    """Images whose pixels move a little: noise from -pixels to pixels, smoothed.
    sigma: the deviation of the filter that smooths how far pixels move
    fill: what is outside of an image: its mirror image, its edge, or zeros (reflect, nearest, zero)"""
def random_equalize(prob: float = ...) -> Module:
    """Images in levels that are about equally frequent, by chance: vinea.equalize."""
def random_erasing(part: float = ..., value: float = ...) -> Module:
    """Images with a hole: a rectangle at a random place, its sides up to this part of height and width.
    value: of the pixels in it"""
def random_flip(prob: float = ..., direction: str = ...) -> Module:
    """Images (n, height, width, channels) mirrored by chance while training, each for itself, as all layers called random_...; x itself in evaluation.
    prob: of each direction
    direction: left and right change places, or top and bottom, or either (horizontal, vertical, both)"""
def random_gray(prob: float = ...) -> Module:
    """Images made gray with this probability; images without 3 channels stay as they are."""
def random_hue(part: float = ...) -> Module:
    """Images whose hues are rotated by up to this part of the colour circle, in either direction; images without 3 channels stay as they are."""
def random_invert(prob: float = ...) -> Module:
    """Images inverted with this probability: 1 - x."""
def random_perspective(part: float = ..., fill: str = ...) -> Module:
    """Images seen from a side: each corner moves inwards by up to this part of half the width and half the height.
    fill: what is outside of an image: its mirror image, its edge, or zeros (reflect, nearest, zero)"""
def random_posterize(prob: float = ..., bits: int = ...) -> Module:
    """Images in fewer levels by chance: vinea.posterize.
    bits: 2^bits levels are left"""
def random_rotation(degrees: float = ..., fill: str = ...) -> Module:
    """Images rotated about their centre by up to this angle, in either direction.
    fill: what is outside of an image: its mirror image, its edge, or zeros (reflect, nearest, zero)"""
def random_saturation(part: float = ...) -> Module:
    """Images whose distance from gray is multiplied by 1 - part to 1 + part; images without 3 channels stay as they are."""
def random_sharpness(part: float = ...) -> Module:
    """Images whose distance from their smoothed selves is multiplied by 1 - part to 1 + part; clipped to 0 ... 1."""
def random_shear(part: float = ..., fill: str = ...) -> Module:
    """Images leaning to a side: rows shifted by up to this part of their distance from the middle, and columns too.
    fill: what is outside of an image: its mirror image, its edge, or zeros (reflect, nearest, zero)"""
def random_solarize(prob: float = ..., threshold: float = ...) -> Module:
    """Images whose bright pixels are inverted, by chance: vinea.solarize.
    threshold: pixels from here on are inverted"""
def random_translation(part: float = ..., fill: str = ...) -> Module:
    """Images shifted by up to this part of height and width either way.
    fill: what is outside of an image: its mirror image, its edge, or zeros (reflect, nearest, zero)"""
def random_zoom(part: float = ..., fill: str = ...) -> Module:
    """Images enlarged or reduced about their middle: their size over 1 - part to 1 + part.
    fill: what is outside of an image: its mirror image, its edge, or zeros (reflect, nearest, zero)"""
def relu() -> Module:
    """x where it is above 0, else 0."""
def relu6() -> Module:
    """x clamped to [0, 6]."""
def rescaling(scale: float, offset: float = ...) -> Module:
    """vinea.rescale: x scale + offset; integers become float32."""
def reshape(shape: int | Sequence[int]) -> Module:
    """The same numbers in this shape, which does not count the batch, the first axis."""
def reversible_embedding(n: int, size: int, soft_cap: float = ..., w_init: Any = ...) -> Module:
    """Rows of w [n, size] for integers of any shape, and, for floats x [..., size], the logits x w^T [..., n] of all rows.
    soft_cap: logits are cap tanh(logits / cap); 0 leaves them as they are
    w_init: initialiser of w"""
def rms_norm(shape: int | Sequence[int], epsilon: float = ..., no_affine: builtins.bool = ...) -> Module:
    """x / sqrt(mean(x^2) + epsilon) * weight over the last axes; there is no bias.
    epsilon: added to the mean square
    no_affine: no weight"""
def rnn(in_: int, out: int, layers: int = ..., last_only: builtins.bool = ..., no_state: builtins.bool = ..., with_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ..., dropout: float = ..., bidirectional: builtins.bool = ..., reverse: builtins.bool = ...) -> Module:
    """The simple recurrent network over x [batch..., steps, in]: h = tanh(x w + h u + biases), called as gru. Variables: input/layer_0/w [in, out], recurrent/layer_0/w [out, out] ....
    layers: one above the other
    last_only: y is that of the last step, [batch..., out]
    no_state: y alone also for trees
    with_bias: input/layer_0/b and recurrent/layer_0/b ..., [4 out], [3 out] or [out]
    w_init: how weights begin
    b_init: how biases begin
    dropout: while training, of what a layer gives to the next
    bidirectional: each layer also runs from the last step to the first, with variables of its own, input/reverse_0/w ...: y [..., 2 out] has both side by side, states those of each layer's two directions
    reverse: from the last step to the first"""
def rnn_cell(in_: int, out: int, with_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """One step of rnn: {x, h} gives {y, h}, as lstm_cell.
    with_bias: input/layer_0/b and recurrent/layer_0/b, [4 out], [3 out] or [out]
    w_init: how weights begin
    b_init: how biases begin"""
def rrelu(low: float = ..., high: float = ...) -> Module:
    """vinea.rrelu while training, else leaky_relu with the mean of both slopes."""
def selu() -> Module:
    """Elu with the constants of self-normalising networks."""
def separable_conv1d(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., multiplier: int = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.separable_conv1d with filters depthwise [kernel..., in, multiplier] and pointwise [in multiplier, out], and a bias b: [out].
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NWC, NCW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    multiplier: depthwise filters for each channel
    no_bias: no bias
    w_init: initialiser of both filters
    b_init: initialiser of b"""
def separable_conv2d(in_: int, out: int, kernel: int | Sequence[int], strides: int | Sequence[int] | None = ..., padding: str = ..., pads: int | Sequence[int] | None = ..., data_format: str = ..., dilations: int | Sequence[int] | None = ..., multiplier: int = ..., no_bias: builtins.bool = ..., w_init: Any = ..., b_init: Any = ...) -> Module:
    """vinea.separable_conv2d with filters and a bias, as separable_conv1d.
    strides: steps of the window along the spatial axes; one number serves all; 1 unless given
    padding: how x is padded unless pads are given (VALID, SAME)
    pads: padding (low, high) for each spatial axis, or one number for all
    data_format: where x has its channels (channel_last, channel_first, NHWC, NCHW)
    dilations: distances between the elements of a window; one number serves all; 1 unless given
    multiplier: depthwise filters for each channel
    no_bias: no bias
    w_init: initialiser of both filters
    b_init: initialiser of b"""
def sigmoid() -> Module:
    """1 / (1 + exp(-x))."""
def silu() -> Module:
    """x sigmoid(x)."""
def softmax(axis: int = ...) -> Module:
    """Probabilities along an axis; cross_entropy takes what comes before it."""
def softplus(beta: float = ...) -> Module:
    """Log(1 + exp(beta x)) / beta."""
def spectrogram(length: int, step: int | None = ..., n: int | None = ..., mode: str = ..., window: str = ..., periodic: builtins.bool = ..., scaling: str = ..., padding: str = ...) -> Module:
    """Spectra of frames of x [..., samples], of this length and half of it, or step, apart: [..., frames, n / 2 + 1]; magnitudes are at least 1e-7 in log, squares in magnitude.
    n: the length of the transforms; the power of 2 that is not below the frame's length unless given
    mode: the logarithm of magnitudes, magnitudes, power spectral density, real or imaginary parts, angles, or real and imaginary parts side by side (log, magnitude, psd, real, imag, angle, stft)
    window: what frames are multiplied by (hann, hamming, blackman, bartlett, none)
    periodic: a periodic window
    scaling: the window is divided by the root of its sum of squares, by its sum, or not at all (density, spectrum, none)
    padding: SAME: zeros around x, so that a frame begins at every step (VALID, SAME)"""
def swiglu(in_: int, out: int, with_bias: builtins.bool = ..., w_init: Any = ...) -> Module:
    """Silu of one linear layer times another: silu(x inner^T) (x outer^T). Variables: inner/w, b; outer/w, b.
    with_bias: biases
    w_init: how weights begin"""
def tanh() -> Module:
    """The hyperbolic tangent."""
def transformer(size: int, heads: int, encoder_layers: int, decoder_layers: int, hidden: int | None = ..., activation: str = ..., dropout: float = ..., norm_first: builtins.bool = ..., epsilon: float = ..., kv_heads: int | None = ..., causal: builtins.bool = ..., no_bias: builtins.bool = ..., no_final_norm: builtins.bool = ...) -> Module:
    """An encoder of x, and a decoder of target with that as its context. Arguments: {x [..., steps, size], target [..., target steps, size], mask, target_mask, context_mask}, of which all but x may be missing: the target is then x. Variables: encoder/..., decoder/....
    hidden: features between the two linear layers of feed_forward; 4 times size unless given
    activation: that of feed_forward (relu, gelu, silu, tanh, swiglu, geglu)
    dropout: while training, of what is added to x and within feed_forward
    norm_first: layer_norm before attention and feed_forward, not after they were added
    epsilon: of layer_norm
    kv_heads: as of multi_head_attention
    causal: the self-attention of the last part, encoder or decoder, goes to earlier steps only; not together with its mask
    no_bias: of linear layers
    no_final_norm: stacks end without a layer_norm of their own"""
def transformer_decoder(size: int, heads: int, layers: int, hidden: int | None = ..., activation: str = ..., dropout: float = ..., norm_first: builtins.bool = ..., epsilon: float = ..., kv_heads: int | None = ..., causal: builtins.bool = ..., no_bias: builtins.bool = ..., no_final_norm: builtins.bool = ...) -> Module:
    """Decoder layers one after the other, called as one of them. Variables: layers/v0/..., norm/....
    hidden: features between the two linear layers of feed_forward; 4 times size unless given
    activation: that of feed_forward (relu, gelu, silu, tanh, swiglu, geglu)
    dropout: while training, of what is added to x and within feed_forward
    norm_first: layer_norm before attention and feed_forward, not after they were added
    epsilon: of layer_norm
    kv_heads: as of multi_head_attention
    causal: the self-attention of the last part, encoder or decoder, goes to earlier steps only; not together with its mask
    no_bias: of linear layers
    no_final_norm: stacks end without a layer_norm of their own"""
def transformer_decoder_layer(size: int, heads: int, hidden: int | None = ..., activation: str = ..., dropout: float = ..., norm_first: builtins.bool = ..., epsilon: float = ..., kv_heads: int | None = ..., causal: builtins.bool = ..., no_bias: builtins.bool = ..., no_final_norm: builtins.bool = ...) -> Module:
    """Self-attention, attention to a context, and feed_forward, as transformer_encoder_layer. Arguments: {x [..., steps, size], context [..., keys, size], mask, context_mask [..., steps, keys]}, of which all but x may be missing: the context is then x. Variables: attention/..., context_attention/..., feed_forward/..., norm1/..., norm2/..., norm3/....
    hidden: features between the two linear layers of feed_forward; 4 times size unless given
    activation: that of feed_forward (relu, gelu, silu, tanh, swiglu, geglu)
    dropout: while training, of what is added to x and within feed_forward
    norm_first: layer_norm before attention and feed_forward, not after they were added
    epsilon: of layer_norm
    kv_heads: as of multi_head_attention
    causal: the self-attention of the last part, encoder or decoder, goes to earlier steps only; not together with its mask
    no_bias: of linear layers
    no_final_norm: stacks end without a layer_norm of their own"""
def transformer_encoder(size: int, heads: int, layers: int, hidden: int | None = ..., activation: str = ..., dropout: float = ..., norm_first: builtins.bool = ..., epsilon: float = ..., kv_heads: int | None = ..., causal: builtins.bool = ..., no_bias: builtins.bool = ..., no_final_norm: builtins.bool = ...) -> Module:
    """Encoder layers one after the other, called as one of them. Variables: layers/v0/..., norm/....
    hidden: features between the two linear layers of feed_forward; 4 times size unless given
    activation: that of feed_forward (relu, gelu, silu, tanh, swiglu, geglu)
    dropout: while training, of what is added to x and within feed_forward
    norm_first: layer_norm before attention and feed_forward, not after they were added
    epsilon: of layer_norm
    kv_heads: as of multi_head_attention
    causal: the self-attention of the last part, encoder or decoder, goes to earlier steps only; not together with its mask
    no_bias: of linear layers
    no_final_norm: stacks end without a layer_norm of their own"""
def transformer_encoder_layer(size: int, heads: int, hidden: int | None = ..., activation: str = ..., dropout: float = ..., norm_first: builtins.bool = ..., epsilon: float = ..., kv_heads: int | None = ..., causal: builtins.bool = ..., no_bias: builtins.bool = ..., no_final_norm: builtins.bool = ...) -> Module:
    """Self-attention and feed_forward, each added to what it takes, with layer_norm. Arguments: {x [..., steps, size], mask}; mask [..., steps, steps] says where to attend and may be missing. Variables: attention/..., feed_forward/..., norm1/..., norm2/....
    hidden: features between the two linear layers of feed_forward; 4 times size unless given
    activation: that of feed_forward (relu, gelu, silu, tanh, swiglu, geglu)
    dropout: while training, of what is added to x and within feed_forward
    norm_first: layer_norm before attention and feed_forward, not after they were added
    epsilon: of layer_norm
    kv_heads: as of multi_head_attention
    causal: the self-attention of the last part, encoder or decoder, goes to earlier steps only; not together with its mask
    no_bias: of linear layers
    no_final_norm: stacks end without a layer_norm of their own"""
def acprop(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., root_epsilon: float = ...) -> Optimizer:
    """Gradients over the root of the last step's mean of squares of what the mean did not foresee.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    root_epsilon: added to the mean of squares"""
def adabelief(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., root_epsilon: float = ..., nesterov: builtins.bool = ...) -> Optimizer:
    """Adam with squares of what the mean gradient did not foresee.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    root_epsilon: added to the mean of squares
    nesterov: the mean one step ahead"""
def adadelta(lr: float = ..., rho: float = ..., epsilon: float = ..., weight_decay: float = ...) -> Optimizer:
    """Gradients times the root of the mean of squared steps over that of squared gradients.
    rho: decay of both means of squares
    epsilon: keeps the denominator away from 0
    weight_decay: times w, added to the gradient"""
def adafactor(lr: float = ..., decay_rate: float = ..., decay_offset: float = ..., min_size: int = ..., clipping: float = ..., momentum: float = ..., weight_decay: float = ..., epsilon: float = ..., no_factors: builtins.bool = ..., no_scale: builtins.bool = ...) -> Optimizer:
    """Squares of a matrix kept as a row and a column, for little memory.
    decay_rate: the mean of squares forgets as 1 - step^-decay_rate
    decay_offset: steps that do not count for it
    min_size: arrays whose second largest axis is shorter are not factored
    clipping: the largest root mean square of a step, before lr; 0 for none
    momentum: decay of a mean of steps
    weight_decay: the part taken from w itself
    epsilon: added to squares
    no_factors: means of squares are kept whole
    no_scale: steps are not scaled by the root mean square of w"""
def adagrad(lr: float = ..., epsilon: float = ..., weight_decay: float = ..., initial_accumulator: float = ..., lr_decay: float = ..., epsilon_inside: builtins.bool = ...) -> Optimizer:
    """Gradients over the root of the sum of all their squares.
    epsilon: keeps the denominator away from 0
    weight_decay: times w, added to the gradient
    initial_accumulator: what the sum of squares begins with
    lr_decay: lr is divided by 1 + lr_decay (step - 1)
    epsilon_inside: epsilon is added under the root"""
def adam(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., folded: builtins.bool = ..., first_moments_grad: builtins.bool = ...) -> Optimizer:
    """Adam: the mean of gradients over the root of the mean of their squares.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times w, added to the gradient
    folded: epsilon folded into the rate, as vinea.adam_step has it
    first_moments_grad: begin with m = g, v = g^2 instead of 0"""
def adamax(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., no_correction: builtins.bool = ...) -> Optimizer:
    """Adam with the largest gradient, which decays, instead of the root.
    beta1: decay of the mean of gradients
    beta2: decay of the largest gradient
    epsilon: keeps the denominator away from 0
    no_correction: the mean as it is, from 0 on, and epsilon added to the denominator"""
def adamaxw(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ...) -> Optimizer:
    """Adamax with decoupled weight decay.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself"""
def adamw(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., folded: builtins.bool = ..., first_moments_grad: builtins.bool = ...) -> Optimizer:
    """Adam with decoupled weight decay.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself; 0 for none
    folded: epsilon folded into the rate, as vinea.adam_step has it
    first_moments_grad: begin with m = g, v = g^2 instead of 0"""
def adan(lr: float = ..., beta1: float = ..., beta2: float = ..., beta3: float = ..., epsilon: float = ..., root_epsilon: float = ..., weight_decay: float = ...) -> Optimizer:
    """Adaptive Nesterov momentum: means of gradients, of their changes, and of the squares of both.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their changes
    beta3: decay of the mean of squares
    epsilon: keeps the denominator away from 0
    root_epsilon: added to the mean of squares
    weight_decay: times lr, the part taken from w itself"""
def ademamix(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., beta3: float = ..., alpha: float = ...) -> Optimizer:
    """Adam with a second, slow mean of gradients.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    beta3: decay of the slow mean
    alpha: weight of the slow mean"""
def adopt(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., nesterov: builtins.bool = ..., no_clipping: builtins.bool = ...) -> Optimizer:
    """Adam with gradients over the root of the squares before them, which converges for any beta2.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    nesterov: the mean one step ahead
    no_clipping: early steps are not clipped to the fourth root of the step"""
def amsgrad(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ...) -> Optimizer:
    """Adam with the largest mean of squares so far.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0"""
def apply_if_finite(part: Any, max_errors: int = ...) -> Optimizer:
    """Steps whose gradients have a NaN or infinity change nothing.
    max_errors: after so many in a row, a step is taken whatever it has"""
def backtracking(part: Any, max_evaluations: int = ..., decrease: float = ..., shrink: float = ..., grow: float = ..., max_step: float = ...) -> Optimizer:
    """A line search along the part's update, for minimize(loss, parameters) and fit, which have the loss (step has not): the step shrinks until the loss falls enough (Armijo).
    max_evaluations: of the loss in a search
    decrease: the part of the expected decrease that is enough
    shrink: times the step where it is too long
    grow: the first try is the last step times this
    max_step: the longest step, in units of the part's"""
def chain(*parts: Any) -> Optimizer:
    """One after the other: each transforms the updates of those before it; of a whole optimizer one part is an optimizer, or a scale below 0."""
def cocob(lr: float = ..., alpha: float = ..., epsilon: float = ..., weight_decay: float = ...) -> Optimizer:
    """Coin betting, without a rate; lr scales the gradients.
    alpha: how slowly steps become large
    epsilon: the first scale of gradients
    weight_decay: times w, added to the gradient"""
def dadapt_adamw(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., initial: float = ...) -> Optimizer:
    """AdamW with D-adaptation: the rate grows to the estimated distance from the solution.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times the rate, the part taken from w itself
    initial: the first estimate of the distance"""
def direction(part: Any) -> Optimizer:
    """The part's direction: what it would subtract with a learning rate of 1; only for chains that end in their own rate, chain(direction(adam), scale(-0.01))."""
def dog(lr: float = ..., initial: float = ..., begin: str = ..., epsilon: float = ..., weight_decay: float = ...) -> Optimizer:
    """Distance over gradients: the rate is the farthest distance from the start over the root of the sum of squared gradients.
    initial: the first distance, or rate, or part of 1 + the length of w
    begin: which of these initial is: the last, the first or the second (heuristic, distance, learning_rate)
    epsilon: added to the sum of squares
    weight_decay: times w, added to the gradient"""
def dowg(lr: float = ..., initial: float = ..., epsilon: float = ..., weight_decay: float = ...) -> Optimizer:
    """Distance over gradients, with gradients weighted by the distance.
    initial: the first squared distance
    epsilon: keeps the denominator away from 0
    weight_decay: times w, added to the gradient"""
def every(part: Any, period: int = ..., offset: int = ..., passes: builtins.bool = ...) -> Optimizer:
    """The part in one of several steps.
    period: of so many steps
    offset: the one with this number, from 0
    passes: other steps pass the gradients on instead of changing nothing"""
def fromage(lr: float = ..., min_norm: float = ...) -> Optimizer:
    """Steps as long as lr times the array that moves, which shrinks by what they add.
    min_norm: shorter lengths count as this"""
def ftrl(lr: float = ..., lr_power: float = ..., initial_accumulator: float = ..., l1: float = ..., l2: float = ..., l2_shrinkage: float = ..., beta: float = ...) -> Optimizer:
    """Follow the regularised leader: sparse parameters of linear models.
    lr_power: the rate falls with the sum of squares to this power
    initial_accumulator: what the sum of squares begins with
    l1: the L1 penalty
    l2: the L2 penalty
    l2_shrinkage: an L2 penalty of the size of w, added to the gradient
    beta: added to l2 over 2 lr"""
def galore(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., rank: int = ..., gap: int = ..., scale: float = ...) -> Optimizer:
    """Adam on gradients of matrices that are projected onto their largest singular vectors, for little memory; on others as they are.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    rank: of the gradients that are kept; the shorter side of a matrix at most
    gap: steps from one projection to the next
    scale: times the steps of matrices"""
def groups(*parts: Any) -> Optimizer:
    """Parameter groups: each parameter is moved by the first part that takes it; masked(...) takes those that its patterns name, any other part takes all."""
def lamb(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., max_trust_ratio: float | None = ..., weight_decay: float = ..., folded: builtins.bool = ..., first_moments_grad: builtins.bool = ...) -> Optimizer:
    """Adam's steps scaled layer by layer to the length of the parameters.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    max_trust_ratio: the largest trust ratio; without limit, or 10 if folded, unless given
    weight_decay: weight decay
    folded: the form of vinea.lamb_update without .paper
    first_moments_grad: begin with m = g, v = g^2 instead of 0"""
def lars(lr: float = ..., weight_decay: float = ..., folded: builtins.bool = ...) -> Optimizer:
    """Steps scaled layer by layer to the length of the parameters.
    weight_decay: weight decay
    folded: the form of vinea.lars_update without .paper"""
def lbfgs(lr: float = ..., memory: int = ..., no_scale: builtins.bool = ...) -> Optimizer:
    """Limited-memory BFGS: gradients times an approximation of the inverse Hessian, for whole data sets.
    memory: how many steps are remembered
    no_scale: the first approximation of the inverse Hessian is not scaled"""
def ldog(lr: float = ..., initial: float = ..., epsilon: float = ...) -> Optimizer:
    """Distance over gradients, array by array.
    initial: the first distance is this times 1 + the length of w
    epsilon: added to the sum of squares"""
def lion(lr: float = ..., beta1: float = ..., beta2: float = ..., weight_decay: float = ...) -> Optimizer:
    """The sign of a mean of gradients.
    beta1: of the direction
    beta2: decay of the mean of gradients
    weight_decay: times lr, the part taken from w itself"""
def lookahead(part: Any, period: int = ..., slow_step: float = ..., reset: builtins.bool = ...) -> Optimizer:
    """The part's steps; every few steps slow parameters move towards the result, and the parameters continue from there.
    period: steps between two updates of the slow parameters
    slow_step: how far the slow parameters go towards the fast ones
    reset: the part's state is reset after each update of the slow parameters"""
def loss_scale(part: Any, initial: float = ..., growth_steps: int = ..., fixed: builtins.bool = ...) -> Optimizer:
    """For half precision: gradients of a loss that was multiplied by loss_scale are divided by it; steps that are not finite change nothing and halve it. fit and minimize(loss, parameters) multiply the loss; before step the loss function does. The outermost optimizer.
    initial: the first factor
    growth_steps: finite steps after which it doubles
    fixed: the factor stays as it is"""
def madgrad(lr: float = ..., momentum: float = ..., epsilon: float = ..., weight_decay: float = ...) -> Optimizer:
    """Dual averaging with the cube root of weighted squares, from where w began.
    momentum: how much of w stays
    epsilon: keeps the denominator away from 0
    weight_decay: times w, added to the gradient"""
def masked(part: Any, only: str) -> Optimizer:
    """A part for those parameters whose names match one of the patterns, separated by spaces, in which * stands for any text: masked(sgd(0.1), *bias head*); after a !, all but those. A pattern that matches nothing is an error. In a chain the updates of others pass as they are; as a whole optimizer it must leave none: groups(masked(sgd(0.1), *bias), set_to_zero) keeps them as they are."""
def mechanize(part: Any, weight_decay: float = ..., epsilon: float = ..., initial: float = ..., betas: int = ...) -> Optimizer:
    """Mechanic: the scale of the part's steps is learned.
    weight_decay: of the learning rate's own learner
    epsilon: keeps denominators away from 0
    initial: the first learning rate
    betas: how many learners are added up"""
def momo(lr: float = ..., beta: float = ..., lower_bound: float = ..., weight_decay: float = ..., adapt_lower_bound: builtins.bool = ...) -> Optimizer:
    """SGD with momentum whose rate, at most lr, follows from the loss.
    beta: decay of the means
    lower_bound: a bound below the smallest loss
    weight_decay: the part taken from w itself
    adapt_lower_bound: the bound is estimated, from this one on"""
def momo_adam(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., lower_bound: float = ..., weight_decay: float = ..., adapt_lower_bound: builtins.bool = ...) -> Optimizer:
    """Adam whose rate, at most lr, follows from the loss.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    lower_bound: a bound below the smallest loss
    weight_decay: the part taken from w itself
    adapt_lower_bound: the bound is estimated, from this one on"""
def muon(lr: float = ..., beta: float = ..., weight_decay: float = ..., iterations: int = ..., coefficient1: float = ..., coefficient2: float = ..., coefficient3: float = ..., epsilon: float = ..., no_nesterov: builtins.bool = ..., consistent_rms: float = ..., adam_beta1: float = ..., adam_beta2: float = ..., adam_weight_decay: float = ...) -> Optimizer:
    """Orthogonalised means of gradients for matrices, NAdam for all others.
    beta: decay of the mean gradient of matrices
    weight_decay: of matrices: times lr, the part taken from w itself
    iterations: of Newton and Schulz
    coefficient1: of x in an iteration
    coefficient2: of x xT x
    coefficient3: of (x xT)^2 x
    epsilon: keeps denominators away from 0
    no_nesterov: the mean of this step, not one ahead
    consistent_rms: scale matrices by this times the root of their longer side, instead of the root of rows / columns
    adam_beta1: beta1 of arrays that are no matrices
    adam_beta2: beta2 of these
    adam_weight_decay: their weight decay"""
def nadam(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., momentum_decay: float = ...) -> Optimizer:
    """Adam with the mean of gradients one step ahead.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    momentum_decay: above 0: the momentum grows with the step, beta1 (1 - 0.96^(step momentum_decay) / 2): 0.004 in PyTorch, 1 in Keras"""
def nadamw(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ...) -> Optimizer:
    """NAdam with decoupled weight decay.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself"""
def noisy_sgd(lr: float = ..., eta: float = ..., gamma: float = ..., seed: int = ...) -> Optimizer:
    """SGD with normal numbers, which get smaller, added to the gradients.
    eta: variance of the first step's noise
    gamma: the variance falls with the step to this power
    seed: of the noise"""
def novograd(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ...) -> Optimizer:
    """Gradients over their length, array by array.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of squared lengths
    epsilon: keeps the denominator away from 0
    weight_decay: times w, added to the mean"""
def optimistic_adam(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., alpha: float = ..., beta: float = ..., no_nesterov: builtins.bool = ...) -> Optimizer:
    """NAdam with optimistic steps, for games.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    alpha: weight of the new step
    beta: weight of its change since the last
    no_nesterov: the mean of this step, not one ahead"""
def optimistic_gradient_descent(lr: float = ..., alpha: float = ..., beta: float = ...) -> Optimizer:
    """(alpha + beta) g minus beta times the last g.
    alpha: weight of the gradient
    beta: weight of its change since the last"""
def polyak_sgd(lr: float = ..., max_lr: float = ..., f_min: float = ..., epsilon: float = ..., clip_gap: builtins.bool = ...) -> Optimizer:
    """lr times the gap to the smallest loss over the squared length of the gradient.
    max_lr: the largest rate
    f_min: the smallest possible loss
    epsilon: added to the squared length of the gradient
    clip_gap: a loss below f_min counts as f_min"""
def prodigy(lr: float = ..., beta1: float = ..., beta2: float = ..., beta3: float | None = ..., epsilon: float = ..., initial: float = ..., coefficient: float = ..., weight_decay: float = ..., safe_warm_up: builtins.bool = ...) -> Optimizer:
    """Adam with a rate that grows to the estimated distance from the solution.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    beta3: decay of the sums that estimate the distance; the root of beta2 unless given
    epsilon: keeps the denominator away from 0
    initial: the first estimate of the distance
    coefficient: times the estimate
    weight_decay: times the rate, the part taken from w itself
    safe_warm_up: leave the rate out of the sums while it warms up"""
def radam(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., threshold: float = ..., nesterov: builtins.bool = ...) -> Optimizer:
    """Rectified Adam: the mean of gradients alone until the mean of squares is known well enough.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    threshold: how well the mean of squares must be known before it counts
    nesterov: the mean one step ahead"""
def rmsprop(lr: float = ..., beta2: float = ..., epsilon: float = ..., momentum: float = ..., weight_decay: float = ..., centered: builtins.bool = ..., nesterov: builtins.bool = ..., lr_decay: float = ..., epsilon_inside: builtins.bool = ..., bias_correction: builtins.bool = ...) -> Optimizer:
    """Gradients over the root of the mean of their squares.
    beta2: decay of the mean of squared gradients
    epsilon: keeps the denominator away from 0
    momentum: how much of the last step goes into the next
    weight_decay: times w, added to the gradient
    centered: squares of the difference from the mean gradient
    nesterov: look ahead by the momentum
    lr_decay: lr is divided by 1 + lr_decay (step - 1)
    epsilon_inside: epsilon is added under the root
    bias_correction: means that do not lean towards 0 at first"""
def rprop(lr: float = ..., eta_minus: float = ..., eta_plus: float = ..., min_step: float = ..., max_step: float = ...) -> Optimizer:
    """Resilient backpropagation: a step size for each number, of which lr is the first; for whole data sets.
    eta_minus: times the step size where the gradient turns
    eta_plus: times the step size where it does not
    min_step: the smallest step size
    max_step: the largest"""
def sam(part: Any, rho: float = ..., period: int = ...) -> Optimizer:
    """Sharpness-aware minimisation: every other step goes to the worst point nearby, the next one back and along the gradient from there.
    rho: how far the adversary goes along the gradient
    period: steps of which the last is the part's, the others the adversary's"""
def schedule_free(part: Any, beta: float = ..., lr_power: float = ...) -> Optimizer:
    """Averages instead of a schedule: gradients are taken between the part's steps and their average, which eval_params(parameters) gives for evaluation; fit validates, saves and ends with it.
    beta: how much of the average the parameters have
    lr_power: steps weigh as the largest rate to this power"""
def schedule_free_adamw(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., lr_power: float = ...) -> Optimizer:
    """schedule_free of adamw without momentum: eval_params(parameters) gives the parameters to use.
    beta1: how much of the average the parameters have
    beta2: decay of the mean of squared gradients
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    lr_power: steps weigh as the largest rate to this power"""
def schedule_free_sgd(lr: float = ..., beta: float = ..., lr_power: float = ..., weight_decay: float = ...) -> Optimizer:
    """schedule_free of sgd: eval_params(parameters) gives the parameters to use.
    beta: how much of the average the parameters have
    lr_power: steps weigh as the largest rate to this power
    weight_decay: times w, added to the gradient"""
def sgd(lr: float = ..., momentum: float = ..., nesterov: builtins.bool = ..., weight_decay: float = ..., dampening: float = ...) -> Optimizer:
    """w - lr g.
    momentum: how much of the last step goes into the next
    nesterov: look ahead by the momentum
    weight_decay: times w, added to the gradient
    dampening: the part of later gradients that does not go into the momentum"""
def sign_sgd(lr: float = ...) -> Optimizer:
    """The sign of the gradient."""
def signum(lr: float = ..., beta: float = ...) -> Optimizer:
    """The sign of the mean gradient.
    beta: decay of the mean of gradients"""
def simplified_ademamix(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., alpha: float = ...) -> Optimizer:
    """A decaying sum of gradients and the gradient over the root of the mean of squares.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    alpha: weight of the gradient itself"""
def skip_large(part: Any, max_squares: float = ...) -> Optimizer:
    """Steps whose gradients are larger change nothing.
    max_squares: the largest sum of squares of all gradients"""
def sm3(lr: float = ..., momentum: float = ..., epsilon: float = ...) -> Optimizer:
    """Adagrad with one accumulator for each axis, for little memory; at most five axes.
    momentum: decay of the mean of steps
    epsilon: added to squares"""
def sophia(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., gamma: float = ..., clipping: float = ..., interval: int = ...) -> Optimizer:
    """Sophia-G: the mean of gradients over the curvature, the diagonal of the Hessian by squares of gradients, and no number moves further than lr clipping.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of curvatures
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    gamma: times the curvature
    clipping: the largest step of a number, before lr
    interval: steps from one estimate of the curvature to the next"""
def yogi(lr: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., weight_decay: float = ..., initial: float = ...) -> Optimizer:
    """Adam whose mean of squares moves by signs, so that it never grows fast.
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    epsilon: keeps the denominator away from 0
    weight_decay: times lr, the part taken from w itself
    initial: what both means begin with"""
def zoom(part: Any, max_evaluations: int = ..., decrease: float = ..., curvature: float = ..., max_step: float = ...) -> Optimizer:
    """A line search along the part's update, for minimize(loss, parameters) and fit, which have the loss (step has not), that zooms in on a step with both of Wolfe's strong conditions.
    max_evaluations: of the loss in a search
    decrease: the part of the expected decrease that is enough
    curvature: the part of the slope that may be left
    max_step: the longest step, in units of the part's"""
def constant(rate: float) -> Schedule:
    """Always the same."""
def cosine(rate: float, *, last: float = ..., steps: int) -> Schedule:
    """Along half a cosine from rate to last, then last."""
def cosine_restarts(rate: float, *, last: float = ..., steps: int, factor: float = ...) -> Schedule:
    """Cosine again and again (SGDR): each time over factor times as many steps."""
def exponential_decay(rate: float, *, factor: float = ..., every: int) -> Schedule:
    """Times factor over `every` steps, a little at each: rate factor^(step / every)."""
def inverse_time(rate: float, factor: float = ..., every: int = ...) -> Schedule:
    """rate / (1 + factor step / every)."""
def linear_decay(rate: float, *, last: float = ..., steps: int) -> Schedule:
    """From rate to last, then last."""
def linear_one_cycle(rate: float, steps: int) -> Schedule:
    """Up from rate / 25 in 30 % of the steps, down again until 85 %, then down to rate / 250000, in lines."""
def noam(rate: float = ..., size: int = ..., steps: int = ...) -> Schedule:
    """rate / sqrt(size) times the smaller of 1 / sqrt(step) and step / steps^1.5, with steps from 1: up for `steps` steps, then down."""
def one_cycle(rate: float, steps: int) -> Schedule:
    """Up from rate / 25 in 30 % of the steps, down to rate / 250000, by cosines."""
def polynomial(rate: float, *, last: float = ..., power: float = ..., steps: int) -> Schedule:
    """From rate to last along (1 - step / steps)^power, then last."""
def step_decay(rate: float, *, factor: float = ..., every: int) -> Schedule:
    """Times factor after every `every` steps."""
def clip_by_norm(gradients: Any, most: Any, /) -> Any:
    """A tree scaled down to the norm `most` if its norm is larger; vn.tree.norm is the norm."""
def clip_by_value(gradients: Any, most: Any, /) -> Any:
    """A tree whose elements are clipped to -most ... most."""
def clip_per_example(gradients: Any, most: Any, /, *, by_layer: Any = ..., by_size: Any = ...) -> Any:
    """The sum of gradients of examples, stacked along a first axis, each scaled down to the norm `most` if it is longer; by_layer: every array by its own
    norm, to most / sqrt(arrays), and with by_size to most sqrt(its part of all numbers)."""
def private_gradients(gradients: Any, most: Any, noise: Any, /, *, key: Any | None = ...) -> Any:
    """Differentially private gradients (DP-SGD) of examples, stacked along a first axis: the mean of clip_per_example's sum with normal numbers of deviation most * noise added."""
def scale_gradient(x: ArrayLike, by: Any, /) -> Array:
    """x itself, through which gradients flow multiplied by a number."""
def hvp(loss: Any, parameters: Any, v: Any, /) -> Any:
    """The Hessian of a loss, a function of the parameters, times v, a tree like them."""
def hessian_diag(loss: Any, parameters: Any, /) -> Any:
    """The diagonal of the Hessian of a loss: a backward pass for each number of the parameters."""
def hutchinson_diag(loss: Any, parameters: Any, /, *, key: Any | None = ...) -> Any:
    """An estimate of the diagonal of the Hessian of a loss, from one product with random signs."""
def fisher_diag(loss: Any, parameters: Any, /) -> Any:
    """The squared gradient of a loss, the diagonal of the empirical Fisher information."""
def maml_step(loss: Any, parameters: Any, tasks: Any, /, *, lr: Any = ..., steps: Any = ...) -> Any:
    """The mean outer loss over tasks after inner steps of gradient descent, and its gradient through them (MAML), for a step. loss(parameters, task, outer) is the loss of
    a task: on what it adapts to, or, for outer, on what it is tested by."""
def fomaml_step(loss: Any, parameters: Any, tasks: Any, /, *, lr: Any = ..., steps: Any = ...) -> Any:
    """maml_step with the gradient where the inner steps end (first order)."""
def reptile_step(loss: Any, parameters: Any, tasks: Any, /, *, lr: Any = ..., steps: Any = ...) -> Any:
    """maml_step with the way that the inner steps went, divided by lr, instead of a gradient (Reptile)."""
def fenchel_young_loss(x: ArrayLike, target: ArrayLike, max: Any, /) -> Array:
    """The Fenchel-Young loss max(x) - sum(target x) over the last axis: with the log-sum-exp of x for max it is cross entropy, with its maximum the perceptron loss. `max` takes x
    and gives an array without its last axis."""
def feature_distance(net: Any, x: ArrayLike, y: Any, /, *, kind: Any = ..., each: Any = ..., weights: Any | None = ...) -> Array:
    """The distance of pictures x and y by the features that a network gives of them, a dict of arrays (n, ..., channels): kind is lpips, dists or gram; each: that of each
    pair instead of their mean."""
from . import losses as losses
from . import metrics as metrics
from . import updates as updates
