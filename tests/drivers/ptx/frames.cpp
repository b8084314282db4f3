#include <algorithm>

#include "tests/drivers/ptx/module.hpp"

namespace oriel::test_driver::ptx {
namespace {

std::uint32_t round_up(std::uint32_t n, std::uint32_t to) {
  return (n + to - 1) / to * to;
}

// A frame is its registers, parameters and local memory. Functions that call themselves, of which
// no depth is known, are refused.
std::uint32_t stack_of(function& f, unsigned depth) {
  if (depth > 64) throw error(f.code.front().line, f.name + " calls itself");
  if (f.stack_bytes != 0) return f.stack_bytes;
  f.frame_bytes =
      round_up(f.registers * 8, 16) + round_up(f.parameter_bytes, 16) + round_up(f.local_bytes, 16);
  std::uint32_t deepest = 0;
  for (const instruction& i : f.code)
    if (i.calls) deepest = std::max(deepest, stack_of(*i.calls->callee, depth + 1));
  return f.stack_bytes = f.frame_bytes + deepest;
}

}  // namespace

void lay_out_frames(module& m) {
  for (auto& [name, f] : m.functions)
    if (f->defined) stack_of(*f, 0);
}

}  // namespace oriel::test_driver::ptx
