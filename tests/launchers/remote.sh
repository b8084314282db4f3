#!/usr/bin/env bash
# remote.sh HOST COMMAND…: to the hosts of a launcher's test what rsh is to machines: words become a command
# of the shell there, and its output and exit code are those of this script. WORK is in the environment.
set -euo pipefail
host=$1
shift
if [ "$host" = "$(hostname)" ]; then exec bash -c "$*"; fi
[ "$host" = host1 ] || { echo "remote: there is no host '$host'" >&2; exit 255; }
call=$(mktemp -d "$WORK/call.XXXXXX")
mkfifo "$call/out" "$call/err" "$call/code"
printf '%s\n' "$*" >"$call/command"
echo "$call" >"$WORK/door"
cat "$call/out" &
cat "$call/err" >&2 &
read -r code <"$call/code"
wait
exit "$code"
