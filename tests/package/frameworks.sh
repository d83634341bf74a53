#!/usr/bin/env bash
# Missing, broken, too old and unknown frameworks: an engine without its framework is not available, with a reason and how to install it,
# and the others work; with a version newer than any tested, every op is tried. Engines write nothing to stdout or stderr.
# ctest: seconds 17
# ctest: frameworks
. "$(dirname "$0")/common.bash"
need gcc
alone
real=${VINEA_PYTHON:-}
plugins=()
for engine in "${engines[@]}"; do [ "$engine" = native ] || plugins+=("$engine"); done

# environment NAME: an empty one; packages go into $site. It is also the python3 on PATH, so that no other one is found.
environment() {
  python3 -m venv --without-pip "$work/$1"
  site=$(echo "$work/$1"/lib/python3.*/site-packages)
  export VINEA_PYTHON=$work/$1/bin/python PATH=$work/$1/bin:/usr/bin:/bin
  unset VIRTUAL_ENV
}
# copied NAME: the plugins in a folder of their own, with the manifests to be changed
copied() {
  mkdir "$work/$1"
  cp "$build"/engines/*.so "$build"/engines/*.manifest "$work/$1/"
  export VINEA_ENGINE_PATH=$work/$1
}
listing() { # vinea engines --json, in silence
  "$work/alone/vinea" engines --json >"$work/list" 2>"$work/err" || fail "vinea engines ends with $?"
  [ ! -s "$work/err" ] || { cat "$work/err"; fail "something on stderr"; }
}
# absent ENGINE WORDS: it is not available, and the message has these words; using it is an error
absent() {
  python3 - "$work/list" "$1" "$2" <<'END'
import json, sys
engine = {e["name"]: e for e in json.load(open(sys.argv[1]))}[sys.argv[2]]
assert not engine["available"] and sys.argv[3] in engine["message"], (sys.argv[3], engine)
assert engine["how"], engine
END
  local code=0
  "$work/alone/linreg" "$1" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" -gt 0 ] && [ "$code" -lt 100 ] || fail "$1: exit code $code"
  grep -qF "$2" "$work/err" || { cat "$work/err"; fail "$1 does not say: $2"; }
}

say "none of them installed"
copied plugins
environment empty
listing
for engine in "${plugins[@]}"; do absent "$engine" "$engine"; done
"$work/alone/linreg" native >/dev/null

say "packages that do not work"
environment broken
mkdir -p "$site"/{numpy,jax,torch/lib,tensorflow}
for package in numpy jax; do echo 'raise ImportError("broken on purpose")' >"$site/$package/__init__.py"; done
head -c 5000 /dev/urandom | tee "$site/torch/lib/libtorch_cpu.so" >"$site/tensorflow/libtensorflow_cc.so.2"
listing
for engine in "${plugins[@]}"; do
  case $engine in
    numpy | jax) absent "$engine" "broken on purpose" ;;
    *) absent "$engine" "be loaded" ;;
  esac
done
"$work/alone/linreg" native >/dev/null

say "libraries without the functions"
echo 'int nothing_at_all;' | gcc -shared -fPIC -x c - -o "$site/torch/lib/libtorch_cpu.so"
cp "$site/torch/lib/libtorch_cpu.so" "$site/tensorflow/libtensorflow_cc.so.2"
listing
for engine in torch tensorflow; do
  case " ${plugins[*]} " in *" $engine "*) absent "$engine" "newer" ;; esac
done

say "an older version than the manifest allows"
if [ -n "$real" ]; then export VINEA_PYTHON=$real; else unset VINEA_PYTHON; fi
keep_installed
skip_missing # there are no versions of what is not installed
copied older
sed -i 's/^package = \(.*\) >= .*/package = \1 >= 99.1/' "$work"/older/*.manifest
listing
for engine in "${plugins[@]}"; do absent "$engine" "99.1 or newer is needed"; done

say "an untested version: every op is tried, and these pass"
copied newer
sed -i 's/^tested = .*/tested = 0.0.1/' "$work"/newer/*.manifest
cp "$source_dir/engines/template/template.manifest" "$work/newer/"
echo 'tested = 0.0.1' >>"$work/newer/template.manifest"
# Of the template's two ops one gives wrong results now, and a third one fails.
sed -e 's/return x \* y;/return x * y + 1;/' \
    -e 's|^static int open_engine|static int refuse(const vn_kernel_call *call)\n{\n    return host->error(VN_E_ENGINE, "no %s today", call->instr->op);\n}\nstatic int open_engine|' \
    -e 's|^    {0},|    {.op = "sub", .dtypes = VN_BIT(VN_F32), .kernel = refuse},\n    {0},|' \
    -e '/^static const vn_kernel_row rows/i static int refuse(const vn_kernel_call *call);' \
    "$source_dir/engines/template/template.c" >"$work/template.c"
gcc -std=c11 -O2 -fPIC -shared -fvisibility=hidden -I"$source_dir/include" "$work/template.c" -o "$work/newer/template.so"
"$work/alone/vinea" engines --verbose --json >"$work/list" 2>"$work/err" || { cat "$work/err"; fail "vinea engines --verbose --json"; }
[ ! -s "$work/err" ] || { cat "$work/err"; fail "something on stderr"; }
python3 - "$work/list" "${plugins[@]}" <<'END'
import json, sys
engines = {e["name"]: e for e in json.load(open(sys.argv[1]))}
for name in sys.argv[2:]:
    assert engines[name]["available"], engines[name]
    assert "every op was tried, 0 failed" in engines[name]["runs"]["version"], engines[name]["runs"]
template = engines["template"]
assert "2 failed" in template["runs"]["version"], template["runs"]
mine = {row["op"] for row in template["native"] if "float32" in row["dtypes"]}
assert {"mul", "sub"} <= mine and "add" not in mine, mine
END
"$work/alone/linreg" native >"$work/reference"
"$work/alone/linreg" template >"$work/template"
same_losses "$work/template" "$work/reference"
