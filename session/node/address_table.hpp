// The addresses of all ranks on each of some rails. One copy a node, in the node's memory: a rank
// needs few of them, and cannot know which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "session/node/node_memory.hpp"

namespace oriel::sessions {

class address_table {
 public:
  // `by_rail`: as every rank of the node gives them, by rail and then by rank; at least one of
  // each. Throws errc::no_mem.
  address_table(node_memory& memory, node_table which,
                const std::vector<std::vector<std::string>>& by_rail);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(ranks_); }
  [[nodiscard]] int rails() const noexcept { return static_cast<int>(rails_); }
  [[nodiscard]] std::string at(int rail, int rank) const;
  // One of a length that all have.
  void read(int rail, int rank, void* to, std::size_t bytes) const noexcept;

 private:
  [[nodiscard]] std::uint32_t* entry(int rail, int rank) const noexcept {
    return words_ +
           (static_cast<std::size_t>(rail) * ranks_ + static_cast<std::size_t>(rank)) * words_each_;
  }

  std::size_t rails_;
  std::size_t ranks_;
  std::size_t words_each_;  // its length in bytes, and the address
  std::uint32_t* words_;
};

}  // namespace oriel::sessions
