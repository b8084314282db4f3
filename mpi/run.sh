#!/usr/bin/env bash
# Runs an MPI program with oriel preloaded into its ranks, and returns its exit code.
#
#   run.sh [--faces FOLDER | --which] [--mpi mpich|openmpi] [-n N] [--] PROGRAM [ARGUMENTS…]
#
# FOLDER holds liboriel-mpich.so, liboriel-openmpi.so and liboriel-threads.so. Without --mpi the MPI is that among the
# program's own libraries; --which prints it and runs nothing. Scripts have none, so they need --mpi.
# ./run mpi is the way in for people.
set -euo pipefail

say() {
  echo "run mpi: $1" >&2
  exit 2
}

# host_of PROGRAM: by the names of the libraries it wants, whether they are installed or not.
host_of() {
  local wanted
  wanted=$(ldd "$1" 2>/dev/null || true)
  case $wanted in
    *libmpich.so.* | *libmpi.so.12*) echo mpich ;;
    *libmpi.so.*) echo openmpi ;;
    *) say "'$1' does not tell which MPI it needs; say --mpi mpich or --mpi openmpi" ;;
  esac
}

faces='' which='' mpi='' ranks=2
while [ $# -gt 0 ]; do
  case $1 in
    --which) which=yes; shift ;;
    --faces | --mpi | -n)
      [ $# -ge 2 ] || say "$1 needs a value"
      case $1 in
        --faces) faces=$2 ;;
        --mpi) mpi=$2 ;;
        -n) ranks=$2 ;;
      esac
      shift 2
      ;;
    --) shift; break ;;
    -*) say "what is '$1'?" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || say "no program is given"
[[ $ranks =~ ^[1-9][0-9]*$ ]] || say "-n wants a number of ranks, not '$ranks'"
program=$(command -v "$1") || say "there is no program '$1'"
[ -n "$mpi" ] || mpi=$(host_of "$program")
[[ $mpi == mpich || $mpi == openmpi ]] || say "--mpi wants mpich or openmpi, not '$mpi'"
if [ -n "$which" ]; then
  echo "$mpi"
  exit 0
fi

face=$faces/liboriel-$mpi.so
[ -f "$face" ] || say "there is no $face"
# The face brings libfabric, and that may bring libraries of psm, which would take the signals of crashes.
export IPATH_NO_BACKTRACE=${IPATH_NO_BACKTRACE-1} HFI_NO_BACKTRACE=${HFI_NO_BACKTRACE-1}
launcher=$(command -v "mpiexec.$mpi" || command -v mpiexec) || say "there is no mpiexec of $mpi"
# Only the ranks load oriel: the launcher and its helpers are not MPI programs.
preload=$face
# Of programs that are built with -fsanitize=thread, ORIEL_CHECK tells threads apart.
if [ -n "${ORIEL_CHECK-}" ] && [[ $(ldd "$program" 2>/dev/null) == *libtsan.so.* ]]; then
  threads=$faces/liboriel-threads.so
  if [ -f "$threads" ]; then
    preload+=:$threads
  else
    echo "run mpi: there is no $threads: ORIEL_CHECK takes the threads of a process for one" >&2
  fi
fi
preload=LD_PRELOAD=$preload${LD_PRELOAD:+:$LD_PRELOAD}
if [ "$mpi" = mpich ]; then
  exec "$launcher" -genv "${preload%%=*}" "${preload#*=}" -n "$ranks" "$@"
fi
launch=("$launcher" --oversubscribe -x "$preload")
[ "$(id -u)" -ne 0 ] || launch+=(--allow-run-as-root)
# Open MPI passes only the variables of its -x options to other nodes; MPICH passes them all.
for variable in ${!ORIEL_@} IPATH_NO_BACKTRACE HFI_NO_BACKTRACE; do launch+=(-x "$variable"); done
exec "${launch[@]}" -n "$ranks" "$@"
