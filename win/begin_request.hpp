// How operations with requests are begun.
#pragma once

#include "win/adversary/adversary.hpp"
#include "win/check/begun_request.hpp"
#include "win/check/checked_request.hpp"
#include "win/route/request_state.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// `begin` performs the operation with the state that it is given, which may be null.
template <class Begin>
request begin_long(const detail::window_core& core, rank r, call_site at, Begin begin) noexcept {
  try {
    std::shared_ptr<detail::request_state> state;
    if (core.agreed.checked && !holds_back(core) && at.line != call_site::in_code)
      state = std::make_shared<checked_request>(core, r);
    else
      state = state_of_request(core, r);
    const errc begun = begin(state.get());
    if (begun != errc::success && holds_back(core)) return request(begun);  // refused at once
    return {begun, std::move(state)};
  } catch (const std::bad_alloc&) {
    return request(errc::no_mem);
  }
}

// What is complete on return; a device's copies are waited for.
template <class Begin>
request begin_short(const detail::window_core& core, rank r, Begin begin) noexcept {
  const auto alone = [&]() noexcept {
    detail::request_state given(core.group, r);
    return begin(&given);
  };
  const errc e = core.needs_request(r) ? alone() : begin(nullptr);
  return request(e == errc::success && core.devices.memory != nullptr ? core.devices.memory->drain()
                                                                      : e);
}

template <class Begin>
[[gnu::cold]] request begin_watched(const detail::window_core& core, rank r, call_site at,
                                    Begin begin) noexcept {
  if (holds_back(core)) return begin_long(core, r, at, begin);
  const begun_request here;
  request begun = begin_short(core, r, begin);
  const status s = begun.wait();
  if (!s.ok() || !core.agreed.checked || at.line == call_site::in_code) return begun;
  try {
    return {s, std::make_shared<checked_request>(core, r)};
  } catch (const std::bad_alloc&) {
    return begun;
  }
}

// Only operations to other nodes outlive the call.
template <class Begin>
request begin_request(const detail::window_core& core, rank r, call_site at, Begin begin) noexcept {
  if (core.routes.to(r).tracked) return begin_long(core, r, at, begin);
  return core.agreed.watched ? begin_watched(core, r, at, begin) : begin_short(core, r, begin);
}

}  // namespace oriel::win
