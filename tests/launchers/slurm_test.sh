#!/usr/bin/env bash
# slurm_test.sh ORIEL_HOSTS pmix|pmi2 NODES WORDCOUNT: Slurm's own daemons on two hosts, and srun, which
# starts four ranks of the test program NODES and of the demo there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/hosts.sh"
PATH=$PATH:/usr/sbin:/sbin

configuration() {
  cat <<TEXT
ClusterName=oriel
SlurmctldHost=host0
NodeName=host[0-1] CPUs=2
PartitionName=all Nodes=ALL Default=YES
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthInfo=socket=$WORK/munge.socket
StateSaveLocation=$WORK/state
SlurmctldPidFile=$WORK/slurmctld.pid
SlurmdSpoolDir=$WORK/%n
SlurmdPidFile=$WORK/%n/slurmd.pid
TmpFS=$WORK/%n/tmp
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
TEXT
}

# soon WHAT COMMAND…: until the command succeeds, ten seconds at most.
soon() {
  local what=$1 end=$((SECONDS + 10))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || refuse "$what: not within 10 s"
    sleep 0.1
  done
}
refuse() {
  tail -n 40 "$WORK"/*.log "$WORK/out"
  echo "slurm_test: $1"
  exit 1
}
both_idle() {
  [ "$(timeout 2 sinfo --noheader --Node --format=%T 2>/dev/null | grep -c '^idle$')" -eq 2 ]
}
# A daemon's output goes to a file of its name.
daemon() {
  local log=$WORK/$1.log
  shift
  "$@" >"$log" 2>&1 </dev/null &
}

start_cluster() {
  mkdir "$WORK/state"
  export SLURM_CONF=$WORK/slurm.conf
  configuration >"$SLURM_CONF"
  (umask 077 && head -c 128 /dev/urandom >"$WORK/munge.key")
  : >"$WORK/out"
  daemon munged munged --foreground --force --socket="$WORK/munge.socket" --key-file="$WORK/munge.key" \
    --log-file="$WORK/munge.log" --pid-file="$WORK/munged.pid" --seed-file="$WORK/munged.seed"
  soon "munged's socket" test -S "$WORK/munge.socket"
  daemon slurmctld slurmctld -D
  daemon slurmd0 slurmd -D
  daemon slurmd1 "$here/remote.sh" host1 "SLURM_CONF='$SLURM_CONF' exec slurmd -D"
  soon "two idle nodes" both_idle
}

# starts COMMAND…: four ranks, two on each host; all of them must end well, and srun have no complaint.
starts() {
  local code=0
  timeout --kill-after=2 20 srun --mpi="$mpi" --nodes=2 --ntasks=4 "$@" >"$WORK/out" 2>&1 </dev/null ||
    code=$?
  [ "$code" -eq 0 ] || refuse "exit code $code: srun --mpi=$mpi $*"
  # On a busy machine the job before may not have left its hosts yet.
  ! grep -E '^(srun|slurmstepd.*): ' "$WORK/out" |
    grep -vE ': job [0-9]+ (queued and waiting for|has been allocated) resources' ||
    refuse "Slurm complains: srun --mpi=$mpi $*"
}
# says REGEX
says() {
  grep -Eq -- "$1" "$WORK/out" || refuse "no line like '$1'"
}

on_host0() {
  start_cluster
  timeout 5 srun --mpi=list 2>&1 | grep -qw "$mpi" || skip "this Slurm has no mpi/$mpi"

  # 1. Consecutive ranks share a host, and no others; the collectives reach all of them.
  ORIEL_TEST_RANKS_PER_NODE=2 starts "$nodes"
  says '\[  PASSED  \] 4 tests'

  # 2. The demo counts what it counts as a job of one, over libfabric between the hosts.
  starts "$wordcount" --counts "$WORK/counts"
  says '^[1-9][0-9]* words, [1-9][0-9]* distinct, on 4 ranks$'
  says 'route: +fabric to rank 2-3 \(the rank is on another node\)'
  says 'route: +load_store to rank 1$'
  says 'fabric: +tcp;ofi_rxm'
  "$wordcount" --counts "$WORK/counts_of_one" >"$WORK/out"
  cmp <(sort "$WORK/counts") <(sort "$WORK/counts_of_one") || refuse "the counts differ"

  # 3. What ranks say of themselves may be longer than a message of the launcher.
  long=$(printf 'x%.0s' {1..3000})
  ORIEL_TEST_RANKS_PER_NODE=2 starts \
    sh -c "ORIEL_NODE_ID=$long\$SLURM_NODEID exec '$nodes' --gtest_filter=Nodes.ConsecutiveRanksShareOne"
  says '\[  PASSED  \] 1 test'
}

if [ "$1" = on_host0 ]; then
  mpi=$2 nodes=$3 wordcount=$4
  on_host0
  exit
fi
oriel_hosts=$1
shift
for program in munged slurmctld slurmd srun sinfo; do
  command -v "$program" >/dev/null || skip "no $program here (packages munge, slurmctld, slurmd, slurm-client)"
done
setpriv --clear-groups true 2>/dev/null || skip "this user may not set groups, as Slurm's daemons do"
on_two_hosts "$oriel_hosts" 60 "${BASH_SOURCE[0]}" on_host0 "$@"
