"""python.py [SECONDS]: what a call of the Python package costs beside NumPy, on 16 floats unless a case says another size. Run by run.py with the package on PYTHONPATH.

Prints a line for each case: NAME OURS THEIRS, in seconds of CPU time for a call, which other programs beside it do not change much. Rounds of the two sides
take turns, and the least counts.
"""
import sys
import time
import timeit

import numpy as np
import vinea as vn

ROUNDS = 15
CASES = {
    "x + y, recorded and evaluated": ("(x + y).eval()", "a + b"),
    "eval(x + y)": ("vn.eval(x + y)", "a + b"),
    "x[3]": ("x[3]", "a[3]"),
    "x[2:5]": ("x[2:5]", "a[2:5]"),
    "z[i, i] = 1.0 in 1000 x 1000, evaluated": ("z[i, i] = 1.0; z.eval()", "c[k, k] = 1.0"),
    "x + y, recorded": ("x + y", "a + b"),
    "x * 2.0, recorded": ("x * 2.0", "a * 2.0"),
    "x.sum(), recorded": ("x.sum()", "a.sum()"),
    "x[3] of an array that is not computed yet, recorded": ("pending[3]", "a[3]"),
}
a = np.arange(16, dtype=np.float32)
b = a + 1
x, y = vn.asarray(a, copy=True), vn.asarray(b, copy=True)
pending = x + y
k = np.asarray([1, 2, 3])
c = np.ones((1000, 1000), dtype=np.float32)
i, z = vn.asarray(k), vn.asarray(c, copy=True)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.1
    for name, pair in CASES.items():
        timers = [timeit.Timer(statement, globals=globals(), timer=time.process_time) for statement in pair]
        n = max(1, int(seconds / 1e-6))
        best = [min(times) for times in zip(*[[t.timeit(n) / n for t in timers] for _ in range(ROUNDS)])]
        print(name, *best, sep="\t", flush=True)


if __name__ == "__main__":
    main()
