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

# apply FILE FROM TO: puts TO in the place of each FROM.
apply() {
  local text
  text=$(cat "$work/$1"; echo x)
  [[ $text == *"$2"* ]] || { echo "$protocol: $name: $1 does not have: $2"; exit 1; }
  text=${text//"$2"/"$3"}
  printf '%s' "${text%x}" >"$work/$1"
}

# How many seconds the seeds of one mutant may take: those of sessions need some minutes.
limit=120
[ "$protocol" != session ] || limit=900

# What more a protocol is linked with, and how.
libraries=("$build"/liboriel_sim_sync.a "$build"/liboriel_sim.a)
links=(-Wl,--wrap=memcpy,--wrap=__cxa_thread_atexit)
[ "$protocol" != shrink ] || libraries=("$build"/liboriel_sim_shrink.a "${libraries[@]}")
if [ "$protocol" = session ]; then
  libraries=("$build"/liboriel_sim_{library,job,fabric}.a "${libraries[@]}" -ldl)
  links+=(-Wl,--wrap=getenv,--wrap=getrandom,--wrap=get_nprocs,--wrap=sysconf,--wrap=madvise)
  links+=(-Wl,--wrap=ppoll,--wrap=mmap,--wrap=munmap,--wrap=fcntl,--wrap=getifaddrs,--wrap=freeifaddrs)
  # The library's objects are of many files each, so that what the mutant has is there again: the first one is taken.
  links+=(-Wl,-z,muldefs)
fi

# compile FILE COMPILER...: to FILE.o. Most of the time would go to the standard library's headers, which the build has
# parsed once.
compile() {
  local file=$1
  shift
  "$@" -I"$work" -I"$source" -I"$source/include" "-DORIEL_SIM_PROTOCOL=simulated_$protocol" -w \
    -include "$build/mutants/standard.hpp" -c "$file" -o "$file.o"
}

# Links the mutant, from what it may be in alone: one file; or, where it is in a header, the protocol's programs with all
# of sync/ that the protocol has of its own, as one file, which takes half the time of several.
judge() {
  local objects=("$work/protocol.cpp.o") own
  if [[ $mutated == *.hpp ]] || [ ! -f "$work/protocol.cpp.o" ]; then
    printf '#include "%s"\n' "$here/protocols/all.cpp" "$here/protocols/$protocol.cpp" >"$work/protocol.cpp"
    for own in "$work/sync/wait.cpp" "$work/sync/$protocol.cpp"; do
      [[ $mutated != sync/*.hpp || ! -f $own ]] || echo "#include \"$own\"" >>"$work/protocol.cpp"
    done
    compile "$work/protocol.cpp" "$@"
  fi
  if [[ $mutated != *.hpp ]]; then
    compile "$work/$mutated" "$@"
    objects+=("$work/$mutated.o")
  fi
  # Not with the compiler's flags: the sanitizer's library stays out.
  "$1" "${links[@]}" -o "$work/simulate" "${objects[@]}" "$build"/liboriel_simulate.a "${libraries[@]}"
  [[ $mutated != *.hpp ]] || rm "$work/protocol.cpp.o"
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
  output=$(timeout "${LIMIT_OF_EACH:-$limit}" "$work/simulate" --protocol "$protocol" --seeds 5000 --smallest no 2>&1) ||
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
