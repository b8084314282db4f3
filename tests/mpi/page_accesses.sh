#!/usr/bin/env bash
# page_accesses.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_CHECK=pages compares the loads and stores of an ordinary program
# with its operations; what is right works as ever, and is not blamed; faults of the program's own are its own.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
source "$(dirname "${BASH_SOURCE[0]}")/findings.sh"
[ "$(uname -m)" = x86_64 ] || { echo "traps are taken on x86-64 alone"; exit 77; }
run() { ORIEL_CHECK=pages timeout --kill-after=5 100 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" "$1" 2>&1; }

file=page_accesses.c
out=$(run wrong)
once "rank 1: load of bytes \[0, 4\) of rank 1 .* a put of rank 0 at .*$file:29 in wrong, .* \(.*$file:38 in wrong\)"
once "rank 1: store to bytes \[4, 8\) of rank 1 .* a get of rank 0 at .*$file:31 in wrong, .* \(.*$file:40 in wrong\)"
once "rank 1: store to bytes \[16396, 16400\) of rank 1 .* a put of rank 0 at .*$file:33 in wrong, .* \(.*$file:41 in wrong\)"
found=3
# Where the kernel gives processes the processor's watchpoints, buffers are watched, too.
if [ "$(id -u)" -eq 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 4)" -le 2 ]; then
  if grep -q "overlaps the" <<<"$out"; then
    once "rank 0: store to memory that overlaps the source of a put at .*$file:29 in wrong, .* \(.*$file:30 in wrong\)"
    once "rank 0: load of, or store to, memory that overlaps the result of a get at .*$file:31 in wrong, .* \(.*$file:32 in wrong\)"
    found=5
  fi
fi
all $found
went_on

out=$(run right)
[ "$out" = 'went on' ] || { echo "$out"; echo "a right program is blamed, or goes wrong"; exit 1; }

out=$(run crash) && code=0 || code=$?
[ "$code" -ne 0 ] && grep -q '^caught by the program$' <<<"$out" || { echo "$out"; echo "the program's handler has not got its signal"; exit 1; }
all 0
