// any_window's operations in the order of streams.
#include <new>

#include "oriel/any_window.hpp"
#include "win/check/report_misuse.hpp"
#include "win/stream_access.hpp"
#include "win/window_core.hpp"

namespace oriel {
namespace {

using win::stream_action;
using win::stream_operation;

// The first operation of a window makes what all need.
errc try_enqueue(detail::window_core& core, device_stream on, const stream_operation& o) noexcept {
  win::stream_access* streams = nullptr;
  try {
    const std::lock_guard one_at_a_time(core.devices.late);
    if (core.devices.streams == nullptr)
      core.devices.streams = std::make_unique<win::stream_access>(core);
    streams = core.devices.streams.get();
  } catch (const error& failure) {
    return core.fail(failure.code(), failure.what());
  } catch (const std::exception&) {
    return core.fail(errc::no_mem, "operations in the order of streams");
  }
  return streams->enqueue(on.handle(), o);
}

errc enqueue(const detail::window_view& view, device_stream on,
             const stream_operation& o) noexcept {
  const errc e = try_enqueue(*view.core, on, o);
  if (e != errc::success && view.core->agreed.checked) win::report_misuse(*view.core, e, o.site);
  return e;
}

}  // namespace

status any_window::put_on(device_stream on, rank r, disp i, const void* values, std::size_t n,
                          call_site at) noexcept {
  if (!valid()) return errc::win;
  return enqueue(view_, on,
                 {.what = stream_action::put,
                  .target = r,
                  .first = i,
                  .buffer = const_cast<void*>(values),
                  .n = n,
                  .site = at});
}
status any_window::get_on(device_stream on, rank r, disp i, void* values, std::size_t n,
                          call_site at) noexcept {
  if (!valid()) return errc::win;
  return enqueue(
      view_, on,
      {.what = stream_action::get, .target = r, .first = i, .buffer = values, .n = n, .site = at});
}
status any_window::signal_on(device_stream on, rank r, std::size_t counter, std::uint32_t amount,
                             call_site at) noexcept {
  if (!valid()) return errc::win;
  return enqueue(view_, on,
                 {.what = stream_action::signal,
                  .target = r,
                  .counter = counter,
                  .amount = amount,
                  .site = at});
}
status any_window::wait_on(device_stream on, std::size_t counter, std::uint64_t at_least,
                           call_site at) noexcept {
  if (!valid()) return errc::win;
  return enqueue(view_, on,
                 {.what = stream_action::wait, .counter = counter, .amount = at_least, .site = at});
}
status any_window::wait_more_on(device_stream on, std::size_t counter, std::uint64_t amount,
                                call_site at) noexcept {
  if (!valid()) return errc::win;
  return enqueue(
      view_, on,
      {.what = stream_action::wait_more, .counter = counter, .amount = amount, .site = at});
}

}  // namespace oriel
