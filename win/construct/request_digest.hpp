// The digest of the requests of all ranks: of constant size, so that requests that are alike on all
// ranks are agreed on with O(log nodes) short messages. Others take a full exchange.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "win/construct/request.hpp"

namespace oriel::win {

struct request_digest {
  std::uint64_t lowest = 0;  // of a hash of all that must agree
  std::uint64_t highest = 0;
  std::uint32_t able = 0;     // assertions that every rank can provide
  std::uint32_t refused = 0;  // some rank's arguments are bad

  static request_digest of(const construction_request& r) noexcept {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const std::uint64_t field :
         {std::uint64_t{r.assertions}, std::uint64_t{r.ops}, static_cast<std::uint64_t>(r.how),
          static_cast<std::uint64_t>(r.where), std::uint64_t{r.notify_counters}, r.count, r.extent,
          r.base_hash, std::uint64_t{r.asynchronous}, device_facts(r)})
      h = (h ^ field) * 0x100000001b3u + (h >> 29);
    return {h, h, r.able, r.arguments.ok() ? 0u : 1u};
  }
  static std::uint64_t device_facts(const construction_request& r) noexcept {
    return std::uint64_t{r.pinned} | std::uint64_t{r.openable} << 1 |
           std::uint64_t{r.device_atomics} << 2 | std::uint64_t{r.registered} << 3 |
           static_cast<std::uint64_t>(r.vendor) << 4;
  }
  static void merge(void* into, const void* from) noexcept {
    auto& a = *static_cast<request_digest*>(into);
    request_digest b;
    std::memcpy(&b, from, sizeof b);
    a.lowest = std::min(a.lowest, b.lowest);
    a.highest = std::max(a.highest, b.highest);
    a.able &= b.able;
    a.refused |= b.refused;
  }
  // Every rank requested the same, memory of the same size included, and can have it.
  [[nodiscard]] bool uniform(assertion_set promised) const noexcept {
    return lowest == highest && refused == 0 && assertion_set{able}.contains(promised);
  }
};

}  // namespace oriel::win
