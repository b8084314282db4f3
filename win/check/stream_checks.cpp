#include "win/check/stream_checks.hpp"

#include <mutex>
#include <string>

#include "win/check/access_checks.hpp"
#include "win/check/order_places.hpp"
#include "win/check/report_misuse.hpp"
#include "win/check/watched_memory.hpp"
#include "win/route/peer_words.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

// Of the target's displacement space.
struct byte_range {
  std::uint64_t low, high;
};
byte_range range_of(const window_core& core, const stream_operation& o) noexcept {
  const std::uint64_t low = o.first.value * core.agreed.extent;
  return {low, low + o.n * core.agreed.extent};
}

access_kind kind_of(const stream_operation& o) noexcept {
  return o.what == stream_action::put ? access_kind::put : access_kind::get;
}

// Kernels may have waited for anything, in ways that are not seen.
void learn_what_kernels_know(const window_core& core) noexcept {
  if (core.devices.serving.load(std::memory_order_acquire) != nullptr)
    clock_of(core).learn_everything();
}

}  // namespace

errc check_elements(window_core& core, const stream_operation& o) noexcept {
  return check_bounds(core, o.target, o.first.value, o.n, name_of(o.what), o.site);
}

errc check_enqueued(window_core& core, const stream_operation& o) noexcept {
  if (core.agreed.bare) return errc::success;
  return check_epoch(core, o.target, name_of(o.what), o.site);
}

passing_operation::passing_operation(window_core& core, const stream_operation& o,
                                     bool again) noexcept
    : core_(core),
      of_(o),
      number_(core.group->session().extension<watched_memory>().next_operation()),
      refused_(core.agreed.bare ? errc::success : check(again)) {
  if (refused_ != errc::success) report_misuse(core, refused_, o.site);
}

// Epochs of post and start are the program's threads' alone.
errc passing_operation::check(bool again) noexcept {
  const char* const name = name_of(of_.what);
  if (again && !core_.epochs.pscw)
    if (const errc e = check_epoch(core_, of_.target, name, of_.site); e != errc::success) return e;
  learn_what_kernels_know(core_);
  const auto address = reinterpret_cast<std::uintptr_t>(of_.buffer);
  const auto conflict = core_.group->session().extension<watched_memory>().take(
      {.low = address,
       .high = address + of_.n * core_.agreed.extent,
       .written = of_.what == stream_action::get,
       .window = &core_,
       .target = of_.target,
       .what = name,
       .at = of_.site,
       .operation = number_});
  if (conflict)
    return complain(core_, errc::rma_conflict, std::string("buffer of a ") + name + " " + *conflict,
                    of_.site);
  const byte_range at = range_of(core_, of_);
  const shadow_access made{
      .low = at.low, .high = at.high, .kind = kind_of(of_), .type = core_.agreed.element};
  return check_conflict(core_, of_.target, made, name, of_.site);
}

passing_operation::~passing_operation() {
  core_.group->session().extension<watched_memory>().give_back(number_);
  if (refused_ != errc::success) return;
  const byte_range at = range_of(core_, of_);
  shadow_log_state* const state = log_of(core_, of_.target);
  if (state == nullptr) {
    if (core_.routes.checks != nullptr)
      core_.routes.checks->complete_alike(of_.target, kind_of(of_), {at.low, at.high},
                                          clock_of(core_).now());
    return;
  }
  shadow_log(*state, core_.epochs.world_me, core_.group->watch())
      .complete_access(core_.me(), clock_of(core_).now(), kind_of(of_), at.low, at.high);
}

void tell_of_signal(window_core& core, rank target) noexcept {
  tell_at(core, target, order_place::notification);
}

void learn_from_signals(window_core& core) noexcept {
  learn_from(core, rank{core.me()}, order_place::notification);
}

errc check_left_to_streams(window_core& core, rank r, const char* what, call_site at) noexcept {
  if (core.agreed.bare) return errc::success;
  const std::lock_guard hold(core.devices.late);
  if (core.devices.streams == nullptr) return errc::success;
  const auto left = core.devices.streams->left_to_streams(r);
  if (!left) return errc::success;
  return complain(core, errc::rma_sync,
                  std::string(what) + " before a stream has passed a " + name_of(left->what) +
                      " to rank " + std::to_string(left->target.value) + ", of " +
                      core.group->session().found().words_of(left->site),
                  at);
}

}  // namespace oriel::win
