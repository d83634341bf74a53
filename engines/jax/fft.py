"""fft.py: Fourier transforms. norm: what the result is divided by: nothing (0), the root of the length (1) or the length (2)."""
import jax.numpy as jnp

from _vinea_jax_replay import OPS, nothing

FORWARD = ("backward", "ortho", "forward")  # JAX's name for each, of a transform
BACK = FORWARD[::-1]  # and of an inverse one


def dft(out, options, x):
    axis, inverse, norm = options
    if not out.size:
        return nothing(out)
    return jnp.fft.ifft(x, axis=axis, norm=BACK[norm]) if inverse else jnp.fft.fft(x, axis=axis, norm=FORWARD[norm])


def rdft(out, options, x):
    return jnp.fft.rfft(x, norm=FORWARD[options[0]]) if out.size else nothing(out)


def irdft(out, options, x):
    n, norm = options
    return jnp.fft.irfft(x, n, norm=BACK[norm]) if out.size else nothing(out)


OPS.update({
    "dft": ("complex", dft),
    "rdft": ("float32 float64 complex", rdft),
    "irdft": ("float32 float64 complex", irdft),
})
