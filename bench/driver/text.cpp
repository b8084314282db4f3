#include "bench/driver/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bench {
namespace {

// Three digits, and no exponent: "0.123", "1.23", "12.3", "123", "1234".
std::string three_digits(double value) {
  const double size = std::abs(value);
  const int digits = size == 0 ? 0 : size < 0.995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string size_text(double bytes) {
  if (bytes >= 1 << 30) return fmt::format("{:g} GiB", bytes / (1 << 30));
  if (bytes >= 1 << 20) return fmt::format("{:g} MiB", bytes / (1 << 20));
  if (bytes >= 1 << 10) return fmt::format("{:g} KiB", bytes / (1 << 10));
  return fmt::format("{:g} B", bytes);
}

std::string time_text(double ns) {
  if (ns >= 999.5e6) return three_digits(ns / 1e9) + " s";
  if (ns >= 999.5e3) return three_digits(ns / 1e6) + " ms";
  if (ns >= 999.5) return three_digits(ns / 1e3) + " µs";
  return three_digits(ns) + " ns";
}

std::string ratio_text(double value) {
  return value < 0.995 ? fmt::format("{:.2f}", value) : three_digits(value);
}

std::string axis_time_text(double ns) {
  if (ns >= 0.99e9) return fmt::format("{:g} s", ns / 1e9);
  if (ns >= 0.99e6) return fmt::format("{:g} ms", ns / 1e6);
  if (ns >= 0.99e3) return fmt::format("{:g} µs", ns / 1e3);
  return fmt::format("{:g} ns", ns);
}

std::string rate_text(double gigabytes_per_second) {
  return fmt::format("{:g} GB/s", gigabytes_per_second);
}

}  // namespace bench
