"""Runs the Array API standard's own tests (data-apis/array-api-tests) on every engine and writes docs/array-api.md.

    run.py BUILD [SUITE] [--engine NAME[=EXAMPLES]]... [--only EXPRESSION] [--results FOLDER] [--keep]

SUITE is a folder with the tests at COMMIT, with its submodule; without one, it is cloned. All tests run with the standard's version STANDARD, and those that
need a newer one with NEWER. native runs in the interpreter that runs this file, without NumPy; the engines' frameworks come from .venv where that exists.
Verdicts are kept in a folder, so that engines can be run one by one and the page be made of all. The suite is never part of this repository.
Exits with 1 if a test fails that is not among the limits below.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

COMMIT, STANDARD, NEWER = "55fcc60", "2024.12", "2025.12"
LIMITS = {}  # tests that cannot pass: {(name, engine or "all"): reason}
root = pathlib.Path(__file__).resolve().parents[2]


def clone(folder):
    url = "https://github.com/data-apis/array-api-tests"
    for command in (["git", "clone", "-q", url, folder], ["git", "-C", folder, "checkout", "-q", COMMIT], ["git", "-C", folder, "submodule", "-q", "update", "--init"]):
        if subprocess.run(command).returncode:
            sys.exit("array-api: the suite cannot be cloned; name a folder that has it: make array-api SUITE=folder")
    return folder


def engines(build):
    """The names of the engines that can be used here."""
    python = root / ".venv/bin/python"
    code = "import vinea; print(*[name for name, e in vinea.engines().items() if e['available']])"
    found = subprocess.run([python if python.exists() else sys.executable, "-c", code], env=dict(os.environ, PYTHONPATH=f"{build}/python"), capture_output=True, text=True)
    return found.stdout.split() or sys.exit(found.stderr)


def pytest(engine, version, build, suite, examples, only):
    """The verdicts of tests on one engine: {name: (verdict, message)}."""
    packages = os.path.dirname(os.path.dirname(__import__("pytest").__file__))
    python = root / ".venv/bin/python"
    if engine == "native" or not python.exists():
        python = sys.executable
    module = f"exec('import vinea; xp = vinea.engine(\"{engine}\").zeros(()).__array_namespace__(api_version=\"{version}\")')"
    env = dict(os.environ, ARRAY_API_TESTS_MODULE=module, ARRAY_API_TESTS_VERSION=version, PYTHONPATH=f"{build}/python:{packages}", PYTHONDONTWRITEBYTECODE="1")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        command = [python, "-m", "pytest", "array_api_tests", "-q", "--max-examples", str(examples), "--disable-deadline", "-p", "no:cacheprovider", "--tb=line",
                   f"--junitxml={report}", "-o", "junit_logging=no", *(["-k", only] if only else [])]
        subprocess.run(command, cwd=suite, env=env, stdout=subprocess.DEVNULL)
        if not os.path.exists(report):
            sys.exit(f"array-api: pytest did not finish on {engine}")
        tests = {}
        for case in xml.parse(report).iter("testcase"):
            bad = [c for c in case if c.tag in ("failure", "error", "skipped")]
            name = f"{case.get('classname').rsplit('.', 1)[-1]}::{case.get('name')}"
            tests[name] = (bad[0].tag, (bad[0].get("message") or "").split("\n")[0]) if bad else ("passed", "")
        return tests


def run(engine, build, suite, examples, only):
    """What is kept of one engine: the verdicts with STANDARD, and with NEWER those of the tests that STANDARD skips for its version."""
    tests = pytest(engine, STANDARD, build, suite, examples, only)
    newer = sorted({name.split("::")[1].split("[")[0] for name, (_, message) in tests.items() if NEWER in message} | {"test_meshgrid", "test_broadcast_arrays", "test_devices"})
    return {"examples": examples, "tests": tests, "newer": pytest(engine, NEWER, build, suite, examples, " or ".join(newer)) if not only else {}}


def failures(tests):
    return [name for name, (verdict, _) in tests.items() if verdict in ("failure", "error")]


def unexpected(engine, result):
    """Tests that fail although no limit says so."""
    return [name for part in ("tests", "newer") for name in failures(result[part]) if (name, engine) not in LIMITS and (name, "all") not in LIMITS]


def counts(tests):
    n = collections.Counter(verdict for verdict, _ in tests.values())
    return f"{n['passed']} | {n['failure'] + n['error']} | {n['skipped']}"


def page(results):
    lines = ["# The Array API standard's own tests", "",
             f"The suite [data-apis/array-api-tests](https://github.com/data-apis/array-api-tests) at commit {COMMIT}, with the standard's {STANDARD}, deadlines off; the tests that need {NEWER}, and",
             f"those whose answer differs there, with {NEWER}. `make array-api SUITE=folder` writes this page. native runs in an environment without NumPy. Skipped are the tests for {NEWER}, and five of `remainder` that the suite itself",
             "skips as flaky.", "", f"| engine | examples a test | {STANDARD}: passed | failed | skipped | {NEWER}: passed | failed | skipped |", "|---|---|---|---|---|---|---|---|"]
    for engine, result in results.items():
        lines.append(f"| {engine} | {result['examples']} | {counts(result['tests'])} | {counts(result['newer'])} |")
    lines += ["", "For comparison, in the same setup with 200 examples: array-api-strict 2.6.1 passes 1337 with 2024.12 and fails 29, NumPy 2.4.6 passes 1318 and fails 48.", "", "## Failures", ""]
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
    parser.add_argument("--only", metavar="EXPRESSION", help="only the tests that pytest's -k selects; the page is not written")
    parser.add_argument("--results", metavar="FOLDER", help="keep the verdicts here; default BUILD/array-api")
    parser.add_argument("--keep", action="store_true", help="print the page instead of writing it")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    kept = pathlib.Path(args.results or f"{build}/array-api")
    kept.mkdir(parents=True, exist_ok=True)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        suite = args.suite or clone(os.path.join(folder, "suite"))
        for word in args.engine or engines(build):
            engine, _, number = word.partition("=")
            result = run(engine, build, suite, int(number or 200), args.only)
            print(f"{engine:12s} {counts(result['tests'])} passed, failed, skipped with {STANDARD}; {counts(result['newer'])} with {NEWER}", flush=True)
            for name in unexpected(engine, result):
                failed = True
                print(f"  {name}", flush=True)
            if args.only:
                continue
            (kept / f"{engine}.json").write_text(json.dumps(result, indent=0))
            results = {f.stem: json.loads(f.read_text()) for f in kept.glob("*.json")}
            text = page({e: results[e] for e in ("native", *sorted(results)) if e in results})
            if not args.keep:  # after every engine, so that an interrupted run leaves what it has
                (root / "docs/array-api.md").write_text(text)
    if args.keep and not args.only:
        print(text)
    sys.exit(failed)


if __name__ == "__main__":
    main()
