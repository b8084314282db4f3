// Memory that the processes of a trial share, made before they are forked. What the trial is about
// goes through the provider; addresses, turns and the report go through here. So the origin can
// look at the target's memory itself, at the very moment when an operation completes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace oriel::tools {

struct stage {
  struct card {
    std::uint32_t length;  // of the address
    std::array<char, 508> address;
    std::uint64_t base, key;
  };
  static constexpr std::size_t words = 2048;
  static constexpr std::size_t longest_report = 1 << 16;

  std::array<card, 2> cards;
  std::array<std::atomic<int>, 2> turns;  // how many meeting points each side has reached
  // The target's memory, on pages of its own: it is registered.
  alignas(4096) std::array<std::atomic<std::uint64_t>, words> window;
  // Each side's report at its end; complete once `reported` is set.
  alignas(4096) std::array<std::array<char, longest_report>, 2> reports;
  std::array<std::atomic<bool>, 2> reported;
};

}  // namespace oriel::tools
