#!/usr/bin/env bash
# The environment variables: eager evaluation gives the same losses on every engine, a trace is a readable Chrome trace, VINEA_CHECK reports
# where a freed handle was created, an unknown instruction set is an error.
# ctest: seconds 2
# ctest: frameworks
. "$(dirname "$0")/common.bash"
need gcc
export LD_LIBRARY_PATH=$build
linreg=$build/examples/linreg

"$linreg" native >"$work/reference"
keep_installed
for engine in "${engines[@]}"; do
  say "VINEA_EAGER=1 on $engine"
  VINEA_EAGER=1 "$linreg" "$engine" >"$work/eager"
  same_losses "$work/eager" "$work/reference"
done

say "VINEA_TRACE"
VINEA_TRACE="$work/trace.json" "$linreg" native >/dev/null
python3 - "$work/trace.json" <<'END'
import json, sys
events = json.load(open(sys.argv[1]))
names = {e["name"] for e in events}
assert {"open", "build", "compile", "execute"} <= names, names
assert sum(e["name"] == "execute" for e in events) == 101, "one program per step"
assert sum(e["name"] == "compile" for e in events) == 1, "compiled once"
assert all(e["ph"] == "X" and e["dur"] >= 0 and e["args"]["engine"] == "native" for e in events)
END
VINEA_TRACE=/nonexistent/trace.json "$linreg" native >/dev/null || fail "a trace that cannot be written must not disturb"

say "VINEA_CHECK=1"
cat >"$work/freed.c" <<'END'
#include <stdio.h>
#include <vinea/vinea.h>
vn_array *made_here(void) { VN_SCOPE; return vn_exp(vn_scalar(1)); }
int main(void) { vn_neg(made_here()); printf("%s\n", vn_message()); return vn_close() == VN_E_FREED ? 0 : 1; }
END
gcc -std=c11 -rdynamic -I"$source_dir/include" "$work/freed.c" -o "$work/freed" -L"$build" -lvinea
"$work/freed" | grep -q 'x was freed' || fail "a freed handle is not named"
VINEA_CHECK=1 "$work/freed" >"$work/out"
grep -q 'made by exp at .*made_here' "$work/out" || { cat "$work/out"; fail "VINEA_CHECK=1 does not tell where it was made"; }

VINEA_CHECK=0 "$work/freed" >"$work/out"
! grep -q 'made by' "$work/out" || { cat "$work/out"; fail "VINEA_CHECK=0 is on"; }

say "VINEA_ISA"
code=0
VINEA_ISA=mmx "$linreg" native >/dev/null 2>"$work/err" || code=$?
[ "$code" -gt 0 ] && grep -q mmx "$work/err" || fail "an unknown instruction set is not refused"
VINEA_ISA=baseline "$linreg" native >"$work/out"
same_losses "$work/out" "$work/reference"
skip_missing
