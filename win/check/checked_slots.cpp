// ORIEL_CHECK=1: bounds, epochs and conflicting accesses of every operation, before it is done. An
// operation that fails a check is not performed. docs/CHECKING.md lists what is found.
#include <algorithm>
#include <new>
#include <type_traits>
#include <vector>

#include "win/check/access_checks.hpp"
#include "win/check/access_traps.hpp"
#include "win/check/begun_request.hpp"
#include "win/check/guarded_memory.hpp"
#include "win/check/order_places.hpp"
#include "win/check/promise_checks.hpp"
#include "win/check/watched_memory.hpp"
#include "win/route/peer_words.hpp"
#include "win/slots/operands.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/words.hpp"

namespace oriel::win {
namespace {

// Whether the operation has read its target when it returns: a get of one element, which is there
// then. In MPI, whose calls come from machine code, a flush has to say so.
bool has_read_on_return(const window_core& core, const operands& x, access_kind kind) noexcept {
  return kind == access_kind::get && x.there == nullptr && x.bytes == core.agreed.extent &&
         !x.requested && x.at.line != call_site::in_code;
}

// What the operation does to its target, to bytes that are still to be named. A put that notifies
// is complete for those that the notification orders.
shadow_access access_of(const window_core& core, const operands& x, access_kind kind) noexcept {
  const bool accumulates = kind == access_kind::accumulate;
  const bool complete = x.notifies || has_read_on_return(core, x, kind);
  return {.complete = complete ? clock_of(core).now() : sessions::moment{},
          .kind = kind,
          .requested = x.requested,
          .in_loop = true,
          .fetches = accumulates && x.result != nullptr,
          .op = accumulates ? x.op : std::nullopt,
          .type = x.type};
}

// The runs that a shape covers at the target. Those of ranks of other nodes are noted together.
errc check_runs(window_core& core, const operands& x, shadow_access made, const char* what,
                std::vector<far_run>& far) {
  const shape& s = *x.there;
  const auto origin = static_cast<std::ptrdiff_t>(x.first.value * core.agreed.extent);
  for (std::size_t k = 0; k < s.count; ++k) {
    for (const auto& run : s.type.runs()) {
      for (std::size_t b = 0; b < run.blocks; ++b) {
        const std::ptrdiff_t low = origin + static_cast<std::ptrdiff_t>(k) * s.type.extent() +
                                   run.offset + static_cast<std::ptrdiff_t>(b) * run.stride;
        const auto bytes = run.elements * size_of(run.type);
        if (low < 0)
          return complain(core, errc::rma_range, std::string(what) + " before the window", x.at);
        const auto first = static_cast<std::uint64_t>(low) / core.agreed.extent;
        const auto last =
            (static_cast<std::uint64_t>(low) + bytes + core.agreed.extent - 1) / core.agreed.extent;
        if (const errc e = check_bounds(core, x.to, first, last - first, what, x.at);
            e != errc::success)
          return e;
        if (const errc e = check_epoch(core, x.to, what, x.at); e != errc::success) return e;
        made.low = static_cast<std::uint64_t>(low);
        made.high = made.low + bytes;
        made.type = run.type;
        if (log_of(core, x.to) == nullptr) {
          if (bytes != 0) far.push_back(far_run::of(made.low, made.high, made.type));
          continue;
        }
        if (const errc e = check_conflict(core, x.to, made, what, x.at); e != errc::success)
          return e;
      }
    }
  }
  return errc::success;
}
errc check_shape(window_core& core, const operands& x, const shadow_access& made,
                 const char* what) noexcept {
  try {
    std::vector<far_run> far;
    const errc e = check_runs(core, x, made, what, far);
    if (e != errc::success || far.empty()) return e;
    return check_far_conflict(core, x.to, made, far, what, x.at);
  } catch (const std::bad_alloc&) {
    return errc::no_mem;
  }
}

errc check(window_core& core, const operands& x, access_kind kind, const char* what) noexcept {
  shadow_access made = access_of(core, x, kind);
  if (x.there != nullptr) return check_shape(core, x, made, what);
  if (x.bytes == 0) return errc::success;
  if (const errc e = check_bounds(core, x.to, x.first.value, covering(core, x.bytes), what, x.at);
      e != errc::success)
    return e;
  if (const errc e = check_epoch(core, x.to, what, x.at); e != errc::success) return e;
  made.low = x.first.value * core.agreed.extent;
  made.high = made.low + x.bytes;
  return check_conflict(core, x.to, made, what, x.at);
}

// Whether the operation's buffers are its own until it is locally complete. Of one element they are
// the caller's on return, but in MPI, whose calls come from machine code. Whose requests complete
// is heard of in MPI alone; and some faces complete operations by themselves, which have no line.
bool keeps_buffers(const operands& x, bool several) noexcept {
  if (x.at.line == call_site::in_code) return true;
  return several && !x.requested && x.at.line != 0;
}

// In MPI origin and result have no byte in common (MPI-4.1 §12.3.4); of compare_swap, whose origin
// comes behind what is compared.
errc check_disjoint(window_core& core, const operands& x, const char* what) noexcept {
  const void* const origin = x.origins[1] != nullptr ? x.origins[1] : x.origins[0];
  const stretch read = x.origin_stretch(), written = x.result_stretch();
  if (x.at.line != call_site::in_code || !x.reads_origin() || origin == nullptr ||
      x.result == nullptr || read.bytes == 0 || written.bytes == 0)
    return errc::success;
  const auto begin_of = [](const void* memory, const stretch& part) {
    return reinterpret_cast<std::uintptr_t>(memory) + static_cast<std::uintptr_t>(part.first);
  };
  const std::uintptr_t from = begin_of(origin, read), to = begin_of(x.result, written);
  if (from >= to + written.bytes || to >= from + read.bytes) return errc::success;
  return complain(core, errc::rma_conflict,
                  std::string("result of a ") + what + " to rank " + std::to_string(x.to.value) +
                      " overlaps its own source",
                  x.at);
}

// Buffers that are used by two operations at once, or by an operation and by others in a window.
// Those with gaps may be interleaved, so they are not looked at.
errc check_buffers(window_core& core, const operands& x, const char* what,
                   std::uint64_t operation) noexcept {
  const auto gaps = [](const shape* s) { return s != nullptr && !s->type.contiguous(); };
  if (x.sparse(core) && x.shapes == nullptr) return errc::success;
  if (x.shapes != nullptr && (gaps(x.shapes->origin_shape) || gaps(x.shapes->result_shape)))
    return errc::success;
  auto& watched = core.group->session().extension<watched_memory>();
  const auto use = [&](const void* memory, stretch part, bool written) -> errc {
    if (memory == nullptr || part.bytes == 0) return errc::success;
    const std::uintptr_t low =
        reinterpret_cast<std::uintptr_t>(memory) + static_cast<std::uintptr_t>(part.first);
    const auto conflict = watched.take(
        {low, low + part.bytes, written, x.requested, &core, x.to, what, x.at, operation});
    if (!conflict) return errc::success;
    return complain(core, errc::rma_conflict,
                    std::string(written ? "result" : "source") + " of a " + what + " to rank " +
                        std::to_string(x.to.value) + " " + *conflict,
                    x.at);
  };
  errc e = check_disjoint(core, x, what);
  for (const void* origin : x.origins)
    if (e == errc::success) e = use(origin, x.origin_stretch(), false);
  return e == errc::success ? use(x.result, x.result_stretch(), true) : e;
}

// What is refused leaves no traces. Sets `operation` to that of its buffers.
errc check_all(window_core& core, const operands& x, access_kind kind, const char* what,
               bool several, std::uint64_t& operation) noexcept {
  auto& watched = core.group->session().extension<watched_memory>();
  errc e = errc::success;
  if (keeps_buffers(x, several)) {
    operation = watched.next_operation();
    e = check_buffers(core, x, what, operation);
  }
  if (e == errc::success) e = check(core, x, kind, what);
  if (e == errc::success && x.requested &&
      (kind == access_kind::get || kind == access_kind::atomic_read))
    e = watched.await_request(core, x.to);
  if (e != errc::success && operation != 0) watched.give_back(operation);
  return e;
}

// The places of the elements that an atomic operation accesses.
which_places places_of(window_core& core, const operands& x) noexcept {
  const std::uint64_t low = x.first.value * core.agreed.extent;
  return x.there != nullptr ? all_atomic_places : places_of_bytes(low, low + x.bytes);
}

// Whether this thread alone has accessed the operation's buffers, and none does any more.
bool is_over_on_return(const window_core& core, rank r) noexcept {
  return core.adversary == nullptr && !core.agreed.plan.agent && !core.agreed.plan.device &&
         core.seen_entry(r).offset != detail::unmapped;
}

// The library's own addresses for those that the program has of guarded memory.
template <class T>
T own(const guarded_memory*, T argument) noexcept {
  return argument;
}
const void* own(const guarded_memory* guard, const void* p) noexcept {
  return guard == nullptr ? p : guard->own(p);
}
void* own(const guarded_memory* guard, void* p) noexcept {
  return guard == nullptr ? p : guard->own(p);
}
detail::typed_operands own(const guarded_memory* guard, const detail::typed_operands& x) noexcept {
  detail::typed_operands mine = x;
  mine.origin = own(guard, x.origin);
  mine.result = own(guard, x.result);
  return mine;
}

// Around the operation of one slot. Who fetches what others have accumulated may rely on what these
// had made complete before.
template <auto Slot, access_kind Kind, words What, class... Args>
errc perform_checked(window_core& core, const Args&... args) noexcept {
  operands x(core, args...);
  x.requested = x.requested || begun_request::is_here();
  const bool changes = Kind != access_kind::accumulate || x.reads_origin();
  constexpr bool several =
      ((std::is_same_v<Args, std::size_t> || std::is_same_v<Args, detail::typed_operands>) || ...);
  std::uint64_t operation = 0;
  const errc e =
      check_all(core, x, changes ? Kind : access_kind::atomic_read, What.text, several, operation);
  if (e != errc::success) return e;
  check_promises(core, x.to, Kind != access_kind::get && changes, What.text, x.at);
  errc done = errc::success;
  if constexpr (Kind != access_kind::accumulate) {
    done = (core.operations.unchecked.*Slot)(core, args...);
  } else {
    const which_places places = places_of(core, x);
    // To a rank of another node this is told with the access.
    if (changes && log_of(core, x.to) != nullptr) tell_at(core, x.to, order_place::atomic, places);
    done = (core.operations.unchecked.*Slot)(core, args...);
    if (x.result != nullptr) {
      core.epochs.fetched_at.fetch_or(places, std::memory_order_relaxed);
      learn_from(core, x.to, order_place::atomic, places);
    }
  }
  if (operation != 0 && is_over_on_return(core, x.to))
    core.group->session().extension<watched_memory>().watch(operation);
  return done;
}

template <auto Slot, access_kind Kind, words What, class... Args>
errc checked(window_core& core, Args... args) noexcept {
  const access_traps::library_access mine;
  const guarded_memory* const guard = guarded_memory::of(core.group->session());
  return perform_checked<Slot, Kind, What>(core, own(guard, args)...);
}

template <auto Slot, access_kind Kind, words What, class... Args>
void put_check(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = checked<Slot, Kind, What, Args...>;
}

template <access_kind Kind, words What, auto... Slots>
void put_checks(operation_table& t) {
  (put_check<Slots, Kind, What>(t.*Slots), ...);
}

// A notification tells of what is complete: where it is ordered, of all that this rank did to the
// target before.
void notify(window_core& c, rank r) noexcept {
  if (c.agreed.promised.has(assertion::ordered_notify))
    complete_operations(c, r, flush_scope::target);
  tell_at(c, r, order_place::notification);
}

// What is refused for other reasons is not logged as done.
errc put_notify(window_core& c, rank r, disp i, const void* v, std::size_t n, detail::notice with,
                call_site at) noexcept {
  errc e = check_notification(c, r, n, with);
  if (e == errc::success)
    e = check(c, operands(c, r, i, v, n, with, at), access_kind::put, "put_notify");
  if (e == errc::success) {
    check_promises(c, r, true, "put_notify", at);
    notify(c, r);
    return c.operations.unchecked.put_notify(c, r, i, v, n, with, at);
  }
  refuse_notification(c, r, with, e);
  return e;
}

errc put_notify_typed(window_core& c, rank r, disp i, const detail::typed_operands& x,
                      detail::notice with, call_site at) noexcept {
  errc e = check_typed_notification(c, r, with);
  if (e == errc::success)
    e = check(c, operands(c, r, i, x, with, at), access_kind::put, "put_notify");
  if (e == errc::success) {
    check_promises(c, r, true, "put_notify", at);
    notify(c, r);
    return c.operations.unchecked.put_notify_typed(c, r, i, x, with, at);
  }
  refuse_notification(c, r, with, e);
  return e;
}

errc flush(window_core& c, rank r, flush_scope scope, call_site at) noexcept {
  if (!c.epochs.passive.any())
    return complain(c, errc::rma_sync, "flush outside of any lock epoch", at);
  if (r != any_rank && !c.group->has(r))
    return complain(c, errc::rank,
                    "flush of rank " + std::to_string(r.value) + ": " + c.group->ranks_in_words(),
                    at);
  return ordered_flush(c, r, scope, at);
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
  t.flush = flush;
  t.put_notify = put_notify;
  t.put_notify_typed = put_notify_typed;
}

}  // namespace oriel::win
