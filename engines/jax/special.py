# SPDX-License-Identifier: Apache-2.0
"""special.py: derivatives of the logarithm of the gamma function, computed in float64."""
import math
from fractions import Fraction

import jax.numpy as jnp

from _vinea_jax_replay import OPS

BERNOULLI = [Fraction(*b) for b in ((1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510))]
TERMS = 10  # terms of the sum, added directly


def polynomial(coefficients, x):
    """Horner's scheme; lowest coefficient first."""
    total = jnp.zeros_like(x)
    for c in reversed(coefficients):
        total = total * x + float(c)
    return total


def power(x, n):
    result = jnp.ones_like(x)
    for _ in range(n):
        result = result * x
    return result


def right_of_zero(x, n):
    """n! times the sum of 1 / (x + k)^(n+1) over k >= 0, without the divergent part for n = 0: some terms directly, the rest by the
    Euler-Maclaurin formula."""
    factorial = math.factorial(n)
    y = x + TERMS
    r = 1 / y
    tail = [b * math.factorial(n + 2 * k + 1) / math.factorial(2 * k + 2) for k, b in enumerate(BERNOULLI)]
    first = float(math.factorial(n - 1)) if n else -jnp.log(y)
    rest = (first + (factorial * 0.5 * r + polynomial(tail, r * r) * r * r)) * power(r, n)
    total = jnp.zeros_like(x)
    for k in reversed(range(TERMS)):
        total = total + power(1 / (x + k), n + 1)
    return rest + factorial * total


def cotangent_derivative(x, n):
    """The n-th derivative of pi cot(pi x), as a polynomial of the cotangent u: u' is -(1 + u^2)."""
    coefficients = [0, 1]
    for _ in range(n):
        slopes = [k * c for k, c in enumerate(coefficients)][1:]
        coefficients = [-a - b for a, b in zip(slopes + [0, 0], [0, 0] + slopes)]
    part = x - jnp.round(x)  # exact, within half a period
    u = jnp.sin(math.pi * (0.5 - jnp.abs(part))) / jnp.sin(math.pi * part)
    return math.pi ** (n + 1) * polynomial(coefficients, jnp.clip(u, -2.0**1023, 2.0**1023))


def polygamma(out, x, *, order):
    """Left of 0 by reflection."""
    n, x = order, x.astype(jnp.float64)
    right = right_of_zero(jnp.where(x < 0, 1 - x, x), n)
    z = jnp.where(x < 0, -right - cotangent_derivative(x, n), right if n % 2 else -right)
    pole = (x < 0) & (jnp.floor(x) == x)
    return jnp.where(pole, jnp.where(jnp.isinf(x), jnp.nan, jnp.inf) if n % 2 else jnp.nan, z).astype(out.dtype)


OPS["polygamma"] = ("floats", polygamma)
