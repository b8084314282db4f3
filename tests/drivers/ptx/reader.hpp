// The words of a module in order, for what parses them. Throws `error` where another is missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/drivers/ptx/lexer.hpp"
#include "tests/drivers/ptx/module.hpp"

namespace oriel::test_driver::ptx {

class reader {
 public:
  explicit reader(std::string_view text) : tokens_(words_of(text)) {}

  void rewind() { next_ = 0; }
  const token& at() const { return tokens_[next_]; }
  const token& behind() const { return tokens_[next_ + 1]; }
  token take() { return tokens_[next_ + 1 < tokens_.size() ? next_++ : next_]; }
  bool accept(std::string_view sign) {
    if (at().spelling != sign) return false;
    take();
    return true;
  }
  [[noreturn]] static void fail(const token& t, const std::string& what) {
    throw error(t.line, what + " '" + std::string(t.spelling) + "'");
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) fail(at(), "'" + std::string(sign) + "' is missing before");
  }
  std::string name() {
    if (at().what != token::kind::word) fail(at(), "a name is missing before");
    return std::string(take().spelling);
  }
  std::uint64_t wide_number() {
    if (at().what != token::kind::number) fail(at(), "a number is missing before");
    return static_cast<std::uint64_t>(take().value);
  }
  std::uint32_t number() { return static_cast<std::uint32_t>(wide_number()); }

 private:
  std::vector<token> tokens_;
  std::size_t next_ = 0;
};

}  // namespace oriel::test_driver::ptx
