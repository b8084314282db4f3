#!/bin/sh
# compare_leaders.sh SIM_SCALE: where the leaders of a job run alone they send what they send in the whole job, by the
# operations that they do for their nodes: as many messages, as many bytes. Sessions open by as many bytes.
set -eu

what_leaders_send() {  # yes|no
  "$sim_scale" --nodes 6 --ranks-a-node 12 --times 2 --leaders-only "$1" | awk '
    /^# opened/ { sub(/;.*/, ""); print }
    /^(construct|team barrier|allreduce|fence|shrink|barrier of survivors)/ { print $1, "most", $(NF - 6), "all", $(NF - 2), "bytes", $(NF - 1) }'
}

sim_scale=$1
whole=$(what_leaders_send no)
alone=$(what_leaders_send yes)
[ "$(echo "$whole" | wc -l)" -eq 7 ] || { echo "the output is not understood: $whole"; exit 1; }
[ "$whole" = "$alone" ] && exit 0
printf 'all ranks:\n%s\nleaders alone:\n%s\n' "$whole" "$alone"
exit 1
