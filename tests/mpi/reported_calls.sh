#!/usr/bin/env bash
# reported_calls.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_CHECK=1 names the lines of the calls of an
# MPI program that misuses windows, each finding once, although it takes errors as return values.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
source "$(dirname "${BASH_SOURCE[0]}")/findings.sh"
out=$(ORIEL_CHECK=1 timeout --kill-after=5 60 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" 2>&1)

file=misusing_program.c
once "window 'MPI_Win_allocate', rank 0: MPI_Put of rank 1 outside an access epoch.* \(.*$file:33 in main\)"
once ".*accumulate .* overlaps a put of rank 0 at .*$file:35 in main.* \(.*$file:36 in main\)"
once ".*rank 0: MPI_Win_lock: an access epoch for this rank is open already \(.*$file:37 in main\)"
once ".*rank [01]: accumulate by (sum|prod) to bytes \[16, 20\) of rank 1 overlaps one by (sum|prod) of rank [01] at .*$file:(43|47) in main.* \(.*$file:(43|47) in main\)"
for line in 13 14 15 16 '(17|18)'; do
  once "rank 0: load of memory that overlaps the result of a get at .*$file:12 in send_too_early, which is not complete \(.*$file:$line in send_too_early\)"
done
once "rank 0: load of bytes \[36, 40\) of rank 0 .* overlaps a put of rank 1 at .*$file:51 in main, .* \(.*$file:20 in send_too_early\)"
all 10
went_on
