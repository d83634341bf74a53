"""Programs with type annotations pass `mypy --strict`, and mistakes in them are found. mypy comes from .venv-packages (requirements.txt, which `make test` installs)."""
# ctest: seconds 4
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import vinea as vn

root = pathlib.Path(__file__).resolve().parents[2]
packages = [*map(str, (root / ".venv-packages").glob("lib/python3.*/site-packages"))]
if not any(os.path.isdir(os.path.join(folder, "mypy")) for folder in packages):
    print("skipped: there is no mypy (make test installs it)")
    sys.exit(77)

RIGHT = '''
from typing import Any
import vinea as vn

class Net(vn.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = vn.nn.linear(2, 16)
        self.scale = vn.nn.Parameter(vn.ones(2))

    def forward(self, x: vn.Array) -> vn.Array:
        y: vn.Array = vn.tanh(self.first(x)) * 2 + 1
        return y

def loss(p: dict[str, vn.Array], x: vn.Array) -> vn.Array:
    return vn.mean((x @ p["w"] - 1) ** 2)

@vn.jit
def step(w: vn.Array) -> vn.Array:
    return w * 2

@vn.custom_gradient
def straight(x: vn.Array) -> vn.Array:
    return vn.round(x)

@straight.gradient
def back(x: vn.Array, y: vn.Array, ct: vn.Array) -> vn.Array:
    return ct

@vn.no_grad()
def quiet(x: vn.Array) -> vn.Array:
    return x + 1

x: vn.Array = vn.random.normal(0, 1, (4, 3))
y: vn.Array = x[0] + x[1:, None] - x[..., 0] / 2 // 3 % 4
z: vn.Array = -x.T.reshape(3, 4).astype(vn.float64)
numbers: tuple[tuple[int, ...], int, vn.DType, float, bool] = (x.shape, x.ndim, x.dtype, float(x[0, 0]), bool(x[0, 0] > 1))
value, grads = vn.value_and_grad(loss)({"w": x}, x)
q, r = vn.linalg.qr(x)
u: vn.Array = vn.linalg.svd(x).U + vn.unique_all(x).values
with vn.use("native", everywhere=True), vn.no_grad(), vn.autocast("bfloat16"):
    o: vn.Array = vn.ones((2, 3), dtype=vn.int32)
net, optimizer = Net(), vn.nn.adam(0.01, beta1=0.8)
optimizer.step({"w": x}, {"w": x})
history: dict[str, Any] = net.fit(x, x, epochs=1, optimizer=optimizer)
x[0] = 3
x[0, 1:] = x[1, 1:]
x += vn.where(x > 0, x, 0.0) + step(x) + quiet(x) + x.at[0].set(1)
rows: list[vn.Array] = [row.sum() for row in x]
print(vn.concat([x, x], axis=0), vn.einsum("ij,kj->ik", x, x), vn.finfo(x.dtype).eps, vn.tree.map(lambda a: a * 2, {"a": x}), vn.hessian(lambda x: vn.sum(x**3))(x))
'''

WRONG = ("vn.use()", "vn.use('native')(len)", "vn.use('native', everywher=True)", "vn.ones(3).shap", "vn.ones(3).ndim + 'a'", "vn.sum(vn.ones(3), axs=1)", "vn.nn.adam(0.1, beta=1)",
         "vn.no_such_function(3)", "vn.linalg.svd(vn.ones((2, 2))).V", "vn.nn.no_such_layer()", "vn.jit(3)")


class Annotations(unittest.TestCase):
    def check(self, text):
        """What mypy says about a program."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(text)
            env = dict(os.environ, MYPYPATH=str(pathlib.Path(vn.__file__).parents[1]), PYTHONPATH=":".join(packages))
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--no-error-summary", "--cache-dir", folder, program], env=env, cwd=folder, capture_output=True, text=True)
            return done.stdout + done.stderr

    def test_right(self):
        self.assertEqual(self.check(RIGHT), "")

    def test_wrong(self):
        found = self.check("import vinea as vn\n" + "".join(text + "\n" for text in WRONG))
        for k, text in enumerate(WRONG):
            self.assertIn(f"program.py:{k + 2}: error", found, text)


if __name__ == "__main__":
    unittest.main()
