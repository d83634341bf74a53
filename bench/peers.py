"""peers.py FRAMEWORK: measures a framework from Python, one round per line of input: the same cases and lines as bench.c.

    line in:   CASE SECONDS      runs the case for about that long
    line out:  SECONDS_PER_UNIT  or "error: <text>"

`peers.py FRAMEWORK first` computes one op, prints its peak memory in KiB and exits, to measure start-up.
Each framework runs a case as its users would write it for speed: torch eager, jax under jit, tensorflow as tf.function, numpy with a hand-written
gradient. A case is a function run(n): n rounds, then wait for the last result.
"""
import os
import sys
import time

from peers_workloads import WORKLOADS, runner

CHAIN_OPS = 150


def chain_of(x, a, b):
    for _ in range(CHAIN_OPS // 2):
        x = x * a + b
    return x


def numpy_cases():
    import numpy as np

    one = np.ones(1, np.float32)
    a, b = np.full(1, 0.999, np.float32), np.full(1, 0.001, np.float32)
    x = np.random.default_rng(0).normal(size=(256, 3)).astype(np.float32)
    y = x @ np.array([[2], [-1], [0.5]], np.float32)

    def add(n):
        for _ in range(n):
            z = np.add(one, one)
        return z.item()

    def chain(n):
        for _ in range(n):
            z = chain_of(one, a, b)
        return z.item()

    def step(n):
        w, c = np.zeros((3, 1), np.float32), np.zeros(1, np.float32)
        rate, scale = np.float32(0.1), np.float32(2 / 256)
        for _ in range(n):
            error = x @ w + c - y
            loss = np.mean(np.square(error))
            g = scale * error
            w, c = w - rate * (x.T @ g), c - rate * g.sum(0)
        return loss.item()

    return {"add": add, "chain": chain, "step": step}


def torch_cases():
    import torch

    one, a, b = torch.ones(1), torch.full((1,), 0.999), torch.full((1,), 0.001)
    x = torch.randn(256, 3)
    y = x @ torch.tensor([[2.0], [-1.0], [0.5]])

    def add(n):
        with torch.no_grad():
            for _ in range(n):
                z = one + one
        return z.item()

    def chain(n):
        with torch.no_grad():
            for _ in range(n):
                z = chain_of(one, a, b)
        return z.item()

    def step(n):
        w, c = torch.zeros(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
        sgd = torch.optim.SGD([w, c], lr=0.1)
        for _ in range(n):
            loss = torch.mean(torch.square(x @ w + c - y))
            sgd.zero_grad()
            loss.backward()
            sgd.step()
        return loss.item()

    return {"add": add, "chain": chain, "step": step}


def jax_cases():
    import jax
    import jax.numpy as jnp

    one, a, b = jnp.ones(1), jnp.full(1, 0.999), jnp.full(1, 0.001)
    x = jax.random.normal(jax.random.key(0), (256, 3))
    y = x @ jnp.array([[2.0], [-1.0], [0.5]])
    jit_add, jit_chain = jax.jit(jnp.add), jax.jit(chain_of)

    def loss_of(p, x, y):
        return jnp.mean(jnp.square(x @ p["w"] + p["b"] - y))

    @jax.jit
    def jit_step(p, x, y):
        loss, g = jax.value_and_grad(loss_of)(p, x, y)
        return loss, jax.tree.map(lambda p, g: p - 0.1 * g, p, g)

    def add(n):
        for _ in range(n):
            z = jit_add(one, one)
        return z.block_until_ready()

    def chain(n):
        for _ in range(n):
            z = jit_chain(one, a, b)
        return z.block_until_ready()

    def step(n):
        p = {"w": jnp.zeros((3, 1)), "b": jnp.zeros(1)}
        for _ in range(n):
            loss, p = jit_step(p, x, y)
        return loss.block_until_ready()

    return {"add": add, "chain": chain, "step": step}


def tensorflow_cases():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    one, a, b = tf.ones(1), tf.fill((1,), 0.999), tf.fill((1,), 0.001)
    x = tf.random.normal((256, 3))
    y = x @ tf.constant([[2.0], [-1.0], [0.5]])
    fn_add, fn_chain = tf.function(tf.add), tf.function(chain_of)
    w, c = tf.Variable(tf.zeros((3, 1))), tf.Variable(tf.zeros(1))

    @tf.function
    def fn_step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w + c - y))
        for p, g in zip((w, c), tape.gradient(loss, (w, c))):
            p.assign_sub(0.1 * g)
        return loss

    def add(n):
        for _ in range(n):
            z = fn_add(one, one)
        return z.numpy()

    def chain(n):
        for _ in range(n):
            z = fn_chain(one, a, b)
        return z.numpy()

    def step(n):
        for _ in range(n):
            loss = fn_step()
        return loss.numpy()

    return {"add": add, "chain": chain, "step": step}


FRAMEWORKS = {"numpy": numpy_cases, "torch": torch_cases, "jax": jax_cases, "tensorflow": tensorflow_cases}


def timed(run, n):
    start = time.perf_counter()
    run(n)
    return time.perf_counter() - start


def rounds_for(run, seconds):
    run(1)
    run(1)  # compiling and caches are not what is measured
    n = 1
    while timed(run, n) < seconds / 2:
        n *= 2
    return n


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def main(framework, first):
    try:
        cases = FRAMEWORKS[framework]()
        cases["add"](1)
        cases |= {"captured_add": cases["add"], "captured_chain": cases["chain"]}  # the frameworks' are captured where they can be
    except Exception as error:
        print("error:", " ".join(str(error).split())[:300], flush=True)
        return 1
    print("ready", flush=True)
    if first:
        print(peak())
        return 0
    workloads = WORKLOADS[framework]()
    cases |= {name: runner(*parts) for name, parts in workloads.items() if not name.endswith(":")}
    known, last = {}, None
    for line in sys.stdin:
        name, seconds = line.split()
        kind, _, size = name.partition(":")
        if size and name not in cases and kind + ":" in workloads:
            cases[name] = runner(*workloads[kind + ":"](int(size)))
        if name not in cases:
            print("error: %s has no such case" % framework, flush=True)
            continue
        if last != name and hasattr(cases.get(last), "forget"):
            cases[last].forget()
        run, last = cases[name], name
        try:
            if name not in known:
                known[name] = rounds_for(run, float(seconds))
            print(repr(timed(run, known[name]) / known[name]), flush=True)
        except Exception as error:
            print("error:", " ".join(str(error).split())[:300], flush=True)
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in FRAMEWORKS:
        sys.exit("usage: peers.py %s [first]" % "|".join(FRAMEWORKS))
    sys.exit(main(sys.argv[1], len(sys.argv) == 3))
