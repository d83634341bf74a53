# SPDX-License-Identifier: Apache-2.0
"""replay.py: compiles a Vinea program to a JAX function.

The plugin carries this file as text and runs it once, when it opens, and after it the files of the families of ops, which put their ops
into OPS. `kernels` lists what there is, `setup` prepares JAX, `build` compiles a program by replaying its ops under jax.jit, `place` and
`copy` move arrays, `tidy` gives back memory.
"""
import collections
import contextlib
import functools
import gc
import logging
import math
import operator
import os
import sys
import warnings

ours = hasattr(sys, "_vinea_started")  # set by the plugin that started this interpreter
environment = dict(os.environ)
if ours:  # XLA reads this when it is loaded; in a user's own Python it is left alone
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    warnings.simplefilter("ignore")
    logging.getLogger("jax").addHandler(logging.NullHandler())

import jax
import jax.numpy as jnp
from jax import lax

HALF = ("float16", "bfloat16")


class Results(tuple):
    """The expected results of an op, a jax.ShapeDtypeStruct each; `used` says which of them are used. XLA drops unused computations itself where it can."""

    def __new__(cls, forms, used):
        self = super().__new__(cls, (jax.ShapeDtypeStruct(*form) for form in forms))
        self.used = used
        return self


# The ops that JAX computes: {name in the op table: (dtypes, function)}. The dtypes are words: dtypes, or sets of them as in types.h. A
# function gets what it shall make (Results, or their only jax.ShapeDtypeStruct where it makes one), then its inputs; its keyword-only
# parameters are the options of the op that it reads.
OPS = {}
ROUNDED = {}  # {name: function} of those that may round float32 factors to bfloat16, where the program permits it


def wide(dtype):
    """The dtype of accumulation: float32 for half precision, otherwise the same."""
    return jnp.dtype(jnp.float32) if dtype.name in HALF else dtype


def widen(out, *inputs):
    """The inputs, cast from the result's dtype to the dtype of computation."""
    return [x.astype(wide(out.dtype)) for x in inputs]


def transposed(x):
    return jnp.swapaxes(x, -1, -2)


def nothing(out):
    """Zeros, for an empty result or a sum of no elements."""
    return jnp.zeros(out.shape, out.dtype)


scope = contextlib.nullcontext  # context of every call into JAX


def setup(threads):
    """Prepares JAX.

    An interpreter that Vinea started is set to 64-bit dtypes, the CPU and the number of threads (0: JAX decides) once. In a user's
    Python nothing is changed: each call runs in its own context instead.
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
            os.environ["PJRT_NPROC"] = str(threads)  # read when the next line creates the thread pool
        device = jax.devices("cpu")[0]
        if jax.default_backend() != "cpu":
            jax.config.update("jax_default_device", device)
        restore_environment()


def restore_environment():
    """Restores the environment variables that loading JAX changed."""
    for name in set(os.environ) | set(environment):
        if name not in environment:
            del os.environ[name]
        elif os.environ.get(name) != environment[name]:
            os.environ[name] = environment[name]


def foreign_scope(device):
    """The context for a user's own Python: 64-bit dtypes, on the CPU."""
    wide = getattr(jax, "enable_x64", None)
    if wide is None:
        from jax.experimental import enable_x64 as wide
    off_cpu = jax.default_backend() != "cpu"

    @contextlib.contextmanager
    def both():
        with wide(True), jax.default_device(device):
            yield

    return both if off_cpu else lambda: wide(True)


def kernels(words, room):
    """(op, mask of its dtypes, names of its options) for each entry of OPS, room at most; words: (word, mask) of each word for dtypes."""
    if len(OPS) > room:
        raise OverflowError(f"{len(OPS)} ops where there is room for {room}")
    masks = dict(words)
    both = functools.partial(functools.reduce, operator.or_)
    return tuple((op, both(map(masks.__getitem__, dtypes.split())), " ".join(options_of(f))) for op, (dtypes, f) in OPS.items())


def options_of(function):
    """The names of its keyword-only parameters."""
    code = function.__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


def successors(donated, specs, steps, outputs, forms):
    """{donated input: the output that reuses its memory}, where possible: each needs its own output of the same shape and dtype.

    The best choice is the updated value of the input, such as a parameter after a step, since nothing needs the old value after it. Giving
    the memory to an earlier output, such as a gradient, would make XLA copy the input first. So the memory is propagated through the ops,
    from the first donated input of an op to a result of the same shape and dtype.
    """
    carried = {k: k for k in donated}
    for _, _, ins, first, made, _ in steps:
        brought = dict.fromkeys(carried[i] for i in ins if i in carried)
        for i, form in enumerate(made):
            fitting = next((k for k in brought if specs[k] == form), None)
            if fitting is not None:
                carried[first + i] = fitting
                del brought[fitting]
    found = {carried[o]: o for o in outputs if o in carried}
    free = collections.defaultdict(list)
    for o in sorted(set(outputs) - set(found.values()), reverse=True):
        free[forms[o]].append(o)
    for k in donated:
        if k not in found and free[specs[k]]:
            found[k] = free[specs[k]].pop()
    return dict(sorted(found.items()))


TINY = 64  # elements
HASTILY = {"xla_backend_optimization_level": 1, "xla_cpu_use_fusion_emitters": False}
WRAPPING = {"xla_cpu_experimental_ynn_fusion_type": ""}
BYTES = {jnp.dtype("int8"), jnp.dtype("uint8")}


def compile_for(lowered, forms):
    """Compiles a program that has values of these shapes and dtypes. Where all are tiny, with fewer of XLA's optimizations: that takes half of the
    time, and the program runs as fast. (With none, exp is less exact near its underflow.) With bytes, without YNNPACK, which computes max and min
    of some thousand elements and saturates what should wrap around before it."""
    options = {}
    if all(math.prod(form.shape) <= TINY for form in forms):
        options.update(HASTILY)
    if any(form.dtype in BYTES for form in forms):
        options.update(WRAPPING)
    try:
        return lowered.compile(compiler_options=options or None)
    except RuntimeError as why:
        unknown = [name for name in options if name in str(why)]
        if "No such compile option" not in str(why) or not unknown:
            raise
        for name in unknown:  # an older JAX
            HASTILY.pop(name, None)
            WRAPPING.pop(name, None)
        return compile_for(lowered, forms)


def depends(steps, y, x):
    """Whether y, a result of one of these steps, is computed from x."""
    wanted = {y}
    for _, _, ins, first, made, _ in reversed(steps):
        if wanted.intersection(range(first, first + len(made))):
            wanted.update(ins)
    return x in wanted


def build(inputs, ops, outputs, donated, rounded):
    """Compiles a program; returns the function, which takes all inputs and returns a tuple of outputs, the index of each output in that
    tuple, the inputs it consumes, the bytes it allocates, and whether it is quick.

    inputs: (shape, dtype) of each; ops: (name, input numbers, number of the first result, (shape, dtype) of each, whether it is
    used, options); outputs: value numbers, without duplicates and inputs; donated: numbers of inputs; rounded: the flag of ROUNDED.
    """
    specs = [jax.ShapeDtypeStruct(*form) for form in inputs]
    special = ROUNDED if rounded else {}
    steps = []
    for name, ins, first, forms, used, options in ops:
        op = OPS[name][1]
        if hasattr(op, "apart") and depends(steps, ins[1], ins[0]):
            op = op.apart
        steps.append((special.get(name, op), name, ins, first, Results(forms, used), dict(zip(options_of(op), options))))
    forms = {first + i: form for _, _, _, first, made, _ in steps for i, form in enumerate(made)}

    def program(*args):
        values = dict(enumerate(args))
        for op, name, ins, first, made, options in steps:
            try:
                results = op(made if len(made) > 1 else made[0], *[values[i] for i in ins], **options)
            except (TypeError, ValueError) as why:  # JAX reports its own names, so add the op's
                raise RuntimeError(f"{name}: {why}") from why
            for i, (form, value) in enumerate(zip(made, results if len(made) > 1 else (results,))):
                if value is None and not made.used[i]:
                    continue
                if value.shape != form.shape or value.dtype != form.dtype:
                    raise TypeError(f"{name} returned {value.dtype}{value.shape}, expected {form.dtype}{form.shape}")
                values[first + i] = value
        return tuple(values[i] for i in order)

    heirs = successors(donated, specs, steps, outputs, forms)
    order = list(dict.fromkeys([*heirs.values(), *outputs]))  # JAX pairs consumed inputs and outputs of one shape in order
    places = {o: place for place, o in enumerate(order)}
    with scope():
        compiled = compile_for(jax.jit(program, donate_argnums=tuple(heirs)).lower(*specs), [*specs, *forms.values()])
    function = compiled if ours else scoped(compiled)
    return function, tuple(places[o] for o in outputs), tuple(heirs), allocates(compiled), quick(compiled)


def direct(compiled):
    """The C++ callable behind a compiled program, which saves a call; the program itself if this JAX has none."""
    return getattr(compiled, "_call", None) or compiled


def allocates(compiled):
    stats = compiled.memory_analysis()
    sizes = [getattr(stats, name, 0) for name in ("temp_size_in_bytes", "output_size_in_bytes", "alias_size_in_bytes")]
    return max(0, sizes[0] + sizes[1] - sizes[2])


def quick(compiled):
    """Does XLA run the program in the calling thread? It does below a thousand operations by this count."""
    cost = compiled.cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost  # before JAX 0.4.36
    return bool(cost) and cost.get("flops", 0) < 1000


def scoped(compiled):
    def call(*args):
        with scope():
            return compiled(*args)

    return call


def place(x):
    """A host array as a JAX array, in the same memory if possible."""
    with scope():
        try:
            return jax.device_put(x, may_alias=True)
        except TypeError:  # before JAX 0.4.33
            return jax.device_put(x)


def copy(x):
    with scope():
        return jnp.array(x, copy=True)


def tidy():
    """Clears caches, and collects garbage, which releases host memory that JAX no longer uses."""
    if ours:
        jax.clear_caches()
    gc.collect()
