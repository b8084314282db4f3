#!/usr/bin/env bash
# ends_with.sh STATUS REGEX SECONDS COMMAND…: the command ends with STATUS within so long, and prints a line that
# matches REGEX.
set -euo pipefail
status=$1 wanted=$2 limit=$3
shift 3
code=0
out=$(timeout --kill-after=5 "$limit" "$@" 2>&1 </dev/null) || code=$?
if [ "$code" -ne "$status" ]; then
  printf '%s\nexit status %s, not %s: %s\n' "$out" "$code" "$status" "$*"
  exit 1
fi
grep -Eq "$wanted" <<<"$out" && exit 0
printf '%s\nno line like "%s": %s\n' "$out" "$wanted" "$*"
exit 1
