// The options of a queue, and the kinds of its phases.
#pragma once

#include <cstdint>
#include <string>

namespace oriel {

// All ranks give the same options.
struct queue_options {
  // Shown in every message about the queue and its window.
  std::string name = "queue";
};

// The operations that a phase allows every rank.
enum class queue_phase_kind : std::uint8_t {
  push_only,
  pop_only,
  mixed,  // both
};

}  // namespace oriel
