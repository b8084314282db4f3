// The overlay of the failure detector: links between ranks at ring distances 1, 2, 4, …, so that
// 10⁵ ranks have 32 links each and news reaches all of them in 16 steps; in a small job, between
// all. (Successors at distances that double: Chord; Stoica et al., SIGCOMM 2001.)
#pragma once

#include <algorithm>
#include <vector>

namespace oriel::sessions {

// So many ranks are all linked with each other.
inline constexpr int all_linked = 16;

// The ranks that rank `me` of `n` sees to a link with. Those that have gone are passed over: the
// next rank that lives takes the place, so that the ring of the living is always closed.
// `gone(rank)`.
template <class Gone>
std::vector<int> linked_after(int me, int n, Gone gone) {
  std::vector<int> chosen;
  for (int distance = 1; distance <= n / 2;
       distance = n <= all_linked ? distance + 1 : 2 * distance) {
    int r = (me + distance) % n;
    while (r != me && gone(r)) r = (r + 1) % n;
    if (r != me && std::find(chosen.begin(), chosen.end(), r) == chosen.end()) chosen.push_back(r);
  }
  return chosen;
}

// Of those, while all live, the ones that rank `me` connects to itself: where two ranks see to one
// link, the lower does.
inline std::vector<int> connected_by(int me, int n) {
  const auto none = [](int) { return false; };
  std::vector<int> chosen = linked_after(me, n, none);
  std::erase_if(chosen, [&](int r) {
    const std::vector<int> theirs = linked_after(r, n, none);
    return r < me && std::find(theirs.begin(), theirs.end(), me) != theirs.end();
  });
  return chosen;
}

}  // namespace oriel::sessions
