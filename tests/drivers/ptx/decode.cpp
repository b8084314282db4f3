#include <array>
#include <utility>

#include "tests/drivers/ptx/machine.hpp"
#include "tests/drivers/ptx/statement.hpp"

namespace oriel::test_driver::ptx {

std::optional<type> type_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, type>, 15> types{{{"pred", type::pred},
                                                                     {"b8", type::b8},
                                                                     {"b16", type::b16},
                                                                     {"b32", type::b32},
                                                                     {"b64", type::b64},
                                                                     {"u8", type::u8},
                                                                     {"u16", type::u16},
                                                                     {"u32", type::u32},
                                                                     {"u64", type::u64},
                                                                     {"s8", type::s8},
                                                                     {"s16", type::s16},
                                                                     {"s32", type::s32},
                                                                     {"s64", type::s64},
                                                                     {"f32", type::f32},
                                                                     {"f64", type::f64}}};
  for (const auto& [name, of] : types)
    if (name == word) return of;
  return std::nullopt;
}

std::size_t size_of(type of) {
  return with_type_of(of, [](auto value) { return sizeof value; });
}

bool take_scalars(const statement& s, instruction& i) {
  for (std::size_t k = 0; k < s.arguments.size(); ++k) {
    const argument& a = s.arguments[k];
    if (a.parts.size() != 1 || a.address || a.predicate || !a.symbol.empty()) return false;
    i.op[k] = a.parts[0];
  }
  return i.op[0].what == operand::kind::reg;
}

instruction decode(const statement& s) {
  instruction i;
  i.line = s.line;
  if (!decode_arithmetic(s, i) && !decode_bits(s, i) && !decode_real(s, i) &&
      !decode_conversion(s, i) && !decode_access(s, i) && !decode_atomic(s, i) &&
      !decode_control(s, i)) {
    std::string opcode;
    for (const auto word : s.words) opcode += (opcode.empty() ? "" : ".") + std::string(word);
    for (const argument& a : s.arguments)
      if (!a.symbol.empty()) opcode += ", of " + a.symbol;
    throw error(s.line, "unknown instruction " + opcode);
  }
  return i;
}

std::uint64_t special_value(const thread& t, special what) {
  const grid& g = *t.in->in;
  switch (what) {
    case special::tid_x:
      return t.index.x;
    case special::tid_y:
      return t.index.y;
    case special::tid_z:
      return t.index.z;
    case special::ntid_x:
      return g.threads.x;
    case special::ntid_y:
      return g.threads.y;
    case special::ntid_z:
      return g.threads.z;
    case special::ctaid_x:
      return t.in->index.x;
    case special::ctaid_y:
      return t.in->index.y;
    case special::ctaid_z:
      return t.in->index.z;
    case special::nctaid_x:
      return g.blocks.x;
    case special::nctaid_y:
      return g.blocks.y;
    case special::nctaid_z:
      return g.blocks.z;
    case special::laneid:
      return t.lane;
    case special::warpid:
      return t.number / lanes;
    case special::globaltimer:
      break;
  }
  return nanoseconds_now();
}

}  // namespace oriel::test_driver::ptx
