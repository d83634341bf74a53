"""What examples/lbfgs.c minimises, by PyTorch's L-BFGS with its search for strong Wolfe conditions: prints the loss of Rosenbrock's function, then loss
and accuracy in percent of the digits."""
import numpy as np
import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def solve(loss_of, parameters, steps, gradient):
    """Until no entry of the gradient is larger than this."""
    o = torch.optim.LBFGS(parameters, max_iter=steps, max_eval=20 * steps, history_size=10, tolerance_grad=gradient, tolerance_change=0, line_search_fn="strong_wolfe")

    def closure():
        o.zero_grad()
        loss = loss_of()
        loss.backward()
        return loss

    o.step(closure)
    return loss_of().item()


w = torch.zeros(8, requires_grad=True)
valley = solve(lambda: (100 * (w[1:] - w[:-1] ** 2) ** 2 + (1 - w[:-1]) ** 2).sum(), [w], 50, 3e-4)

table = torch.from_numpy(np.loadtxt("data/digits.csv", delimiter=",", skiprows=1))
x, y = table[:, :64] / 16, table[:, 64].long()
w, b = torch.zeros(10, 64, requires_grad=True), torch.zeros(10, requires_grad=True)
loss = solve(lambda: torch.nn.functional.cross_entropy(x[:-360] @ w.T + b, y[:-360]) + 1e-3 * (w * w).sum(), [w, b], 400, 1e-8)
right = ((x[-360:] @ w.T + b).argmax(1) == y[-360:]).double().mean()
print(f"{valley:.3e} {loss:.10f} {100 * right:.2f}")
