#!/bin/bash
# abi.sh SOURCES: what `./run abi` answers, in a project of two libraries as small as can be.
set -euo pipefail
sources=$1
command -v abidiff >/dev/null && command -v git >/dev/null && command -v ninja >/dev/null ||
  { echo "skipped: there is no abidiff, git or ninja"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/project/.ci" "$work/project/include"
# What this machine lacks `./run abi` would install.
printf '#!/bin/sh\necho "install ok installed"\n' >"$work/bin/dpkg-query"
chmod +x "$work/bin/dpkg-query"
cd "$work/project"
cp "$sources/run" .
cp "$sources/.ci/abi" "$sources/.ci/abi.suppressions" .ci
# write VERSION FUNCTIONS_OF_C FUNCTIONS_OF_C++
write() {
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'set(CMAKE_CXX_COMPILER_FORCED TRUE)' \
    "project(oriel VERSION $1 LANGUAGES CXX)" 'add_library(oriel SHARED oriel.cpp)' \
    'add_library(oriel_c SHARED oriel_c.cpp)' 'set_target_properties(oriel oriel_c PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})' >CMakeLists.txt
  printf 'extern "C" { %s }\n' "$2" >oriel_c.cpp
  printf 'namespace oriel { %s }\n' "$3" >oriel.cpp
}
c='int oriel_one() { return 1; } int oriel_two() { return 2; }'
cpp='int one() { return 1; } int two(long n) { return n != 0; }'
commit() { git add -A && git -c user.name=a -c user.email=a@b.c commit -q -m "$1"; }
# answers STATUS TEXT COMMAND…
answers() {
  local expected=$1 text=$2 status=0
  shift 2
  PATH=$work/bin:$PATH "$@" >"$work/said" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] && says "$text" && return
  echo "abi: it has exited with $status, not $expected, or has not said '$text':" >&2
  cat "$work/said" >&2
  exit 1
}
says() { grep -qF "$1" "$work/said"; }

git init -q
write 0.1.0 "$c" "$cpp"
printf 'build-abi/\n' >.gitignore
commit first
answers 3 "there is no tag v*" ./run abi
answers 2 "there is no commit 'v0.1.0'" .ci/abi v0.1.0

git tag v0.1.0
write 0.1.1 "$c" "$cpp int three() { return 3; }"
answers 0 "liboriel_c has all that it had" ./run abi
says "liboriel has all that it had" || { echo "abi: it says nothing of liboriel" >&2; exit 1; }

write 0.1.1 "$c" "${cpp%int two*}"
answers 1 "liboriel has changed for programs that were built with 0.1; that takes another minor version" .ci/abi v0.1.0
says 'two(long' || { echo "abi: it does not say what is gone" >&2; exit 1; }

write 0.2.0 "${c%int oriel_two*}" "${cpp%int two*}"
answers 1 "liboriel_c has changed for programs that were built with 0.1; that takes another major version" .ci/abi v0.1.0
says "liboriel has changed, which version 0.2 permits" || { echo "abi: 0.2 permits nothing" >&2; exit 1; }
