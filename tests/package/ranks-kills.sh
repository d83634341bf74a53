#!/usr/bin/env bash
# Random ends of one training, on a random number of ranks each time: a rank killed, crashed, hung, asked to end, or Ctrl-C on the launcher, after a random
# time, from MPI_Init on. No deadlock, the checkpoint is whole every time, and at last the scores are those of a training that nothing disturbed.
# VINEA_KILLS says how many (200).
# ctest: full
# ctest: seconds 900
# ctest: timeout 7200
set -u
source=$1 build=$2 kills=${VINEA_KILLS:-200}
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit 1
mpis=; for mpi in openmpi mpich; do command -v mpirun.$mpi >/dev/null && [ -e "$build/groups/$mpi.so" ] && mpis="$mpis $mpi"; done
[ -n "$mpis" ] || exit 77
export VINEA_GROUP_PATH=$build/groups VINEA_THREADS=1 VINEA_GROUP_TIMEOUT=3
RANDOM=${VINEA_SEED:-1}
failed=0 ended=0 finished=0 alone=0
bad() { echo "ranks-kills: $*"; failed=1; }
train() { "$build/vinea" train convnet "$source/data/digits.csv" --target label --epochs 12 --batch 96 --micro-batches 8 --checkpoint "$1.safetensors" --resume --log "$1.csv" --quiet; }
export -f train; export build source
scores() { cut -d, -f1-5 "$1.csv"; }
ranks_of() { # the processes of this training
  pgrep -f "vinea train convnet .*--checkpoint c.safetensors" | while read -r p; do
    [ "$(readlink "/proc/$p/cwd")" = "$folder" ] && [ "$(readlink "/proc/$p/exe")" = "$build/vinea" ] && echo "$p"
  done
}

train alone >out 2>&1 || bad "it fails undisturbed: $(cat out)"
set -- $mpis
for k in $(seq "$kills"); do
  mpi=$1; [ $# -gt 1 ] && [ $((RANDOM % 2)) -eq 0 ] && mpi=$2
  n=$((2 + RANDOM % 3))
  setsid sh "$source/tests/with_ranks.sh" "$mpi" $n "$build/vinea" train convnet "$source/data/digits.csv" --target label --epochs 12 --batch 96 --micro-batches 8 --checkpoint c.safetensors --resume --log c.csv --quiet >out 2>&1 &
  launcher=$!
  sleep "$((RANDOM % 3)).$((RANDOM % 10))"
  signals=(KILL KILL SEGV TERM STOP INT)
  signal=${signals[RANDOM % 6]}
  for _ in $(seq 200); do # a busy machine may not have started them yet
    victim=$(ranks_of | shuf -n 1 --random-source=<(yes $RANDOM))
    [ -n "$victim" ] || ! kill -0 $launcher 2>/dev/null && break
    sleep .1
  done
  [ $signal = INT ] && victim=$launcher
  [ -n "$victim" ] && kill -$signal "$victim" 2>/dev/null && ended=$((ended + 1))
  for _ in $(seq 300); do kill -0 $launcher 2>/dev/null || break; sleep .1; done
  if kill -0 $launcher 2>/dev/null; then
    # A stopped rank can be ended by its launcher only.
    others=$(ranks_of | { [ $signal = STOP ] && grep -vx "$victim" || cat; })
    if [ -n "$others" ]; then bad "end $k: ranks $others of $n of $mpi go on 30 s after $signal: $(cat out)"
    else alone=$((alone + 1)); echo "ranks-kills: end $k: the launcher of $mpi goes on 30 s after $signal, without a rank that runs: $(cat out)"; fi
    kill -9 $launcher $(ranks_of) 2>/dev/null
  fi
  wait $launcher && finished=$((finished + 1))
  left=$(ranks_of); [ -z "$left" ] || { sleep 2; left=$(ranks_of); [ -z "$left" ] || { bad "end $k: $signal leaves ranks of $mpi behind: $left"; kill -9 $left 2>/dev/null; }; }
  [ ! -e c.safetensors ] || "$build/vinea" inspect c.safetensors >/dev/null || bad "end $k: the checkpoint is not whole after $signal"
  if [ -e c.csv ] && [ "$(tail -n 1 c.csv | cut -d, -f1)" = 12 ]; then # done: compare, and begin again
    [ "$(scores c)" = "$(scores alone)" ] || bad "end $k: other scores than undisturbed: $(scores c)"
    rm -f c.csv c.safetensors
  fi
done
train c >out 2>&1 || bad "it does not continue in one process: $(cat out)"
[ "$(scores c)" = "$(scores alone)" ] || bad "other scores than undisturbed: $(scores c)"
echo "ranks-kills: $ended of $kills trainings were ended, $finished came to their end before; $alone times a launcher outlived its ranks"
exit $failed
