"""A Python program that uses Vinea through ctypes, together with frameworks that its user has imported: run by python.sh.

    python_use.py LIBRARY before|after FRAMEWORK... -- ENGINE...

imports the frameworks before or after Vinea loads its engines, computes on each engine and with each framework, and checks that the frameworks'
own settings are what they were and that the engines use this very interpreter and its packages.
"""
import ctypes
import importlib
import math
import os
import sys
import threading

library, order, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
frameworks, engines = rest[:rest.index("--")], rest[rest.index("--") + 1:]

vn = ctypes.CDLL(library)
vn.vn_array_from.restype = ctypes.c_void_p
vn.vn_array_from.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int64)]
vn.vn_item.restype = ctypes.c_double
vn.vn_item.argtypes = [ctypes.c_void_p]
vn.vn_message.restype = ctypes.c_char_p
vn.vn_dtype_name.restype = ctypes.c_char_p
vn.vn_scope_begin.restype = ctypes.c_int64
vn.vn_scope_end.argtypes = [ctypes.c_int64]
vn.vn_call.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, ctypes.c_void_p, ctypes.c_int,
                       ctypes.POINTER(ctypes.c_void_p), ctypes.c_int]
F32 = next(d for d in range(32) if vn.vn_dtype_name(d) == b"float32")


def check(code):
    assert code == 0, vn.vn_message().decode()


def call(op, *inputs):
    out = ctypes.c_void_p()
    check(vn.vn_call(op.encode(), (ctypes.c_void_p * len(inputs))(*inputs), len(inputs), None, 0, ctypes.byref(out), 1))
    return out.value


def compute(engine):
    """sum(exp(x) + x) on an engine, in this thread, and sum(maximum(x, y)) with y broadcast."""
    check(vn.vn_use(engine.encode()))
    scope = vn.vn_scope_begin()
    numbers = [0.0, 0.5, -1.0, 2.0, 3.0, 0.25]
    data = (ctypes.c_float * 6)(*numbers)
    x = vn.vn_array_from(data, F32, 2, (ctypes.c_int64 * 2)(2, 3))
    got = vn.vn_item(call("sum", call("add", call("exp", x), x)))
    want = sum(math.exp(v) + v for v in numbers)
    assert abs(got - want) < 1e-4 * want, (engine, got, want, vn.vn_message())
    row = vn.vn_array_from((ctypes.c_float * 3)(0.5, 0.5, 0.5), F32, 1, (ctypes.c_int64 * 1)(3))
    got, want = vn.vn_item(call("sum", call("maximum", x, row))), sum(max(v, 0.5) for v in numbers)
    assert abs(got - want) < 1e-4 * want, (engine, got, want, vn.vn_message())
    check(vn.vn_scope_end(scope))


def thread(engine):
    """The same in another thread, which closes what it opened."""
    failures = []

    def work():
        try:
            compute(engine)
            check(vn.vn_close())
        except BaseException as why:  # handed to the main thread
            failures.append(why)

    t = threading.Thread(target=work)
    t.start()
    t.join()
    assert not failures, failures


def settings():
    """What a user's frameworks are set to, as far as an engine might be tempted to change it."""
    found = {}
    if "jax" in sys.modules:
        found["jax"] = sys.modules["jax"].config.jax_enable_x64
    if "numpy" in sys.modules:
        found["numpy"] = sys.modules["numpy"].geterr()
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        found["torch"] = torch.get_num_threads(), torch.is_grad_enabled(), torch.get_default_dtype()
    return found


def use(name):
    """The framework by itself, as its user would."""
    m = importlib.import_module(name)
    if name == "torch":
        x = m.ones(3, requires_grad=True)
        (x * x).sum().backward()
        assert x.grad.tolist() == [2, 2, 2]
    elif name == "tensorflow":
        assert float(m.reduce_sum(m.ones((3,)) * 2)) == 6
    elif name == "jax":
        assert float(m.jit(lambda x: (x * 2).sum())(m.numpy.ones(3))) == 6
    else:
        assert float((m.ones(3) * 2).sum()) == 6


def use_all():
    for name in frameworks:
        use(name)


if order == "before":
    use_all()
before = settings()
for engine in engines:
    compute(engine)
use_all()
after = settings()
assert all(after[name] == before[name] for name in before), (before, after)
for engine in engines:
    compute(engine)
    thread(engine)
use_all()


class Info(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("available", ctypes.c_int), ("version", ctypes.c_char_p),
                ("where", ctypes.c_char_p), ("about", ctypes.c_char_p), ("how", ctypes.c_char_p), ("message", ctypes.c_char_p)]


for i in range(vn.vn_engine_count()):
    info = Info(size=ctypes.sizeof(Info))
    check(vn.vn_engine_at(i, ctypes.byref(info)))
    name, where = info.name.decode(), (info.where or b"").decode()
    if name in frameworks:  # the package of this process, not one from elsewhere
        folder = os.path.dirname(importlib.import_module(name).__file__)  # by whatever link this environment was called
        assert os.path.realpath(where).startswith(os.path.realpath(folder)), (name, where, folder)
        version = importlib.import_module(name).__version__
        assert version.startswith(info.version.decode()), (name, version, info.version)
check(vn.vn_close())
print("fine:", order, *frameworks)
