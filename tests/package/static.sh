#!/usr/bin/env bash
# A program linked with -static computes on the native engine. It cannot load plugins, and says so instead of crashing. It has the layers, optimizers, losses and
# metrics that it uses, not all there are, unless it makes them by name.
# ctest: seconds 5
. "$(dirname "$0")/common.bash"
need gcc
echo 'int main(void) { return 0; }' >"$work/empty.c"
gcc -static "$work/empty.c" -o "$work/empty" 2>/dev/null || { echo "skipped: there is no static C library"; exit 77; }
gcc -std=c11 -static -I "$source_dir/include" "$source_dir/examples/linreg.c" "$build/libvinea.a" -lm -o "$work/linreg" 2>"$work/warnings" ||
  { cat "$work/warnings"; fail "linreg does not link with -static"; }

say "native"
"$work/linreg" native >"$work/static"
"$build/examples/linreg" native | diff - "$work/static" || fail "it computes something else"

say "a plugin"
mkdir "$work/engines"
gcc -std=c11 -shared -fPIC -I "$source_dir/include" "$source_dir"/engines/template/*.c -o "$work/engines/template.so"
code=0
VINEA_ENGINE_PATH=$work/engines "$work/linreg" template >"$work/out" 2>&1 || code=$?
cat "$work/out"
[ "$code" -eq 7 ] && grep -q 'a program linked with -static loads no plugins; link it without -static' "$work/out" || fail "it ended with $code"

say "plugins for images and for groups of processes"
cat >"$work/plugins.c" <<'END'
#include <stdio.h>
#include <vinea/vinea.h>
#include <vinea/files.h>
#include <vinea/ranks.h>
int main(int argc, char **argv)
{
    if (argc < 2 || vn_use("native") || vn_read_image(argv[1]) || !vn_status()) return 1;
    puts(vn_message());
    vn_clear();
    if (vn_group_open(NULL) || !vn_status()) return 2;
    puts(vn_message());
    vn_clear();
    return vn_close();
}
END
gcc -std=c11 -static -I "$source_dir/include" "$work/plugins.c" "$build/libvinea.a" -lm -o "$work/plugins" 2>/dev/null
for kind in images groups; do # they need libraries: the reason is not that these are missing
  mkdir "$work/$kind"
  cp "$source_dir"/$kind/*/*.manifest "$work/$kind"
  for manifest in "$work/$kind"/*.manifest; do cp "$work/engines/template.so" "${manifest%.manifest}.so"; done
done
printf '\211PNG\r\n\032\n' >"$work/a.png"
VINEA_IMAGE_PATH=$work/images VINEA_GROUP_PATH=$work/groups OMPI_COMM_WORLD_SIZE=2 "$work/plugins" "$work/a.png" >"$work/out" || { cat "$work/out"; fail "a program that asks for plugins of other kinds ended with $?"; }
cat "$work/out"
[ "$(grep -c 'a program linked with -static loads no plugins' "$work/out")" -eq 2 ] || fail "the reason is not given"
! grep 'install it with' "$work/out" || fail "it says to install what does not help"

# constructors PROGRAM: the functions of layers, optimizers, schedules, losses and metrics that it has.
sed -nE 's/^VN_API vn_(module|optim|schedule|loss|metric) ?\*?(vn_[a-z0-9_]+)\(.*/\2/p' "$source_dir"/include/vinea/{layers,optimizers,losses}.h | sort >"$work/all"
[ "$(wc -l <"$work/all")" -gt 200 ] || fail "the headers list fewer constructors than there are"
constructors() { nm --defined-only "$1" | awk '$2 == "T" { print $3 }' | sort | comm -12 "$work/all" -; }
# link NAME SOURCE [FLAG]: a program with the library in it, as users link one that loads plugins.
link() {
  gcc -std=c11 -I "$source_dir/include" "$2" "${@:3}" "$build/libvinea.a" -lm -ldl -lpthread -o "$work/$1"
  strip -o "$work/stripped" "$work/$1"
  printf '%s: %d bytes, %d constructors\n' "$1" "$(stat -c %s "$work/stripped")" "$(constructors "$work/$1" | wc -l)"
}

say "what a program has"
link whole "$source_dir/examples/linreg.c"
link small "$source_dir/examples/linreg.c" -Wl,--gc-sections
"$work/small" native | diff "$work/static" - || fail "it computes something else without what it does not use"
[ "$(constructors "$work/small")" = vn_sgd ] || { constructors "$work/small"; fail "a program that uses vn_sgd has other constructors with --gc-sections"; }
constructors "$work/whole" | grep -E '^vn_(adam|lamb|lbfgs|chain|nn_.*|loss_.*|metric_.*)$' && fail "a program that uses vn_sgd has these too"
link fit "$source_dir/examples/digits_mlp.c" -Wl,--gc-sections
constructors "$work/fit" | grep -E '^vn_(lamb|sgd|schedule_free|nn_conv2d|nn_lstm)$' && fail "a program with vn_fit has these, which it does not use"
cat >"$work/named.c" <<'END'
#include <vinea/vinea.h>
int main(void) { return vn_use("native") || !vn_optim_parse("lamb(0.1)") || !vn_nn_make("relu", NULL, 0) || vn_close(); }
END
link named "$work/named.c" -Wl,--gc-sections
"$work/named" || fail "optimizers and layers by name"
for one in vn_lamb vn_nn_conv2d; do constructors "$work/named" | grep -qx $one || fail "a program that makes objects by name lacks $one"; done
