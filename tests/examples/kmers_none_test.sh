#!/usr/bin/env bash
# kmers_none_test.sh ORIEL_RUN KMERS: without a GPU the demo says so and exits with 3.
set -euo pipefail
run=$1 kmers=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '>a\nACGT\n' >"$work/a.fa"
status=0
"$run" -n 2 "$kmers" "$work/a.fa" 2>"$work/err" || status=$?
[ $status = 3 ] || { cat "$work/err" >&2; exit 1; }
grep -q "no GPU to count on: .*'cuda:device'" "$work/err"
