#!/usr/bin/env bash
# mpi_test.sh ORIEL_HOSTS mpich|openmpi FACE|none EXPECTED PROGRAM: an MPI library's own launcher starts two ranks of
# the program on each of two hosts, with FACE preloaded. All must end well, and one print a line like EXPECTED.
#
# MPICH 4.0.2 over UCX may hang in its own MPI_Finalize between hosts, with any program: ranks that are in its
# last barrier make no progress for those that are not (pmodels/mpich, pull request 6596). There alone, ranks
# that have all said that only the host's part is left are ended, and count as having ended.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/hosts.sh"

# is_left_in_the_host PID: waits for the launcher; true where all ranks' tests passed and PID does not end.
is_left_in_the_host() {
  local left=25  # fifths of a second, once nothing but the host's part remains
  while kill -0 "$1" 2>/dev/null; do
    if [ "$(grep -c '^left to the host to finalize$' "$WORK/out")" -eq 4 ] && grep -q ' cases, 0 failed$' "$WORK/out"; then
      [ "$((left -= 1))" -gt 0 ] || return 0
    fi
    sleep 0.2
  done
  return 1
}

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
  timeout --kill-after=2 50 "${launch[@]}" -n 4 "$@" >"$WORK/out" 2>&1 </dev/null &
  local launcher=$! given_up=
  if [ "$mpi" = mpich ] && is_left_in_the_host "$launcher"; then
    given_up=yes
    kill "$launcher"
  fi
  wait "$launcher" || code=$?
  [ -z "$given_up" ] || code=0
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
