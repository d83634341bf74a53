"""Gradients of functions of trees, higher derivatives, custom gradients, captured functions."""
# ctest: seconds 1
# ctest: sanitize
import collections
import dataclasses
import copy
import gc
import math
import pickle
import types
import unittest
import weakref

import vinea as vn


@dataclasses.dataclass
class Params:
    w: object
    b: object


class Gradients(unittest.TestCase):
    def test_trees(self):
        x = vn.asarray([1.0, 2.0])
        for p in ({"w": x, "b": [vn.asarray(0.5)]}, [x, (vn.asarray(0.5),)], (x, {"b": vn.asarray(0.5)}), Params(x, vn.asarray(0.5))):
            value, g = vn.value_and_grad(lambda p: vn.sum((vn.tree.leaves(p)[0] * 2 + vn.tree.leaves(p)[1]) ** 2))(p)
            self.assertEqual((value.item(), [v.tolist() for v in vn.tree.leaves(g)], type(g)), (26.5, [[10, 18], 14], type(p)))
        a, b = vn.grad(lambda u, v: vn.sum(u * v), argnums=(0, 1))(x, x + 1)
        self.assertEqual((a.tolist(), b.tolist()), ([2, 3], [1, 2]))
        g, aux = vn.grad(lambda u: (vn.sum(u * u), {"n": u * 3}), has_aux=True)(x)
        self.assertEqual((g.tolist(), aux["n"].tolist()), ([2, 4], [3, 6]))

    def test_higher(self):
        x = vn.asarray(2.0)
        cube = lambda v: v**3
        self.assertEqual([vn.grad(cube)(x).item(), vn.grad(vn.grad(cube))(x).item(), vn.grad(vn.grad(vn.grad(cube)))(x).item()], [12, 12, 6])
        self.assertEqual(vn.grad(lambda u: u * vn.grad(lambda v: u + v * v)(u))(vn.asarray(3.0)).item(), 12)  # the inner u is a constant
        y = vn.asarray([1.0, 2.0])
        self.assertEqual(vn.jacobian(lambda v: v * v)(y).tolist(), [[2, 0], [0, 4]])
        self.assertEqual(vn.hessian(lambda v: vn.sum(v**3))(y).tolist(), [[6, 0], [0, 12]])
        self.assertEqual(vn.jacobian(vn.grad(lambda v: vn.sum(v**3)))(y).tolist(), [[6, 0], [0, 12]])
        for f in (vn.jvp, vn.vjp):
            value, d = f(lambda v: v * v, y, vn.asarray([1.0, 10.0]))
            self.assertEqual((value.tolist(), d.tolist()), ([1, 4], [2, 40]))

    def test_history(self):
        x = vn.asarray([1.0, 2.0])
        self.assertEqual(vn.grad(lambda v: vn.sum(v * vn.stop_gradient(v)))(x).tolist(), [1, 2])
        with vn.no_grad():
            y = vn.variable(x) * 2
        self.assertRaises(ValueError, vn._vinea.grads, vn.sum(y), [y], False)

    def test_custom(self):
        @vn.custom_gradient
        def f(x):
            """Twice x."""
            return 2 * x

        @f.gradient
        def _(x, y, ct):
            return ct * x * y

        self.assertEqual(f(vn.asarray([3.0])).tolist(), [6])
        self.assertEqual(vn.grad(lambda v: vn.sum(f(v)))(vn.asarray([3.0])).tolist(), [18])
        self.assertEqual(f.__doc__, "Twice x.")

    def test_custom_in_another_dtype(self):
        """The gradient has the dtype of the input, whatever the rule returns."""
        f, x = vn.custom_gradient(lambda x: x * 2), vn.asarray([1.0, 2.0])
        for dtype in ("int32", "float64", "bool"):
            f.gradient(lambda x, y, ct: ct.astype(dtype))
            g = vn.grad(lambda v: vn.sum(f(v)))(x)
            self.assertEqual((g.dtype, g.tolist()), (vn.float32, [1, 1]))

    def test_custom_of_several(self):
        @vn.custom_gradient
        def f(x, y):
            return x * y

        @f.gradient
        def _(x, y, z, ct):
            return ct * 10, (ct * x).sum(0) if rule == "all" else None

        x, y = vn.asarray([[1.0, 2.0], [3.0, 4.0]]), vn.asarray([5.0, 6.0], dtype="float64")
        rule = "all"
        self.assertEqual(f(x, y).tolist(), [[5, 12], [15, 24]])
        a, b = vn.grad(lambda u, v: vn.sum(f(u, v)), argnums=(0, 1))(x, y)
        self.assertEqual((a.tolist(), b.tolist(), a.dtype, b.dtype), ([[10, 10], [10, 10]], [4, 6], vn.float32, vn.float64))
        rule = "some"
        self.assertEqual(vn.grad(lambda v: vn.sum(f(x, v)))(y).tolist(), [0, 0])
        self.assertRaises(TypeError, f, x, vn.asarray([1, 2]))
        f.gradient(lambda x, y, z, ct: ct)
        self.assertRaises(ValueError, lambda: vn.grad(lambda v: vn.sum(f(v, y)))(x))

    def test_custom_of_trees(self):
        @vn.custom_gradient
        def f(p, x):
            return p["w"] * x + p["b"][0]

        @f.gradient
        def _(p, x, y, ct):
            return {"b": [ct * 5], "w": ct * 3 * x}, None

        x = vn.asarray([1.0, 2.0])
        p = {"w": vn.ones(2), "b": [vn.zeros(2, dtype="float64")]}
        self.assertEqual(f(p, x).tolist(), [1, 2])
        g = vn.grad(lambda p: f(p, x).sum())(p)
        self.assertEqual((g["w"].tolist(), g["b"][0].tolist(), g["b"][0].dtype), ([3, 6], [5, 5], vn.float64))
        self.assertEqual(vn.grad(lambda x: f(p, x).sum())(x).tolist(), [0, 0])
        one = vn.custom_gradient(lambda p: p["a"] * 2)
        one.gradient(lambda p, y, ct: {"a": ct * 9})
        self.assertEqual(vn.grad(lambda p: one(p).sum())({"a": x})["a"].tolist(), [9, 9])
        one.gradient(lambda p, y, ct: {"b": ct})
        self.assertRaisesRegex(ValueError, "structure", vn.grad(lambda p: one(p).sum()), {"a": x})
        same = vn.custom_gradient(lambda x: x)
        same.gradient(lambda x, y, ct: ct)
        self.assertEqual(same([1.0, 2.0]).tolist(), [1, 2])  # a list of numbers is an array

    def test_keys_in_another_order(self):
        x = vn.asarray([1.0, 2.0])
        a, b = {"u": x, "v": [{"s": x * 2, "t": x * 3}]}, {"v": [{"t": x * 30, "s": x * 20}], "u": x * 10}
        added = vn.tree.map(lambda p, q: (p + q).tolist(), a, b)
        self.assertEqual((added, list(added)), ({"u": [11, 22], "v": [{"s": [22, 44], "t": [33, 66]}]}, ["u", "v"]))
        f = lambda p: p["u"] * p["v"][0]["s"] + p["v"][0]["t"]
        lists = lambda t: vn.tree.map(lambda v: v.tolist(), t)
        swapped = {"v": [{"t": a["v"][0]["t"], "s": a["v"][0]["s"]}], "u": x}
        self.assertEqual(lists(vn.jvp(f, a, swapped)), lists(vn.jvp(f, a, a)))
        both = lambda x: {"y": x, "z": 2 * x}
        self.assertEqual(vn.vjp(both, x, {"z": x, "y": 0 * x})[1].tolist(), [2, 4])
        self.assertRaises(ValueError, vn.tree.map, lambda p, q: p, a, {"u": x, "w": x})
        self.assertRaises(ValueError, vn.tree.map, lambda p, q: p, [x, x], [x])

    def test_aux_is_a_pair(self):
        for y in (lambda x: x.sum(), lambda x: (x.sum(), 1, 2), lambda x: vn.ones(2)):
            self.assertRaisesRegex(TypeError, "has_aux.*pair", vn.grad(y, has_aux=True), vn.ones(2))

    def test_dataclasses_are_rebuilt(self):
        """Without __init__, which may check its arguments or not take all fields; with it where it makes more than the fields."""

        @dataclasses.dataclass
        class Checked:
            w: object
            n: int = dataclasses.field(init=False)

            def __post_init__(self):
                if not isinstance(self.w, vn.Array) or self.w.ndim != 1:
                    raise TypeError("w is a vector")
                self.n = 3

        @dataclasses.dataclass(frozen=True, slots=True)
        class Slots:
            w: object
            unset: object = dataclasses.field(init=False)
            start: dataclasses.InitVar = 0

        @dataclasses.dataclass
        class Derived:
            w: object

            def __post_init__(self):
                self.double = self.w * 2

        x = vn.asarray([1.0, 2.0])
        self.assertEqual((vn.tree.map(lambda v: 0, Checked(x)).w, vn.jit(lambda p: p.w * p.n)(Checked(x)).tolist()), (0, [3, 6]))
        self.assertEqual((vn.grad(lambda p: (p.w**2).sum())(Slots(x)).w.tolist(), vn.tree.map(lambda v: 7, Slots(x)).w), ([2, 4], 7))
        f = vn.jit(lambda p: p.double)
        self.assertEqual([f(Derived(v)).tolist() for v in (x, 2 * x)], [[2, 4], [4, 8]])
        self.assertEqual(vn.grad(lambda p: p.double.sum())(Derived(x)).w.tolist(), [2, 2])

    def test_dicts_and_dataclasses_keep_what_they_have(self):
        """Dicts with an __init__ of their own, dataclasses with InitVars, and attributes that were set later."""

        class Named(dict):
            def __init__(self, name, **items):
                super().__init__(**items)
                self.name = name

        class Lists(collections.defaultdict):
            def __init__(self):
                super().__init__(list)

        @dataclasses.dataclass
        class Scaled:
            w: object
            by: dataclasses.InitVar

            def __post_init__(self, by):
                self.scale = by

        @dataclasses.dataclass
        class Later:
            w: object

            def __post_init__(self):
                self.count, self.double = 0, self.w * 2

        double = lambda tree: vn.tree.map(lambda v: v * 2, tree)
        counter = double(collections.Counter(a=2, b=1))
        self.assertEqual((type(counter), counter), (collections.Counter, collections.Counter(a=4, b=2)))
        named = double(Named("n", a=vn.ones(1)))
        self.assertEqual((type(named), named.name, named["a"].tolist()), (Named, "n", [2]))
        lists = Lists()
        lists["a"] = 3
        again = double(lists)
        self.assertEqual((type(again), dict(again), again["new"]), (Lists, {"a": 6}, []))
        self.assertEqual(list(double(collections.OrderedDict(b=1, a=2)).items()), [("b", 2), ("a", 4)])
        x = vn.asarray([1.0, 2.0])
        scaled = double(Scaled(x, 5))
        self.assertEqual((scaled.w.tolist(), scaled.scale), ([2, 4], 5))
        later = Later(x)
        later.count, later.added = 7, "text"
        again = double(later)
        self.assertEqual((again.w.tolist(), again.double.tolist(), again.count, again.added), ([2, 4], [4, 8], 7, "text"))
        f = vn.jit(lambda p: p.w * p.scale)
        self.assertEqual([f(Scaled(x, by)).tolist() for by in (2, 3, 2)], [[2, 4], [3, 6], [2, 4]])
        shapes = [vn.tree.structure(Scaled(x, by)) for by in (2, 2, 3)]
        self.assertEqual((shapes[0], hash(shapes[0])), (shapes[1], hash(shapes[1])))
        self.assertNotEqual(shapes[0], shapes[2])
        self.assertEqual(vn.tree.map(lambda a, b: a + b, Scaled(x, 2), Scaled(x, 3)).w.tolist(), [2, 4])

        class Needs(dict):
            def __new__(cls, name):
                return super().__new__(cls)

            def __init__(self, name):
                pass

        with self.assertRaisesRegex(TypeError, "Needs cannot be made again"):
            double(Needs("n"))

    def test_kinds_of_trees(self):
        Pair = collections.namedtuple("Pair", "a b")
        frozen = dataclasses.make_dataclass("Frozen", ["w"], frozen=True)
        for p in (Pair(vn.ones(2), vn.ones(2)), frozen(vn.ones(2)), collections.OrderedDict(a=vn.ones(2)), collections.defaultdict(list, a=vn.ones(2)), {"a": None, "b": [vn.ones(2), ()]}):
            g = vn.grad(lambda p: sum(vn.sum(x * 3) for x in vn.tree.leaves(p)))(p)
            self.assertEqual((type(g), {tuple(x.tolist()) for x in vn.tree.leaves(g)}), (type(p), {(3, 3)}))
        p = Params(vn.ones(2), [Params(vn.ones(1), None)])
        vn.nn.sgd(0.5).step(p, Params(vn.ones(2), [Params(vn.ones(1) * 2, None)]))
        self.assertEqual((p.w.tolist(), p.b[0].w.tolist()), ([0.5, 0.5], [0]))
        leaves, structure = vn.tree.flatten({"a": [1, None, (2,)], "b": p})
        again = pickle.loads(pickle.dumps(structure))
        self.assertEqual((again, hash(again), repr(again)), (structure, hash(structure), "dict(a: list(*, None(), tuple(*)), b: Params(w: *, b: list(Params(w: *, b: None()))))"))
        self.assertEqual(vn.tree.flatten(vn.tree.unflatten(again, leaves))[1], structure)

    def test_jit_runs_once(self):
        """A function runs once for each combination of shapes, however many results it has; their structure may depend on the shapes."""
        ran = []

        def results(x):
            ran.append(x.shape)
            return {"a": x + 1, "b": (x * 2, [x])} if x.ndim == 1 else [x[k] for k in range(x.shape[0])]

        f = vn.jit(results)
        for _ in range(3):
            self.assertEqual(f(vn.ones(2))["b"][0].tolist(), [2, 2])
        self.assertEqual(ran, [(2,)])
        for _ in range(2):
            for n in (3, 1, 2):
                self.assertEqual([y.tolist() for y in f(vn.reshape(vn.arange(n, dtype="float32"), (n, 1)))], [[k] for k in range(n)])
            self.assertEqual(f(vn.ones(2))["a"].tolist(), [2, 2])
            self.assertEqual(vn.grad(lambda x: sum(y[0] * (k + 1) for k, y in enumerate(f(x))))(vn.ones((2, 1))).tolist(), [[1], [2]])
        ran.clear()
        for x in (vn.ones(2), vn.ones((2, 1)), vn.ones((3, 1))):
            f(x)
        self.assertEqual(ran, [])
        precisions = vn.jit(lambda x: x if vn.matmul_precision() == "exact" else (x, x))  # not by the arrays
        for _ in range(3):
            self.assertIs(type(precisions(vn.ones(2))), vn.Array)
            before = vn.matmul_precision("fast")
            try:
                self.assertIs(type(precisions(vn.ones((2, 2)))), tuple)
            finally:
                vn.matmul_precision(before)
        self.assertRaisesRegex(TypeError, "jit: .* not 'text'", vn.jit(lambda x: (x, "text")), vn.ones(2))
        self.assertRaisesRegex(TypeError, "returned no array", vn.jit(lambda x: None), vn.ones(2))
        self.assertEqual(len(vn.jit(lambda x: [x] * 1024)(vn.ones(1))), 1024)
        self.assertRaisesRegex(ValueError, "1024", vn.jit(lambda x: [x] * 1025), vn.ones(1))

    def test_jit(self):
        calls = []

        @vn.jit
        def step(p, x, scale=2):
            calls.append(1)
            return {"y": [p["w"] * x * scale, None], "n": vn.sum(x)}

        w, x = vn.asarray([1.0, 2.0]), vn.asarray([3.0, 4.0])
        for k in range(5):
            out = step({"w": w}, x + k)
            self.assertEqual((out["y"][0].tolist(), out["y"][1], out["n"].item()), ([2 * (3 + k), 4 * (4 + k)], None, 7 + 2 * k))
        recorded = len(calls)
        self.assertLessEqual(recorded, 2)
        self.assertEqual(step({"w": w}, x, scale=3)["y"][0].tolist(), [9, 24])
        self.assertGreater(len(calls), recorded)
        self.assertEqual(step({"w": vn.ones(3)}, vn.ones(3))["n"].item(), 3)
        g = vn.jit(vn.grad(lambda v: vn.sum(v**2)))
        self.assertEqual([g(x).tolist(), g(w).tolist()], [[6, 8], [2, 4]])

    def test_jit_takes_arrays_of_others(self):
        """Their values are inputs of the program, not constants, and may change between calls."""
        class Tensor:  # hashable, as PyTorch's tensors are
            def __init__(self, *values):
                self.x = vn.asarray([*values])

            def __dlpack__(self, **options):
                return self.x.__dlpack__(**options)

            def __dlpack_device__(self):
                return (1, 0)

        recorded = []
        f = vn.jit(lambda a, n=1: recorded.append(n) or {"y": a * n})
        t = Tensor(1.0, 2.0)
        self.assertEqual(f(t)["y"].tolist(), [1, 2])
        t.x[...] = 5
        self.assertEqual((f(t)["y"].tolist(), f(Tensor(3.0, 4.0))["y"].tolist(), f(vn.asarray([0.0, 6.0]))["y"].tolist()), ([5, 5], [3, 4], [0, 6]))
        self.assertEqual(recorded, [1])
        self.assertEqual((f(t, n=2)["y"].tolist(), f(2.0, t)["y"].tolist()), ([10, 10], [10, 10]))

    def test_jit_of_numbers_that_change(self):
        """A number at every call does not fill the memory with programs."""
        f, x = vn.jit(lambda a, n: a * n), vn.ones(2)
        [f(x, k) for k in range(1100)]
        handles = vn.memory()["handles"]
        self.assertEqual([f(x, k)[0].item() for k in range(1100, 1400)], [*range(1100, 1400)])
        gc.collect()
        self.assertLessEqual(vn.memory()["handles"], handles + 8)
        self.assertEqual(f(x, 0).tolist(), [0, 0])  # is recorded again

    def test_jit_inside_jit(self):
        x = vn.ones(3)
        self.assertEqual(vn.jit(lambda w: vn.jit(lambda x: w * x)(x))(vn.asarray(2.0)).tolist(), [2, 2, 2])
        kept = []
        vn.jit(lambda x: (kept.append(x * 2), x)[1])(x)
        for _ in range(2):
            with self.assertRaisesRegex(ValueError, "another captured function"):
                vn.jit(lambda y: y + kept[0])(x)

    def test_gradients_reach_what_jit_takes_from_outside(self):
        x = vn.asarray([1.0, 2.0, 3.0])
        self.assertEqual(float(vn.grad(lambda w: vn.jit(lambda x: (w * x**3).sum())(x))(vn.asarray(2.0))), 36)
        inner = vn.nn.linear(2, 1)
        forward = vn.jit(lambda x: inner(x))
        before = [p.tolist() for p in inner.parameters()]
        forward(vn.ones((4, 2)))  # without gradients it is a program
        loss, g = inner.value_and_grad(lambda: (forward(vn.ones((4, 2))) ** 2).mean() + forward(vn.ones((4, 2))).sum())
        vn.nn.sgd(1.0).step(inner, g)
        self.assertNotEqual(before, [p.tolist() for p in inner.parameters()])
        self.assertEqual(forward(vn.ones((4, 2))).tolist(), inner(vn.ones((4, 2))).tolist())

    def test_jit_after_a_failure(self):
        kept = {"w": vn.ones(3)}
        good, f, x = kept["w"], vn.jit(lambda x: x + kept["w"]), vn.ones(3)
        f(x)
        kept["w"] = vn.ones(7)
        self.assertRaises(ValueError, f, x)
        kept["w"] = good
        self.assertEqual(f(x).tolist(), [2, 2, 2])

    def test_jit_without_arrays_computes_where_it_is_called(self):
        g = vn.jit(lambda n: vn.ones(n))
        self.assertEqual(g(3).engine, vn.using())
        try:
            with vn.use("numpy"):
                self.assertEqual(g(3).engine, "numpy")
        except vn.EngineError:
            self.skipTest("numpy is not there")

    def test_gradients_inside_no_grad(self):
        with vn.no_grad():
            self.assertEqual(vn.grad(lambda x: (x * x).sum())(vn.ones(3)).tolist(), [2, 2, 2])

        def outer(x):
            with vn.no_grad():
                inner = vn.grad(lambda y: (y**3).sum())(x)
            return (inner * x).sum()

        self.assertEqual(vn.grad(outer)(vn.asarray([2.0])).tolist(), [12])  # as a number, 3 x^2

    def test_elements_taken_before_or_inside_no_grad(self):
        """Whether an element has derivatives is decided where it is taken, not where it is computed."""

        def computed_inside(x):
            first = (x * 2)[0]
            with vn.no_grad():
                first.eval()
            return first * 1.0

        def taken_inside(x):
            y = x * 2
            with vn.no_grad():
                first = y[0]
            return first * y[1]

        x = vn.asarray([1.0, 2.0])
        self.assertEqual((vn.grad(computed_inside)(x).tolist(), vn.grad(taken_inside)(x).tolist()), ([2, 0], [0, 4]))

    def test_values_do_not_leave_a_gradient_in_silence(self):
        x = vn.asarray([1.0, 2.0])
        net = vn.nn.linear(2, 1)
        leaves = [lambda v: float(v[0]), lambda v: complex(v[0]), lambda v: math.sin(v[0]), lambda v: memoryview(v)[0], lambda v: v.__dlpack__() and 1, lambda v: vn.leaky_relu(v, v[0])]
        for leave in leaves:
            for take in (lambda f: vn.grad(f)(x), lambda f: vn.jacobian(f)(x), lambda f: vn.hessian(f)(x), lambda f: vn.jvp(f, x, x)):
                self.assertRaisesRegex(RuntimeError, "stop_gradient", take, lambda v: vn.sum(v * leave(v)))
            self.assertEqual(vn.grad(lambda v: vn.sum(v * (leave(vn.stop_gradient(v)) is not None)))(x).tolist(), [1, 1])
            leave(x)
        self.assertRaisesRegex(RuntimeError, "stop_gradient", net.value_and_grad, lambda: vn.sum(net(x)) * float(vn.sum(net(x))))
        self.assertIsInstance(float(vn.sum(net(x))), float)  # nothing is differentiated here
        # Reading is no computing, and what has no derivatives may go anywhere.
        self.assertEqual(vn.grad(lambda v: v * v.item() * int(v) * (v.tolist() if v > 0 else 0) * len(f"{v:.1f}"))(vn.asarray(2.0)).item(), 24)
        self.assertEqual(vn.grad(lambda v: vn.sum(v[list(memoryview(vn.argsort(v)))]))(x).tolist(), [1, 1])

        def constant(v):
            with vn.no_grad():
                scale = float(v[1])
            return vn.sum(v) * scale

        self.assertEqual(vn.grad(constant)(x).tolist(), [2, 2])

        @vn.custom_gradient
        def doubled(v):
            return vn.asarray([2 * e for e in memoryview(v)])

        @doubled.gradient
        def _(v, y, ct):
            return ct * 2

        self.assertEqual(vn.grad(lambda v: vn.sum(doubled(v)))(x).tolist(), [2, 2])

    def test_custom_gradients_are_freed(self):
        alive = []

        def step():
            w = vn.ones(1000) * 2

            @vn.custom_gradient
            def times(x, y):
                return x * w[0] + y

            @times.gradient
            def _(x, y, z, ct):
                return ct * w[0], ct

            alive.append(weakref.ref(times))
            return times(vn.ones(3), vn.ones(3)), vn.grad(lambda x: times(x, x).sum())(vn.ones(3))

        y, g = step()
        self.assertEqual(g.tolist(), [3, 3, 3])
        handles = vn.memory()["handles"]
        for _ in range(50):
            step()
        gc.collect()
        self.assertLessEqual(vn.memory()["handles"], handles + 2)
        self.assertEqual([r() for r in alive if r() is not None], [])

        def later(x):  # the function is gone when its gradient is taken
            @vn.custom_gradient
            def cube(x):
                return x**3

            @cube.gradient
            def _(x, y, ct):
                return ct * 7

            z = cube(x).sum()
            del cube, _
            gc.collect()
            return z

        self.assertEqual(vn.grad(later)(vn.ones(2)).tolist(), [7, 7])

    def test_jit_random(self):
        x = vn.zeros(2)
        self.assertRaises(RuntimeError, vn.jit(lambda v: v + vn.random.normal(0, 1, (2,))), x)
        noise = vn.jit(lambda v, key: v + vn.random.normal(0, 1, (2,), key=key))
        a, b = vn.random.key(1), vn.random.key(2)
        self.assertEqual(noise(x, a).tolist(), noise(x, a).tolist())
        self.assertNotEqual(noise(x, a).tolist(), noise(x, b).tolist())
        self.assertRaises(ValueError, vn.jit(lambda v: v if v[0] > 0 else -v), x)
        with self.assertRaisesRegex(ValueError, "captur"):
            vn.jit(lambda v: float(v.sum()))(x)

    def test_copies(self):
        x = vn.asarray([1.0, 2.0, 3.0])
        copies = [lambda v: v.copy(), vn.array, copy.copy, copy.deepcopy, lambda v: vn.asarray(v, copy=True), lambda v: vn.reshape(v, (3,), copy=True)]
        for k, make in enumerate(copies):
            with self.subTest(copy=k):
                self.assertEqual(vn.grad(lambda v: vn.sum(make(v) ** 2))(x).tolist(), [2, 4, 6])
                self.assertEqual(vn.grad(lambda v: vn.sum(make(v * 2) ** 2))(x).tolist(), [8, 16, 24])
                self.assertEqual(vn.grad(lambda v: vn.sum(vn.grad(lambda u: vn.sum(make(u) ** 3))(v)))(x).tolist(), [6, 12, 18])
                self.assertEqual(vn.jvp(lambda v: make(v) ** 2, x, x)[1].tolist(), [2, 8, 18])
                self.assertEqual(vn.jacobian(lambda v: make(v) ** 2)(x).tolist(), [[2, 0, 0], [0, 4, 0], [0, 0, 6]])
                self.assertEqual(vn.jit(lambda v: make(v) + 1)(x).tolist(), [2, 3, 4])
                self.assertEqual(vn.jit(vn.grad(lambda v: vn.sum(make(v) ** 2)))(x).tolist(), [2, 4, 6])

    def test_linspace(self):
        ends = vn.asarray([1.0, 3.0])
        f = lambda v, **options: vn.linspace(v[0], v[1], 3, **options)
        self.assertEqual((f(ends).tolist(), f(ends, endpoint=False, dtype=vn.float64)[0].item()), ([1, 2, 3], 1))
        self.assertEqual(vn.jacobian(f)(ends).tolist(), [[1, 0], [0.5, 0.5], [0, 1]])
        self.assertEqual(vn.grad(lambda v: vn.sum(vn.linspace(v, 5, 5)))(vn.asarray(0.0)).item(), 2.5)
        self.assertEqual(vn.jit(f)(ends).tolist(), [1, 2, 3])
        self.assertEqual(vn.linspace(vn.asarray(0), vn.asarray(4), 3).tolist(), [0, 2, 4])
        self.assertEqual(vn.linspace(vn.asarray(0.0), 1j, 3).tolist(), [0, 0.5j, 1j])

    def test_arange(self):
        f = lambda v, **options: vn.arange(v[0], 5, v[1], **options)
        x = vn.asarray([1.0, 2.0])
        self.assertEqual((f(x).tolist(), f(x, dtype=vn.float64).dtype, vn.arange(vn.asarray(3.0)).tolist(), vn.arange(vn.asarray(1), 3).dtype), ([1, 3], vn.float64, [0, 1, 2], vn.int64))
        self.assertEqual(vn.jacobian(f)(x).tolist(), [[1, 0], [1, 1]])
        self.assertEqual(vn.arange(vn.asarray(5.0), 0, -2).tolist(), [5, 3, 1])

    def test_arguments_updated(self):
        """The gradient is by what was passed, whatever the function assigns to its arguments afterwards."""
        x, y = vn.asarray([1.0, 2.0, 3.0]), vn.asarray([1.0, 2.0])

        def twice(v):
            v *= 2
            return vn.sum(v * v)

        def first(v):
            v[0] = 5.0
            return vn.sum(v * v)

        def leaf(p):
            p["w"] *= 2
            return vn.sum(p["w"] * p["w"])

        self.assertEqual((vn.grad(twice)(x).tolist(), vn.grad(first)(y).tolist(), vn.grad(leaf)({"w": x})["w"].tolist()), ([8, 16, 24], [0, 4], [8, 16, 24]))
        self.assertEqual(vn.grad(lambda v: vn.sum(vn.grad(twice)(v)))(x).tolist(), [8, 8, 8])
        self.assertEqual(vn.grad(lambda u, v: twice(u) + first(v), argnums=(0, 1))(x, y)[1].tolist(), [0, 4])
        self.assertEqual((x.tolist(), y.tolist()), ([1, 2, 3], [1, 2]))

    def test_jit_constants(self):
        calls = []

        @vn.jit
        def f(v, c):
            calls.append(c)
            return v * c

        one, nan = vn.asarray([1.0]), float("nan")
        self.assertEqual([str(f(one, c)) for c in (0.0, -0.0, 0.0, complex(0, 0.0), complex(0, -0.0), 1, 1.0, True)], [str(one * c) for c in (0.0, -0.0, 0.0, complex(0, 0.0), complex(0, -0.0), 1, 1.0, True)])
        recorded = len(calls)
        for k in range(5):
            self.assertEqual(str(f(one, float("nan"))), "[nan]")
            self.assertEqual(str(f(one, complex(float("nan"), 0))), str(one * complex(nan, 0)))
        self.assertLessEqual(len(calls), recorded + 2)
        g = vn.jit(lambda v, c: v * c[0])
        self.assertEqual([str(g(one, (c,))) for c in (0.0, -0.0)], ["[0.]", "[-0.]"])

    def test_derivatives_of_trees(self):
        x = vn.asarray([1.0, 2.0])
        p = {"w": vn.asarray([[1.0, 2.0], [3.0, 4.0]]), "b": [vn.asarray(5.0)]}
        f = lambda p: {"y": p["w"] @ x + p["b"][0], "s": (p["w"] ** 2).sum()}
        lists = lambda t: vn.tree.map(lambda a: a.tolist(), t)
        j = vn.jacobian(f)(p)
        self.assertEqual(vn.tree.map(lambda a: a.shape, j), {"y": {"w": (2, 2, 2), "b": [(2,)]}, "s": {"w": (2, 2), "b": [()]}})
        self.assertEqual(lists(j["s"]), {"w": [[2, 4], [6, 8]], "b": [0]})
        self.assertEqual(lists(j["y"]), {"w": [[[1, 2], [0, 0]], [[0, 0], [1, 2]]], "b": [[1, 1]]})
        h = vn.hessian(lambda p: (p["w"] ** 2).sum() * p["b"][0])(p)
        self.assertEqual(lists(h["b"][0]), {"w": [[2, 4], [6, 8]], "b": [0]})
        self.assertEqual(h["w"]["w"].reshape(4, 4).tolist(), (10 * vn.eye(4)).tolist())
        self.assertEqual(lists(vn.vjp(f, p, {"y": vn.ones(2), "s": vn.asarray(1.0)})), ({"y": [10, 16], "s": 30}, {"w": [[3, 6], [7, 10]], "b": [2]}))
        self.assertEqual(lists(vn.jvp(f, p, p)), ({"y": [10, 16], "s": 30}, {"y": [10, 16], "s": 60}))
        self.assertEqual(lists(vn.jacobian(lambda a, b: a * b, argnums=(0, 1))(x, 3 * x)), ([[3, 0], [0, 6]], [[1, 0], [0, 2]]))
        pair = dataclasses.make_dataclass("Pair", ["a", "b"])
        self.assertEqual(vn.jacobian(lambda p: p.a * p.b.sum())(pair(x, x)).b.tolist(), [[1, 1], [2, 2]])
        for form in (tuple, list):
            self.assertEqual(lists(vn.vjp(lambda v: v[0] * v[1], form([x, 2 * x]), vn.ones(2))[1]), form([[2, 4], [1, 2]]))
        mixed = vn.jacobian(lambda p: p["a"] * p["b"])({"a": x, "b": x.astype("float64")})
        self.assertEqual({k: (v.dtype, v.tolist()) for k, v in mixed.items()}, {"a": (vn.float64, [[1, 0], [0, 2]]), "b": (vn.float64, [[1, 0], [0, 2]])})
        for bad, kind in ((lambda: vn.jacobian(f)({}), TypeError), (lambda: vn.jacobian(lambda v: v)(vn.asarray([1])), TypeError), (lambda: vn.jacobian(lambda v: 3)(x), TypeError),
                          (lambda: vn.vjp(f, p, x), ValueError), (lambda: vn.jvp(f, p, {"w": p["w"]}), ValueError), (lambda: vn.jvp(lambda v: v, x, vn.ones(3)), ValueError),
                          (lambda: vn.hessian(lambda v: v)(x), ValueError)):
            self.assertRaises(kind, bad)

    def test_derivatives_inside_gradients(self):
        """Gradients go through jacobian, hessian, vjp and jvp."""
        x, one = vn.asarray([1.0, 2.0]), vn.ones(2)
        cube = lambda v: v**3
        for f, wanted in ((lambda x: vn.jacobian(cube)(x), [6, 12]), (lambda x: vn.vjp(cube, x, one)[1], [6, 12]), (lambda x: vn.jvp(cube, x, one)[1], [6, 12]),
                          (lambda x: vn.hessian(lambda v: (v**3).sum())(x), [6, 6]), (lambda x: vn.vjp(cube, x, x)[1], [9, 36]), (lambda x: vn.vjp(cube, x, one)[0], [3, 12]),
                          (lambda x: vn.jacobian(lambda t: {"k": t["a"] ** 3})({"a": x})["k"]["a"], [6, 12])):
            self.assertEqual(vn.grad(lambda x: f(x).sum())(x).tolist(), wanted)

    def test_jit_sees_changes(self):
        """Arrays and modules that a captured function takes from outside may get other values."""
        global outside
        x, w, calls = vn.ones(2), vn.ones(2), []

        def f(v):
            calls.append(1)
            return v * w

        g = vn.jit(f)
        self.assertEqual([g(x).tolist(), g(x).tolist(), len(calls)], [[1, 1], [1, 1], 1])
        w[0] = 5
        self.assertEqual(g(x).tolist(), [5, 1])
        w = vn.zeros(2)  # another array in the same place
        self.assertEqual(g(x).tolist(), [0, 0])
        w += 2
        self.assertEqual([g(x).tolist(), g(x).tolist(), len(calls)], [[2, 2], [2, 2], 4])
        tree = {"a": [vn.ones(2)]}
        g = vn.jit(lambda v: v + tree["a"][0])
        before = g(x).tolist()
        tree["a"][0] = vn.ones(2) * 7
        self.assertEqual([before, g(x).tolist()], [[2, 2], [8, 8]])
        vn.nn.sgd(1.0).step(tree, {"a": [vn.ones(2)]})
        self.assertEqual(g(x).tolist(), [7, 7])
        outside = vn.ones(2)
        helper = lambda v: v * outside
        g = vn.jit(lambda v: helper(v) + 1)
        before = g(x).tolist()
        outside = vn.zeros(2)
        self.assertEqual([before, g(x).tolist()], [[2, 2], [1, 1]])
        h = vn.jit(lambda v: g(v) * 2)  # one inside another
        before = h(x).tolist()
        outside[1] = 4
        self.assertEqual([before, h(x).tolist()], [[2, 2], [2, 10]])
        owner = type("Owner", (), {})()
        owner.w = vn.ones(2)
        g = vn.jit(lambda v: v * owner.w)
        before = g(x).tolist()
        owner.w = owner.w * 3
        self.assertEqual([before, g(x).tolist()], [[1, 1], [3, 3]])
        net = vn.nn.linear(2, 1, w_init="ones")
        g = vn.jit(lambda v: net(v))
        before = g(x[None]).tolist()
        _, grads = net.value_and_grad(lambda: net(x[None]).sum())
        vn.nn.sgd(0.5).step(net, grads)
        self.assertEqual([before, g(x[None]).tolist()], [[[2]], net(x[None]).tolist()])
        net.variables()["w"][...] = 9.0
        self.assertEqual(g(x[None]).tolist(), net(x[None]).tolist())
        drop = vn.nn.Sequential(vn.nn.dropout(0.9)).eval()
        g = vn.jit(lambda v: drop(v))
        self.assertEqual(g(x).tolist(), [1, 1])
        drop.train()
        with self.assertRaisesRegex(ValueError, "key"):
            g(x)

    def test_jit_sees_other_arrays(self):
        """Another array in any place that a captured function takes one from: objects among its arguments, classes, slots, modules, imported ones."""
        x, two, seven = vn.ones(2), vn.ones(2) * 2, vn.ones(2) * 7

        class Holder:
            shared = two

            def __init__(self):
                self.w = two

            @vn.jit
            def method(self, v):
                return v * self.w

            @property
            def inner(self):
                return self.w

        class Slots:
            __slots__ = ("w", "__hidden")

            def __init__(self):
                self.w = two

        class Net(vn.nn.Module):
            def __init__(self):
                self._w = two

            def forward(self, v):
                return v * self._w

        class Derived(Holder):
            pass

        settings = types.ModuleType("settings")
        settings.w = two
        holder, slots, net, derived = Holder(), Slots(), Net(), Derived()
        code = compile("lambda v: v * settings.w", "imported", "eval")
        for name, f, args, change in (("argument", lambda c, v: c.w * v, (holder,), lambda: setattr(holder, "w", seven)),
                                      ("property", lambda c, v: c.inner * v, (derived,), lambda: setattr(derived, "w", seven)),
                                      ("slots argument", lambda c, v: c.w * v, (slots,), lambda: setattr(slots, "w", seven)),
                                      ("class", lambda v: Holder.shared * v, (), lambda: setattr(Holder, "shared", seven)),
                                      ("imported", eval(code, {"settings": settings}), (), lambda: setattr(settings, "w", seven)),
                                      ("module", net, (), lambda: setattr(net, "_w", seven)),
                                      ("module argument", lambda m, v: m(v), (net,), lambda: setattr(net, "_w", seven))):
            with self.subTest(name):
                net._w = Holder.shared = two
                g = vn.jit(f)
                before = g(*args, x).tolist()
                change()
                self.assertEqual([before, g(*args, x).tolist()], [[2, 2], [7, 7]])
        Holder.shared = two
        g = vn.jit(lambda v: derived.shared * v)
        seen = [g(x).tolist()]
        Derived.shared = seven
        seen.append(g(x).tolist())
        derived.shared = two  # in front of the class's
        self.assertEqual([*seen, g(x).tolist()], [[2, 2], [7, 7], [2, 2]])
        holder = Holder()
        seen = [holder.method(x).tolist()]
        holder.w = seven
        self.assertEqual([*seen, holder.method(x).tolist(), derived.method(x).tolist()], [[2, 2], [7, 7], [7, 7]])
        slots = Slots()
        g = vn.jit(lambda v: slots.w * v)
        seen = [g(x).tolist()]
        slots.w = seven
        self.assertEqual([*seen, g(x).tolist()], [[2, 2], [7, 7]])
        self.assertRaises(TypeError, vn.jit, 3)

    def test_jit_sees_numbers_become_arrays(self):
        class Kept:
            of_class = 2.0
            __slots__ = ("slot", "__dict__")

        kept, three, x = Kept(), vn.asarray(3.0), vn.ones(2)
        kept.slot, kept.attribute, kept.nothing, kept.by_name, kept.by_number, kept.items, variable = 2.0, 2, None, {"a": 2.0}, {7: True}, [2.0], 2.0

        def assign():
            nonlocal variable
            variable = three

        module = types.ModuleType("settings")
        module.scale = 2.0
        helper = lambda: kept.helped
        kept.helped = 2.0
        cases = [(lambda: kept.slot, lambda: setattr(kept, "slot", three)), (lambda: kept.attribute, lambda: setattr(kept, "attribute", three)),
                 (lambda: 2.0 if kept.nothing is None else kept.nothing, lambda: setattr(kept, "nothing", three)), (lambda: kept.by_name["a"], lambda: kept.by_name.update(a=three)),
                 (lambda: kept.by_number[7], lambda: kept.by_number.update({7: three})), (lambda: kept.items[0], lambda: kept.items.__setitem__(0, three)),
                 (lambda: variable, assign), (lambda: module.scale, lambda: setattr(module, "scale", three)), (lambda: helper(), lambda: setattr(kept, "helped", three)),
                 (lambda: Kept.of_class, lambda: setattr(Kept, "of_class", three))]
        for number, (read, change) in enumerate(cases):
            calls = []

            def scaled(v):
                calls.append(1)
                return v * read()

            f = vn.jit(scaled)
            f(x), f(x), change()
            self.assertEqual((f(x).tolist(), f(x).tolist(), len(calls)), ([3, 3], [3, 3], 2), number)

    def test_jit_sees_containers_grow(self):
        x, w, calls = vn.ones(1), vn.ones(1), []
        for kept, add, remove in (([w], lambda k: k.append(w), lambda k: k.pop()), ({"a": w}, lambda k: k.update(b=w), lambda k: k.pop("b")),
                                  (collections.deque([w]), lambda k: k.append(w), lambda k: k.popleft()), ([], lambda k: k.append(w), lambda k: k.pop()),
                                  ([w, w], lambda k: k.__setitem__(1, w * 2), lambda k: k.__setitem__(1, w))):
            calls.clear()

            def f(v):
                calls.append(1)
                return sum((v * w for w in (kept.values() if isinstance(kept, dict) else kept)), v * 0)

            g, first = vn.jit(f), f(x).item()
            calls.clear()
            seen = [g(x).item()]
            for change in (add, remove):
                change(kept)
                seen += [g(x).item(), g(x).item()]
            self.assertEqual((seen, len(calls)), ([first, first + 1, first + 1, first, first], 3), kept)

    def test_jit_changes_nothing(self):
        x, w = vn.ones((4, 2)), vn.ones(2)

        def assigns(v):
            w[0] = v[0, 0]
            return v

        self.assertRaisesRegex(RuntimeError, "from outside", vn.jit(assigns), x)
        self.assertEqual(w.tolist(), [1, 1])
        norm = vn.nn.batch_norm1d(2)
        norm.variables()
        before = {k: v.tolist() for k, v in norm.buffers().items()}
        self.assertRaisesRegex(RuntimeError, "buffers", vn.jit(lambda v: norm(v)), x)
        self.assertEqual({k: v.tolist() for k, v in norm.buffers().items()}, before)
        self.assertEqual(vn.jit(lambda v: norm.eval()(v))(x).shape, (4, 2))


if __name__ == "__main__":
    unittest.main()
