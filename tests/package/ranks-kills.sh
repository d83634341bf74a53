#!/usr/bin/env bash
# Random ends of one training, on a random number of ranks each time: a rank killed, crashed, hung, asked to end, or Ctrl-C on the launcher, after a random
# time, from MPI_Init on. No deadlock: every rank and the launcher (`vinea launch`) end, within the timeout of the group and two minutes; the checkpoint is whole every time,
# and at last the scores are those of a training that nothing disturbed. VINEA_KILLS says how many (200), VINEA_SEED which.
# ctest: full
# ctest: seconds 900
# ctest: timeout 14400
set -u
source=$1 build=$2 kills=${VINEA_KILLS:-200}
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit 1
mpis=; for mpi in openmpi mpich; do command -v mpirun.$mpi >/dev/null && [ -e "$build/groups/$mpi.so" ] && mpis="$mpis $mpi"; done
[ -n "$mpis" ] || exit 77
export VINEA_GROUP_PATH=$build/groups VINEA_THREADS=1 VINEA_GROUP_TIMEOUT=${VINEA_GROUP_TIMEOUT:-10}
RANDOM=${VINEA_SEED:-1}
failed=0 sent=0 finished=0 slowest=0
bad() { echo "ranks-kills: $*"; failed=$((failed + 1)); }
words() { echo "$build/vinea" train convnet "$source/data/digits.csv" --target label --epochs 12 --batch 96 --micro-batches 8 --checkpoint "$1.safetensors" --resume --log "$1.csv" --quiet; }
scores() { cut -d, -f1-5 "$1.csv"; }
ranks_of() { # the processes of this training
  pgrep -f "^$build/vinea train convnet .*--checkpoint c.safetensors" | while read -r p; do
    [ "$(readlink "/proc/$p/cwd")" = "$folder" ] && [ "$(readlink "/proc/$p/exe")" = "$build/vinea" ] && echo "$p"
  done
}
tenths() { local t=${EPOCHREALTIME/./}; echo $((t / 100000)); }
report() { # what runs, and where
  for p in $(pgrep -P "$launcher") $launcher $(ranks_of); do
    echo "$p $(tr '\0' ' ' <"/proc/$p/cmdline") $(grep State "/proc/$p/status")"
    command -v gdb >/dev/null && gdb -p "$p" -batch -ex "thread apply all bt 12" 2>/dev/null | grep -E "^(#|Thread)"
  done
}

$(words alone) >out 2>&1 || bad "it fails undisturbed: $(cat out)"
set -- $mpis
for k in $(seq "$kills"); do
  mpi=$1; [ $# -gt 1 ] && [ $((RANDOM % 2)) -eq 0 ] && mpi=$2
  n=$((2 + RANDOM % 3))
  setsid "$build/vinea" launch -n $n --mpi "$mpi" -- $(words c) >out 2>&1 &
  launcher=$!
  sleep "$((RANDOM % 3)).$((RANDOM % 10))"
  signals=(KILL KILL SEGV TERM STOP INT)
  signal=${signals[RANDOM % 6]}
  for _ in $(seq 600); do # a busy machine may not have started them yet
    victim=$(ranks_of | shuf -n 1 --random-source=<(yes $RANDOM))
    [ -n "$victim" ] || ! kill -0 $launcher 2>/dev/null && break
    sleep .1
  done
  [ $signal = INT ] && victim=$launcher
  [ -n "$victim" ] && kill -$signal "$victim" 2>/dev/null && sent=$((sent + 1))
  begun=$(tenths)
  # TERM asks a rank to stop, which all do; others may be in their last epoch, which they finish.
  while kill -0 $launcher 2>/dev/null && [ $(($(tenths) - begun)) -lt $((1200 + VINEA_GROUP_TIMEOUT * 10)) ]; do sleep .1; done
  took=$(($(tenths) - begun)); [ $took -gt $slowest ] && slowest=$took
  if kill -0 $launcher 2>/dev/null; then
    bad "end $k: $n ranks of $mpi go on $((took / 10)) s after $signal to $victim: $(cat out; report)"
    kill -9 $launcher $(ranks_of) 2>/dev/null
  fi
  wait $launcher 2>/dev/null; code=$?
  [ $code -eq 0 ] && finished=$((finished + 1))
  left=$(ranks_of); [ -z "$left" ] || { sleep 5; left=$(ranks_of); [ -z "$left" ] || { bad "end $k: $signal leaves ranks of $mpi behind: $left: $(cat out; report)"; kill -9 $left 2>/dev/null; }; }
  [ ! -e c.safetensors ] || "$build/vinea" inspect c.safetensors >/dev/null || bad "end $k: the checkpoint is not whole after $signal"
  [ -z "${VINEA_VERBOSE:-}" ] || echo "end $k: $signal on $n ranks of $mpi: code $code after $((took / 10)).$((took % 10)) s, epoch $(tail -n 1 c.csv 2>/dev/null | cut -d, -f1): $(grep -m 1 -o 'vinea: .*' out)"
  if [ -e c.csv ] && [ "$(tail -n 1 c.csv | cut -d, -f1)" = 12 ]; then # done: compare, and begin again
    [ "$(scores c)" = "$(scores alone)" ] || bad "end $k: other scores than undisturbed: $(scores c)"
    rm -f c.csv c.safetensors
  fi
done
$(words c) >out 2>&1 || bad "it does not continue in one process: $(cat out)"
[ "$(scores c)" = "$(scores alone)" ] || bad "other scores than undisturbed: $(scores c)"
echo "ranks-kills: $kills trainings: $sent got a signal, $finished ended well all the same, $failed faults; the slowest ended after $((slowest / 10)).$((slowest % 10)) s"
exit $((failed > 0))
