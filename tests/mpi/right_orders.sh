#!/usr/bin/env bash
# right_orders.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_CHECK=1 takes accesses for ordered behind each call by which
# a rank may have heard of another; not behind one that has found nothing.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
source "$(dirname "${BASH_SOURCE[0]}")/findings.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { ORIEL_CHECK=1 timeout --kill-after=5 60 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" "$@" 2>&1; }

out=$(run right "$work/file")
[ "$out" = 'went on' ] || { echo "$out"; echo "a right program is blamed"; exit 1; }
out=$(run missed)
[ "$(grep -c '^refused' <<<"$out")" -eq 12 ] || { echo "$out"; echo "not 12 puts are refused"; exit 1; }
once ".*put to bytes \[16, 20\) of rank 0 overlaps a put of rank 0 at .*right_orders.c:.* in put, and nothing orders them"
once ".*rank 1: put .* overlaps a put of rank 0 at .*right_orders.c:.* in sent_too_early, and nothing orders them"
went_on
