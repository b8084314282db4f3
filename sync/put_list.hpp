// Several puts in one request of a mailbox: for each its address and length, and then its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sync/mailbox.hpp"

namespace oriel::sync {

class put_list {
 public:
  // Whether a put of so many bytes can be in any.
  static constexpr bool holds(std::size_t bytes) noexcept { return taken(bytes) <= mail_payload; }
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
    return used_ + taken(bytes) <= mail_payload;
  }
  // Requires: has_room.
  void add(std::uint64_t address, const void* from, std::size_t bytes) noexcept {
    const entry one{address, bytes};
    std::memcpy(room_.data() + used_, &one, sizeof one);
    std::memcpy(room_.data() + used_ + sizeof one, from, bytes);
    used_ += taken(bytes);
  }
  void clear() noexcept { used_ = 0; }
  [[nodiscard]] const std::byte* data() const noexcept { return room_.data(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return used_; }

  // Calls put(address, from, bytes) for each of a list that another process wrote, until one
  // returns an error. Returns rma_range for what is no list.
  template <class Put>
  static errc for_each(const std::byte* list, std::size_t bytes, Put put) noexcept {
    for (std::size_t at = 0; at < bytes;) {
      entry one;
      if (bytes - at < sizeof one) return errc::rma_range;
      std::memcpy(&one, list + at, sizeof one);
      if (one.bytes > mail_payload || taken(one.bytes) > bytes - at) return errc::rma_range;
      if (const errc e = put(one.address, list + at + sizeof one, one.bytes); e != errc::success)
        return e;
      at += taken(one.bytes);
    }
    return errc::success;
  }

 private:
  struct entry {
    std::uint64_t address;
    std::uint64_t bytes;
  };
  static constexpr std::size_t taken(std::size_t bytes) noexcept {
    return sizeof(entry) + (bytes + 7) / 8 * 8;
  }

  std::size_t used_ = 0;
  std::array<std::byte, mail_payload> room_;
};

}  // namespace oriel::sync
