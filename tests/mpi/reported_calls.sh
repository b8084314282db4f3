#!/usr/bin/env bash
# reported_calls.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_CHECK=1 names the lines of the calls of an
# MPI program that misuses windows, each finding once, although it takes errors as return values.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
command -v addr2line >/dev/null || { echo "there is no addr2line"; exit 77; }
out=$(ORIEL_CHECK=1 timeout --kill-after=5 60 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" 2>&1)

# once REGEX
once() {
  [ "$(grep -Ec "oriel: ORIEL_CHECK: $1" <<<"$out")" -eq 1 ] && return 0
  printf '%s\nnot one line like: %s\n' "$out" "$1"
  exit 1
}
file=misusing_program.c
once "window 'MPI_Win_allocate', rank 0: MPI_Put of rank 1 outside an access epoch.* \(.*$file:13 in main\)"
once ".*accumulate .* overlaps a put of rank 0 at .*$file:15 in main.* \(.*$file:16 in main\)"
once ".*rank 0: MPI_Win_lock: an access epoch for this rank is open already \(.*$file:17 in main\)"
[ "$(grep -c ORIEL_CHECK <<<"$out")" -eq 3 ] || { echo "$out"; echo "more than three findings"; exit 1; }
grep -q '^went on$' <<<"$out" || { echo "$out"; exit 1; }
