// Lists of random elements of random ranks, the same on every rank for one seed.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tests/win/conformance.hpp"

namespace oriel::testing {

struct random_list {
  std::vector<rank> ranks;
  std::vector<disp> disps;

  [[nodiscard]] std::size_t size() const { return ranks.size(); }
  void add(rank r, disp i) {
    ranks.push_back(r);
    disps.push_back(i);
  }

  // `n` elements among [first, first + count) of every rank, with repetitions.
  static random_list any(std::mt19937_64& random, std::size_t n, std::uint64_t first,
                         std::uint64_t count) {
    random_list list;
    for (std::size_t j = 0; j < n; ++j) {
      const rank r{static_cast<int>(random() % static_cast<unsigned>(world().size()))};
      list.add(r, disp{first + random() % count});
    }
    return list;
  }
  // All of them, each once, in random order.
  static random_list all(std::mt19937_64& random, std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint64_t> order(count * static_cast<std::uint64_t>(world().size()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    random_list list;
    for (const std::uint64_t k : order)
      list.add(rank{static_cast<int>(k / count)}, disp{first + k % count});
    return list;
  }
  [[nodiscard]] detail::element_list on(detail::list_call call, atomic_op op = atomic_op::replace,
                                        const void* operands = nullptr,
                                        const void* desired = nullptr,
                                        void* results = nullptr) const {
    return {call, op, size(), ranks.data(), disps.data(), operands, desired, results};
  }
};

}  // namespace oriel::testing
