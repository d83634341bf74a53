"""Runs the Array API standard's own tests (data-apis/array-api-tests) on every engine and writes docs/array-api.md.

    run.py BUILD [SUITE] [--engine NAME[=EXAMPLES]]... [--keep]

SUITE is a folder with the tests at COMMIT, with its submodule; without one, it is cloned. The engines' frameworks come from .venv where that
exists. The suite is never part of this repository.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

COMMIT, STANDARD = "55fcc60", "2024.12"
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


def run(engine, build, suite, examples):
    """The verdicts of all tests on one engine: {name: (verdict, message)}."""
    packages = os.path.dirname(os.path.dirname(__import__("pytest").__file__))
    python = root / ".venv/bin/python"
    module = "vinea" if engine == "native" else f"exec('import vinea; xp = vinea.engine(\"{engine}\")')"
    env = dict(os.environ, ARRAY_API_TESTS_MODULE=module, ARRAY_API_TESTS_VERSION=STANDARD, PYTHONPATH=f"{build}/python:{packages}")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        command = [python if python.exists() else sys.executable, "-m", "pytest", "array_api_tests", "-q", "--max-examples", str(examples), "--disable-deadline", "-p",
                   "no:cacheprovider", "--tb=line", f"--junitxml={report}", "-o", "junit_logging=no"]
        subprocess.run(command, cwd=suite, env=env, stdout=subprocess.DEVNULL)
        if not os.path.exists(report):
            sys.exit(f"array-api: pytest did not finish on {engine}")
        tests = {}
        for case in xml.parse(report).iter("testcase"):
            bad = [c for c in case if c.tag in ("failure", "error", "skipped")]
            name = f"{case.get('classname').rsplit('.', 1)[-1]}::{case.get('name')}"
            tests[name] = (bad[0].tag, (bad[0].get("message") or "").split("\n")[0]) if bad else ("passed", "")
        return tests


def page(results, examples):
    lines = ["# The Array API standard's own tests", "",
             f"The suite [data-apis/array-api-tests](https://github.com/data-apis/array-api-tests) at commit {COMMIT}, with the standard's {STANDARD}, deadlines off.",
             "`make array-api SUITE=folder` writes this page.", "", "| engine | examples a test | passed | failed | skipped |", "|---|---|---|---|---|"]
    for engine, tests in results.items():
        n = collections.Counter(verdict for verdict, _ in tests.values())
        lines.append(f"| {engine} | {examples[engine]} | {n['passed']} | {n['failure'] + n['error']} | {n['skipped']} |")
    failed = {}
    for engine, tests in results.items():
        for name, (verdict, _) in tests.items():
            if verdict in ("failure", "error"):
                failed.setdefault(name, []).append(engine)
    lines += ["", "## Failures", "", "| test | engines |", "|---|---|"]
    escape = lambda name: name.replace("|", "\\|")
    lines += [f"| `{escape(name)}` | {', '.join(engines)} |" for name, engines in sorted(failed.items())]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("suite", nargs="?")
    parser.add_argument("--engine", action="append", metavar="NAME[=EXAMPLES]", help="only these, with 200 examples a test unless given")
    parser.add_argument("--keep", action="store_true", help="print the page instead of writing it")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    with tempfile.TemporaryDirectory() as folder:
        suite = args.suite or clone(os.path.join(folder, "suite"))
        results, examples = {}, {}
        for word in args.engine or engines(build):
            engine, _, number = word.partition("=")
            results[engine] = run(engine, build, suite, int(number or 200))
            examples[engine] = int(number or 200)
            n = collections.Counter(verdict for verdict, _ in results[engine].values())
            print(f"{engine:12s} {n['passed']} passed, {n['failure'] + n['error']} failed, {n['skipped']} skipped", flush=True)
            if not args.keep:  # after every engine, so that an interrupted run leaves what it has
                (root / "docs/array-api.md").write_text(page(results, examples))
    if args.keep:
        print(page(results, examples))


if __name__ == "__main__":
    main()
