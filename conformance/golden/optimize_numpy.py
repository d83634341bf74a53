"""Prints conformance/cases/optimize.case: the optimizers' steps, computed here by their formulas in float64.

    python3 conformance/golden/optimize_numpy.py > conformance/cases/optimize.case
"""
import math

import numpy as np

W, G = np.array([1.0, -2, 3]), np.array([0.5, 0.25, -0.125])
TENTH = np.full(3, 0.1)


def text(x, dtype):
    return "%s[%s]" % (dtype, " ".join("%.17g" % v for v in x))


def adam(g, m, v, t, beta1=0.9, beta2=0.999, epsilon=1e-7, paper=0):
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    if paper:
        return m / (1 - beta1**t) / (np.sqrt(np.maximum(v / (1 - beta2**t), 0)) + epsilon), m, v
    return np.sqrt(1 - beta2**t) / (1 - beta1**t + epsilon) * m / (np.sqrt(np.maximum(v, 0)) + epsilon), m, v


def adam_apply(w, g, m, v, rate, scale, beta1=0.9, beta2=0.999, epsilon=1e-7):
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    return w - rate * m / (scale * np.sqrt(np.maximum(v, 0)) + epsilon), m, v


def lars(w, g, lr, decay_lambda=0.0, paper=0):
    nw, ng = math.hypot(*w), math.hypot(*g)
    if paper:
        return w - lr * nw / (ng + decay_lambda * nw + 1e-12) * (g + decay_lambda * w)
    return w - lr * (nw / (ng + 1e-12) if decay_lambda == 0 else 1 / (decay_lambda * (ng + 1e-12))) * g


def lamb(w, g, lr, m, v, t, max_trust_ratio=0.0, decay_lambda=0.0, paper=0, **betas):
    d, m, v = adam(g, m, v, t, paper=paper, **betas)
    decayed = d + decay_lambda * w
    r = math.hypot(*w) / (math.hypot(*decayed) + 1e-12)
    r = min(r, max_trust_ratio or (np.inf if paper else 10))
    return w - r * lr * (decayed if paper else d), m, v


def options(values):
    return " ".join("%s=%g" % item for item in values.items())


def line(op, inputs, values, result, tolerance=""):
    print(op, *inputs, options(values), "=", result, tolerance)


def results(op, dtype, inputs, values, outputs, tolerance=""):
    for k, out in enumerate(outputs):
        line(op if len(outputs) == 1 else "%s.%d" % (op, k), inputs, values, text(out, dtype), tolerance)


def both(op, function, arrays, rest, values, dtypes=("f64", "f32")):
    out = function(*arrays, *rest, **{k: v for k, v in values.items() if k != "keep_gradients"})
    for dtype in dtypes:
        results(op, dtype, [text(a, dtype) for a in arrays] + ["%g" % r for r in rest], values, out if isinstance(out, tuple) else (out,),
                "~ 2e-3" if dtype == "f16" else "~ 2e-2" if dtype == "bf16" else "")


print("# Optimizer steps; printed by optimize_numpy.py. The golden values of the specification are among them.\n")
for step, state in ((3, TENTH), (2.5, TENTH)):
    for values in ({}, {"paper": 1}):
        both("adam_step", adam, (G, state, state), (step,), values, ("f64", "f32", "f16", "bf16") if step == 3 else ("f64", "f32"))
both("adam_step", adam, (G, TENTH, -TENTH), (3,), {"beta1": 0.5, "beta2": 0.25, "epsilon": 0.125})
print("# a negative second moment counts as 0, and so does its derivative")
both("adam_step", adam, (G, TENTH, -10 * np.ones(3)), (3,), {"epsilon": 0.5}, ("f64",))
print("# the state of shape 1 is broadcast; the step may be an array")
d, m, v = adam(G, TENTH, TENTH, 3)
for k, out in enumerate((d, m, v)):
    line("adam_step.%d" % k, [text(G, "f64"), "f64[0.1]", "f64[0.1]", "3"], {}, text(out, "f64"))
    line("adam_step.%d" % k, [text(G, "f64"), text(TENTH, "f64"), text(TENTH, "f64"), "i64{3}"], {}, text(out, "f64"))
for keep in (0, 1):
    for op in ("optimizer_update", "gradient_descent_update"):
        for dtype in ("f64", "f32", "f16", "bf16"):
            line(op, [text(W, dtype), text(G, dtype), "0.125"], {"keep_gradients": keep}, text(W - 0.125 * G, dtype), "~ 1e-2" if dtype == "bf16" else "")
        line(op, [text(W, "f64"), text(G, "f64"), "f64[0.5 0.25 1]"], {"keep_gradients": keep}, text(W - np.array([0.5, 0.25, 1]) * G, "f64"))
        line(op, [text(W * 1e20, "f32"), text(G * 1e20, "f32"), "0.5"], {"keep_gradients": keep}, text((W - 0.5 * G) * 1e20, "f32"))
    for paper in (0, 1):
        d, m, v = adam(G, TENTH, TENTH, 3, paper=paper)
        for dtype in ("f64", "f32"):
            results("adam_update", dtype, [text(W, dtype), text(G, dtype), "0.1", text(TENTH, dtype), text(TENTH, dtype), "3"],
                    {"paper": paper, "keep_gradients": keep}, (W - 0.1 * d, m, v))
        for decay in (0, 0.5):
            for dtype in ("f64", "f32"):
                line("lars_update", [text(W, dtype), text(G, dtype), "0.1"], {"decay_lambda": decay, "paper": paper, "keep_gradients": keep},
                     text(lars(W, G, 0.1, decay, paper), dtype))
            for most in (0, 2):
                w, m, v = lamb(W, G, 0.1, TENTH, TENTH, 3, most, decay, paper)
                values = {"decay_lambda": decay} | ({"max_trust_ratio": most} if most else {}) | {"paper": paper, "keep_gradients": keep}
                results("lamb_update", "f64", [text(W, "f64"), text(G, "f64"), "0.1", text(TENTH, "f64"), text(TENTH, "f64"), "3"], values, (w, m, v))
for scale in (1, 2.5):
    both("adam_apply", adam_apply, (W, G, TENTH, TENTH), (0.125, scale), {}, ("f64", "f32", "f16", "bf16"))
both("adam_apply", adam_apply, (W, G, TENTH, np.array([0.1, -0.1, -10])), (0.125, 2), {"beta1": 0.5, "beta2": 0.25, "epsilon": 0.125})
line("adam_apply.2", ["f32(0)[]"] * 4 + ["0.125", "1"], {}, "f32(0)[]")
for k, out in enumerate(adam_apply(W, G, 0.1, 0.1, np.array([0.5, 0.25, 1]), 2)):
    line("adam_apply.%d" % k, [text(W, "f64"), text(G, "f64"), "f64[0.1]", "f64[0.1]", "f64[0.5 0.25 1]", "f64[2]"], {}, text(out, "f64"))
print("# two parameters, of different shapes")
w, g, m, v = W[:2] / 2, np.array([0.75, -1.5]), np.array([0.25, 0.5]), np.array([0.5, 0.125])
one, two = adam_apply(W, G, TENTH, TENTH, 0.125, 2), adam_apply(w, g, m, v, 0.125, 2)
for dtype in ("f64", "f32", "bf16"):
    inputs = [text(x, dtype) for pair in ((W, w), (G, g), (TENTH, m), (TENTH, v)) for x in pair] + ["0.125", "2"]
    results("adam_apply", dtype, inputs, {}, [x for pair in zip(one, two) for x in pair], "~ 2e-2" if dtype == "bf16" else "")
print("# lengths beyond what squares can hold, lengths of 0, a rate that is an array")
for scale, dtype in ((1e20, "f32"), (1e-25, "f32"), (1e200, "f64")):
    line("lars_update", [text(W * scale, dtype), text(G * scale, dtype), "0.1"], {}, text(lars(W * scale, G * scale, 0.1), dtype), "~ 1e-6 rel")
line("lars_update", ["f64[0 0]", "f64[1 2]", "0.1"], {}, "f64[0 0]")
line("lars_update", ["f64[0 0]", "f64[1 2]", "0.1"], {"decay_lambda": 0.5, "keep_gradients": 1}, text(-0.2 / np.sqrt(5) * np.array([1.0, 2]), "f64"))
line("lars_update", ["f64[1 2]", "f64[0 0]", "0.1"], {}, "f64[1 2]")
line("lars_update", [text(W, "f64"), text(G, "f64"), "f64{0.1}"], {"keep_gradients": 1}, text(lars(W, G, 0.1), "f64"))
line("lamb_update", ["f64[0 0]", "f64[1 2]", "0.1", "f64[0 0]", "f64[0 0]", "1"], {}, "f64[0 0]")
line("lars_update", ["f32(0)[]", "f32(0)[]", "0.1"], {}, "f32(0)[]")
print("""
# errors
adam_step [1 2] [1 2 3] [1] 1 ! VN_E_SHAPE
adam_step i32[1] i32[1] i32[1] 1 ! VN_E_DTYPE
adam_step [1] [1] [1] -1 ! VN_E_ARG
adam_step [1] [1] [1] nan ! VN_E_ARG
adam_step [1] [1] [1] 1 beta1=7 ! VN_E_ARG "beta1 is 7; a number in [0, 1) is needed"
adam_step [1] [1] [1] 1 epsilon=inf ! VN_E_ARG "epsilon"
adam_update [1] [1] 0.1 [1] [1] 1 beta2=1 ! VN_E_ARG "beta2"
lars_update [1] [1] 0.1 decay_lambda=-1 ! VN_E_ARG "decay_lambda"
lars_update [1] [1] 0.1 min_denominator=nan ! VN_E_ARG "min_denominator"
lamb_update [1] [1] 0.1 [1] [1] 1 max_trust_ratio=-1 ! VN_E_ARG "max_trust_ratio"
lamb_update [1] [1] 0.1 [1] [1] 1 max_trust_ratio=0 ! VN_E_ARG "max_trust_ratio is 0"
adam_step [1] [1] [1] [1 2] ! VN_E_SHAPE
adam_step [1] [1] [1] bool{1} ! VN_E_DTYPE
adam_step [1] [1] [1] ! VN_E_ARG
optimizer_update [1 2] [1 2 3] 0.1 ! VN_E_SHAPE
gradient_descent_update i32[1] i32[1] 0.1 ! VN_E_DTYPE
adam_update [1] [1] 0.1 [1] [1] -1 ! VN_E_ARG
adam_update [1] [1 2] 0.1 [1 2 3] [1] 1 ! VN_E_SHAPE
adam_apply [1 2] [1 2] [1 2] [1 2 3] 0.1 1 ! VN_E_SHAPE
adam_apply [1 2] [1 2] [1 2] [1 2] [1 2 3] 1 ! VN_E_SHAPE
adam_apply i32[1] i32[1] i32[1] i32[1] 0.1 1 ! VN_E_DTYPE
adam_apply [1] [1 2] [1] [1 2] [1] [1 2] [1] [1 2 3] 0.1 1 ! VN_E_SHAPE
adam_apply [1] [1] [1] [1] [1] 0.1 1 ! VN_E_ARG
lars_update bool[1] bool[1] 0.1 ! VN_E_DTYPE
lamb_update [1] [1] 0.1 [1] [1] null ! VN_E_NULL""")
