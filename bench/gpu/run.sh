#!/usr/bin/env bash
# run.sh [--quick] [--json FILE]: `./run gpu`. Builds for the GPU that is here, checks on it, and
# times. Needs nvcc, CMake and a C++ compiler and nothing else. The exit status is 0, 1 when a check
# or a timing failed, 2 for a wrong call, 3 where there is no GPU to run on.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$here/build-gpu
started=$SECONDS

say() { echo "run: $*"; }
no_gpu() {
  echo "run: no GPU here: $*" >&2
  exit 3
}

json=
options=()
while [ $# -gt 0 ]; do
  case $1 in
    --quick) options+=(--quick) ;;
    --json)
      json=$(realpath -m "${2:?"--json needs a file"}")
      shift
      ;;
    *)
      echo "usage: ./run gpu [--quick] [--json FILE]" >&2
      exit 2
      ;;
  esac
  shift
done

nvcc=$(command -v nvcc || true)
for folder in "${CUDA_HOME:-}" /usr/local/cuda; do
  [ -z "$nvcc" ] && [ -x "$folder/bin/nvcc" ] && nvcc=$folder/bin/nvcc
done
[ -n "$nvcc" ] || no_gpu "nvcc is missing; CUDA_HOME names the toolkit's folder"
export CUDA_HOME=${CUDA_HOME:-$(dirname "$(dirname "$(readlink -f "$nvcc")")")}
mkdir -p "$build"
"$nvcc" -o "$build/query" "$here/bench/gpu/query.cu"
gpu=$("$build/query") || no_gpu "$gpu"
architecture=${gpu%% *}
say "${gpu#* }, compute capability ${architecture%?}.${architecture: -1}"

# build: output is shown only when it fails.
generator=()
if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
say "building"
log=$build/build.log
if ! { cmake -S "$here" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
         -DORIEL_NVCC="$nvcc" -DORIEL_CUDA_ARCHITECTURES="$architecture" -DORIEL_GPU=ON \
         -DORIEL_TESTS=OFF -DORIEL_BENCH=OFF -DORIEL_EXAMPLES=OFF -DORIEL_TOOLS=OFF -DORIEL_MPI=OFF \
         -DORIEL_WITH_FABRIC=OFF -DORIEL_WITH_HWLOC=OFF -DORIEL_WITH_SODIUM=OFF \
         -DORIEL_WARNINGS_ARE_ERRORS=OFF &&
       cmake --build "$build" -j "$(nproc)"; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
say "built after $((SECONDS - started)) s"

failed=0
timeout 240 ctest --test-dir "$build" -L gpu --output-on-failure --no-tests=error || failed=1
say "checked after $((SECONDS - started)) s"

if [ -n "$json" ]; then
  commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
  checks=$([ $failed -eq 0 ] && echo passed || echo failed)
  printf '{"gpu":"%s","date":"%s","commit":"%s","checks":"%s"}\n' "${gpu#* }" "$(date -u +%F)" \
    "$commit" "$checks" >"$json"
  options+=(--json "$json")
fi
export ORIEL_MEMORY_ALLOC_KINDS=mpi,system,cuda ORIEL_TIMEOUT=60
printf '%-26s %11s %12s %12s %-6s %8s\n' case size oriel CUDA unit ratio
for part in host kernel hash-map; do
  timeout 50 "$here/tests/gpu/two_ranks.sh" "$build/bench/gpu/gpu-bench-$part" "${options[@]}" ||
    { echo "run: timing failed: $part" >&2; failed=1; }
done
say "done after $((SECONDS - started)) s"
exit $failed
