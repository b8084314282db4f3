#!/usr/bin/env bash
# mpi_test.sh ORIEL_HOSTS mpich|openmpi FACE|none EXPECTED PROGRAM: an MPI library's own launcher starts two ranks of
# the program on each of two hosts, with FACE preloaded. All must end well, and one print a line like EXPECTED.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/hosts.sh"

on_host0() {
  local mpi=$1 face=$2 expected=$3 code=0
  shift 3
  [ "$face" != none ] || face=
  case $mpi in
    mpich)
      launch=(mpiexec.mpich -launcher rsh -launcher-exec "$here/remote.sh" -hosts host0:2,host1:2
              -genv ORIEL_TEST_RANKS_PER_NODE 2 ${face:+-genv LD_PRELOAD "$face"})
      ;;
    openmpi)
      # Each host counts all processors of the machine as its own.
      launch=(mpirun.openmpi --allow-run-as-root --bind-to none --mca mpi_yield_when_idle 1
              --mca plm_rsh_agent "$here/remote.sh" --host host0:2,host1:2 -x ORIEL_TEST_RANKS_PER_NODE=2
              ${face:+-x "LD_PRELOAD=$face"})
      ;;
  esac
  timeout --kill-after=2 50 "${launch[@]}" -n 4 "$@" >"$WORK/out" 2>&1 </dev/null || code=$?
  if [ "$code" -ne 0 ] || ! grep -Eq -- "$expected" "$WORK/out"; then
    tail -n 100 "$WORK/out"
    echo "mpi_test: exit code $code, a line like '$expected' wanted: ${launch[*]} -n 4 $*"
    exit 1
  fi
}

if [ "$1" = on_host0 ]; then
  shift
  on_host0 "$@"
  exit
fi
command -v "mpiexec.$2" >/dev/null || skip "no mpiexec.$2 here"
oriel_hosts=$1
shift
on_two_hosts "$oriel_hosts" 60 "${BASH_SOURCE[0]}" on_host0 "$@"
