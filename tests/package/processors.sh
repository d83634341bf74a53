#!/usr/bin/env bash
# Other processors than this one. 64-bit ARM, under an emulator: the library and the command build without a warning, the suites pass on native at both
# levels, results have the same bits at both where they are promised, and products and convolutions are right at real and odd sizes. 32-bit and big-endian processors: refused when the build is configured.
# ctest: full
# ctest: seconds 900
# ctest: timeout 7200
. "$(dirname "$0")/common.bash"
need cmake qemu-aarch64 aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc s390x-linux-gnu-gcc
unset VINEA_ENGINE_PATH
emulated=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
configure() { # compiler, folder, options
  CC=$1-gcc cmake -S "$source_dir" -B "$2" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${1%%-*}" "${@:3}" >"$work/log" 2>&1
}

say "refused"
for pair in arm-linux-gnueabihf='needs a 64-bit processor' s390x-linux-gnu='needs a little-endian processor'; do
  if configure "${pair%%=*}" "$work/${pair%%=*}"; then fail "${pair%%=*} is not refused"; fi
  tr -s '[:space:]' ' ' <"$work/log" | grep -q "Vinea ${pair#*=}" || { cat "$work/log"; fail "${pair%%=*} is refused for another reason"; }
done

say "build for aarch64"
arm=$work/aarch64
configure aarch64-linux-gnu "$arm" -DVINEA_WERROR=ON "-DCMAKE_CROSSCOMPILING_EMULATOR=$(IFS=';'; echo "${emulated[*]}")" || { cat "$work/log"; fail "it cannot be configured"; }
cmake --build "$arm" -j 2 --target vinea_command test_levels test_few_rows test_conv test_float_environment >"$work/log" 2>&1 || { grep -A 3 'error' "$work/log"; fail "it does not build"; }

say "the same bits at both levels"
for setting in baseline=1 neon=3; do
  VINEA_ISA=${setting%=*} VINEA_THREADS=${setting#*=} "${emulated[@]}" "$arm/tests/levels" child | tee -a "$work/hashes"
done
[ "$(wc -l <"$work/hashes")" -eq 2 ] && [ "$(sort -u "$work/hashes" | wc -l)" -eq 1 ] || fail "they differ"

say "matrix products and convolutions at both levels, at real and odd sizes, on one and several threads"
for program in few_rows conv float_environment; do
  "${emulated[@]}" "$arm/tests/$program" >"$work/out" 2>&1 || { tail -30 "$work/out"; fail "$program"; }
  tail -n 1 "$work/out"
done
for level in neon baseline; do
  VINEA_ISA=$level "${emulated[@]}" "$arm/vinea" engines --verbose >"$work/out"
  grep -q "$level" "$work/out" || { cat "$work/out"; fail "the engine does not say that its level is $level"; }
done

for level in neon baseline; do
  say "the suites on native, $level"
  for suite in seeds nn ops; do
    VINEA_ISA=$level "${emulated[@]}" "$arm/vinea" check --suite $suite --engine native --strict --tier quick --timeout 3000 --out "$work/report" >"$work/out" 2>&1 || { tail -30 "$work/out"; fail "suite $suite"; }
    tail -n 1 "$work/out"
  done
done
