#!/usr/bin/env bash
# Ranks that run out of something: addresses or memory on one rank, the disk of the checkpoint, /dev/shm after the training began. Every rank ends
# with a message that names the rank and the cause, or the training goes on without what is missing, and the last checkpoint is whole.
# ctest: full
# ctest: seconds 30
# ctest: timeout 3600
set -u
source=$1 build=$2
mpis=; for mpi in openmpi mpich; do command -v mpirun.$mpi >/dev/null && [ -e "$build/groups/$mpi.so" ] && mpis="$mpis $mpi"; done
[ -n "$mpis" ] || exit 77
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit 1
export VINEA_GROUP_PATH=$build/groups VINEA_THREADS=1 VINEA_GROUP_TIMEOUT=60 UCX_LOG_LEVEL=fatal
failed=0
bad() { echo "ranks-limits: $*"; failed=1; }
on() { timeout -k 5 300 sh "$source/tests/with_ranks.sh" "$@" >out 2>&1; }

# One rank has fewer addresses: it shares no memory then; with still fewer, it finds none for a part, and every rank says so.
cat >limited <<'SCRIPT'
#!/usr/bin/env bash
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && ulimit -v "$LIMIT"
exec "$@"
SCRIPT
chmod +x limited
train() { on "$mpi" 3 ./limited "$build/vinea" train convnet "$source/data/digits.csv" --target label --epochs 1 --batch 1700 --micro-batches 3 --quiet --force --validation 50; }
for mpi in $mpis; do
  LIMIT=600000; export LIMIT
  train || bad "$mpi: a rank with 600 MB of addresses: $(cat out)"
  named=0
  for LIMIT in 340000 290000 250000 220000; do # what the MPI itself takes of them differs
    train; code=$?
    [ $code -ne 124 ] && [ $code -ne 137 ] || bad "$mpi: a rank with $LIMIT KB of addresses: it goes on after 300 s: $(cat out)"
    [ "$(grep -c "vinea: fit: rank 1: eval: .* out of memory$" out)" = 2 ] && named=1
  done
  [ $named = 1 ] || bad "$mpi: nothing names the rank without memory: $(cat out)"
done

# What follows needs file systems of its own.
unshare -m true 2>/dev/null || exit $failed
within() { unshare -m bash -c 'mount -t tmpfs -o size="$1" tmpfs "$2" || exit 77; shift 2; exec "$@"' bash "$@"; }
mkdir small; export mpi source build
disk() {
  cd small || exit 1
  save() { on "$mpi" "$1" "$build/vinea" train mlp "$source/data/digits.csv" --target label --epochs "$2" --batch 96 --micro-batches 8 --checkpoint c.safetensors --resume --quiet; }
  save 2 1 || bad "$mpi: no checkpoint: $(cat out)"
  dd if=/dev/zero of=fill bs=4k 2>/dev/null
  save 3 3 && bad "$mpi: a full disk does not matter"
  cp out ../out
  [ "$(grep -c "vinea: fit: rank 0: checkpoint_save: c.safetensors: cannot write: No space left on device" ../out)" = 2 ] || bad "$mpi: a full disk: $(cat ../out)"
  "$build/vinea" inspect c.safetensors >../out || bad "$mpi: the checkpoint is not whole: $(cat ../out)"
  rm fill
  save 4 3 || bad "$mpi: it does not go on on other ranks: $(cat out)"
  exit $failed
}
export -f disk bad on; export failed
for mpi in $mpis; do within 700k "$folder/small" bash -c disk || failed=1; done

# /dev/shm becomes full once the group is open: sums travel in messages. Open MPI's own messages need it too.
case $mpis in *mpich*)
  "$build/tests/ranks_hashes" native | grep -E "^[a-z]+ +[0-9a-f]{16}$" >alone
  VINEA_TEST_FILL=/dev/shm/fill within 64M /dev/shm timeout -k 5 1000 sh "$source/tests/with_ranks.sh" mpich 2 "$build/tests/ranks_hashes" native >out 2>&1 || bad "a full /dev/shm: $(cat out)"
  grep -E "^[a-z]+ +[0-9a-f]{16}$" out | cmp -s - alone && [ "$(wc -l <alone)" = 3 ] || bad "other bits with a full /dev/shm: $(cat out)" ;;
esac
exit $failed
