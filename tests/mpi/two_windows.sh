#!/usr/bin/env bash
# two_windows.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_CHECK=1 compares operations of windows that have the same memory.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
source "$(dirname "${BASH_SOURCE[0]}")/findings.sh"
run() { ORIEL_CHECK=1 timeout --kill-after=5 60 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" "$1" 2>&1; }

file=two_windows.c
out=$(run wrong)
once "window 'MPI_Win_create', rank 0: put to bytes \[0, 4\) of rank 1 overlaps a put of rank 0 at .*$file:22 in wrong to the same memory, by window 'MPI_Win_allocate_shared', .* \(.*$file:23 in wrong\)"
once "window 'MPI_Win_create_dynamic', rank 0: put to bytes .* of rank 1 overlaps a put of rank 0 at .*$file:25 in wrong to the same memory, by window 'MPI_Win_create', .* \(.*$file:26 in wrong\)"
once "window 'MPI_Win_create', rank 1: get to bytes \[4, 8\) of rank 1 overlaps a put of rank 0 at .*$file:24 in wrong to the same memory, by window 'MPI_Win_create', .* \(.*$file:29 in wrong\)"
all 3
went_on

out=$(run right)
[ "$out" = 'went on' ] || { echo "$out"; echo "a right program is blamed"; exit 1; }
