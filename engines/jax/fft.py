# SPDX-License-Identifier: Apache-2.0
"""fft.py: Fourier transforms. norm: what the result is divided by: nothing (0), the root of the length (1) or the length (2)."""
import jax.numpy as jnp

from _vinea_jax_replay import OPS, nothing

FORWARD = ("backward", "ortho", "forward")  # JAX's name for each, of a transform
BACK = FORWARD[::-1]  # and of an inverse one


def dft(out, x, *, axis, inverse, norm):
    if not out.size:
        return nothing(out)
    return jnp.fft.ifft(x, axis=axis, norm=BACK[norm]) if inverse else jnp.fft.fft(x, axis=axis, norm=FORWARD[norm])


def rdft(out, x, *, norm):
    return jnp.fft.rfft(x, norm=FORWARD[norm]) if out.size else nothing(out)


def irdft(out, x, *, n, norm):
    return jnp.fft.irfft(x, n, norm=BACK[norm]) if out.size else nothing(out)


OPS.update({
    "dft": ("complex", dft),
    "rdft": ("float32 float64 complex", rdft),
    "irdft": ("float32 float64 complex", irdft),
})
