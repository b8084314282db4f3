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

// `perform(table)` makes the call, and `describe(event, returned)` says what it was.
template <class Perform, class Describe>
errc note(window_core& core, call what, Perform perform, Describe describe) noexcept {
  event e;
  e.began = trace::ticks();
  const errc returned = perform(core.operations.untraced);
  e.what = what;
  e.window = core.traced.window;
  e.failed = static_cast<std::uint16_t>(returned);
  describe(e, returned);
  e.ended = trace::ticks();
  core.traced.file->note(e);
  return returned;
}

// Of elements, or of what a datatype lays out.
constexpr bool has_operands(call what) noexcept {
  return (what >= call::put && what <= call::compare_swap) || what == call::put_notify;
}

template <auto Slot, call What, class... Args>
errc traced(window_core& core, Args... args) noexcept {
  return note(
      core, What, [&](const operation_table& to) noexcept { return (to.*Slot)(core, args...); },
      [&](event& e, errc) noexcept {
        subject of(core, e);
        (of.say(args), ...);
        if constexpr (has_operands(What)) {
          const operands x(core, args...);
          e.bytes = x.there == nullptr ? x.bytes : x.there->count * x.there->type.size();
        }
      });
}

errc traced_wait_notify(window_core& core, std::size_t counter, std::uint64_t at_least,
                        std::optional<std::chrono::milliseconds> at_most, call_site at) noexcept {
  return note(
      core, call::wait_notify,
      [&](const operation_table& to) noexcept {
        return to.wait_notify(core, counter, at_least, at_most, at);
      },
      [&](event& e, errc) noexcept {
        e.counter = static_cast<std::uint32_t>(counter);
        e.bytes = at_least;
      });
}

errc traced_wait_notify_any(window_core& core, std::size_t first,
                            std::span<const std::uint64_t> at_least, std::size_t* counter,
                            std::optional<std::chrono::milliseconds> at_most,
                            call_site at) noexcept {
  return note(
      core, call::wait_notify,
      [&](const operation_table& to) noexcept {
        return to.wait_notify_any(core, first, at_least, counter, at_most, at);
      },
      [&](event& e, errc returned) noexcept {
        e.counter = static_cast<std::uint32_t>(returned == errc::success ? *counter : first);
        if (returned == errc::success) e.bytes = at_least[*counter - first];
      });
}

template <auto Slot, call What, class... Args>
void put_trace(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = traced<Slot, What, Args...>;
}

template <call What, auto... Slots>
void put_traces(operation_table& t) {
  (put_trace<Slots, What>(t.*Slots), ...);
}

}  // namespace

void fill_traced_slots(operation_table& t) {
  using table = operation_table;
  put_traces<call::put, &table::put, &table::put_n, &table::put_typed>(t);
  put_traces<call::get, &table::get, &table::get_n, &table::get_typed>(t);
  put_traces<call::accumulate, &table::accumulate, &table::accumulate_n, &table::accumulate_as,
             &table::accumulate_typed>(t);
  put_traces<call::fetch_op, &table::fetch_op, &table::fetch_op_as>(t);
  put_traces<call::compare_swap, &table::compare_swap, &table::compare_swap_as,
             &table::begin_compare_swap_as>(t);
  put_traces<call::put_notify, &table::put_notify, &table::put_notify_typed>(t);
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
