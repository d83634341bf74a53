#!/usr/bin/env bash
# The command, an example and faults on several ranks: the same results as on one, and no rank that hangs or ends without a word.
# ctest: seconds 40
# ctest: seconds-full 100
# ctest: timeout 1200
set -u
source=$1 build=$2
mpi=openmpi mpis=(openmpi)
[ -z "${VINEA_TEST_FULL:-}" ] || mpis+=(mpich)
command -v mpirun.$mpi >/dev/null || exit 77
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit 1
export VINEA_GROUP_PATH=$build/groups VINEA_THREADS=1 UCX_LOG_LEVEL=fatal # which writes to stdout
failed=0
bad() { echo "ranks: $*"; failed=1; }
on() { local n=$1; shift; timeout -k 5 400 sh "$source/tests/with_ranks.sh" $mpi "$n" "$@"; }
# What needs a short timeout is tried again with longer ones: on a busy machine, MPI itself may take longer than that to begin.
patiently() {
  local VINEA_GROUP_TIMEOUT
  for VINEA_GROUP_TIMEOUT in 3 20 90; do export VINEA_GROUP_TIMEOUT; "$@" && return 0; done
  return 1
}
# A launcher may mix lines of several ranks, so what each of them says goes to a file of its own.
cat >each <<'SCRIPT'
#!/bin/sh
exec "$@" >"said.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" 2>&1
SCRIPT
chmod +x each
all_say() { local text=$1 n=$2 k; for k in $(seq 0 $((n - 1))); do grep -qF -- "$text" "said.$k" || return 1; done; }
heard() { tail -n 20 said.* out 2>/dev/null; }
within() { local seconds=$1 p=$2; for _ in $(seq "$seconds"0); do kill -0 "$p" 2>/dev/null || return 0; sleep .1; done; return 1; } # the process ends

# A launcher that goes on when all that it started has ended is ended by `vinea launch`, and no other one. (Open MPI's mpirun does so now and then if a rank
# is killed while it connects to it; this one always does.) They take 30 s, beside everything else.
mkdir alone.d; cat >alone.d/mpirun.$mpi <<'SCRIPT'
#!/bin/sh
sleep "$CHILD" & wait
[ -z "$AFTER" ] || exec sleep "$AFTER"
exit 3
SCRIPT
chmod +x alone.d/mpirun.$mpi
guarded() { CHILD=$1 AFTER=$2 PATH="$folder/alone.d:$PATH" timeout -k 5 400 "$build/vinea" launch -n 1 --mpi $mpi -- program >"guarded.$1" 2>&1; }
guarded 5 600 & stays=$!
guarded 30 "" & ends=$!

# The example prints the same, once.
"$build/examples/ranks" >alone || bad "the example fails"
for n in 2 3; do on $n "$build/examples/ranks" >out || bad "the example fails on $n ranks"; cmp -s alone out || bad "the example differs on $n ranks: $(cat out)"; done

# The command: scores of all epochs are those of one process; rank 0 alone speaks.
train() { "$@" "$build/vinea" train mlp "$source/data/digits.csv" --target label --epochs 2 --batch 96 --force --log log.csv --validation 360 --micro-batches 8 >out 2>err; }
train env || bad "vinea train: $(cat err)"
cut -d, -f1-7 log.csv | sed 's/,[^,]*$//' >expected; cp out expected.out
train on 4 || bad "vinea train on 4 ranks: $(cat err)"
cut -d, -f1-7 log.csv | sed 's/,[^,]*$//' | cmp -s - expected || bad "scores on 4 ranks differ: $(cat log.csv)"
cmp -s out expected.out || bad "4 ranks print: $(cat out)"

# Other data, another seed, learning rate, engine or program on one rank: every rank ends, and names it.
two() { # the words of rank 0, ":", the words of rank 1
  local first=()
  rm -f said.*
  while [ "$1" != : ]; do first+=("$1"); shift; done
  shift
  timeout -k 5 400 mpirun.$mpi --allow-run-as-root --oversubscribe --bind-to none -n 1 ./each "${first[@]}" : -n 1 ./each "$@" >out 2>&1; code=$?
  [ $code -ne 0 ] && [ $code -ne 124 ] && [ $code -ne 137 ]
}
mlp=("$build/vinea" train mlp "$source/data/digits.csv" --target label --epochs 1 --force --quiet)
head -n 1700 "$source/data/digits.csv" >other.csv
two "${mlp[@]}" : "$build/vinea" train mlp other.csv --target label --epochs 1 --force --quiet && all_say "vinea: fit: rank 1 has other data than rank 0" 2 || bad "ranks with different data end with $code: $(heard)"
options="vinea: fit: rank 1 has other options (epochs, batch, micro_batches, optimizer, learning rate, seed, loss, metrics, early stopping, precision) than rank 0"
two "${mlp[@]}" --seed 1 : "${mlp[@]}" --seed 2 && all_say "$options" 2 || bad "ranks with other seeds end with $code: $(heard)"
others=("--lr 0.02" "--precision bf16")
[ -z "${VINEA_TEST_FULL:-}" ] || others+=("--weight-decay 0.3 --set shard_optimizer=1" "--clip 0.1" "--metrics f1" "--set min_delta=1" "--autocast bfloat16" "--balance")
for other in "${others[@]}"; do
  same=; [ "${other##*--set }" = shard_optimizer=1 ] && same="--set shard_optimizer=1"
  two "${mlp[@]}" --optimizer adamw $same : "${mlp[@]}" --optimizer adamw $other && all_say "$options" 2 || bad "a rank with $other ends with $code: $(heard)"
done
two "${mlp[@]}" : "$build/vinea" train linear "$source/data/digits.csv" --target label --epochs 1 --force --quiet && all_say "vinea: fit: rank 1 has another network than rank 0" 2 || bad "ranks with other networks end with $code: $(heard)"
two "${mlp[@]}" : "$build/vinea" train mlp none.csv --target label --epochs 1 --force --quiet && grep -q "^vinea: rank 1: none.csv: cannot open" said.0 && grep -q "^vinea: none.csv: cannot open" said.1 || bad "a rank without its data ends with $code: $(heard)"
engine=$(cd "$build/engines" 2>/dev/null && for e in numpy torch; do [ -e $e.so ] && echo $e; done | head -n 1)
if [ -n "$engine" ] && "$build/vinea" train mlp "$source/data/digits.csv" --target label --epochs 1 --force --quiet --engine "$engine" >out 2>&1; then
  two "${mlp[@]}" : "${mlp[@]}" --engine "$engine" && all_say "vinea: fit: rank 1 has another engine than rank 0" 2 || bad "ranks with other engines end with $code: $(heard)"
fi
programs() { two "${mlp[@]}" : "$build/examples/ranks" && grep -q "vinea: .*: waited $VINEA_GROUP_TIMEOUT s; rank 1 waits in group_value_and_grad" said.0 && grep -q "waited $VINEA_GROUP_TIMEOUT s; rank 0 waits in .*, this one in group_value_and_grad" said.1; }
patiently programs || bad "ranks with other programs end with $code: $(heard)"
# A process that never begins MPI.
never() { two "${mlp[@]}" : sleep 600 && grep -q "waited $VINEA_GROUP_TIMEOUT s in $mpi for all processes that the launcher started; one of them has not come" said.0; }
patiently never || bad "a rank that does not begin ends with $code: $(heard)"

# Another version of the library on rank 1: a copy in which its text is another.
mkdir -p other; sed "s/$("$build/vinea" version | sed 's/.* //; s/\\./\\\\./g')/9.9.9/g" "$build"/libvinea.so.[0-9].[0-9] >other/"$(basename "$build"/libvinea.so.[0-9].[0-9])"
two "$build/examples/ranks" : env LD_LIBRARY_PATH="$folder/other" "$build/examples/ranks" && all_say "group_open: rank 1 has version 9.9.9 of Vinea, rank 0 " 2 || bad "ranks with other versions end with $code: $(heard)"

# A rank that is killed, or hangs: all end, and the last checkpoint is whole: a restart on another number of ranks goes on.
endless() { exec sh "$source/tests/with_ranks.sh" $mpi 3 "$build/vinea" train mlp "$source/data/digits.csv" --target label --epochs 100000 --batch 96 --checkpoint c.safetensors --resume --quiet; }
rank_1() { # its process
  pgrep -f "vinea train mlp .*--checkpoint c.safetensors" | while read -r p; do
    [ "$(readlink "/proc/$p/cwd")" = "$folder" ] && [ "$(readlink "/proc/$p/exe")" = "$build/vinea" ] && tr '\0' '\n' <"/proc/$p/environ" | grep -qx OMPI_COMM_WORLD_RANK=1 && echo "$p"
  done
}
ends_by() { # a signal to rank 1 of a training that has begun: whether all end, within its timeout and a minute
  local signal=$1 launcher victim code
  touch begun
  endless >out 2>&1 &
  launcher=$!
  for _ in $(seq 1200); do { [ c.safetensors -nt begun ] || ! kill -0 $launcher 2>/dev/null; } && break; sleep .1; done # it is training
  victim=$(rank_1)
  [ -n "$victim" ] && kill -"$signal" "$victim" || echo "there is no rank 1" >>out
  if ! within $((${VINEA_GROUP_TIMEOUT:-0} + 60)) $launcher; then
    echo "it goes on" >>out
    kill -9 $launcher $victim
    wait $launcher
    return 1
  fi
  wait $launcher; code=$?
  [ -n "$victim" ] && [ $code -ne 0 ] && "$build/vinea" inspect c.safetensors >/dev/null
}
hangs() { ends_by STOP && grep -q "vinea: fit: waited $VINEA_GROUP_TIMEOUT s; no sign of rank 1$" out; }
ends_by KILL && grep -q "rank 1 with PID" out || bad "a rank that is killed: $(cat out)"
ends_by SEGV && grep -q "rank 1 with PID" out || bad "a rank that crashes: $(cat out)"
patiently hangs || bad "a rank that hangs: $(cat out)"
on 2 "$build/vinea" train mlp "$source/data/digits.csv" --target label --epochs 1 --batch 96 --checkpoint c.safetensors --resume --quiet >out 2>&1 || bad "it does not continue: $(cat out)"

# A program of one's own: a rank that ends after an error gives its reason to the others; one that hangs in a group is named, the ranks outside that group are not.
for with in "${mpis[@]}"; do
  command -v mpirun.$with >/dev/null && [ -e "$build/groups/$with.so" ] || continue
  timeout -k 5 400 sh "$source/tests/with_ranks.sh" $with 4 "$build/tests/ranks_ends" native error >out 2>&1; code=$?
  [ $code -ne 124 ] && [ $code -ne 137 ] && ! grep -q ": expected " out || bad "a rank of $with that ends after an error: $code, $(cat out)"
  hangs_in_a_group() { timeout -k 5 400 sh "$source/tests/with_ranks.sh" $with 4 "$build/tests/ranks_ends" native hang >out 2>&1; [ "$(grep -c "^rank [023]: group_barrier: waited $VINEA_GROUP_TIMEOUT s; no sign of rank 1$" out)" = 3 ]; }
  patiently hangs_in_a_group || bad "a rank of $with that hangs in a group: $(cat out)"
done

# A rank that is killed while it holds a lock in memory that it shares with the launcher, which would wait for it for ever: ranks take no such lock.
cat >holds.c <<'SOURCE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int pthread_mutex_lock(pthread_mutex_t *m)
{
    int (*real)(pthread_mutex_t *);
    void *symbol = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    memcpy(&real, &symbol, sizeof real);
    const int code = real(m);
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if ((m->__data.__kind & 128) && rank && !strcmp(rank, "1")) raise(SIGKILL); /* shared between processes */
    return code;
}
SOURCE
if cc -shared -fPIC holds.c -o holds.so -ldl 2>out; then
  timeout -k 5 120 sh "$source/tests/with_ranks.sh" $mpi 3 env LD_PRELOAD="$folder/holds.so" "$build/examples/ranks" >out 2>err && cmp -s alone out || bad "a rank shares a lock with its launcher: $(cat out err)"
fi

# `vinea launch` becomes the launcher: the same output, the exit code of a rank, and an end by Ctrl-C.
for with in "${mpis[@]}"; do
  command -v mpirun.$with >/dev/null && [ -e "$build/groups/$with.so" ] || continue
  "$build/vinea" launch -n 3 --mpi $with -- "$build/examples/ranks" >out 2>err && cmp -s alone out || bad "vinea launch --mpi $with: $(cat out err)"
  for _ in 1 2 3 4 5 6 7 8; do # MPICH's mpirun itself may end by SIGPIPE if ranks end soon
    "$build/vinea" launch -n 3 --mpi $with -- sh -c 'sleep .3; exit 7' >out 2>&1; code=$?
    [ $code -eq 141 ] || break
  done
  [ $code -eq 7 ] || bad "vinea launch --mpi $with loses the exit code: it is $code: $(cat out)"
  case $with in openmpi) echo "localhost slots=2" ;; *) echo localhost:2 ;; esac >hosts
  "$build/vinea" launch -n 2 --mpi $with --hostfile hosts -- "$build/examples/ranks" >out 2>err && cmp -s alone out || bad "vinea launch --mpi $with --hostfile: $(cat out err)"
  "$build/vinea" launch -n 2 --mpi $with --hostfile none -- "$build/examples/ranks" >out 2>&1 && bad "vinea launch --mpi $with runs with a hostfile that is not there"
  rm -f began.*
  "$build/vinea" launch -n 2 --mpi $with -- sh -c 'touch began.$$; exec sleep 600' >out 2>&1 &
  launcher=$!
  for _ in $(seq 600); do [ "$(find . -name 'began.*' | wc -l)" = 2 ] && break; sleep .1; done
  sleep 1; kill -INT $launcher
  within 60 $launcher || { bad "vinea launch --mpi $with goes on after Ctrl-C"; kill -9 $launcher; }
  wait $launcher; [ $? -ne 0 ] || [ $with = mpich ] || bad "vinea launch --mpi $with ends well after Ctrl-C" # MPICH's launcher itself exits with 0 now and then
done
PATH=/nonexistent "$build/vinea" launch -n 2 -- program >out 2>&1
[ $? -eq 2 ] && grep -q "there is no launcher of an MPI here" out || bad "without a launcher: $(cat out)"
"$build/vinea" launch -n 2 -q program >out 2>&1
[ $? -eq 3 ] && grep -q "there is no option '-q'" out || bad "a wrong option: $(cat out)"

# The conformance suite: ranks that fail make their cell fail, and say why; without a launcher it is not supported.
VINEA_GROUP=$mpi "$build/vinea" check --ranks 3 --engine native --test ranks/3/parts --out report --quiet || bad "vinea check --ranks 3"
for id in '"ranks/3/parts"' '"ranks/3"'; do grep -q "$id" report/index.html || bad "the page does not have $id"; done
VINEA_GROUP_TIMEOUT=none "$build/vinea" check --ranks 2 --engine native --test ranks/2/parts --out report --quiet --stop
[ $? -eq 1 ] && grep -q 'VINEA_GROUP_TIMEOUT=none is not a number of seconds' report/report.json || bad "ranks that fail: $(cat report/report.json)"
PATH=/nonexistent "$build/vinea" check --ranks 2 --engine native --test ranks/2/parts --out report --quiet && grep -q 'there is no launcher of an MPI here' report/report.json || bad "vinea check without a launcher: $(cat report/report.json)"

# The launchers from the beginning.
wait $stays; code=$?
[ $code -eq 137 ] && grep -q "launch: mpirun.$mpi goes on 20 s after the last process that it started has ended; it is ended now" guarded.5 || bad "a launcher that stays alone ends with $code: $(cat guarded.5)"
wait $ends; code=$?
[ $code -eq 3 ] && [ ! -s guarded.30 ] || bad "a launcher that ends after its process ends with $code: $(cat guarded.30)"

# Another launcher's environment than that of the chosen plugin. Here and below the processes are no group: the launcher may end one before it speaks.
if [ -e "$build/groups/mpich.so" ]; then
  VINEA_GROUP=mpich on 2 "$build/examples/ranks" >out 2>&1 && bad "Open MPI's launcher with MPICH's plugin is accepted"
  grep -q "started by the launcher of openmpi (OMPI_COMM_WORLD_SIZE), not by that of mpich" out || bad "Open MPI's launcher with MPICH's plugin: $(cat out)"
fi

# A launcher whose plugin is not there: a process says so instead of training by itself; one that asks for no group is told nothing.
mkdir -p bare; cp "$build"/libvinea.so.[0-9].[0-9] bare
bare() { env -u VINEA_GROUP_PATH -u VINEA_GROUP LD_LIBRARY_PATH="$folder/bare" "$@"; }
bare sh "$source/tests/with_ranks.sh" $mpi 2 "$build/examples/ranks" >out 2>&1 && bad "it runs without a plugin"
grep -qF "group_open: a launcher started 2 processes (OMPI_COMM_WORLD_SIZE=2), and of the group plugins found (none) none is for it; it needs the plugin openmpi (apt-get install libopenmpi-dev openmpi-bin, then build Vinea)" out || bad "without a plugin: $(cat out)"
bare sh "$source/tests/with_ranks.sh" $mpi 2 "$build/examples/linreg" >out 2>&1 || bad "a program without a group fails without a plugin: $(cat out)"
bare SLURM_STEP_NUM_TASKS=2 "$build/examples/ranks" >out 2>&1 && bad "srun without an MPI is accepted"
grep -q "it needs srun --mpi=pmix for Open MPI or --mpi=pmi2 for MPICH" out || bad "srun without an MPI: $(cat out)"
SLURM_STEP_NUM_TASKS=1 SLURM_NTASKS=2 bare "$build/examples/ranks" >out 2>&1 && cmp -s alone out || bad "one process in a job of Slurm: $(cat out)"
if [ -e "$build/groups/mpich.so" ]; then
  mkdir -p few; cp "$build"/groups/mpich.* few
  bare VINEA_GROUP_PATH="$folder/few" VINEA_GROUP=mpich sh "$source/tests/with_ranks.sh" $mpi 2 "$build/examples/ranks" >out 2>&1 && bad "MPICH's plugin runs by itself in Open MPI's launcher"
  grep -q "of the group plugins found (mpich) none is for it" out || bad "MPICH's plugin in Open MPI's launcher, without that one's: $(cat out)"
fi
exit $failed
