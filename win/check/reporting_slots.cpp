// ORIEL_CHECK: whatever an operation refuses is printed, since a program may ignore what it
// returns.
#include <string>

#include "oriel/detail/failure_note.hpp"
#include "win/check/report_misuse.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {

void report_misuse(window_core& core, errc code, call_site at) noexcept {
  if (!sessions::is_misuse(code)) return;
  sessions::findings& found = core.group->session().found();
  try {
    std::string text = core.failure.last();
    const std::string site = found.words_of(at);
    if (text.find(site) == std::string::npos) text += " (" + site + ")";
    found.report(text, at);
  } catch (const std::bad_alloc&) {
    found.report("window: no memory to tell what was found", at);
  }
}

namespace {

// The call site comes last in every slot.
call_site site_of(call_site at) noexcept {
  return at;
}
template <class First, class... Rest>
call_site site_of(const First&, const Rest&... rest) noexcept {
  return site_of(rest...);
}

// What is latched, and returned again by a flush, was printed when it happened.
template <auto Slot, class... Args>
errc reporting(window_core& core, Args... args) noexcept {
  const std::uint64_t before = detail::failures_noted();
  const errc e = (core.operations.unreported.*Slot)(core, args...);
  if (e != errc::success && detail::failures_noted() != before)
    report_misuse(core, e, site_of(args...));
  return e;
}

template <auto Slot, class... Args>
void put_around(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = reporting<Slot, Args...>;
}

template <auto... Slots>
void put_around_all(operation_table& t) {
  (put_around<Slots>(t.*Slots), ...);
}

}  // namespace

void fill_reporting_slots(operation_table& t) {
  using table = operation_table;
  put_around_all<&table::put, &table::get, &table::accumulate, &table::fetch_op,
                 &table::compare_swap, &table::put_n, &table::get_n, &table::accumulate_n,
                 &table::put_typed, &table::get_typed, &table::accumulate_typed,
                 &table::fetch_op_as, &table::compare_swap_as, &table::begin_compare_swap_as,
                 &table::accumulate_as, &table::put_notify, &table::put_notify_typed,
                 &table::wait_notify, &table::wait_notify_any, &table::read_notify, &table::fence,
                 &table::post, &table::start, &table::complete, &table::wait, &table::lock,
                 &table::unlock, &table::lock_all, &table::unlock_all, &table::flush, &table::sync,
                 &table::attach, &table::detach>(t);
}

}  // namespace oriel::win
