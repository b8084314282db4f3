// One instruction as it is written, and its decoding to what runs it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/drivers/ptx/module.hpp"

namespace oriel::test_driver::ptx {

struct argument {
  std::vector<operand> parts;        // one; or those of a vector
  bool address = false;              // in brackets
  std::string symbol;                // a label, or what is no variable
  std::optional<operand> predicate;  // behind a bar: `%r1|%p1`
};

struct statement {
  unsigned line = 0;
  std::vector<std::string_view> words;  // the opcode's, between its dots
  std::vector<argument> arguments;
};

// Everything but the guard, and the targets of branches and calls. Throws `error`.
instruction decode(const statement&);

// Each knows some opcodes. Returns whether this is one of them.
bool decode_arithmetic(const statement&, instruction&);
bool decode_bits(const statement&, instruction&);
bool decode_conversion(const statement&, instruction&);
bool decode_real(const statement&, instruction&);
bool decode_access(const statement&, instruction&);
bool decode_atomic(const statement&, instruction&);
bool decode_control(const statement&, instruction&);

// The arguments become the operands, of which the first is a register, or it returns false.
bool take_scalars(const statement&, instruction&);

std::optional<type> type_of(std::string_view word);

}  // namespace oriel::test_driver::ptx
