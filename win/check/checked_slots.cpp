// ORIEL_CHECK=1: bounds, epochs and conflicting accesses of every operation, before it is done. An
// operation that fails a check is not performed. docs/CHECKING.md lists what is found.
#include <cstring>

#include "win/check/shadow_log.hpp"
#include "win/route/peer_words.hpp"
#include "win/slots/operands.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/words.hpp"

namespace oriel::win {
namespace {

errc complain(window_core& core, errc code, const std::string& what, call_site at) noexcept {
  return core.fail(code, what + " (" + core.group->session().found().words_of(at) + ")");
}

// A window that promises no synchronization at all (notification alone, say) has no epochs to
// check.
constexpr assertion_set synchronization_asserted =
    assertion::fence | assertion::pscw | assertion::shared_lock | assertion::exclusive_lock;

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

// The elements exist. Attach windows look them up anyway.
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

std::atomic<std::uint64_t>& clock_of(const window_core& core) noexcept {
  return core.shared<shadow_log_state>(core.memory.layout.shadow)->clock;
}

// A rank that has seen a notification, or calls for its memory to be in order, may rely on any
// access before: the ranks that notified it, and those that notified these, are not known.
void order(window_core& core) noexcept {
  core.epochs.ordered.store(clock_of(core).load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
}

errc check_conflict(window_core& core, rank r, std::uint64_t low, std::uint64_t high,
                    access_kind kind, primitive type, const char* what, call_site at) noexcept {
  shadow_log_state* const state = log_of(core, r);
  if (state == nullptr) return errc::success;
  shadow_access made;
  made.low = low;
  made.high = high;
  made.origin = core.me();
  made.fences = core.epochs.fences.load(std::memory_order_relaxed);
  made.kind = kind;
  made.type = type;
  made.time = 1 + clock_of(core).fetch_add(1, std::memory_order_relaxed);
  keep_site(made, at);
  shadow_log log(*state, core.group->world_rank(core.me()), core.group->watch());
  const auto other = log.note(made, core.epochs.ordered.load(std::memory_order_relaxed));
  if (!other) return errc::success;
  return complain(core, errc::rma_conflict,
                  std::string(what) + " to bytes [" + std::to_string(low) + ", " +
                      std::to_string(high) + ") of rank " + std::to_string(r.value) + " overlaps " +
                      describe(*other, core.group->session().found()) + " in the same epoch",
                  at);
}

// The runs that a shape covers at the target.
errc check_shape(window_core& core, rank r, disp i, const shape& s, access_kind kind,
                 const char* what, call_site at) noexcept {
  const auto origin = static_cast<std::ptrdiff_t>(i.value * core.agreed.extent);
  for (std::size_t k = 0; k < s.count; ++k) {
    for (const auto& run : s.type.runs()) {
      for (std::size_t b = 0; b < run.blocks; ++b) {
        const std::ptrdiff_t low = origin + static_cast<std::ptrdiff_t>(k) * s.type.extent() +
                                   run.offset + static_cast<std::ptrdiff_t>(b) * run.stride;
        const auto bytes = run.elements * size_of(run.type);
        if (low < 0)
          return complain(core, errc::rma_range, std::string(what) + " before the window", at);
        const auto first = static_cast<std::uint64_t>(low) / core.agreed.extent;
        const auto last =
            (static_cast<std::uint64_t>(low) + bytes + core.agreed.extent - 1) / core.agreed.extent;
        if (const errc e = check_bounds(core, r, first, last - first, what, at); e != errc::success)
          return e;
        if (const errc e = check_epoch(core, r, what, at); e != errc::success) return e;
        if (const errc e =
                check_conflict(core, r, static_cast<std::uint64_t>(low),
                               static_cast<std::uint64_t>(low) + bytes, kind, run.type, what, at);
            e != errc::success)
          return e;
      }
    }
  }
  return errc::success;
}

errc check(window_core& core, const operands& x, access_kind kind, const char* what) noexcept {
  if (x.there != nullptr) return check_shape(core, x.to, x.first, *x.there, kind, what, x.at);
  if (x.bytes == 0) return errc::success;
  if (const errc e = check_bounds(core, x.to, x.first.value, covering(core, x.bytes), what, x.at);
      e != errc::success)
    return e;
  if (const errc e = check_epoch(core, x.to, what, x.at); e != errc::success) return e;
  const std::uint64_t low = x.first.value * core.agreed.extent;
  return check_conflict(core, x.to, low, low + x.bytes, kind, x.type, what, x.at);
}

// Around the operation of one slot.
template <auto Slot, access_kind Kind, words What, class... Args>
errc checked(window_core& core, Args... args) noexcept {
  const operands x(core, args...);
  const bool changes = Kind != access_kind::accumulate || x.reads_origin();
  const errc e = check(core, x, changes ? Kind : access_kind::atomic_read, What.text);
  return e == errc::success ? (core.operations.unchecked.*Slot)(core, args...) : e;
}

template <auto Slot, access_kind Kind, words What, class... Args>
void put_check(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = checked<Slot, Kind, What, Args...>;
}

template <access_kind Kind, words What, auto... Slots>
void put_checks(operation_table& t) {
  (put_check<Slots, Kind, What>(t.*Slots), ...);
}

// What is refused for other reasons is not logged as done.
errc put_notify(window_core& c, rank r, disp i, const void* v, std::size_t n, detail::notice with,
                call_site at) noexcept {
  errc e = check_notification(c, r, n, with);
  if (e == errc::success) e = check(c, operands(c, r, i, v, n, at), access_kind::put, "put_notify");
  if (e == errc::success) return c.operations.unchecked.put_notify(c, r, i, v, n, with, at);
  refuse_notification(c, r, with, e);
  return e;
}

errc put_notify_typed(window_core& c, rank r, disp i, const detail::typed_operands& x,
                      detail::notice with, call_site at) noexcept {
  errc e = check_typed_notification(c, r, with);
  if (e == errc::success) e = check(c, operands(c, r, i, x, at), access_kind::put, "put_notify");
  if (e == errc::success) return c.operations.unchecked.put_notify_typed(c, r, i, x, with, at);
  refuse_notification(c, r, with, e);
  return e;
}

// What this rank did to `r` is complete there: it conflicts with nothing any more.
void forget(window_core& core, rank r) noexcept {
  for (int t = 0; t < core.ranks(); ++t) {
    if (r != any_rank && r.value != t) continue;
    if (shadow_log_state* const state = log_of(core, rank{t}))
      shadow_log(*state, core.group->world_rank(core.me()), core.group->watch()).forget(core.me());
  }
}

errc unlock(window_core& c, rank r, call_site at) noexcept {
  if (c.epochs.passive.holds(r)) forget(c, r);
  return c.operations.unchecked.unlock(c, r, at);
}
errc unlock_all(window_core& c, call_site at) noexcept {
  if (c.epochs.passive.all()) forget(c, any_rank);
  return c.operations.unchecked.unlock_all(c, at);
}
errc flush(window_core& c, rank r, flush_scope scope, call_site at) noexcept {
  if (!c.epochs.passive.any())
    return complain(c, errc::rma_sync, "flush outside of any lock epoch", at);
  if (scope == flush_scope::target) forget(c, r);
  return c.operations.unchecked.flush(c, r, scope, at);
}
errc wait(window_core& c, bool* done, call_site at) noexcept {
  const errc e = c.operations.unchecked.wait(c, done, at);
  if (e == errc::success && (done == nullptr || *done)) {
    shadow_log(*log_of(c, rank{c.me()}), c.group->world_rank(c.me()), c.group->watch())
        .forget_all();
  }
  return e;
}

errc wait_notify(window_core& c, std::size_t counter, std::uint64_t at_least,
                 std::optional<std::chrono::milliseconds> at_most, call_site at) noexcept {
  const errc e = c.operations.unchecked.wait_notify(c, counter, at_least, at_most, at);
  order(c);
  return e;
}
errc wait_notify_any(window_core& c, std::size_t first, std::span<const std::uint64_t> at_least,
                     std::size_t* counter, std::optional<std::chrono::milliseconds> at_most,
                     call_site at) noexcept {
  const errc e = c.operations.unchecked.wait_notify_any(c, first, at_least, counter, at_most, at);
  order(c);
  return e;
}
errc read_notify(window_core& c, std::size_t counter, detail::notify_read how, std::uint64_t* value,
                 call_site at) noexcept {
  const errc e = c.operations.unchecked.read_notify(c, counter, how, value, at);
  order(c);
  return e;
}
errc sync_memory(window_core& c, call_site at) noexcept {
  order(c);
  return c.operations.unchecked.sync(c, at);
}

}  // namespace

void fill_checked_slots(operation_table& t) {
  using table = operation_table;
  put_checks<access_kind::put, "put", &table::put, &table::put_n, &table::put_typed>(t);
  put_checks<access_kind::get, "get", &table::get, &table::get_n, &table::get_typed>(t);
  put_checks<access_kind::accumulate, "accumulate", &table::accumulate, &table::accumulate_n,
             &table::accumulate_typed, &table::accumulate_as>(t);
  put_checks<access_kind::accumulate, "fetch_op", &table::fetch_op, &table::fetch_op_as>(t);
  put_checks<access_kind::accumulate, "compare_swap", &table::compare_swap, &table::compare_swap_as,
             &table::begin_compare_swap_as>(t);
  t.unlock = unlock;
  t.unlock_all = unlock_all;
  t.flush = flush;
  t.wait = wait;
  t.put_notify = put_notify;
  t.put_notify_typed = put_notify_typed;
  t.wait_notify = wait_notify;
  t.wait_notify_any = wait_notify_any;
  t.read_notify = read_notify;
  t.sync = sync_memory;
}

}  // namespace oriel::win
