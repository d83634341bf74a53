"""Bad input: exceptions of the types that users expect, with the library's message; never a crash."""
# ctest: seconds 1
# ctest: sanitize
import os
import tempfile
import unittest

try:
    import numpy
except ImportError:
    numpy = None

import vinea as vn


class Odd:
    def __index__(self):
        raise KeyboardInterrupt

    def __len__(self):
        return -5

    def __getitem__(self, k):
        raise ZeroDivisionError


class Truth:
    def __bool__(self):
        raise ZeroDivisionError


class Fake:
    def __dlpack__(self, **unused):
        return 3


class Errors(unittest.TestCase):
    def test_limits(self):
        self.assertEqual(vn.matmul_precision("bf16"), "exact")
        self.assertEqual((vn.matmul_precision(), vn.matmul_precision("exact")), ("bf16", "bf16"))
        self.assertRaisesRegex(ValueError, "tf32", vn.matmul_precision, "tf23")
        self.assertRaises(TypeError, vn.matmul_precision, 3)
        x = vn.ones((2, 2))
        with vn.autocast("bfloat16") as block:
            self.assertEqual(((x @ x).dtype, vn.exp(x @ x).dtype), (vn.bfloat16, vn.float32))
            with vn.autocast(None), block, vn.autocast(vn.float16):
                self.assertEqual((x @ x).dtype, vn.float16)
            self.assertEqual((x @ x).dtype, vn.bfloat16)
        self.assertEqual((x @ x).dtype, vn.float32)
        self.assertRaisesRegex(TypeError, "vinea.autocast: dtype is int8; it can be bfloat16", vn.autocast, "int8")
        self.assertRaises(TypeError, vn.autocast, "half")
        with self.assertRaises(ZeroDivisionError), vn.autocast(vn.bfloat16):
            raise ZeroDivisionError
        self.assertEqual((x @ x).dtype, vn.float32)
        try:
            self.assertGreater(vn.memory(limit=vn.memory()["used"] + (1 << 20))["limit"], 0)
            self.assertRaises(MemoryError, lambda: (vn.ones(1 << 22) + 1).eval())
        finally:
            self.assertEqual(vn.memory(limit=0)["limit"], 0)
        self.assertEqual((vn.ones(1 << 20) + 1).sum().item(), 2 << 20)
        self.assertRaises(ValueError, vn.memory, -1)

    def test_types(self):
        x = vn.zeros((2, 3))
        for error, bad in ((ValueError, lambda: x @ x), (ValueError, lambda: x + vn.zeros((4, 5))), (TypeError, lambda: vn.bitwise_and(x, x)), (ValueError, lambda: vn.sum(x, axis=5)),
                           (TypeError, lambda: vn.sum(x, axis="a")), (TypeError, lambda: vn.softmax(x)), (TypeError, lambda: vn.softmax(x, 0, 0, 0)), (TypeError, lambda: vn.softmax(x, axiss=0)),
                           (TypeError, lambda: vn.softmax(x, 0, axis=0)), (TypeError, lambda: vn.zeros("a")), (TypeError, lambda: vn.zeros(3, dtype="float33")), (TypeError, lambda: vn.exp(None)),
                           (TypeError, lambda: vn.exp("a")), (TypeError, lambda: vn.asarray(object())), (ValueError, lambda: vn.asarray([[1], [1, 2]])), (OverflowError, lambda: vn.asarray(2**70)),
                           (OverflowError, lambda: vn.asarray(300, dtype="uint8")), (ValueError, lambda: vn.concat([])), (vn.EngineError, lambda: vn.use("nowhere")),
                           (vn.EngineError, lambda: vn.engine("nowhere")), (vn.EngineError, lambda: x.to("nowhere")), (TypeError, lambda: x.to(3)), (TypeError, lambda: vn.asarray(Fake())),
                           (ValueError, lambda: vn.zeros((-1,))), (ValueError, lambda: vn.reshape(x, (5,))), (TypeError, lambda: vn.einsum([x], equation=3)),
                           (ValueError, lambda: vn.einsum([x], equation="zz->")), (ValueError, lambda: vn.zeros([1] * 40)), (TypeError, lambda: vn.tree.map(3, [1])),
                           (ValueError, lambda: vn.asarray([1], device="gpu")), (AttributeError, lambda: x.nothing)):
            with self.subTest(error=error):
                self.assertRaises(error, bad)
                self.assertEqual((x + 1).sum().item(), 6)  # and everything still works

    def test_what_becomes_an_array(self):
        """The standard's functions take what the table's functions take, and refuse the rest in the same way."""
        one = {"sort": [1, 2, 3], "argsort": [1, 2, 0], "cumulative_sum": [3, 4, 6], "cumulative_prod": [3, 3, 6], "unique_values": [1, 2, 3], "flip": [2, 1, 3], "expand_dims": [[3, 1, 2]],
               "squeeze": [3, 1, 2], "zeros_like": [0, 0, 0], "ones_like": [1, 1, 1], "empty_like": [0, 0, 0], "unique_counts": None, "unique_inverse": None, "unique_all": None, "nonzero": None,
               "unstack": None, "to_numpy": [3, 1, 2], "diff": [-2, 1], "bincount": [0, 1, 1, 1], "sum": 6}
        two = {"roll": (1, [2, 3, 1]), "take": ([1], [1]), "full_like": (7, [7, 7, 7]), "astype": ("float32", [3, 1, 2]), "repeat": (1, [3, 1, 2]), "tile": (1, [3, 1, 2]), "reshape": ((3,), [3, 1, 2]),
               "vecdot": ([1, 1, 1], 6), "tensordot": ([1, 1, 1], None), "isin": ([1], [False, True, False]), "searchsorted": (2, None)}
        if numpy is None:
            del one["to_numpy"]
        for name, want in one.items():
            two[name] = (want,)
        for name, (*rest, want) in two.items():
            f = getattr(vn, name)
            with self.subTest(name=name):
                if name != "tensordot":
                    got = f([3, 1, 2], *rest)
                    self.assertTrue(want is None or got.tolist() == want, got)
                for wrong in (None, "ab", object()):
                    self.assertRaises(TypeError, f, wrong, *rest)
        self.assertEqual(vn.tensordot([1, 2], [3, 4], 1).item(), 11)
        self.assertEqual([x.tolist() for x in vn.broadcast_arrays([1, 2], 3)], [[1, 2], [3, 3]])
        self.assertEqual(vn.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).item(), 1)
        x = vn.ones((2, 3))
        for bad in (lambda: vn.broadcast_arrays(x, "a"), lambda: vn.matrix_rank(None), lambda: vn.linspace("a", 1, 3), lambda: vn.linspace(None, 1, 3), lambda: vn.tree.unflatten(None, [1]),
                    lambda: vn.tree.unflatten([1], [1]), lambda: vn.flip(x, axis="a"), lambda: vn.squeeze(x, axis=1.5), lambda: vn.expand_dims(x, axis=None), lambda: vn.unstack(x, axis=None),
                    lambda: vn.take(x, [0], axis=(0,)), lambda: vn.tensordot(x, x, axes=None), lambda: vn.zeros_like(None, dtype="int32"), lambda: vn.isdtype("nothing", "bool"), lambda: vn.result_type(object())):
            self.assertRaises(TypeError, bad)

    @unittest.skipIf(numpy is None, "there is no numpy")
    def test_dtypes_of_others(self):
        x = numpy.ones(2)
        self.assertEqual(vn.vecdot(x, x).dtype, vn.float64)
        self.assertEqual(vn.vecdot(vn.ones(2), x).item(), 2)
        self.assertEqual([vn.result_type(*of) for of in ((x, vn.ones(2)), ([1, 2], vn.ones(2)), (numpy.float32(1), 1), (x.dtype, "float32"), ([1, 2],))],
                         [vn.float64, vn.float32, vn.float32, vn.float64, vn.int64])

    def test_messages_say_what_to_do(self):
        x, net = vn.ones((4, 2)), vn.nn.linear(2, 1)
        square = lambda a, b=1: (a * b).sum()
        for error, text, bad in (
                (ValueError, r"^argnums: there is no argument 3; the function got 1 by position$", lambda: vn.grad(square, argnums=3)(x)),
                (ValueError, r"^argnums: there is no argument 2; the function got 1", lambda: vn.jacobian(square, argnums=(0, 2))(x)),
                (ValueError, r"^argnums: \(0, -2\) names an argument twice$", lambda: vn.value_and_grad(square, argnums=(0, -2))(x, x)),
                (TypeError, r"^argnums is an integer or a tuple of integers, not 1\.5$", lambda: vn.hessian(square, argnums=1.5)(x)),
                (TypeError, r"^fit: callbacks are functions of a dict, or texts, not 3$", lambda: net.fit(x, x[:, :1], callbacks=[3])),
                (TypeError, r"^fit: callbacks are functions of a dict, or texts, not 3$", lambda: net.fit(x, x[:, :1], callbacks=3)),
                (TypeError, r"^fit\(\) has no argument 'epoch'; possible are x, y, epochs, .*; did you mean 'epochs'\?$", lambda: net.fit(x, x[:, :1], epoch=3)),
                (TypeError, r"did you mean 'callbacks'\?$", lambda: net.fit(x, x[:, :1], callback=print)),
                (TypeError, r"^evaluate\(\) has no argument 'los'; .*; did you mean 'loss'\?$", lambda: net.evaluate(x, x[:, :1], los="mse")),
                (TypeError, r"^predict\(\) has no argument 'bach'; .*; did you mean 'batch'\?$", lambda: net.predict(x, bach=2)),
                (ValueError, r'^fit: there is no loss "msee"; did you mean "mse"\?', lambda: net.fit(x, x[:, :1], loss="msee")),
                (ValueError, r"^fit: there is no loss .*vinea\.nn\.losses", lambda: net.fit(x, x[:, :1], loss="zzzzzz")),
                (ValueError, r"^there is no optimizer 'adamm'; did you mean 'adam'\?$", lambda: net.fit(x, x[:, :1], optimizer="adamm")),
                (ValueError, r"^there is no optimizer 'zzzz'; possible are sgd, ", lambda: net.fit(x, x[:, :1], optimizer="zzzz")),
                (AttributeError, r"^module 'vinea\.nn\.losses' has no attribute 'hubber'; did you mean 'huber'\?$", lambda: vn.nn.losses.hubber),
                (AttributeError, r"^module 'vinea\.nn' has no attribute 'Linearr'; did you mean 'linear'\?$", lambda: vn.nn.Linearr),
                (ValueError, r"^format '\.2f' is one for numbers, which 0-d arrays have; this one has the shape \(4, 2\)$", lambda: f"{x:.2f}"),
                (TypeError, r"^linspace: the result cannot be int64, a float or complex dtype is needed", lambda: vn.linspace(0, 1, 3, dtype="int64")),
                (ValueError, r"^fit: validation_split is 1; the part of the rows that training leaves out is at least 0 and below 1$", lambda: net.fit(x, x[:, :1], validation_split=1.0)),
                (ValueError, r"^strided and unaligned memory,", lambda: vn.asarray(memoryview(bytearray(9))[1:].cast("B").cast("f"), copy=False)),
                (ValueError, r"^vinea\.nn\.linear: in is 0", lambda: vn.nn.linear(0, 1)),
                (ValueError, r"^fit: the network gives 4x2 for targets 4; 5 classes", lambda: vn.nn.linear(2, 2).fit(x, vn.asarray([0, 1, 4, 0]))),
                (ValueError, r"^minimize\(loss, parameters\): the loss has shape 2; a single number is needed$", lambda: vn.nn.sgd(0.1).minimize(lambda p: p[0], [x[0]])),
                (ValueError, r"^value_and_grad\(loss\): the loss has shape 4x1; a single number is needed$", lambda: net.value_and_grad(lambda: net(x))),
                (TypeError, r"^adam: lr is a number, not 'a'$", lambda: vn.nn.adam("a")),
                (TypeError, r"^adam: lr is a number; adam\(\.\.\.\)\.configure\(schedule=\.\.\.\)", lambda: vn.nn.adam(vn.nn.cosine(0.1, steps=5))),
                (TypeError, r"^shape: an integer is needed, not 'a'$", lambda: vn.zeros([2, "a"])),
                (TypeError, r"^fit: epochs: an integer is needed, not 'a'$", lambda: net.fit(x, x[:, :1], epochs="a")),
                (TypeError, r"^fit: resume is True or False, not 'a'$", lambda: net.fit(x, x[:, :1], resume="a")),
                (TypeError, r"^gradients are taken by arrays or trees of them, not by 'q'", lambda: vn.grad(lambda p: p[0].sum())([x, "q"])),
                (IndexError, r"^cross_entropy: target\[1\] is 5; there are 2 classes", lambda: vn.nn.losses.cross_entropy(x[:2], vn.asarray([0, 5]))),
                (ValueError, r"^categorical: the last axis of logits is empty and leaves nothing to sample", lambda: vn.random.categorical(vn.zeros((2, 0)))),
                (MemoryError, "broadcast_to", lambda: vn.broadcast_to(x[0, 0], (2**44,)).eval())):
            self.assertRaisesRegex(error, text, bad)
        self.assertEqual((f"{x[0]:>10}", f"{x[0, 0]:.2f}"), ("   [1. 1.]", "1.00"))
        self.assertEqual(len(net.fit(x, x[:, :1], epochs=2, callbacks=lambda event: event["moment"] == "epoch")["history"]), 1)

    def test_only_what_is_public_is_listed(self):
        self.assertEqual([n for n in dir(vn.nn) if n not in vn.nn.__all__], [])
        self.assertEqual(dir(vn.tree), sorted(vn.tree.__all__))
        self.assertNotIn("dataclasses", dir(vn.tree))

    @unittest.skipIf(numpy is None, "there is no numpy")
    def test_functions_of_numpy(self):
        """numpy.sum(x) and its kin call methods, with out=None; what they return is an array of Vinea."""
        x = vn.asarray([[1.0, 2.0], [3.0, 4.0]])
        for f, want in ((numpy.sum, 10), (numpy.mean, 2.5), (numpy.max, 4), (numpy.min, 1), (numpy.prod, 24), (numpy.any, True), (numpy.all, True)):
            self.assertEqual((type(f(x)), f(x).item()), (vn.Array, want))
        self.assertEqual(numpy.sum(x, axis=0).tolist(), [4, 6])
        self.assertRaisesRegex(TypeError, "has no argument 'out'", numpy.sum, x, out=numpy.zeros(()))
        self.assertRaisesRegex(TypeError, "has no argument 'dtype'", x.mean, dtype="float64")

    def test_copy_that_raises(self):
        for wrong in (vn.ones(2), "float33"):
            self.assertRaises(TypeError, vn.asarray, [1], dtype=wrong, copy=Odd())
        with self.assertRaises(ZeroDivisionError):
            vn.asarray([1], copy=Truth())

    def test_names_of_arguments(self):
        x, w = vn.zeros((1, 4, 4, 1)), vn.zeros((2, 2, 1, 1))
        for bad, text in ((lambda: vn.conv2d(x, w, stride=2), r"conv2d\(\) has no argument 'stride'; possible are x, filters, bias, strides, .*; did you mean 'strides'\?$"),
                          (lambda: vn.softmax(x, axiss=0), r"softmax\(\) has no argument 'axiss'; possible are x, axis; did you mean 'axis'\?$"),
                          (lambda: vn.nn.linear(2, 3, no_bais=True), r"linear\(\) has no argument 'no_bais'; possible are .*no_bias.*; did you mean 'no_bias'\?$"),
                          (lambda: vn.softmax(x, zzz=0), r"softmax\(\) has no argument 'zzz'; possible are x, axis$"),
                          (lambda: vn.sum(x, axs=0), r"^sum\(\) has no argument 'axs'; possible are axis, dtype, keepdims; did you mean 'axis'\?$"),
                          (lambda: x.sum(axs=0), r"^sum\(\) has no argument 'axs'; possible are axis, dtype, keepdims; did you mean 'axis'\?$"),
                          (lambda: vn.zeros(3, dtpye="int32"), r"^zeros\(\) has no argument 'dtpye'; possible are shape, dtype, device; did you mean 'dtype'\?$"),
                          (lambda: vn.engine("native").zeros(3, zzz=1), r"^zeros\(\) has no argument 'zzz'; possible are shape, dtype, device$"),
                          (lambda: vn.linalg.svd(x, full_matrix=1), r"^svd\(\) has no argument 'full_matrix'; possible are full_matrices; did you mean 'full_matrices'\?$"),
                          (lambda: vn.fft.fftfreq(3, dtyp="f"), r"^fftfreq\(\) has no argument 'dtyp'; possible are d, dtype, device; did you mean 'dtype'\?$"),
                          (lambda: vn.nn.losses.huber(x, x, dleta=1), r"^huber\(\) has no argument 'dleta'; possible are prediction, target, .*delta.*; did you mean 'delta'\?$"),
                          (lambda: vn.sum(), r"^sum\(\) missing 1 required positional"),
                          (lambda: vn.sum(x, x=x), r"^sum\(\) has no argument 'x'; possible are axis, dtype, keepdims$"),
                          (lambda: vn.sum(x, axis="a"), r"^(?!.*has no argument)")):
            self.assertRaisesRegex(TypeError, text, bad)
        self.assertIs(vn.linalg.svd, vn.svd)
        self.assertRaisesRegex(ValueError, "conv2d: data_format is \"NCW\"; possible are channel_last, channel_first, NHWC, NCHW; did you mean \"NCHW\"", vn.conv2d, x, w, data_format="NCW")

    def test_messages(self):
        with self.assertRaisesRegex(ValueError, "matmul.*3.*2"):
            vn.zeros((2, 3)) @ vn.zeros((2, 3))
        with self.assertRaisesRegex(vn.EngineError, "nowhere"):
            vn.use("nowhere")
        self.assertEqual(vn.using(), "native")
        with self.assertRaisesRegex(AttributeError, "'concat'"):
            vn.concatenate
        with self.assertRaisesRegex(AttributeError, "'softmax'"):
            vn.sofmax
        self.assertFalse(hasattr(vn, "nothing_like_it"))

    def test_positions(self):
        """Positions and class numbers outside are an IndexError, as for x[7], in every function that takes them; inside a captured function they have no values."""
        x, at = vn.ones(3), lambda *n: vn.asarray(n)
        table, logits = vn.ones((3, 2)), vn.ones((2, 3))
        for f in (lambda i: x[i], lambda i: vn.take(x, i), lambda i: vn.take_along_axis(x, i, axis=0), lambda i: vn.put_along_axis(x, i, x[:1]), lambda i: vn.gather_nd(x, i[:, None]),
                  lambda i: vn.scatter_nd(x, i[:, None], x[:1]), lambda i: vn.embedding(i, table), lambda i: vn.index_add(x, i, x[:1], axis=0), lambda i: vn.index_set(x, i, x[:1], axis=0),
                  lambda i: vn.searchsorted(x[:1], x, sorter=i), lambda i: vn.one_hot(i, 3), lambda i: vn.cross_entropy(logits[:1], i), lambda i: vn.nll_loss(logits[:1], i)):
            for wrong in (at(7), at(-9), at(3) + 4):
                self.assertRaises(IndexError, f, wrong)
            self.assertEqual(vn.isfinite(f(at(0)).astype("float32")).all().item(), True)
        with self.assertRaisesRegex(IndexError, r"gather_nd: index\[1, 0\] is 5; there are 3"):
            vn.gather_nd(x, vn.asarray([[0], [5]]))
        self.assertEqual(vn.jit(lambda i: vn.take_along_axis(x, i, axis=0))(at(1)).tolist(), [1])

    def test_flags(self):
        x = vn.ones((2, 3))
        for wrong in ("no", 2, -1, 0.5, None, [], [True], object()):
            if wrong is not None:
                self.assertRaisesRegex(TypeError, "keepdims is True or False", vn.sum, x, keepdims=wrong)
        for right in (True, 1, vn.asarray(True)) + (() if numpy is None else (numpy.bool_(True),)):
            self.assertEqual(vn.sum(x, keepdims=right).shape, (1, 1))
        net = vn.nn.linear(3, 1)
        self.assertRaises(TypeError, net.fit, x, x[:, :1], shuffle="no")
        self.assertRaises(TypeError, net.fit, x, x[:, :1], allow_nonfinite=3)

    def test_messages_are_pythons(self):
        """Messages name what Python users call, not the C functions behind it."""
        x, net = vn.asarray([1.0, 2.0]), vn.nn.linear(2, 1)
        rule = vn.custom_gradient(lambda v: v * 1)
        rule.gradient(lambda v, y, ct: vn.ones(7))
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "other")
            vn.nn.linear(3, 1).save(file)
            for bad, wanted in ((lambda: vn.asarray([1j]).astype("float32"), "vinea.real"), (lambda: vn.random.normal(0, 1, (2,), key=x), "vinea.random.key"),
                                (lambda: vn.grad(lambda v: v.sum())(vn.asarray([1j])), "vinea.real"), (lambda: vn.jacobian(lambda v: v * 1j)(x), "vinea.jacobian"),
                                (lambda: vn.hessian(lambda v: v)(x), "vinea.hessian"), (lambda: vn.jit(lambda v: v.item())(vn.asarray(1.0)), "vinea.jit"),
                                (lambda: net(vn.ones((2, 5))), "Linear: x has shape"), (lambda: net.fit(vn.ones((4, 2)), vn.ones(5)), "the data: x has 4 rows"), (lambda: net.load(file), "^load: "),
                                (lambda: net.freeze("nope"), "^freeze: "), (lambda: setattr(vn.nn.sgd(0.1), "lr", -1), "^lr: "), (lambda: vn.nn.sgd(0.1).configure(accumulate=-2), "accumulate="),
                                (lambda: vn.grad(lambda v: rule(v).sum())(x), "the rule gives shape 7")):
                with self.assertRaises((TypeError, ValueError)) as found:
                    bad()
                self.assertRegex(str(found.exception), wanted)
                self.assertNotRegex(str(found.exception), r"\bvn_|_of:|module_|fn_call|callback:|checkpoint_|optim_")
            self.assertRaises(FileNotFoundError, net.load, os.path.join(folder, "none"))
            self.assertRaises(FileNotFoundError, net.save, os.path.join(folder, "none", "file"))

    def test_huge(self):
        for shape in ((2**40, 2**40), (2**62,), (2**31, 2**31, 2**31)):
            with self.assertRaises((ValueError, MemoryError)):
                vn.zeros(shape).eval()
        with self.assertRaises((ValueError, MemoryError)):
            vn.zeros((2**50,)).tolist()

    def test_odd_objects(self):
        self.assertRaises(KeyboardInterrupt, vn.zeros, (Odd(),))
        self.assertRaises((ValueError, ZeroDivisionError, KeyboardInterrupt), vn.asarray, Odd())
        cyclic = [1]
        cyclic.append(cyclic)
        self.assertRaises((ValueError, RecursionError), vn.asarray, cyclic)
        self.assertRaises(ValueError, vn.tree.flatten, cyclic)
        loop = {"w": vn.ones(2)}
        loop["again"] = loop
        for f in (lambda: vn.nn.sgd(0.1).step(loop, loop), lambda: vn.grad(lambda p: p["w"].sum())(loop), lambda: vn.jit(lambda p: p["w"])(loop)):
            with self.assertRaisesRegex(ValueError, "contains itself"):
                f()
        with self.assertRaisesRegex(TypeError, "constant of the program and must be hashable"):
            vn.jit(lambda x, s: x)(vn.ones(2), {1, 2})
        for weights in ([0.0, 0.0], [1.0, -1.0], [1.0, float("nan")]):
            self.assertRaises(ValueError, vn.random.multinomial, weights, 3)
        self.assertEqual(vn.random.multinomial([0.0, 1.0], 3).tolist(), [1, 1, 1])
        deep = 1
        for _ in range(50):
            deep = [deep]
        self.assertRaises(ValueError, vn.asarray, deep)

    def test_callbacks(self):
        x = vn.asarray([1.0, 2.0])

        def stop(*unused):
            raise KeyboardInterrupt

        for call in (lambda: vn.grad(stop)(x), lambda: vn.jacobian(stop)(x), lambda: vn.vjp(stop, x, x), lambda: vn.jvp(stop, x, x), lambda: vn.jit(stop)(x)):
            self.assertRaises(KeyboardInterrupt, call)
            self.assertEqual((x + 1).tolist(), [2, 3])
        self.assertRaises(TypeError, lambda: vn.jacobian(lambda v: 3)(x))
        self.assertRaises(ValueError, lambda: vn.grad(lambda v: v)(x))
        self.assertRaises(ValueError, lambda: vn.grad(lambda v: 3)(x))
        self.assertRaises(TypeError, lambda: vn.grad(lambda v: vn.sum(v))(vn.asarray([1])))

        @vn.custom_gradient
        def f(v):
            return v * 1

        self.assertRaises(TypeError, f, x)
        f.gradient(stop)
        self.assertRaises(KeyboardInterrupt, lambda: vn.grad(lambda v: vn.sum(f(v)))(x))

    def test_dlpack_arguments(self):
        x = vn.ones(3)
        for options in ({"max_version": [1, 0]}, {"max_version": "a"}, {"max_version": (1,)}, {"max_version": ("a", 0)}, {"dl_device": "x"}, {"dl_device": [1, 0]}, {"dl_device": 1}):
            with self.subTest(options=options), self.assertRaisesRegex(TypeError, next(iter(options))):
                x.__dlpack__(**options)

    def test_fit_validation(self):
        net = vn.nn.linear(1, 1)
        for bad in ([vn.ones((2, 1)), vn.ones((2, 1))], "ab", (vn.ones((2, 1)),)):
            with self.subTest(), self.assertRaisesRegex(TypeError, "validation"):
                net.fit(vn.ones((2, 1)), vn.ones((2, 1)), epochs=1, validation=bad)

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_elements_without_dtype(self):
        day = numpy.datetime64("2020-01-01")
        for x in (day, day - day, numpy.array([day]), numpy.array(day), numpy.array([day - day]), numpy.array([object()]), numpy.array([1, 2], dtype=object), numpy.array(["a"]), numpy.str_("a"),
                  numpy.void(b"ab"), numpy.array([(1, 2.0)], dtype="i4,f4"), numpy.longdouble(1)):
            with self.subTest(x=x):
                self.assertRaises(TypeError, vn.asarray, x)
                self.assertRaises(TypeError, lambda: vn.exp(x))
        self.assertEqual([vn.asarray(numpy.float32(2)).item(), vn.asarray(numpy.int8(-2)).item(), vn.asarray(numpy.bool_(True)).item(), vn.asarray(bytearray(b"ab")).tolist()], [2, -2, True, [97, 98]])

    def test_the_integer_that_means_zero_in_c(self):
        """-2^63, VN_ZERO, must not be taken for 0."""
        x = vn.ones((2, 2))
        for f in (lambda: vn.tril(x, -(2**63)), lambda: vn.sum(x, axis=-(2**63)), lambda: vn.sum(x, axis=(0, -(2**63))), lambda: vn.topk(x, -(2**63))):
            with self.assertRaisesRegex(ValueError, r"-2\^63"):
                f()
        self.assertEqual(vn.arange(-(2**63), -(2**63) + 2).tolist(), [-(2**63), -(2**63) + 1])  # values may be that
        self.assertEqual(vn.full((1,), -(2**63)).tolist(), [-(2**63)])

    def test_integers_beyond_64_bits(self):
        for size in (10**30, -(10**30), 2**63):
            for f in (lambda: vn.zeros((2, size)), lambda: vn.ones(size), lambda: vn.sum(vn.ones(2), axis=size), lambda: vn.broadcast_to(vn.ones(1), (size,)), lambda: vn.topk(vn.ones(3), size)):
                with self.assertRaisesRegex(ValueError, "64 bits"):
                    f()
            with self.assertRaisesRegex(IndexError, "64 bits|out of"):
                vn.ones((2, 2))[0, size]
            with self.assertRaises(IndexError):
                vn.ones(2)[size]


if __name__ == "__main__":
    unittest.main()
