// Pseudo-random changes to inputs, the same in every run.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>

namespace oriel::fuzz {

class mutator {
 public:
  explicit mutator(std::uint64_t seed) : random_(seed) {}

  // `input` with one to four changes, some of them pieces of `other`.
  std::string mutated(std::string input, const std::string& other) {
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(input, other);
    return input;
  }
  // 0 to n - 1; 0 for n = 0. Not std::uniform_int_distribution, which differs by library.
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_() % n); }

 private:
  void change(std::string& input, const std::string& other) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = 1 + below(16);
    switch (below(7)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        return;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(below(256));
        return;
      case 2:
        input.insert(at, length, static_cast<char>(below(256)));
        return;
      case 3:
        input.erase(at, length);
        return;
      case 4:
        input.insert(at, input.substr(below(input.size()), length));
        return;
      case 5:
        input.replace(at, below(input.size() - at + 1), other.substr(below(other.size())));
        return;
      default:
        overwrite_number(input, at);
    }
  }
  // Lengths and places at the edges of what their types hold.
  void overwrite_number(std::string& input, std::size_t at) {
    constexpr std::array<std::uint64_t, 8> edges{
        0, 1, ~std::uint64_t{0}, ~std::uint64_t{7}, 1ull << 63, 1ull << 32, 1ull << 31, 0xffff};
    const std::uint64_t edge = edges[below(edges.size())];
    const std::size_t bytes = std::size_t{1} << below(4);
    input.replace(at, bytes, reinterpret_cast<const char*>(&edge), bytes);
  }

  std::mt19937_64 random_;
};

}  // namespace oriel::fuzz
