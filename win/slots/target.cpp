#include "win/slots/target.hpp"

#include <algorithm>

#include "win/datatype/layout_walk.hpp"
#include "win/statistics/noted_wait.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

bool look_up(const window_core& core, rank r, disp i, std::uint64_t n, target& found) noexcept {
  found.owner = r;
  found.by = &core.routes.to(r);
  return found.by->find(core, r, i, n, found);
}

errc out_of_range(window_core& core, rank r, disp i, std::uint64_t n) noexcept {
  const bool ends = n <= ~i.value;
  std::string text =
      ends ? "elements [" + std::to_string(i.value) + ", " + std::to_string(i.value + n) + ")"
           : std::to_string(n) + " elements from " + std::to_string(i.value) + " on";
  text += " of rank " + std::to_string(r.value);
  text += core.agreed.promised.has(assertion::attach)
              ? " do not lie in one buffer that it exposes"
              : ", which exposes " + std::to_string(core.shared_entry(r).count);
  return core.fail(errc::rma_range, text);
}

}  // namespace

errc find_target(window_core& core, rank r, disp i, std::uint64_t n, target& found) noexcept {
  if (look_up(core, r, i, n, found)) [[likely]]
    return errc::success;
  return out_of_range(core, r, i, n);
}

errc find_target(window_core& core, rank r, disp i, const shape& s, target& found) noexcept {
  // Within the node only what is attached is looked up.
  if (!core.agreed.promised.has(assertion::attach) && !core.routes.to(r).tracked) {
    look_up(core, r, i, 1, found);
    return errc::success;
  }
  const stretch data = stretch_of(s);
  const auto extent = static_cast<std::ptrdiff_t>(core.agreed.extent);
  const std::ptrdiff_t end = data.first + static_cast<std::ptrdiff_t>(data.bytes);
  // Rounded down, also below 0.
  const std::ptrdiff_t first = (data.first - (data.first < 0 ? extent - 1 : 0)) / extent;
  const auto n = static_cast<std::uint64_t>((end - first * extent + extent - 1) / extent);
  const disp lowest{i.value + static_cast<std::uint64_t>(first)};
  if (!look_up(core, r, lowest, n, found)) {
    if (!core.agreed.promised.has(assertion::attach)) return out_of_range(core, r, lowest, n);
    found.scattered = true;
    return errc::success;
  }
  if (found.mapped != nullptr) found.mapped = moved(found.mapped, -first * extent);
  found.address -= static_cast<std::uint64_t>(first * extent);
  return errc::success;
}

std::string failed_with(const detail::team_state& group, errc code, rank r, const char* what) {
  std::string text = std::string(what) + " with " +
                     (r == any_rank ? "some rank" : "rank " + std::to_string(r.value));
  switch (code) {
    case errc::peer_failed:
      text += r == any_rank ? ": " + group.reason(code) : ", " + group.fate_in_words(r.value);
      break;
    case errc::timed_out:
      text += ", which did not answer within ORIEL_TIMEOUT";
      break;
    case errc::rma_sync:
      text += ", which has freed the window, or begun to";
      break;
    case errc::rma_range:
      text += ": no such memory is exposed there";
      break;
    default:
      text += " failed";
  }
  return text;
}

errc fail_with(window_core& core, errc code, rank r, const char* what) noexcept {
  std::string text = failed_with(*core.group, code, r, what);
  const bool on_device =
      r == any_rank ? core.devices.memory != nullptr : core.routes.where(r) == place::device_memory;
  if (code == errc::timed_out && on_device)
    text += std::string(", or whose device had no room for an atomic's kernel; ") +
            device_window::leave_room;
  return core.fail(code, text);
}

errc wait_for(window_core& core, tracker& one, rank r, errc begun, const char* what) noexcept {
  const noted_wait noted(core, wait_cause::completion, r);
  const errc ended = core.routes.remote->wait(one, r);
  return begun == errc::success ? latched(core, ended, r, what) : begun;
}

}  // namespace oriel::win
