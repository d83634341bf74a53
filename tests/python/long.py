"""A million mixed calls leave memory and handles where they were; minutes of odd arguments (fuzz.py) leave the interpreter alive."""
# ctest: seconds 600
# ctest: full
import gc
import pathlib
import subprocess
import sys
import unittest

import vinea as vn


def resident():
    """KiB of the process that are in memory."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


class Long(unittest.TestCase):
    def test_a_million_calls(self):
        f = vn.jit(lambda a, b: {"y": a * b + 1})
        net, sgd = vn.nn.Sequential(vn.nn.linear(3, 2)), vn.nn.sgd(0.01)
        x = vn.ones((4, 3))
        net(x)

        def work():  # 50 calls
            a = vn.asarray([1.0, 2.0, 3.0])
            b = a + 1
            a[0] = 2
            a += b
            y = vn.exp(a) * b[1:].sum() - a.mean() + a[1] + a[-1:]
            y = vn.concat([y, a, b]).reshape(3, 3) @ vn.eye(3)
            y[1, 1] = 7.0
            y[y > 100] = 0
            y.tolist(), y.item if y.size == 1 else None, float(y[0, 0]), memoryview(y), bytes(a), repr(a)
            y.__dlpack__(max_version=(1, 0)), y.__dlpack__(), vn.from_dlpack(a)
            vn.topk(y, 2), vn.sort(a), vn.unique_values(a), vn.where(a > 1, a, b), a.at[0].add(1), a[[0, 2]], a[vn.asarray([True, False, True])]
            vn.grad(lambda v: vn.sum(v * v))(a)
            f(a, b)["y"].eval()
            loss, grads = net.value_and_grad(lambda: vn.mean(net(x) ** 2))
            sgd.step(net, grads)
            vn.random.normal(0, 1, (3,)), vn.tree.map(lambda v: v + 1, {"a": a, "b": [b]}), a.astype("int32"), a.copy(), vn.vjp(lambda v: v * 2, a, b)
            for bad in (lambda: a @ vn.zeros((2, 2)), lambda: a[9], lambda: vn.asarray("no"), lambda: vn.grad(lambda v: v)(a)):
                try:
                    bad()
                except (ValueError, TypeError, IndexError):
                    pass

        for _ in range(200):
            work()
        gc.collect()
        memory, before = resident(), vn.memory()
        for k in range(20000):
            work()
        gc.collect()
        after = vn.memory()
        self.assertLessEqual(after["handles"], before["handles"] + 8)
        self.assertLessEqual(after["nodes"], before["nodes"] + 8)
        self.assertLess(resident() - memory, 4096)

    def test_odd_arguments(self):
        script = str(pathlib.Path(__file__).with_name("fuzz.py"))
        for seed in range(100, 106):
            done = subprocess.run([sys.executable, "-B", "-X", "faulthandler", script, "20", str(seed)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"seed {seed}: {done.stderr[-3000:]}")


if __name__ == "__main__":
    unittest.main()
