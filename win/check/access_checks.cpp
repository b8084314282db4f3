#include "win/check/access_checks.hpp"

#include "win/check/noted_access.hpp"
#include "win/check/order_places.hpp"
#include "win/route/peer_words.hpp"

namespace oriel::win {

using detail::window_core;

errc complain(window_core& core, errc code, const std::string& what, call_site at) noexcept {
  return core.fail(code, what + " (" + core.group->session().found().words_of(at) + ")");
}

namespace {

// A window that promises no synchronization at all (notification alone, say) has no epochs to
// check.
constexpr assertion_set synchronization_asserted =
    assertion::fence | assertion::pscw | assertion::shared_lock | assertion::exclusive_lock;

}  // namespace

errc check_epoch(window_core& core, rank r, const char* what, call_site at) noexcept {
  if (!core.agreed.promised.has_any(synchronization_asserted)) return errc::success;
  if (core.epochs.passive.all() || core.epochs.passive.holds(r) ||
      core.epochs.fence_open.load(std::memory_order_relaxed))
    return errc::success;
  if (core.epochs.pscw && core.epochs.pscw->accessing())
    for (const rank t : core.epochs.started)
      if (t == r) return errc::success;
  return complain(core, errc::rma_sync,
                  std::string(what) + " to rank " + std::to_string(r.value) +
                      " outside of any access epoch to it: fence, start, lock or lock_all first",
                  at);
}

errc check_bounds(window_core& core, rank r, std::uint64_t first, std::uint64_t n, const char* what,
                  call_site at) noexcept {
  if (!core.group->has(r))
    return complain(core, errc::rank,
                    std::string(what) + " to rank " + std::to_string(r.value) + ": " +
                        core.group->ranks_in_words(),
                    at);
  if (core.agreed.promised.has(assertion::attach)) return errc::success;
  const std::uint64_t count = core.shared_entry(r).count;
  if (first <= count && n <= count - first) return errc::success;
  return complain(core, errc::rma_range,
                  std::string(what) + " of elements [" + std::to_string(first) + ", " +
                      std::to_string(first + n) + ") to rank " + std::to_string(r.value) +
                      ", which exposes " + std::to_string(count),
                  at);
}

namespace {

// MPI defines the outcome where all that accumulate to an element at once have one operation, or
// no_op (MPI-4.1 §12.2.1, accumulate_ops). Returns what has another one than `made`.
std::optional<shadow_access> other_operation(window_core& core, rank r, shadow_access made,
                                             call_site at) noexcept {
  shadow_log_state* const state = log_of(core, r);
  if (state == nullptr || at.line != call_site::in_code || !made.op) return std::nullopt;
  made.origin = core.me();
  return shadow_log(*state, core.epochs.world_me, core.group->watch())
      .find_other_operation(made, order_of(core));
}

// Here the outcome is that of some order, so the operation is done.
void report_operations(window_core& core, rank r, const shadow_access& made,
                       const shadow_access& other, const char* what, call_site at) {
  sessions::findings& found = core.group->session().found();
  found.report("window '" + core.agreed.name + "', rank " + std::to_string(core.me()) + ": " +
                   what + " by " + std::string(name(*made.op)) + " to bytes [" +
                   std::to_string(made.low) + ", " + std::to_string(made.high) + ") of rank " +
                   std::to_string(r.value) + " overlaps one by " + std::string(name(*other.op)) +
                   " of rank " + std::to_string(other.origin) + " at " + words_of(other.at, found) +
                   ", and nothing orders them (" + found.words_of(at) + ") [rma_conflict]",
               at);
}

errc refuse(window_core& core, rank r, const shadow_access& made, const std::string& conflict,
            const char* what, call_site at) noexcept {
  return complain(core, errc::rma_conflict,
                  std::string(what) + " to bytes [" + std::to_string(made.low) + ", " +
                      std::to_string(made.high) + ") of rank " + std::to_string(r.value) + " " +
                      conflict,
                  at);
}

}  // namespace

errc check_conflict(window_core& core, rank r, const shadow_access& made, const char* what,
                    call_site at) noexcept {
  if (log_of(core, r) == nullptr) {
    const far_run run = far_run::of(made.low, made.high, made.type);
    return check_far_conflict(core, r, made, {&run, 1}, what, at);
  }
  const auto other = other_operation(core, r, made, at);
  const auto conflict = note_access(core, r, made, at);
  if (!conflict && other) report_operations(core, r, made, *other, what, at);
  return conflict ? refuse(core, r, made, *conflict, what, at) : errc::success;
}

errc check_far_conflict(window_core& core, rank r, shadow_access made,
                        std::span<const far_run> runs, const char* what, call_site at) noexcept {
  far_checks* const far = core.routes.checks.get();
  if (far == nullptr) return errc::success;
  begin_access(core, made, at);
  const bool accumulates = at.line == call_site::in_code && made.op.has_value();
  which_places places = 0;
  if (made.kind == access_kind::accumulate)
    for (const far_run& run : runs) places |= places_of_bytes(run.low, run.high);
  const auto found = far->note(r, made, runs, accumulates, places);
  if (!found) return errc::success;
  made.low = found->run.low;
  made.high = found->run.high;
  if (found->found == note_answer::what::conflict)
    return refuse(core, r, made, overlaps(core, found->other, made), what, at);
  if (made.op && found->other.op) report_operations(core, r, made, found->other, what, at);
  return errc::success;
}

}  // namespace oriel::win
