#!/usr/bin/env bash
# The `vinea` command: its output and exit codes.
# ctest: seconds 6
. "$(dirname "$0")/common.bash"
alone # native only: the engines have tests of their own
vinea=$work/alone/vinea

# expect CODE WORDS...: runs the command; its output is in $work/out and $work/err
expect() {
  local want=$1 got=0; shift
  "$vinea" "$@" >"$work/out" 2>"$work/err" || got=$?
  [ "$got" -eq "$want" ] || { cat "$work/out" "$work/err"; fail "vinea $* ended with $got, not $want"; }
}
silent() { [ ! -s "$work/$1" ] || { cat "$work/$1"; fail "something on $1"; }; }

say "lists"
for list in engines ops; do
  expect 0 $list; silent err
  expect 0 $list --json; silent err
  python3 -m json.tool "$work/out" >/dev/null || fail "vinea $list --json is no JSON"
done
python3 - "$work/out" <<'END'
import json, sys
ops = {op["name"]: op for op in json.load(open(sys.argv[1]))}
assert ops["add"]["inputs"] == ["x", "y"] and ops["add"]["differentiable"] is True, ops["add"]
assert all(op["doc"] for op in ops.values())
END
expect 0 engines; grep -q '^native  *yes' "$work/out" || fail "native is not listed"
expect 0 engines --verbose; silent err
for words in '^native [0-9]' '^  device  *cpu' '^  threads  *[0-9]' '^  route  *whole programs' '^  cache  *0 of 512 programs' 'pairs of op and dtype are computed by native itself'; do
  grep -q "$words" "$work/out" || { cat "$work/out"; fail "vinea engines --verbose does not say: $words"; }
done
expect 0 engines --json --verbose; silent err
python3 - "$work/out" <<'END'
import json, sys
native, = json.load(open(sys.argv[1]))
assert native["runs"]["device"] == "cpu" and int(native["runs"]["threads"]) > 0, native["runs"]
assert native["native"] == [] and native["pairs"] == native["own_pairs"] > 850, native
assert native["cache"]["limit"] == 512, native["cache"]
END
mkdir "$work/gone"
printf 'install = build it first\nabout = an engine that is not there\n' >"$work/gone/gone.manifest"
VINEA_ENGINE_PATH="$work/gone" expect 0 engines --verbose
grep -q '^  not available  *gone: its manifest is in' "$work/out" && grep -q '^  install  *build it first' "$work/out" || { cat "$work/out"; fail "an absent engine is not explained"; }
VINEA_ENGINE_PATH="$work/gone" expect 0 engines --verbose --json
python3 -m json.tool "$work/out" >/dev/null || fail "vinea engines --verbose --json is no JSON where an engine is absent"
expect 0 version; grep -qE '^vinea [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail "vinea version prints $(cat "$work/out")"
expect 0 bench --only add1 --seconds 0.01; grep -q '^add1 .* us ' "$work/out" || fail "vinea bench shows no time"
expect 0 bench --seconds 0; [ "$(wc -l <"$work/out")" -eq 12 ] || fail "vinea bench does not show every workload"
expect 0 bench native native --only add1 --seconds 0.01 --json
python3 -c 'import json, sys; assert [x["workload"] for x in json.load(sys.stdin)] == ["add1"] * 2' <"$work/out" || fail "vinea bench --json is not what it says"

say "files"
data=$source_dir/tests/data
expect 0 inspect "$data/every.safetensors"; silent err
grep -q '^every.f32  *float32  *3x5  *60$' "$work/out" || fail "vinea inspect does not list an array"
grep -q '^16 arrays, ' "$work/out" || fail "vinea inspect gives no total"
for name in every.safetensors every.npz every_deflated.npz version1.npy none.npz; do
  expect 0 inspect --json "$data/$name"; silent err
  python3 -m json.tool "$work/out" >/dev/null || fail "vinea inspect --json $name is no JSON"
done
expect 1 inspect "$data/make.py"; silent out
expect 1 inspect "$work/not there"; grep -q 'No such file' "$work/err" || fail "vinea inspect does not say that there is no file"

say "help"
"$vinea" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 11 ] || fail "vinea --help does not list the commands"
mapfile -t commands <"$work/commands"
for words in --help -h help "ops -h" "${commands[@]/%/ --help}" "${commands[@]/#/help }"; do
  # shellcheck disable=SC2086
  expect 0 $words; silent err
  grep -q '^Usage: vinea' "$work/out" || fail "vinea $words shows no usage"
done

say "mistakes"
for words in "" nothing "engines --yaml" "engines more" "ops --jsonx" "ops --json=1" "ops --verbose" "version x" "demo --fast" "demo -x" inspect "inspect a b" "help nothing" \
             "train mlp" "train mlp d --epochs" "train mlp d --epochs many" "train mlp d --epochs -1" "train mlp d --epochs 0" "train mlp d --batch 0" \
             "train mlp d --lr 0,1" "train mlp d --lr 0x1" "train mlp d --lr nan" "train mlp d --optimizer best" "train mlp d --quiet=1" "train mlp d --log=" \
             predict "predict a" "predict a b c" "predict a b --batch 0" "bench --only nothing" "bench --seconds -1" completion "completion tcsh" "manual x" "manual library x" report "report a.json b" "report a b --plain" "report a --fast"; do
  # shellcheck disable=SC2086
  expect 3 $words; silent out
  [ -s "$work/err" ] || fail "vinea $words says nothing"
done
hint() { # TEXT WORDS...: the mistake is answered with this text
  local text=$1; shift
  expect 3 "$@"; grep -qF -- "$text" "$work/err" || { cat "$work/err"; fail "vinea $* does not say: $text"; }
}
hint "did you mean 'train'?" tarin
hint "did you mean '--epochs'?" train mlp d --epocs=3
hint "there is no option '--out' (" train mlp d --out x # nothing is near
hint "did you mean 'token_error_rate'?" train mlp d --metrics token_eror_rate
hint "did you mean 'adamw'?" train mlp d --optimizer adanw
hint "did you mean 'bash'?" completion bahs
hint "CHECKPOINT is missing" predict
expect 2 bench nothing; grep -q '"nothing"' "$work/err" || fail "vinea bench does not name the engine that does not exist"

say "what is printed from the table"
expect 0 completion bash; bash -n "$work/out" || fail "the completion for bash is no script"
complete_word() { # WORDS...: what bash would offer for the last one
  ( . "$work/out"; COMP_WORDS=(vinea "$@") COMP_CWORD=$#; _vinea; printf '%s\n' "${COMPREPLY[@]}" )
}
diff <(complete_word "" | grep -v -- -- | sort) <(sort "$work/commands") || fail "completion does not offer the commands"
[ "$(complete_word train mlp d --opt)" = --optimizer ] || fail "completion does not offer an option"
[ "$(complete_word train mlp d --optimizer adamw)" = adamw ] || fail "completion does not offer a value"
[ "$(complete_word bench --only soft)" = softmax ] || fail "completion does not offer a workload"
"$vinea" models | sed -n '/^Built-in/,/^$/s/^  *\([a-z]*\)  .*/\1/p' | sort >"$work/models"
[ -s "$work/models" ] && complete_word train "" | grep -v -- -- | sort | diff - "$work/models" || fail "completion does not offer the built-in models"
for shell in zsh fish; do
  expect 0 completion $shell
  for option in $("$vinea" train --help | grep -o -- '--[a-z-]*' | sort -u | grep -v -- --help); do
    grep -qE -- "(--| -l )${option#--}\>" "$work/out" || fail "the completion for $shell lacks $option"
  done
  ! command -v "$shell" >/dev/null || "$shell" -n "$work/out" || fail "the completion for $shell is no script"
done
expect 0 manual
while read -r command; do
  grep -q "^\.SS vinea $command" "$work/out" || fail "the man page lacks $command"
  for option in $("$vinea" "$command" --help | sed -n '/^Options:/,/^$/s/^  \(--[a-z-]*\).*/\1/p' | grep -v -- --help); do
    grep -qF -- ".B ${option//-/\\-}" "$work/out" || fail "the man page lacks $option of $command"
  done
done <"$work/commands"
documented() { # a man page: it has the variables of docs/architecture.md, and no others of ours
  sed -n '/^## Settings/,/^## /s/^| \(`VINEA[^|]*\) |.*/\1/p' "$source_dir/docs/architecture.md" | grep -o 'VINEA_[A-Z_]*' | sort -u >"$work/settings"
  [ "$(wc -l <"$work/settings")" -gt 10 ] && sed -n 's/^\.B \(VINEA_[A-Z_]*\)$/\1/p' "$1" | sort | diff "$work/settings" - || fail "the man page has other variables than docs/architecture.md"
}
well_formed() { # a man page
  command -v man >/dev/null || return 0
  LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$1" 2>&1 >/dev/null | tee "$work/warnings"
  [ ! -s "$work/warnings" ] || fail "the man page has mistakes"
}
well_formed "$work/out"; documented "$work/out"
(cd "$source_dir" && grep -rhoE --exclude=manual.c '"VINEA_[A-Z_]+"' src engines cli groups images) | tr -d '"' | sort -u | diff "$work/settings" - || fail "docs/architecture.md and cli/manual.c have other variables than the sources"
expect 0 manual library
well_formed "$work/out"; documented "$work/out"
! grep -q 'passive unless set' "$work/out" || fail "vinea(3) says that the library sets variables"
for op in $("$vinea" ops --json | sed -n 's/^  {"name": "\([^"]*\)".*/\1/p'); do grep -q "vn_$op\>" "$work/out" || fail "vinea(3) lacks $op"; done
sed -n '/^\.SH EXAMPLE/,/^\.RE/p' "$work/out" | sed '1,3d;$d;s/^\\&//;s/\\-/-/g;s/\\e/\\/g' >"$work/example.c"
gcc -std=c11 "${strict[@]}" -I"$source_dir/include" "$work/example.c" -o "$work/example" -L"$build" -lvinea -Wl,-rpath,"$build"
[ "$("$work/example")" = 2 ] || fail "the example of vinea(3) does not print 2"
"$vinea" models --markdown | diff - "$source_dir/docs/models.md" || fail "stale: run build/vinea models --markdown > docs/models.md"

say "output that cannot be written"
for words in ops "ops --json" engines "engines --verbose" version --help; do
  # shellcheck disable=SC2086
  ! "$vinea" $words >/dev/full 2>"$work/err" || fail "vinea $words on a full disk succeeds"
  grep -q 'cannot write' "$work/err" || fail "vinea $words on a full disk says nothing"
  # shellcheck disable=SC2086
  ! "$vinea" $words >&- 2>"$work/err" || fail "vinea $words on a closed output succeeds"
done
