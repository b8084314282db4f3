#include "win/route/deferred_puts.hpp"

#include "transport/cma.hpp"
#include "win/route/cma_pieces.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

// So many the kernel copies sooner than an owner answers whose agent may be asleep.
constexpr std::size_t few = 16;

errc write_each(pid_t owner, const sync::put_list& list) noexcept {
  pieces all;
  const errc listed = sync::put_list::for_each(
      list.data(), list.bytes(),
      [&all](std::uint64_t to, const std::byte* from, std::size_t bytes) noexcept {
        all.add(from, to, bytes);
        return errc::success;
      });
  if (listed != errc::success) return listed;
  return all.move([owner](auto there, auto here) noexcept {
    return transport::cma_write_pieces(owner, there, here);
  });
}

// A flush has work, or has it no longer.
void count_pending(window_core& core, std::int32_t change) noexcept {
  std::atomic<std::uint32_t>& pending = core.hot.pending;
  const auto by = static_cast<std::uint32_t>(change);
  if (core.view.one_thread && core.routes.remote == nullptr)
    pending.store(pending.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  else
    pending.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace

std::unique_lock<std::mutex> deferred_puts::turn(const window_core& core) noexcept {
  return core.view.one_thread ? std::unique_lock(changing_, std::defer_lock)
                              : std::unique_lock(changing_);
}

errc deferred_puts::put(window_core& core, const target& at, std::uint64_t address,
                        const void* from, std::size_t bytes) noexcept {
  const auto hold = turn(core);
  if (!follows_) {
    follows_ = true;
    count_pending(core, 1);
    const errc e = transport::cma_write(process_of(core, at.owner), address, from, bytes);
    if (e != errc::system) return latched(core, e, at.owner, "put");
  }
  errc e = errc::success;
  if (n_ != 0 && (owner_ != at.owner || !list_.has_room(bytes))) e = send(core);
  owner_ = at.owner;
  list_.add(address, from, bytes);
  ++n_;
  return e;
}

errc deferred_puts::complete(window_core& core) noexcept {
  const auto hold = turn(core);
  if (!follows_) return errc::success;
  follows_ = false;
  const errc e = send(core);
  count_pending(core, -1);
  return e;
}

errc deferred_puts::send(window_core& core) noexcept {
  if (n_ == 0) return errc::success;
  errc e = n_ <= few ? write_each(process_of(core, owner_), list_) : errc::system;
  if (e == errc::system) {
    sync::am_request m;
    m.kind = sync::am_kind::put_list;
    m.elements = static_cast<std::uint32_t>(list_.bytes());
    e = core.routes.mailbox->ask(static_cast<int>(core.node_rank(owner_)), m, list_.data(),
                                 list_.bytes(), nullptr, 0);
  }
  n_ = 0;
  list_.clear();
  return latched(core, e, owner_, "put");
}

errc complete_deferred(window_core& core) noexcept {
  return core.routes.deferred ? core.routes.deferred->complete(core) : errc::success;
}

}  // namespace oriel::win
