"""Threads, fork, spawned processes, subinterpreters, and the end of the process."""
# ctest: seconds 14
# ctest: frameworks
import importlib
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import unittest
import warnings

import vinea as vn


def square(n):
    return vn.sum(vn.arange(n, dtype=vn.float32) ** 2).item()


def where(x):
    return x.engine, (x * 2).tolist()


def where_in_a_block(x):
    with vn.use("native"):
        return where(x)


def doubled(x):
    return x * 2


def on_engine(name):
    return vn.engine(name).ones(3).sum().item()


class Threads(unittest.TestCase):
    def test_threads(self):
        wrong = []

        def work(seed):
            for _ in range(200):
                x = vn.asarray([float(seed)] * 8)
                x[0] = 1
                if (x + x).sum().item() != 2 + 14 * seed:
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_shared_array(self):
        """Threads that read an array while others assign to it see one of its values."""
        x, wrong, stop = vn.zeros((1000,)), [], threading.Event()

        def write():
            for k in range(300):
                x[...] = float(k)
            stop.set()

        def read():
            while not stop.is_set():
                y = (x + 0)[::7].tolist()
                if len(set(y)) != 1:
                    wrong.append(y)

        threads = [threading.Thread(target=f) for f in (write, read, read)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_elements_while_assigned(self):
        """Elements that are read in C belong to one value, also where the engine hands out memory of its own."""
        for engine in [e for e in ("native", "numpy", "torch") if vn.engines()[e]["available"]]:
            x, wrong = vn.engine(engine).zeros((20000,)), []

            def write(value):
                for _ in range(300):
                    x[:] = value

            def read():
                for _ in range(300):
                    for values in (x.tolist(), memoryview(x).tolist()):
                        if len(set(values)) != 1 or values[0] not in (0.0, 1.0, 2.0):
                            wrong.append(sorted(set(values))[:4])

            threads = [threading.Thread(target=f, args=a) for f, a in ((write, (1.0,)), (write, (2.0,)), (read, ()), (read, ()))]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(wrong, [], engine)

    def test_elements_assigned(self):
        """Threads assign elements while others read: nothing fails, and no thread's elements are lost."""
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        for engine in [e for e in ("native", "numpy", "torch") if vn.engines()[e]["available"]]:
            x, errors, writing = vn.engine(engine).zeros(100), [], [0, 1]

            def guarded(work, *args):
                try:
                    work(*args)
                except Exception as e:
                    errors.append(e)
                    writing.clear()

            def write(first):
                for k in range(1, 31):
                    for i in range(first, 100, 2):
                        x[i] = float(k)
                if writing:
                    writing.remove(first)

            def read():
                while writing:
                    float(x.sum())
                    vn.astype(x, vn.float16).tolist()

            threads = [threading.Thread(target=guarded, args=a) for a in ((write, 0), (write, 1), (read,), (read,))]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(errors, [], engine)
            self.assertEqual(x.tolist(), [30.0] * 100, engine)

    def test_lock_is_free(self):
        """Another thread runs while a large product is computed."""
        x = vn.ones((1500, 1500)).eval()
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)

        t = threading.Thread(target=tick)
        t.start()
        start = time.perf_counter()
        for _ in range(4):
            (x @ x).eval()
        end = time.perf_counter()
        stop.set()
        t.join()
        inside = [k for k in ticks if start < k < end]
        self.assertGreater(len(inside), (end - start) / 0.05)

    def test_processes(self):
        for how in ("spawn", "fork"):
            with multiprocessing.get_context(how).Pool(2) as pool:
                self.assertEqual(pool.map(square, [3, 4]), [5, 14])

    def test_fork_with_an_engine(self):
        """Arrays of an engine that does not work in a forked process arrive there on the native one, and what uses the engine fails: nothing waits for ever."""
        for engine in ("numpy", "jax"):
            try:
                xp = vn.engine(engine)
            except vn.EngineError:
                continue
            x = xp.ones(3) + 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with multiprocessing.get_context("fork").Pool(1) as pool:
                    found = pool.map_async(where, [x]).get(timeout=60)
                    self.assertEqual(found, [("native", [4, 4, 4])])
                    self.assertEqual([y.engine for y in pool.map_async(doubled, [x]).get(timeout=60)], ["native"])
                    with self.assertRaisesRegex(vn.EngineError, "fork"):
                        pool.map_async(on_engine, [engine]).get(timeout=60)
                with vn.use(engine), multiprocessing.get_context("fork").Pool(1) as pool:  # the child has that selection
                    self.assertEqual(pool.map_async(where_in_a_block, [x, x[:0]]).get(timeout=60), [("native", [4, 4, 4]), ("native", [])])

    def test_fork_inside_a_block(self):
        """A block ends in the forked process although the engine around it does not work there; what would use that engine says so."""
        if not vn.engines()["numpy"]["available"]:
            self.skipTest("NumPy is not installed")
        code = """import os, vinea as vn
vn.use("numpy")
child = os.fork()
if not child:
    with vn.use("native"):
        good = vn.ones(3).sum().item() == 3
    try:
        vn.ones(2)
        good = False
    except vn.EngineError as why:
        good = good and "fork" in str(why)
    vn.use("native")
    os._exit(0 if good and vn.ones(2).engine == "native" else 1)
print(os.waitpid(child, 0)[1], vn.ones(2).engine)"""
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "0 numpy\n"), done.stderr[-2000:])

    def test_fork_while_an_engine_is_loaded(self):
        """Neither process waits for ever: the parent has the engine, the child the native one, and a clear refusal of the other if it was being loaded."""
        code = """import os, sys, threading, time, vinea as vn
engine, delay = sys.argv[1], float(sys.argv[2])
begun, loaded = threading.Event(), []
def load():
    begun.set()
    loaded.append(vn.engine(engine).ones(2).sum().item())
thread = threading.Thread(target=load)
thread.start()
begun.wait()
time.sleep(delay)
child = os.fork()
if not child:
    good = vn.ones(3).sum().item() == 3
    try:
        good = good and vn.engine(engine).ones(2).sum().item() == 2
    except vn.EngineError as why:
        good = good and "fork" in str(why) and "install" not in str(why)
    os._exit(0 if good else 1)
status = os.waitpid(child, 0)[1]
thread.join()
print(status, loaded)"""
        for engine, delays in (("numpy", (0, 0.01, 0.05)), ("torch", (0.05,)), ("jax", (0.01, 0.3))):
            if not vn.engines()[engine]["available"]:
                continue
            for delay in delays:
                with self.subTest(engine=engine, delay=delay):
                    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, engine, str(delay)], capture_output=True, text=True, timeout=60)
                    self.assertEqual((done.returncode, done.stdout), (0, "0 [2.0]\n"), done.stderr[-2000:])

    def test_engine_is_the_threads(self):
        seen = []
        t = threading.Thread(target=lambda: seen.append(vn.zeros(1).engine))
        t.start()
        t.join()
        self.assertEqual(seen, ["native"])

    def test_ends(self):
        code = "import vinea as vn\nx = vn.asarray([1.0, 2.0])\ny = x * 2\nkeep = memoryview(x)\nc = y.__dlpack__()\nprint(y.tolist())"
        done = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, env=os.environ)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "[2.0, 4.0]\n", ""))

    def test_exit_while_computing(self):
        """Daemon threads that compute, on any engine, do not keep the process from ending; the interpreter stops them wherever they are, and they print
        nothing."""
        code = """import sys, threading, time, vinea as vn
try:
    vn.use(sys.argv[1])
except vn.EngineError:
    print("end")
    sys.exit()
def work():
    with vn.use(sys.argv[1]):
        x = vn.ones((200, 200)).eval()
        ready.set()
        while True:
            x = (x @ x * 1e-3 + 1).eval()
ready = threading.Event()
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
ready.wait()
time.sleep(0.2)
print("end", flush=True)"""
        for engine in vn._vinea.engine_names():
            done = subprocess.run([sys.executable, "-c", code, engine], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, "end\n"), (engine, done.stderr[-2000:]))
            self.assertNotIn("Traceback", done.stderr, engine)

    def test_interrupted_training(self):
        """Ctrl-C ends a training, also without a callback."""
        code = """import os, signal, threading, vinea as vn
x = vn.random.normal(0, 1, (64, 3))
net = vn.nn.Sequential(vn.nn.linear(3, 1))
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    net.fit(x, x[:, :1], epochs=10**8)
except KeyboardInterrupt:
    print("interrupted", vn.ones(2).tolist())"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "interrupted [1.0, 1.0]\n", ""))

    def test_subinterpreters(self):
        """Of every kind that this Python has: the old ones share the lock, those of 3.13 may have one of their own."""
        for name, kinds in (("_interpreters", ("isolated", "legacy")), ("_xxsubinterpreters", (None,))):
            try:
                sub = importlib.import_module(name)
            except ImportError:
                continue
            for kind in kinds:
                one = sub.create(kind) if kind else sub.create()
                try:
                    failed = str(sub.run_string(one, "import vinea"))  # 3.13 returns the exception
                except Exception as why:
                    failed = str(why)
                self.assertRegex(failed, "subinterpreters")
                sub.destroy(one)
            return
        self.skipTest("this Python has no module for subinterpreters")


if __name__ == "__main__":
    unittest.main()
