#!/usr/bin/env bash
# The command `vinea`: what it prints, where, and its exit codes.
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
expect 0 version; grep -qE '^vinea [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail "vinea version prints $(cat "$work/out")"
expect 0 demo native; grep -q '^native ' "$work/out" || fail "the demo does not show native"

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
for words in --help -h help "engines --help" "ops -h" "demo --help" "inspect --help" "report --help" "version --help"; do
  # shellcheck disable=SC2086
  expect 0 $words; silent err
  grep -q '^Usage: vinea' "$work/out" || fail "vinea $words shows no usage"
done

say "mistakes"
for words in "" nothing "engines --yaml" "engines more" "ops --jsonx" "version x" "demo --fast" inspect "inspect a b" report "report a b" "report a --fast"; do
  # shellcheck disable=SC2086
  expect 2 $words; silent out
  [ -s "$work/err" ] || fail "vinea $words says nothing"
done
expect 1 demo nothing
grep -q "'nothing'" "$work/err" || fail "the demo does not name the engine that does not exist"

say "output that cannot be written"
for words in ops "ops --json" engines version --help; do
  # shellcheck disable=SC2086
  ! "$vinea" $words >/dev/full 2>"$work/err" || fail "vinea $words on a full disk succeeds"
  grep -q 'cannot write' "$work/err" || fail "vinea $words on a full disk says nothing"
  # shellcheck disable=SC2086
  ! "$vinea" $words >&- 2>"$work/err" || fail "vinea $words on a closed output succeeds"
done
