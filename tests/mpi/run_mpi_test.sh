#!/usr/bin/env bash
# run_mpi_test.sh RUNNER FACES mpich|openmpi PROGRAM: the launcher behind ./run mpi.
set -euo pipefail
runner=$1 faces=$2 mpi=$3 program=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ends_with CODE COMMAND…: runs it within a time; what it prints is in $work/out and $work/err.
ends_with() {
  local wanted=$1 code=0
  shift
  timeout --kill-after=5 40 "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  [ "$code" -eq "$wanted" ] && return 0
  cat "$work/out" "$work/err"
  echo "exit code $code, not $wanted: $*"
  exit 1
}
# says FILE REGEX
says() {
  grep -Eq "$2" "$work/$1" && return 0
  cat "$work/out" "$work/err"
  echo "no line like '$2' in the program's $1"
  exit 1
}

# 1. The program's libraries tell its MPI; its windows are oriel's, and are explained where asked for.
ends_with 0 "$runner" --which "$program"
says out "^$mpi\$"
ends_with 0 env ORIEL_EXPLAIN=1 "$runner" --faces "$faces" -n 1 "$program"
says out '^a window of 1 ranks$'
says err '^oriel: MPI_Win_allocate: window '
ends_with 0 "$runner" --faces "$faces" "$program"
says out '^a window of 2 ranks$'
! grep -q oriel "$work/err" || { cat "$work/err"; echo "oriel speaks unasked"; exit 1; }

# 2. The exit code is the program's, and a crash shows as it does without oriel.
ends_with 7 "$runner" --faces "$faces" -n 1 "$program" 7
ulimit -c 0
case $mpi in mpich) crashed=11 ;; openmpi) crashed=139 ;; esac
ends_with "$crashed" "$runner" --faces "$faces" -n 1 "$program" -11

# 3. Scripts do not tell; with --mpi they run.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$work/script"
chmod +x "$work/script"
ends_with 2 "$runner" --faces "$faces" "$work/script"
says err 'say --mpi mpich or --mpi openmpi'
ends_with 0 env ORIEL_EXPLAIN=1 "$runner" --faces "$faces" --mpi "$mpi" -n 1 "$work/script"
says err '^oriel: MPI_Win_allocate: window '

# 4. What cannot be done is said.
ends_with 2 "$runner" --faces "$faces" --mpi lam "$program"
ends_with 2 "$runner" --faces "$work" "$program"
says err 'there is no .*liboriel'
ends_with 2 "$runner" --faces "$faces" -n none "$program"
ends_with 2 "$runner" --faces "$faces" "$work/missing"

# 5. Options end at two dashes; further ones are the program's.
ends_with 7 "$runner" --faces "$faces" -n 1 -- "$program" 7
printf '#!/bin/sh\necho "$@"\nexec "%s"\n' "$program" >"$work/script"
ends_with 0 "$runner" --faces "$faces" --mpi "$mpi" -n 1 -- "$work/script" a -- b
says out '^a -- b$'
