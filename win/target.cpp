#include "win/target.hpp"

#include <algorithm>
#include <cstring>

#include "transport/cma.hpp"
#include "transport/pieces.hpp"
#include "win/layout_walk.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

transport::mail letter(transport::mail_kind kind, std::uint64_t address,
                       std::size_t bytes) noexcept {
  transport::mail m;
  m.kind = kind;
  m.address = address;
  m.elements = static_cast<std::uint32_t>(bytes);
  return m;
}

// By the kernel where it lets us, else through the owner's agent, a payload at a time. The owner is
// not asked about memory that the kernel does not find: its agent would fault on it.
template <class ByKernel, class ByAgent>
errc unmapped_transfer(window_core& core, const target& at, std::ptrdiff_t offset,
                       std::size_t bytes, const char* what, ByKernel by_kernel,
                       ByAgent by_agent) noexcept {
  const std::uint64_t address = at.address + static_cast<std::uint64_t>(offset);
  errc result = errc::system;
  if (core.cma[static_cast<std::size_t>(at.owner.value)]) {
    const boot::job& job = core.group->session().job();
    result = by_kernel(job.pid_of(core.group->world_rank(at.owner.value)), address);
  }
  if (result == errc::system) {
    result = transport::in_pieces(bytes, transport::mail_payload,
                                  [&](std::size_t done, std::size_t piece) noexcept {
                                    return by_agent(address + done, done, piece);
                                  });
  }
  return result == errc::success ? result : fail_with(core, result, at.owner, what);
}

}  // namespace

errc by_device(window_core& core, const target& at, errc e, const char* what) noexcept {
  if (e == errc::success) return e;
  return core.fail(e, std::string(what) + " with the device memory of rank " +
                          std::to_string(at.owner.value) +
                          " failed: " + core.device->runtime().last_failure());
}

namespace {

// False when [i, i + n) does not lie in one segment of an attach window, or beyond what a rank of
// another node exposes: there a stray access would not touch other memory, but end the connection.
bool look_up(window_core& core, rank r, disp i, std::uint64_t n, target& found) noexcept {
  found.owner = r;
  const std::uint64_t extent = core.extent;
  if (core.is_far(r)) {
    found.far = true;
    found.address = i.value * extent;
    // What is attached, its owner knows.
    const std::uint64_t count = core.shared_entry(r).count;
    return core.promised.has(assertion::attach) || (i.value <= count && n <= count - i.value);
  }
  if (std::byte* const base = core.on_device(r)) {
    found.device = base + i.value * extent;
    return true;
  }
  if (!core.promised.has(assertion::attach)) {
    const detail::segment_entry& entry = core.own_entries.empty()
                                             ? core.shared_entry(r)
                                             : core.own_entries[static_cast<std::size_t>(r.value)];
    if (entry.offset != detail::unmapped) {
      found.mapped = core.view.base + entry.offset + i.value * extent;
      return true;
    }
  }
  const auto record = core.book(r).find(i.value, n, extent);
  if (!record) return false;
  const std::uint64_t within = (i.value - record->first) * extent;
  if (record->offset != detail::unmapped)
    found.mapped = core.node_memory().base() + record->offset + within;
  else if (r.value == core.me())
    found.mapped = reinterpret_cast<std::byte*>(record->address) + within;  // NOLINT
  else
    found.address = record->address + within;
  return true;
}

errc out_of_range(window_core& core, rank r, disp i, std::uint64_t n) noexcept {
  std::string text = "elements [" + std::to_string(i.value) + ", " + std::to_string(i.value + n) +
                     ") of rank " + std::to_string(r.value);
  text += core.promised.has(assertion::attach)
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
  if (!core.promised.has(assertion::attach) && !core.is_far(r)) {
    look_up(core, r, i, 1, found);
    return errc::success;
  }
  const stretch data = stretch_of(s);
  const auto extent = static_cast<std::ptrdiff_t>(core.extent);
  const std::ptrdiff_t end = data.first + static_cast<std::ptrdiff_t>(data.bytes);
  // Rounded down, also below 0.
  const std::ptrdiff_t first = (data.first - (data.first < 0 ? extent - 1 : 0)) / extent;
  const auto n = static_cast<std::uint64_t>((end - first * extent + extent - 1) / extent);
  const disp lowest{i.value + static_cast<std::uint64_t>(first)};
  if (!look_up(core, r, lowest, n, found)) {
    if (!core.promised.has(assertion::attach)) return out_of_range(core, r, lowest, n);
    found.scattered = true;
    return errc::success;
  }
  if (found.mapped != nullptr) found.mapped = moved(found.mapped, -first * extent);
  found.address -= static_cast<std::uint64_t>(first * extent);
  return errc::success;
}

errc write_bytes(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
                 std::size_t bytes, transport::pending_ops* also) noexcept {
  if (at.mapped != nullptr) {
    std::memcpy(moved(at.mapped, offset), from, bytes);
    return errc::success;
  }
  if (at.device != nullptr)
    return by_device(core, at, core.device->copy(at.device + offset, from, bytes), "put");
  if (at.far) {
    const errc e =
        core.far->put(at.owner, at.address + static_cast<std::uint64_t>(offset), from, bytes, also);
    return e == errc::success ? e : fail_with(core, e, at.owner, "put");
  }
  const auto* const source = static_cast<const std::byte*>(from);
  return unmapped_transfer(
      core, at, offset, bytes, "put",
      [&](pid_t owner, std::uint64_t address) {
        return transport::cma_write(owner, address, from, bytes);
      },
      [&](std::uint64_t address, std::size_t done, std::size_t piece) {
        return core.mailbox->ask(static_cast<int>(core.place(at.owner)),
                                 letter(transport::mail_kind::put, address, piece), source + done,
                                 piece, nullptr, 0);
      });
}

errc read_bytes(window_core& core, const target& at, std::ptrdiff_t offset, void* to,
                std::size_t bytes, transport::pending_ops* also) noexcept {
  if (at.mapped != nullptr) {
    std::memcpy(to, moved(at.mapped, offset), bytes);
    return errc::success;
  }
  if (at.device != nullptr)
    return by_device(core, at, core.device->copy(to, at.device + offset, bytes), "get");
  if (at.far) {
    const errc e =
        core.far->get(at.owner, at.address + static_cast<std::uint64_t>(offset), to, bytes, also);
    return e == errc::success ? e : fail_with(core, e, at.owner, "get");
  }
  auto* const sink = static_cast<std::byte*>(to);
  return unmapped_transfer(
      core, at, offset, bytes, "get",
      [&](pid_t owner, std::uint64_t address) {
        return transport::cma_read(owner, address, to, bytes);
      },
      [&](std::uint64_t address, std::size_t done, std::size_t piece) {
        return core.mailbox->ask(static_cast<int>(core.place(at.owner)),
                                 letter(transport::mail_kind::get, address, piece), nullptr, 0,
                                 sink + done, piece);
      });
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
  return core.fail(code, failed_with(*core.group, code, r, what));
}

}  // namespace oriel::win
