// Memory of this node that only its owner has mapped: the owner's agent carries requests out.
#pragma once

#include "sync/mailbox.hpp"
#include "win/route/on_node.hpp"
#include "win/route/request_room.hpp"
#include "win/route/run_mail.hpp"

namespace oriel::win {

// In the owner's book: an address, for the kernel or the owner.
bool find_in_book(const window_core&, rank, disp, std::uint64_t n, target&) noexcept;
errc put_by_mail(window_core&, const target&, std::ptrdiff_t offset, const void* from,
                 std::size_t bytes, tracker*) noexcept;
errc get_by_mail(window_core&, const target&, std::ptrdiff_t offset, void* to, std::size_t bytes,
                 tracker*) noexcept;
errc accumulate_by_mail(window_core&, const target&, std::ptrdiff_t offset, const accumulation&,
                        tracker*) noexcept;
errc swap_by_mail(window_core&, const target&, const swap&) noexcept;

// Asks the owner for it, when nothing is left to do before: sends `sent` bytes, and blocks until
// `replied` have arrived. The request's address is in place.
errc ask_owner(window_core&, const target&, const sync::am_request&, const void* sent,
               std::size_t bytes, void* replied, std::size_t reply_bytes) noexcept;

// The same through room that both map (request_room.hpp), at most as much as that is each way.
// Returns system, with nothing done, where there is none.
errc ask_owner_near(window_core&, const target&, const sync::am_request&, const void* sent,
                    std::size_t bytes, void* replied, std::size_t reply_bytes) noexcept;
// The same of what is in the room.
errc ask_owner_near(window_core&, const target&, sync::am_request, const request_room::turn&,
                    void* replied, std::size_t reply_bytes) noexcept;

// The same where the owner reads `bytes` bytes here, or more, and writes the results here. Returns
// system, with nothing done, where it must be asked by ask_owner: they are few, or the kernel
// refuses.
errc ask_owner_far(window_core&, const target&, sync::am_request, const void* operands,
                   std::size_t bytes, void* results) noexcept;

// Lacks a name and a probe.
inline constexpr route mail_route = refine(on_node_route, [](route& r) {
  r.find = find_in_book;
  r.put = put_by_mail;
  r.get = get_by_mail;
  r.accumulate = accumulate_by_mail;
  r.accumulate_shape = accumulate_runs_by_mail;
  r.compare_swap = swap_by_mail;
  r.in_packets = true;
});

}  // namespace oriel::win
