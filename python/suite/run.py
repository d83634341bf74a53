"""Runs the Array API standard's own tests (data-apis/array-api-tests) on every engine and writes docs/array-api.md.

    run.py BUILD [SUITE] [--engine NAME[=EXAMPLES]]... [--peer MODULE[=EXAMPLES]... --python PATH] [--only EXPRESSION] [--results FOLDER] [--keep] [--jobs N]

SUITE is a folder with the tests at COMMIT, with its submodule; without one, it is cloned. All tests run with the standard's version STANDARD, and those that
need a newer one with NEWER. native runs in the interpreter that runs this file, without NumPy; the engines' frameworks come from .venv where that exists.
Tests that the suite skips as flaky run as well (unskipped.py). A peer is another library, in the interpreter of --python, for comparison. Verdicts are kept in a folder, so that engines can be run one by one and the page be made of all; a run that was interrupted goes on with the test file it was in,
if the package is still the same. The page has only what is complete. The suite is never part of this repository.
Exits with 1 if a test fails that is not among the limits below.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

COMMIT, STANDARD, NEWER = "55fcc60", "2024.12", "2025.12"
LIMITS = {}  # tests that cannot pass: {(name, engine or "all"): reason}
root = pathlib.Path(__file__).resolve().parents[2]
jobs = 1  # processes that share the tests of a file


def clone(folder):
    url = "https://github.com/data-apis/array-api-tests"
    for command in (["git", "clone", "-q", url, folder], ["git", "-C", folder, "checkout", "-q", COMMIT], ["git", "-C", folder, "submodule", "-q", "update", "--init"]):
        if subprocess.run(command).returncode:
            sys.exit("array-api: the suite cannot be cloned; name a folder that has it: make array-api SUITE=folder")
    return folder


def engines(build):
    """The engines that can be used here, and their frameworks' versions."""
    python = root / ".venv/bin/python"
    code = "import json, vinea; print(json.dumps({name: e['version'] for name, e in vinea.engines().items() if e['available']}))"
    found = subprocess.run([python if python.exists() else sys.executable, "-c", code], env=dict(os.environ, PYTHONPATH=f"{build}/python"), capture_output=True, text=True)
    return json.loads(found.stdout) if found.stdout else sys.exit(found.stderr)


def namespace(engine, version):
    """Python that makes xp an engine's namespace, in the suite's notation."""
    return f"exec('import vinea; xp = vinea.engine(\"{engine}\").zeros(()).__array_namespace__(api_version=\"{version}\")')"


def interpreter(engine):
    python = root / ".venv/bin/python"
    return sys.executable if engine == "native" or not python.exists() else python


def pytest(module, python, version, build, suite, examples, what, only=None):
    """The verdicts of the tests in a file or folder of the suite: {name: (verdict, message)}. Processes that share the tests must collect them in one order: the hash seed is fixed."""
    packages = os.path.dirname(os.path.dirname(__import__("pytest").__file__))
    env = dict(os.environ, ARRAY_API_TESTS_MODULE=module, ARRAY_API_TESTS_VERSION=version, PYTHONPATH=f"{build}/python:{packages}:{pathlib.Path(__file__).parent}", PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        command = [python, "-m", "pytest", what, "-q", "--max-examples", str(examples), "--disable-deadline", "-p", "no:cacheprovider", "-p", "unskipped", "--tb=line",
                   f"--junitxml={report}", "-o", "junit_logging=no", *(["-k", only] if only else []), *(["-n", str(jobs), "--dist", "worksteal"] if jobs > 1 else [])]
        subprocess.run(command, cwd=suite, env=env, stdout=subprocess.DEVNULL)
        if not os.path.exists(report):
            sys.exit(f"array-api: pytest did not finish: {module}, {what}")
        tests = {}
        for case in xml.parse(report).iter("testcase"):
            bad = [c for c in case if c.tag in ("failure", "error", "skipped")]
            name = f"{case.get('classname').rsplit('.', 1)[-1]}::{case.get('name')}"
            tests[name] = (bad[0].tag, (bad[0].get("message") or "").split("\n")[0]) if bad else ("passed", "")
        return tests


def package(build):
    """Identifies what is tested: the package's files, the library and the engines' plugins."""
    files = [f for pattern in ("python/vinea/*.py", "python/vinea/*.so", "libvinea.so*", "engines/**/*.so") for f in sorted(pathlib.Path(build).glob(pattern))]
    return hashlib.sha256(b"".join(hashlib.sha256(f.read_bytes()).digest() for f in files)).hexdigest()


def commit():
    """The commit that is tested, with a + if files other than the page differ from it."""
    git = lambda *words: subprocess.run(["git", "-C", root, *words], capture_output=True, text=True).stdout.strip()
    return (git("rev-parse", "--short=8", "HEAD") or "no commit") + ("+" if git("status", "--porcelain", "--", ".", ":!docs/array-api.md") else "")


def by_files(kept, what, suite, test):
    """The verdicts of all files of the suite, kept after each; test(path) runs one. Those that an interrupted run of the same thing left are not run again."""
    result = json.loads(kept.read_text()) if kept.exists() else {}
    if result.get("complete") or any(result.get(key) != value for key, value in what.items()):
        result = {**what, "files": {}, "seconds": 0}
    for path in sorted((pathlib.Path(suite) / "array_api_tests").glob("test_*.py")):
        if path.stem not in result["files"]:
            begin = time.monotonic()
            result["files"][path.stem] = test(f"array_api_tests/{path.name}")
            result["seconds"] += time.monotonic() - begin
            kept.write_text(json.dumps(result, indent=0))
    result["tests"] = {name: verdict for tests in result["files"].values() for name, verdict in tests.items()}
    return result


def run(engine, build, suite, examples, kept):
    """What is kept of one engine: the verdicts with STANDARD, and with NEWER those of the tests that STANDARD skips for its version."""
    python = interpreter(engine)
    result = by_files(kept, {"examples": examples, "package": package(build)}, suite, lambda path: pytest(namespace(engine, STANDARD), python, STANDARD, build, suite, examples, path))
    newer = sorted({name.split("::")[1].split("[")[0] for name, (_, message) in result["tests"].items() if NEWER in message} | {"test_meshgrid", "test_broadcast_arrays", "test_devices"})
    result["newer"] = pytest(namespace(engine, NEWER), python, NEWER, build, suite, examples, "array_api_tests", " or ".join(newer))
    return finished(kept, {**result, "commit": commit(), "release": engines(build)[engine]})


def run_peer(name, python, build, suite, examples, kept):
    """The same of another library, with STANDARD."""
    release = subprocess.run([python, "-c", f"import {name}; print({name}.__version__)"], capture_output=True, text=True).stdout.strip()
    return finished(kept, by_files(kept, {"examples": examples, "release": release}, suite, lambda path: pytest(name, python, STANDARD, build, suite, examples, path)))


def finished(kept, result):
    del result["files"]
    kept.write_text(json.dumps({**result, "complete": True}, indent=0))
    return result


def failures(tests):
    return [name for name, (verdict, _) in tests.items() if verdict in ("failure", "error")]


def unexpected(engine, result):
    """Tests that fail although no limit says so."""
    return [name for part in ("tests", "newer") for name in failures(result[part]) if (name, engine) not in LIMITS and (name, "all") not in LIMITS]


def counts(tests):
    n = collections.Counter(verdict for verdict, _ in tests.values())
    return f"{n['passed']} | {n['failure'] + n['error']} | {n['skipped']}"


def compared(native, peers):
    """What other libraries pass in the same setup, and whether native passes it too."""
    lines = ["", "For comparison, other libraries themselves (`python/suite/run.py build SUITE --peer numpy --python INTERPRETER`):", "", "| library | examples a test | passed | failed | skipped | passes what native does not |", "|---|---|---|---|---|---|"]
    for name, peer in peers.items():
        ahead = [test for test, (verdict, _) in peer["tests"].items() if verdict == "passed" and native and native["tests"].get(test, ["passed"])[0] != "passed"]
        lines.append(f"| {name} {peer['release']} | {peer['examples']} | {counts(peer['tests'])} | {', '.join(f'`{test}`' for test in ahead) or 'nothing'} |")
    return lines if peers else []


def skipped(results):
    """Each test that the older version of the standard leaves out on an engine, why, and what it gives with the newer one."""
    found = {}
    for engine, result in results.items():
        for name, (verdict, message) in result["tests"].items():
            if verdict == "skipped":
                found.setdefault((name, message), []).append((engine, result["newer"].get(name, ["not run"])[0]))
    lines = ["", "## Skipped", "", f"| test | why, in the suite's words | engines | with {NEWER} |", "|---|---|---|---|"]
    for (name, why), at in sorted(found.items()):
        lines.append(f"| `{name}` | {why} | {', '.join(engine for engine, _ in at)} | {', '.join(sorted({verdict for _, verdict in at}))} |")
    return lines if found else []


def page(results, peers):
    lines = ["# The Array API standard's own tests", "",
             f"The suite [data-apis/array-api-tests](https://github.com/data-apis/array-api-tests) at commit {COMMIT}, with the standard's {STANDARD}, deadlines off; the tests that need {NEWER}, and",
             f"those whose answer differs there, with {NEWER}. `make array-api SUITE=folder` writes this page. native runs in an environment without NumPy. The five tests of `remainder` that the suite",
             "marks as flaky and skips are run and counted as all others.", "", f"| engine | version | commit | examples a test | {STANDARD}: passed | failed | skipped | {NEWER}: passed | failed | skipped |", "|---|---|---|---|---|---|---|---|---|---|"]
    for engine, result in results.items():
        lines.append(f"| {engine} | {result['release']} | {result['commit']} | {result['examples']} | {counts(result['tests'])} | {counts(result['newer'])} |")
    lines += compared(results.get("native"), peers) + skipped(results) + ["", "## Failures", ""]
    failed = {}
    for engine, result in results.items():
        for name in failures(result["tests"]) + failures(result["newer"]):
            failed.setdefault(name, []).append(engine)
    if not failed:
        return "\n".join(lines + ["None."]) + "\n"
    lines += ["| test | engines | reason |", "|---|---|---|"]
    escape = lambda text: text.replace("|", "\\|")
    for name, engines in sorted(failed.items()):
        reasons = {LIMITS.get((name, e)) or LIMITS.get((name, "all")) or "" for e in engines}
        lines.append(f"| `{escape(name)}` | {', '.join(engines)} | {escape('; '.join(sorted(filter(None, reasons))))} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("suite", nargs="?")
    parser.add_argument("--engine", action="append", metavar="NAME[=EXAMPLES]", help="only these, with 200 examples a test unless given")
    parser.add_argument("--peer", action="append", default=[], metavar="MODULE[=EXAMPLES]", help="another library, for comparison")
    parser.add_argument("--python", help="the interpreter that has it")
    parser.add_argument("--only", metavar="EXPRESSION", help="only the tests that pytest's -k selects; the page is not written")
    parser.add_argument("--results", metavar="FOLDER", help="keep the verdicts here; default BUILD/array-api")
    parser.add_argument("--keep", action="store_true", help="print the page instead of writing it")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="this many processes share the tests of each file; default 1")
    args = parser.parse_args()
    global jobs
    jobs = args.jobs
    build = os.path.abspath(args.build)
    kept = pathlib.Path(args.results or f"{build}/array-api")
    for part in ("engines", "peers"):
        (kept / part).mkdir(parents=True, exist_ok=True)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        suite = args.suite or clone(os.path.join(folder, "suite"))
        for word in args.peer:
            name, _, number = word.partition("=")
            peer = run_peer(name, args.python or sys.executable, build, suite, int(number or 200), kept / "peers" / f"{name}.json")
            print(f"{name:12s} {counts(peer['tests'])} passed, failed, skipped with {STANDARD}; {peer['seconds']:.0f} s", flush=True)
        for word in args.engine or ([] if args.peer else engines(build)):
            engine, _, number = word.partition("=")
            if args.only:
                result = {"tests": pytest(namespace(engine, STANDARD), interpreter(engine), STANDARD, build, suite, int(number or 200), "array_api_tests", args.only), "newer": {}, "seconds": 0}
            else:
                result = run(engine, build, suite, int(number or 200), kept / "engines" / f"{engine}.json")
            print(f"{engine:12s} {counts(result['tests'])} passed, failed, skipped with {STANDARD}; {counts(result['newer'])} with {NEWER}; {result['seconds']:.0f} s", flush=True)
            for name in unexpected(engine, result):
                failed = True
                print(f"  {name}", flush=True)
            if not args.only and not args.keep:  # after every engine, so that an interrupted run leaves what it has
                (root / "docs/array-api.md").write_text(page_of(kept))
    if args.keep and not args.only:
        print(page_of(kept))
    elif args.peer:
        (root / "docs/array-api.md").write_text(page_of(kept))
    sys.exit(failed)


def page_of(kept):
    """The page of all complete verdicts in a folder."""
    results, peers = ({f.stem: r for f in sorted((kept / part).glob("*.json")) if (r := json.loads(f.read_text())).get("complete")} for part in ("engines", "peers"))
    return page({e: results[e] for e in ("native", *results) if e in results}, peers)


if __name__ == "__main__":
    main()
