"""run.py [--quick] BUILD: compares every engine from C (bench.c) with its framework from Python (peers.py), for `make bench`.

Both sides of a pair are separate processes that stay warm; rounds of equal number and length alternate between them, so that both
see the same conditions on a shared machine. A ratio below 1 means that Vinea is faster. Missing engines and frameworks are reported.
Runs on any Python 3; the frameworks are those of the interpreter that runs it.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

import page
import peers_workloads

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = {
    "add": "one-element add, one by one",
    "captured_add": "the same as a captured function",
    "chain": "150 ops, recorded and evaluated",
    "captured_chain": "the same as a captured function",
    "step": "linreg training step, 256 x 3",
    "mlp": "MLP training step with Adam, batch 128",
    "cnn": "convnet training step with Adam, batch 64",
    "sdpa_fb": "attention forward and backward",
}
# Less exact products, held against the frameworks' float32 ones.
ROUNDED = [name + "_" + mode for name in ("mm1024", "mm2048") for mode in ("split", "fast", "bf16")]
CURVES = {  # kind -> what it is, its sizes, and the work of a size
    "mm": ("matrix product, N x N", [16 << k for k in range(9)], lambda n: n**3),
    "ew": ("tanh(ab + c) exp(-aa) of N elements", [10**k for k in range(9)], lambda n: n),
    "mlp": ("MLP training step with a batch of N", [1 << k for k in range(10)], lambda n: n),
}


class Worker:
    """One side of a pair: a process that answers a line with a time."""

    def __init__(self, name, command):
        self.name, self.error = name, None
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.expect_ready()

    def expect_ready(self):
        line = self.process.stdout.readline().strip()
        if line != "ready":
            self.fail(line.removeprefix("error: ") or "it ended at its start")

    def fail(self, text):
        self.error = text
        self.close()

    def measure(self, case, seconds, quiet=False):
        """Seconds per unit, or None when the case fails; the reason is printed, unless the framework just has no such case."""
        line = ""
        try:
            self.process.stdin.write("%s %g\n" % (case, seconds))
            self.process.stdin.flush()
            line = self.process.stdout.readline().strip()
            return float(line)
        except (OSError, ValueError) as error:
            if not (quiet and "no such case" in line):
                print("%s, %s: %s" % (self.name, case, line or error))
            return None

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def time_text(seconds):
    for unit, size in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * size:
            return "%.*f %s" % (0 if unit == "ns" else 2, seconds / size, unit)
    return "%.2f s" % seconds


def both(values):
    """best (median)"""
    return "%s (%s)" % (time_text(min(values)), time_text(statistics.median(values)))


def ratio(ours, theirs):
    return "%.2f (%.2f)" % (min(ours) / min(theirs), statistics.median(ours) / statistics.median(theirs))


def summary(pairs):
    """Geometric means of the ratios of pairs (ours, theirs), and how many are above 1."""
    text = []
    for name, of in (("best", min), ("median", statistics.median)):
        ratios = [of(ours) / of(theirs) for ours, theirs in pairs]
        text.append("%.2f by %s (%d of %d above 1)" % (math.exp(statistics.fmean(map(math.log, ratios))), name, sum(r > 1 for r in ratios), len(ratios)))
    return "geometric mean of the ratios: " + ", ".join(text)


def print_table(rows):
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print(flush=True)


def machine():
    """The processor and how many of them this process may use."""
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "an unnamed processor")
    return "%s, %d processors" % (model, len(os.sched_getaffinity(0)))


def alternate(workers, cases, rounds, seconds, quiet=False):
    """Rounds of each worker's case, taking turns; one list of times per worker, empty where it failed."""
    times = [[] for _ in workers]
    for _ in range(rounds):
        for i, (worker, case) in enumerate(zip(workers, cases)):
            took = None if worker is None or worker.error else worker.measure(case, seconds, quiet)
            if took is None:
                workers[i] = None
            else:
                times[i].append(took)
    return [t if w else [] for t, w in zip(times, workers)]


def start_up(command):
    """Seconds and peak MiB of a process that computes one op, or None."""
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    seconds = time.perf_counter() - start
    return (seconds, int(done.stdout.split()[-1]) / 1024) if done.returncode == 0 else None


class Bench:
    def __init__(self, build, quick):
        self.program = os.path.join(build, "bench", "vinea-bench")
        self.command = os.path.join(build, "vinea")
        self.rounds, self.seconds = (2, 0.005) if quick else (15, 0.1)
        self.starts = 1 if quick else 5
        self.quick = quick
        self.best = {}  # case -> the fastest framework's name and times
        self.figures = {"machine": machine(), "summary": None, "workloads": [], "curves": []}

    def engines(self):
        listed = json.loads(subprocess.run([self.command, "engines", "--json"], check=True, capture_output=True, text=True).stdout)
        for engine in listed:
            if not engine["available"]:
                print("engine %s is not available: %s" % (engine["name"], engine["message"]))
        return [engine["name"] for engine in listed if engine["available"]]

    def ours(self, engine, *words):
        return [self.program, engine, *words]

    def theirs(self, framework, *words):
        return [sys.executable, os.path.join(HERE, "peers.py"), framework, *words]

    def pair(self, engine):
        """The engine and the framework of the same name; the second is None where there is none."""
        vinea = Worker(engine, self.ours(engine))
        if engine == "native":
            return [vinea, None]
        peer = Worker(engine + " from Python", self.theirs(engine))
        for worker in (vinea, peer):
            if worker.error:
                print("%s is left out: %s" % (worker.name, worker.error))
        return [vinea, peer]

    def compare(self, engine):
        rows = []
        workers = self.pair(engine)
        alive = [w for w in workers if w and not w.error]
        for case, text in CASES.items():
            ours, theirs = alternate(list(workers), [case] * 2, self.rounds, self.seconds, quiet=True)
            if theirs and (case not in self.best or min(theirs) < min(self.best[case][1])):
                self.best[case] = (engine, theirs)
            rows.append((engine, case, text, ours, theirs))
        for worker in alive:
            worker.close()
        return rows

    def record(self):
        worker = Worker("native", self.ours("native"))
        times = [] if worker.error else alternate([worker], ["record"], self.rounds, self.seconds)[0]
        if times:
            print("native, one-element add recorded and evaluated in a chain of 1000: %s an op, best (median); the aim is below 150 ns\n" % both(times))
        if not worker.error:
            worker.close()
        return bool(times)

    def memory(self):
        """The memory of a training step with Adam, over what must be there."""
        done = subprocess.run(self.ours("native", "memory"), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        words = done.stdout.split()
        good = done.returncode == 0 and len(words) == 2 and 0 < float(words[1]) <= 1.15
        print("native, memory of a training step with Adam over that of parameters, moments, gradients and activations: %s; the aim is at most 1.15\n" % (words[-1] if words else "failed"), flush=True)
        return good

    def python(self):
        """The Python package beside NumPy, where this interpreter has NumPy and the package was built."""
        package = os.path.join(os.path.dirname(self.program), "..", "python")
        command = [sys.executable, os.path.join(HERE, "python.py"), "%g" % self.seconds]
        done = subprocess.run(command, env=dict(os.environ, PYTHONPATH=package), capture_output=True, text=True)
        if done.returncode:
            print("the Python package is left out: %s\n" % (done.stderr.strip().splitlines() or ["it failed"])[-1])
            return "No module named" in done.stderr
        rows = [("from Python, 16 floats", "vinea: best", "NumPy", "ratio")]
        for line in done.stdout.splitlines():
            name, ours, theirs = line.split("\t")
            rows.append((name, time_text(float(ours)), time_text(float(theirs)), "%.2f" % (float(ours) / float(theirs))))
        print_table(rows)
        return True

    def table(self, engines):
        """One table; native, which has no framework, is held against the fastest of them."""
        measured = [row for engine in engines if engine != "native" for row in self.compare(engine)]
        native = self.compare("native") if "native" in engines else []
        rows = [("engine", "case", "vinea: best (median)", "framework from Python", "ratio")]
        for engine, case, text, ours, theirs in native + measured:
            name = ""
            if engine == "native" and case in self.best:
                name, theirs = self.best[case]
                name = ", " + name
            rows.append((engine, text, both(ours) if ours else "failed", both(theirs) + name if theirs else "-", ratio(ours, theirs) if ours and theirs else "-"))
        print_table(rows)
        return all(ours for _, _, _, ours, _ in native + measured)

    def everyone(self):
        """The native engine and all frameworks that start."""
        workers = [Worker("native", self.ours("native"))] + [Worker(f, self.theirs(f)) for f in peers_workloads.WORKLOADS]
        for worker in workers:
            if worker.error:
                print("%s is left out: %s" % (worker.name, worker.error))
        return workers

    def workloads(self, only):
        """The native engine on every workload, beside all frameworks; the ratio is to the fastest of them."""
        names = subprocess.run([self.program, "--list"], check=True, capture_output=True, text=True).stdout.split() + ROUNDED
        unknown = [name for name in only or [] if name not in names]
        if unknown:
            sys.exit("run.py: there is no workload %s; there are %s" % (", ".join(unknown), ", ".join(names)))
        names = [name for name in names if not only or name in only]
        workers = self.everyone()
        rows = [("workload", "native: best (median)", *[w.name for w in workers[1:]], "ratio to the fastest")]
        good, pairs = True, []
        for name in names:
            base = name.rsplit("_", 1)[0] if name in ROUNDED else name
            cases = [name] + [base] * (len(workers) - 1)
            times = alternate([None if w.error else w for w in workers], cases, 2 if self.quick else 5, self.seconds if self.quick else max(self.seconds, 0.2), quiet=True)
            fastest = min((t for t in times[1:] if t), key=min, default=None)
            rows.append((name, *[both(t) if t else "-" for t in times], ratio(times[0], fastest) if times[0] and fastest else "-"))
            good = good and bool(times[0])
            ratios = [of(times[0]) / of(fastest) if times[0] and fastest else None for of in (min, statistics.median)]
            self.figures["workloads"].append({"name": name, "times": {w.name: t for w, t in zip(workers, times)}, "ratio": ratios[0], "median_ratio": ratios[1]})
            if ratios[0] and name not in ROUNDED:
                pairs.append((times[0], fastest))
            print("  ".join(rows[-1]), flush=True)
        print()
        for worker in workers:
            if not worker.error:
                worker.close()
        print_table(rows)
        if pairs:
            self.figures["summary"] = summary(pairs)
            print(self.figures["summary"] + "\n")
        return good

    def curves(self):
        """Time against size, and where a size costs native more than 1.3 times what the rate of the size before predicts."""
        good = True
        workers = self.everyone()
        for kind, (text, sizes, work) in CURVES.items():
            sizes = sizes[:3] if self.quick else sizes
            times = {w.name: [] for w in workers}
            rows = [("%s, N" % text, "native: best", *[w.name for w in workers[1:]], "native: rate against the size before")]
            for n in sizes:
                took = alternate([None if w.error else w for w in workers], ["%s:%d" % (kind, n)] * len(workers), 2 if self.quick else 3, self.seconds, quiet=True)
                best = [min(t) if t else None for t in took]
                for w, t in zip(workers, best):
                    times[w.name].append(t)
                own = times["native"]
                good = good and bool(own[-1])
                step = work(n) / work(sizes[len(own) - 2]) * own[-2] / own[-1] if len(own) > 1 and own[-1] and own[-2] else None
                rows.append((str(n), *[time_text(t) if t else "-" for t in best], "-" if step is None else "%.2f%s" % (step, " (a cliff)" if step < 1 / 1.3 else "")))
            print_table(rows)
            self.figures["curves"].append({"kind": kind, "text": text, "sizes": sizes, "times": times})
        for worker in workers:
            if not worker.error:
                worker.close()
        return good

    def write(self, folder, join):
        """bench.json and a page, index.html, in a folder; `join`: beside the rows that an earlier run has written there."""
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "bench.json")
        if join and os.path.exists(path):
            with open(path) as file:
                before = json.load(file)
            for part, name in (("workloads", "name"), ("curves", "kind")):
                new = {row[name] for row in self.figures[part]}
                self.figures[part] = [row for row in before[part] if row[name] not in new] + self.figures[part]
            pairs = [(r["times"]["native"], min((t for n, t in r["times"].items() if n != "native" and t), key=min)) for r in self.figures["workloads"] if r["ratio"] and r["name"] not in ROUNDED]
            self.figures["summary"] = summary(pairs) if pairs else None
        with open(path, "w") as file:
            json.dump(self.figures, file, indent=1)
            file.write("\n")
        with open(os.path.join(folder, "index.html"), "w") as file:
            file.write(page.page(self.figures))
        print("wrote %s and %s" % (path, os.path.join(folder, "index.html")))

    def starts_table(self, engines):
        rows = [("start-up with first op", "vinea: best", "peak memory", "framework from Python", "peak memory")]
        for engine in engines:
            cells = [engine]
            for command in (self.ours(engine, "first"), None if engine == "native" else self.theirs(engine, "first")):
                runs = [r for r in (start_up(command) for _ in range(self.starts)) if r] if command else []
                cells += [time_text(min(r[0] for r in runs)), "%.0f MiB" % min(r[1] for r in runs)] if runs else ["-", "-"]
            rows.append(tuple(cells))
        print_table(rows)


def main():
    parser = argparse.ArgumentParser(description="Compares every engine from C with its framework from Python.")
    parser.add_argument("--quick", action="store_true", help="two very short rounds: shows that everything runs, measures nothing")
    parser.add_argument("--only", metavar="NAMES", help="these workloads and nothing else, separated by commas")
    parser.add_argument("--threads", metavar="N", type=int, help="both sides run on the first N processors; all unless given")
    parser.add_argument("--curves", action="store_true", help="only time against size")
    parser.add_argument("--out", metavar="FOLDER", help="write bench.json and a page, index.html; several runs with --only or --curves are joined there")
    parser.add_argument("build", help="the build folder")
    args = parser.parse_args()
    if args.threads is not None:
        processors = sorted(os.sched_getaffinity(0))
        if not 1 <= args.threads <= len(processors):
            parser.error("--threads %d: this machine has 1 to %d" % (args.threads, len(processors)))
        os.sched_setaffinity(0, processors[: args.threads])
    bench = Bench(args.build, args.quick)
    engines = bench.engines()
    print("%d rounds of %g s, taking turns; best (median); a ratio below 1 means that Vinea is faster\n" % (bench.rounds, bench.seconds), flush=True)
    if args.only or args.curves:
        good = bench.workloads(args.only.split(",")) if args.only else True
        good = bench.curves() and good if args.curves else good
    else:
        good = bench.record()
        good = bench.memory() and good
        good = bench.python() and good
        good = bench.table(engines) and good
        bench.starts_table(engines)
        good = bench.workloads(None) and good
        good = bench.curves() and good
    if args.out:
        bench.write(args.out, join=bool(args.only or args.curves))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
