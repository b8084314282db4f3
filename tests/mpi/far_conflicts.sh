#!/usr/bin/env bash
# far_conflicts.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_CHECK=1 compares what ranks do to memory of other nodes.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
source "$(dirname "${BASH_SOURCE[0]}")/findings.sh"
run() { ORIEL_CHECK=1 timeout --kill-after=5 80 "$runner" --faces "$faces" --mpi "$mpi" -n 4 "$program" "$1" 2>&1; }

file=far_conflicts.c
# at NAME: the line that has this comment.
at() { grep -n "/\* $1 \*/" "$(dirname "${BASH_SOURCE[0]}")/$file" | cut -d: -f1; }
# finds RANK WHAT NAME OTHER OTHER_NAME
finds() { once "window 'MPI_Win_allocate', rank $1: $2 to bytes .* of rank 2 overlaps $4 at .*$file:$(at "$5") in [a-z_]*, and nothing orders them \(.*$file:$(at "$3") in [a-z_]*\)"; }

out=$(run wrong)
finds 1 put 'fence 1' 'a put of rank 0' 'fence 0'
finds 0 put 'get 0' 'a get of rank 3' 'get 3'
finds 2 get 'flush get' 'a put of rank 0' 'flush 0'
finds 3 get 'flush get' 'a put of rank 0' 'flush 0'
finds 1 put 'twice again' 'a put of rank 1' 'twice first'
finds 3 accumulate 'types 3' 'an accumulate of rank 0' 'types 0'
finds 1 put 'exposure 1' 'a put of rank 0' 'exposure 0'
finds 3 put 'locks 3' 'a put of rank 0' 'locks 0'
all 8
went_on

out=$(run right)
[ "$out" = 'went on' ] || { echo "$out"; echo "a right program is blamed"; exit 1; }

# Nodes have clocks of their own, which may be far apart.
unshare -T --fork --monotonic 5000 true 2>/dev/null || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for ahead in 5000 -5000; do
  printf '#!/bin/sh\n[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} -lt 2 ] || exec unshare -T --fork --kill-child --monotonic %s "%s" "$@"\nexec "%s" "$@"\n' \
    "$ahead" "$program" "$program" >"$work/program"
  chmod +x "$work/program"
  out=$(program=$work/program run right)
  [ "$out" = 'went on' ] || { echo "$out"; echo "a right program is blamed where clocks are $ahead s apart"; exit 1; }
done
