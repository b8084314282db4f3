#!/usr/bin/env bash
# broken_asserts.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_CHECK=1 finds asserts of synchronization calls that are not true,
# and does what they are given to all the same; true ones are not blamed.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
source "$(dirname "${BASH_SOURCE[0]}")/findings.sh"
run() { ORIEL_CHECK=$1 timeout --kill-after=5 60 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" "$2" 2>&1; }

file=broken_asserts.c
out=$(run 1 wrong)
once "window 'MPI_Win_allocate', rank 0: fence asserts noprecede, but a put at .*$file:13 in put precedes it since the last fence \(.*$file:26 in wrong\)"
once "window 'MPI_Win_allocate', rank 0: put to rank 1, whose fence at .*$file:27 in wrong asserts noput \(.*$file:28 in wrong\)"
once "window 'MPI_Win_allocate', rank 0: MPI_Put of rank 1 outside an access epoch.* \(.*$file:30 in wrong\)"
once "window 'MPI_Win_allocate', rank 0: accumulate to rank 1, whose post at .*$file:40 in wrong asserts noput \(.*$file:34 in wrong\)"
once "window 'MPI_Win_allocate', rank 0: start asserts nocheck, but rank 1 has not posted \(.*$file:36 in wrong\)"
once "window 'MPI_Win_allocate', rank 1: lock of rank 1 conflicts: rank 0 holds rank 1 by the exclusive lock at .*$file:38 in wrong, which asserts nocheck \(.*$file:47 in wrong\)"
once "window 'MPI_Win_allocate', rank 0: lock of rank 1 asserts nocheck, but rank 1 holds rank 1 by the shared lock at .*$file:47 in wrong \(.*$file:50 in wrong\)"
all 7
went_on

if [ "$(uname -m)" = x86_64 ]; then
  out=$(run pages stores)
  once "window 'MPI_Win_allocate', rank 1: fence asserts nostore, but this rank has stored to its memory at .*$file:58 in stores since the last synchronization \(.*$file:59 in stores\)"
  once "window 'MPI_Win_allocate', rank 1: post asserts nostore, but this rank has stored to its memory at .*$file:63 in stores since the last synchronization \(.*$file:64 in stores\)"
  all 2
  went_on
  out=$(run pages right)
  all 0
  went_on
fi
out=$(run 1 right)
all 0
went_on
