#!/usr/bin/env bash
# check.sh MODEL.pml: verifies the model with spin, and demands that each of its mutants fails.
#
# What the model stands for must be in the sources: lines `stands for: FILE NAME...`. Its mutants are the
# switches MUTANT_* that it mentions, so those of wait.pml too that its comment lists. The search is
# exhaustive, once for each line `sizes: SWITCHES`: a model that is cut short, by depth or by memory,
# fails. One with a line `progress: NAME` is checked for that claim (LTL) as well, under weak fairness.
# Exits with 0 where all is as it must be, and prints "skipped: no spin" where it is absent.
set -euo pipefail
model=$(realpath "$1")
folder=$(dirname "$model")
name=$(basename "$model" .pml)

while read -r file names; do
  [ -f "$folder/../$file" ] || { echo "$name: stands for $file, which there is not"; exit 1; }
  for word in $names; do
    grep -qw -- "$word" "$folder/../$file" || { echo "$name: $file has no $word"; exit 1; }
  done
done < <(sed -n 's/^ *stands for: *//p' "$model")
grep -q 'stands for: ' "$model" || { echo "$name: does not say what it stands for"; exit 1; }

command -v spin >/dev/null && command -v cc >/dev/null || { echo "skipped: no spin here, or no C compiler"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mapfile -t sizes < <(sed -n 's/^ *sizes: *//p' "$model")
[ ${#sizes[@]} -ne 0 ] || sizes=("")
claim=$(sed -n 's/^ *progress: *//p' "$model")

optimize=-O2 slots=24  # 2^slots states are found at once
# verify KIND [-DMUTANT]: leaves the verdict in verify.log; returns 1 where an error was found.
verify() {
  local kind=$1 define=(-DSAFETY) search=()
  shift
  if [ "$kind" = progress ]; then
    define=(-DNFAIR=3)
    search=(-a -f)
  elif [ -n "$claim" ]; then
    define+=(-DNOCLAIM)
  fi
  cc -E -x c -undef "$@" "$model" >"$name.pml" || exit 2
  spin -a "$name.pml" >spin.log || { cat spin.log; exit 2; }
  cc "$optimize" -w -DMEMLIM=2000 "${define[@]}" -o pan pan.c || exit 2
  ./pan -m200000 "-w$slots" "${search[@]}" >verify.log || { cat verify.log; exit 2; }
  grep -q 'errors: 0' verify.log || return 1
  if grep -Eq 'too small|Search not completed|out of memory|pan: reached -DMEMLIM' verify.log; then
    cat verify.log
    echo "$name: the search was cut short"
    exit 1
  fi
}
report() {
  awk -v what="$1" '/depth reached/ { for (i = 1; i < NF; i++) if ($i == "reached") depth = $(i + 1) + 0 }
    /states, stored/ && !states { states = $1 }
    END { printf "%-46s %9d states, depth %d\n", what, states, depth }' verify.log
}
for size in "${sizes[@]}"; do
  for kind in safety ${claim:+progress}; do
    verify "$kind" $size || { cat verify.log; ./pan -r | tail -60; echo "$name: $kind fails"; exit 1; }
    report "$name: $kind holds${size:+ ($size)}:"
  done
done

survivors=0
optimize=-O0 slots=20  # most of a mutant's time is the compiler's
for mutant in $(grep -o 'MUTANT_[a-z_]*' "$model" | sort -u); do
  found=
  for size in "${sizes[@]}"; do
    for kind in safety ${claim:+progress}; do
      [ -n "$found" ] && break
      verify "$kind" $size "-D$mutant" ||
        found=$(sed -n 's/^pan:[0-9]*: \(.*\) (at depth.*/\1/p' verify.log | head -1)
    done
  done
  if [ -n "$found" ]; then
    printf '%-46s %s\n' "  ${mutant#MUTANT_}:" "$found"
  else
    echo "$name: $mutant is not noticed"
    survivors=1
  fi
done
exit $survivors
