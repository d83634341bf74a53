#!/usr/bin/env bash
# Planted faults are found: two kernels are emptied and two gradients made wrong, one at a time, each in a library linked from the build's objects
# and one recompiled file. Each time `vinea check` must fail at the op concerned, in a combined program and alone. It
# minimises the input, and the printed command reproduces the failure.
# ctest: seconds 8
. "$(dirname "$0")/common.bash"
need gcc python3
mkdir "$work/lib" "$work/changed"

# library FILE COPY: the library with that file of the sources compiled from its copy; headers of $work/changed come before all others.
library() {
  python3 - "$build/compile_commands.json" "$source_dir" "$work" "$1" "$2" <<'END'
import json, os, re, shlex, subprocess, sys
commands, source, work, changed, copy = sys.argv[1:]
objects = []
for entry in json.load(open(commands)):
    words = shlex.split(entry["command"])
    if "-DVINEA_BUILD" not in words:
        continue
    at = words.index("-o") + 1
    if os.path.relpath(entry["file"], source) == changed:
        words[at] = os.path.join(work, "changed.o")
        words[words.index("-c") + 1] = copy
        include = ["-I", os.path.join(work, "changed"), "-I", os.path.dirname(entry["file"])]
        first = next(i for i, word in enumerate(words) if word.startswith("-I"))
        subprocess.run(words[:first] + include + words[first:] + ["-Wno-error"], cwd=entry["directory"], check=True)
    objects.append(os.path.join(entry["directory"], words[at]))
assert os.path.join(work, "changed.o") in objects, changed
subprocess.run(["gcc", "-shared", "-o", os.path.join(work, "lib/libvinea.so.0.2"), *objects, "-lm", "-ldl", "-lpthread"], check=True)
END
}
vinea() { LD_LIBRARY_PATH=$work/lib "$build/vinea" "$@"; }
check() { # words: the exit status goes into $code
  code=0
  vinea check --engine native --out "$work/report" "$@" >"$work/checked" 2>&1 || code=$?
}

say "the library made again from the objects as they are passes"
library src/ops/vjp.c "$source_dir/src/ops/vjp.c"
for op in ops/cumulative_sum ops/matmul ops/tanh ops/permute_dims linear; do
  check --test $op; [ "$code" -eq 0 ] || { cat "$work/checked"; fail "$op fails without a fault"; }
done

found_by_check() { # a conformance test that stands on the op: made small, and the line printed for it fails again
  check --test linear; [ "$code" -eq 1 ] || { cat "$work/checked"; fail "the test of a layer ends with $code"; }
  python3 - "$work/report" >"$work/line" <<'END'
import json, sys
cell = json.load(open(sys.argv[1] + "/report.json"))["tests"][0]["cells"][0]
assert cell["state"] == "fail" and cell["reason"] == "value", cell
case = json.load(open(sys.argv[1] + "/" + cell["case_file"]))
count = lambda which: sum(v not in (0, 1) for a in case[which]["inputs"] for v in a["values"])
size = lambda which: sum(len(a["values"]) for a in case[which]["inputs"])
assert count("smallest") <= 1 < count("first") and size("smallest") <= size("first"), (count("first"), count("smallest"))
print(cell["repro"])
END
  code=0
  (cd "$work" && export LD_LIBRARY_PATH=$work/lib PATH=$build:$PATH && bash line) >"$work/checked" 2>&1 || code=$?
  [ "$code" -eq 1 ] && grep -q '^fail (value)' "$work/checked" || { cat "$work/checked"; fail "the pasted line does not fail ($code)"; }
}

found() { # op, what the failure is about
  for programs in together alone; do
    check --test "ops/$1" --programs $programs
    [ "$code" -eq 1 ] || { cat "$work/checked"; fail "$1, $programs: the fault was not found ($code)"; }
    grep -q "^fail  ops/$1 on native: $2: .*\.case:[0-9]" "$work/checked" || { cat "$work/checked"; fail "$1, $programs: the failure does not name a line and \"$2\""; }
  done
}
fault() { # op, what the failure is about, file, sed command, the file that is compiled again (the same)
  say "fault: $1, $3"
  local compiled=${5:-$3}
  cp "$source_dir/$compiled" "$work/changed/"
  sed "$4" "$source_dir/$3" >"$work/changed/$(basename "$3")"
  ! cmp -s "$work/changed/$(basename "$3")" "$source_dir/$3" || fail "the fault was not put in: $4"
  if [[ $3 = src/ops/table/* ]]; then # the table, as #include "ops/ops.def" looks for it
    mkdir -p "$work/changed/ops" && cp -r "$source_dir"/src/ops/{ops.def,table} "$work/changed/ops/"
    mv "$work/changed/$(basename "$3")" "$work/changed/ops/table/"
  fi
  library "$compiled" "$work/changed/$(basename "$compiled")"
  found "$1" "$2"
  rm -r "$work"/changed/*
}
fault cumulative_sum value engines/native/cumulative.c 's/^    vn__native_parallel(run->lanes.*/    (void)run, (void)unit, (void)j;/'
fault matmul '\(value\|nonfinite\)' engines/native/matmul.c '/^static void run_products(/,/^}/{/^{/a\    if (kernel) return;
}'
found_by_check
fault tanh gradient src/ops/table/exponential.def 's/^\(UNARY( tanh,  *VN_[A-Z]*,\)[^"]*"/\1 vn_mul(ct, z), "/' src/ops/vjp.c
fault permute_dims gradient src/ops/vjp.c 's/back\.axis\[\(a->options\[[A-Z_]*\]\.u\.is\[j\]\)\] = j/back.axis[j] = \1/'
