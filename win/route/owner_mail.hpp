// Memory of this node that only its owner has mapped: the owner's agent carries requests out.
#pragma once

#include "win/route/on_node.hpp"

namespace oriel::win {

// In the owner's book: an address, for the kernel or the owner.
bool find_in_book(const window_core&, rank, disp, std::uint64_t n, target&) noexcept;
errc put_by_mail(window_core&, const target&, std::ptrdiff_t offset, const void* from,
                 std::size_t bytes, tracker*) noexcept;
// All that two shapes lay out, as lists of pieces; `put_long` for those of long_piece bytes or
// more.
inline constexpr std::size_t long_piece = 512;
using put_piece = errc (*)(window_core&, const target&, std::ptrdiff_t offset, const void* from,
                           std::size_t bytes, tracker*) noexcept;
errc put_list_by_mail(window_core&, const target&, const std::byte* origin, const shape& here,
                      const shape& there, put_piece put_long = put_by_mail) noexcept;
errc get_by_mail(window_core&, const target&, std::ptrdiff_t offset, void* to, std::size_t bytes,
                 tracker*) noexcept;
errc accumulate_by_mail(window_core&, const target&, std::ptrdiff_t offset, const accumulation&,
                        tracker*) noexcept;
errc swap_by_mail(window_core&, const target&, const swap&) noexcept;

// Lacks a name and a probe.
inline constexpr route mail_route = refine(on_node_route, [](route& r) {
  r.find = find_in_book;
  r.put = put_by_mail;
  r.get = get_by_mail;
  r.accumulate = accumulate_by_mail;
  r.compare_swap = swap_by_mail;
});

}  // namespace oriel::win
