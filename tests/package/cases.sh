#!/usr/bin/env bash
# The runner of case lines: a line that is wrong fails and says why, whether it is a result, an error's code or its message.
. "$(dirname "$0")/common.bash"
run() { # exit code, line: its one line in a file
  local code=0
  printf '%s\n' "$2" >"$work/one.case"
  "$build/tests/vinea-cases" --filter one.case: "$work/one.case" >"$work/out" 2>&1 || code=$?
  [ "$code" = "$1" ] || { cat "$work/out"; fail "$2: exit code $code, $1 is expected"; }
}
says() { grep -qF -- "$1" "$work/out" || { cat "$work/out"; fail "no word of $1"; }; }

run 0 'add [1 2] [3 4] = [4 6]'
run 1 'add [1 2] [3 4] = [4 7]'; says 'one.case:1'
run 0 'add [1 2] [1 2 3] ! VN_E_SHAPE'
run 0 'add [1 2] [1 2 3] ! VN_E_SHAPE "2 and 3"  # a comment'
run 1 'add [1 2] [3 4] ! VN_E_SHAPE'; says 'the call succeeded'
run 1 'add [1 2] [1 2 3] ! VN_E_DTYPE'; says 'expected  VN_E_DTYPE'
run 1 'add [1 2] [1 2 3] ! VN_E_SHAPE "4 and 5"'; says 'the message does not hold "4 and 5"'
run 1 'add [1 2] [1 2 3] ! VN_E_WRONG'; says 'there is no error "VN_E_WRONG"'
run 1 'add [1 2] [1 2 3] ! VN_E_SHAPED'; says 'there is no error'
for text in '2 and 3' '"2 and 3' '""' '"'; do
  run 1 "add [1 2] [1 2 3] ! VN_E_SHAPE $text"; says 'a text in quotes may'
done
run 1 'add [1 2] [1 2 3]'; says 'no "! error"'
