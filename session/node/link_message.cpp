#include "session/node/link_message.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace oriel::sessions {
namespace {

constexpr std::string_view link_protocol = "oriel/L1";

// As they travel. All ranks of a job run on one kind of processor.
struct hello_frame {
  char protocol[8];
  std::uint64_t job;
  std::int32_t from, to, living, lowest;
  fate takes;
  std::uint8_t zero[7];
};
static_assert(sizeof(hello_frame) == hello_bytes);

struct news_frame {
  link_news::about what;
  std::uint8_t zero[3];
  std::uint32_t turn;
  std::int32_t first, last;
};
static_assert(sizeof(news_frame) == news_bytes);

template <class Frame>
std::string bytes_of(const Frame& f) {
  return {reinterpret_cast<const char*>(&f), sizeof f};
}

template <std::size_t N>
bool all_zero(const std::uint8_t (&bytes)[N]) noexcept {
  return std::all_of(bytes, bytes + N, [](std::uint8_t b) { return b == 0; });
}

}  // namespace

std::string encode(const link_hello& h) {
  hello_frame f{};
  std::memcpy(f.protocol, link_protocol.data(), sizeof f.protocol);
  f.job = h.job;
  f.from = h.from;
  f.to = h.to;
  f.living = h.living;
  f.lowest = h.lowest;
  f.takes = h.takes;
  return bytes_of(f);
}

std::string encode(const link_news& n) {
  return bytes_of(news_frame{n.what, {}, n.turn, n.first, n.last});
}

void link_reader::drop(std::size_t n) noexcept {
  std::memmove(bytes_.data(), bytes_.data() + n, held_ - n);
  held_ -= n;
}

std::optional<link_hello> link_reader::hello() noexcept {
  if (greeted_ || malformed_) return std::nullopt;
  // A stranger is known by the first byte that is not ours.
  const std::size_t begun = std::min(held_, link_protocol.size());
  if (std::memcmp(bytes_.data(), link_protocol.data(), begun) != 0) malformed_ = true;
  if (malformed_ || held_ < hello_bytes) return std::nullopt;
  hello_frame f;
  std::memcpy(&f, bytes_.data(), sizeof f);
  const auto is_rank = [this](std::int32_t r) { return r >= 0 && r < ranks_; };
  malformed_ = f.job != job_ || !is_rank(f.from) || !is_rank(f.to) || f.from == f.to ||
               f.living < 1 || f.living > ranks_ || !is_rank(f.lowest) ||
               static_cast<std::uint8_t>(f.takes) > static_cast<std::uint8_t>(fate::last) ||
               !all_zero(f.zero);
  if (malformed_) return std::nullopt;
  drop(hello_bytes);
  greeted_ = true;
  return link_hello{f.job, f.from, f.to, f.living, f.lowest, f.takes};
}

std::optional<link_news> link_reader::news() noexcept {
  if (!greeted_ || malformed_ || held_ < news_bytes) return std::nullopt;
  news_frame f;
  std::memcpy(&f, bytes_.data(), sizeof f);
  malformed_ = f.what > link_news::about::last || f.first < 0 || f.last < f.first ||
               f.last >= ranks_ || !all_zero(f.zero) ||
               (f.what >= link_news::about::present && f.turn == 0);
  if (malformed_) return std::nullopt;
  drop(news_bytes);
  return link_news{f.what, f.turn, f.first, f.last};
}

}  // namespace oriel::sessions
