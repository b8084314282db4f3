#!/usr/bin/env bash
# shows_wait.sh ORIEL_INFO REGEX COMMAND…: while the command runs, oriel-info --stuck comes to say what matches REGEX,
# its lines joined by " / ".
set -euo pipefail
info=$1 wanted=$2
shift 2
"$@" &
job=$!
trap 'kill "$job" 2>/dev/null || true; wait "$job" 2>/dev/null || true' EXIT
said=
for ((look = 0; look < 100; ++look)); do
  said=$("$info" --stuck "$job" 2>&1 | paste -sd '|' | sed 's:|: / :g') || true
  grep -Eq "$wanted" <<<"$said" && exit 0
  sleep 0.1
done
printf '%s\nnothing like "%s": %s\n' "$said" "$wanted" "$*"
exit 1
