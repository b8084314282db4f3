#!/usr/bin/env bash
# own_threads.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_CHECK=1 compares what threads of one process do in a program
# that is built with -fsanitize=thread, unless OpenMP, locks or atomic objects order them.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
source "$(dirname "${BASH_SOURCE[0]}")/findings.sh"
# The sanitizer itself reports locks of MPI libraries.
export TSAN_OPTIONS=report_bugs=0
run() { ORIEL_CHECK=1 timeout --kill-after=5 60 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" "$1" 2>&1; }

file=own_threads.c
unordered="by another thread, and nothing orders them"
# A race may need several runs: under load one in some dozens misses one (docs/CHECKING.md).
finds_all() {
  out=$(run wrong)
  once "rank 0: load of bytes \[0, 4\) of rank 0 .* the result of an operation of rank 0 at .*$file:22 in get $unordered \(.*$file:77 in wrong"
  once ".* rank 0: result of a get .* in bytes \[4, 8\) of rank 0 .* a store of rank 0 at .*$file:82 in wrong.* $unordered \(.*$file:22 in get\)"
  once ".* rank 0: put to bytes \[8, 12\) of rank 1 overlaps a put of rank 0 at .*$file:26 in put $unordered \(.*$file:26 in put\)"
  once "rank 0: store to bytes \[12, 16\) of rank 0 .* the result of an operation of rank 0 at .*$file:22 in get $unordered \(.*$file:108 in wrong"
  once "rank 0: load of memory that overlaps the result of a get at .*$file:22 in get $unordered \(.*$file:117 in wrong"
  once "rank 0: load of bytes \[16, 20\) of rank 0 .* the result of an operation of rank 0 at .*$file:22 in get $unordered \(.*$file:135 in wrong"
  once "rank 0: load of bytes \[24, 28\) of rank 0 .* the result of an operation of rank 0 at .*$file:22 in get $unordered \(.*$file:150 in wrong"
  once "rank 0: load of bytes \[20, 24\) of rank 0 .* the result of an operation of rank 0 at .*$file:22 in get $unordered \(.*$file:44 in reader\)"
  once ".* rank 0: put to bytes \[28, 32\) of rank 1 overlaps a put of rank 0 at .*$file:356 in putter $unordered \(.*$file:356 in putter\)"
  all 9
  went_on
}
(finds_all) || (finds_all) || finds_all

for mode in right unknown; do
  out=$(run $mode)
  [ "$out" = 'went on' ] || { echo "$out"; echo "a right program is blamed"; exit 1; }
done
