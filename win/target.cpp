#include "win/target.hpp"

#include <algorithm>
#include <cstring>

#include "transport/cma.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

// Through the owner's agent, a payload at a time.
template <class Ask>
errc in_payloads(std::size_t bytes, Ask ask) noexcept {
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min(transport::mail_payload, bytes - done);
    if (const errc e = ask(done, piece); e != errc::success) return e;
    done += piece;
  }
  return errc::success;
}

transport::mail letter(transport::mail_kind kind, std::uint64_t address, std::size_t bytes) noexcept {
  transport::mail m;
  m.kind = kind;
  m.address = address;
  m.elements = static_cast<std::uint32_t>(bytes);
  return m;
}

}  // namespace

errc find_target(window_core& core, rank r, disp i, std::uint64_t n, target& found) noexcept {
  found.owner = r;
  const std::uint64_t extent = core.extent;
  if (!core.promised.has(assertion::attach)) {
    const detail::segment_entry& entry =
        core.own_entries.empty() ? core.shared_entry(r)
                                 : core.own_entries[static_cast<std::size_t>(r.value)];
    if (entry.offset != detail::unmapped) {
      found.mapped = core.view.base + entry.offset + i.value * extent;
      return errc::success;
    }
  }
  const auto record = core.book(r).find(i.value, n);
  if (!record)
    return core.fail(errc::rma_range,
                     "elements [" + std::to_string(i.value) + ", " + std::to_string(i.value + n) +
                         ") of rank " + std::to_string(r.value) +
                         " do not lie in one buffer that it exposes");
  const std::uint64_t within = (i.value - record->first) * extent;
  if (record->offset != detail::unmapped)
    found.mapped = core.node_memory().base() + record->offset + within;
  else if (r.value == core.me())
    found.mapped = reinterpret_cast<std::byte*>(record->address) + within;  // NOLINT
  else
    found.address = record->address + within;
  return errc::success;
}

errc write_bytes(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
                 std::size_t bytes) noexcept {
  if (at.mapped != nullptr) {
    std::memcpy(at.mapped + offset, from, bytes);
    return errc::success;
  }
  const std::uint64_t address = at.address + static_cast<std::uint64_t>(offset);
  const int world = core.group->world_rank(at.owner.value);
  boot::job& job = core.group->session().job();
  errc result = errc::success;
  if (core.cma[static_cast<std::size_t>(at.owner.value)]) {
    result = transport::cma_write(job.pid_of(world), address, from, bytes);
  } else {
    result = in_payloads(bytes, [&](std::size_t done, std::size_t piece) {
      return core.mailbox->ask(at.owner.value, job.doorbell(world),
                               letter(transport::mail_kind::put, address + done, piece),
                               static_cast<const std::byte*>(from) + done, piece, nullptr, 0);
    });
  }
  return result == errc::success ? result
                                 : core.fail(result, "put of " + std::to_string(bytes) +
                                                         " bytes to rank " +
                                                         std::to_string(at.owner.value) + " failed");
}

errc read_bytes(window_core& core, const target& at, std::ptrdiff_t offset, void* to,
                std::size_t bytes) noexcept {
  if (at.mapped != nullptr) {
    std::memcpy(to, at.mapped + offset, bytes);
    return errc::success;
  }
  const std::uint64_t address = at.address + static_cast<std::uint64_t>(offset);
  const int world = core.group->world_rank(at.owner.value);
  boot::job& job = core.group->session().job();
  errc result = errc::success;
  if (core.cma[static_cast<std::size_t>(at.owner.value)]) {
    result = transport::cma_read(job.pid_of(world), address, to, bytes);
  } else {
    result = in_payloads(bytes, [&](std::size_t done, std::size_t piece) {
      return core.mailbox->ask(at.owner.value, job.doorbell(world),
                               letter(transport::mail_kind::get, address + done, piece), nullptr, 0,
                               static_cast<std::byte*>(to) + done, piece);
    });
  }
  return result == errc::success ? result
                                 : core.fail(result, "get of " + std::to_string(bytes) +
                                                         " bytes from rank " +
                                                         std::to_string(at.owner.value) + " failed");
}

}  // namespace oriel::win
