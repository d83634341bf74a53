"""Odd arguments for every function, method, class and operator of the package: they raise Python exceptions, and the interpreter lives on.

    fuzz.py [SECONDS [SEED]]

Every call prints nothing; when the process dies, the last line of the log (FUZZ_LOG, a file) is the call that it was in.
"""
# ctest: seconds 6
# ctest: sanitize
import gc
import operator
import os
import random
import resource
import sys
import time
import unittest

import vinea as vn

SECONDS = float(sys.argv.pop(1)) if len(sys.argv) > 1 else 3.0
SEED = int(sys.argv.pop(1)) if len(sys.argv) > 1 else 1


class Strange(Exception):
    pass


def raising(*names):
    def fail(self, *args, **kwargs):
        raise Strange

    return type("Raises_" + "_".join(names), (), {f"__{n}__": fail for n in names})()


class Lies:
    """Says that it is long, and is not."""

    def __len__(self):
        return 2**40

    def __getitem__(self, k):
        raise IndexError


class Grows(list):
    """Changes while it is read."""

    def __iter__(self):
        for k in range(3):
            self.append(k)
            yield k

    def __len__(self):
        self.append(1)
        return super().__len__()


class Clears:
    """Empties the list that it is in."""

    def __init__(self, home):
        self.home = home
        home += [1.0, self, 2.0]

    def __index__(self):
        self.home.clear()
        return 1

    def __float__(self):
        self.home.clear()
        return 1.0


class Texts:
    def __str__(self):
        return 3

    __repr__ = __str__


class Nothing:
    def __dlpack__(self, **options):
        return None

    def __array__(self, *args, **kwargs):
        return self

    def __index__(self):
        return "no"


def cyclic():
    x = [1]
    x.append(x)
    return x


def cyclic_dict():
    x = {}
    x["x"] = x
    return x


def deep():
    x = 1
    for _ in range(5000):
        x = [x]
    return x


MAKERS = [
    lambda r: None, lambda r: True, lambda r: r.choice([0, 1, -1, 2, 3, 2**31, -(2**31), 2**63 - 1, -(2**63), 2**64, 2**200, -(2**200)]),
    lambda r: r.choice([0.0, -0.0, 1.5, float("nan"), float("inf"), 1e308, -1e-320]), lambda r: r.choice([1j, complex("nan+infj")]),
    lambda r: r.choice(["", "float32", "int64", "sum", "constant", "a b -> b a", "ij,jk->ik", "same", "\0", "é" * 300, "%s%n%p", "x" * 10000, "\udc80"]),
    lambda r: r.choice([b"", b"abc", bytearray(3), memoryview(b"12345678").cast("d"), memoryview(b"")]), lambda r: r.choice([(), [], {}, set(), frozenset([1]), range(0), range(3), slice(None), ...]),
    lambda r: [r.choice([0, 1, -1, 2, 5, 2**40]) for _ in range(r.randint(0, 40))], lambda r: tuple(r.choice([1, 2, 3]) for _ in range(r.randint(0, 4))), lambda r: [[1.0, 2.0], [3.0]],
    lambda r: cyclic(), lambda r: cyclic_dict(), lambda r: deep(), lambda r: Lies(), lambda r: Grows([1]), lambda r: Clears([]).home, lambda r: Texts(), lambda r: Nothing(), lambda r: object(),
    lambda r: raising("index"), lambda r: raising("len", "getitem"), lambda r: raising("array"), lambda r: raising("dlpack"), lambda r: raising("float"), lambda r: raising("bool"), lambda r: raising("getattr"),
    lambda r: raising("iter"), lambda r: raising("eq", "hash"), lambda r: raising("str", "repr"), lambda r: raising("call"), lambda r: int, lambda r: vn.float32, lambda r: vn.Array, lambda r: vn, lambda r: len,
    lambda r: (lambda *a, **k: a[0] if a else None), lambda r: raising, lambda r: vn.nn.sgd(0.1), lambda r: vn.nn.linear(3, 2), lambda r: vn.random.key(r.randint(0, 9)),
]
SHAPES = [(), (0,), (1,), (3,), (2, 3), (3, 3), (0, 4), (2, 1, 3), (1,) * 32, (4, 4, 2, 2)]
DTYPES = list(vn._dtypes.all)


def array(r):
    shape, dtype = r.choice(SHAPES), r.choice(DTYPES)
    x = vn.ones(shape, dtype) if r.random() < 0.5 else vn.zeros(shape, dtype)
    return vn.variable(x) if r.random() < 0.1 and dtype.startswith("float") else x


def argument(r):
    return array(r) if r.random() < 0.55 else r.choice(MAKERS)(r)


def public(module, seen):
    for name in getattr(module, "__all__", None) or dir(module):
        f = getattr(module, name, None)
        if not name.startswith("_") and callable(f) and id(f) not in seen:
            seen.add(id(f))
            yield f"{module.__name__}.{name}", f


# Those that wait, change the process or write files on purpose.
LEFT_OUT = {"vinea.use", "vinea.engine", "vinea.engines", "vinea.no_grad", "vinea.memory", "vinea.save"}


def targets():
    seen, found = set(), []
    for module in (vn, vn.linalg, vn.fft, vn.random, vn.tree, vn.nn):
        found += [(name, f) for name, f in public(module, seen) if name not in LEFT_OUT]
    found += [(f"losses.{n}", f) for group in (vn.nn.losses, vn.nn.metrics) for n, f in public(group, set())]
    found += [(f"operator.{n}", getattr(operator, n)) for n in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift", "iadd", "imul", "ipow",
                                                               "lt", "eq", "neg", "invert", "getitem", "setitem", "delitem", "contains", "index", "length_hint")]
    found += [(n, f) for n, f in (("repr", repr), ("str", str), ("len", len), ("iter", list), ("bool", bool), ("int", int), ("float", float), ("complex", complex), ("bytes", bytes), ("memoryview", memoryview), ("format", format))]
    return found


NAMES = ["axis", "axes", "dtype", "shape", "keepdims", "copy", "device", "key", "k", "x", "out", "epochs", "loss", "optimizer", "metrics", "nothing", "report", "\0"]
METHODS = [n for n in dir(vn.Array) if n not in ("__class__", "__init_subclass__", "__subclasshook__", "__new__", "__init__", "__del__")]


PACKAGE = os.path.dirname(vn.__file__)


def is_careless(e):
    """Whether an exception says that the package itself erred: C code that breaks the interpreter's rules, or Python code that reads an attribute which
    the argument does not have."""
    if isinstance(e, SystemError):
        return True
    at = e.__traceback__
    while at.tb_next:
        at = at.tb_next
    return isinstance(e, (AttributeError, NameError)) and os.path.dirname(at.tb_frame.f_code.co_filename) == PACKAGE


def attempt(f, args, kwargs):
    try:
        z = f(*args, **kwargs)
        if isinstance(z, vn.Array) and z.size < 10**6:
            z.eval()
        elif callable(z) and not isinstance(z, type):
            z(vn.ones(3))
    except Exception as e:
        if is_careless(e):
            raise
    except BaseException as e:  # only what an argument raises itself
        if not isinstance(e, (KeyboardInterrupt, SystemExit)):
            raise


class Fuzz(unittest.TestCase):
    def test_odd_arguments(self):
        r, log = random.Random(SEED), os.environ.get("FUZZ_LOG")
        functions, end, calls = targets(), time.monotonic() + SECONDS, 0
        before, began = vn._vinea.using(), time.thread_time()
        queue = []
        while time.monotonic() < end:
            if not queue:
                queue = r.sample(functions, len(functions))
            name, f = queue.pop()
            if r.random() < 0.2:
                x, name = array(r), r.choice(METHODS)
                f = lambda *args, of=x, method=name, **kwargs: getattr(of, method)(*args, **kwargs)
            args = [argument(r) for _ in range(r.randint(0, 4))]
            kwargs = {r.choice(NAMES): argument(r) for _ in range(r.randint(0, 2))} if r.random() < 0.3 else {}
            if log:
                with open(log, "a") as file:
                    file.write(f"{calls} {name} {[type(a).__name__ for a in args]} {list(kwargs)}\n")
            attempt(f, args, kwargs)
            calls += 1
            vn._vinea.use(before)
        gc.collect()
        self.assertGreater(calls, 100 * (time.thread_time() - began))  # no call is slow, as far as this thread was running
        self.assertEqual((vn.asarray([1.0, 2.0]) + 1).tolist(), [2, 3])  # and everything still works
        self.assertEqual(vn.grad(lambda v: vn.sum(v * v))(vn.ones(2)).tolist(), [2, 2])


if __name__ == "__main__":
    sys.setrecursionlimit(3000)
    vn.memory(2 << 30)  # arange fills its memory at the call: windows of 2**31 elements would take a minute
    if "ASAN_OPTIONS" not in os.environ:  # the address sanitizer maps terabytes, and has a limit of its own
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))  # arrays of gigabytes are refused, instead of the system ending the process
    unittest.main()
