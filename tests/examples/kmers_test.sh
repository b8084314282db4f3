#!/usr/bin/env bash
# kmers_test.sh ORIEL_RUN WORDCOUNT KMERS RANKS: the device's counts are the processors'.
set -euo pipefail
run=$1 wordcount=$2 kmers=$3 ranks=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Records with headers of bases, lower case, other letters, short lines, and ends of both kinds.
awk 'BEGIN { srand(11); for (r = 0; r < 9; r++) { printf ">record %d ACGT\n", r;
  for (l = 0; l < 40; l++) { s = ""; n = int(rand() * 70)
    for (i = 0; i < n; i++) s = s substr("ACGTACGTACGTacgtN", int(rand() * 17) + 1, 1)
    printf "%s%s\n", s, l % 5 ? "" : "\r" } } }' >"$work/a.fa"
printf '>tail\nACGTACGTACGTACGTACGTACGTACGTACGTACGT' >"$work/b.fa"
for k in 1 5 31; do
  "$run" -n "$ranks" "$wordcount" --kmer $k --counts "$work/expected" "$work"/[ab].fa >/dev/null
  "$run" -n "$ranks" "$kmers" --kmer $k --counts "$work/actual" "$work"/[ab].fa >"$work/out"
  [ -s "$work/expected" ] || { echo "no counts were expected: the test is broken" >&2; exit 1; }
  cmp "$work/expected" "$work/actual"
  grep -q 'kind cuda:device' "$work/out"
done

# What has no room is said.
! "$run" -n "$ranks" "$kmers" --kmer 31 --capacity 4 "$work/a.fa" 2>"$work/err" >/dev/null
grep -q 'ask for more with --capacity' "$work/err"
