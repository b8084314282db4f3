// Windows whose operations are many and small (window_options::aggregate), and the ranks that they
// reach in packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <span>
#include <vector>

#include "tests/win/conformance.hpp"
#include "win/window_core.hpp"

namespace oriel::testing {

inline constexpr assertion_set simple = assertion::shared_lock | assertion::local_load_store;
inline constexpr assertion_set ordered =
    simple | assertion::ordered_accumulate | assertion::multi_element;

inline window_options gathering() {
  window_options o;
  o.name = "gathering";
  o.aggregate = true;
  return o;
}

// In a program of its own windows may attach more memory.
#ifdef ORIEL_TEST_ATTACHING
inline constexpr assertion_set may_attach = assertion::attach;
#else
inline constexpr assertion_set may_attach{};
#endif

// Whether windows stand on memory of the program's, which the other ranks of the node do not map.
inline bool is_private() {
  return may_attach != assertion_set{} || std::getenv("ORIEL_TEST_PRIVATE") != nullptr;
}
// Zeros, until the program ends.
inline std::span<std::byte> memory_of_program(std::size_t bytes) {
  static std::deque<std::vector<std::byte>> all;
  return all.emplace_back(bytes);
}

template <assertion_set A, class T = std::uint64_t>
auto gathering_window(std::size_t count) {
  using made = window<T, A | may_attach>;
  if (!is_private()) return made::allocate(world(), count, gathering());
  auto* const memory = reinterpret_cast<T*>(memory_of_program(count * sizeof(T)).data());
  return made::create(world(), std::span(memory, count), gathering());
}
inline any_window gathering_bytes(std::size_t count, assertion_set promised) {
  const datatype base = datatype::of<std::byte>();
  return is_private() ? any_window::create(world(), memory_of_program(count).data(), count, base,
                                           promised | may_attach, gathering())
                      : any_window::allocate(world(), count, base, promised, gathering());
}

inline int node_of(rank r) {
  return world().shared_state()->node_of(r.value);
}
inline bool is_far(rank r) {
  return node_of(r) != node_of(rank{me()});
}
// Whose memory rank `r` uses here: another node's, where there is one.
inline rank target_of(rank r) {
  const int n = world().size();
  // Where all nodes have as many ranks, no two ranks have one target.
  for (int k = job().node().size(); k < n; ++k)
    if (const rank t{(r.value + k) % n}; node_of(t) != node_of(r)) return t;
  return rank{(r.value + 1) % n};
}
inline rank far_or_next() {
  return target_of(rank{me()});
}
// Whether what is begun to it goes in packets.
inline bool gathers_to(rank r) {
  return is_far(r) || (is_private() && r != rank{me()});
}

// Whether the origin refuses what is not exposed there: another node's rank alone knows what it has
// attached, and where memory is mapped nothing is tested.
inline bool knows_what_is_exposed(rank r) {
  return gathers_to(r) && !(is_far(r) && may_attach != assertion_set{});
}

inline void meet() {
  ASSERT_TRUE(world().barrier().ok());
}

}  // namespace oriel::testing
