#!/bin/bash
# probes.sh GDB ORIEL_RUN PROBED_RANK TRACING_MD: a debugger that is attached to a rank stops at the probes that
# TRACING_MD lists, and reads their arguments. Exits with 77 where that cannot be tried.
set -euo pipefail
gdb=$1 run=$2 program=$3 page=$4
work=$(mktemp -d)
job=
trap '[ -z "$job" ] || kill "$job" 2>/dev/null || true; rm -rf "$work"' EXIT
skip() { echo "skipped: $1"; exit 77; }
fail() { echo "probes: $1" >&2; cat "$work"/* >&2; exit 1; }
command -v "$gdb" >/dev/null || skip "there is no gdb"
listed() { "$gdb" -nx -batch -ex 'info probes stap ^oriel$' "$program" 2>/dev/null | awk '$1 == "stap" { print $3 }' | sort -u; }
listed >"$work/present"
[ -s "$work/present" ] || skip "oriel is built without <sys/sdt.h>"

# Those of the table in TRACING_MD, which are all there are.
sed -n '/^| probe/,/^$/p' "$page" | tail -n +3 | cut -d'|' -f2 | grep -o '[a-z_]*' | sort -u >"$work/told"
cmp -s "$work/told" "$work/present" || fail "the probes are not those of $page"

# A line each time: the probe, how many arguments it has, and these.
{
  echo 'set pagination off'
  echo 'set print thread-events off'
  while read -r probe; do
    case $probe in
      operation) arguments='$_probe_arg0, $_probe_arg1, $_probe_arg2, $_probe_arg3' format='%d %d %d %d' ;;
      asleep | waited) arguments='$_probe_arg0, (int)$_probe_arg1, (long)$_probe_arg2' format='%lu %d %ld' ;;
      *) arguments='$_probe_arg0' format='%lu' ;;
    esac
    printf 'break -probe-stap oriel:%s\ncommands\nsilent\nprintf "%s %%d: %s\\n", $_probe_argc, %s\ncontinue\nend\n' \
      "$probe" "$probe" "$format" "$arguments"
  done <"$work/present"
  echo continue
} >"$work/commands"

"$run" -n 2 --timeout 50 "$program" >"$work/said" 2>&1 &
job=$!
for _ in $(seq 400); do
  pid=$(sed -n 's/.*process \([0-9]*\)$/\1/p' "$work/said")
  [ -z "$pid" ] || break
  sleep 0.05
done
[ -n "$pid" ] || fail "the rank has not begun"
timeout 40 "$gdb" -nx -batch -p "$pid" -x "$work/commands" >"$work/seen" 2>&1 </dev/null || true
if grep -qi 'ptrace.*not permitted\|could not attach' "$work/seen"; then skip "this process may not trace others"; fi
wait "$job" || fail "the job has failed"
job=

saw() { grep -qxE "$1" "$work/seen" || fail "no probe was '$1'"; }
window=$(sed -n 's/^lock_all 1: //p' "$work/seen")
[[ $window =~ ^[1-9][0-9]*$ ]] || fail "the window's number is '$window'"
saw 'operation 4: 0 1 12 1'  # a put, by load and store, of 12 bytes
saw 'operation 4: 1 0 8 1'   # a get, of its own memory
saw 'operation 4: 0 1 4 1'   # a put of one element
for probe in lock_all flush unlock_all lock unlock post start complete wait fence; do saw "$probe 1: $window"; done
saw "asleep 3: $window 1 -1"  # in a fence, for no single rank
nanoseconds=$(sed -n "s/^waited 3: $window 1 //p" "$work/seen" | tail -n 1)
[[ $nanoseconds =~ ^[0-9]+$ ]] && [ "$nanoseconds" -gt 100000000 ] || fail "the fence took '$nanoseconds' ns"
[ "$(grep -c '^operation 4:' "$work/seen")" = 3 ] || fail "there were not three operations"
