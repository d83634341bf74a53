"""peers_workloads.py: the workloads of workloads.c as each framework's users would write them for speed: torch eager with its fused Adam, jax under
jit, tensorflow as tf.function, numpy where it has the function and with hand-written gradients. WORKLOADS[framework]() returns {name: (make, work)}: make() returns the inputs
(or a state), work(inputs) computes one round and returns something to wait for. {"mm:": function} makes such a pair for any size.
"""
import math
import os

CONVS = {  # name -> batch, side, channels in, channels out, spatial axes, groups
    "c56": (8, 56, 64, 64, 2, 1),
    "c28": (32, 28, 128, 128, 2, 1),
    "dw": (8, 56, 128, 128, 2, 128),
    "conv1d": (32, 1024, 64, 128, 1, 1),
    "conv3d": (2, 16, 32, 32, 3, 1),
}


def conv_names():
    for name in CONVS:
        for layout in ("nchw", "nhwc") if name in ("c56", "c28", "dw") else ("",):
            yield name, layout, name + ("_" + layout if layout else "")


def with_sizes(mm, ew, mlp):
    """The workloads that have a size: NAME: is a function of it, and the fixed sizes of workloads.c are entries like any other."""
    fixed = {"mm%d" % n: mm(n) for n in (64, 256, 1024, 2048)} | {"ew1e%d" % e: ew(10**e) for e in (3, 6, 7)} | {"mlp": mlp(128)}
    return {"mm:": mm, "ew:": ew, "mlp:": mlp, **fixed}


def numpy_workloads():
    import numpy as np
    from numpy.lib.stride_tricks import sliding_window_view

    random = np.random.default_rng(0)

    def normal(*shape):
        return random.standard_normal(shape, np.float32)

    def softmax(x):
        e = np.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def layer_norm(x):
        m = x.mean(1, keepdims=True)
        d = x - m
        return d / np.sqrt((d * d).mean(1, keepdims=True) + np.float32(1e-5))

    def adam(s):
        w, g, m, v = s["w"], s["g"], s["m"], s["v"]
        s["t"] += 1
        m *= np.float32(0.9)
        m += np.float32(0.1) * g
        v *= np.float32(0.999)
        v += np.float32(0.001) * g * g
        a = np.float32(1e-3 * math.sqrt(1 - 0.999 ** s["t"]) / (1 - 0.9 ** s["t"]))
        w -= a * m / (np.sqrt(v) + np.float32(1e-7))
        return w

    def attention_both(s):
        q, k, v, ct = s
        p = q @ k.swapaxes(-1, -2)
        p *= np.float32(1 / 8)
        p -= p.max(-1, keepdims=True)
        np.exp(p, out=p)
        p /= p.sum(-1, keepdims=True)
        y = p @ v
        slope = ct @ v.swapaxes(-1, -2)
        slope -= (ct * y).sum(-1, keepdims=True)
        slope *= p
        slope *= np.float32(1 / 8)
        return y, slope @ k, slope.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ ct

    def mlp(n):
        shapes = ((784, 512), (512,), (512, 512), (512,), (512, 10), (10,))
        p = [normal(*s) * np.float32(0.05) if len(s) > 1 else np.zeros(s, np.float32) for s in shapes]
        moments = [{"w": w, "m": np.zeros_like(w), "v": np.zeros_like(w), "t": 0} for w in p]
        return {"p": p, "moments": moments, "x": normal(n, 784), "y": np.eye(10, dtype=np.float32)[np.arange(n) % 10]}

    def train_mlp(s):
        (w1, b1, w2, b2, w3, b3), x, y = s["p"], s["x"], s["y"]
        a = np.maximum(x @ w1 + b1, 0)
        b = np.maximum(a @ w2 + b2, 0)
        z = b @ w3 + b3
        z -= z.max(1, keepdims=True)
        e = np.exp(z)
        total = e.sum(1, keepdims=True)
        loss = -np.mean(((z - np.log(total)) * y).sum(1))
        g3 = (e / total - y) / np.float32(len(x))
        g2 = (g3 @ w3.T) * (b > 0)
        g1 = (g2 @ w2.T) * (a > 0)
        for state, g in zip(s["moments"], (x.T @ g1, g1.sum(0), a.T @ g2, g2.sum(0), b.T @ g3, g3.sum(0))):
            adam(dict(state, g=g))
            state["t"] += 1
        return loss

    def cnn():
        shapes = ((3, 3, 3, 32), (32,), (3, 3, 32, 64), (64,), (3, 3, 64, 128), (128,), (2048, 10), (10,))
        p = [normal(*s) * np.float32(math.sqrt(2 / math.prod(s[:-1]))) if len(s) > 1 else np.zeros(s, np.float32) for s in shapes]
        moments = [{"w": w, "m": np.zeros_like(w), "v": np.zeros_like(w), "t": 0} for w in p]
        return {"p": p, "moments": moments, "x": normal(64, 32, 32, 3), "y": np.eye(10, dtype=np.float32)[np.arange(64) % 10]}

    def block(x, w, b):
        """Convolution, bias, relu and 2 x 2 maxima; with them what the backward pass needs: windows as rows, relu's result in 2 x 2 parts."""
        n, h, _, c = x.shape
        windows = sliding_window_view(np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), (3, 3), (1, 2))
        met = windows.transpose(0, 1, 2, 4, 5, 3).reshape(n * h * h, 9 * c)
        y = met @ w.reshape(9 * c, -1)
        y += b
        np.maximum(y, 0, out=y)
        y = y.reshape(n, h // 2, 2, h // 2, 2, -1)
        rows = np.maximum(y[:, :, 0], y[:, :, 1])
        return np.maximum(rows[:, :, :, 0], rows[:, :, :, 1]), met, y

    def block_back(g, top, met, y, w, to_x):
        """Gradients of w and b, and of x where wanted."""
        n, h, c, made = len(y), 2 * y.shape[1], w.shape[2], w.shape[3]
        g = ((y == top[:, :, None, :, None]) * (g * (top > 0))[:, :, None, :, None]).reshape(-1, made)
        back = None
        if to_x:
            shares = (g @ w.reshape(9 * c, made).T).reshape(n, h, h, 3, 3, c)
            back = np.zeros((n, h + 2, h + 2, c), np.float32)
            for i in range(3):
                for j in range(3):
                    back[:, i : i + h, j : j + h] += shares[:, :, :, i, j]
            back = back[:, 1:-1, 1:-1]
        return (met.T @ g).reshape(w.shape), g.sum(0), back

    def train_cnn(s):
        (c1, b1, c2, b2, c3, b3, w, b), x, y = s["p"], s["x"], s["y"]
        h1, *kept1 = block(x, c1, b1)
        h2, *kept2 = block(h1, c2, b2)
        h3, *kept3 = block(h2, c3, b3)
        flat = h3.reshape(len(x), -1)
        z = flat @ w + b
        z -= z.max(1, keepdims=True)
        e = np.exp(z)
        total = e.sum(1, keepdims=True)
        loss = -np.mean(((z - np.log(total)) * y).sum(1))
        g = (e / total - y) / np.float32(len(x))
        gc3, gb3, g3 = block_back((g @ w.T).reshape(h3.shape), h3, *kept3, c3, True)
        gc2, gb2, g2 = block_back(g3, h2, *kept2, c2, True)
        gc1, gb1, _ = block_back(g2, h1, *kept1, c1, False)
        for state, gradient in zip(s["moments"], (gc1, gb1, gc2, gb2, gc3, gb3, flat.T @ g, g.sum(0))):
            adam(dict(state, g=gradient))
            state["t"] += 1
        return loss

    rows = lambda: normal(4096, 1024)
    all_ = {"bmm": (lambda: (normal(64, 128, 64), normal(64, 64, 128)), lambda s: s[0] @ s[1])}
    all_ |= with_sizes(
        lambda n: (lambda: (normal(n, n), normal(n, n)), lambda s: s[0] @ s[1]),
        lambda n: (lambda: (normal(n), normal(n), normal(n)), lambda s: np.tanh(s[0] * s[1] + s[2]) * np.exp(-s[0] * s[0])),
        lambda n: (lambda: mlp(n), train_mlp),
    )
    all_ |= {
        "sum": (rows, lambda x: x.sum()),
        "sumr": (rows, lambda x: x.sum(1)),
        "mean": (rows, lambda x: x.mean(1)),
        "sdpa_fb": (lambda: [normal(4, 8, 512, 64) for _ in range(4)], attention_both),
        "cnn": (cnn, train_cnn),
        "softmax": (rows, softmax),
        "lnorm": (rows, layer_norm),
        "adam": (lambda: {"w": normal(10**7), "g": normal(10**7), "m": np.zeros(10**7, np.float32), "v": np.zeros(10**7, np.float32), "t": 0}, adam),
        "add1": (lambda: np.ones(1, np.float32), lambda x: x + x),
        "runif": (lambda: None, lambda _: random.random(10**7, np.float32)),
        "rnorm": (lambda: None, lambda _: random.standard_normal(10**7, np.float32)),
    }
    return all_


def torch_workloads():
    import torch
    from torch.nn import functional as F

    torch.set_num_threads(len(os.sched_getaffinity(0)))  # its default leaves out half of a machine's logical cores
    formats = {"nchw": torch.contiguous_format, "nhwc": torch.channels_last, "": torch.contiguous_format}

    def plain(f):
        def work(s):
            with torch.no_grad():
                return f(s)

        return work

    def conv(spec, layout):
        batch, side, inner, outer, axes, groups = spec
        function = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[axes]
        form = torch.channels_last_3d if axes == 3 else formats[layout]

        def make(back):
            x = torch.randn(batch, inner, *[side] * axes)
            w = torch.randn(outer, inner // groups, *[3] * axes)
            if axes > 1:
                x, w = x.to(memory_format=form), w.to(memory_format=form)
            ct = torch.randn(batch, outer, *[side] * axes)
            return x.requires_grad_(back), w.requires_grad_(back), ct.to(memory_format=form) if axes > 1 else ct

        forward = plain(lambda s: function(s[0], s[1], padding=1, groups=groups))

        # the backward call alone, as autograd makes it
        def backward(s):
            with torch.no_grad():
                return torch.ops.aten.convolution_backward(s[2], s[0], s[1], None, [1] * axes, [1] * axes, [1] * axes, False, [0] * axes, groups, [True, True, False])

        return (lambda: make(False), forward), (lambda: make(False), backward)

    def train(model, x, y):
        adam = torch.optim.Adam(model.parameters(), 1e-3, fused=True)

        def step(_):
            adam.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            adam.step()
            return loss

        return step

    def attention(back):
        def work(s):
            y = F.scaled_dot_product_attention(*s[:3])
            return torch.autograd.grad(y, s[:3], s[3]) if back else y

        return (lambda: [torch.randn(4, 8, 512, 64).requires_grad_(back) for _ in range(3)] + [torch.randn(4, 8, 512, 64)], work if back else plain(work))

    def make_adam():
        w = torch.nn.Parameter(torch.randn(10**7))
        w.grad = torch.randn(10**7)
        return torch.optim.Adam([w], 1e-3, fused=True)

    nn = torch.nn
    rows = lambda: torch.randn(4096, 1024)
    block = lambda a, b: [nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    all_ = {"bmm": (lambda: (torch.randn(64, 128, 64), torch.randn(64, 64, 128)), plain(lambda s: s[0] @ s[1]))}
    layers = lambda: nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    all_ |= with_sizes(
        lambda n: (lambda: (torch.randn(n, n), torch.randn(n, n)), plain(lambda s: s[0] @ s[1])),
        lambda n: (lambda: [torch.randn(n) for _ in range(3)], plain(lambda s: torch.tanh(s[0] * s[1] + s[2]) * torch.exp(-s[0] * s[0]))),
        lambda n: (lambda: train(layers(), torch.randn(n, 784), torch.arange(n) % 10), lambda step: step(0)),
    )
    for name, layout, full in conv_names():
        all_[full + "_f"], all_[full + "_b"] = conv(CONVS[name], layout)
    all_ |= {
        "sum": (rows, plain(lambda x: x.sum())),
        "sumr": (rows, plain(lambda x: x.sum(1))),
        "mean": (rows, plain(lambda x: x.mean(1))),
        "softmax": (rows, plain(lambda x: torch.softmax(x, 1))),
        "lnorm": (lambda: (rows(), torch.ones(1024), torch.zeros(1024)), plain(lambda s: F.layer_norm(s[0], (1024,), s[1], s[2]))),
        "sdpa_f": attention(False),
        "sdpa_fb": attention(True),
        "lstm": (lambda: (nn.LSTM(256, 256), torch.randn(64, 32, 256)), plain(lambda s: s[0](s[1])[0])),
        "adam": (make_adam, lambda adam: adam.step()),
        "cnn": (lambda: train(nn.Sequential(*block(3, 32), *block(32, 64), *block(64, 128), nn.Flatten(), nn.Linear(2048, 10)).to(memory_format=torch.channels_last), torch.randn(64, 3, 32, 32).to(memory_format=torch.channels_last), torch.arange(64) % 10), lambda step: step(0)),
        "add1": (lambda: torch.ones(1), plain(lambda x: x + x)),
        "runif": (lambda: None, lambda _: torch.rand(10**7)),
        "rnorm": (lambda: None, lambda _: torch.randn(10**7)),
    }
    return all_


def jax_workloads():
    import jax
    import jax.numpy as jnp

    keys = iter(range(10**9))
    normal = lambda *shape: jax.random.normal(jax.random.key(next(keys)), shape, jnp.float32)
    rows = lambda: normal(4096, 1024)

    def conv(spec, layout):
        batch, side, inner, outer, axes, groups = spec
        spatial = "WHD"[:axes]
        first = layout == "nchw"
        x_shape = (batch, inner, *[side] * axes) if first else (batch, *[side] * axes, inner)
        y_shape = (batch, outer, *[side] * axes) if first else (batch, *[side] * axes, outer)
        w_shape = (outer, inner // groups, *[3] * axes) if first else (*[3] * axes, inner // groups, outer)
        form = ("NC" + spatial, "OI" + spatial, "NC" + spatial) if first else ("N" + spatial + "C", spatial + "IO", "N" + spatial + "C")
        f = jax.jit(lambda x, w: jax.lax.conv_general_dilated(x, w, (1,) * axes, "SAME", dimension_numbers=form, feature_group_count=groups))
        b = jax.jit(lambda x, w, ct: jax.vjp(f, x, w)[1](ct))
        return (lambda: (normal(*x_shape), normal(*w_shape)), lambda s: f(*s)), (lambda: (normal(*x_shape), normal(*w_shape), normal(*y_shape)), lambda s: b(*s))

    def attention(q, k, v):
        p = jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / 8, axis=-1)
        return p @ v

    def attention_both(q, k, v, ct):
        y, back = jax.vjp(attention, q, k, v)
        return y, back(ct)

    def lstm(x, h, c, wi, wr, b):
        def cell(carry, gates):
            h, c = carry
            i, f, g, o = jnp.split(gates + h @ wr, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        return jax.lax.scan(cell, (h, c), x @ wi + b)[1]

    def adam(p, g, m, v, t):
        t = t + 1
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        a = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        return jax.tree.map(lambda p, m, v: p - a * m / (jnp.sqrt(v) + 1e-7), p, m, v), m, v, t

    class Training:
        def __init__(self, loss_of, p, x, y):
            zeros = jax.tree.map(jnp.zeros_like, p)
            self.state = (p, zeros, jax.tree.map(jnp.zeros_like, p), jnp.float32(0))

            def step(p, m, v, t, x, y):
                loss, g = jax.value_and_grad(loss_of)(p, x, y)
                return (loss, *adam(p, g, m, v, t))

            self.step, self.x, self.y = jax.jit(step, donate_argnums=(0, 1, 2)), x, y

        def __call__(self):
            loss, *self.state = self.step(*self.state, self.x, self.y)
            return loss

    class Update:
        def __init__(self):
            n = 10**7
            self.g, self.state = normal(n), (normal(n), jnp.zeros(n), jnp.zeros(n), jnp.float32(0))
            self.step = jax.jit(lambda p, m, v, t, g: adam(p, g, m, v, t), donate_argnums=(0, 1, 2))

        def __call__(self):
            self.state = self.step(*self.state, self.g)
            return self.state[0]

    def cross_entropy(logits, y):
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1))

    def mlp_loss(p, x, y):
        h = jax.nn.relu(x @ p["w1"] + p["b1"])
        h = jax.nn.relu(h @ p["w2"] + p["b2"])
        return cross_entropy(h @ p["w3"] + p["b3"], y)

    def cnn_loss(p, x, y):
        for k in "123":
            x = jax.lax.conv_general_dilated(x, p["c" + k], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + p["b" + k]
            x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return cross_entropy(x.reshape(64, -1) @ p["w"] + p["b"], y)

    def mlp(n):
        p = {"w1": normal(784, 512) * 0.05, "b1": jnp.zeros(512), "w2": normal(512, 512) * 0.06, "b2": jnp.zeros(512), "w3": normal(512, 10) * 0.06, "b3": jnp.zeros(10)}
        return Training(mlp_loss, p, normal(n, 784), jnp.arange(n) % 10)

    def cnn():
        p = {"c1": normal(3, 3, 3, 32) * 0.3, "b1": jnp.zeros(32), "c2": normal(3, 3, 32, 64) * 0.08, "b2": jnp.zeros(64), "c3": normal(3, 3, 64, 128) * 0.06, "b3": jnp.zeros(128), "w": normal(2048, 10) * 0.03, "b": jnp.zeros(10)}
        return Training(cnn_loss, p, normal(64, 32, 32, 3), jnp.arange(64) % 10)

    def layer_norm(x, w, b):
        m = x.mean(1, keepdims=True)
        d = x - m
        return d * jax.lax.rsqrt((d * d).mean(1, keepdims=True) + 1e-5) * w + b

    def jitted(make, f):
        f = jax.jit(f)
        return make, lambda s: f(*s)

    key = jax.random.key(7)
    one = lambda f: jitted(lambda: (rows(),), f)
    all_ = {"bmm": jitted(lambda: (normal(64, 128, 64), normal(64, 64, 128)), jnp.matmul)}
    all_ |= with_sizes(
        lambda n: jitted(lambda: (normal(n, n), normal(n, n)), jnp.matmul),
        lambda n: jitted(lambda: (normal(n), normal(n), normal(n)), lambda a, b, c: jnp.tanh(a * b + c) * jnp.exp(-a * a)),
        lambda n: (lambda: mlp(n), lambda s: s()),
    )
    for name, layout, full in conv_names():
        all_[full + "_f"], all_[full + "_b"] = conv(CONVS[name], layout)
    qkv = lambda n: lambda: tuple(normal(4, 8, 512, 64) for _ in range(n))
    all_ |= {
        "sum": one(jnp.sum),
        "sumr": one(lambda x: x.sum(1)),
        "mean": one(lambda x: x.mean(1)),
        "softmax": one(lambda x: jax.nn.softmax(x, 1)),
        "lnorm": jitted(lambda: (rows(), jnp.ones(1024), jnp.zeros(1024)), layer_norm),
        "sdpa_f": jitted(qkv(3), attention),
        "sdpa_fb": jitted(qkv(4), attention_both),
        "lstm": jitted(lambda: (normal(64, 32, 256), jnp.zeros((32, 256)), jnp.zeros((32, 256)), normal(256, 1024) * 0.06, normal(256, 1024) * 0.06, jnp.zeros(1024)), lstm),
        "adam": (Update, lambda s: s()),
        "cnn": (cnn, lambda s: s()),
        "add1": jitted(lambda: (jnp.ones(1), jnp.ones(1)), jnp.add),
        "runif": jitted(lambda: (key,), lambda k: jax.random.uniform(k, (10**7,))),
        "rnorm": jitted(lambda: (key,), lambda k: jax.random.normal(k, (10**7,))),
    }
    return all_


def tensorflow_workloads():
    import tensorflow as tf

    normal = lambda *shape: tf.random.normal(shape)
    rows = lambda: (normal(4096, 1024),)

    def function(make, f):
        f = tf.function(f, autograph=False)
        return make, lambda s: f(*s)

    def conv(spec):
        batch, side, inner, outer, axes, groups = spec
        depthwise = groups > 1
        shape = (batch, *[side] * axes, inner)
        w_shape = (*[3] * axes, inner, 1) if depthwise else (*[3] * axes, inner, outer)

        def f(x, w):
            if depthwise:
                return tf.nn.depthwise_conv2d(x, w, (1, 1, 1, 1), "SAME")
            return tf.nn.convolution(x, w, padding="SAME")

        def b(x, w, ct):
            with tf.GradientTape() as tape:
                tape.watch((x, w))
                y = f(x, w)
            return tape.gradient(y, (x, w), ct)

        return function(lambda: (normal(*shape), normal(*w_shape)), f), function(lambda: (normal(*shape), normal(*w_shape), normal(batch, *[side] * axes, outer)), b)

    def attention(q, k, v):
        return tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 8) @ v

    def attention_both(q, k, v, ct):
        with tf.GradientTape() as tape:
            tape.watch((q, k, v))
            y = attention(q, k, v)
        return y, tape.gradient(y, (q, k, v), ct)

    def adam_of(variables):
        moments = [(tf.Variable(tf.zeros_like(p)), tf.Variable(tf.zeros_like(p))) for p in variables]
        t = tf.Variable(0.0)

        def update(gradients):
            t.assign_add(1.0)
            a = 1e-3 * tf.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            for p, g, (m, v) in zip(variables, gradients, moments):
                tf.raw_ops.ResourceApplyAdam(var=p.handle, m=m.handle, v=v.handle, beta1_power=0.9**t, beta2_power=0.999**t, lr=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, grad=g)
            return a

        return update

    def training(loss_of, variables, x, y):
        update = adam_of(variables)

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = loss_of(variables, x, y)
            update(tape.gradient(loss, variables))
            return loss

        return step

    cross_entropy = lambda logits, y: tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    def mlp(n):
        p = [tf.Variable(normal(784, 512) * 0.05), tf.Variable(tf.zeros(512)), tf.Variable(normal(512, 512) * 0.06), tf.Variable(tf.zeros(512)), tf.Variable(normal(512, 10) * 0.06), tf.Variable(tf.zeros(10))]

        def loss(p, x, y):
            h = tf.nn.relu(x @ p[0] + p[1])
            h = tf.nn.relu(h @ p[2] + p[3])
            return cross_entropy(h @ p[4] + p[5], y)

        return training(loss, p, normal(n, 784), tf.range(n) % 10)

    def cnn():
        shapes = ((3, 3, 3, 32), (32,), (3, 3, 32, 64), (64,), (3, 3, 64, 128), (128,), (2048, 10), (10,))
        p = [tf.Variable(normal(*s) * 0.05 if len(s) > 1 else tf.zeros(s)) for s in shapes]

        def loss(p, x, y):
            for k in range(3):
                x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.convolution(x, p[2 * k], padding="SAME") + p[2 * k + 1]), 2, 2, "VALID")
            return cross_entropy(tf.reshape(x, (64, 2048)) @ p[6] + p[7], y)

        return training(loss, p, normal(64, 32, 32, 3), tf.range(64) % 10)

    def update():
        w, g = tf.Variable(normal(10**7)), normal(10**7)
        move = adam_of([w])

        @tf.function
        def step():
            move([g])
            return w[0]

        return step

    def layer_norm(x, w, b):
        m, v = tf.nn.moments(x, 1, keepdims=True)
        return tf.nn.batch_normalization(x, m, v, b, w, 1e-5)

    def lstm(x, wi, wr, b):
        gates = tf.reshape(tf.reshape(x, (64 * 32, 256)) @ wi, (64, 32, 1024)) + b

        def cell(carry, g):
            h, c = carry
            i, f, u, o = tf.split(g + h @ wr, 4, -1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(u)
            return tf.sigmoid(o) * tf.tanh(c), c

        return tf.scan(cell, gates, (tf.zeros((32, 256)), tf.zeros((32, 256))))[0]

    all_ = {"bmm": function(lambda: (normal(64, 128, 64), normal(64, 64, 128)), tf.matmul)}
    all_ |= with_sizes(
        lambda n: function(lambda: (normal(n, n), normal(n, n)), tf.matmul),
        lambda n: function(lambda: (normal(n), normal(n), normal(n)), lambda a, b, c: tf.tanh(a * b + c) * tf.exp(-a * a)),
        lambda n: (lambda: mlp(n), lambda step: step()),
    )
    for name, layout, full in conv_names():
        if layout != "nchw":
            all_[full + "_f"], all_[full + "_b"] = conv(CONVS[name])
    qkv = lambda n: lambda: tuple(normal(4, 8, 512, 64) for _ in range(n))
    all_ |= {
        "sum": function(rows, tf.reduce_sum),
        "sumr": function(rows, lambda x: tf.reduce_sum(x, 1)),
        "mean": function(rows, lambda x: tf.reduce_mean(x, 1)),
        "softmax": function(rows, tf.nn.softmax),
        "lnorm": function(lambda: (*rows(), tf.ones(1024), tf.zeros(1024)), layer_norm),
        "sdpa_f": function(qkv(3), attention),
        "sdpa_fb": function(qkv(4), attention_both),
        "lstm": function(lambda: (normal(64, 32, 256), normal(256, 1024) * 0.06, normal(256, 1024) * 0.06, tf.zeros(1024)), lstm),
        "adam": (update, lambda step: step()),
        "cnn": (cnn, lambda step: step()),
        "add1": (lambda: tf.ones(1), lambda x: x + x),
        "runif": function(lambda: (), lambda: tf.random.uniform((10**7,))),
        "rnorm": function(lambda: (), lambda: tf.random.normal((10**7,))),
    }
    return all_


WORKLOADS = {"numpy": numpy_workloads, "torch": torch_workloads, "jax": jax_workloads, "tensorflow": tensorflow_workloads}


def wait(x):
    """Until a result is there."""
    while isinstance(x, (tuple, list)):
        x = x[-1]
    for name in ("block_until_ready", "numpy"):
        if hasattr(x, name) and not hasattr(x, "requires_grad"):
            return getattr(x, name)()


def runner(make, work):
    """A function run(n) as peers.py wants it; inputs are made when it first runs."""
    state = []

    def run(n):
        if not state:
            state.append(make())
        for _ in range(n):
            z = work(state[0])
        wait(z)

    run.forget = state.clear
    return run
