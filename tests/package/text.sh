#!/usr/bin/env bash
# examples/transformer.c is the same training on every engine: losses agree in all steps, and in float64 a seed gives exactly the same text.
# ctest: seconds 10
# ctest: seconds-full 20
# ctest: frameworks
. "$(dirname "$0")/common.bash"
cd "$source_dir" # where it finds the play
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

steps=15 letters=60
train() { # engine, dtype
  "$build/examples/transformer" "$1" $steps "$2" $letters 1 >"$work/$1.$2" || { tail -n 3 "$work/$1.$2"; fail "transformer $1 $steps $2 ended with an error"; }
  [ "$(losses "$work/$1.$2" | wc -l)" -eq $steps ] || fail "$1 $2 does not print $steps losses"
}
agree() { # engine, dtype, relative distance
  paste <(losses "$work/$1.$2") <(losses "$work/native.$2") | awk -v most="$3" '
    { d = $1 - $2; if (d < 0) d = -d; if (NF != 2 || !(d <= most * $2)) { print "step " NR - 1 ": " $0; bad = 1 } }
    END { exit bad }' || fail "losses of $1 and native differ by more than $3 ($2)"
}
text() { sed '1,/^$/d' "$1"; } # what follows the first empty line

keep_installed
for engine in "${engines[@]}"; do
  say "$engine"
  if in_full; then train "$engine" float32; agree "$engine" float32 1e-4; fi
  train "$engine" float64; agree "$engine" float64 1e-9
  [ "$(text "$work/$engine.float64" | wc -c)" -gt $letters ] || fail "$engine wrote no text"
  diff <(text "$work/native.float64") <(text "$work/$engine.float64") || fail "$engine and native write different texts"
done
skip_missing
