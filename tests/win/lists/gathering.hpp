// Windows whose operations are many and small (window_options::aggregate), and the ranks that they
// reach in packets.
#pragma once

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

template <assertion_set A>
auto gathering_window(std::size_t count) {
  return window<std::uint64_t, A>::allocate(world(), count, gathering());
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
  for (int k = 1; k < n; ++k)
    if (const rank t{(r.value + k) % n}; node_of(t) != node_of(r)) return t;
  return rank{(r.value + 1) % n};
}
inline rank far_or_next() {
  return target_of(rank{me()});
}

inline void meet() {
  ASSERT_TRUE(world().barrier().ok());
}

}  // namespace oriel::testing
