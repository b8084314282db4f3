#!/usr/bin/env bash
# mutants.sh PROTOCOL BUILD COMPILER...: demands that each mutant of the protocol fails from one of 5000 seeds. Most
# do from one of the first hundred; the limit leaves room for changes of the sources, by which schedules change.
#
# tests/sim/mutants/PROTOCOL.txt has the mutants, each a paragraph: its name, a file, and what it takes away:
# lines that begin with `<` are in the file, and those with `>` come in their place; there may be several such
# pairs. A mutant whose lines the file does not have fails: it stands for what is gone. BUILD is where CMake has
# built tests/sim; COMPILER... the compiler with the flags of simulated sources. ONLY, where it is set, is a regular
# expression: mutants whose names do not match are passed over. Lines that begin with `#` are remarks.
set -euo pipefail
protocol=$1
build=$2
shift 2
here=$(realpath "$(dirname "$0")")
source=$(realpath "$here/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Most of the time would go to the standard library's headers: they are parsed once.
printf '#include <%s>\n' algorithm array atomic chrono functional memory mutex optional random string vector \
  >"$work/standard.hpp"
"$@" -x c++-header -o "$work/standard.hpp.gch" "$work/standard.hpp"
"$@" -I"$source" -I"$source/include" "-DORIEL_SIM_PROTOCOL=simulated_$protocol" -c -o "$work/all.o" \
  "$here/protocols/all.cpp"

# apply FILE FROM TO: puts TO in the place of each FROM.
apply() {
  local text
  text=$(cat "$work/$1"; echo x)
  [[ $text == *"$2"* ]] || { echo "$protocol: $name: $1 does not have: $2"; exit 1; }
  text=${text//"$2"/"$3"}
  printf '%s' "${text%x}" >"$work/$1"
}

# What more a protocol is linked with, and how.
libraries=("$build"/liboriel_sim_sync.a "$build"/liboriel_sim.a)
links=(-Wl,--wrap=memcpy,--wrap=__cxa_thread_atexit)
if [ "$protocol" = session ]; then
  libraries=("$build"/liboriel_sim_{library,job,fabric}.a "${libraries[@]}" -ldl)
  links+=(-Wl,--wrap=getenv,--wrap=getrandom,--wrap=get_nprocs,--wrap=sysconf,--wrap=madvise)
  links+=(-Wl,--wrap=ppoll,--wrap=mmap,--wrap=munmap,--wrap=fcntl,--wrap=getifaddrs,--wrap=freeifaddrs)
  # The library's objects are of many files each, so that what the mutant has is there again: the first one is taken.
  links+=(-Wl,-z,muldefs)
fi

# compile OBJECT FILE COMPILER...
compile() {
  local object=$1 file=$2
  shift 2
  "$@" -I"$work" -I"$source" -I"$source/include" -w -include "$work/standard.hpp" -c "$file" -o "$object"
}

# Runs what is in $work: all of sync/ that the protocol has of its own, or the one file of another folder; and the
# protocol, which is compiled again only where it may have a mutant in a header.
judge() {
  local files=("$work/$mutated") file
  [ "$folder" != sync ] || files=("$work/sync/wait.cpp" "$work/sync/$protocol.cpp")
  rm -f "$work"/*.cpp.o
  if [ "$folder" = sync ] || [[ $mutated == *.hpp ]] || [ ! -f "$work/protocol.o" ]; then
    compile "$work/protocol.o" "$here/protocols/$protocol.cpp" "$@"
  fi
  for file in "${files[@]}"; do
    [[ ! -f $file || $file == *.hpp ]] || compile "$work/$(basename "$file").o" "$file" "$@"
  done
  # Not with the compiler's flags: the sanitizer's library stays out.
  "$1" "${links[@]}" -o "$work/simulate" "$work"/*.o "$build"/liboriel_simulate.a "${libraries[@]}"
  [[ $mutated != *.hpp ]] || rm "$work/protocol.o"
}
survivors=0
name=
from=
to=
finish() {
  [ -n "$name" ] || return 0
  [[ $name =~ ${ONLY:-.} ]] || { name=; return 0; }
  [ -z "$from" ] || apply "$file" "$from" "$to"
  judge "$@"
  # A program that crashes, or does not end, has noticed nothing.
  local output found
  output=$(timeout "${LIMIT_OF_EACH:-120}" "$work/simulate" --protocol "$protocol" --seeds 5000 --smallest no 2>&1) ||
    true
  found=$(sed -n 's/^simulate: [a-z_]* fails from //p' <<<"$output" | head -1)
  if [ -z "$found" ]; then
    echo "$protocol: $name is not noticed"
    survivors=1
  else
    printf '  %-36s %s\n' "$name:" "$found"
  fi
  name=
}
while IFS= read -r line || [ -n "$line" ]; do
  case $line in
    '#'*) ;;
    '<'*)
      if [ -n "$to" ] || [ "${seen_to:-}" = yes ]; then
        apply "$file" "$from" "$to"
        from= to= seen_to=
      fi
      from+=${from:+$'\n'}${line#<}
      ;;
    '>'*) to+=${seen_to:+$'\n'}${line#>}; seen_to=yes ;;
    '') finish "$@" ;;
    *)
      name=${line% *}
      file=${line##* }
      mutated=$file
      folder=${file%%/*}
      from= to= seen_to=
      rm -rf "$work"/{sync,session,transport,win}
      cp -r "$source/$folder" "$work/$folder"
      ;;
  esac
done <"$here/mutants/$protocol.txt"
finish "$@"
exit $survivors
