// Descriptors that are no kernel's: those of the simulated network's queues.
#pragma once

namespace oriel::sim {

// The queue's number is added. No process has as many of its own.
inline constexpr int first_descriptor = 1 << 24;

}  // namespace oriel::sim
