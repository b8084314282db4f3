#!/usr/bin/env bash
# mpi_test.sh ORIEL_HOSTS mpich|openmpi FACE PROGRAM: an MPI library's own launcher starts two ranks of the tests
# of windows (tests/mpi/windows) on each of two hosts, with oriel's face preloaded into them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/hosts.sh"

on_host0() {
  local mpi=$1 face=$2 code=0
  shift 2
  case $mpi in
    mpich)
      launch=(mpiexec.mpich -launcher rsh -launcher-exec "$here/remote.sh" -hosts host0:2,host1:2
              -genv LD_PRELOAD "$face" -genv ORIEL_TEST_RANKS_PER_NODE 2)
      ;;
    openmpi)
      # Each host counts all processors of the machine as its own.
      launch=(mpirun.openmpi --allow-run-as-root --bind-to none --mca mpi_yield_when_idle 1
              --mca plm_rsh_agent "$here/remote.sh" --host host0:2,host1:2 -x "LD_PRELOAD=$face" -x ORIEL_TEST_RANKS_PER_NODE=2)
      ;;
  esac
  timeout --kill-after=2 50 "${launch[@]}" -n 4 "$@" >"$WORK/out" 2>&1 </dev/null || code=$?
  if [ "$code" -ne 0 ] || ! grep -q '^\[ OK  \] host.windows of ranks of two hosts' "$WORK/out"; then
    tail -n 100 "$WORK/out"
    echo "mpi_test: exit code $code: ${launch[*]} -n 4 $*"
    exit 1
  fi
}

if [ "$1" = on_host0 ]; then
  shift
  on_host0 "$@"
  exit
fi
oriel_hosts=$1
shift
on_two_hosts "$oriel_hosts" 60 "${BASH_SOURCE[0]}" on_host0 "$@"
