#!/bin/sh
# with_ranks.sh MPI N COMMAND...: runs the command on N ranks of this MPI (openmpi, mpich), as root and on fewer cores than ranks too. Without its
# launcher the test counts as skipped (77). One thread a rank, unless VINEA_THREADS says otherwise.
mpi=$1 ranks=$2
shift 2
launcher=mpirun.$mpi
command -v "$launcher" >/dev/null || exit 77
export VINEA_TEST_RANKS="$ranks" VINEA_THREADS="${VINEA_THREADS:-1}" OMP_NUM_THREADS=1
case $mpi in
  # Without binding: several tests run at once. Without cross-memory attach, which containers refuse.
  openmpi) exec "$launcher" --allow-run-as-root --oversubscribe --bind-to none --mca btl_vader_single_copy_mechanism none -n "$ranks" "$@" ;;
  *) exec "$launcher" -n "$ranks" "$@" ;;
esac
