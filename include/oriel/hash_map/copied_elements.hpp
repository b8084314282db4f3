// This rank's elements of one table on their way into another one, which has an insert_only phase
// open: as batches, since their new owners are any ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "oriel/errc.hpp"

namespace oriel::detail {

// After a failure nothing more is inserted. Threads: one.
template <class K, class V, class Phase>
class copied_elements {
 public:
  // `into` outlives it. Throws bad_alloc, as nothing else here does.
  explicit copied_elements(Phase& into) : into_(into) {
    keys_.reserve(at_once);
    values_.reserve(at_once);
  }
  void add(const K& key, const V& value) noexcept {
    keys_.push_back(key);
    values_.push_back(value);
    if (keys_.size() == at_once) insert();
  }
  // Returns the first failure. Complete at the owners: when the phase ends.
  status finish() noexcept {
    insert();
    return outcome_;
  }

 private:
  static constexpr std::size_t at_once = 4096;  // as many as a batch sends to other nodes at once

  void insert() noexcept {
    if (outcome_.ok()) outcome_ = into_.insert(keys_, values_).outcome;
    keys_.clear();
    values_.clear();
  }

  Phase& into_;
  std::vector<K> keys_;
  std::vector<V> values_;
  status outcome_;
};

}  // namespace oriel::detail
