#!/usr/bin/env bash
# refuses.sh PROGRAM OPTIONS...: demands that the program, with each of these lines of options, says why it does not
# run, and exits with 2.
set -euo pipefail
program=$1
shift
for options in "$@"; do
  status=0
  # shellcheck disable=SC2086
  said=$(timeout 10 "$program" $options 2>&1 >/dev/null) || status=$?
  [ $status -eq 2 ] && [ -n "$said" ] || { echo "$options: exits with $status"; exit 1; }
done
