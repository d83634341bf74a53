# SPDX-License-Identifier: Apache-2.0
"""elementwise.py: arithmetic, comparisons, reductions and products."""
import jax.numpy as jnp
from jax import lax

from _vinea_jax_replay import HALF, OPS, ROUNDED, wide


def plain(function):
    """A function of arrays."""
    return lambda out, *inputs: function(*inputs)


def widened(function):
    """A float op that takes more than one XLA operation: half precision is computed in float32 and rounded once."""

    def op(out, *inputs):
        if out.dtype.name not in HALF:
            return function(*inputs)
        return function(*[x.astype(jnp.float32) for x in inputs]).astype(out.dtype)

    return op


def arctan2(y, x):
    """XLA takes subnormal numbers as zero, but not in every step of its arctan2, which is then NaN or another angle: they are zeros from the start."""
    flushed = [jnp.where(jnp.abs(v) < jnp.finfo(v.dtype).tiny, jnp.copysign(jnp.zeros_like(v), v), v) for v in (y, x)]
    return jnp.arctan2(*flushed)


def in_float64(function):
    """A function of one float that XLA computes inaccurately in float32: computed in float64."""
    return lambda out, x: function(x.astype(jnp.float64)).astype(out.dtype)


def zero(x):
    """0 in the dtype of x."""
    return jnp.zeros((), x.dtype)


def rounding(function):
    """Integers are returned unchanged; some versions would convert them to floats."""
    return lambda out, x: function(x) if jnp.issubdtype(x.dtype, jnp.floating) else x


def division(of_integers, of_floats):
    """Floor division and remainder: integers divided by 0 give 0, which XLA leaves undefined; floats follow Python, including signed zeros."""

    def divide(x, y):
        if jnp.issubdtype(x.dtype, jnp.floating):
            return of_floats(*jnp.broadcast_arrays(x, y))
        by_zero = y == zero(y)
        return jnp.where(by_zero, zero(x), of_integers(x, jnp.where(by_zero, jnp.ones((), y.dtype), y)))

    return widened(divide)


def floored(x, y):
    """The floor of x / y and the remainder, which has the sign of y. (x - remainder) / y is nearly an integer;
    rounding makes it exact. Infinities are divided as they are."""
    rest = lax.rem(x, y)
    quotient = (x - rest) / y
    other_side = (rest != 0) & ((rest < 0) != (y < 0))
    quotient = jnp.round(jnp.where(other_side, quotient - 1, quotient))
    quotient = jnp.where(quotient == 0, jnp.copysign(zero(x), x / y), quotient)
    rest = jnp.where(rest == 0, jnp.copysign(zero(x), y), jnp.where(other_side, rest + y, rest))
    return jnp.where((y == 0) | jnp.isinf(x) | jnp.isinf(y), x / y, quotient), rest


FEW = 65536


def divide_by_few(x, y):
    """x / y where y is broadcast. XLA multiplies by 1 / y there, which is 0 if it would be subnormal, and otherwise up to one ulp
    off. Large divisors are scaled down together with x. For scalars the result is exact, so that means are exact: a select that depends on x
    hides from XLA that they are broadcast, and a barrier prevents repeated division for each use of a mean.
    """
    if y.size > 1:
        by = jnp.where(jnp.abs(y) > jnp.sqrt(jnp.finfo(y.dtype).max), jnp.finfo(y.dtype).eps, 1).astype(y.dtype)
        return jnp.divide(x * by, y * by)
    quotient = jnp.divide(x, jnp.where(x == x, y, x))
    return lax.optimization_barrier(quotient) if x.size <= FEW else quotient


def divide(x, y):
    """Like JAX's, but the sign of a complex zero divisor is ignored, and an infinity in both parts gives NaN, as the formula does."""
    if not jnp.iscomplexobj(x):
        return jnp.divide(x, y) if y.shape == jnp.broadcast_shapes(x.shape, y.shape) else divide_by_few(x, y)
    quotient = jnp.divide(x, jnp.where(y == zero(y), zero(y), y))
    nowhere = jnp.full((), complex(jnp.nan, jnp.nan), quotient.dtype)
    return jnp.where(jnp.isinf(y.real) & jnp.isinf(y.imag), nowhere, quotient)


def absolute(x):
    """Like JAX's, but also infinite if one part is infinite and the other NaN."""
    if not jnp.iscomplexobj(x):
        return jnp.abs(x)
    size = jnp.abs(x)
    return jnp.where(jnp.isinf(x.real) | jnp.isinf(x.imag), jnp.full((), jnp.inf, size.dtype), size)


def sign(x):
    """Like JAX's, but +0 for -0."""
    return jnp.where(x == zero(x), zero(x), jnp.sign(x))


def halved_powers(x):
    """exp(|x|) / 2 and exp(-|x|) / 2. JAX computes the first as exp(|x| - log(2)), which loses digits as x grows; squaring exp(|x| / 2)
    does not, and overflows no earlier than the result."""
    root = jnp.exp(jnp.abs(x) / 2)
    return root / 2 * root, 0.5 / root / root


def sinh(x):
    large, small = halved_powers(x)
    return jnp.where(jnp.abs(x) < 1, jnp.sinh(x), jnp.copysign(large - small, x))


def cosh(x):
    large, small = halved_powers(x)
    return large + small


def gcd(x, y):
    """Of the sizes as unsigned numbers: JAX's own never ends for the lowest number, whose size no signed one has."""
    sizes = [jnp.abs(n).astype(jnp.uint64) if n.dtype == jnp.int64 else n for n in (x, y)]
    return jnp.gcd(*sizes).astype(x.dtype)


def erfc(x):
    """XLA rounds the square in exp(-x^2), which costs hundreds of ulps in float64. Here the square of a number close to x is exact."""
    if x.dtype != jnp.float64:
        return lax.erfc(x)
    m = jnp.clip(x, 1, 26.5)
    head = jnp.round(m * 2**20) / 2**20
    exact = lax.exp(-head * head)
    tail = lax.erfc(m) / lax.exp(-m * m) * (exact + exact * jnp.expm1((head - m) * (head + m)))
    return jnp.where((x > 1) & (x < 26.5), tail, lax.erfc(x))


def power(x, y):
    """Integers by repeated squaring, so that they wrap around; to a negative power only 1 and -1 are not 0. XLA leaves that open."""
    if not jnp.issubdtype(x.dtype, jnp.integer):
        return jnp.power(x, y)
    product, square = jnp.ones_like(x + y), x
    for bit in range(jnp.iinfo(y.dtype).bits - 1):
        product = jnp.where((y >> bit) & 1 != 0, product * square, product)
        square = square * square
    if jnp.issubdtype(y.dtype, jnp.unsignedinteger):
        return jnp.where(y >> jnp.iinfo(y.dtype).bits - 1 != 0, product * square, product)
    return jnp.where(y < 0, jnp.where(jnp.abs(x) == 1, jnp.where(y & 1 != 0, x, 1), 0), product)


def matmul(out, x, y):
    return jnp.matmul(x, y, preferred_element_type=wide(out.dtype)).astype(out.dtype)


def rounded_matmul(out, x, y):
    """matmul with factors rounded to bfloat16 if they are float32. JAX's own setting, default_matmul_precision, changes nothing on the CPU.
    Only for large products: rounding costs more than it saves where factors are used a few times."""
    if out.dtype != jnp.float32 or min(x.ndim, y.ndim) < 2 or min(x.shape[-2], y.shape[-1]) < 128:
        return matmul(out, x, y)
    return jnp.matmul(near(x), near(y), preferred_element_type=out.dtype)


def near(x):
    """Large finite numbers stay finite, as infinity times 0 would be NaN."""
    most = jnp.asarray(jnp.finfo(jnp.bfloat16).max, x.dtype)
    return jnp.where(jnp.isinf(x), x, jnp.clip(x, -most, most)).astype(jnp.bfloat16)


def reduction(function):
    """A reduction, in the dtype of the result, or float32 for half precision."""

    def reduce(out, x, *, axes, keepdims):
        return function(x.astype(wide(out.dtype)), axis=axes, keepdims=bool(keepdims)).astype(out.dtype)

    return reduce


def extreme(function):
    """max or min over axes. From some thousand elements on XLA loses NaN, so NaN is detected separately: as a maximum of bytes,
    which is twice as fast in XLA as any()."""
    plainly = reduction(function)

    def reduce(out, x, *, axes, keepdims):
        found = plainly(out, x, axes=axes, keepdims=keepdims)
        if not jnp.issubdtype(x.dtype, jnp.floating):
            return found
        spoilt = jnp.max(jnp.isnan(x).astype(jnp.uint8), axis=axes, keepdims=bool(keepdims)) != 0
        return jnp.where(spoilt, jnp.full((), jnp.nan, x.dtype), found)

    return reduce


def cumulative_sum(out, x, *, axis, reverse):
    """In float64, as on other engines; XLA's summation order has an error of several ulps in float32."""
    inner = jnp.promote_types(out.dtype, jnp.float64) if jnp.issubdtype(out.dtype, jnp.inexact) else out.dtype
    return lax.cumsum(x.astype(inner), axis, bool(reverse)).astype(out.dtype)


def adam_apply(out, *arrays, beta1, beta2, epsilon):
    """One Adam step of all parameters. As one op, its constants are compiled into the program instead of being inputs, which cost time in every call."""
    *lists, rate, scale = arrays
    n = len(lists) // 4
    ws, gs, ms, vs = (lists[k * n : (k + 1) * n] for k in range(4))
    ms = [m * beta1 + g * (1 - beta1) for m, g in zip(ms, gs)]
    vs = [v * beta2 + g * g * (1 - beta2) for v, g in zip(vs, gs)]
    ws = [w - m * rate / (jnp.sqrt(jnp.maximum(v, zero(v))) * scale + epsilon) for w, m, v in zip(ws, ms, vs)]
    return *ws, *ms, *vs


OPS.update({
    "add": ("numeric", plain(jnp.add)),
    "sub": ("numeric", plain(jnp.subtract)),
    "mul": ("numeric", plain(jnp.multiply)),
    "div": ("inexact", plain(divide)),
    "floor_divide": ("real", division(jnp.floor_divide, lambda x, y: floored(x, y)[0])),
    "remainder": ("real", division(jnp.remainder, lambda x, y: floored(x, y)[1])),
    "pow": ("real", widened(power)),
    "maximum": ("real", plain(jnp.maximum)),
    "minimum": ("real", plain(jnp.minimum)),
    "atan2": ("floats", widened(arctan2)),
    "neg": ("numeric", plain(jnp.negative)),
    "abs": ("numeric", plain(absolute)),
    "sign": ("numeric", plain(sign)),
    "square": ("numeric", plain(jnp.square)),
    "sqrt": ("floats", plain(jnp.sqrt)),
    "floor": ("real", rounding(jnp.floor)),
    "ceil": ("real", rounding(jnp.ceil)),
    "trunc": ("real", rounding(jnp.trunc)),
    "round": ("real", rounding(jnp.round)),
    "exp": ("floats", plain(jnp.exp)),
    "expm1": ("floats", widened(jnp.expm1)),
    "log": ("floats", widened(jnp.log)),
    "log1p": ("floats", widened(jnp.log1p)),
    "log2": ("floats", widened(jnp.log2)),
    "log10": ("floats", widened(jnp.log10)),
    "sin": ("floats", widened(jnp.sin)),
    "cos": ("floats", widened(jnp.cos)),
    "tan": ("floats", widened(jnp.tan)),
    "asin": ("floats", widened(jnp.arcsin)),
    "acos": ("floats", widened(jnp.arccos)),
    "atan": ("floats", widened(jnp.arctan)),
    "sinh": ("floats", widened(sinh)),
    "cosh": ("floats", widened(cosh)),
    "tanh": ("floats", plain(jnp.tanh)),
    "asinh": ("floats", widened(jnp.arcsinh)),
    "acosh": ("floats", widened(jnp.arccosh)),
    "atanh": ("floats", widened(jnp.arctanh)),
    "erf": ("floats", widened(lax.erf)),
    "sigmoid": ("floats", widened(lax.logistic)),
    "bitwise_and": ("bool ints", plain(jnp.bitwise_and)),
    "bitwise_or": ("bool ints", plain(jnp.bitwise_or)),
    "bitwise_xor": ("bool ints", plain(jnp.bitwise_xor)),
    "bitwise_left_shift": ("ints", plain(jnp.left_shift)),
    "bitwise_right_shift": ("ints", plain(jnp.right_shift)),
    "signbit": ("any", plain(jnp.signbit)),
    "nextafter": ("floats", plain(jnp.nextafter)),
    "lgamma": ("floats", in_float64(lax.lgamma)),
    "erfc": ("floats", widened(erfc)),
    "erfinv": ("floats", widened(lax.erf_inv)),
    "cbrt": ("floats", in_float64(jnp.cbrt)),
    "i0e": ("floats", in_float64(lax.bessel_i0e)),
    "i1e": ("floats", in_float64(lax.bessel_i1e)),
    "gcd": ("int64 uint64", plain(gcd)),
    "equal": ("any", plain(jnp.equal)),
    "not_equal": ("any", plain(jnp.not_equal)),
    "less": ("ordered", plain(jnp.less)),
    "less_equal": ("ordered", plain(jnp.less_equal)),
    "greater": ("ordered", plain(jnp.greater)),
    "greater_equal": ("ordered", plain(jnp.greater_equal)),
    "isnan": ("any", plain(jnp.isnan)),
    "isinf": ("any", plain(jnp.isinf)),
    "isfinite": ("any", plain(jnp.isfinite)),
    "matmul": ("numeric", matmul),
    "sum": ("any", reduction(jnp.sum)),
    "max": ("real", extreme(jnp.max)),
    "min": ("real", extreme(jnp.min)),
    "cumulative_sum": ("numeric", cumulative_sum),
    "where": ("any", plain(jnp.where)),
    "relu_backward": ("floats", plain(lambda y, ct: jnp.where(y <= zero(y), zero(ct), ct))),
    "adam_apply": ("float32 float64", adam_apply),
    "complex": ("inexact", lambda out, re, im: lax.complex(*jnp.broadcast_arrays(re, im))),
    "real": ("inexact", plain(jnp.real)),
    "imag": ("inexact", plain(jnp.imag)),
    "conj": ("complex", plain(jnp.conj)),
})
ROUNDED.update({"matmul": rounded_matmul})
