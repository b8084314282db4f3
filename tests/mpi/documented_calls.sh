#!/usr/bin/env bash
# documented_calls.sh DOCUMENT LIBRARY: the document's table of calls, between its two marks, names each
# of MPI's calls that the library defines and no other. Large-count forms (_c), and what else is
# of MPI 4, may be missing from the library, as they are from the host.
set -euo pipefail
export LC_ALL=C  # in which sort and comm agree
document=$1 library=$2

documented=$(sed -n '/<!-- calls -->/,/<!-- \/calls -->/p' "$document" | grep -oE 'MPIX?_[A-Z][A-Za-z_]*' | sort)
defined=$(nm -D --defined-only "$library" | grep -oE ' MPIX?_([A-Z][a-z]|T_)[A-Za-z_]*$' | tr -d ' ' | sort)
[ -n "$defined" ] || { echo "$library defines no call of MPI's"; exit 1; }

missing=$(comm -13 <(echo "$documented") <(echo "$defined"))
invented=$(comm -23 <(echo "$documented") <(echo "$defined") | grep -vE '_c$|MPI_(Parrived|Pready.*|Isendrecv.*)$' || true)
twice=$(echo "$documented" | uniq -d)
status=0
for name in $missing; do echo "$name is defined and not in the table"; status=1; done
for name in $invented; do echo "$name is in the table and not defined"; status=1; done
for name in $twice; do echo "$name is in the table twice"; status=1; done
exit $status
