#!/usr/bin/env bash
# Case lines alone (vinea check --lines): a wrong line fails with a reason, whether it is a result, an error's code or its message;
# of many lines in one program each failing one is named. Then malformed lines and lists.
. "$(dirname "$0")/common.bash"
check() { # exit code, words: runs `vinea check --engine native`; what it says is in $work/out
  local code=0 want=$1; shift
  "$build/vinea" check --engine native "$@" >"$work/out" 2>&1 || code=$?
  [ "$code" = "$want" ] || { cat "$work/out"; fail "$*: exit code $code, $want is expected"; }
}
run() { # exit code, line: its one line in a file
  printf '%s\n' "$2" >"$work/one.case"
  check "$1" --lines "$work/one.case"
}
says() { grep -qF -- "$1" "$work/out" || { cat "$work/out"; fail "no word of $1"; }; }

run 0 'add [1 2] [3 4] = [4 6]'
run 1 'add [1 2] [3 4] = [4 7]'; says 'one.case:1'
run 0 'add [1 2] [1 2 3] ! VN_E_SHAPE'
run 0 'add [1 2] [1 2 3] ! VN_E_SHAPE "2 and 3"  # a comment'
run 1 'add [1 2] [3 4] ! VN_E_SHAPE'; says 'the call succeeded'
run 1 'add [1 2] [1 2 3] ! VN_E_DTYPE'; says 'expected  VN_E_DTYPE'
run 1 'add [1 2] [1 2 3] ! VN_E_SHAPE "4 and 5"'; says 'the message does not contain "4 and 5"'
run 1 'add [1 2] [1 2 3] ! VN_E_WRONG'; says 'there is no error "VN_E_WRONG"'
run 1 'add [1 2] [1 2 3] ! VN_E_SHAPED'; says 'there is no error'
for text in '2 and 3' '"2 and 3' '""' '"'; do
  run 1 "add [1 2] [1 2 3] ! VN_E_SHAPE $text"; says 'a text in quotes may'
done
run 1 'add [1 2] [1 2 3]'; says 'no "! error"'
run 1 'adda [1 2] [3 4] = [4 6]'; says 'one.case:1: adda [1 2] [3 4] = [4 6]: there is no op "adda"'
run 1 '# nothing'; says 'has no lines'
[ ! -e vinea-report ] || fail "some lines alone make a report"

say "many lines as one program"
printf '%s\n' 'add [1 2] [3 4] = [4 6]' 'add [1 2] [3 4] = [4 7]' '' 'add [1] [3 4] = [4 5]' 'mul [2] [3] = [7]' 'add f64[1] [3 4] = f64[4 6]' \
  'sqrt [4 9] = [2 3]' >"$work/many.case"
check 1 --lines "$work/many.case"
for place in many.case:2 many.case:5 many.case:6; do says "$place"; done
for place in 1 4 7; do ! grep -q "many.case:$place" "$work/out" || fail "line $place is right"; done
grep -q '^native.* 1 pass, 2 fail' "$work/out" || { cat "$work/out"; fail "three tests were to be run"; }
check 0 --lines "$work/many.case:4"
check 1 --lines "$work/many.case:5"; says 'many.case:5'; ! grep -q 'many.case:2' "$work/out" || fail "only one line was asked for"
check 1 --lines "$work/many.case:3"; says 'has no case in line 3'
check 1 --lines "$work/none.case"; says 'none.case'
check 1 --lines "$work/many.case" --stop; says 'stopped at the first failure'
[ "$(grep -c '^fail' "$work/out")" -eq 1 ] || { cat "$work/out"; fail "it does not stop at the first failure"; }

say "lines and lists that make no sense"
mkdir -p "$work/lines/cases" "$work/lines/known"
printf '%s\n' 'add [1 2] [3 4] = [4 6]' 'mull [1] [2] = [2]' 'mul [1] [2] = 2' >"$work/lines/cases/few.case"
printf '%s\n' 'few.case:1' 'few.case:9 there is no such line' '# a comment' >"$work/lines/known/native.txt"
check 1 --test ops/add --cases "$work/lines" --out "$work/report"
says 'few.case:2: mull [1] [2] = [2]: there is no op "mull"'
says 'few.case:3: mul [1] [2] = 2: malformed: an array was expected'
says 'known failures of native: few.case:1 has no reason'
says 'known failures of native: few.case:9 is not a line of a case file, or a test'
says 'nothing was run'
