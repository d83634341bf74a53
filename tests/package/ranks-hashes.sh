#!/usr/bin/env bash
# 200 steps of an MLP, a convnet with batch norm and dropout, and a transformer on 1, 2, 4 and 8 ranks of every MPI and engine: parameters, buffers and scores
# have the bits of one process, also where each training was killed on one number of ranks and went on on another. Prints a line for each engine, MPI and way.
#     ranks-hashes.sh SOURCE BUILD [ENGINE...]
# ctest: full
# ctest: seconds 1500
# ctest: timeout 7200
set -u
source=$1 build=$2
shift 2
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit 1
mpis=; for mpi in openmpi mpich; do command -v mpirun.$mpi >/dev/null && [ -e "$build/groups/$mpi.so" ] && mpis="$mpis $mpi"; done
[ -n "$mpis" ] || exit 77
[ $# -gt 0 ] || set -- native $(cd "$build/engines" && ls ./*.so | sed 's/^\.\///; s/\.so$//')
export VINEA_ENGINE_PATH=$build/engines VINEA_GROUP_PATH=$build/groups VINEA_THREADS=1 OMP_NUM_THREADS=1 UCX_LOG_LEVEL=fatal # which writes to stdout
failed=0
bad() { echo "ranks-hashes: $*"; failed=1; }
on() { local mpi=$1 n=$2; shift 2; sh "$source/tests/with_ranks.sh" "$mpi" "$n" "$build/tests/ranks_hashes" "$@" >out 2>err; }
hashes() { grep -E "^[a-z]+ +[0-9a-f]{16}$" out; }
line() { # what it is about: the hashes in one line, compared with those of one process
  [ "$(hashes)" = "$(cat alone)" ] && [ "$(wc -l <alone)" = 3 ] || bad "$1: not the hashes of one process: $(cat err)"
  printf '%-34s %s\n' "$1" "$(hashes | awk '{ printf "%s %s  ", $1, $2 }')"
}

for engine; do
  "$build/tests/ranks_hashes" "$engine" >out 2>err; code=$?
  [ $code -ne 77 ] || { echo "$engine is not installed"; continue; }
  [ $code -eq 0 ] || bad "$engine in one process: $(cat err)"
  hashes >alone
  line "$engine, no launcher"
  for mpi in $mpis; do
    for n in 1 2 4 8; do on "$mpi" $n "$engine" || bad "$engine on $n ranks of $mpi: $(cat err)"; line "$engine, $n ranks of $mpi"; done
    # Every run goes on with the network that was killed in the one before, and is killed in the next one.
    rm -rf checkpoints; mkdir checkpoints
    for n in 4 2 8; do
      on "$mpi" $n "$engine" checkpoints 102 && bad "$engine: nothing killed $n ranks of $mpi"
      grep -qiE "signal 9|BAD TERMINATION" err out || bad "$engine: $n ranks of $mpi end otherwise than by a kill: $(cat err)"
    done
    on "$mpi" 1 "$engine" checkpoints || bad "$engine does not go on on one rank of $mpi: $(cat err)"
    line "$engine, killed on 4, 2, 8 of $mpi"
  done
done
exit $failed
