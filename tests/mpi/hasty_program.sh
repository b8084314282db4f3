#!/usr/bin/env bash
# hasty_program.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_ADVERSARY makes an MPI program fail that reads results and
# reuses sources too early, and not the same program put right.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4

# all SEED wrong|right came|failed
all() {
  local out
  out=$(ORIEL_ADVERSARY=$1 timeout --kill-after=5 60 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" "$2" 2>&1)
  [ "$(grep -Ec "^(result|source)_of_[a-z_]* $3\$" <<<"$out")" -eq 4 ] && return 0
  printf '%s\nnot all four have %s, seed %s, %s\n' "$out" "$3" "$1" "$2"
  exit 1
}
all 0 wrong came
all 1 wrong failed
for seed in 0 1 2; do all "$seed" right came; done
