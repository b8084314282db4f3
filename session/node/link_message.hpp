// The messages on the failure detector's links: a hello from either side, then news. These are
// bytes from outside, all of which are verified.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "session/node/fate.hpp"

namespace oriel::sessions {

// The sender, the receiver, and how many ranks the sender counts as living: by that the two parts
// of a partitioned job decide which of them goes on.
struct link_hello {
  std::uint64_t job = 0;  // a number that only the job's ranks know
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t living = 0;  // ranks that have not gone, as far as `from` knows
  std::int32_t lowest = 0;  // the first of them
  fate takes = fate::here;  // the fate of `to`, as `from` has it
  friend bool operator==(const link_hello&, const link_hello&) = default;
};

// About ranks `first` to `last`; about rails, from them.
struct link_news {
  enum class about : std::uint8_t {
    leaving,  // they have closed their sessions
    silent,   // they were not reached for too long
    ended,    // their processes have ended
    present,  // they answer in roll call `turn`, which is not 0 (roll_call.hpp)
    rails,    // bit k of `turn`: no rank uses rail k any more
    last = rails,
  };
  about what = about::leaving;
  std::uint32_t turn = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
  friend bool operator==(const link_news&, const link_news&) = default;
};

inline constexpr std::size_t hello_bytes = 40;
inline constexpr std::size_t news_bytes = 16;

std::string encode(const link_hello&);
std::string encode(const link_news&);

// The bytes of one connection, in whatever portions they come.
class link_reader {
 public:
  // Of the job that has this number and so many ranks.
  link_reader(std::uint64_t job, int ranks) noexcept : job_(job), ranks_(ranks) {}

  // Room for the next bytes, never empty once hello() and news() have been called until they return
  // nothing; and how many bytes have arrived there.
  [[nodiscard]] std::span<char> room() noexcept { return std::span(bytes_).subspan(held_); }
  void came(std::size_t n) noexcept { held_ += n; }

  // What has come whole, in order: one hello, then news. Nothing when more must come first, or
  // when what has come is malformed, as everything after it is.
  std::optional<link_hello> hello() noexcept;
  std::optional<link_news> news() noexcept;
  [[nodiscard]] bool malformed() const noexcept { return malformed_; }

 private:
  void drop(std::size_t n) noexcept;

  std::uint64_t job_;
  int ranks_;
  std::array<char, 64 * news_bytes> bytes_{};
  std::size_t held_ = 0;
  bool greeted_ = false;
  bool malformed_ = false;
};

}  // namespace oriel::sessions
