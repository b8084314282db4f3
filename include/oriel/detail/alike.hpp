// How a collective call of a container ends that has failed on some ranks: on all of them alike.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>

#include "oriel/team.hpp"

namespace oriel::detail {

// Collective. Does nothing where every rank gives success. Throws elsewhere, on every rank, the
// code and the text of the lowest rank that gives another one; what team::allreduce throws.
inline void fail_alike(const team& members, errc mine, const std::string& text) {
  struct told {
    errc code;
    std::array<char, 1020> text;
  };
  const auto none = static_cast<std::int32_t>(members.size());
  const auto first =
      members.allreduce(mine == errc::success ? none : members.me().value, atomic_op::min);
  if (first == none) return;
  told all{mine, {}};
  std::memcpy(all.text.data(), text.data(), std::min(text.size(), all.text.size() - 1));
  members.broadcast(all, rank{first}).or_throw();
  throw error(all.code, all.text.data());
}

// Collective. Does `work`, which makes no collective calls, and throws on every rank alike what it
// has thrown on the lowest rank on which it did: an `error`, or no_mem for a bad_alloc, whose text
// begins with `whose`.
template <class Work>
void alike(const team& members, const std::string& whose, Work work) {
  errc mine = errc::success;
  std::string text;
  try {
    work();
  } catch (const error& e) {
    mine = e.code();
    text = e.what();
  } catch (const std::bad_alloc&) {
    mine = errc::no_mem;
    text = whose + "rank " + std::to_string(members.me().value) + " has no memory left";
  }
  fail_alike(members, mine, text);
}

}  // namespace oriel::detail
