#!/usr/bin/env bash
# hasty_program.sh RUNNER FACES mpich|openmpi PROGRAM: ORIEL_ADVERSARY makes an MPI program fail that reads results and
# reuses sources too early, and not the same program put right; and delays the host's own collectives.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4

# all SEED wrong|right came|failed
all() {
  local out
  out=$(ORIEL_ADVERSARY=$1 timeout --kill-after=5 60 "$runner" --faces "$faces" --mpi "$mpi" -n 2 "$program" "$2" 2>&1)
  if [ "$(grep -Ec "^(result|source)_of_[a-z_]* $3\$" <<<"$out")" -ne 4 ]; then
    printf '%s\nnot all four have %s, seed %s, %s\n' "$out" "$3" "$1" "$2"
    exit 1
  fi
  took=$(sed -n 's/^collectives_took_us //p' <<<"$out")
}
all 0 wrong came
all 1 wrong failed
# 300 collectives, of which every second or so begins or returns late: a sleep lasts for as long at least.
[ "$took" -gt 10000 ] || { echo "300 collectives took $took us: they were not delayed"; exit 1; }
for seed in 0 1 2; do all "$seed" right came; done
