#include "tests/drivers/ptx/lexer.hpp"

#include <cctype>
#include <cstdlib>

#include "tests/drivers/ptx/module.hpp"

namespace oriel::test_driver::ptx {
namespace {

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
         c == '.';
}
bool in_word(char c) {
  return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class lexer {
 public:
  explicit lexer(std::string_view text) : rest_(text) {}

  std::vector<token> all() {
    std::vector<token> found;
    for (;;) {
      skip_blanks();
      if (rest_.empty()) break;
      found.push_back(next());
    }
    found.push_back({token::kind::end, line_, {}, 0});
    return found;
  }

 private:
  void skip(std::size_t n) {
    for (const char c : rest_.substr(0, n)) line_ += c == '\n' ? 1 : 0;
    rest_.remove_prefix(n);
  }
  void skip_up_to(std::string_view end) {
    const auto at = rest_.find(end);
    skip(at == std::string_view::npos ? rest_.size() : at + end.size());
  }
  void skip_blanks() {
    while (!rest_.empty()) {
      if (std::isspace(static_cast<unsigned char>(rest_[0])) != 0 || rest_[0] == '\0')
        skip(1);
      else if (rest_.starts_with("//"))
        skip_up_to("\n");
      else if (rest_.starts_with("/*"))
        skip_up_to("*/");
      else
        break;
    }
  }
  token take(token::kind what, std::size_t n, std::int64_t value = 0) {
    const token t{what, line_, rest_.substr(0, n), value};
    skip(n);
    return t;
  }

  token number() {
    const bool hexadecimal = rest_.starts_with("0x") || rest_.starts_with("0X");
    const bool floating = rest_.starts_with("0f") || rest_.starts_with("0F") ||
                          rest_.starts_with("0d") || rest_.starts_with("0D");
    const std::size_t prefix = hexadecimal || floating ? 2 : 0;
    std::size_t n = prefix;
    while (n < rest_.size() && (prefix != 0 ? std::isxdigit(static_cast<unsigned char>(rest_[n]))
                                            : std::isdigit(static_cast<unsigned char>(rest_[n]))))
      ++n;
    const std::string digits(rest_.substr(prefix, n - prefix));
    const auto value = std::strtoull(digits.c_str(), nullptr, prefix != 0 ? 16 : 10);
    if (n < rest_.size() && rest_[n] == 'U') ++n;
    if (n < rest_.size() && rest_[n] == '.')  // a version
      while (++n < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[n])) != 0)
        ;
    return take(token::kind::number, n, static_cast<std::int64_t>(value));
  }

  token next() {
    const char c = rest_[0];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (begins_word(c)) {
      std::size_t n = 1;
      while (n < rest_.size() && (in_word(rest_[n]) || rest_.substr(n, 2) == "::"))
        n += rest_[n] == ':' ? 2 : 1;
      return take(token::kind::word, n);
    }
    if (c == '"') {
      const auto end = rest_.find('"', 1);
      return take(token::kind::text, end == std::string_view::npos ? rest_.size() : end + 1);
    }
    if (std::string_view("{}()[]<>,;:+-|!@=").find(c) == std::string_view::npos)
      throw error(line_, std::string("unknown character '") + c + "'");
    return take(token::kind::sign, 1);
  }

  std::string_view rest_;
  unsigned line_ = 1;
};

}  // namespace

std::vector<token> words_of(std::string_view text) {
  return lexer(text).all();
}

}  // namespace oriel::test_driver::ptx
