// ORIEL_ADVERSARY: operations are held back, and calls that synchronize perform them and are
// delayed. What an operation refuses it refuses at once.
#include <algorithm>
#include <new>
#include <tuple>
#include <type_traits>

#include "win/adversary/adversary.hpp"
#include "win/adversary/results_come_later.hpp"
#include "win/slots/atomic_access.hpp"
#include "win/slots/operands.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {
namespace {

using detail::request_state;
using detail::typed_operands;

template <class T, class... Args>
constexpr std::size_t count_of = (std::size_t{std::is_same_v<T, Args>} + ...);
template <class... Args>
constexpr bool swaps = count_of<const void*, Args...> == 2;

// The argument that is a T.
template <class T, class... Args>
T argument(Args... args) noexcept {
  return std::get<T>(std::tuple<Args...>(args...));
}

// --- What would be refused

template <class Runs, class Test>
bool all_types(const Runs& runs, Test test) noexcept {
  return std::all_of(runs.begin(), runs.end(), [&](const auto& run) { return test(run.type); });
}

bool is_defined(const window_core& core, const operands& x, atomic_op op) noexcept {
  const auto defined = [&](primitive p) { return kernel_for(core, op, p) != nullptr; };
  if (x.shapes != nullptr) return all_types(x.there->type.runs(), defined);
  return x.sparse(core) ? all_types(core.agreed.base.runs(), defined) : defined(x.type);
}

bool signatures_match(const operands& x) noexcept {
  const auto matches = [&](const shape* s) {
    return s == nullptr ||
           datatype::signatures_match(s->type, s->count, x.there->type, x.there->count);
  };
  return (!x.reads_origin() || matches(x.shapes->origin_shape)) && matches(x.shapes->result_shape);
}

// Whether the elements are there; not where there are none.
bool finds_target(window_core& core, const operands& x) noexcept {
  target at;
  if (x.shapes == nullptr)
    return x.bytes != 0 &&
           find_target(core, x.to, x.first, covering(core, x.bytes), at) == errc::success;
  return x.there->count * x.there->type.size() != 0 && signatures_match(x) &&
         find_target(core, x.to, x.first, *x.there, at) == errc::success;
}

template <class... Args>
bool would_be_done(window_core& core, const operands& x, Args... args) noexcept {
  if constexpr (count_of<atomic_op, Args...> != 0)
    if (!is_defined(core, x, argument<atomic_op, Args...>(args...))) return false;
  if constexpr (swaps<Args...>) {
    const bool is_element = count_of<primitive, Args...> != 0 ? x.type != primitive::opaque
                                                              : core.agreed.base.contiguous();
    if (!is_element || atomics::compare_swap_kernel(x.bytes) == nullptr) return false;
  }
  return finds_target(core, x);
}

// --- Holding back

// In the order of the calls, among others of the same sort.
template <class... Args>
bool is_ordered(const window_core& core, Args... args) noexcept {
  if constexpr (count_of<atomic_op, Args...> == 0 && !swaps<Args...>) return false;
  if (core.agreed.promised.has(assertion::ordered_accumulate) || results_come_later::is_here())
    return true;
  if constexpr (count_of<atomic_op, Args...> != 0) {
    const atomic_op op = argument<atomic_op, Args...>(args...);
    return core.agreed.promised.has(assertion::ordered_replace) &&
           (op == atomic_op::replace || op == atomic_op::no_op);
  }
  return false;
}

// What of its buffers an operation keeps after the call. Of one element they are the program's on
// return, but in MPI, whose calls come from machine code.
struct kept_buffers {
  bool sources = false, result = false;
};
// Of one slot results are usable after a flush.
template <auto Slot>
constexpr bool is_begun = false;
template <>
constexpr bool is_begun<&operation_table::begin_compare_swap_as> = true;
bool is_one_element(const shape& s) noexcept {
  return s.type.base() != primitive::opaque && s.count * s.type.size() == size_of(s.type.base());
}
template <auto Slot, class... Args>
kept_buffers kept_by(const operands& x, Args... args) noexcept {
  if (results_come_later::is_here()) return {.sources = false, .result = true};
  if (x.requested || x.at.line == call_site::in_code) return {.sources = true, .result = true};
  if constexpr (count_of<std::size_t, Args...> != 0) {
    const bool several = argument<std::size_t, Args...>(args...) != 1;
    return {.sources = several, .result = several};
  } else {
    const bool several = x.shapes != nullptr && !is_one_element(*x.there);
    return {.sources = several, .result = several || is_begun<Slot>};
  }
}

// Most operations within a node need none.
template <class Arg>
Arg known_to_route(const window_core& core, rank r, Arg arg) noexcept {
  if constexpr (std::is_same_v<Arg, request_state*>)
    return core.group->has(r) && core.needs_request(r) ? arg : nullptr;
  else
    return arg;
}

template <auto Slot, class... Args>
errc perform_now(window_core& core, const operands& x, Args... args) noexcept {
  return (core.operations.unwatched.*Slot)(core, known_to_route<Args>(core, x.to, args)...);
}

// Returns false where there is no memory for it.
template <auto Slot, class... Args>
bool hold(window_core& core, const operands& x, bool ordered, bool keeps_sources,
          Args... args) noexcept try {
  auto one = std::make_unique<held_call<Slot, Args...>>(args...);
  one->to = x.to;
  one->fetches = x.result_stretch().bytes != 0;
  one->ordered = ordered;
  if constexpr (count_of<request_state*, Args...> != 0)
    one->request = static_cast<late_request*>(argument<request_state*, Args...>(args...));
  if (!keeps_sources && !one->keep_sources(core)) return false;
  poison_result(core, x);
  core.adversary->hold(std::move(one));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

template <auto Slot, class... Args>
errc late(window_core& core, Args... args) noexcept {
  const operands x(core, args...);
  const bool ordered = is_ordered<Args...>(core, args...);
  const kept_buffers keeps = kept_by<Slot, Args...>(x, args...);
  const bool waits = x.result_stretch().bytes != 0 && !keeps.result;
  if (!waits && core.group->has(x.to) && would_be_done<Args...>(core, x, args...) &&
      hold<Slot, Args...>(core, x, ordered, keeps.sources, args...))
    return errc::success;
  if (ordered) core.adversary->complete_ordered(x.to);
  return perform_now<Slot, Args...>(core, x, args...);
}

template <auto Slot, class... Args>
void put_late(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = late<Slot, Args...>;
}
template <auto... Slots>
void put_all_late(operation_table& t) {
  (put_late<Slots>(t.*Slots), ...);
}

errc list(window_core& core, const detail::element_list& x, call_site at) noexcept {
  const results_come_later here;
  return core.operations.unwatched.list(core, x, at);
}

// --- Synchronization

// Performs what must be complete before the call of one slot, and delays it.
template <auto Slot, class... Args>
errc delayed(window_core& core, Args... args) noexcept {
  core.adversary->delay();
  const errc e = (core.operations.unwatched.*Slot)(core, args...);
  core.adversary->delay();
  return e;
}

template <auto Slot, class... Args>
void put_delay(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = delayed<Slot, Args...>;
}
template <auto... Slots>
void put_delays(operation_table& t) {
  (put_delay<Slots>(t.*Slots), ...);
}

errc fence(window_core& core, sync_mode mode, call_site at) noexcept {
  core.adversary->complete(any_rank);
  return delayed<&operation_table::fence>(core, mode, at);
}
errc complete(window_core& core, call_site at) noexcept {
  for (const rank t : core.epochs.started) core.adversary->complete(t);
  return delayed<&operation_table::complete>(core, at);
}
errc unlock(window_core& core, rank r, call_site at) noexcept {
  core.adversary->complete(r);
  return delayed<&operation_table::unlock>(core, r, at);
}
errc unlock_all(window_core& core, call_site at) noexcept {
  core.adversary->complete(any_rank);
  return delayed<&operation_table::unlock_all>(core, at);
}
errc flush(window_core& core, rank r, flush_scope scope, call_site at) noexcept {
  if (scope == flush_scope::local)
    core.adversary->complete_locally(r);
  else
    core.adversary->complete(r);
  return delayed<&operation_table::flush>(core, r, scope, at);
}

// Notifications leave at once, since no later call of the origin need follow; and behind what was
// begun before only where that is promised.
void before_notification(window_core& core, rank r) noexcept {
  core.adversary->delay();
  if (core.agreed.promised.has(assertion::ordered_notify)) core.adversary->complete(r);
}
errc put_notify(window_core& core, rank r, disp i, const void* values, std::size_t n,
                detail::notice with, call_site at) noexcept {
  before_notification(core, r);
  return core.operations.unwatched.put_notify(core, r, i, values, n, with, at);
}
errc put_notify_typed(window_core& core, rank r, disp i, const typed_operands& x,
                      detail::notice with, call_site at) noexcept {
  before_notification(core, r);
  return core.operations.unwatched.put_notify_typed(core, r, i, x, with, at);
}

}  // namespace

void fill_late_slots(operation_table& t, const window_core& core) {
  using table = operation_table;
  put_delays<&table::post, &table::start, &table::wait, &table::lock, &table::lock_all,
             &table::sync, &table::wait_notify, &table::wait_notify_any>(t);
  t.fence = fence;
  t.complete = complete;
  t.unlock = unlock;
  t.unlock_all = unlock_all;
  t.flush = flush;
  t.put_notify = put_notify;
  t.put_notify_typed = put_notify_typed;
  if (!holds_back(core)) return;
  put_all_late<&table::put, &table::get, &table::accumulate, &table::fetch_op, &table::compare_swap,
               &table::put_n, &table::get_n, &table::accumulate_n, &table::put_typed,
               &table::get_typed, &table::accumulate_typed, &table::accumulate_as,
               &table::fetch_op_as, &table::compare_swap_as, &table::begin_compare_swap_as>(t);
  t.list = list;
}

}  // namespace oriel::win
