// printf of kernels, which nvcc makes calls of vprintf of: the address of the format, and that of
// the values, each at a multiple of its size.
#include "tests/drivers/ptx/print.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "tests/drivers/ptx/machine.hpp"

namespace oriel::test_driver::ptx {
namespace {

constexpr std::string_view flags = "-+ #0123456789.*", lengths = "hlLqjzt";

template <class T>
T parameter(const thread& t, const instruction& i, std::size_t which) {
  T value;
  std::memcpy(&value, t.now.parameters + i.calls->arguments[which].from, sizeof value);
  return value;
}

std::byte byte_at(thread& t, const instruction& i, std::uint64_t address) {
  instruction load;
  load.line = i.line;
  std::byte* const at = reach(t, load, address, 1).at;
  return std::byte{static_cast<std::uint8_t>(load_word(at, 1))};
}
std::string text_at(thread& t, const instruction& i, std::uint64_t address) {
  std::string text;
  for (std::byte next; (next = byte_at(t, i, address + text.size())) != std::byte{0};)
    text += static_cast<char>(next);
  return text;
}

// The values behind an address.
class values {
 public:
  values(thread& t, const instruction& i, std::uint64_t at) : thread_(t), call_(i), at_(at) {}
  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    for (std::size_t k = 0; k < sizeof(T); ++k)
      reinterpret_cast<std::byte*>(&value)[k] = byte_at(thread_, call_, at_ + k);
    at_ += sizeof(T);
    return value;
  }

 private:
  thread& thread_;
  const instruction& call_;
  std::uint64_t at_;
};

template <class T>
std::string formatted(const std::string& format, T value) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format.c_str(), value)), ' ');
  std::snprintf(text.data(), text.size() + 1, format.c_str(), value);
  return text;
}

// One conversion, from its `%` on.
std::string converted(thread& t, const instruction& i, std::string format, values& from) {
  if (const auto star = format.find('*'); star != std::string::npos)
    format.replace(star, 1, std::to_string(from.next<int>()));
  const char what = format.back();
  const std::size_t longs = std::count(format.begin(), format.end(), 'l');
  switch (what) {
    case '%':
      return "%";
    case 's':
      return formatted(format, text_at(t, i, from.next<std::uint64_t>()).c_str());
    case 'p':
      return formatted(format, std::bit_cast<void*>(from.next<std::uint64_t>()));
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return formatted(format, from.next<double>());
    case 'c':
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return longs != 0 || format.find('z') != std::string::npos
                 ? formatted(format, from.next<std::uint64_t>())
                 : formatted(format, from.next<std::uint32_t>());
    default:
      throw error(i.line, "printf of " + format);
  }
}

}  // namespace

void print(thread& t, const instruction& i) {
  const std::string format = text_at(t, i, parameter<std::uint64_t>(t, i, 0));
  values from(t, i, parameter<std::uint64_t>(t, i, 1));
  std::string text;
  int conversions = 0;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    std::size_t end = format.find_first_not_of(flags, at + 1);
    if (end != std::string::npos) end = format.find_first_not_of(lengths, end);
    if (end == std::string::npos) throw error(i.line, "printf of " + format);
    text += converted(t, i, format.substr(at, end + 1 - at), from);
    at = end + 1;
    ++conversions;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::memcpy(t.now.parameters + i.calls->result.to, &conversions, sizeof conversions);
}

}  // namespace oriel::test_driver::ptx
