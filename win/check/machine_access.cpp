#include "win/check/machine_access.hpp"

namespace oriel::win {
namespace {

// What stands before an opcode (AMD64 Architecture Programmer's Manual, volume 3, §1.2).
struct prefixes {
  bool narrow = false;  // 66
  bool single = false;  // f3
  bool two = false;     // f2
  bool lock = false;
  bool wide = false;  // REX.W
  bool vex = false;
  bool long_vector = false;  // VEX.L

  [[nodiscard]] std::size_t word() const noexcept { return wide ? 8 : narrow ? 2 : 4; }
  // Opcodes whose lowest bit distinguishes bytes and words.
  [[nodiscard]] std::size_t byte_or_word(unsigned char op) const noexcept {
    return (op & 1) == 0 ? 1 : word();
  }
  [[nodiscard]] std::size_t vector() const noexcept { return long_vector ? 32 : 16; }
  // Of instructions on one float, one double, or a vector of either.
  [[nodiscard]] std::size_t scalar_or_vector() const noexcept {
    return single ? 4 : two ? 8 : vector();
  }
};

bool between(unsigned char op, int low, int high) noexcept {
  return low <= op && op <= high;
}

std::size_t of_one_byte(unsigned char op, const prefixes& p) noexcept {
  const bool arithmetic = op < 0x40 && (op & 7) < 4;
  const bool strings = between(op, 0xa4, 0xa7) || between(op, 0xaa, 0xaf);
  const bool others = between(op, 0x80, 0x8b) || op == 0xc0 || op == 0xc1 || op == 0xc6 ||
                      op == 0xc7 || between(op, 0xd0, 0xd3) || op == 0xf6 || op == 0xf7 ||
                      op == 0xfe || op == 0xff;
  if (op == 0x63) return 4;  // movsxd
  return arithmetic || strings || others ? p.byte_or_word(op) : 1;
}

// After 0f, or in the map of VEX that stands for it.
std::size_t of_two_bytes(unsigned char op, const prefixes& p) noexcept {
  if (op == 0x10 || op == 0x11 || op == 0xc2) return p.scalar_or_vector();
  if (op == 0x12 || op == 0x13 || op == 0x16 || op == 0x17) return p.narrow || !p.vex ? 8 : 1;
  if (op == 0x28 || op == 0x29 || op == 0x2b) return p.vector();
  if (op == 0x2a && (p.single || p.two)) return p.wide ? 8 : 4;
  if (op == 0x2c || op == 0x2d) return p.single ? 4 : p.two ? 8 : 1;
  if (op == 0x2e || op == 0x2f) return p.narrow ? 8 : 4;
  if (op == 0x5a) return p.single ? 4 : p.narrow ? p.vector() : 8;
  if (between(op, 0x51, 0x59) || between(op, 0x5b, 0x5f)) return p.scalar_or_vector();
  if (op == 0x6e || op == 0x7e) return p.single || p.wide ? 8 : 4;
  if (op == 0x6f || op == 0x7f) return p.narrow || p.single ? p.vector() : 8;
  if (op == 0xd6) return 8;
  const bool integers = between(op, 0x74, 0x76) || between(op, 0xd8, 0xdf) ||
                        between(op, 0xe0, 0xef) || between(op, 0xf8, 0xfe);
  if (integers && op != 0xe6) return p.narrow ? p.vector() : 8;
  if (op == 0xb6 || op == 0xbe || between(op, 0x90, 0x9f)) return 1;
  if (op == 0xb7 || op == 0xbf) return 2;
  if (op == 0xaf || op == 0xc3 || between(op, 0x40, 0x4f)) return p.word();
  if (op == 0xb0 || op == 0xb1 || op == 0xc0 || op == 0xc1) return p.byte_or_word(op);
  if (op == 0xc7) return p.wide ? 16 : 8;  // cmpxchg8b, cmpxchg16b
  return 1;
}

// Sets what the last byte of a VEX prefix says, which stands for one of the older prefixes.
void read_vex(unsigned char last, prefixes& p) noexcept {
  p.vex = true;
  p.long_vector = (last & 4) != 0;
  p.narrow = (last & 3) == 1;
  p.single = (last & 3) == 2;
  p.two = (last & 3) == 3;
}

bool read_legacy(unsigned char byte, prefixes& p) noexcept {
  switch (byte) {
    case 0x66:
      return p.narrow = true;
    case 0xf0:
      return p.lock = true;
    case 0xf2:
      return p.two = true;
    case 0xf3:
      return p.single = true;
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x67:
      return true;
    default:
      return false;
  }
}

}  // namespace

machine_access decode(const unsigned char* code) noexcept {
  prefixes p;
  while (read_legacy(*code, p)) ++code;
  if ((*code & 0xf0) == 0x40) p.wide = (*code++ & 8) != 0;
  if (*code == 0xc5) {
    read_vex(code[1], p);
    return {of_two_bytes(code[2], p), false};
  }
  if (*code == 0xc4) {
    read_vex(code[2], p);
    p.wide = (code[2] & 0x80) != 0;
    return {(code[1] & 0x1f) == 1 ? of_two_bytes(code[3], p) : 1, false};
  }
  if (*code == 0x0f) return {of_two_bytes(code[1], p), p.lock};
  const bool exchange = *code == 0x86 || *code == 0x87;  // locked without saying so
  return {of_one_byte(*code, p), p.lock || exchange};
}

}  // namespace oriel::win
