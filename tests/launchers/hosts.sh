# For scripts that test launchers on two hosts, which are namespaces of one machine: host0 has the address
# 10.213.0.1, host1 has 10.213.0.2, and remote.sh starts programs on the other. Sourced.

# skip REASON
skip() {
  echo "skipped: $1"
  exit 77
}

# on_two_hosts ORIEL_HOSTS SECONDS COMMAND…: runs it on host0, for so long at most; its exit code is the
# command's. Nothing that was started on the hosts outlives this.
on_two_hosts() {
  local oriel_hosts=$1 limit=$2
  local host=(unshare --uts --ipc --pid --fork --kill-child --mount-proc)
  shift 2
  "${host[@]}" true 2>/dev/null || skip "this user may not make namespaces of host names and processes"
  WORK=$(mktemp -d)
  export WORK
  trap 'rm -rf "$WORK"' EXIT
  mkdir -p "$WORK"/host{0,1}/tmp
  mkfifo "$WORK/door"
  printf '%s\n' '127.0.0.1 localhost' '10.213.0.1 host0' '10.213.0.2 host1' >"$WORK/hosts"
  "$oriel_hosts" --require-namespaces --hosts 2 --timeout "$limit" -- \
    "${host[@]}" "$(dirname "${BASH_SOURCE[0]}")/host.sh" "$WORK" "$@" || return
}
