// How many finds, of keys that are there and of others, and inserts of 8 + 8 bytes a second kernels
// do on a hash map that is much larger than any cache: one process alone at loads 0.5, 0.8 and
// 0.95, then both ranks at once on one GPU at 0.5, on a table whose parts are a window of both.
// Beside them what the chip does at random places of the same memory: one load of 16 bytes a key,
// and one store.
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/gpu/device_support.cuh"
#include "bench/gpu/rows.hpp"
#include "oriel/hash_map.cuh"
#include "oriel/oriel.hpp"

namespace {

using namespace oriel;
using bench::check;
using bench::gpu_report;
using bench::gpu_row;
using word = std::uint64_t;

template <phase_kind P>
using table_in = hash_map_ref<word, word, P>;
constexpr auto promise = assertion::shared_lock | assertion::multi_element;
constexpr std::size_t words_a_slot = table_in<phase_kind::find_only>::slot_bytes / sizeof(word);

// An odd factor permutes the words: keys are different and in no order.
__global__ void make_keys(word* keys, word* values, std::size_t n, word first) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) values[i] = (keys[i] = (first + i) * 0x9e3779b97f4a7c15u) + 1;
}
__global__ void count_wrong(const word* keys, const word* values, const bool* found, std::size_t n,
                            unsigned long long* wrong) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && (!found[i] || values[i] != keys[i] + 1)) atomicAdd(wrong, 1ull);
}
__global__ void count_found(const bool* found, std::size_t n, unsigned long long* wrong) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && found[i]) atomicAdd(wrong, 1ull);
}

__device__ word* slot_of(word* table, word slots, word key) {
  return table + (detail::mix(key) & (slots - 1)) * words_a_slot;
}
__global__ void gather(word* table, word slots, const word* keys, word* values, bool* found,
                       std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const detail::packed_pair pair = detail::load_pair(slot_of(table, slots, keys[i]));
  values[i] = pair.value;
  found[i] = pair.key != 0;
}
__global__ void scatter(word* table, word slots, const word* keys, const word* values,
                        std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  *reinterpret_cast<ulonglong2*>(slot_of(table, slots, keys[i])) = {keys[i], values[i]};
}

// Keys of one process, and as many that no table has: `beyond` those of all processes.
struct batch {
  batch(std::size_t n, word first, word beyond)
      : n(n), first(first), keys(n), absent(n), values(n), found(n), failures(2) {
    make_keys<<<static_cast<unsigned>((n + 255) / 256), 256>>>(absent.get(), values.get(), n,
                                                               first + beyond);
    restore();
  }
  // Makes the values again, which a gather overwrites.
  void restore() {
    const auto blocks = static_cast<unsigned>((n + 255) / 256);
    make_keys<<<blocks, 256>>>(keys.get(), values.get(), n, first);
    bench::finish();
  }
  // Throws when a key was not found with its value, or an insert failed.
  void judge() {
    const auto blocks = static_cast<unsigned>((n + 255) / 256);
    count_wrong<<<blocks, 256>>>(keys.get(), values.get(), found.get(), n, failures.get() + 1);
    bench::finish();
    if (failures.read(0) != 0 || failures.read(1) != 0)
      throw std::runtime_error("the table does not hold what was inserted");
  }
  // The same when an absent key was found.
  void judge_absent() {
    const auto blocks = static_cast<unsigned>((n + 255) / 256);
    count_found<<<blocks, 256>>>(found.get(), n, failures.get() + 1);
    bench::finish();
    if (failures.read(0) != 0 || failures.read(1) != 0)
      throw std::runtime_error("the table holds what was not inserted");
  }
  std::size_t n;
  word first;
  bench::device_array<word> keys, absent, values;
  bench::device_array<bool> found;
  bench::device_array<unsigned long long> failures;
};

void launch(errc outcome) {
  if (outcome != errc::success) throw error(outcome, "a kernel of the hash map does not start");
}

// Seconds of one insertion of all keys, of one find, and of the chip's own stores and loads in
// their place, as the host sees them: every rank's kernels have ended.
struct seconds {
  double insert = 0, find = 0, miss = 0, scatter = 0, gather = 0;
};
template <class Meet>
seconds one_round(word* const* parts, std::uint32_t ranks, std::uint64_t slots, word* mine,
                  batch& b, Meet meet) {
  const cudaStream_t stream = nullptr;
  check(cudaMemset(mine, 0, slots * words_a_slot * sizeof(word)), "cudaMemset");
  bench::finish();
  const auto timed = [&](auto work) {
    meet();
    return bench::seconds_on_host([&] {
      launch(work());
      bench::finish();
      meet();
    });
  };
  seconds took;
  const table_in<phase_kind::insert_only> in(parts, ranks, slots);
  took.insert = timed(
      [&] { return insert(in, b.keys.get(), b.values.get(), b.n, b.failures.get(), stream); });
  const table_in<phase_kind::find_only> out(parts, ranks, slots);
  took.find = timed([&] {
    return find(out, b.keys.get(), b.values.get(), b.found.get(), b.n, b.failures.get(), stream);
  });
  b.judge();
  took.miss = timed([&] {
    return find(out, b.absent.get(), b.values.get(), b.found.get(), b.n, b.failures.get(), stream);
  });
  b.judge_absent();
  const auto blocks = static_cast<unsigned>((b.n + 511) / 512);
  const auto at_random = [&](auto work) {
    return timed([&] {
      work();
      return errc::success;
    });
  };
  took.gather = at_random([&] {
    gather<<<blocks, 512>>>(mine, slots, b.keys.get(), b.values.get(), b.found.get(), b.n);
  });
  took.scatter =
      at_random([&] { scatter<<<blocks, 512>>>(mine, slots, b.keys.get(), b.values.get(), b.n); });
  b.restore();
  return took;
}

// What is wanted of the rates, in G/s, and of the chip's; 0: they are for information.
struct wanted_rates {
  double find = 0, insert = 0, of_gather = 0, of_scatter = 0;
};
template <class Meet>
void measure(const std::string& suffix, wanted_rates wanted, gpu_report& report, word* const* parts,
             std::uint32_t ranks, std::uint64_t slots, word* mine, batch& b, Meet meet) {
  std::vector<seconds> rounds;
  const double keys = static_cast<double>(b.n) * ranks;
  one_round(parts, ranks, slots, mine, b, meet);  // not counted
  for (int i = 0; i < report.rounds(); ++i)
    rounds.push_back(one_round(parts, ranks, slots, mine, b, meet));
  const auto median_of = [&](auto figure) {
    std::vector<double> of_rounds;
    for (const seconds& took : rounds) of_rounds.push_back(figure(took));
    return bench::median(of_rounds);
  };
  const auto rate = [&](double seconds::*what) {
    return median_of([&](const seconds& took) { return keys / (took.*what) / 1e9; });
  };
  // `beside`: what the chip did, of which the ratio is; null: the rate itself is what is wanted.
  const auto add = [&](const char* name, double seconds::*what, double seconds::*beside,
                       double wanted_ratio) {
    gpu_row row;
    row.name = name + suffix;
    row.bytes = slots * words_a_slot * sizeof(word) * ranks;
    row.ours = row.ratio = rate(what);
    if (beside != nullptr) {
      row.raw = rate(beside);
      row.ratio = median_of([&](const seconds& took) { return took.*beside / took.*what; });
    }
    row.wanted = wanted_ratio;
    row.unit = "G/s";
    report.add(row);
  };
  add("map_find", &seconds::find, nullptr, wanted.find);
  add("map_insert", &seconds::insert, nullptr, wanted.insert);
  add("map_miss", &seconds::miss, nullptr, 0);
  add("map_find_of_gather", &seconds::find, &seconds::gather, wanted.of_gather);
  add("map_insert_of_scatter", &seconds::insert, &seconds::scatter, wanted.of_scatter);
}

// The parts' addresses, where kernels read them.
void tell_device(bench::device_array<word*>& parts, std::initializer_list<word*> addresses) {
  check(cudaMemcpy(parts.get(), addresses.begin(), addresses.size() * sizeof(word*),
                   cudaMemcpyHostToDevice),
        "cudaMemcpy");
}

}  // namespace

int main(int argc, char** argv) try {
  session job(argc, argv);
  const team world = job.world();
  const int me = world.me().value;
  gpu_report report(argc, argv, me == 0);
  const std::uint64_t slots = std::uint64_t{1} << (report.quick() ? 26 : 28);  // 1 or 4 GiB a part
  window_options options;
  options.memory_kind = "cuda:device";
  auto w = window<word, promise>::allocate(world, slots * words_a_slot, options);
  word* const mine = w.shared_query(world.me()).base;
  const word own = word{1} + slots * static_cast<unsigned>(me);
  bench::device_array<word*> parts(2);
  if (me == 0) {
    tell_device(parts, {mine});
    const auto alone = [&](const char* suffix, double load, wanted_rates wanted) {
      batch b(static_cast<std::size_t>(load * static_cast<double>(slots)), own, 2 * slots);
      measure(suffix, wanted, report, parts.get(), 1, slots, mine, b, [] {});
    };
    alone("", 0.5, {20, 10, 0.85, 0.75});
    alone("_at_0.8", 0.8, {});
    alone("_at_0.95", 0.95, {});
  }
  world.barrier().or_throw();
  word* const first = w.shared_query(rank{0}).base;
  word* const second = w.shared_query(rank{1}).base;
  if (first == nullptr || second == nullptr)
    throw std::runtime_error("a rank's memory is not mapped");
  tell_device(parts, {first, second});
  batch b(slots / 2, own, 2 * slots);
  measure("_2_ranks", {.of_gather = 0.85, .of_scatter = 0.75}, report, parts.get(), 2, slots, mine,
          b, [&] { world.barrier().or_throw(); });
  world.barrier().or_throw();
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "gpu-bench-hash-map: %s\n", failure.what());
  return 1;
}
