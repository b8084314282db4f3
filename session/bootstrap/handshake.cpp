#include "session/bootstrap/handshake.hpp"

#include <algorithm>
#include <cstring>

#include "session/bootstrap/framing.hpp"

namespace oriel::sessions {
namespace {

constexpr std::string_view any_version = "oriel/";
constexpr std::string_view protocol = "oriel/4\n";

constexpr std::size_t most_quoted = 200;

// The compiler finds a kind that is missing here.
bool is_known(answer_kind kind) noexcept {
  switch (kind) {
    case answer_kind::challenge:
    case answer_kind::welcome:
    case answer_kind::refusal:
    case answer_kind::complete:
    case answer_kind::missing:
    case answer_kind::linked:
    case answer_kind::unlinked:
    case answer_kind::incomplete:
    case answer_kind::gathered:
    case answer_kind::broken:
      return true;
  }
  return false;
}

}  // namespace

std::string to_bytes(const std::array<unsigned char, 32>& a) {
  return {reinterpret_cast<const char*>(a.data()), a.size()};
}

std::optional<std::array<unsigned char, 32>> to_array(std::string_view bytes) noexcept {
  std::array<unsigned char, 32> a;
  if (bytes.size() != a.size()) return std::nullopt;
  std::memcpy(a.data(), bytes.data(), a.size());
  return a;
}

std::string encode(const hello& h) {
  std::string bytes(protocol);
  append_number(bytes, h.rank);
  append_number(bytes, h.size);
  append_number(bytes, h.to);
  append_number(bytes, h.port);
  return bytes + to_bytes(h.number);
}

std::optional<hello> decode_hello(std::string_view bytes) {
  if (!bytes.starts_with(protocol)) return std::nullopt;
  bytes.remove_prefix(protocol.size());
  hello h;
  if (!take_number(bytes, h.rank) || !take_number(bytes, h.size) || !take_number(bytes, h.to) ||
      !take_number(bytes, h.port))
    return std::nullopt;
  const auto number = to_array(bytes);
  if (!number) return std::nullopt;
  h.number = *number;
  return h;
}

bool is_some_hello(std::string_view bytes) noexcept {
  return bytes.starts_with(any_version);
}

std::string encode(const answer& a) {
  return static_cast<char>(a.kind) + a.bytes;
}

std::optional<answer> decode_answer(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto kind = static_cast<answer_kind>(bytes[0]);
  if (!is_known(kind)) return std::nullopt;
  return answer{kind, std::string(bytes.substr(1))};
}

std::string quoted(std::string_view text) {
  std::string plain(text.substr(0, most_quoted));
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return plain;
}

proof prove(std::string_view secret, speaker who, const hello& h, const nonce& of_host) {
  return prove(secret, static_cast<char>(who) + encode(h) + to_bytes(of_host));
}

}  // namespace oriel::sessions
