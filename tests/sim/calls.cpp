#include "tests/sim/calls.hpp"

#include <cxxabi.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace oriel::sim {
namespace {

// Of "place(symbol+offset) [address]", as backtrace_symbols has it; empty where there is none.
std::string readable(std::string_view line) {
  const auto open = line.find('('), end = line.find('+', open);
  if (open == line.npos || end == line.npos) return "";
  const std::string symbol(line.substr(open + 1, end - open - 1));
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> whole(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &failed), std::free);
  return failed == 0 ? whole.get() : symbol;
}

// "libfabric::receive", of a function with its types and all that it is in. Lambdas are called as
// what they are in.
std::string short_name(std::string whole) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (auto at = whole.find(unnamed); at != whole.npos; at = whole.find(unnamed))
    whole.erase(at, unnamed.size());
  whole.resize(std::min(whole.find_first_of("(<["), whole.size()));
  whole.erase(0, whole.rfind(' ') + 1);  // what a template returns
  const auto last = whole.rfind("::");
  if (last == whole.npos || last == 0) return whole;
  const auto before = whole.rfind("::", last - 1);
  return before == whole.npos ? whole : whole.substr(before + 2);
}

}  // namespace

std::string calls_from_here() {
  std::array<void*, 64> returns;
  const int n = backtrace(returns.data(), static_cast<int>(returns.size()));
  const std::unique_ptr<char*, void (*)(void*)> lines(backtrace_symbols(returns.data(), n),
                                                      std::free);
  std::string text, last;
  for (int i = 0; lines != nullptr && i < n; ++i) {
    const std::string whole = readable(lines.get()[i]);
    if (whole.empty() || whole.starts_with("std::") || whole.find("oriel::sim::") != whole.npos ||
        whole.starts_with("__wrap"))
      continue;
    std::string name = short_name(whole);
    if (name == last) continue;
    text += (text.empty() ? "" : " < ") + name;
    last = std::move(name);
  }
  return text;
}

}  // namespace oriel::sim
