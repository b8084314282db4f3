// ORIEL_CHECK=1: bounds, epochs and conflicting accesses of every operation, before it is done. An
// operation that fails a check is not performed. docs/CHECKING.md tells what is found.
#include <cstring>

#include "win/route/peer_words.hpp"
#include "win/shadow_log.hpp"
#include "win/slots.hpp"
#include "win/target.hpp"

namespace oriel::win {
namespace {

using detail::request_state;
using detail::typed_operands;

std::string site(call_site at) {
  return std::string(at.file) + ":" + std::to_string(at.line);
}

errc complain(window_core& core, errc code, const std::string& what, call_site at) noexcept {
  return core.fail(code, what + " (" + site(at) + ")");
}

// A window that promises no synchronization at all (notification alone, say) has no epochs to
// check.
constexpr assertion_set synchronization_asserted =
    assertion::fence | assertion::pscw | assertion::shared_lock | assertion::exclusive_lock;

errc check_epoch(window_core& core, rank r, const char* what, call_site at) noexcept {
  if (!core.promised.has_any(synchronization_asserted)) return errc::success;
  if (core.epochs.all() || core.epochs.holds(r) || core.fence_open.load(std::memory_order_relaxed))
    return errc::success;
  if (core.pscw && core.pscw->accessing())
    for (const rank t : core.started)
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
  if (core.promised.has(assertion::attach)) return errc::success;
  const std::uint64_t count = core.shared_entry(r).count;
  if (first <= count && n <= count - first) return errc::success;
  return complain(core, errc::rma_range,
                  std::string(what) + " of elements [" + std::to_string(first) + ", " +
                      std::to_string(first + n) + ") to rank " + std::to_string(r.value) +
                      ", which exposes " + std::to_string(count),
                  at);
}

std::atomic<std::uint64_t>& clock_of(const window_core& core) noexcept {
  return core.shared<shadow_log_state>(core.layout.shadow)->clock;
}

// Who has seen a notification, or asks for its memory to be in order, may have learnt of anything
// that was accessed before: nobody knows by whom he was notified, and after whom that one.
void order(window_core& core) noexcept {
  core.ordered.store(clock_of(core).load(std::memory_order_relaxed), std::memory_order_relaxed);
}

errc check_conflict(window_core& core, rank r, std::uint64_t low, std::uint64_t high,
                    access_kind kind, primitive type, const char* what, call_site at) noexcept {
  shadow_log_state* const state = log_of(core, r);
  if (state == nullptr) return errc::success;
  shadow_access made;
  made.low = low;
  made.high = high;
  made.origin = core.me();
  made.fences = core.fences.load(std::memory_order_relaxed);
  made.kind = kind;
  made.type = type;
  made.time = 1 + clock_of(core).fetch_add(1, std::memory_order_relaxed);
  keep_site(made, at);
  shadow_log log(*state, core.group->world_rank(core.me()), core.group->watch());
  const auto other = log.note(made, core.ordered.load(std::memory_order_relaxed));
  if (!other) return errc::success;
  return complain(core, errc::rma_conflict,
                  std::string(what) + " to bytes [" + std::to_string(low) + ", " +
                      std::to_string(high) + ") of rank " + std::to_string(r.value) +
                      " overlaps a " + describe(*other) + " in the same epoch",
                  at);
}

errc check(window_core& core, rank r, disp i, std::uint64_t n, access_kind kind, primitive type,
           const char* what, call_site at) noexcept {
  if (n == 0) return errc::success;
  if (const errc e = check_bounds(core, r, i.value, n, what, at); e != errc::success) return e;
  if (const errc e = check_epoch(core, r, what, at); e != errc::success) return e;
  return check_conflict(core, r, i.value * core.extent, (i.value + n) * core.extent, kind, type,
                        what, at);
}

// The runs that a shape covers at the target.
errc check_shape(window_core& core, rank r, disp i, const shape& s, access_kind kind,
                 const char* what, call_site at) noexcept {
  const auto origin = static_cast<std::ptrdiff_t>(i.value * core.extent);
  for (std::size_t k = 0; k < s.count; ++k) {
    for (const auto& run : s.type.runs()) {
      for (std::size_t b = 0; b < run.blocks; ++b) {
        const std::ptrdiff_t low = origin + static_cast<std::ptrdiff_t>(k) * s.type.extent() +
                                   run.offset + static_cast<std::ptrdiff_t>(b) * run.stride;
        const auto bytes = run.elements * size_of(run.type);
        if (low < 0)
          return complain(core, errc::rma_range, std::string(what) + " before the window", at);
        const auto first = static_cast<std::uint64_t>(low) / core.extent;
        const auto last = (static_cast<std::uint64_t>(low) + bytes + core.extent - 1) / core.extent;
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

errc put(window_core& c, rank r, disp i, const void* v, call_site at) noexcept {
  const errc e = check(c, r, i, 1, access_kind::put, c.element, "put", at);
  return e == errc::success ? c.unchecked.put(c, r, i, v, at) : e;
}
errc get(window_core& c, rank r, disp i, void* v, call_site at) noexcept {
  const errc e = check(c, r, i, 1, access_kind::get, c.element, "get", at);
  return e == errc::success ? c.unchecked.get(c, r, i, v, at) : e;
}
errc put_n(window_core& c, rank r, disp i, const void* v, std::size_t n, request_state* q,
           call_site at) noexcept {
  const errc e = check(c, r, i, n, access_kind::put, c.element, "put", at);
  return e == errc::success ? c.unchecked.put_n(c, r, i, v, n, q, at) : e;
}
errc get_n(window_core& c, rank r, disp i, void* v, std::size_t n, request_state* q,
           call_site at) noexcept {
  const errc e = check(c, r, i, n, access_kind::get, c.element, "get", at);
  return e == errc::success ? c.unchecked.get_n(c, r, i, v, n, q, at) : e;
}
errc accumulate(window_core& c, atomic_op op, rank r, disp i, const void* v,
                call_site at) noexcept {
  const errc e = check(c, r, i, 1, access_kind::accumulate, c.element, "accumulate", at);
  return e == errc::success ? c.unchecked.accumulate(c, op, r, i, v, at) : e;
}
errc fetch_op(window_core& c, atomic_op op, rank r, disp i, const void* v, void* before,
              call_site at) noexcept {
  const errc e = check(c, r, i, 1, access_kind::accumulate, c.element, "fetch_op", at);
  return e == errc::success ? c.unchecked.fetch_op(c, op, r, i, v, before, at) : e;
}
errc compare_swap(window_core& c, rank r, disp i, const void* expected, const void* desired,
                  void* before, call_site at) noexcept {
  const errc e = check(c, r, i, 1, access_kind::accumulate, c.element, "compare_swap", at);
  return e == errc::success ? c.unchecked.compare_swap(c, r, i, expected, desired, before, at) : e;
}
errc accumulate_n(window_core& c, atomic_op op, rank r, disp i, const void* v, void* before,
                  std::size_t n, request_state* q, call_site at) noexcept {
  const errc e = check(c, r, i, n, access_kind::accumulate, c.element, "accumulate", at);
  return e == errc::success ? c.unchecked.accumulate_n(c, op, r, i, v, before, n, q, at) : e;
}
errc put_typed(window_core& c, rank r, disp i, const typed_operands& x, request_state* q,
               call_site at) noexcept {
  const errc e = check_shape(c, r, i, *x.target_shape, access_kind::put, "put", at);
  return e == errc::success ? c.unchecked.put_typed(c, r, i, x, q, at) : e;
}
errc get_typed(window_core& c, rank r, disp i, const typed_operands& x, request_state* q,
               call_site at) noexcept {
  const errc e = check_shape(c, r, i, *x.target_shape, access_kind::get, "get", at);
  return e == errc::success ? c.unchecked.get_typed(c, r, i, x, q, at) : e;
}
errc accumulate_typed(window_core& c, atomic_op op, rank r, disp i, const typed_operands& x,
                      request_state* q, call_site at) noexcept {
  const errc e = check_shape(c, r, i, *x.target_shape, access_kind::accumulate, "accumulate", at);
  return e == errc::success ? c.unchecked.accumulate_typed(c, op, r, i, x, q, at) : e;
}

// `bytes` bytes from element `i` on, of another type than the base.
errc check_as(window_core& c, rank r, disp i, std::size_t bytes, primitive type, const char* what,
              call_site at) noexcept {
  if (bytes == 0) return errc::success;
  const std::uint64_t n = covering(c, bytes);
  if (const errc e = check_bounds(c, r, i.value, n, what, at); e != errc::success) return e;
  if (const errc e = check_epoch(c, r, what, at); e != errc::success) return e;
  const std::uint64_t low = i.value * c.extent;
  return check_conflict(c, r, low, low + bytes, access_kind::accumulate, type, what, at);
}
errc accumulate_as(window_core& c, atomic_op op, primitive type, rank r, disp i, const void* v,
                   void* before, std::size_t n, request_state* q, call_site at) noexcept {
  const errc e = check_as(c, r, i, n * size_of(type), type, "accumulate", at);
  return e == errc::success ? c.unchecked.accumulate_as(c, op, type, r, i, v, before, n, q, at) : e;
}
errc fetch_op_as(window_core& c, atomic_op op, primitive type, rank r, disp i, const void* v,
                 void* before, call_site at) noexcept {
  const errc e = check_as(c, r, i, size_of(type), type, "fetch_op", at);
  return e == errc::success ? c.unchecked.fetch_op_as(c, op, type, r, i, v, before, at) : e;
}
errc compare_swap_as(window_core& c, primitive type, rank r, disp i, const void* expected,
                     const void* desired, void* before, call_site at) noexcept {
  const errc e = check_as(c, r, i, size_of(type), type, "compare_swap", at);
  return e == errc::success
             ? c.unchecked.compare_swap_as(c, type, r, i, expected, desired, before, at)
             : e;
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
  if (c.epochs.holds(r)) forget(c, r);
  return c.unchecked.unlock(c, r, at);
}
errc unlock_all(window_core& c, call_site at) noexcept {
  if (c.epochs.all()) forget(c, any_rank);
  return c.unchecked.unlock_all(c, at);
}
errc flush(window_core& c, rank r, flush_scope scope, call_site at) noexcept {
  if (!c.epochs.any()) return complain(c, errc::rma_sync, "flush outside of any lock epoch", at);
  if (scope == flush_scope::target) forget(c, r);
  return c.unchecked.flush(c, r, scope, at);
}
errc wait(window_core& c, bool* done, call_site at) noexcept {
  const errc e = c.unchecked.wait(c, done, at);
  if (e == errc::success && (done == nullptr || *done)) {
    shadow_log(*log_of(c, rank{c.me()}), c.group->world_rank(c.me()), c.group->watch())
        .forget_all();
  }
  return e;
}

errc put_notify(window_core& c, rank r, disp i, const void* v, std::size_t n, std::size_t counter,
                call_site at) noexcept {
  const errc e = check(c, r, i, n, access_kind::put, c.element, "put_notify", at);
  if (e == errc::success) return c.unchecked.put_notify(c, r, i, v, n, counter, at);
  // Its target may be waiting for it.
  if (c.group->has(r) && counter < c.notify_counters)
    c.routes.to(r).refuse_notify(c, r, counter, e);
  return e;
}
errc wait_notify(window_core& c, std::size_t counter, std::uint64_t at_least,
                 call_site at) noexcept {
  const errc e = c.unchecked.wait_notify(c, counter, at_least, at);
  order(c);
  return e;
}
errc read_notify(window_core& c, std::size_t counter, std::uint64_t* value, call_site at) noexcept {
  const errc e = c.unchecked.read_notify(c, counter, value, at);
  order(c);
  return e;
}
errc sync_memory(window_core& c, call_site at) noexcept {
  order(c);
  return c.unchecked.sync(c, at);
}

}  // namespace

void fill_checked_slots(operation_table& t) {
  t.put = put;
  t.get = get;
  t.put_n = put_n;
  t.get_n = get_n;
  t.accumulate = accumulate;
  t.fetch_op = fetch_op;
  t.compare_swap = compare_swap;
  t.accumulate_n = accumulate_n;
  t.put_typed = put_typed;
  t.get_typed = get_typed;
  t.accumulate_typed = accumulate_typed;
  t.accumulate_as = accumulate_as;
  t.fetch_op_as = fetch_op_as;
  t.compare_swap_as = compare_swap_as;
  t.unlock = unlock;
  t.unlock_all = unlock_all;
  t.flush = flush;
  t.wait = wait;
  t.put_notify = put_notify;
  t.wait_notify = wait_notify;
  t.read_notify = read_notify;
  t.sync = sync_memory;
}

}  // namespace oriel::win
