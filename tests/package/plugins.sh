#!/usr/bin/env bash
# Malformed plugins: garbage, another ABI, an older and smaller table, a wrong name, a missing symbol, a
# manifest only. Each is an engine that is not available, with a reason, and the others work.
# ctest: seconds 2
. "$(dirname "$0")/common.bash"
need gcc
alone
mkdir "$work/plugins"
cd "$work/plugins"

cat >plugin.c <<'END'
#include <vinea/engine.h>
static const vn_host *host;
static int opens(int device, vn_context **context) { return (void)device, (void)context, VN_OK; }
static int fails(int device, vn_context **context)
{
    (void)device, (void)context;
    return host->error(VN_E_ENGINE, "broken: the framework is not there");
}
static const vn_engine engine = {.size = SIZE, .row_size = sizeof(vn_kernel_row), .name = NAME, .open = OPEN};
static const vn_engine *const engines[] = {&engine};
static const vn_plugin plugin = {.abi = ABI, .size = sizeof plugin, .n_engines = ENGINES, .engines = engines};
__attribute__((visibility("default"))) const vn_plugin *ENTRY(const vn_host *h)
{
    host = h;
    (void)opens, (void)fails;
    return &plugin;
}
END
make_plugin() { # file, abi, size, name, open, entry, engines
  gcc -std=c11 -fPIC -shared -fvisibility=hidden -I"$source_dir/include" -DABI="$2" -DSIZE="$3" -DNAME="\"$4\"" -DOPEN="$5" -DENTRY="$6" -DENGINES="${7:-1}" plugin.c -o "$1.so"
}
make_plugin newer 3 'sizeof(vn_engine)' newer opens vinea_engine_main
make_plugin former 1 'sizeof(vn_engine)' former opens vinea_engine_main
make_plugin older 2 'offsetof(vn_engine, version)' older opens vinea_engine_main # knows the first fields only
make_plugin stranger 2 'sizeof(vn_engine)' someone opens vinea_engine_main
make_plugin mute 2 'sizeof(vn_engine)' mute opens another_symbol
make_plugin barren 2 'sizeof(vn_engine)' barren opens vinea_engine_main 0
make_plugin broken 2 'sizeof(vn_engine)' broken fails vinea_engine_main
head -c 5000 /dev/urandom >garbage.so
: >empty.so
printf 'name = lonely\ninstall = build it first\n' >lonely.manifest
rm plugin.c

export VINEA_ENGINE_PATH=$work/plugins
"$work/alone/vinea" engines --json >"$work/list"
python3 - "$work/list" <<'END'
import json, sys
engines = {e["name"]: e for e in json.load(open(sys.argv[1]))}
expected = {
    "newer": "engine ABI 3", "former": "engine ABI 1", "barren": "provides no engine", "stranger": "one name", "mute": "vinea_engine_main", "broken": "framework is not there",
    "garbage": "cannot be loaded", "empty": "cannot be loaded", "lonely": "no plugin beside it",
}
for name, words in expected.items():
    assert not engines[name]["available"] and words in engines[name]["message"], (name, engines[name])
assert engines["lonely"]["how"] == "build it first"
assert engines["native"]["available"]
assert engines["older"]["available"], engines["older"]  # loads; what it lacks answers "not implemented"
END

say "using one is an error, not a crash"
for engine in newer former barren stranger mute broken garbage empty lonely older nothing; do
  code=0
  "$work/alone/linreg" "$engine" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" -gt 0 ] && [ "$code" -lt 100 ] || fail "$engine: exit code $code"
  grep -q . "$work/err" || fail "$engine: no message"
done
says() { # engine, words of the message
  "$work/alone/linreg" "$1" >"$work/out" 2>"$work/err" || true
  grep -q "$2" "$work/err" || { cat "$work/err"; fail "$1 does not say: $2"; }
}
says older 'older could not take the data: not implemented'
says nothing 'there is no engine "nothing"; there are: native'
"$work/alone/linreg" native >/dev/null
