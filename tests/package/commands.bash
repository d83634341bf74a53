# commands.bash: for tests that run the `vinea` command, in the folder $work. Sourced after common.bash.
vinea=$build/vinea
cd "$work"
export VINEA_ENGINE_PATH=$build/engines

expect() { # CODE WORDS...: runs the command; its output is in out and err
  local want=$1 got=0; shift
  "$vinea" "$@" >out 2>err || got=$?
  [ "$got" -eq "$want" ] || { cat out err; fail "vinea $* ended with $got, not $want"; }
}
says() { grep -qF -- "$1" err || { cat err; fail "stderr does not say: $1"; }; }
holds() { grep -qE -- "$1" out || { cat out; fail "stdout does not hold: $1"; }; }
