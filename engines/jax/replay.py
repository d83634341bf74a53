"""replay.py: makes one compiled JAX function of a Vinea program.

The plugin carries this file as text and runs it once, when it opens. `setup` prepares JAX, `build` compiles a program by replaying its
ops under jax.jit, `place` and `copy` move arrays, `tidy` gives back memory. OPS has one entry for each row of the table in rows.c.
"""
import collections
import contextlib
import gc
import logging
import os
import sys
import warnings

ours = hasattr(sys, "_vinea_started")  # set by the plugin that started this interpreter
environment = dict(os.environ)
if ours:  # XLA reads this when it is loaded; in a user's own Python that is the user's business
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    warnings.simplefilter("ignore")
    logging.getLogger("jax").addHandler(logging.NullHandler())

import jax
import jax.numpy as jnp
from jax import lax

HALVES = ("float16", "bfloat16")


# An op gets what it shall make (one jax.ShapeDtypeStruct, or a tuple of them where it makes several), its options in the table's
# order, and its inputs.


def plain(function):
    """An op without options."""
    return lambda out, options, *inputs: function(*inputs)


def widened(function):
    """An op on floats without options that is more than one step of XLA: halves go through it in float32 and are rounded once."""

    def op(out, options, *inputs):
        if out.dtype.name not in HALVES:
            return function(*inputs)
        return function(*[x.astype(jnp.float32) for x in inputs]).astype(out.dtype)

    return op


def in_float64(function):
    """A function of one float that XLA has only in few digits in float32."""
    return lambda out, options, x: function(x.astype(jnp.float64)).astype(out.dtype)


def zero(x):
    """0 in the dtype of x."""
    return jnp.zeros((), x.dtype)


def rounding(function):
    """Integers are round already, and some versions would make floats of them."""
    return lambda out, options, x: function(x) if jnp.issubdtype(x.dtype, jnp.floating) else x


def division(of_integers, of_floats):
    """Division with a rest: integers by 0 give 0, where XLA gives any number; floats follow Python, zeros and their signs included."""

    def divide(x, y):
        if jnp.issubdtype(x.dtype, jnp.floating):
            return of_floats(*jnp.broadcast_arrays(x, y))
        by_zero = y == zero(y)
        return jnp.where(by_zero, zero(x), of_integers(x, jnp.where(by_zero, jnp.ones((), y.dtype), y)))

    return widened(divide)


def floored(x, y):
    """The floor of x / y and the rest, which has the sign of y. The quotient of what lies a whole number of times in x is nearly whole;
    rounding it to the nearest makes it so. Beside an infinity the two belong together as in Python."""
    rest = lax.rem(x, y)
    quotient = (x - rest) / y
    other_side = (rest != 0) & ((rest < 0) != (y < 0))
    quotient = jnp.round(jnp.where(other_side, quotient - 1, quotient))
    quotient = jnp.where(quotient == 0, jnp.copysign(zero(x), x / y), quotient)
    rest = jnp.where(rest == 0, jnp.copysign(zero(x), y), jnp.where(other_side, rest + y, rest))
    return jnp.where(y == 0, x / y, quotient), rest


def sign(x):
    """As JAX's, but +0 for -0."""
    return jnp.where(x == zero(x), zero(x), jnp.sign(x))


def halved_powers(x):
    """exp(|x|) / 2 and exp(-|x|) / 2. JAX has the first as exp(|x| - log(2)), which loses digits as x grows; the square of a root
    does not, and is infinite no earlier than the result."""
    root = jnp.exp(jnp.abs(x) / 2)
    return root / 2 * root, 0.5 / root / root


def sinh(x):
    large, small = halved_powers(x)
    return jnp.where(jnp.abs(x) < 1, jnp.sinh(x), jnp.copysign(large - small, x))


def cosh(x):
    large, small = halved_powers(x)
    return large + small


def matmul(out, options, x, y):
    wide = jnp.float32 if out.dtype.name in HALVES else None
    return jnp.matmul(x, y, preferred_element_type=wide).astype(out.dtype)


def reduction(function):
    """A reduction with options axes and keepdims. It runs in the dtype of the result, in float32 for halves."""

    def reduce(out, options, x):
        axes, keepdims = options
        wide = jnp.float32 if out.dtype.name in HALVES else out.dtype
        return function(x.astype(wide), axis=axes, keepdims=bool(keepdims)).astype(out.dtype)

    return reduce


def extreme(function):
    """max or min over axes. From some thousand elements on XLA loses NaN there, so it is looked for as well: as a maximum of bytes,
    which XLA is twice as fast at as at any()."""
    plainly = reduction(function)

    def reduce(out, options, x):
        found = plainly(out, options, x)
        if not jnp.issubdtype(x.dtype, jnp.floating):
            return found
        axes, keepdims = options
        spoilt = jnp.max(jnp.isnan(x).astype(jnp.uint8), axis=axes, keepdims=bool(keepdims)) != 0
        return jnp.where(spoilt, jnp.full((), jnp.nan, x.dtype), found)

    return reduce


def cumulative_sum(out, options, x):
    axis, reverse = options
    wide = jnp.float32 if out.dtype.name in HALVES else out.dtype
    return lax.cumsum(x.astype(wide), axis, bool(reverse)).astype(out.dtype)


def starts(start, rank):
    """The start per axis. JAX counts negative ones from the end, Vinea moves them to 0; too large ones XLA moves itself."""
    return [lax.max(start[i], jnp.zeros((), start.dtype)) for i in range(rank)]


def slice_(out, options, x, start):
    return lax.dynamic_slice(x, starts(start, x.ndim), out.shape) if x.ndim else x


def slice_set(out, options, x, y, start):
    return lax.dynamic_update_slice(x, y, starts(start, x.ndim)) if x.ndim else y


def nearby(index, size):
    """Positions out of range stay so, but fit into the 32 bits that JAX may make of them."""
    return jnp.clip(index, -size - 1, size)


def take(out, options, x, index):
    (axis,) = options
    missing = jnp.nan if jnp.issubdtype(x.dtype, jnp.floating) else 0
    if not x.shape[axis]:
        return jnp.full(out.shape, missing, out.dtype)
    return jnp.take(x, nearby(index, x.shape[axis]), axis, mode="fill", fill_value=missing)


def index_add(out, options, x, index, y):
    """Halves are added in float32 and rounded once."""
    (axis,) = options
    wide = jnp.float32 if out.dtype.name in HALVES else out.dtype
    at = (slice(None),) * axis + (nearby(index, x.shape[axis]),)
    return x.astype(wide).at[at].add(y.astype(wide), mode="drop").astype(out.dtype) if x.size and y.size else x


OPS = {
    "add": plain(jnp.add),
    "subtract": plain(jnp.subtract),
    "multiply": plain(jnp.multiply),
    "divide": plain(jnp.divide),
    "floor_divide": division(jnp.floor_divide, lambda x, y: floored(x, y)[0]),
    "remainder": division(jnp.remainder, lambda x, y: floored(x, y)[1]),
    "power": widened(jnp.power),
    "maximum": plain(jnp.maximum),
    "minimum": plain(jnp.minimum),
    "arctan2": widened(jnp.arctan2),
    "negative": plain(jnp.negative),
    "absolute": plain(jnp.abs),
    "sign": plain(sign),
    "square": plain(jnp.square),
    "sqrt": plain(jnp.sqrt),
    "floor": rounding(jnp.floor),
    "ceil": rounding(jnp.ceil),
    "trunc": rounding(jnp.trunc),
    "round": rounding(jnp.round),
    "exp": plain(jnp.exp),
    "expm1": widened(jnp.expm1),
    "log": widened(jnp.log),
    "log1p": widened(jnp.log1p),
    "log2": widened(jnp.log2),
    "log10": widened(jnp.log10),
    "sin": widened(jnp.sin),
    "cos": widened(jnp.cos),
    "tan": widened(jnp.tan),
    "arcsin": widened(jnp.arcsin),
    "arccos": widened(jnp.arccos),
    "arctan": widened(jnp.arctan),
    "sinh": widened(sinh),
    "cosh": widened(cosh),
    "tanh": plain(jnp.tanh),
    "arcsinh": widened(jnp.arcsinh),
    "arccosh": widened(jnp.arccosh),
    "arctanh": widened(jnp.arctanh),
    "erf": widened(lax.erf),
    "sigmoid": widened(lax.logistic),
    "bitwise_and": plain(jnp.bitwise_and),
    "bitwise_or": plain(jnp.bitwise_or),
    "bitwise_xor": plain(jnp.bitwise_xor),
    "left_shift": plain(jnp.left_shift),
    "right_shift": plain(jnp.right_shift),
    "signbit": plain(jnp.signbit),
    "nextafter": plain(jnp.nextafter),
    "lgamma": in_float64(lax.lgamma),
    "erfc": widened(lax.erfc),
    "erfinv": widened(lax.erf_inv),
    "equal": plain(jnp.equal),
    "not_equal": plain(jnp.not_equal),
    "less": plain(jnp.less),
    "less_equal": plain(jnp.less_equal),
    "greater": plain(jnp.greater),
    "greater_equal": plain(jnp.greater_equal),
    "isnan": plain(jnp.isnan),
    "isinf": plain(jnp.isinf),
    "isfinite": plain(jnp.isfinite),
    "matmul": matmul,
    "sum": reduction(jnp.sum),
    "max": extreme(jnp.max),
    "min": extreme(jnp.min),
    "cumulative_sum": cumulative_sum,
    "where": plain(jnp.where),
    "flip": lambda out, options, x: jnp.flip(x, options[0]),
    "reshape": lambda out, options, x: jnp.reshape(x, out.shape),
    "broadcast_to": lambda out, options, x: jnp.broadcast_to(x, out.shape),
    "permute_dims": lambda out, options, x: jnp.transpose(x, options[0]),
    "slice": slice_,
    "slice_set": slice_set,
    "take": take,
    "index_add": index_add,
    "cast": lambda out, options, x: x.astype(out.dtype),
    "complex": lambda out, options, re, im: lax.complex(*jnp.broadcast_arrays(re, im)),
    "real": plain(jnp.real),
    "imag": plain(jnp.imag),
    "conj": plain(jnp.conj),
}


scope = contextlib.nullcontext  # what every call into JAX runs in


def setup(threads):
    """Prepares JAX; returns its version and folder.

    An interpreter that Vinea started is set to 64-bit dtypes, the CPU and the number of threads (0: JAX decides) once. In a user's
    Python nothing is changed: each call runs in a scope of its own instead.
    """
    global scope
    if not ours:
        scope = foreign_scope(jax.devices("cpu")[0])
    else:
        chosen = os.environ.get("JAX_PLATFORMS", "")
        if "cpu" not in chosen.split(","):
            jax.config.update("jax_platforms", chosen + ",cpu" if chosen else "cpu")
        jax.config.update("jax_enable_x64", True)
        if threads:
            os.environ["PJRT_NPROC"] = str(threads)  # read when the next line makes the thread pool
        device = jax.devices("cpu")[0]
        if jax.default_backend() != "cpu":
            jax.config.update("jax_default_device", device)
        restore_environment()
    return jax.__version__, os.path.dirname(jax.__file__)


def restore_environment():
    """Takes back what loading JAX has set for itself, and nothing else."""
    for name in set(os.environ) | set(environment):
        if name not in environment:
            del os.environ[name]
        elif os.environ.get(name) != environment[name]:
            os.environ[name] = environment[name]


def foreign_scope(device):
    """Makes the scope for a Python that is the user's: 64-bit dtypes, on the CPU."""
    wide = getattr(jax, "enable_x64", None)
    if wide is None:
        from jax.experimental import enable_x64 as wide
    off_cpu = jax.default_backend() != "cpu"

    @contextlib.contextmanager
    def both():
        with wide(True), jax.default_device(device):
            yield

    return both if off_cpu else lambda: wide(True)


def missing(names):
    """Those names of rows that have no op here."""
    return tuple(name for name in names if name not in OPS)


def usable(donated, inputs, made):
    """The donated inputs whose memory can become a result: each needs one of the same shape and dtype for itself."""
    free = collections.Counter((s.shape, s.dtype) for s in made)
    chosen = []
    for k in donated:
        form = inputs[k].shape, inputs[k].dtype
        if free[form] > 0:
            free[form] -= 1
            chosen.append(k)
    return tuple(chosen)


def build(inputs, ops, outputs, donated):
    """Compiles a program; returns the function, which takes all inputs and gives a tuple of outputs, the inputs it consumes, and the
    bytes it allocates.

    inputs: (shape, dtype) of each; ops: (name, input numbers, number of the first value made, (shape, dtype) of each, options);
    outputs: value numbers, none twice and none of an input; donated: numbers of inputs.
    """
    specs = [jax.ShapeDtypeStruct(*form) for form in inputs]
    steps = [(OPS[name], name, ins, first, tuple(jax.ShapeDtypeStruct(*form) for form in made), options)
             for name, ins, first, made, options in ops]
    forms = {first + i: form for _, _, _, first, made, _ in steps for i, form in enumerate(made)}

    def program(*args):
        values = dict(enumerate(args))
        for op, name, ins, first, made, options in steps:
            results = op(made if len(made) > 1 else made[0], options, *[values[i] for i in ins])
            for i, (form, value) in enumerate(zip(made, results if len(made) > 1 else (results,))):
                if value.shape != form.shape or value.dtype != form.dtype:
                    raise TypeError(f"{name} made {value.dtype}{value.shape} where {form.dtype}{form.shape} was due")
                values[first + i] = value
        return tuple(values[i] for i in outputs)

    chosen = usable(donated, specs, [forms[i] for i in outputs])
    with scope():
        compiled = jax.jit(program, donate_argnums=chosen).lower(*specs).compile()
    return (compiled if ours else scoped(compiled)), chosen, allocates(compiled)


def allocates(compiled):
    stats = compiled.memory_analysis()
    sizes = [getattr(stats, name, 0) for name in ("temp_size_in_bytes", "output_size_in_bytes", "alias_size_in_bytes")]
    return max(0, sizes[0] + sizes[1] - sizes[2])


def scoped(compiled):
    def call(*args):
        with scope():
            return compiled(*args)

    return call


def place(x):
    """A host array as JAX's own, in the same memory where JAX can."""
    with scope():
        try:
            return jax.device_put(x, may_alias=True)
        except TypeError:  # before JAX 0.4.33
            return jax.device_put(x)


def copy(x):
    with scope():
        return jnp.array(x, copy=True)


def tidy():
    """Gives back caches, and host memory that JAX has finished with but not let go of: it does so when garbage is collected."""
    if ours:
        jax.clear_caches()
    gc.collect()
