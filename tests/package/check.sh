#!/usr/bin/env bash
# `vinea check`: a misbehaving engine fails only the cells concerned, with the right state and reason; two runs give the same report; an
# interrupted run leaves a valid one; failures are minimised, saved, and reproduced by the printed command; a broken kernel is found; cases that fail
# only in a combined program, or kill the process, are distinguished from those that fail alone; missing, wrong and known case lines are reported.
# ctest: seconds 40
# ctest: seconds-full 90
. "$(dirname "$0")/common.bash"
need gcc python3
alone
vinea=$work/alone/vinea
mkdir "$work/engines"
export VINEA_ENGINE_PATH=$work/engines PATH=$work/alone:$PATH
cd "$work"

# expect CODE WORDS...: runs `vinea check`; its output is in $work/out and $work/err
expect() {
  local want=$1 got=0; shift
  "$vinea" check "$@" >"$work/out" 2>"$work/err" || got=$?
  [ "$got" -eq "$want" ] || { tail -n 30 "$work/out" "$work/err"; fail "vinea check $* ended with $got, not $want"; }
}
# has FOLDER PYTHON: the expression holds; r is the report, cells(engine) the cells by id
has() {
  python3 - "$1" "$2" <<'END' || fail "$1: $2"
import collections, json, sys
r = json.load(open(sys.argv[1] + "/report.json"))
def cells(engine): return {t["id"]: c for t in r["tests"] for c in t["cells"] if c["engine"] == engine}
def states(engine): return {i: c["state"] for i, c in cells(engine).items()}
if not eval(sys.argv[2]):
    for t in r["tests"]:
        for c in t["cells"]: print(t["id"], c["engine"], c["state"], c.get("reason"), c.get("message", "")[:200])
    sys.exit(1)
END
}

# An engine made of the template whose kernels (add and mul of float32) first do something; or its start does.
make_engine() { # name, what the kernels do, what the start does
  sed -e "s/\"template\"/\"$1\"/" -e '/^static int binary(/,/^{/s/^{/{ FAULT/' -e '/^static int open_engine(/,/^{/s/^{/{ START/' \
    -e 's/z\[n\] = op->apply(x\[i\], y\[j\]);/z[n] = op->apply(x[i], y[j]) WRONG;/' "$source_dir/engines/template/template.c" >"$work/$1.c"
  gcc -std=gnu11 -O1 -fPIC -shared -fvisibility=hidden -include stdio.h -include unistd.h -include stdlib.h -include string.h \
    -I"$source_dir/include" -DFAULT="${2:-}" -DSTART="${3:-}" -DWRONG="${4:-}" "$work/$1.c" -o "$work/engines/$1.so"
  cp "$source_dir/engines/template/template.manifest" "$work/engines/$1.manifest"
  sed -i "s/^name = .*/name = $1/" "$work/engines/$1.manifest"
}
make_engine crashes 'fputs("last words\n", stderr); abort();'
make_engine exits 'exit(0);'
make_engine hangs 'for (;;) sleep(1);'
make_engine leaks 'memset(malloc(64 << 20), 1, 64 << 20);'
make_engine prints 'puts("rubbish");'
make_engine scribbles 'if (write(100, "rubbish", 7)) { }'
make_engine refuses 'return host->error(VN_E_ENGINE, "this engine does not want to");'
make_engine lacks 'return host->error(VN_E_UNSUPPORTED, "this engine cannot");'
make_engine wrong '' '' '+ 1'
make_engine whims 'static int calls; calls++;' '' '+ (calls % 3 == 0)'
make_engine unborn '' 'abort();'
make_engine absent '' 'return host->error(VN_E_ENGINE, "the framework is not there");'
make_engine works
make_engine crowded '' '' '* (call->program->n_instrs > 8 ? 2 : 1)'
make_engine panics 'if (call->program->n_instrs > 8) abort();'
make_engine stumbles 'if (call->program->values[call->instr->out].count == 2) abort();'

# fails_in_c FOLDER N: the C programs of the folder's N or more failing cells compile, fail there, and pass with their engine replaced by native; a
# program whose cell ended by a time limit does not end. They are the programs that the page shows.
fails_in_c() {
  python3 - "$1" "$2" "$source_dir/include" "$work/alone" -Wall -Wextra -Werror <<'END' || fail "$1: programs in C"
import json, subprocess, sys
folder, least, include, library = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
tried = 0
def run(text, name, seconds):
    open(name + ".c", "w").write(text)
    subprocess.run(["gcc", "-std=c11", *sys.argv[5:], "-I", include, name + ".c", "-L", library, "-lvinea", "-lm", "-o", name], check=True)
    try: done = subprocess.run(["./" + name], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired: return "timeout", ""
    return done.returncode, done.stdout + done.stderr
for test in json.load(open(folder + "/report.json"))["tests"]:
    for cell in test["cells"]:
        if cell["state"] not in ("fail", "error"): continue
        tried += 1
        assert cell.get("snippet"), (test["id"], "has no program in C", cell["message"])
        code, said = run(cell["snippet"], "shown", 1 if cell["reason"] == "timeout" else 60)
        assert code and (code == "timeout") == (cell["reason"] == "timeout"), (test["id"], cell["reason"], cell["message"], code, said)
        code, said = run(cell["snippet"].replace('"%s"' % cell["engine"], '"native"'), "right", 60)
        assert not code, (test["id"], "fails on native", said)
assert tried >= least, (tried, "failing cells")
END
}

one=(--test gradient_descent_update --dtype float32)
table=(--suite seeds/002 --dtype float32)
sampled=(); in_full || sampled=(--sample 1000) # of the whole suites, hardly any random cases and derivatives
id=002/gradient_descent_update

say "engines that misbehave"
misbehaves() { # engine, exit status, state, reason, words of the message, further options
  expect "$2" "${one[@]}" --engine "$1" --out "$work/$1" "${@:6}"
  has "$work/$1" "(c := cells('$1')['$id'])['state'] == '$3' and c['reason'] == '$4' and '''$5''' in c['message']"
}
misbehaves crashes 2 error crash 'last words'
has crashes "'signal 6' in cells('crashes')['$id']['message']"
misbehaves exits 2 error crash 'status 0'
misbehaves hangs 2 error timeout 'within 2 s' --timeout 2
misbehaves leaks 2 error memory 'more than 150 MiB' --memory 150
misbehaves prints 2 error exception rubbish
misbehaves scribbles 2 error exception 'corrupted the result pipe'
misbehaves refuses 2 error exception 'does not want to'
misbehaves lacks 0 unsupported missing_feature 'cannot'
misbehaves wrong 1 fail value '6 of 6 elements'
misbehaves whims 1 flaky value ''
misbehaves unborn 2 error load 'could not be loaded'

say "the rest goes on"
expect 2 "${table[@]}" --engine crashes --out "$work/rest"
has rest "len(states('crashes')) == 18 and 2 <= sum(s == 'pass' for s in states('crashes').values()) and set(states('crashes').values()) == {'pass', 'error'}"
expect 1 "${table[@]}" --engine works,wrong,crashes,native --jobs 2 --out "$work/several"
has several "set(states('works').values()) == set(states('native').values()) == {'pass'} and [e['name'] for e in r['engines']] == ['works', 'wrong', 'crashes', 'native']"
has several "cells('works')['$id']['computed_by'] == 'vinea' and cells('native')['$id']['computed_by'] == 'engine'"
has several "r['totals']['native']['pass'] == 18 and all(c['repro'] for t in r['tests'] for c in t['cells'])"
has several "cells('native')['$id'].get('seed_dashboard') is None and not any(c['state'] == 'pass' and not c['assertions'] for t in r['tests'] for c in t['cells'])"

say "an engine that is not there"
expect 2 "${one[@]}" --engine absent --out "$work/absent"
grep -q 'nothing was run' err || fail "no word that nothing was run"
expect 0 "${one[@]}" --engine absent,native --out "$work/absent"
has absent "states('absent')['$id'] == 'not_run' and r['engines'][0]['present'] is False and 'not there' in r['engines'][0]['load_error']"
expect 3 "${one[@]}" --engine native,nobody --out "$work/nobody"
grep -q 'there is no engine "nobody"' err || fail "the engine that does not exist is not named"
has nobody "states('native')['$id'] == 'pass' and states('nobody')['$id'] == 'not_run'"

say "all engines that are there"
mkdir few
cp engines/works.* few/; cp engines/absent.so few/torch.so; printf 'name = torch\n' >few/torch.manifest
VINEA_ENGINE_PATH=$work/few expect 0 "${one[@]}" --engine all --out "$work/all"
has all "[e['name'] for e in r['engines']] == ['native', 'torch', 'works'] and states('works')['$id'] == 'pass' and states('torch')['$id'] == 'not_run'"
has all "cells('torch')['$id']['seed_dashboard'] == 'failure' and 'seed_dashboard' not in cells('works')['$id']"
VINEA_ENGINE_PATH=$work/few expect 0 "${one[@]}" --out "$work/all" # the default
has all "len(r['engines']) == 3"

say "several engines of one plugin: a column each"
cp "$build/tests/plugins/actor.so" few/many.so; printf 'name = many\n' >few/many.manifest # many, and many:gpu, whose memory cannot be read
for jobs in 1 4; do
  VINEA_ENGINE_PATH=$work/few expect 0 "${one[@]}" --engine all --jobs $jobs --out "$work/all"
  has all "[e['name'] for e in r['engines']] == ['native', 'many', 'many:gpu', 'torch', 'works']"
  has all "states('many') == {'$id': 'pass'} and states('many:gpu') == {'$id': 'unsupported'} and 'the memory of device 0' in cells('many:gpu')['$id']['message']"
  grep -q 'many:gpu' all/index.html && grep -q 'many:gpu' all/md/*.md || fail "the page or the tables have no column of a plugin's second engine"
done
VINEA_ENGINE_PATH=$work/few expect 1 --test ops/add --dtype float32 --out "$work/all" # a failure of the second engine is kept and shown, too
has all "states('many:gpu') == {'ops/add': 'fail'} and cells('many:gpu')['ops/add']['case_file'] == 'cases/ops-add-many-gpu.json'"
[ -s all/cases/ops-add-many-gpu.json ] || fail "the failing input of a plugin's second engine was not kept"
VINEA_ENGINE_PATH=$work/few expect 0 "${one[@]}" --engine many --out "$work/all" # only what is named
has all "[e['name'] for e in r['engines']] == ['many']"

say "a failing case: first and smallest, and the line that runs it again"
python3 - "$work/wrong" <<'END'
import json, sys
r = json.load(open(sys.argv[1] + "/report.json"))
cell = r["tests"][0]["cells"][0]
case = json.load(open(sys.argv[1] + "/" + cell["case_file"]))
sizes = [sum(v != 0 for a in case[k]["inputs"] for v in a["values"]) for k in ("first", "smallest")]
assert sizes[1] == 0 < sizes[0], sizes
for a in case["first"]["inputs"]:
    assert [float.fromhex(h) for h in a["hex"]] == a["values"], "hex and decimal differ"
assert cell["input"].startswith("w = float32(2, 3) {0"), cell["input"]
assert "--case 0" in cell["repro"] and "--dtype float32" in cell["repro"], cell["repro"]
open("line", "w").write(cell["repro"])
END
fails_in_c wrong 1
code=0; bash line >out 2>&1 || code=$? # sampled again
[ "$code" -eq 1 ] || { cat out; fail "the pasted line ended with $code"; }
grep -q 'sampled again' out && grep -q '^  expected ' out && grep -q '^  got ' out && grep -q '^  error ' out && grep -q '^fail (value)' out || { cat out; fail "the pasted line does not say what failed"; }
code=0; bash -c "$(cat line) --out wrong" >out 2>&1 || code=$? # from its file
[ "$code" -eq 1 ] && grep -q 'the minimised input, from wrong/cases/' out || { cat out; fail "the stored input was not used"; }
expect 0 "${one[@]}" --engine native --case 0; grep -q '^pass$' out || fail "a case that passes does not say so"
expect 2 "${one[@]}" --engine crashes --case 0; grep -q 'error (crash)' out || fail "a case that crashes does not say so"
expect 2 "${one[@]}" --engine hangs --case 0 --timeout 1; grep -q 'error (timeout)' out || fail "a case that hangs does not say so"

say "a gradient that fails: its numbers are those of the failing check, and its C program shows it"
sed -e 's/"template"/"steep"/' -e 's/\bfloat\b/double/g; s/VN_F32/VN_F64/g' -e 's/z\[n\] = op->apply(x\[i\], y\[j\]);/z[n] = op->apply(x[i], y[j]) * (op->apply == apply_mul \&\& call->program->n_instrs > 1 ? 1.5 : 1);/' \
  "$source_dir/engines/template/template.c" >steep.c # products in larger programs, such as those of gradients
gcc -std=gnu11 -O1 -fPIC -shared -fvisibility=hidden -I"$source_dir/include" steep.c -o engines/steep.so
sed "s/^name = .*/name = steep/" "$source_dir/engines/template/template.manifest" >engines/steep.manifest
expect 1 --test ops/sin --engine steep --programs alone --out "$work/steep"
has steep "(c := cells('steep')['ops/sin'])['state'] == 'fail' and c['reason'] == 'gradient' and 'gradient of x' in c['message'] and not c.get('worst')"
fails_in_c steep 1
expect 1 --test stop_gradient --engine wrong --dtype float32 --out "$work/cut"
has cut "(c := cells('wrong')['002/stop_gradient'])['reason'] == 'gradient' and c['worst']['check'] == 'gradient' and c['max_abs'] >= c['worst']['abs'] > 0 and c['worst']['tolerance'] > 0"
expect 1 --test execute_with_gradients --engine wrong --dtype float32 --out "$work/cut"
has cut "(c := cells('wrong')['002/execute_with_gradients'])['reason'] == c['worst']['check'] == 'value' and c['error_ratio'] > 1"

say "every kind of failure in C: layers, trees, optimizers, random numbers, gradients, second gradients, errors, crashes, time limits"
kinds=(nn/linear 002/value_and_grad)
! in_full || kinds+=(nn/adam nn/optimizers_golden_2 003/module_training ops/add)
for test in "${kinds[@]}"; do
  expect 1 --test $test --engine wrong --out "$work/kinds"
  fails_in_c kinds 1
done
expect 1 --test 002/lars_update --engine steep --out "$work/kinds"; fails_in_c kinds 1
expect 1 --test ops/logsumexp --engine steep --programs alone --out "$work/kinds"; fails_in_c kinds 1
fails_in_c refuses 1
fails_in_c crashes 1
fails_in_c hangs 1
expect 0 --test nn/embedding --engine native --case 0 --program; grep -q '^static void embedding(void)' out || fail "--program does not print the test"
expect 0 --test ops/add --engine native --case 0 --program; grep -q 'vn_call("add"' out || fail "--program does not print the call"

say "known failures"
mkdir -p listed/known; ln -s "$source_dir/conformance/cases" listed/cases
printf '# a list\n%s adds one\n\n' "$id" >listed/known/wrong.txt
expect 0 "${one[@]}" --engine wrong --cases listed --out "$work/known"
has known "(c := cells('wrong')['$id'])['state'] == 'known' and c['message'] == 'adds one'"
echo "$id is said to fail" >listed/known/works.txt
expect 2 "${one[@]}" --engine works --cases listed --out "$work/known"
has known "(c := cells('works')['$id'])['state'] == 'error' and 'remove it from the list' in c['message']"
echo '002/nothing fails' >listed/known/works.txt
expect 1 --test ops/add --engine works --cases listed; grep -q '002/nothing is not a line of a case file, or a test' err || fail "the bad entry is not named"

say "two runs are equal but for times; another seed is not"
same() { # folders
  python3 - "$@" <<'END'
import json, re, sys
def plain(x):
    if isinstance(x, dict): return {k: plain(v) for k, v in x.items() if k not in ("utc", "duration_ms")}
    return [plain(v) for v in x] if isinstance(x, list) else x
a, b = (plain(json.load(open(f + "/report.json"))) for f in sys.argv[1:3])
sys.exit(a != b)
END
}
expect 1 --suite seeds --engine native,wrong --out "$work/first" --jobs 2
expect 1 --suite seeds --engine native,wrong --out "$work/second" --jobs 1
same first second || fail "two runs differ"
diff -r first/cases second/cases || fail "the kept cases differ"
has first "len(r['tests']) == 50 and set(states('native').values()) == {'pass'} and all(c['strict_state'] == 'pass' for c in cells('native').values())"
expect 1 --suite seeds --engine native,wrong --out "$work/second" --seed 5
! same first second || fail "another seed samples the same cases"

say "a run that is interrupted"
"$vinea" check --suite seeds --engine native,hangs --timeout 600 --out "$work/interrupted" >out 2>&1 & pid=$!
for _ in $(seq 100); do ! grep -q '^native.* pass' out || break; sleep .1; done
sleep .3; kill -INT "$pid"; code=0; wait "$pid" || code=$?
[ "$code" -eq 130 ] || { cat out; fail "interrupted: exit status $code"; }
has interrupted "r['partial'] is True and set(states('native').values()) == {'pass'} and 'skipped' in states('hangs').values()"
"$vinea" report interrupted/report.json --out "$work/again" >out || fail "the partial report cannot be rendered"
for process in /proc/[0-9]*/cmdline; do
  ! tr '\0' ' ' 2>/dev/null <"$process" | grep -q -- "native,hangs --timeout 600 --out $work/" || fail "a child is left: $process"
done

say "baselines"
expect 0 "${one[@]}" --engine works --out "$work/good"
sed 's/"wrong"/"works"/g' wrong/report.json >good/broken.json
code=0; "$vinea" check --compare good/report.json good/broken.json >out 2>&1 || code=$?
[ "$code" -eq 1 ] || { cat out; fail "--compare: a cell that broke gives $code"; }
expect 0 "${one[@]}" --engine works --out "$work/good" --baseline good/broken.json
# The baseline may be what the run writes: the report, the verdicts or the history of the same folder.
for file in report.json verdicts.json history.jsonl; do
  rm -rf own; "$vinea" check "${one[@]}" --engine wrong --out "$work/own" >out 2>&1 || true
  sed -i 's/"wrong"/"works"/g' own/*.json*
  expect 0 "${one[@]}" --engine works --out "$work/own" --baseline own/$file
  grep -q '^1 fixed' out && grep -q '"baseline":{' own/index.html || { cat out; fail "$file of the same folder is compared with itself"; }
done
expect 2 "${one[@]}" --engine works --out "$work/own" --baseline none.json
grep -q 'nothing was run' err && ! grep -q 'pass' out || fail "a baseline that cannot be read is noticed only after the run"
cp good/report.json one.json
expect 0 "${table[@]}" --engine works --out "$work/good" # 18 tests, of which one.json has one
for pair in "one.json good/report.json:0 that ran before did not run now, and 17 ran that did not before" \
  "good/report.json one.json:17 that ran before did not run now, and 0 ran that did not before"; do
  # shellcheck disable=SC2086
  expect 1 --compare ${pair%%:*}
  grep -q "do not have the same cells: ${pair#*:}" err || { cat out err; fail "--compare: cells that only one run has are not counted"; }
done
cp good/report.json table.json
expect 0 "${one[@]}" --engine works --out "$work/good" --baseline table.json # it was asked for one of them
expect 1 "${table[@]}" --engine works --out "$work/good" --baseline one.json; grep -q ' 17 ran that did not before' err || fail "new cells pass unseen"
expect 1 "${one[@]}" --engine works,native --out "$work/good" --baseline one.json; grep -q ' 1 ran that did not before' err || fail "a new engine passes unseen"
sed 's/"works"/"absent"/g' one.json >absent.json
expect 1 "${one[@]}" --engine absent,native --out "$work/good" --baseline absent.json; grep -q ' 1 that ran before did not run now' err || fail "an engine that is gone passes unseen"
mkdir -p bare/share/vinea; cp "$build/vinea" "$build"/libvinea.so* bare; ln -s "$source_dir/conformance" bare/share/vinea/conformance # an installation without plugins: their cells are gone
code=0; LD_LIBRARY_PATH=$work/bare VINEA_ENGINE_PATH=$work/bare "$work/bare/vinea" check --suite all "${sampled[@]}" --out "$work/lost" --baseline "$source_dir/conformance/results/verdicts.json" >out 2>err || code=$?
[ "$code" -eq 1 ] && grep -q 'that ran before did not run now' err || { cat out err; fail "engines that are gone pass unseen: $code"; }
sed 's|"ops/add":|"ops/gone":|' "$source_dir/conformance/results/verdicts.json" >verdicts.json
expect 1 --suite all --engine native "${sampled[@]}" --out "$work/good" --baseline verdicts.json
grep -q '^gone .*ops/gone' out && grep -q '^new .*ops/add · native' out || { cat out; fail "a test that is gone passes unseen"; }
sed 's|"002/adam_step":|"002/gone":|' "$source_dir/conformance/results/verdicts.json" >verdicts.json
expect 1 --suite seeds --engine native --out "$work/good" --baseline verdicts.json # a run of some suites is compared with these
grep -q '^gone .*002/gone' out && ! grep -q '^gone .*ops/' out || { cat out; fail "a test of the suite that is gone passes unseen"; }

say "the suites ops and nn"
expect 0 --suite ops --engine native --strict "${sampled[@]}" --out "$work/ops"
has ops "len(r['tests']) > 300 and set(states('native').values()) == {'pass'}"
! in_full || has ops "all(t['cells'][0]['checks'].get('gradient') == 'pass' for t in r['tests'] if t['function'] in ('add', 'matmul', 'softmax', 'conv2d', 'lstm'))"
has ops "set(cells('native')['ops/add']['dtypes']) >= {'int8', 'uint64', 'float16', 'bfloat16', 'float32', 'float64', 'complex64', 'complex128'}"
expect 0 --suite nn --engine native --strict --out "$work/nn"
has nn "len(r['tests']) > 130 and set(states('native').values()) == {'pass'} and {'nn/linear', 'nn/lstm', 'nn/adamw', 'nn/module/freeze'} <= set(states('native'))"
expect 0 --suite nn --share 3 --engine native --out "$work/share" # a third of each table, or one test more
has share "(n := collections.Counter(t['suite'] for t in r['tests'])) and all(m // 3 <= n[s] <= (m + 2) // 3 for s, m in collections.Counter(t['suite'] for t in json.load(open('$work/nn/report.json'))['tests']).items())"
expect 1 --test ops/add --engine wrong,works --dtype float32 --out "$work/ops"
has ops "states('wrong') == {'ops/add': 'fail'} and states('works') == {'ops/add': 'pass'}"
has ops "(c := cells('wrong')['ops/add'])['reason'] == 'value' and '.case:' in c['message'] and '--case' in c['repro'] and '--dtype float32' in c['repro']"
number=1000 # beyond the case lines; the first that has elements
while "$vinea" check --test ops/add --engine native --case $number --dtype float32 | grep -q '{}' && [ $number -lt 1010 ]; do number=$((number + 1)); done
expect 1 --test ops/add --engine wrong --case $number --dtype float32
grep -q '^x = float32' out && grep -q '^fail (' out || { cat out; fail "a sampled case does not say its input"; }
expect 1 --test nn/linear --engine wrong,works --out "$work/nn"
has nn "states('wrong') == {'nn/linear': 'fail'} and states('works') == {'nn/linear': 'pass'}"

say "as one program and alone"
expect 0 --test ops/add --engine crowded --dtype float32 --programs alone --out "$work/programs"
expect 1 --test ops/add --engine crowded --dtype float32 --programs together --out "$work/programs"
has programs "(c := cells('crowded')['ops/add'])['state'] == 'fail' and '.case:' in c['message'] and 'passes alone, but fails as one program with' in c['message']"
has programs "'--programs together' in (c := cells('crowded')['ops/add'])['repro'] and '--case' not in c['repro']"
fails_in_c programs 1
expect 1 --test ops/add --engine crowded --dtype float32 --tier full --out "$work/programs" # both
expect 0 --test ops/add --engine panics --dtype float32 --programs alone --out "$work/programs"
expect 2 --test ops/add --engine panics --dtype float32 --out "$work/programs"
has programs "(c := cells('panics')['ops/add'])['reason'] == 'crash' and 'every case passes alone, but not as one program: ended by signal 6' in c['message']"
expect 2 --suite ops/primitive --engine panics --dtype float32 --out "$work/programs" # and the others go on
has programs "set(states('panics').values()) == {'pass', 'error', 'skipped'} and len(states('panics')) > 100 and states('panics')['ops/sqrt'] == 'pass'"
printf 'add [1] [3] = [4]\nadd [1 2 3] [4 5 6] = [5 7 9]\nadd [1 2] [3 4] = [4 6]\nadd [1 2 3 4] [0] = [1 2 3 4]\n' >some.case
expect 2 --engine stumbles --lines some.case
grep -q 'error ops/add on stumbles: crash: ended by signal 6 (Aborted) in some.case:3' out || { cat out; fail "the line that ends the process is not named"; }
expect 0 --engine works --lines some.case
expect 1 --test ops/add --engine wrong --dtype float32 --verbose --out "$work/programs"
[ "$(grep -c '^case  ops/add on wrong' out)" -gt 10 ] || { cat out; fail "--verbose does not name every case that fails"; }
expect 1 --test ops/add --engine wrong --dtype float32 --out "$work/programs"
! grep -q '^case' out || fail "cases are named that were not asked for"
expect 1 --suite ops/primitive --engine wrong --stop --out "$work/programs"
has programs "r['partial'] is True and list(states('wrong').values()).count('fail') == 1 and cells('wrong')['ops/add']['state'] == 'fail' and 'skipped' in states('wrong').values()"
has programs "not cells('wrong')['ops/add'].get('case_file')" # it is not minimised
expect 0 --test ops/tanh --engine native --out "$work/programs"
python3 -c 'import json; print(json.load(open("programs/report.json"))["tests"][0]["cells"][0]["assertions"])' >all.count
expect 0 --test ops/tanh --engine native --sample 1000 --out "$work/programs"
has programs "0 < cells('native')['ops/tanh']['assertions'] < $(cat all.count)"

say "case lines from elsewhere"
mkdir -p lines/cases lines/known
printf '# lines\nadd [1 2] [3 4] = [4 6]\nmul [1 2] [3 4] = [3 9]\n' >lines/cases/few.case
mul() { expect "$1" --test ops/mul --engine native --cases lines --out "$work/lines/out" --dtype float32; }
mul 1; has lines/out "'few.case:3' in cells('native')['ops/mul']['message']"
echo 'few.case:3 8 is not 9' >lines/known/native.txt; mul 0
sed -i 's/3 9/3 8/' lines/cases/few.case
mul 1; has lines/out "'remove it from the list' in cells('native')['ops/mul']['message']"
expect 1 --test ops/sub --engine native --cases lines --out "$work/lines/out"
has lines/out "'has a case line' in cells('native')['ops/sub']['message']"
expect 1 --test ops/sub --engine native --cases nowhere --out "$work/lines/out"
grep -q 'nowhere/cases' err || { cat err; fail "the folder without case files is not named"; }
rm lines/known/native.txt; mkdir -p share/vinea; cp -r lines share/vinea/conformance # beside an installed command
expect 0 --test ops/mul --engine native --out "$work/lines/out" --dtype float32
has lines/out "cells('native')['ops/mul']['cases'] == 2"
expect 1 --test ops/sub --engine native --out "$work/lines/out"
rm -r share

say "lists, help, mistakes"
expect 0 --list; [ "$(grep -c '^0' out)" -eq 50 ] || fail "--list does not list the 50 seeds"
expect 0 --list --suite seeds/004; [ "$(grep -c '^004/' out)" -eq 14 ] || fail "--list --suite seeds/004"
expect 0 --help; grep -q -- '--strict' out || fail "no help"
for words in --nothing extra "--engine" "--engine native,native" "--engine ," "--dtype float33" "--tier slow" "--programs many" "--sample 0" "--seed x" "--seed -1" "--jobs 0" "--examples 0" \
  "--suite none" "--test none" "--case 1" "--case 1 --test stop_gradient --engine native" "--case 1 --test with_grads --engine native --dtype int8" "--compare a" \
  "--out" "--child native" "--timeout 0"; do
  # shellcheck disable=SC2086
  expect 3 $words; [ ! -s out ] && [ -s err ] || fail "vinea check $words: nothing on stderr, or something on stdout"
done
: >file; expect 2 "${one[@]}" --engine native --out file/below; grep -q 'file' err || fail "a folder that cannot be made is not named"
