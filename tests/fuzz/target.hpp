// A fuzz target: one .cpp that defines `seeds` and `check`. CMake builds it twice: fuzz.<name>, a
// test that replays the seeds and mutations of them with any compiler (replay_main.cpp), and, with
// ORIEL_FUZZ, fuzz_<name>, which libFuzzer drives (fuzzer_main.cpp).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::fuzz {

// Inputs that are well-formed, or nearly, from which mutations start. Empty: this machine lacks
// what the target needs.
std::vector<std::string> seeds();

// Gives the parser `input` as if a stranger had sent it. Throws broken_invariant.
void check(std::string_view input);

struct broken_invariant : std::logic_error {
  using logic_error::logic_error;
};
inline void require(bool holds, const char* invariant) {
  if (!holds) throw broken_invariant(invariant);
}

// The input as values, one after the other; zeros once it is used up.
class input_reader {
 public:
  explicit input_reader(std::string_view bytes) noexcept : left_(bytes) {}

  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }
  template <std::integral Number>
  Number take() noexcept {
    Number value = 0;
    const std::string_view bytes = take_bytes(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  // At most `n`.
  std::string_view take_bytes(std::size_t n) noexcept {
    const std::string_view bytes = left_.substr(0, n);
    left_.remove_prefix(bytes.size());
    return bytes;
  }

 private:
  std::string_view left_;
};

// What an input_reader takes, for seeds.
template <std::integral Number>
std::string raw(Number value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace oriel::fuzz
