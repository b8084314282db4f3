#!/usr/bin/env bash
# host.sh WORK COMMAND…: what oriel-hosts starts on each of the hosts of a launcher's test, in namespaces
# of names, processes, mounts and shared memory of its own (on_two_hosts in hosts.sh).
#
# Host 0 runs COMMAND. The other does what remote.sh asks for, until host 0 has ended. Host i has the name
# host<i>, and WORK/host<i> for what it keeps in files.
set -euo pipefail
work=$1
me=$ORIEL_RANK
shift
# The job is the launcher's under test.
for variable in "${!ORIEL_ROOT@}" ORIEL_RANK ORIEL_SIZE ORIEL_JOB_SECRET; do unset "$variable"; done

hostname "host$me"
mount --bind "$work/hosts" /etc/hosts
mount -t tmpfs tmpfs /dev/shm
export TMPDIR=$work/host$me/tmp
if [ "$me" -eq 0 ]; then
  code=0
  "$@" || code=$?
  echo end >"$work/door"
  exit "$code"
fi
# Open for writing too, lest the door ends with each who has called.
exec 3<>"$work/door"
while read -r call <&3 && [ "$call" != end ]; do
  { code=0; bash "$call/command" >"$call/out" 2>"$call/err" </dev/null || code=$?
    echo "$code" >"$call/code"; } 3<&- &
done
