#!/usr/bin/env bash
# Deliberate faults are found: in a copy of the sources two kernels are emptied and two gradients made wrong, one after the other. Each time
# the cases of the native engine must fail, and fail at the op concerned. `vinea check` finds a broken kernel too, makes the input small, and
# the line it prints fails again.
. "$(dirname "$0")/common.bash"
need gcc

copy=$work/copy
mkdir "$copy"
(cd "$source_dir" && tar cf - CMakeLists.txt cmake include src engines cli conformance bench examples) | tar xf - -C "$copy"
sed -i "/^file(GLOB sources CONFIGURE_DEPENDS tests/s/.*/set(sources)/" "$copy/cmake/Tests.cmake"

build_copy() {
  { cmake -S "$copy" -B "$copy/build" -DVINEA_LEVELS=baseline && cmake --build "$copy/build" -j 2 --target vinea-cases vinea_command; } >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; fail "the copy does not build"; }
}
cases() { "$copy/build/tests/vinea-cases" --filter "$1" "$copy/conformance/cases" "$copy/conformance/known" >"$work/cases" 2>&1; }

check() { "$copy/build/vinea" check --engine native --test linear --out "$work/report" "$@" >"$work/checked" 2>&1; }
found_by_check() {
  check && fail "vinea check does not find the fault" || [ $? -eq 1 ] || { cat "$work/checked"; fail "vinea check ends badly"; }
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
  local code=0
  (cd "$work" && PATH=$copy/build:$PATH bash line) >"$work/checked" 2>&1 || code=$?
  [ "$code" -eq 1 ] && grep -q '^fail (value)' "$work/checked" || { cat "$work/checked"; fail "the pasted line does not fail ($code)"; }
}

build_copy
say "the copy as it is passes"
check || { cat "$work/checked"; fail "vinea check fails without a fault"; }
for op in cumulative_sum matmul tanh permute_dims; do cases "$op" || { tail "$work/cases"; fail "$op fails without a fault"; }; done

fault() { # op, what it must say, file, sed command, a further look
  say "fault: $1, $3"
  cp -p "$copy/$3" "$work/before"
  sed -i "$4" "$copy/$3"
  ! cmp -s "$copy/$3" "$work/before" || fail "the fault was not put in: $4"
  build_copy
  ! cases "$1" || fail "the fault was not found"
  grep -A3 "^FAIL .*: $1" "$work/cases" >"$work/failures" || true
  grep -q "$2" "$work/failures" || { head -n 20 "$work/cases"; fail "the failure does not say \"$2\""; }
  ${5:-true}
  cp "$work/before" "$copy/$3"
}
fault cumulative_sum "value" engines/native/running.c 's/^    vn__native_parallel(kernel->parallel.*/    (void)run, (void)unit, (void)j;/'
fault matmul "value" engines/native/matmul.c '/^static void run_floats(/,/^}/{/^{/a\    if (kernel) return;
}' found_by_check
fault tanh "gradient" src/ops/ops.def 's/^UNARY( tanh,  *VN_[A-Z]*,[^"]*"/UNARY( tanh, VN_FLOATS, vn_mul(ct, z), "/'
fault permute_dims "gradient" src/ops/vjp.c 's/back\.axis\[a->options\[0\]\.u\.is\[j\]\] = j/back.axis[j] = a->options[0].u.is[j]/'
