"""What the generators of case lines share: dtypes, and how numbers, arrays and lines are written. `out` has the lines so far."""
import math
import os
import sys

import numpy as np

INF, NAN = float("inf"), float("nan")
KIND = {"bool": "?", "f32": "f4", "f64": "f8", "f16": "f2", "c64": "c8", "c128": "c16"} | {f"{s}{b}": f"{s}{b // 8}" for s in "iu" for b in (8, 16, 32, 64)}
FLOATS, INTS = ["f16", "bf16", "f32", "f64"], [f"{s}{b}" for s in "iu" for b in (8, 16, 32, 64)]
TOLERANCE = {"c64": "2e-6", "c128": "1e-13"}  # a generator adds those of its floats
out = []


def text(v):
    if isinstance(v, (complex, np.complexfloating)):
        return f"{float(v.real)!r}{float(v.imag):+}j"
    if isinstance(v, (np.floating, float)):
        return repr(float(v)).removesuffix(".0")
    return str(int(v))


def written(d, a):
    a = np.asarray(a)
    body = " ".join(text(v) for v in a.ravel())
    return f"{d}{{{body}}}" if a.ndim == 0 else f"{d}({','.join(map(str, a.shape))})[{body}]"


def title(what):
    out.append(f"\n# ---- {what} ----")


def line(op, inputs, options, d, result, tolerance=None):
    """inputs: (dtype, array), or text."""
    parts = [i if isinstance(i, str) else written(*i) for i in inputs]
    t = tolerance if tolerance is not None else TOLERANCE.get(d, "")
    out.append(" ".join(p for p in [op, *parts, options, "=", written(d, result)] if p) + (f" ~ {t}" if t else ""))


def fails(*lines):
    out.extend(lines)


def quarters(rng, n, *shape):
    """n different odd multiples of 1/8: exact in every dtype, without ties, none of them an integer."""
    return (rng.permutation(4 * n)[:n] / 4.0 - n / 3 // 1 + 0.125).reshape(shape or (n,))


def save(name, about):
    """Writes the lines so far into the folder that the command names, conformance/cases unless given, and begins anew."""
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
    with open(os.path.join(folder, name), "w") as f:
        f.write(f"# {about} Printed by {os.path.basename(sys.argv[0])}.\n" + "\n".join(out) + "\n")
    out.clear()


def waves(number, *shape):
    """Numbers from -1 to 1, other ones for each number, that need few digits."""
    n = math.prod(shape)
    return np.array([round(math.sin(1 + 0.7 * k + 0.9 * number), 3) for k in range(n)]).reshape(shape)


def positive(number, *shape):
    """The same from 0 to 1."""
    return np.round((waves(number, *shape) + 1) / 2, 3)
