// What two shapes lay out, got from the owner of the target's memory, which is asked by lists of
// runs to collect it in room that both map.
#pragma once

#include "win/datatype/layout_walk.hpp"
#include "win/route/route.hpp"
#include "win/slots/target.hpp"

namespace oriel::win {

// Calls getter.add(here, stride here, address there, stride there, bytes, blocks) for all that the
// shapes lay out.
template <class Getter>
errc add_all(Getter& getter, const target& at, std::byte* result, const shape& here,
             const shape& there) noexcept {
  return for_each_blocks(
      here, there,
      [&](std::ptrdiff_t to, std::ptrdiff_t stride, std::ptrdiff_t from,
          std::ptrdiff_t stride_there, primitive, std::size_t bytes, std::size_t blocks) noexcept {
        return getter.add(moved(result, to), stride, at.address + static_cast<std::uint64_t>(from),
                          stride_there, bytes, blocks);
      });
}

// Complete on return. Returns system, with nothing done, where there is no such room.
errc get_runs_by_mail(window_core&, const target&, std::byte* result, const shape& here,
                      const shape& there) noexcept;

}  // namespace oriel::win
