#!/usr/bin/env bash
# `vinea profile`: kernels and programs of any program that uses Vinea, on every engine that is here; its exit code, Ctrl-C, bad input.
# ctest: frameworks
# ctest: seconds 10
. "$(dirname "$0")/common.bash"
export VINEA_ENGINE_PATH=$build/engines VINEA_DATA=$source_dir/data
cd "$work"
train=("$build/vinea" train mlp digits --epochs 1 --force --checkpoint net.st)

for engine in $("$build/vinea" engines | awk '$2 == "yes" { print $1 }'); do
  say "profile on $engine"
  "$build/vinea" profile --json --trace trace.json -- "${train[@]}" --engine "$engine" >profile.json 2>output
  grep -q 'held-out rows' output || fail "the program's own output is not on standard error"
  python3 - "$engine" profile.json trace.json <<'END'
import json, sys
engine, report, trace = sys.argv[1], json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
events = [e for e in report["events"] if e["engine"] == engine]
programs = [e for e in events if e["what"] == "execute"]
kernels = [e for e in events if e["what"] == "kernel"]
assert programs and max(p["calls"] for p in programs) >= 40, "a program for each step"
step = max(programs, key=lambda p: p["calls"])
assert step["flops"] / step["calls"] > 32 * (64 * 128 + 128 * 64) * 2, "the products of a step"
if engine in ("native", "numpy", "torch", "tensorflow"):
    assert any("matmul" in k["name"] for k in kernels), [k["name"] for k in kernels]
    assert sum(k["seconds"] for k in kernels) <= sum(p["seconds"] for p in programs) * 1.01
assert 0 < sum(p["seconds"] for p in programs) < report["seconds"]
assert sum(e["calls"] for e in report["events"]) == len(trace), "the trace has the same events"
assert all(e["ph"] == "X" and e["dur"] >= 0 for e in trace)
END
done

say "the table, also of a trace"
"$build/vinea" profile --top 5 -- "${train[@]}" >table
grep -q 'GFLOP/s' table && grep -q 'matmul float32' table && grep -q 'and [0-9]* more' table && grep -q 'in all\.' table || { cat table; fail "the table"; }
VINEA_TRACE=own.json "${train[@]}" >/dev/null
"$build/vinea" profile --from own.json | grep -q 'matmul float32' || fail "a trace that was written before"

say "exit codes"
code() { local got=0; "$@" >out 2>&1 || got=$?; echo "$got"; }
[ "$(code "$build/vinea" profile -- sh -c 'exit 7')" = 7 ] || fail "the program's exit code"
[ "$(code "$build/vinea" profile -- true)" = 1 ] && grep -q 'no events' out || fail "a program without Vinea"
[ "$(code "$build/vinea" profile -- ./missing)" = 127 ] && grep -q 'cannot start ./missing' out || fail "a program that is not there"
[ "$(code "$build/vinea" profile)" = 3 ] && grep -q 'a program is needed' out || fail "no program"
[ "$(code "$build/vinea" profile --from missing.json)" = 1 ] && grep -q 'cannot read missing.json' out || fail "no trace"
[ "$(code "$build/vinea" profile --trace nowhere/t.json -- true)" = 1 ] && grep -q 'cannot write' out || fail "a trace that cannot be written"
[ "$(code "$build/vinea" profile -- sh -c 'kill -9 $$')" = 137 ] || fail "a program that is killed"
printf '[\n{"name": 3,\nnonsense\n{"cat":"kernel","args":7}\n{"name":"x","cat":"kernel","dur":1e999,"args":{}}\n' >bad.json
[ "$(code "$build/vinea" profile --from bad.json)" -le 1 ] && grep -q 'cannot be read' out || fail "a trace that is none"

say "Ctrl-C"
env --default-signal=INT "$build/vinea" profile -- "$build/vinea" train mlp digits --epochs 100000 --force --checkpoint net.st >table 2>&1 &
profiler=$!
for ((k = 0; k < 600; k++)); do
  grep -q 'epoch  *3/' table && break
  sleep 0.1
done
kill -INT "$profiler" # a terminal sends it to both
pkill -INT -P "$profiler" || fail "the training has not begun"
got=0; wait "$profiler" || got=$?
[ "$got" = 130 ] && grep -q 'GFLOP/s' table || { tail -5 table; fail "Ctrl-C gives $got"; }
