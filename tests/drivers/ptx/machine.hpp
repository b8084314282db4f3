// What runs: threads, in warps of 32 lanes, in blocks, in a grid. Every thread has its own place in
// the code, as devices have had since compute capability 7.0.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "tests/drivers/ptx/lockstep.hpp"
#include "tests/drivers/ptx/memory.hpp"
#include "tests/drivers/ptx/module.hpp"
#include "tests/drivers/ptx/own_view.hpp"
#include "tests/drivers/ptx/schedule.hpp"
#include "tests/drivers/ptx/touches.hpp"
#include "tests/drivers/room.hpp"

namespace oriel::test_driver::ptx {

constexpr unsigned lanes = 32;

struct shape {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t size() const { return std::uint64_t{x} * y * z; }
  shape place(std::uint64_t i) const {
    return {static_cast<unsigned>(i % x), static_cast<unsigned>(i / x % y),
            static_cast<unsigned>(i / x / y)};
  }
};

struct frame {
  const function* code = nullptr;
  const instruction* call_site = nullptr;  // in the caller
  std::uint64_t* registers = nullptr;
  std::byte* parameters = nullptr;
  std::byte* local = nullptr;
};

enum class standing : std::uint8_t { running, asleep, at_block_barrier, at_warp_barrier, ended };

struct block;
struct thread {
  const instruction* pc = nullptr;
  frame now;
  std::vector<frame> callers;
  standing state = standing::running;
  std::uint32_t awaited = 0;      // the lanes that it waits for
  unsigned lane = 0, number = 0;  // of its warp, of its block
  shape index;
  block* in = nullptr;
  std::byte* stack = nullptr;
  std::uint32_t stack_bytes = 0;
  own_view view;  // which of its stores others see, and what it has read ahead
  own_touches touched;
};

// Of all threads of a block.
struct stacks {
  std::unique_ptr<std::byte[]> at;
  std::size_t bytes = 0;
};

struct grid;
struct block {
  room::place resident;
  grid* in = nullptr;
  shape index;
  std::vector<thread> threads;
  std::vector<sides> of_warps;  // in lockstep
  stacks memory;
  std::vector<std::byte> shared;
  std::vector<bool> written;  // of shared
  std::uint32_t counted = 0;  // true predicates of a barrier that counts
  unsigned ended = 0, waiting = 0;

  unsigned warps() const { return static_cast<unsigned>(threads.size() + lanes - 1) / lanes; }
};

// What the host does for a kernel while it runs, by the schedule's turns and on the kernel's
// thread, so that a seed repeats both. `turn(argument)` does a little of it, and returns false when
// the kernel should have ended.
struct host_part {
  bool (*turn)(void*) = nullptr;
  void* argument = nullptr;
};

struct grid {
  const module* code = nullptr;
  const function* kernel = nullptr;
  shape blocks, threads;
  std::vector<std::byte> parameters;
  std::uint32_t dynamic_shared = 0;
  memory_ranges memory;
  schedule turns;
  host_part host;
  history past;                      // by the policy `late`
  touch_counter* counter = nullptr;  // null: nobody counts
};

// --- Values -------------------------------------------------------------------------------------
std::uint64_t special_value(const thread&, special);
inline std::uint64_t global_address(const thread& t, const operand& o) {
  return t.in->in->code->globals_at + static_cast<std::uint64_t>(o.immediate);
}

inline std::uint64_t bits_of(const thread& t, const operand& o) {
  switch (o.what) {
    case operand::kind::reg:
      return t.now.registers[o.reg];
    case operand::kind::immediate:
    case operand::kind::shared:
      return static_cast<std::uint64_t>(o.immediate);
    case operand::kind::special_register:
      return special_value(t, static_cast<special>(o.reg));
    case operand::kind::local:
      return std::bit_cast<std::uint64_t>(t.now.local + o.immediate);
    case operand::kind::param:
      return std::bit_cast<std::uint64_t>(t.now.parameters + o.immediate);
    case operand::kind::global:
      return global_address(t, o);
    case operand::kind::none:
      break;
  }
  return 0;
}
inline std::uint64_t address_of(const thread& t, const operand& o) {
  const std::uint64_t base = bits_of(t, o);
  return o.what == operand::kind::reg ? base + static_cast<std::uint64_t>(o.immediate) : base;
}

// Registers have 64 bits; an instruction reads those of its type.
template <class T>
T from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}
template <class T>
std::uint64_t to_bits(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<std::uint64_t>(value);
  else
    return static_cast<std::uint64_t>(value);  // signed ones keep their sign in wider registers
}
template <class T>
T get(const thread& t, const operand& o) {
  return from_bits<T>(bits_of(t, o));
}
template <class T>
void set(thread& t, const operand& o, T value) {
  t.now.registers[o.reg] = to_bits(value);
}
inline bool holds(const thread& t, const operand& o) {
  return ((bits_of(t, o) & 1) != 0) != o.negated;
}

// Calls `with` with a value of the C++ type of `of`.
template <class F>
auto with_type_of(type of, F with) {
  switch (of) {
    case type::u8:
    case type::b8:
      return with(std::uint8_t{});
    case type::u16:
    case type::b16:
      return with(std::uint16_t{});
    case type::u32:
    case type::b32:
      return with(std::uint32_t{});
    case type::u64:
    case type::b64:
      return with(std::uint64_t{});
    case type::s8:
      return with(std::int8_t{});
    case type::s16:
      return with(std::int16_t{});
    case type::s32:
      return with(std::int32_t{});
    case type::s64:
      return with(std::int64_t{});
    case type::f32:
      return with(float{});
    case type::f64:
      return with(double{});
    case type::pred:
      break;
  }
  return with(bool{});
}

std::uint64_t nanoseconds_now();

// Begins a function on the thread. `stack_bytes` of the kernel has room for the deepest call.
void enter(thread&, const function&, const instruction* call_site);

}  // namespace oriel::test_driver::ptx
