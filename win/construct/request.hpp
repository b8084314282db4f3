// What one rank requests and can do, as it travels to the others: plain bytes, one message a rank.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kinds/device_runtime.hpp"
#include "oriel/assertion.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/primitive.hpp"
#include "session/outcome.hpp"
#include "session/team/collective_call.hpp"
#include "win/construct/window_plan.hpp"

namespace oriel::win {

struct construction_request {
  std::uint32_t assertions = 0;
  std::uint32_t able = 0;  // assertions that this rank can provide
  std::uint32_t ops = 0;   // op_set
  flavor how = flavor::allocate;
  place where = place::nowhere;
  bool noncontiguous = false;
  bool cma = false;
  bool asynchronous = false;           // window_options::asynchronous_progress
  bool pinned = false;                 // node memory that devices reach
  bool openable = false;               // device memory that the node's other processes can open
  bool device_atomics = false;         // device memory that kernels do atomics on
  bool registered = false;             // device memory that the fabric reads and writes
  bool process_barriers = false;       // the kernel has it take part in them
  kinds::vendor vendor = {};           // of device and managed memory
  primitive base = primitive::opaque;  // that all elements of the base datatype are; for messages
  std::uint32_t notify_counters = 0;
  std::uint64_t count = 0;      // elements
  std::uint64_t extent = 0;     // bytes of one element of the base datatype
  std::uint64_t base_hash = 0;  // of its typemap
  std::uint64_t alignment = 0;  // bytes
  std::uint64_t offset = 0;     // in node memory, when it lies there
  std::uint64_t address = 0;    // in the owner's address space
  std::array<char, 64> name{};
  sessions::outcome arguments;  // this rank's own, checked

  [[nodiscard]] assertion_set promised() const noexcept { return assertion_set{assertions}; }
  [[nodiscard]] std::string_view window() const noexcept { return name.data(); }
  // The same for messages: "window 'name'".
  [[nodiscard]] std::string title() const { return "window '" + std::string(window()) + "'"; }
};

// Returns the call that every step of a construction publishes.
constexpr sessions::collective_call construction_call(flavor how) noexcept {
  return {.kind = how == flavor::create ? sessions::collective::create
                                        : sessions::collective::allocate};
}

}  // namespace oriel::win
