#!/usr/bin/env bash
# kinds_test.sh ORIEL_RUN RANKS KIND PROGRAM [OPTION…]: the example PROGRAM, started with the
# launcher's OPTIONs, ends well and says on every rank that it worked in KIND memory.
set -euo pipefail
run=$1 ranks=$2 kind=$3 program=$4
shift 4
out=$("$run" -n "$ranks" "$@" "$program") || { echo "$out"; echo "$program failed" >&2; exit 1; }
echo "$out"
said=$(grep -c "^rank [0-9]*: .* in $kind memory" <<<"$out" || true)
[ "$said" = "$ranks" ] || { echo "$said of $ranks ranks worked in $kind memory" >&2; exit 1; }
