#!/usr/bin/env bash
# documented_calls.sh DOCUMENT LIBRARY: the document's table of calls, between its two marks, names each family of
# OpenSHMEM's calls that the library defines and no other. In families TYPE stands for a type's name and SIZE for the bits
# of an element; forms for a context go without saying.
set -euo pipefail
export LC_ALL=C  # in which sort and comm agree
document=$1 library=$2

types='float|double|longdouble|complexf|complexd|char|schar|short|int|long|longlong|uchar|ushort|uint|ulong|ulonglong'
types+='|int8|int16|int32|int64|uint8|uint16|uint32|uint64|size|ptrdiff'
families() {
  sed -E "s/^shmem_ctx_(create|destroy|get_team)$/& /; s/^shmem_ctx_(.*[^ ])$/shmem_\1/; s/ $//
          s/^shmem_($types)_/shmem_TYPE_/; s/^(shmem_[a-z]+)(8|16|32|64|128)(_[a-z_]+)?$/\1SIZE\3/" | sort -u
}
documented=$(sed -n '/<!-- calls -->/,/<!-- \/calls -->/p' "$document" | grep -oE '`[A-Za-z_0-9]+`' | tr -d '`' | sort)
defined=$(nm -D --defined-only "$library" | grep -oE ' [TW] (sh|start_pes|_?my_pe|_?num_pes)[A-Za-z_0-9]*$' | cut -c4- | families)
[ -n "$defined" ] || { echo "$library defines no call of OpenSHMEM's"; exit 1; }

status=0
for name in $(comm -13 <(echo "$documented" | uniq) <(echo "$defined")); do
  echo "$name is defined and not in the table"
  status=1
done
for name in $(comm -23 <(echo "$documented" | uniq) <(echo "$defined")); do
  echo "$name is in the table and not defined"
  status=1
done
for name in $(echo "$documented" | uniq -d); do
  echo "$name is in the table twice"
  status=1
done
exit $status
