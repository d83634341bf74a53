"""Modules by composition and by subclassing, optimizers, schedules, training, files."""
# ctest: seconds 3
# ctest: sanitize
import collections
import copy
import dataclasses
import gc
import inspect
import os
import pathlib
import pickle
import sys
import tempfile
import unittest

import vinea as vn


class Net(vn.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.first = vn.nn.linear(2, width)
        self.rest = [vn.nn.linear(width, width), vn.nn.linear(width, 1)]
        self.scale = vn.nn.Parameter(vn.ones(1))
        self.width = width

    def forward(self, x, shift=0):
        x = vn.tanh(self.first(x))
        for layer in self.rest:
            x = layer(x)
        return x * self.scale + shift


def data(n=64):
    x = vn.random.uniform(-1, 1, (n, 2), key=vn.random.key(1))
    return x, x[:, :1] * x[:, 1:]


class Networks(unittest.TestCase):
    def setUp(self):
        vn.random.seed(1)

    def test_minimize(self):
        """A step by a function, which line searches need."""
        loss = lambda p: vn.sum((p["w"] - 3) ** 2) + vn.sum(p["rest"][0] ** 2)
        for make in (lambda: vn.nn.backtracking(vn.nn.sgd(1.0)), lambda: vn.nn.zoom("sgd(1.0)"), lambda: vn.nn.lbfgs(), lambda: vn.nn.adam(0.5)):
            p, optimizer = {"w": vn.ones(2), "rest": [vn.ones(1)]}, make()
            losses = [optimizer.minimize(loss, p).item() for _ in range(6)]
            self.assertEqual(losses[0], 9)
            self.assertLess(losses[-1], 1, optimizer)
        before = p["w"].tolist()
        alone, sgd = vn.ones(2), vn.nn.sgd(0.5)  # an array is a tree of one leaf
        sgd.step(alone, vn.ones(2))
        self.assertEqual((alone.tolist(), sgd.minimize(lambda w: vn.sum(w * w), alone).item(), alone.tolist()), ([0.5, 0.5], 0.5, [0, 0]))
        for odd in (3, None, "text", (x for x in [alone]), vn.nn.linear(2, 1)):
            self.assertRaisesRegex(TypeError, "nested dicts", sgd.minimize, lambda w: w, odd)

        def fails(p):
            raise KeyError("mine")

        self.assertRaises(KeyError, optimizer.minimize, fails, p)
        self.assertRaises(TypeError, optimizer.minimize, lambda p: 3.0, p)
        self.assertRaises(ValueError, optimizer.minimize, lambda p: p["w"], p)
        self.assertRaisesRegex(ValueError, "minimize", vn.nn.zoom("sgd(1.0)").step, p, p)
        self.assertEqual(p["w"].tolist(), before)

    def test_layers(self):
        layer = vn.nn.linear(3, 2, w_init="ones", no_bias=True)
        self.assertEqual(layer(vn.asarray([[1.0, 2.0, 3.0]])).tolist(), [[6, 6]])
        self.assertEqual({k: v.shape for k, v in vn.nn.conv2d(1, 4, (3, 3)).variables().items()}, {"b": (1, 1, 1, 4), "w": (3, 3, 1, 4)})
        self.assertEqual(vn.nn.linear(in_=3, out=2).variables()["b"].tolist(), [0, 0])
        self.assertRaises(TypeError, vn.nn.linear, 3)
        self.assertRaises(ValueError, vn.nn.linear, 3, -2)
        self.assertTrue(vn.nn.linear.__text_signature__.startswith("(in_, out"))
        self.assertRaises(ValueError, layer, vn.ones((2, 5)))

    def test_subclass(self):
        x, y = data()
        net = Net()
        self.assertEqual(net(x).shape, (64, 1))
        self.assertEqual((net(x, shift=1) - net(x)).mean().item(), 1)
        self.assertEqual(set(net.variables()), {"first/w", "first/b", "rest_0/w", "rest_0/b", "rest_1/w", "rest_1/b", "scale"})
        self.assertEqual((net.width, net.scale.shape, len(net.parameters())), (8, (1,), 7))
        self.assertIn("Net", repr(net))
        self.assertIn("Linear", net.summary(x))
        self.assertRaises(AttributeError, lambda: net.nothing)
        optimizer = vn.nn.adam(1e-2).configure(clip_norm=1.0)
        losses = []
        for _ in range(60):
            loss, grads = net.value_and_grad(lambda: vn.mse_loss(net(x), y))
            optimizer.step(net, grads)
            losses.append(loss.item())
        self.assertLess(losses[-1], losses[0] / 2)
        self.assertEqual((optimizer.steps, set(grads.dict())), (60, set(net.variables())))

    def test_containers(self):
        """Modules in lists and dicts are part of a network, also those that come later; none is left out in silence."""

        class Deep(vn.nn.Module):
            def __init__(self):
                self.blocks, self.heads = [], {"a": vn.nn.linear(2, 1)}
                for _ in range(2):
                    self.blocks.append(vn.nn.linear(2, 2))

            def forward(self, x):
                for block in self.blocks:
                    x = block(x)
                return self.heads["a"](x)

        net = Deep()
        self.assertEqual({k.split("/")[0] for k in net.variables()}, {"blocks_0", "blocks_1", "heads_a"})
        inner = vn.nn.Sequential(Deep(), vn.nn.linear(1, 1))
        x, y = data()
        self.assertEqual(len(inner.variables()), 8)
        late = Deep()
        late.blocks.append(vn.nn.linear(2, 2))
        loss, grads = late.value_and_grad(lambda: vn.mse_loss(late(x), y))
        self.assertEqual(len(grads.dict()), 8)

    def test_networks_of_networks(self):
        """All that is below a network of networks is part of it before the first call."""
        nested = lambda: vn.nn.Sequential(vn.nn.Sequential(Net(), vn.nn.dropout(0.5)), vn.nn.linear(1, 1))
        x, y = data()
        called = nested()
        called(x)
        names = called.variables().keys()
        self.assertEqual(len(names), 9)
        self.assertEqual(nested().variables().keys(), names)
        self.assertEqual(nested().state_dict().keys(), names)
        self.assertEqual(repr(nested()).count("Linear"), 4)
        net = nested()
        loss, grads = net.value_and_grad(lambda: vn.mse_loss(net(x), y))
        self.assertEqual(grads.dict().keys(), names)
        net = nested()
        net.load_state_dict(called.state_dict())
        self.assertEqual(net.eval()(x).tolist(), called.eval()(x).tolist())
        net = nested().eval()
        self.assertEqual(net(x).tolist(), net(x).tolist())
        net = nested()
        net.freeze("layers_0")
        self.assertEqual(len(net.value_and_grad(lambda: vn.mse_loss(net(x), y))[1].dict()), 2)
        for use in (lambda net: net.fit(x, y, epochs=1), lambda net: net.evaluate(x, y), lambda net: net.predict(x), lambda net: net.regularize("layers_1/w", "l2(0.1)")):
            net = nested()
            use(net)
            self.assertEqual(net.variables().keys(), names)
        net = nested()
        net.regularize("layers_0/layers_0/first/w", "l2(0.1)")
        self.assertGreater(net.penalty().item(), 0)
        self.assertEqual(len(vn.nn.Sequential(vn.nn.Sequential(vn.nn.batch_norm1d(2))).buffers()), len(vn.nn.batch_norm1d(2).buffers()))

        class Unused(vn.nn.Module):
            def __init__(self):
                self.used, self.other = vn.nn.linear(2, 2), vn.nn.Sequential(vn.nn.linear(2, 2))

            def forward(self, x):
                return self.used(x)

        net = vn.nn.Sequential(Unused())
        net(x)
        self.assertEqual(len(net.variables()), 4)

    def test_nested_containers(self):
        """Modules are part of a network at any depth of its containers; where they would not be, that is an error."""
        linear = lambda: vn.nn.linear(2, 2)
        pair = dataclasses.make_dataclass("Pair", ["a", "b"])

        class Any(vn.nn.Module):
            def __init__(self, **given):
                for name, value in given.items():
                    setattr(self, name, value)

            def forward(self, x):
                return x

        m = linear()
        for given, names in (({"l": [[linear()], (linear(),)]}, {"l_0_0", "l_1_0"}), ({"d": {"a": [linear()], "b": {"c": linear()}}}, {"d_a_0", "d_b_c"}),
                             ({"_l": [linear()]}, {"l_0"}), ({"p": pair(linear(), [linear()])}, {"p_a", "p_b_0"}), ({"a": m, "l": [[m]]}, {"a"})):
            self.assertEqual({k.split("/")[0] for k in Any(**given).variables()}, names)
        around = [linear()]
        around.append(around)
        self.assertEqual(len(Any(a=around).variables()), 2)
        for given in ({"l": collections.deque([linear()])}, {"l": [{linear()}]}, {"_l": [collections.deque([linear()])]}, {"p": {"a": vn.nn.Parameter(vn.ones(1))}},
                      {"_p": [vn.nn.Parameter(vn.ones(1))]}, {"w": [[vn.ones(1)]]}, {"w": pair(vn.ones(1), 0)}, {"w": collections.deque([vn.ones(1)])}):
            self.assertRaisesRegex(TypeError, f"Any.{next(iter(given))} ", Any, **given)
        self.assertRaisesRegex(ValueError, "a_b_0", Any(a={"b_0": linear(), "b": [linear()]}).variables)
        net = Any(a=linear(), l=[linear()], _kept=[[vn.ones(1)]], words=["a"] * 3, names={"x", "y"})
        net.variables()
        net.order = [net.l[0], net.a]  # parts of it in another place
        net.order = [net.a]
        self.assertEqual(len(net.variables()), 4)
        net.l.append(linear())
        self.assertRaisesRegex(RuntimeError, "Any.l", net, vn.ones((1, 2)))

    def test_parts_stay_what_they_are(self):
        for built in (False, True):
            net = Net()
            if built:
                net.variables()
            for value in (3.0, None, [1.0], "a", vn.nn.linear(1, 1)):
                with self.assertRaises((TypeError, RuntimeError)):
                    net.scale = value
            with self.assertRaises(TypeError):
                net.first = 3
            class Foreign:  # an array of another library
                __dlpack__ = vn.asarray([5.0]).__dlpack__
                __dlpack_device__ = vn.asarray([5.0]).__dlpack_device__

            net.scale = Foreign()
            self.assertEqual((net.scale.tolist(), net.variables()["scale"].tolist()), ([5], [5]))
            net.scale = vn.asarray([2.0])
            self.assertEqual(net.variables()["scale"].tolist(), [2])
            net.plain = 3
            net.plain = 4
            self.assertEqual(net.plain, 4)
        net = Net()
        net.late = None
        net.late = vn.nn.Parameter(vn.ones(1))
        self.assertEqual((net.late.tolist(), "late" in net.variables()), ([1], True))

    def test_progress_without_stderr(self):
        x, y = data()
        kept, sys.stderr = sys.stderr, None  # as in a program without a console
        try:
            self.assertEqual(Net().fit(x, y, epochs=1, progress=True)["stop"], "done")
        finally:
            sys.stderr = kept

    def test_before_the_first_call(self):
        net = Net()
        net.freeze("first")
        self.assertEqual(net.value_and_grad(lambda: net(data()[0]).sum())[1].dict().keys() & {"first/w", "first/b"}, set())
        other = Net()
        other.unfreeze()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net"
            other = Net()
            other.save(path)
            net.load(path)
        self.assertEqual(net.variables()["rest_0/w"].tolist(), other.variables()["rest_0/w"].tolist())

    def test_parameters_get_values(self):
        net, (x, _) = Net(), data()
        net.scale = vn.nn.Parameter(vn.zeros(1))
        self.assertEqual(net(x).sum().item(), 0)
        for value in (vn.nn.Parameter(vn.asarray([2.0])), vn.asarray([3.0])):  # a network that has been called
            net.scale = value
            self.assertEqual(net.variables()["scale"].tolist(), getattr(value, "value", value).tolist())
            self.assertNotEqual(net(x).sum().item(), 0)
        with self.assertRaises(ValueError):
            net.scale = vn.zeros(5)

    def test_parameters_before_the_first_call(self):
        net, (x, _) = Net(), data()
        self.assertEqual(net.scale.tolist(), [1])
        net.scale[0] = 7
        self.assertEqual((net.scale.tolist(), net.variables()["scale"].tolist()), ([7], [7]))
        net.scale[0] = 8  # and after it
        self.assertEqual((net.scale.tolist(), net.variables()["scale"].tolist()), ([8], [8]))
        before = net(x).tolist()
        net.scale *= 2
        net.variables()["scale"][...] *= 2
        self.assertEqual(net(x).tolist(), (4 * vn.asarray(before)).tolist())
        _, grads = net.value_and_grad(lambda: net(x).sum())
        self.assertAlmostEqual(grads.dict()["scale"].item(), vn.asarray(before).sum().item() / 8, 3)
        mine = vn.ones(1)
        other = Net()
        other.scale = vn.nn.Parameter(mine)
        _, grads = other.value_and_grad(lambda: vn.mse_loss(other(x), x[:, :1] + 3))
        vn.nn.sgd(0.5).step(other, grads)
        self.assertEqual(mine.tolist(), [1])  # training changes the parameter, not the array that it was made of
        self.assertNotEqual(other.scale.tolist(), [1])

    def test_arrays_that_would_not_be_trained(self):
        net = Net()
        for value in (vn.ones(3), [vn.ones(3)], {"a": vn.ones(3)}):
            with self.assertRaisesRegex(TypeError, r"Net.w would not be trained.*Parameter"):
                net.w = value
        net.late = []
        net.late.append(vn.ones(3))
        self.assertRaisesRegex(TypeError, "Net.late", net, data()[0])
        self.assertIn("Net", repr(net))
        net = Net()
        net._w, net.labels = vn.ones(3), vn.asarray([1, 2])  # what is meant not to be
        self.assertEqual((net._w.tolist(), net.labels.tolist(), net(data()[0]).shape), ([1, 1, 1], [1, 2], (64, 1)))
        with self.assertRaisesRegex(RuntimeError, "Net.first"):
            net.first = vn.nn.linear(2, 8)

    def test_pickle(self):
        x, y = data()
        norm = vn.nn.Sequential(vn.nn.linear(2, 3), vn.nn.batch_norm1d(3))
        norm(x * 3)
        for net in (Net(), vn.nn.linear(2, 1), norm, vn.nn.conv2d(1, 2, (3, 3))):
            if isinstance(net, Net):
                net.value_and_grad(lambda: vn.mse_loss(net(x), y))
                net.freeze("first")
            net.eval()
            for other in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net)):
                given = vn.ones((1, 5, 5, 1)) if len(net.variables()) and "conv" in repr(net).lower() else x
                self.assertEqual((other(given).tolist(), other.training, other._frozen()), (net(given).tolist(), False, net._frozen()))
                self.assertEqual({k: v.tolist() for k, v in other.buffers().items()}, {k: v.tolist() for k, v in net.buffers().items()})
                first = next(iter(other.variables()))
                other.variables()[first][...] = 3.0
                self.assertNotEqual(other.variables()[first].tolist(), net.variables()[first].tolist())  # its own memory

    def test_copies_stay_on_their_engine(self):
        if not vn.engines().get("numpy", {}).get("available"):
            self.skipTest("the numpy engine is not available")

        class Net(vn.nn.Module):
            def __init__(self):
                self.first = vn.nn.linear(2, 3)
                self.norm = vn.nn.batch_norm1d(3)
                self.scale = vn.nn.Parameter(vn.ones(3))

            def forward(self, x):
                return self.norm(self.first(x)) * self.scale

        with vn.use("numpy"):
            net, chain = Net().eval(), vn.nn.Sequential(vn.nn.linear(2, 3), vn.nn.batch_norm1d(3)).eval()
            x = vn.ones((1, 2))
            want = [m(x).tolist() for m in (net, chain, chain.layers[0])]
        made = [copy.deepcopy(net), pickle.loads(pickle.dumps(chain)), copy.deepcopy(chain.layers[0])]
        for m in made:
            self.assertEqual({v.engine for v in (*m.parameters(), *m.buffers().values())}, {"numpy"})
        self.assertEqual([m(x).tolist() for m in made], want)

    def test_optimizers_compose(self):
        made = vn.nn.chain(vn.nn.updates.clip_by_global_norm(1.0), vn.nn.lookahead(vn.nn.sgd(0.5), period=3))
        self.assertEqual(str(made), "chain(clip_by_global_norm(1), lookahead(sgd(0.5), period=3))")
        p = {"w": vn.asarray([3.0, 4.0])}
        made.step(p, {"w": vn.asarray([3.0, 4.0])})
        self.assertTrue(vn.allclose(p["w"], vn.asarray([2.7, 3.6])))
        self.assertEqual(str(vn.nn.groups(vn.nn.masked("sgd(0.1)", "*b"), "adam")), "groups(masked(sgd(0.1), *b), adam(0.001))")
        self.assertRaises(ValueError, vn.nn.chain, "adma")

    def test_optimizers_that_need_the_loss(self):
        """It is part of a module's gradients; beside those of a tree it is given by name."""
        x = vn.asarray([[1.0, 2.0], [3.0, -1.0]])
        for make in (vn.nn.momo, vn.nn.momo_adam, vn.nn.polyak_sgd):
            net, optimizer, other = vn.nn.linear(2, 1), make(0.1), make(0.1)
            p = {name: v.copy() for name, v in net.variables().items()}
            for _ in range(3):
                loss, g = net.value_and_grad(lambda: (net(x) ** 2).mean())
                value, grads = vn.value_and_grad(lambda p: ((x @ p["w"].T + p["b"]) ** 2).mean())(p)
                with self.assertRaisesRegex(ValueError, r"carry no loss; step\(parameters, gradients, loss=loss\) gives it$"):
                    other.step(p, grads)
                optimizer.step(net, g)
                other.step(p, grads, loss=value)
                for name, v in net.variables().items():
                    self.assertTrue(vn.allclose(v, p[name], rtol=1e-6), (make, name))
            with vn.no_grad():
                other.step(p, grads, loss=float(value))
        z = {"w": vn.ones(2, dtype="float64")}
        vn.nn.sgd(0.5).step(z, {"w": vn.ones(2, dtype="float64")}, loss=1.0)
        self.assertEqual(z["w"].tolist(), [0.5, 0.5])
        with self.assertRaises(TypeError):
            vn.nn.sgd(0.5).step(z, z, los=1.0)

    def test_optimizers_are_pickled(self):
        def steps(optimizer, p, n):
            for _ in range(n):
                optimizer.step(p, {"w": p["w"] * 0.5, "b": [p["b"][0] - 1]})
            return [x.tolist() for x in vn.tree.leaves(p)]

        new = lambda: {"w": vn.asarray([1.0, -2.0]), "b": [vn.asarray(3.0)]}
        nn = vn.nn
        for make in (lambda: nn.sgd(0.1, momentum=0.9), lambda: nn.adam(0.01), lambda: nn.chain(nn.updates.clip_by_global_norm(1), nn.adamw(0.1)),
                     lambda: nn.adam(0.1).configure(clip_norm=0.5, accumulate=2), lambda: nn.sgd(0.1).configure(clip_value=0.25, schedule=nn.cosine(0.1, 0.01, 10), warm_up=3)):
            a, p = make(), new()
            steps(a, p, 3)
            for again in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
                self.assertEqual((str(again), again.steps, again.lr), (str(a), a.steps, a.lr))
                self.assertEqual(steps(again, copy.deepcopy(p), 3), steps(copy.deepcopy(a), copy.deepcopy(p), 3))
            b = make()
            b.state = a.state
            self.assertEqual(steps(b, copy.deepcopy(p), 3), steps(a, p, 3))

    def test_optimizer_state(self):
        adam, w = vn.nn.adam(0.5), vn.ones(2)
        self.assertEqual((repr(adam), adam.state["steps"], adam.state["rate"]["lr"]), ("adam(0.5)", 0, 0.5))
        adam.step([w], [w * 2])
        state = adam.state
        before = state["m"]["0"].tolist()
        self.assertEqual(before, vn.asarray([0.2, 0.2]).tolist())
        adam.step([w], [w * 2])
        self.assertEqual((state["steps"], state["m"]["0"].tolist(), adam.state["steps"]), (1, before, 2))
        for bad, error in ((3, TypeError), ({}, ValueError), ({**state, "x": vn.ones(1)}, ValueError), ({**state, "steps": "one"}, TypeError), ({**state, "steps": -1}, ValueError)):
            with self.assertRaises(error):
                adam.state = bad
        self.assertEqual(adam.state["steps"], 2)

    def test_parameters_to_use(self):
        """Of optimizers that average, in the structure of the parameters; the others have none."""
        o, p, seen = vn.nn.schedule_free(vn.nn.sgd(0.5)), {"w": vn.ones(2), "a": [vn.zeros(1)]}, []
        for _ in range(3):
            o.step(p, {"w": vn.ones(2), "a": [2 * vn.ones(1)]})
            seen.append(p["w"][0].item())
        used = o.eval_params(p)
        self.assertEqual(vn.tree.structure(used), vn.tree.structure(p))
        self.assertTrue(min(seen) < used["w"][0].item() < 1 and used["a"][0].item() < 0)
        net = vn.nn.Sequential(vn.nn.linear(2, 1))
        _, grads = net.value_and_grad(lambda: vn.sum(net(vn.ones((1, 2)))))
        o = vn.nn.schedule_free_sgd(0.1)
        o.step(net, grads)
        self.assertEqual([*o.eval_params(net)], [*net.variables()])
        self.assertRaisesRegex(ValueError, "averages nothing", vn.nn.adam(0.1).eval_params, p)
        self.assertRaises(TypeError, o.eval_params, 3)

    def test_loss_scale(self):
        o, p = vn.nn.loss_scale(vn.nn.sgd(0.5), initial=8), {"w": vn.ones(2)}
        loss, grads = vn.value_and_grad(lambda p: vn.sum(p["w"]) * o.loss_scale.astype("float32"))(p)
        self.assertEqual((o.loss_scale.item(), loss.item(), grads["w"].tolist()), (8, 16, [8, 8]))
        o.step(p, grads)
        self.assertEqual(p["w"].tolist(), [0.5, 0.5])
        o.step(p, {"w": vn.asarray([vn.inf, 1])})
        self.assertEqual((p["w"].tolist(), o.loss_scale.item()), ([0.5, 0.5], 4))
        self.assertFalse(hasattr(vn.nn.sgd(0.5), "loss_scale"))

    def test_normalization_adapts(self):
        layer = vn.nn.normalization(2)
        layer.adapt([[1.0, 2.0], [3.0, 6.0]])
        self.assertEqual(layer([[1.0, 2.0], [3.0, 6.0]]).tolist(), [[-1, -1], [1, 1]])
        self.assertRaisesRegex(ValueError, "^adapt: .*Linear", vn.nn.linear(2, 1).adapt, vn.ones((2, 2)))
        self.assertRaises(TypeError, layer.adapt, "a")

    def test_state_dict(self):
        make = lambda n=3: vn.nn.Sequential(vn.nn.linear(2, n), vn.nn.batch_norm1d(n))
        net, other, x = make(), make(), vn.random.normal(0, 1, (8, 2))
        net(x)
        state = net.state_dict()
        self.assertEqual({*state}, {*net.variables(), *net.buffers()})
        net.variables()["layers_0/w"][...] = 0
        self.assertNotEqual(state["layers_0/w"].tolist(), [[0, 0]] * 3)  # copies
        other.load_state_dict(state)
        self.assertEqual({k: v.tolist() for k, v in other.state_dict().items()}, {k: v.tolist() for k, v in state.items()})
        before = other.eval()(x).tolist()
        for wrong, text in (({"a": 1.0}, "lacks 'layers_0/b'.* and has 'a'"), ({**state, "more": 1.0}, "has 'more'"), (make(4).state_dict(), r"'layers_0/\w' has the shape \(4"), ({**state, "layers_0/w": vn.ones(1)}, "shape")):
            self.assertRaisesRegex(ValueError, text, other.load_state_dict, wrong)
        for wrong in (3, [*state], {**state, "layers_0/w": "a"}, {**state, "layers_1/running_mean": vn.asarray([1j, 1j, 1j])}):
            self.assertRaises(TypeError, other.load_state_dict, wrong)
        self.assertEqual(other(x).tolist(), before)
        other.load_state_dict({path: value.to("native").astype("float64").tolist() for path, value in state.items()})
        self.assertEqual((other.state_dict()["layers_0/w"].dtype, other(x).tolist()), (vn.float32, before))

    def test_optimizers_leave_other_arrays(self):
        """Views and copies taken before a step keep their values."""
        w = vn.ones(2)
        others = w[...], w[:], vn.asarray(w, copy=True), w.reshape(2)
        vn.nn.sgd(1.0).step({"w": w}, {"w": vn.ones(2)})
        self.assertEqual((w.tolist(), [o.tolist() for o in others]), ([0, 0], [[1, 1]] * 4))

    def test_losses_and_metrics(self):
        p, t = vn.asarray([[0.0, 2.0], [3.0, 1.0]]), vn.asarray([1, 1])
        self.assertAlmostEqual(vn.nn.losses.cross_entropy(p, t).item(), vn.cross_entropy(p, t).mean().item(), 5)
        self.assertEqual(vn.nn.losses.huber(vn.asarray([3.0]), vn.asarray([0.0]), delta=2).item(), 4)
        self.assertEqual((vn.nn.metrics.accuracy(p, t), vn.nn.metrics.top(p, t, k=2)), (0.5, 1))
        self.assertRaises(TypeError, vn.nn.losses.huber, p, p, beta=2)
        wide, image = vn.arange(12, dtype=vn.float32).reshape(2, 6) / 12, vn.ones((1, 176, 176, 1))  # large enough for five scales
        for group in (vn.nn.losses, vn.nn.metrics):  # every option with its own default, as a value
            for name, f in ((name, getattr(group, name)) for name in group.__all__):
                options = {o.name: o.default for o in inspect.signature(f).parameters.values() if o.kind is o.KEYWORD_ONLY}
                column, rows = vn.asarray([[0.5], [-1.0]]), vn.asarray([[1, 2], [2, 1]])
                for x, target in ((wide, t), (wide, vn.ones((2, 6)) / 2), (column, vn.asarray([1, 0])), (rows, rows), (image, image / 2)):
                    try:
                        expected = float(f(x, target))
                        break
                    except ValueError:  # classes, numbers, yes and no, tokens, images
                        pass
                given = float(f(x, target, **options))
                self.assertTrue(given == expected or given != given and expected != expected, name)
        self.assertEqual(vn.nn.metrics.precision(p, t, average="micro"), 0.5)
        self.assertRaises((TypeError, ValueError), vn.nn.metrics.accuracy, p, vn.ones(7))
        self.assertEqual(vn.grad(lambda v: vn.nn.losses.mse(v, vn.zeros(2)))(vn.ones(2)).tolist(), [1, 1])

    def test_functional(self):
        x, y = data()
        p = {"w": vn.zeros((2, 1)), "b": [vn.zeros(1)]}
        target = x @ vn.asarray([[2.0], [-1.0]]) + 0.5
        loss_of = lambda p: vn.mean((x @ p["w"] + p["b"][0] - target) ** 2)
        sgd = vn.nn.sgd(0.3)
        for _ in range(100):
            loss, grads = vn.value_and_grad(loss_of)(p)
            sgd.step(p, grads)
        self.assertLess(loss.item(), 1e-4)
        self.assertAlmostEqual(p["b"][0].item(), 0.5, 2)

    def test_fit(self):
        x, y = data(200)
        labels = (y[:, 0] > 0).astype("int64")
        with tempfile.TemporaryDirectory() as folder:
            report, file = os.path.join(folder, "r.html"), os.path.join(folder, "net.ckpt")
            net = vn.nn.Sequential(vn.nn.linear(2, 16), vn.nn.tanh(), vn.nn.linear(16, 2))
            events = []
            result = net.fit(x, labels, epochs=30, optimizer=vn.nn.adam(2e-2), validation_split=0.2, metrics="accuracy", report=pathlib.Path(report), callbacks=[events.append])
            self.assertEqual((result["stop"], result["epochs"], len(result["history"])), ("done", 30, 30))
            self.assertGreater(result["history"][-1]["accuracy"], 0.9)
            self.assertEqual({e["moment"] for e in events}, {"begin", "step", "epoch", "end"})
            self.assertIn("<iframe", result._repr_html_())
            self.assertGreater(net.evaluate(x, labels)["accuracy"], 0.85)
            self.assertEqual(net.predict(x).shape, (200, 2))
            net.save(pathlib.Path(file))
            other = vn.nn.Sequential(vn.nn.linear(2, 16), vn.nn.tanh(), vn.nn.linear(16, 2))
            other.load(file)
            self.assertEqual(other(x).tolist(), net(x).tolist())
            self.assertRaises((ValueError, OSError), other.load, os.path.join(folder, "none"))

    def test_weights(self):
        """90 rows of class 0, 10 of class 1, one feature that is always 0: the bias says what was learned."""
        x, y = vn.zeros((100, 1)), (vn.arange(100) % 10 == 0).astype("int64")
        for odds, options in ((9, {}), (3, {"class_weights": [1, 3]}), (1, {"balance": True}), (3, {"sample_weights": 1 + 2 * y})):
            layer = vn.nn.linear(1, 2)
            layer.fit(x, y, epochs=60, batch=100, optimizer=vn.nn.sgd(1.0), **options)
            b = layer.variables()["b"]
            self.assertAlmostEqual(vn.exp(b[0] - b[1]).item(), odds, 3)
        for options in ({"class_weights": [[1, 3]]}, {"class_weights": [1, -3]}, {"sample_weights": [1.0, 2.0]}, {"balance": True, "sample_weights": y}):
            with self.assertRaises(ValueError, msg=options):
                vn.nn.linear(1, 2).fit(x, y, **options)

    def test_part_by_name(self):
        self.assertEqual(str(vn.nn.every(part=vn.nn.sgd(0.1), period=3)), str(vn.nn.every(vn.nn.sgd(0.1), period=3)))
        self.assertRaisesRegex(TypeError, "zoom: part is needed", vn.nn.zoom)

    def test_callbacks(self):
        x, y = data()
        net = vn.nn.Sequential(vn.nn.linear(2, 1))
        self.assertEqual(net.fit(x, y, epochs=5, callbacks=[lambda e: e["moment"] == "epoch" and e["epoch"] == 2])["stop"], "callback")
        self.assertLess(net.fit(x, y, epochs=5, loss=lambda p, t: vn.mean(vn.abs(p - t)))["history"][-1]["loss"], 2)

        def stop(*unused):
            raise KeyboardInterrupt

        self.assertRaises(KeyboardInterrupt, net.fit, x, y, callbacks=[stop])
        self.assertRaises(KeyboardInterrupt, net.fit, x, y, loss=stop)
        self.assertRaises(ValueError, net.fit, x, y, loss="nothing")
        self.assertRaises(TypeError, net.fit, x, y, optimizer=3)
        self.assertRaises(ValueError, net.fit, x, y, optimizer="adma")
        self.assertRaises(ValueError, net.fit, x, y, epochs=0)
        self.assertIn("rmse", net.fit(x, y, epochs=1, optimizer="adam", metrics=["mae", "rmse"])["history"][0])
        with self.assertRaisesRegex(AttributeError, "'linear'"):
            vn.nn.Linear

        class Bad(vn.nn.Module):
            def forward(self, x):
                raise ZeroDivisionError

        self.assertRaises(ZeroDivisionError, Bad(), x)
        self.assertRaises(NotImplementedError, vn.nn.Module(), x)

    def test_schedules(self):
        s = vn.nn.cosine(0.1, steps=10)
        self.assertAlmostEqual(s(0), 0.1)
        self.assertAlmostEqual(s(10), 0)
        o = vn.nn.sgd(1).configure(schedule=s)
        self.assertAlmostEqual(o.lr, 0.1)
        o.lr = 0.5
        self.assertEqual(o.lr, 0.5)
        again = pickle.loads(pickle.dumps(s))
        self.assertEqual((repr(again), again(3)), ("cosine(rate=0.1, steps=10)", s(3)))

    def test_no_leaks(self):
        x, y = data()

        def work():
            net = Net()
            loss, grads = net.value_and_grad(lambda: vn.mse_loss(net(x), y))
            vn.nn.adam(1e-2).step(net, grads)
            del net

        work()
        gc.collect()
        before = vn.memory()["handles"]
        for _ in range(20):
            work()
        gc.collect()
        self.assertLessEqual(vn.memory()["handles"], before + 8)

    def test_modes(self):
        net = vn.nn.Sequential(vn.nn.dropout(0.5))
        x = vn.ones((100,))
        self.assertTrue(net.training and 0 in net(x).tolist())
        self.assertEqual(net.eval()(x).tolist(), [1] * 100)
        layer = vn.nn.linear(2, 1)
        layer.freeze("w")
        _, grads = layer.value_and_grad(lambda: vn.sum(layer(vn.ones((1, 2)))))
        self.assertEqual(set(grads.dict()), {"b"})

    def test_nonfinite(self):
        x, y = vn.asarray([[1.0], [float("nan")]]), vn.asarray([[1.0], [2.0]])

        class Filled(vn.nn.Module):
            def __init__(self):
                super().__init__()
                self.line = vn.nn.linear(1, 1)

            def forward(self, x):
                return self.line(vn.where(vn.isnan(x), 0.0, x))

        net = Filled()
        for call in (lambda **o: net.fit(x, y, epochs=1, **o), lambda **o: net.evaluate(x, y, loss="mse", **o), lambda **o: net.predict(x, **o)):
            with self.assertRaisesRegex(ValueError, "allow_nonfinite"):
                call()
            call(allow_nonfinite=True)

    def test_named_arguments(self):
        """Layers take their other arguments by name; several results are a dict."""
        x = vn.random.uniform(-1, 1, (2, 3, 4))
        lstm = vn.nn.lstm(4, 5)
        out = lstm(x, h=None)
        self.assertEqual({k: v.shape for k, v in out.items()}, {"y": (2, 3, 5), "h": (1, 2, 5), "c": (1, 2, 5)})
        short = lstm(x, lengths=[3, 1])
        self.assertEqual(vn.sum(vn.abs(short["y"][1, 1:])).item(), 0)
        decoder = vn.nn.transformer_decoder_layer(4, 2)
        self.assertEqual(decoder(x, context=vn.ones((2, 6, 4))).shape, (2, 3, 4))
        with self.assertRaisesRegex(ValueError, "arguments are arrays named x, h, lengths, c"):
            lstm(x, hidden=x)

    def test_recurrence(self):
        """Networks over cells of the library and of one's own, which are trained and pickled."""

        class Fading(vn.nn.Module):
            def __init__(self):
                self.rate = vn.nn.Parameter(vn.asarray([0.5]))

            def forward(self, x, total=None):
                total = x if total is None else self.rate * total + x
                return {"y": -total, "total": total}

        x = vn.asarray([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]], dtype=vn.float32)
        net = vn.nn.Recurrence(Fading())
        self.assertEqual(net(x).tolist(), [[-1, -2.5, -5.25]] * 2)
        out = net(x, lengths=[3, 2])
        self.assertEqual(out["y"].tolist(), [[-1, -2.5, -5.25], [-1, -2.5, 0]])
        self.assertEqual(out["total"].tolist(), [5.25, 2.5])
        _, grads = net.value_and_grad(lambda: vn.sum(net(x)))
        self.assertEqual(grads.dict()["cell/rate"].tolist(), [-8])  # 2 (-(1) - (2 + 2 rate))
        steps, layer = vn.nn.Recurrence(vn.nn.gru_cell(4, 5), last_only=True), vn.nn.gru(4, 5, last_only=True)
        x = vn.ones((2, 3, 4))
        for name, value in steps.variables().items():
            layer.variables()[name.removeprefix("cell/")][...] = value
        self.assertTrue(vn.allclose(steps(x), layer(x), atol=1e-6).item())
        again = pickle.loads(pickle.dumps(steps))
        self.assertTrue(vn.allclose(again(x), steps(x)).item())

    def test_html(self):
        """A notebook shows a module's structure and its arrays."""
        net = vn.nn.Sequential(vn.nn.linear(4, 8), vn.nn.batch_norm1d(8))
        text = net._repr_html_()
        for part in ("<pre>Sequential", "layers_0/w", "8 x 4", "running_mean", "buffer", "all parameters", ">56<"):
            self.assertIn(part, text)

        class Later(vn.nn.Module):
            def forward(self, x):
                return x

        self.assertIn("Later", Later()._repr_html_())


if __name__ == "__main__":
    unittest.main()
