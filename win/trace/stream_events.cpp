#include "win/trace/stream_events.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using detail::window_core;
using trace::call;
using trace::event;

// In the order of stream_action.
constexpr std::array enqueued{call::put_on, call::get_on, call::signal_on, call::wait_on,
                              call::wait_more_on};
constexpr std::array passed{call::put, call::get, call::put_notify, call::wait_notify,
                            call::wait_notify};

event about(const window_core& core, const stream_operation& o) noexcept {
  event e;
  e.window = core.traced.window;
  switch (o.what) {
    case stream_action::put:
    case stream_action::get:
      e.bytes = o.n * core.agreed.extent;
      break;
    case stream_action::signal:
    case stream_action::wait_more:
      e.amount = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(o.amount, std::numeric_limits<std::uint32_t>::max()));
      break;
    case stream_action::wait:
      e.bytes = o.amount;
      break;
  }
  const bool aims = o.what != stream_action::wait && o.what != stream_action::wait_more;
  if (aims && core.group->has(o.target)) e.peer = core.group->world_rank(o.target.value);
  e.counter = static_cast<std::uint32_t>(o.counter);
  return e;
}

}  // namespace

void note_enqueued(const window_core& core, const stream_operation& o, kinds::stream_of_device on,
                   std::uint64_t began, errc returned) noexcept {
  event e = about(core, o);
  e.what = enqueued[static_cast<std::size_t>(o.what)];
  e.stream = core.traced.file->number_of(on);
  e.failed = static_cast<std::uint16_t>(returned);
  e.began = began;
  e.ended = trace::ticks();
  core.traced.file->note(e);
}

void note_passed(const window_core& core, const stream_operation& o, std::uint8_t stream,
                 std::uint64_t began, std::uint64_t value, errc outcome) noexcept {
  event e = about(core, o);
  e.what = passed[static_cast<std::size_t>(o.what)];
  if (e.what == call::wait_notify) {
    e.bytes = value;
    e.amount = 0;
  }
  e.stream = stream;
  e.failed = static_cast<std::uint16_t>(outcome);
  e.began = began;
  e.ended = trace::ticks();
  core.traced.file->note_of_stream(e);
}

}  // namespace oriel::win
