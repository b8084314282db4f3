// ORIEL_CHECK: what is looked at before an access is made. Each latches and returns what it finds,
// in a sentence that begins with `what`, the operation, and ends with its place.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "oriel/call_site.hpp"
#include "oriel/primitive.hpp"
#include "oriel/rank.hpp"
#include "win/check/far_access.hpp"
#include "win/check/shadow_log.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

errc complain(detail::window_core&, errc, const std::string& what, call_site) noexcept;
errc check_epoch(detail::window_core&, rank, const char* what, call_site) noexcept;
// The elements exist. Attach windows look them up anyway.
errc check_bounds(detail::window_core&, rank, std::uint64_t first, std::uint64_t n,
                  const char* what, call_site) noexcept;
// Notes the access, as note_access() does.
errc check_conflict(detail::window_core&, rank, const shadow_access& made, const char* what,
                    call_site) noexcept;

// The same of what it does to several stretches of bytes of a rank of another node.
errc check_far_conflict(detail::window_core&, rank, shadow_access made,
                        std::span<const far_run> runs, const char* what, call_site) noexcept;

}  // namespace oriel::win
