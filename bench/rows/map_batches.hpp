// Batches of keys on a hash_map of 8 + 8 bytes that rows time: all ranks at once, every rank its
// own list of keys from one end to the other.
#pragma once

#include <span>

#include "bench/rows/rows.hpp"
#include "oriel/hash_map.hpp"

namespace bench {

class map_batches {
 public:
  using word = std::uint64_t;
  using map_type = oriel::hash_map<word, word>;
  static constexpr std::size_t keys_a_call = 1 << 16;

  // Distinct words that look as if in no order, for distinct `i`.
  static constexpr word key(word i) { return i * 0x9e3779b97f4a7c15u; }

  map_batches(oriel_party& all, map_type& map, std::vector<word> keys)
      : all_(all), map_(map), keys_(std::move(keys)), values_(keys_.size(), 1) {}

  // As many as before.
  void use(std::vector<word> keys) { keys_ = std::move(keys); }

  // Each returns the time of a key, in nanoseconds, to within a barrier. The keys are new ones.
  double insert() {
    return timed(map_.insert_only(), [](auto& p, auto keys, auto values) {
      check(p.insert(keys, values), keys.size());
    });
  }
  // The keys are there.
  double fetch_add() {
    return timed(map_.insert_only(),
                 [](auto& p, auto keys, auto values) { check(p.fetch_add(keys, values), 0); });
  }
  double find() {
    return timed(map_.find_only(),
                 [](auto& p, auto keys, auto values) { check(p.find(keys, values), keys.size()); });
  }
  // `work(phase, keys, values)` with those of one call at a time.
  template <class Phase, class Work>
  double timed(Phase phase, Work work) {
    all_.barrier();
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < keys_.size(); i += keys_a_call) {
      const std::size_t n = std::min(keys_a_call, keys_.size() - i);
      work(phase, std::span<const word>(keys_).subspan(i, n), std::span(values_).subspan(i, n));
    }
    all_.barrier();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count() / static_cast<double>(keys_.size());
  }

 private:
  static void check(const oriel::bulk_result& r, std::size_t expected) {
    r.outcome.or_throw();
    if (r.count != expected) throw oriel::error(oriel::errc::count, "a map row counted wrongly");
  }

  oriel_party& all_;
  map_type& map_;
  std::vector<word> keys_, values_;
};

}  // namespace bench
