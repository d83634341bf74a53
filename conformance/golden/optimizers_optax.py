#!/usr/bin/env python3
"""Prints conformance/suite/optimizers.inc: where 100 steps of each optimizer and composition lead on a small problem, by Optax in float64.

    python3 conformance/golden/optimizers_optax.py > conformance/suite/optimizers.inc

Needs jax and optax 0.2.8. Where Optax has no such optimizer, or another form of it, the formula is written out here (`own`), from PyTorch's or
Keras's documentation.
"""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from optax import contrib

jax.config.update("jax_enable_x64", True)
STEPS = 100


def waves(n, a, b):
    i = np.arange(n)
    return np.sin(a + 1.7 * i + 0.3 * (i * i % 17)) * b


X, Y = waves(24, 1, 1).reshape(8, 3), waves(32, 2, 0.8).reshape(8, 4)
START = {"b": jnp.asarray(waves(4, 4, 0.5)), "w": jnp.asarray(waves(12, 3, 1).reshape(3, 4))}


def loss(p):
    return jnp.mean((jnp.tanh(X @ p["w"] + p["b"]) - Y) ** 2)


value_and_grad = jax.jit(jax.value_and_grad(loss))
cases = []


def case(text, p):
    cases.append((text, np.concatenate([np.asarray(p["b"]).ravel(), np.asarray(p["w"]).ravel()])))


def optax_case(text, make, bad_step=None):
    """make: an optax transformation. bad_step: one step's gradient has a NaN."""
    tx = optax.with_extra_args_support(make)
    p, state = START, make.init(START)
    with_value = text.startswith(("polyak", "momo"))
    update = jax.jit(lambda g, s, p, v: tx.update(g, s, p, value=v) if with_value else tx.update(g, s, p))
    for step in range(STEPS):
        v, g = value_and_grad(p)
        if step == bad_step:
            g = {**g, "b": g["b"].at[1].set(jnp.nan)}
        u, state = update(g, state, p, v)
        p = optax.apply_updates(p, u)
    case(text, p)
    return p, state


def own(text, step):
    """step(t, w, g, state): the new w of one array; state is a dict."""
    p = {k: np.asarray(v) for k, v in START.items()}
    state = {k: {} for k in p}
    for t in range(1, STEPS + 1):
        _, g = value_and_grad(p)
        p = {k: step(t, p[k], np.asarray(g[k]), state[k]) for k in p}
    case(text, p)


# ---- PyTorch's and Keras's forms ----


def sgd_dampening(t, w, g, s):
    s["b"] = g if t == 1 else 0.9 * s["b"] + (1 - 0.5) * g
    return w - 0.1 * s["b"]


def adagrad(t, w, g, s):
    s["v"] = s.get("v", 0.1) + g * g
    return w - 0.1 / (1 + (t - 1) * 0.01) * g / (np.sqrt(s["v"]) + 1e-10)


def rmsprop_decay(t, w, g, s):
    s["v"] = 0.99 * s.get("v", 0) + 0.01 * g * g
    return w - 0.01 / (1 + (t - 1) * 0.1) * g / (np.sqrt(s["v"]) + 1e-8)


def rprop(t, w, g, s):
    last, size = s.get("g", 0 * g), s.get("size", np.full_like(g, 0.01))
    turned = g * last
    size = np.clip(size * np.where(turned > 0, 1.2, np.where(turned < 0, 0.5, 1)), 1e-6, 50)
    g = np.where(turned < 0, 0, g)
    s["g"], s["size"] = g, size
    return w - np.sign(g) * size


def ftrl(lr, l1, l2, shrinkage=0.0, beta=0.0):
    def step(t, w, g, s):
        n = s.get("n", np.full_like(g, 0.1))
        new = n + g * g
        g = g + 2 * shrinkage * w
        s["z"] = s.get("z", 0) + g - (np.sqrt(new) - np.sqrt(n)) / lr * w
        s["n"] = new
        quadratic = np.sqrt(new) / lr + 2 * (l2 + beta / (2 * lr))
        return (np.clip(s["z"], -l1, l1) - s["z"]) / quadratic

    return step


def adamax_plain(t, w, g, s):
    """MLX's: nothing is corrected, epsilon is added to the denominator."""
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = np.maximum(0.999 * s.get("v", 0), np.abs(g))
    return w - 0.02 * s["m"] / (s["v"] + 1e-8)


def nadam_growing(decay, beta2=0.999):
    """PyTorch's, and with a decay of 1 Keras's: the momentum grows with the step."""
    momentum = lambda t: 0.9 * (1 - 0.5 * 0.96 ** (t * decay))

    def step(t, w, g, s):
        s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
        s["v"] = beta2 * s.get("v", 0) + (1 - beta2) * g * g
        s["u"] = s.get("u", 1) * momentum(t)
        mean = momentum(t + 1) * s["m"] / (1 - s["u"] * momentum(t + 1)) + (1 - momentum(t)) * g / (1 - s["u"])
        return w - 0.02 * mean / (np.sqrt(s["v"] / (1 - beta2**t)) + 1e-8)

    return step


def lars(decay):
    """The paper's: the length of w over that of g plus decay times that of w. Optax divides by the length of g + decay w."""

    def step(t, w, g, s):
        return w - 0.05 * np.linalg.norm(w) / (np.linalg.norm(g) + decay * np.linalg.norm(w)) * (g + decay * w)

    return step


def galore(rank, gap):
    """Optax's with Adam, but for the projections, which it rounds to float32."""

    def step(t, w, g, s):
        if w.ndim == 2:
            left = w.shape[0] >= w.shape[1]
            if (t - 1) % gap == 0:
                u, _, vh = np.linalg.svd(g, full_matrices=False)
                s["p"] = u[:, :rank] if left else vh[:rank].T
            g = s["p"].T @ g if left else g @ s["p"]
        s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
        s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
        u = s["m"] / (1 - 0.9**t) / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-8)
        if w.ndim == 2:
            u = 0.5 * (s["p"] @ u if left else u @ s["p"].T)
        return w - 0.02 * (u + 0.01 * w)

    return step


own("adamax(0.02, no_correction=1)", adamax_plain)
own("nadam(0.02, momentum_decay=0.004)", nadam_growing(0.004))
own("nadam(0.02, momentum_decay=1)", nadam_growing(1))
own("nadam(0.02, momentum_decay=0.004, beta2=0.99)", nadam_growing(0.004, 0.99))
own("galore(0.02, weight_decay=0.01, rank=2, scale=0.5)", galore(2, 200))
own("sgd(0.1, momentum=0.9, dampening=0.5)", sgd_dampening)
own("adagrad(0.1, initial_accumulator=0.1, lr_decay=0.01)", adagrad)
own("rmsprop(0.01, lr_decay=0.1)", rmsprop_decay)
own("rprop(0.01)", rprop)
own("ftrl(0.1)", ftrl(0.1, 0, 0))
own("ftrl(0.2, l1=0.001, l2=0.01, l2_shrinkage=0.001, beta=0.1)", ftrl(0.2, 0.001, 0.01, 0.001, 0.1))

# ---- optimizers ----

optax_case("sgd(0.2)", optax.sgd(0.2))
optax_case("sgd(0.1, momentum=0.9, nesterov=1)", optax.sgd(0.1, 0.9, True))
optax_case("adam(0.02)", optax.adam(0.02))
optax_case("adamw(0.02, weight_decay=0.1)", optax.adamw(0.02, weight_decay=0.1))
optax_case("nadam(0.02)", optax.nadam(0.02))
optax_case("nadamw(0.02, weight_decay=0.05)", optax.nadamw(0.02, weight_decay=0.05))
optax_case("amsgrad(0.05)", optax.amsgrad(0.05))
optax_case("radam(0.05)", optax.radam(0.05))
optax_case("radam(0.05, nesterov=1, beta2=0.9)", optax.radam(0.05, b2=0.9, nesterov=True))
optax_case("adamax(0.02)", optax.adamax(0.02))
optax_case("adamaxw(0.02, weight_decay=0.1)", optax.adamaxw(0.02, weight_decay=0.1))
squares = optax.GradientTransformation(lambda p: optax.EmptyState(), lambda g, s, p=None: (jax.tree.map(lambda x: x * x, g), s))
optax_case("sophia(0.02, interval=3, gamma=0.5)", contrib.sophia(0.02, gamma=0.5, update_interval=3, hessian_diagonal_fn=squares))
optax_case("adabelief(0.01)", optax.adabelief(0.01))
optax_case("acprop(0.001)", contrib.acprop(0.001))
optax_case("yogi(0.02)", optax.yogi(0.02))
optax_case("adan(0.02, weight_decay=0.01)", optax.adan(0.02, weight_decay=0.01))
optax_case("ademamix(0.01, weight_decay=0.01)", contrib.ademamix(0.01, weight_decay=0.01))
optax_case("simplified_ademamix(0.0005, alpha=2)", contrib.simplified_ademamix(0.0005, alpha=2.0))
optax_case("adopt(0.01)", contrib.adopt(0.01))
optax_case("adopt(0.01, nesterov=1, no_clipping=1)", contrib.adopt(0.01, nesterov=True, use_clipping=False))
optax_case("optimistic_adam(0.01)", optax.optimistic_adam_v2(0.01))
optax_case("optimistic_gradient_descent(0.1, beta=0.5)", optax.optimistic_gradient_descent(0.1, 1.0, 0.5))
optax_case("sign_sgd(0.005)", optax.sign_sgd(0.005))
optax_case("signum(0.005)", optax.signum(0.005))
optax_case("lion(0.005, weight_decay=0.1)", optax.lion(0.005, weight_decay=0.1))
optax_case("lion(0.005, beta1=0.8, beta2=0.9)", optax.lion(0.005, 0.8, 0.9, weight_decay=0.0))
optax_case("amsgrad(0.05, beta2=0.9)", optax.amsgrad(0.05, b2=0.9))
own("lars(0.05, weight_decay=0.01)", lars(0.01))
optax_case("polyak_sgd(0.3, f_min=0.05)", optax.polyak_sgd(max_learning_rate=1.0, scaling=0.3, f_min=0.05))
optax_case("fromage(0.01)", optax.fromage(0.01))
optax_case("rmsprop(0.005, centered=1, beta2=0.9, epsilon=0.01)",  # a small epsilon would make it ill-conditioned: v - m^2 is near 0
           optax.rmsprop(0.005, decay=0.9, eps=0.01, centered=True, eps_in_sqrt=False))
optax_case("rmsprop(0.005, momentum=0.5, nesterov=1, epsilon_inside=1, beta2=0.9, bias_correction=1)",
           optax.rmsprop(0.005, decay=0.9, momentum=0.5, nesterov=True, bias_correction=True))
optax_case("adagrad(0.1, initial_accumulator=0.1, epsilon=1e-7, epsilon_inside=1)", optax.adagrad(0.1))
optax_case("adadelta(1)", optax.adadelta(1.0))
optax_case("adafactor(0.05, min_size=2)", optax.adafactor(0.05, min_dim_size_to_factor=2))
optax_case("adafactor(0.05, momentum=0.9, weight_decay=0.001)", optax.adafactor(0.05, momentum=0.9, dtype_momentum=jnp.float64, weight_decay_rate=0.001))
optax_case("sm3(0.05)", optax.sm3(0.05))
optax_case("madgrad(0.05)", contrib.madgrad(0.05))
optax_case("novograd(0.005, weight_decay=0.01)", optax.novograd(0.005, weight_decay=0.01))
muon_axes = contrib.MuonDimensionNumbers(reduction_axis=1, output_axis=0)
optax_case("muon(0.01, weight_decay=0.1)", contrib.muon(
    0.01, weight_decay=0.1, muon_weight_dimension_numbers=lambda p: {"b": None, "w": muon_axes}))
optax_case("dog(1, initial=0.01)", contrib.dog(1.0, ("heuristic", 1e-2)))
optax_case("dog(1, initial=0.1, begin=learning_rate)", contrib.dog(1.0, ("learning_rate", 0.1)))
optax_case("dowg(1, initial=0.01)", contrib.dowg(1.0, 0.01))
optax_case("ldog(1, initial=0.01)", optax.chain(
    optax.scale_by_distance_over_gradients(reps_rel=0.01, param_dtype=jnp.float64), optax.scale(-1.0)))
optax_case("prodigy(1, initial=0.01)", contrib.prodigy(1.0, estim_lr0=0.01))
optax_case("prodigy(1, initial=0.01, safe_warm_up=1, weight_decay=0.01)", contrib.prodigy(1.0, estim_lr0=0.01, safeguard_warmup=True, weight_decay=0.01))
optax_case("dadapt_adamw(1, initial=0.001, weight_decay=0.01)", contrib.dadapt_adamw(1.0, estim_lr0=0.001, weight_decay=0.01))
optax_case("momo(0.5, weight_decay=0.01)", contrib.momo(0.5, weight_decay=0.01))
optax_case("momo(0.5, adapt_lower_bound=1)", contrib.momo(0.5, adapt_lower_bound=True))
optax_case("momo_adam(0.05)", contrib.momo_adam(0.05))
optax_case("momo_adam(0.05, adapt_lower_bound=1, weight_decay=0.01)", contrib.momo_adam(0.05, adapt_lower_bound=True, weight_decay=0.01))
optax_case("cocob(1)", contrib.cocob(1.0))
optax_case("lbfgs(0.1, memory=5)", optax.chain(optax.scale_by_lbfgs(5), optax.scale(-0.1)))
optax_case("lbfgs(0.002, memory=1, no_scale=1)",  # at larger rates, and with more memory, it is unstable: rounding errors grow a million times
           optax.chain(optax.scale_by_lbfgs(1, scale_init_precond=False), optax.scale(-0.002)))
optax_case("schedule_free_sgd(0.5)", contrib.schedule_free_sgd(0.5))
optax_case("schedule_free_adamw(0.02, weight_decay=0.01)", contrib.schedule_free_adamw(0.02, weight_decay=0.01))

# ---- compositions ----

optax_case("chain(clip_by_global_norm(0.1), adam(0.02))", optax.chain(optax.clip_by_global_norm(0.1), optax.adam(0.02)))
optax_case("chain(direction(adam), add_decayed_weights(0.1), scale(-0.02))",
           optax.chain(optax.scale_by_adam(), optax.add_decayed_weights(0.1), optax.scale(-0.02)))
optax_case("chain(clip(0.02), trace(0.9, nesterov=1), scale(-0.1))", optax.chain(optax.clip(0.02), optax.trace(0.9, True), optax.scale(-0.1)))
optax_case("chain(ema(0.9), sign, scale(-0.005))", optax.chain(optax.ema(0.9), optax.scale_by_sign(), optax.scale(-0.005)))
optax_case("chain(adaptive_clip(0.05), sgd(0.5))", optax.chain(optax.adaptive_grad_clip(0.05), optax.sgd(0.5)))
optax_case("chain(clip_by_block_rms(0.02), sgd(0.5))", optax.chain(optax.clip_by_block_rms(0.02), optax.sgd(0.5)))
optax_case("chain(centralize, sgd(0.5))", optax.chain(optax.centralize(), optax.sgd(0.5)))
optax_case("chain(normalize(0.5), sgd(0.05))", optax.chain(optax.normalize_by_update_norm(0.5), optax.sgd(0.05)))
optax_case("chain(trust_ratio, sgd(0.01))", optax.chain(optax.scale_by_trust_ratio(), optax.sgd(0.01)))
optax_case("chain(add_decayed_weights(0.01), trust_ratio, sgd(0.05))",
           optax.lars(0.05, weight_decay=0.01, momentum=0.0, trust_coefficient=1.0))
optax_case("chain(by_param_norm, sgd(0.1))", optax.chain(optax.scale_by_param_block_norm(), optax.sgd(0.1)))
optax_case("chain(by_param_rms, sgd(0.3))", optax.chain(optax.scale_by_param_block_rms(), optax.sgd(0.3)))
optax_case("chain(sgd(0.3), keep_nonnegative)", optax.chain(optax.sgd(0.3), optax.keep_params_nonnegative()))
optax_case("chain(masked(adam(0.02), *w), masked(scale(-0.1), *b))",
           optax.chain(optax.masked(optax.adam(0.02), {"b": False, "w": True}), optax.masked(optax.scale(-0.1), {"b": True, "w": False})))
optax_case("groups(masked(sgd(0.3, momentum=0.5), *b), adam(0.02))",
           optax.partition({"sgd": optax.sgd(0.3, 0.5), "adam": optax.adam(0.02)}, {"b": "sgd", "w": "adam"}))
optax_case("groups(masked(set_to_zero, *b), sgd(0.3))",
           optax.partition({"zero": optax.set_to_zero(), "sgd": optax.sgd(0.3)}, {"b": "zero", "w": "sgd"}))
optax_case("mechanize(adam(0.02))", contrib.mechanize(optax.adam(0.02)))
optax_case("sam(adam(0.02), rho=0.05)", contrib.sam(optax.adam(0.02), optax.chain(contrib.normalize(), optax.sgd(0.05))))
optax_case("schedule_free(adamw(0.02, beta1=0.5))", contrib.schedule_free(optax.adamw(0.02, b1=0.5, weight_decay=0.01), 0.02))
optax_case("every(adam(0.05), period=3, offset=1)", optax.conditionally_mask(optax.adam(0.05), lambda step: step % 3 == 1))
optax_case("chain(every(direction(adam), period=2, passes=1), scale(-0.02))",
           optax.chain(optax.conditionally_transform(optax.scale_by_adam(), lambda step: step % 2 == 0), optax.scale(-0.02)))
optax_case("apply_if_finite(adam(0.02))", optax.apply_if_finite(optax.adam(0.02), 5), bad_step=7)
optax_case("chain(zero_nans, adam(0.02))", optax.chain(optax.zero_nans(), optax.adam(0.02)), bad_step=7)


def lookahead(text, **options):
    tx = optax.lookahead(optax.adam(0.02), 5, 0.5, **options)
    p = optax.LookaheadParams.init_synced(START)
    state = tx.init(p)
    for _ in range(STEPS):
        _, g = value_and_grad(p.fast)
        u, state = tx.update(g, state, p)
        p = optax.apply_updates(p, u)
    case(text, p.fast)


lookahead("lookahead(adam(0.02), period=5)")
lookahead("lookahead(adam(0.02), period=5, reset=1)", reset_state=True)


def searched(text, tx):
    p, state = START, tx.init(START)
    update = jax.jit(lambda g, s, p, v: tx.update(g, s, p, value=v, grad=g, value_fn=loss))
    for _ in range(STEPS):
        v, g = value_and_grad(p)
        u, state = update(g, state, p, v)
        p = optax.apply_updates(p, u)
    case(text, p)


searched("zoom(lbfgs)", optax.lbfgs())
searched("backtracking(sgd(5), max_step=1)", optax.chain(optax.sgd(5.0), optax.scale_by_backtracking_linesearch(15)))

print("/* SPDX-License-Identifier: Apache-2.0 */\n/* optimizers.inc: printed by conformance/golden/optimizers_optax.py: do not edit. b, then w, after %d steps. */" % STEPS)
for text, values in cases:
    bad = ", .bad_step = 7" if "finite" in text or "zero_nans" in text else ", .searches = true" if text.startswith(("zoom", "backtracking")) else ""
    print('{.text = "%s"%s, .want = {%s}},' % (text, bad, ", ".join("%.10g" % v for v in values)))
