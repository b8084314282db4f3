// ORIEL_TRACE: every call of the window's table is noted with its times. A window is traced by
// other functions in its table; the operations of one that is not have nothing of this.
#include "win/slots/operands.hpp"
#include "win/slots/slots.hpp"
#include "win/trace/trace_file.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using trace::call;
using trace::event;

// What arguments say of an event.
class subject {
 public:
  subject(const window_core& core, event& e) noexcept : core_(core), event_(e) {}

  template <class T>
  void say(const T&) noexcept {}
  // Every target's; a rank that does not exist is nobody's.
  void say(rank r) noexcept {
    if (core_.group->has(r)) event_.peer = core_.group->world_rank(r.value);
  }
  void say(const detail::notice& n) noexcept {
    event_.counter = static_cast<std::uint32_t>(n.counter);
    event_.amount = n.amount;
  }
  void say(const detail::element_list& x) noexcept { event_.bytes = x.n * core_.agreed.extent; }

 private:
  const window_core& core_;
  event& event_;
};

void note(window_core& core, event& e, call what, errc returned, std::uint64_t began) noexcept {
  e.began = began;
  e.ended = trace::ticks();
  e.what = what;
  e.window = core.traced.window;
  e.failed = static_cast<std::uint16_t>(returned);
  core.traced.file->note(e);
}

template <auto Slot, call What, class... Args>
errc traced(window_core& core, Args... args) noexcept {
  const std::uint64_t began = trace::ticks();
  const errc e = (core.operations.untraced.*Slot)(core, args...);
  event noted;
  subject of(core, noted);
  (of.say(args), ...);
  note(core, noted, What, e, began);
  return e;
}

// Of operations on elements, or on what a datatype lays out.
template <auto Slot, call What, class... Args>
errc traced_operation(window_core& core, Args... args) noexcept {
  const std::uint64_t began = trace::ticks();
  const errc e = (core.operations.untraced.*Slot)(core, args...);
  event noted;
  subject of(core, noted);
  (of.say(args), ...);
  const operands x(core, args...);
  noted.bytes = x.there == nullptr ? x.bytes : x.there->count * x.there->type.size();
  note(core, noted, What, e, began);
  return e;
}

errc traced_wait_notify(window_core& core, std::size_t counter, std::uint64_t at_least,
                        std::optional<std::chrono::milliseconds> at_most, call_site at) noexcept {
  const std::uint64_t began = trace::ticks();
  const errc e = core.operations.untraced.wait_notify(core, counter, at_least, at_most, at);
  event noted;
  noted.counter = static_cast<std::uint32_t>(counter);
  noted.bytes = at_least;
  note(core, noted, call::wait_notify, e, began);
  return e;
}

errc traced_wait_notify_any(window_core& core, std::size_t first,
                            std::span<const std::uint64_t> at_least, std::size_t* counter,
                            std::optional<std::chrono::milliseconds> at_most,
                            call_site at) noexcept {
  const std::uint64_t began = trace::ticks();
  const errc e =
      core.operations.untraced.wait_notify_any(core, first, at_least, counter, at_most, at);
  event noted;
  noted.counter = static_cast<std::uint32_t>(e == errc::success ? *counter : first);
  if (e == errc::success) noted.bytes = at_least[*counter - first];
  note(core, noted, call::wait_notify, e, began);
  return e;
}

template <auto Slot, call What, class... Args>
void put_trace(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = traced<Slot, What, Args...>;
}
template <auto Slot, call What, class... Args>
void put_operation_trace(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = traced_operation<Slot, What, Args...>;
}

template <call What, auto... Slots>
void put_traces(operation_table& t) {
  (put_trace<Slots, What>(t.*Slots), ...);
}
template <call What, auto... Slots>
void put_operation_traces(operation_table& t) {
  (put_operation_trace<Slots, What>(t.*Slots), ...);
}

}  // namespace

void fill_traced_slots(operation_table& t) {
  using table = operation_table;
  put_operation_traces<call::put, &table::put, &table::put_n, &table::put_typed>(t);
  put_operation_traces<call::get, &table::get, &table::get_n, &table::get_typed>(t);
  put_operation_traces<call::accumulate, &table::accumulate, &table::accumulate_n,
                       &table::accumulate_as, &table::accumulate_typed>(t);
  put_operation_traces<call::fetch_op, &table::fetch_op, &table::fetch_op_as>(t);
  put_operation_traces<call::compare_swap, &table::compare_swap, &table::compare_swap_as,
                       &table::begin_compare_swap_as>(t);
  put_operation_traces<call::put_notify, &table::put_notify, &table::put_notify_typed>(t);
  put_traces<call::list, &table::list>(t);
  put_traces<call::fence, &table::fence>(t);
  put_traces<call::post, &table::post>(t);
  put_traces<call::start, &table::start>(t);
  put_traces<call::complete, &table::complete>(t);
  put_traces<call::wait, &table::wait>(t);
  put_traces<call::lock, &table::lock>(t);
  put_traces<call::unlock, &table::unlock>(t);
  put_traces<call::lock_all, &table::lock_all>(t);
  put_traces<call::unlock_all, &table::unlock_all>(t);
  put_traces<call::flush, &table::flush>(t);
  put_traces<call::sync, &table::sync>(t);
  put_traces<call::attach, &table::attach>(t);
  put_traces<call::detach, &table::detach>(t);
  t.wait_notify = traced_wait_notify;
  t.wait_notify_any = traced_wait_notify_any;
}

}  // namespace oriel::win
