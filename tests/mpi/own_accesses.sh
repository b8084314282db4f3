#!/usr/bin/env bash
# own_accesses.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_CHECK=1 compares the loads and stores of a program that
# is built with -fsanitize=thread with its operations, and the buffers of its operations with each other.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
source "$(dirname "${BASH_SOURCE[0]}")/findings.sh"
# The sanitizer itself reports locks of MPI libraries.
export TSAN_OPTIONS=report_bugs=0
run() { ORIEL_CHECK=1 timeout --kill-after=5 60 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" "$1" 2>&1; }

file=own_accesses.c
out=$(run wrong)
once "rank 0: store to memory that overlaps the source of a put at .*$file:23 in wrong, .* \(.*$file:24 in wrong\)"
once "rank 0: load of memory that overlaps the result of a get at .*$file:25 in wrong, .* \(.*$file:26 in wrong\)"
once ".*rank 0: result of a get .* the result of a get at .*$file:25 in wrong, .* \(.*$file:27 in wrong\)"
once "rank 1: load of bytes \[0, 4\) of rank 1 .* a put of rank 0 at .*$file:23 in wrong, .* \(.*$file:31 in wrong\)"
once "rank 1: store to bytes \[4, 8\) of rank 1 .* a get of rank 0 at .*$file:25 in wrong, .* \(.*$file:32 in wrong\)"
all 5
went_on

out=$(run right)
[ "$out" = 'went on' ] || { echo "$out"; echo "a right program is blamed"; exit 1; }

out=$(run wrong_too)
once "rank 1: store to bytes .* in window 'MPI_Win_create_dynamic' .* a put of rank 0 at .*$file:52 in wrong_too, .* \(.*$file:64 in wrong_too\)"
once "rank 1: load of bytes \[256, 512\) of rank 1 .* a put of rank 0 at .*$file:53 in wrong_too, .* \(.*$file:65 in wrong_too\)"
once "rank 1: store to bytes \[32, 36\) of rank 1 .* a put of rank 0 at .*$file:54 in wrong_too, .* \(.*$file:6[67] in wrong_too\)"
once "rank 0: memory of the source of a put at .*$file:57 in wrong_too, which is not complete, is freed"
once ".* rank 0: result of a accumulate to rank 1 overlaps its own source \(.*$file:(59|60) in wrong_too\)"
all 5
went_on

# Where the library that tells threads apart is missing, that is said.
alone=$(mktemp -d)
trap 'rm -rf "$alone"' EXIT
ln -s "$faces/liboriel-$mpi.so" "$alone/"
faces=$alone
out=$(run right)
grep -q "run mpi: there is no $alone/liboriel-threads.so: ORIEL_CHECK takes" <<<"$out" || { echo "$out"; echo "nothing is said"; exit 1; }
