#!/usr/bin/env bash
# two_ranks.sh PROGRAM [ARGUMENT…]: a job of two ranks of PROGRAM on this machine, started by the
# variables of docs/LAUNCHING.md. The exit status is that of the first rank that fails; the other one
# is then ended. Such a build may lack libsodium, so the job has no secret.
set -u
for attempt in 1 2 3 4 5 6 7 8; do
  port=$((20000 + RANDOM % 20000))
  (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break  # nobody listens there
done
export ORIEL_SIZE=2 ORIEL_ROOT=127.0.0.1:$port
unset ORIEL_JOB_SECRET
ORIEL_RANK=0 "$@" &
first=$!
ORIEL_RANK=1 "$@" &
second=$!
trap 'kill "$first" "$second" 2>/dev/null' EXIT
wait -n
status=$?
if [ "$status" -eq 0 ]; then
  wait -n
  status=$?
fi
exit "$status"
