#!/usr/bin/env bash
# profiled_names.sh LIBRARY INCLUDES COMPILER: every function shmem_NAME of the library is weak and has a second name,
# pshmem_NAME, for the same code, which pshmem.h declares; and no other function has one.
set -euo pipefail
export LC_ALL=C  # in which sort and comm agree
library=$1 includes=$2 compiler=$3

# "ADDRESS NAME" of the symbols of one kind that begin so.
named() {
  nm -D --defined-only "$library" | sed -nE "s/^([0-9a-f]+) $1 $2([A-Za-z_0-9]+)$/\\1 \\3/p" | sort
}
weak=$(named W '(shmem_)') shifted=$(named T '(pshmem_)')
[ -n "$weak" ] || { echo "$library defines no weak shmem_NAME"; exit 1; }
status=0
differing=$(comm -3 <(echo "$weak") <(echo "$shifted") | awk '{print $2}' | sort -u)
for name in $differing; do
  echo "shmem_$name and pshmem_$name are not one function"
  status=1
done
strong=$(named T '(shmem_)' | awk '{print $2}')
for name in $strong; do
  echo "shmem_$name is not weak"
  status=1
done

source=$(mktemp --suffix=.c)
trap 'rm -f "$source"' EXIT
{
  echo '#include <pshmem.h>'
  echo 'typedef void (*function)(void);'
  echo 'extern const function all[];'
  echo 'const function all[] = {'
  awk '{print "(function)pshmem_" $2 ","}' <<<"$shifted"
  echo '};'
} >"$source"
"$compiler" -std=c99 -Wall -Werror -pedantic -fsyntax-only -I "$includes" "$source" || status=1
exit $status
