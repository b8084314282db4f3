#!/bin/bash
# modulefile.sh MODULECMD PREFIX: what is installed below PREFIX is found once its module is loaded, and
# no longer when it is unloaded.
set -euo pipefail
modulecmd=$1 prefix=$(cd "$2" && pwd)
fail() { echo "modulefile: $1" >&2; exit 1; }
unset LOADEDMODULES _LMFILES_ LIBRARY_PATH CPATH LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH PYTHONPATH
export MODULEPATH=$prefix/share/modulefiles
module() { eval "$("$modulecmd" bash "$@")"; }

module load oriel
[ "$(command -v oriel-run)" = "$prefix/bin/oriel-run" ] || fail "PATH finds no $prefix/bin/oriel-run"
[ -f "$CPATH/oriel/oriel.hpp" ] || fail "CPATH is $CPATH"
for path in "$LIBRARY_PATH" "$LD_LIBRARY_PATH"; do [ -e "$path/liboriel_c.so" ] || fail "no liboriel_c.so in $path"; done
[ -f "$PKG_CONFIG_PATH/oriel.pc" ] || fail "PKG_CONFIG_PATH is $PKG_CONFIG_PATH"
[ "$CMAKE_PREFIX_PATH" = "$prefix" ] || fail "CMAKE_PREFIX_PATH is $CMAKE_PREFIX_PATH"
[ -z "${PYTHONPATH:-}" ] || [ -f "$PYTHONPATH/oriel/__init__.py" ] || fail "PYTHONPATH is $PYTHONPATH"
"$modulecmd" bash whatis oriel 2>&1 | grep -q 'one-sided' || fail "whatis has no description"
"$modulecmd" bash help oriel 2>&1 | grep -q 'oriel-run' || fail "there is no help"

module unload oriel
[[ ":$PATH:" != *"$prefix"* ]] || fail "PATH keeps $prefix"
[ -z "${LD_LIBRARY_PATH:-}${CPATH:-}${CMAKE_PREFIX_PATH:-}" ] || fail "unloading leaves paths behind"
