"""Gradients of functions of trees, higher derivatives, custom gradients, captured functions."""
# ctest: seconds 1
import collections
import dataclasses
import copy
import unittest

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

    def test_kinds_of_trees(self):
        Pair = collections.namedtuple("Pair", "a b")
        frozen = dataclasses.make_dataclass("Frozen", ["w"], frozen=True)
        for p in (Pair(vn.ones(2), vn.ones(2)), frozen(vn.ones(2)), collections.OrderedDict(a=vn.ones(2)), collections.defaultdict(list, a=vn.ones(2)), {"a": None, "b": [vn.ones(2), ()]}):
            g = vn.grad(lambda p: sum(vn.sum(x * 3) for x in vn.tree.leaves(p)))(p)
            self.assertEqual((type(g), {tuple(x.tolist()) for x in vn.tree.leaves(g)}), (type(p), {(3, 3)}))
        p = Params(vn.ones(2), [Params(vn.ones(1), None)])
        vn.nn.sgd(0.5).step(p, Params(vn.ones(2), [Params(vn.ones(1) * 2, None)]))
        self.assertEqual((p.w.tolist(), p.b[0].w.tolist()), ([0.5, 0.5], [0]))

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

    def test_jvp_of_tuples(self):
        x, y = vn.asarray([1.0, 2.0]), vn.asarray([3.0, 4.0])
        for f in (vn.jvp, vn.vjp):
            for given in ((x,), (x, y), [x, y]):
                with self.assertRaisesRegex(TypeError, "array"):
                    f(lambda v: v * v, given, given)
            with self.assertRaisesRegex(TypeError, "array"):
                f(lambda v: v * v, x, (x,))
            self.assertEqual(f(lambda v: v * v, [1.0, 2.0], (1.0, 1.0))[1].tolist(), [2, 4])
        self.assertRaises(TypeError, vn.jacobian(lambda v: v * v), (x,))


if __name__ == "__main__":
    unittest.main()
