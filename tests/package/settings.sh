#!/usr/bin/env bash
# The environment variables: eager evaluation gives the same losses on every engine, a trace is a readable Chrome trace, VINEA_CHECK reports
# where a freed handle was created, an unknown instruction set is an error; the command lets idle threads of engines sleep unless the user says otherwise.
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

say "OMP_WAIT_POLICY: what an engine finds when it is opened"
mkdir "$work/waiting"
sed -e 's/"template"/"waiting"/' -e '/^static int open_engine(/,/^{/s/^{/{ const char *p = getenv("OMP_WAIT_POLICY"); fprintf(stderr, "waits %s\\n", p ? p : "as always");/' \
  "$source_dir/engines/template/template.c" >"$work/waiting.c"
gcc -std=gnu11 -fPIC -shared -include stdio.h -include stdlib.h -I"$source_dir/include" "$work/waiting.c" -o "$work/waiting/waiting.so"
sed "s/^name = .*/name = waiting/" "$source_dir/engines/template/template.manifest" >"$work/waiting/waiting.manifest"
waits() { # expected words, then a command
  local want=$1; shift
  (cd "$work" && VINEA_ENGINE_PATH=$work/waiting "$@") >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; fail "$*"; }
  grep -qx "waits $want" "$work/out" "$work/err" -h || { cat "$work/out" "$work/err"; fail "an engine of \"$*\" does not find: waits $want"; }
}
training=("$build/vinea" train linear iris --engine waiting --epochs 1 --force)
unset OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME
waits passive "${training[@]}"
waits active env OMP_WAIT_POLICY=active "${training[@]}"
waits 'as always' env GOMP_SPINCOUNT=1000 "${training[@]}"
waits 'as always' env KMP_BLOCKTIME=5 "${training[@]}"
waits 'as always' "$build/vinea" bench waiting --only add1 --seconds 0.01
waits 'as always' "$build/vinea" profile -- "$linreg" waiting
waits 'as always' "$linreg" waiting # a program's environment is left alone
skip_missing
