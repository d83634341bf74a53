"""Arrays: making them, text, operators, conversion, methods."""
# ctest: seconds 1
# ctest: sanitize
import copy
import math
import pickle
import unittest

import vinea as vn


class Arrays(unittest.TestCase):
    def test_from_python(self):
        for obj, dtype, shape in ((True, "bool", ()), (3, "int64", ()), (2**63, "uint64", ()), (1.5, "float32", ()), (1j, "complex64", ()), ([], "float32", (0,)),
                                  ([[1, 2], [3, 4]], "int64", (2, 2)), ([1, 2.5], "float32", (2,)), ([[True], [False]], "bool", (2, 1)), (range(3), "int64", (3,)),
                                  ((1, 2j), "complex64", (2,)), ([[], []], "float32", (2, 0))):
            x = vn.asarray(obj)
            self.assertEqual((x.dtype.name, x.shape), (dtype, shape), obj)
        self.assertEqual(vn.asarray([vn.asarray([1, 2]), [3, 4]]).tolist(), [[1, 2], [3, 4]])
        self.assertEqual(vn.asarray([2**53 + 1, -(2**62)]).tolist(), [2**53 + 1, -(2**62)])
        self.assertEqual(vn.asarray(2**64 - 1, dtype="uint64").item(), 2**64 - 1)
        self.assertEqual(vn.asarray([1.7, -1.7], dtype=vn.int32).tolist(), [1, -1])
        self.assertEqual(vn.array([1, 2], float).dtype, vn.float32)
        self.assertEqual(vn.asarray(10**30, dtype="float64").item(), 1e30)
        self.assertEqual(vn.einsum("ij,jk->ik", vn.ones((2, 3)), vn.ones((3, 2))).tolist(), vn.einsum([vn.ones((2, 3)), vn.ones((3, 2))], "ij,jk->ik").tolist())

    def test_numbers_that_do_not_fit(self):
        """Python numbers beyond an integer dtype are refused, by themselves and in sequences, as in NumPy 2."""
        x = vn.zeros(2, dtype=vn.uint8)
        for dtype, *bad in (("uint8", -1, 300, -1.0, 256.0), ("int8", 128, -129, 1e20), ("int32", 2**31, 1e20, float("inf")), ("int64", 2**63, 1e19), ("uint64", -1, 2**64, 2e19)):
            for number in bad:
                for given in (number, [number], [[1, 1], [1, number]], (0.5, number)):
                    with self.subTest(dtype=dtype, given=given), self.assertRaises(OverflowError):
                        vn.asarray(given, dtype=dtype)
        for given in (float("nan"), [1, float("nan")]):
            with self.assertRaises(ValueError):
                vn.asarray(given, dtype="int32")
        for value in (300, [1, 300], [-1.0, 1.0]):
            with self.assertRaises(OverflowError):
                x[...] = value
        self.assertEqual(x.tolist(), [0, 0])
        for dtype, most in (("uint8", 255), ("int8", -128), ("int64", -(2**63)), ("uint64", 2**64 - 1)):
            self.assertEqual(vn.asarray([most, True], dtype=dtype).tolist(), [most, 1])
        self.assertEqual(vn.asarray([-0.5, 2.9], dtype="uint8").tolist(), [0, 2])
        self.assertEqual(vn.asarray(vn.asarray([-1, 300]), dtype="uint8").tolist(), [255, 44])  # an array is cast

    def test_every_dtype(self):
        for d in vn._dtypes.all.values():
            x = vn.asarray([0, 1, 1], dtype=d)
            self.assertEqual((x.dtype, x.tolist()), (d, [0, 1, 1]))
            for again in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.copy()):
                self.assertEqual((again.dtype, again.shape, again.tolist()), (d, (3,), [0, 1, 1]))
            self.assertIs(pickle.loads(pickle.dumps(d)), d)
            self.assertEqual(pickle.loads(pickle.dumps(vn.zeros((0, 2), d))).shape, (0, 2))

    def test_pickle_of_many_axes(self):
        x = vn.full((1,) * 31 + (2,), 1 + 2j)
        again = pickle.loads(pickle.dumps(x))
        self.assertEqual((again.shape, again.reshape(2).tolist()), (x.shape, [1 + 2j] * 2))

    def test_round(self):
        for dtype in ("int64", "int16", "uint64"):
            x = vn.asarray([15, 25, 149, 1250], dtype=dtype)
            for digits, values in ((-1, [20, 20, 150, 1250]), (-2, [0, 0, 100, 1200]), (-400, [0] * 4), (0, [15, 25, 149, 1250]), (2, [15, 25, 149, 1250]), (10**9, [15, 25, 149, 1250])):
                y = round(x, digits)
                self.assertEqual((y.tolist(), y.dtype), (values, x.dtype), (dtype, digits))
        self.assertEqual(round(vn.asarray([2**53 + 1, -(2**62) - 1]), 2).tolist(), [2**53 + 1, -(2**62) - 1])
        self.assertEqual(round(vn.asarray([-15, -25, -149]), -1).tolist(), [-20, -20, -150])
        self.assertEqual(round(vn.asarray([127, -128, 50, 51], dtype="int8"), -2).tolist(), [100, -100, 0, 100])
        x = vn.asarray([1.256, -156.0, 1e300, float("inf")], dtype="float64")
        for digits, values in ((2, [1.26, -156, 1e300, math.inf]), (-1, [0, -160, 1e300, math.inf]), (400, x.tolist()), (300, x.tolist())):
            self.assertEqual(round(x, digits).tolist(), values, digits)
        self.assertEqual((round(vn.asarray([1.5, 2e30]), -400).tolist(), round(vn.asarray(2.5)).item()), ([0, 0], 2))
        for digits in (1.5, "2"):
            with self.assertRaises(TypeError):
                round(vn.ones(2), digits)

    def test_split(self):
        x = vn.arange(6).reshape(2, 3)
        self.assertEqual([p.tolist() for p in vn.split(x, 2)], [[[0, 1, 2]], [[3, 4, 5]]])
        self.assertEqual([p.tolist() for p in x.split((1, 0, 2), axis=-1)], [[[0], [3]], [[], []], [[1, 2], [4, 5]]])
        for error, parts, axis in ((ValueError, 4, 1), (ValueError, 0, 0), (ValueError, (1, 1), 1), (ValueError, (4, -1), 1), (ValueError, 1, 2), (TypeError, "a", 0), (TypeError, 1, None)):
            self.assertRaises(error, vn.split, x, parts, axis=axis)

    def test_comparison_with_integers_beyond_the_dtype(self):
        """By value, as in NumPy 2."""
        for dtype, number in (("uint8", 300), ("int8", -129), ("int64", 2**63), ("int64", 2**70), ("uint64", -1), ("int32", -(2**80))):
            x = vn.asarray([[1, 2]], dtype=dtype)
            above = number > 0
            for y, all_ in ((x == number, False), (x != number, True), (x < number, above), (x <= number, above), (x > number, not above), (x >= number, not above), (number < x, not above)):
                self.assertEqual((y.tolist(), y.dtype), ([[all_, all_]], vn.bool))
            functions = {"equal": False, "not_equal": True, "less": above, "less_equal": above, "greater": not above, "greater_equal": not above}
            for (name, all_), other in zip(functions.items(), ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")):
                for y in (getattr(vn, name)(x, number), getattr(vn, other)(number, x), getattr(vn.engine("native"), name)(memoryview(x), number)):
                    self.assertEqual((y.tolist(), y.dtype), ([[all_, all_]], vn.bool), name)
            self.assertFalse(number in x)
            self.assertEqual((vn.isin(x, number).tolist(), vn.isin(x, number, invert=True).tolist()), ([[False, False]], [[True, True]]))
            self.assertEqual(vn.clip(x, None if above else number, number if above else None).tolist(), [[1, 2]])
            for f in (lambda: x + number, lambda: number - x, lambda: vn.maximum(x, number), lambda: vn.clip(x, number if above else None, None if above else number)):
                self.assertRaises(OverflowError, f)
        with self.assertRaises(TypeError):
            vn.ones(2) < "text"

    def test_text(self):
        for obj, text in (([1.5, 2, 3], "array([1.5, 2. , 3. ])"), ([[1, 20], [3, 4]], "array([[ 1, 20],\n       [ 3,  4]])"), ([True, False], "array([ True, False])"),
                          (vn.zeros((0,)), "array([], dtype=float32)"), (vn.zeros((2, 0)), "array([], shape=(2, 0), dtype=float32)"),
                          (vn.asarray([1, 2], dtype="int8"), "array([1, 2], dtype=int8)"), ([1 + 2j, 3], "array([1.+2.j, 3.+0.j])")):
            self.assertEqual(repr(vn.asarray(obj)), text)
        self.assertEqual(str(vn.asarray([1.5, 2])), "[1.5 2. ]")
        for number, text in ((0.0, "0."), (1e20, "1.e+20"), (-1.5, "-1.5"), (True, "True"), (3, "3"), (1 + 2j, "1.+2.j"), (float("nan"), "nan")):
            self.assertEqual(repr(vn.asarray(number)), f"array({text})")
        self.assertEqual(f"{vn.asarray(1.25):.1f}", "1.2")
        self.assertIn("shape (2,)", vn.asarray([1, 2])._repr_html_())
        wide = repr(vn.arange(40))
        self.assertEqual(eval(wide, {"array": vn.asarray}).tolist(), list(range(40)))

    def test_text_as_numpy(self):
        try:
            import numpy as np
        except ImportError:
            self.skipTest("NumPy is not installed")
        random = np.random.default_rng(5)
        for k in range(300):
            shape = [(3,), (20,), (2, 3), (2, 2, 3), (40, 30), (1,)][k % 6]
            x = np.round(random.normal(size=shape), k % 4) * 10.0 ** [0, 0, 9, -7][k % 4]
            if k % 3 == 0:
                x = x + 1j * random.normal(size=shape).round(k % 2)
            if k % 5 == 0:
                x.flat[k % x.size] = [np.nan, np.inf, 0.25][k % 3]
            x = x.astype(np.complex64 if k % 3 == 0 else np.float64 if k % 2 else np.int16 if k % 7 == 0 and k % 5 else np.float32)
            got, want = repr(vn.asarray(x)), repr(x)
            if x.dtype != np.int16:  # dtypes that one of them does not name
                got, want = got.rsplit("]", 1)[0], want.rsplit("]", 1)[0]
            self.assertEqual(str(vn.asarray(x)), str(x))
            self.assertEqual(got, want)
        shown = [np.arange(n) for n in (1000, 1001)] + [np.zeros((40, 30), t) for t in ("int64", "bool", "int8")] + [np.full((2000,), 10**n, "int16") for n in range(5)]
        for x in shown + [np.full((5000,), 10**n) for n in range(19)]:
            self.assertEqual(repr(vn.asarray(x)), repr(x))

    def test_operators(self):
        x, y = vn.asarray([7.0, -3.0]), vn.asarray([2.0, 2.0])
        for got, want in ((x + y, [9, -1]), (x - y, [5, -5]), (x * y, [14, -6]), (x / y, [3.5, -1.5]), (x // y, [3, -2]), (x % y, [1, 1]), (x**2, [49, 9]), (2 - x, [-5, 5]),
                          (-x, [-7, 3]), (abs(x), [7, 3]), (+x, [7, -3]), (x @ y, 8), (x > y, [True, False]), (x == 7, [True, False]), (2 < x, [True, False])):
            self.assertEqual(got.tolist(), want)
        i = vn.asarray([6, 3])
        for got, want in ((i & 3, [2, 3]), (i | 1, [7, 3]), (i ^ 5, [3, 6]), (~i, [-7, -4]), (i << 1, [12, 6]), (i >> 1, [3, 1]), (5 & i, [4, 1])):
            self.assertEqual(got.tolist(), want)
        self.assertEqual((i / 2).tolist(), [3, 1.5])
        self.assertEqual((i * 2.5).dtype, vn.float32)
        self.assertEqual((vn.asarray([True]) + 1).dtype, vn.int64)
        self.assertEqual((vn.asarray([2**60]) + (2**60 + 1)).item(), 2**61 + 1)
        self.assertEqual((x + [1, 2]).tolist(), [8, -1])
        self.assertEqual([v.tolist() for v in divmod(x, y)], [[3, -2], [1, 1]])
        self.assertEqual((round(vn.asarray([1.26], dtype="float64"), 1).tolist(), round(vn.asarray([2.5, 3.5])).tolist()), ([1.3], [2, 4]))
        with self.assertRaises(TypeError):
            x + "text"
        self.assertFalse(x == "text")

    def test_in_place(self):
        x = vn.asarray([1, 2, 3])
        same, view = x, x[:2]
        x += 1
        x *= 2
        self.assertIs(same, x)
        self.assertEqual((same.tolist(), view.tolist()), ([4, 6, 8], [1, 2]))
        with self.assertRaises(TypeError):
            x += 1.5
        with self.assertRaises(ValueError):
            x += vn.ones((2, 3), vn.int64)
        self.assertEqual(x.tolist(), [4, 6, 8])

    def test_conversion(self):
        self.assertEqual((bool(vn.asarray(2)), int(vn.asarray(2.7)), float(vn.asarray(2)), complex(vn.asarray(1.5))), (True, 2, 2.0, 1.5))
        self.assertEqual([10, 20, 30][vn.asarray(1)], 20)
        self.assertTrue(math.isnan(float(vn.asarray(math.nan))))
        for bad in (lambda: bool(vn.asarray([1, 2])), lambda: vn.asarray([1, 2]).item()):
            self.assertRaises(ValueError, bad)
        for bad in (lambda: int(vn.asarray([1, 2])), lambda: float(vn.asarray(1j)), lambda: [1][vn.asarray(0.0)], lambda: hash(vn.asarray(1)), lambda: len(vn.asarray(1)),
                    lambda: iter(vn.asarray(1)), vn.Array):
            self.assertRaises(TypeError, bad)
        self.assertRaises(OverflowError, lambda: int(vn.asarray(math.inf)))
        self.assertEqual([row.tolist() for row in vn.asarray([[1], [2]])], [[1], [2]])
        self.assertIn(2, vn.asarray([1, 2]))
        self.assertNotIn(3, vn.asarray([1, 2]))

    def test_methods(self):
        x = vn.arange(6).reshape(2, 3)
        self.assertEqual((x.shape, x.ndim, x.size, x.T.shape, x.mT.shape, x.nbytes, x.device, x.engine), ((2, 3), 2, 6, (3, 2), (3, 2), 48, "cpu", "native"))
        self.assertEqual((x.sum(0).tolist(), x.max().item(), x.mean(axis=1).tolist(), x.astype("float64").dtype.name), ([3, 5, 7], 5, [1, 4], "float64"))
        self.assertEqual((x.reshape((3, 2)).shape, x.reshape(-1).shape, x.transpose(1, 0).shape, x.flatten().shape), ((3, 2), (6,), (3, 2), (6,)))
        self.assertEqual((x > 2).sum().item(), 3)
        self.assertEqual((vn.asarray(1 + 2j).real.item(), vn.asarray(1 + 2j).imag.item()), (1, 2))

    def test_functions_of_the_table(self):
        import inspect

        self.assertEqual(str(inspect.signature(vn.softmax)), "(x, axis)")
        self.assertIn("sum(exp(x))", vn.softmax.__doc__)
        for part in (vn, vn.random, vn.fft, vn.linalg, vn.nn, vn.nn.losses, vn.nn.metrics, vn.nn.updates):  # all functions are pickled by name
            for name in part.__all__:
                f = getattr(part, name)
                if callable(f):
                    again = pickle.loads(pickle.dumps(f))
                    self.assertIs(getattr(again, "__self__", again), getattr(f, "__self__", f), f"{part.__name__}.{name}")
        values, indices = vn.topk(vn.asarray([3.0, 1.0, 2.0]), 2)
        self.assertEqual((values.tolist(), indices.tolist()), ([3, 2], [0, 2]))
        self.assertEqual(vn.topk(vn.asarray([3.0, 1.0]), k=1, smallest=True).values.tolist(), [1])
        self.assertEqual(vn.where(vn.asarray([True, False]), 1.5, 0).tolist(), [1.5, 0])
        self.assertEqual(vn.clip(vn.asarray([1, 5, 9]), 2, 6).tolist(), [2, 5, 6])
        self.assertEqual(vn.sin(0).dtype, vn.float32)
        self.assertEqual(vn.concat([vn.asarray([1]), [2]]).tolist(), [1, 2])

    def test_random(self):
        vn.random.seed(3)
        a = vn.random.normal(0, 1, (2, 3)).tolist()
        vn.random.seed(3)
        self.assertEqual(vn.random.normal(0, 1, (2, 3)).tolist(), a)
        key = vn.random.key(5)
        self.assertEqual(vn.random.uniform(0, 1, (4,), key=key).tolist(), vn.random.uniform(0, 1, (4,), key=key).tolist())
        self.assertEqual(sorted(vn.random.permutation(5).tolist()), [0, 1, 2, 3, 4])

    def test_random_parameters(self):
        """Numbers that are no parameters of a distribution are refused; integers are exact."""
        r = vn.random
        for sample in (lambda: r.randint(5, 2, (2,)), lambda: r.randint(5, 5, (2,)), lambda: r.poisson(-1.0, (2,)), lambda: r.bernoulli(2.0, (2,)), lambda: r.bernoulli(math.nan, (2,)),
                       lambda: r.normal(0, -1, (2,)), lambda: r.gamma(-1, (2,)), lambda: r.beta(-1, 1, (2,)), lambda: r.beta(1, 0, (2,)), lambda: r.truncated_normal(2, 1, (2,))):
            self.assertRaises(ValueError, sample)
        self.assertEqual(r.randint(2**62, 2**62 + 1, (2,)).tolist(), [2**62] * 2)
        self.assertEqual(r.randint(2**64 - 2, 2**64 - 1, (1,), dtype="uint64").tolist(), [2**64 - 2])
        self.assertEqual(r.poisson(vn.asarray([-1.0, 0.0]), (2,)).tolist(), [-1, 0])

    def test_every_sampler_takes_a_key(self):
        key = vn.random.key(5)
        samplers = {row["name"]: row for _, row in vn._namespace._rows if row["random"] and hasattr(vn.random, row["name"])}
        self.assertGreater(len(samplers), 12)
        values = {"shape": (3,), "n": 4, "samples": 2, "x": [1.0, 2.0, 3.0], "logits": [0.0, 1.0], "weights": [1.0, 2.0], "low": 0, "high": 4, "p": 0.5, "rate": 2.0, "data": 7, "cov": [[1.5]]}
        for name, row in samplers.items():
            given = {n: values.get(n, 1.5) for n, _, required, *_ in row["parameters"] if required and n != "key"}
            if "cov" in given:
                given["mean"] = [1.5]
            first, second = (getattr(vn.random, name)(**given, key=key).tolist() for _ in range(2))
            self.assertEqual(first, second, name)
            with self.assertRaisesRegex(TypeError, "key is a number; vinea.random.key makes"):
                getattr(vn.random, name)(**given, key=5)

    def test_dtypes(self):
        self.assertEqual((vn.finfo(vn.float32).eps, vn.finfo(vn.complex128).bits, vn.iinfo("uint8").max, vn.iinfo(vn.int64).min), (2.0**-23, 64, 255, -(2**63)))
        self.assertEqual((vn.result_type(vn.int8, vn.uint8), vn.result_type(vn.asarray([1]), 2.5), vn.result_type(vn.float32, vn.float64)), (vn.int16, vn.float32, vn.float64))
        self.assertTrue(vn.can_cast(vn.int8, vn.int16) and not vn.can_cast(vn.int16, vn.int8) and vn.isdtype(vn.int8, "integral") and vn.float32 == "float32")

    def test_items_made_on_the_way(self):
        """Sequences that hold the only reference to their items."""
        class Made:
            def __len__(self):
                return 3

            def __getitem__(self, k):
                if k > 2:
                    raise IndexError
                return vn.ones(2) * k

        want = [0, 0, 1, 1, 2, 2]
        for make in (lambda: (vn.ones(2) * k for k in range(3)), lambda: map(lambda k: vn.ones(2) * k, range(3)), Made):
            self.assertEqual((vn.concat(make()).tolist(), vn.stack(make()).reshape(-1).tolist()), (want, want))
            self.assertEqual(vn.einsum(make(), equation="i,i,i->").item(), 0)
        self.assertEqual(vn.asarray(Made()).reshape(-1).tolist(), want)
        x = vn.ones((2, 2)) * 3
        self.assertEqual((vn.concat(x).tolist(), vn.stack(x).tolist()), ([3] * 4, [[3, 3], [3, 3]]))
        vn.eval(*Made())


if __name__ == "__main__":
    unittest.main()
