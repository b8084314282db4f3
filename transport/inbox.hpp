// Messages of collectives that have arrived, until somebody receives them. Long ones arrive in
// several parts, in order. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "session/mesh.hpp"

namespace oriel::transport {

class inbox {
 public:
  // A part of a message of `whole` bytes. False when it does not fit the parts before it.
  bool put(int from, const boot::mesh_tag& tag, std::span<const std::byte> part,
           std::size_t whole) {
    const std::lock_guard hold(mutex_);
    letter& l = letters_[key(from, tag)];
    if (part.size() > whole - std::min(whole, l.bytes.size())) return false;
    l.whole = whole;
    l.bytes.insert(l.bytes.end(), part.begin(), part.end());
    return true;
  }
  // False while it has not arrived in whole.
  bool take(int from, const boot::mesh_tag& tag, std::vector<std::byte>& bytes) {
    const std::lock_guard hold(mutex_);
    const auto found = letters_.find(key(from, tag));
    if (found == letters_.end() || found->second.bytes.size() != found->second.whole) return false;
    bytes = std::move(found->second.bytes);
    letters_.erase(found);
    return true;
  }

 private:
  struct letter {
    std::size_t whole = 0;
    std::vector<std::byte> bytes;
  };
  using key_type = std::tuple<int, std::uint64_t, std::uint32_t, std::uint32_t>;
  static key_type key(int from, const boot::mesh_tag& t) noexcept {
    return {from, t.group, t.turn, t.round};
  }

  std::mutex mutex_;
  std::map<key_type, letter> letters_;
};

}  // namespace oriel::transport
