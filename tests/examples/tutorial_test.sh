#!/usr/bin/env bash
# tutorial_test.sh EXPECTED COMMAND…: what COMMAND prints, sorted, is the file EXPECTED.
set -euo pipefail
expected=$1
shift
"$@" | LC_ALL=C sort | diff "$expected" - || { echo "$expected has (<) what the program does not print (>)" >&2; exit 1; }
