// How many sectors of 32 bytes and lines of 128 the table's kernels touch for a key, at three
// loads, counted by the test driver on processors: figures that need no GPU. Prints a table; with
// the least there can be, one sector and one line a hit, and fails where a figure exceeds what it
// may be. Exits with 77 where there is no device.
#include <cstdio>
#include <cstdlib>

#include "oriel/hash_map.cuh"
#include "tests/drivers/ptx/touches.hpp"

namespace {

using oriel::errc;
using oriel::phase_kind;
using oriel::test_driver::ptx::touches;
using word = std::uint64_t;
template <phase_kind P>
using table_in = oriel::hash_map_ref<word, word, P>;

// At load 0.5 as a map of that load has them; above, of a dense table.
constexpr word sparse_slots = word{1} << 15, dense_slots = 7 * 4681, most_bytes = 128 * 4681;

void check(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "touches: %s\n", what);
  std::exit(1);
}

template <class T>
T* managed(std::size_t n) {
  void* memory = nullptr;
  check(cudaMallocManaged(&memory, n * sizeof(T)) == cudaSuccess, "no memory");
  check(cudaMemset(memory, 0, n * sizeof(T)) == cudaSuccess, "memset");
  return static_cast<T*>(memory);
}

struct arrays {
  word* part = managed<word>(most_bytes / sizeof(word));
  word** parts = managed<word*>(1);
  word* keys = managed<word>(sparse_slots);
  word* values = managed<word>(sparse_slots);
  bool* found = managed<bool>(sparse_slots);
  unsigned long long* failures = managed<unsigned long long>(1);
};

// Different keys, in no order.
void make_keys(const arrays& a, word first, word n) {
  for (word i = 0; i < n; ++i) a.keys[i] = oriel::detail::mix(first + i + 1);
}

// What `launch` touches of the table for n keys.
template <class Launch>
touches counted(const arrays& a, word n, Launch launch) {
  oriel_test_watch(a.part, most_bytes);
  check(launch() == errc::success && cudaDeviceSynchronize() == cudaSuccess, "a kernel failed");
  touches t;
  oriel_test_touches(&t);
  oriel_test_watch(nullptr, 0);
  check(t.threads == n && *a.failures == 0, "an operation failed, or touched nothing");
  return t;
}

// The most that one key may touch on average.
struct limits {
  double sectors, lines, instructions;
};
bool report(double load, const char* what, const touches& t, limits most) {
  const auto n = static_cast<double>(t.threads);
  const double sectors = static_cast<double>(t.sectors) / n;
  const double lines = static_cast<double>(t.lines) / n;
  const double instructions = static_cast<double>(t.instructions) / n;
  const bool within =
      sectors <= most.sectors && lines <= most.lines && instructions <= most.instructions;
  std::printf("| %.2f | %-6s | %7.3f | %7.3f | %5llu | %7.1f | %s\n", load, what, sectors, lines,
              static_cast<unsigned long long>(t.most_lines), instructions,
              within ? "" : "too many");
  return within;
}

struct aim {
  double load;
  limits hit, miss, insert;
};
constexpr aim aims[] = {
    {0.50, {1.2, 1.1, 110}, {1.75, 1.2, 110}, {1.75, 1.2, 140}},
    {0.80, {2, 1.2, 180}, {3, 1.1, 200}, {5.5, 2, 550}},
    {0.95, {3.5, 1.5, 230}, {4, 1.1, 230}, {20, 5.5, 2000}},
};

// The last hundredth of the keys that a load takes is what an insert costs there.
bool measure(const arrays& a, const aim& wanted) {
  const cudaStream_t stream = nullptr;
  const word slots = wanted.load > 0.5 ? dense_slots : sparse_slots;
  const table_in<phase_kind::insert_only> in(a.parts, 1, slots);
  const table_in<phase_kind::find_only> out(a.parts, 1, slots);
  const auto n = static_cast<word>(wanted.load * static_cast<double>(slots));
  const word last = slots / 100, most = word{1} << 13;
  check(cudaMemset(a.part, 0, most_bytes) == cudaSuccess, "memset");
  make_keys(a, 0, n - last);
  check(insert(in, a.keys, a.values, n - last, a.failures, stream) == errc::success &&
            cudaDeviceSynchronize() == cudaSuccess,
        "an insert failed");
  make_keys(a, n - last, last);
  const touches inserts =
      counted(a, last, [&] { return insert(in, a.keys, a.values, last, a.failures, stream); });
  const auto finds = [&](word first, word keys) {
    make_keys(a, first, keys);
    return counted(a, keys,
                   [&] { return find(out, a.keys, a.values, a.found, keys, a.failures, stream); });
  };
  const touches hits = finds(0, n);
  for (word i = 0; i < n; ++i) check(a.found[i], "a key was not found");
  const touches misses = finds(word{1} << 40, most);
  for (word i = 0; i < most; ++i) check(!a.found[i], "a key was found that is not there");
  const bool hit = report(wanted.load, "hit", hits, wanted.hit);
  const bool miss = report(wanted.load, "miss", misses, wanted.miss);
  return report(wanted.load, "insert", inserts, wanted.insert) && hit && miss;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  const arrays a;
  a.parts[0] = a.part;
  std::printf(
      "| load | key    | sectors | lines   | most  | instructions |\n|---|---|---|---|---|---|\n");
  bool within = true;
  for (const aim& wanted : aims) within = measure(a, wanted) && within;
  return within ? 0 : 1;
}
