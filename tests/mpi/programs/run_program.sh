#!/usr/bin/env bash
# Runs a program under one MPI library with oriel preloaded into its ranks, and checks what it prints.
#
#   run_program.sh --mpi mpich|openmpi --ranks N --preload LIBRARY [--limit SECONDS]
#                  [--expect REGEX]… [--export NAME=VALUE]… -- PROGRAM [ARGUMENTS…]
#
# Exits with 0 if the program ends well, prints a line for every REGEX, and oriel says of at least one
# window that it is its own; with 77, "skipped", where the program is not installed. The program runs
# in a folder of its own, which is removed. An empty LIBRARY runs it on the MPI library alone.
set -euo pipefail

mpi='' ranks=1 preload='' limit=100
expected=() exports=()
while [ $# -gt 0 ]; do
  case $1 in
    --mpi) mpi=$2; shift 2 ;;
    --ranks) ranks=$2; shift 2 ;;
    --preload) preload=$2; shift 2 ;;
    --limit) limit=$2; shift 2 ;;
    --expect) expected+=("$2"); shift 2 ;;
    --export) exports+=("$2"); shift 2 ;;
    --) shift; break ;;
    *) echo "run_program: what is '$1'?" >&2; exit 2 ;;
  esac
done
command -v "$1" >/dev/null || { echo "skipped: no $1 here"; exit 77; }

# The launcher itself is not to load oriel: only ranks do.
launch=("mpiexec.$mpi")
case $mpi in
  mpich)
    set_variable() { launch+=(-genv "${1%%=*}" "${1#*=}"); }
    ;;
  openmpi)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    launch+=(--oversubscribe --bind-to none)
    set_variable() { launch+=(-x "$1"); }
    ;;
  *) echo "run_program: no MPI library '$mpi'" >&2; exit 2 ;;
esac
if [ -n "$preload" ]; then
  set_variable "LD_PRELOAD=$preload"
  set_variable ORIEL_EXPLAIN=1
fi
for variable in "${exports[@]}"; do set_variable "$variable"; done
launch+=(-n "$ranks")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
code=0
# Apart, since launchers cut what ranks write wherever a pipe's buffer ends, and lines would mix.
timeout --kill-after=5 "$limit" "${launch[@]}" "$@" >output 2>errors </dev/null || code=$?

refuse() {
  tail -n 200 output errors
  echo "run_program: $mpi, $ranks ranks: $1"
  exit 1
}
[ "$code" -ne 124 ] || refuse "not done after $limit s"
[ "$code" -eq 0 ] || refuse "exit code $code"
for line in "${expected[@]}"; do
  grep -Eq -- "$line" output || refuse "no line like '$line'"
done
if [ -n "$preload" ]; then
  grep -q '^oriel: MPI_Win_' errors || refuse "oriel speaks of no window: was it preloaded?"
  ! grep -q '^oriel: .*left to the MPI library' errors || refuse "a window was left to the MPI library"
fi
grep -E -m 5 "$(IFS='|'; echo "${expected[*]:-^$}")" output || true
