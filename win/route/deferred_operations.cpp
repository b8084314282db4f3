#include "win/route/deferred_operations.hpp"

#include <cstring>

#include "transport/cma.hpp"
#include "win/route/cma_pieces.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

// So many the kernel copies sooner than an owner answers whose agent may be asleep.
constexpr std::size_t few = 16;

errc write_each(pid_t owner, const sync::run_list& list) noexcept {
  pieces all;
  const errc listed = sync::run_list::for_each(
      list.data(), list.bytes(), [&all](const sync::block_run& r, const std::byte* from) noexcept {
        all.add(from, r.address, r.bytes);
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
    pending.fetch_add(by, std::memory_order_release);  // a failure is latched before
}

}  // namespace

std::unique_lock<sync::mutex> deferred_operations::turn(const window_core& core) noexcept {
  return core.view.one_thread ? std::unique_lock(changing_, std::defer_lock)
                              : std::unique_lock(changing_);
}

void deferred_operations::begin(window_core& core) noexcept {
  follows_ = true;
  count_pending(core, 1);
}

errc deferred_operations::put(window_core& core, const target& at, std::uint64_t address,
                              const void* from, std::size_t bytes) noexcept {
  const auto hold = turn(core);
  if (!follows_) {
    begin(core);
    if (kept_letter::may_wait(core, at.owner, bytes)) {
      letter_.keep(rank{core.me()}, at.owner,
                   {.address = address,
                    .kind = sync::am_kind::put,
                    .bytes = static_cast<std::uint8_t>(bytes)},
                   from);
      return errc::success;
    }
    errc e = clear_letters(core, at.owner);
    if (e == errc::success) e = put_first(core, at.owner, address, from, bytes);
    if (e != errc::system) return latched(core, e, at.owner, "put");
  }
  errc e = letter_.any() && letter_.owner() == at.owner ? letter_first(core) : errc::success;
  if (e == errc::success && n_ != 0 && (owner_ != at.owner || list_.room_for(bytes) == 0))
    e = send(core);
  owner_ = at.owner;
  list(address, from, bytes);
  return e;
}

// By whoever is the quicker.
errc deferred_operations::put_first(window_core& core, rank owner, std::uint64_t address,
                                    const void* from, std::size_t bytes) noexcept {
  const std::size_t there = core.node_rank(owner);
  if (!core.routes.prompt->worth_asking(there, bytes))
    return core.routes.prompt->copy(there, bytes, [&]() noexcept {
      return transport::cma_write(process_of(core, owner), address, from, bytes);
    });
  sync::am_request m;
  m.kind = sync::am_kind::put;
  m.address = address;
  m.elements = static_cast<std::uint32_t>(bytes);
  return core.routes.prompt->measure(there, bytes, [&]() noexcept {
    return core.routes.mailbox->ask(static_cast<int>(there), m, from, bytes, nullptr, 0);
  });
}

void deferred_operations::list(std::uint64_t address, const void* from,
                               std::size_t bytes) noexcept {
  std::memcpy(list_.add({address, static_cast<std::uint32_t>(bytes), 1, 0}), from, bytes);
  ++n_;
}

bool deferred_operations::keep(window_core& core, const target& at, std::uint64_t address,
                               const accumulation& a, std::size_t bytes) noexcept {
  if (a.results != nullptr || a.op == atomic_op::no_op || at.in_device_memory) return false;
  const auto hold = turn(core);
  if (follows_ || !kept_letter::may_wait(core, at.owner, bytes)) return false;
  begin(core);
  letter_.keep(rank{core.me()}, at.owner,
               {.address = address,
                .kind = sync::am_kind::accumulate,
                .op = a.op,
                .type = a.type,
                .bytes = static_cast<std::uint8_t>(bytes)},
               a.operands);
  return true;
}

// Another put to its owner follows: it goes before.
errc deferred_operations::letter_first(window_core& core) noexcept {
  const sync::letter& l = letter_.content();
  if (l.kind != sync::am_kind::put || n_ != 0) return letter_.carry_out(core);
  owner_ = letter_.owner();
  list(l.address, l.operands.data(), l.bytes);
  letter_.drop();
  return errc::success;
}

errc deferred_operations::complete(window_core& core) noexcept {
  const auto hold = turn(core);
  if (!follows_) return errc::success;
  return end(core, letter_.carry_out(core));
}

errc deferred_operations::enclose(window_core& core, kept_letter::by way) noexcept {
  const auto hold = turn(core);
  if (!follows_) return errc::success;
  return end(core, letter_.enclose(core, way));
}

errc deferred_operations::end(window_core& core, errc of_letter) noexcept {
  follows_ = false;
  const errc e = send(core);
  count_pending(core, -1);
  return of_letter == errc::success ? e : of_letter;
}

errc deferred_operations::send(window_core& core) noexcept {
  if (n_ == 0) return errc::success;
  errc e = clear_letters(core, owner_);
  if (e == errc::success) e = n_ <= few ? send_few(core) : send_list(core);
  n_ = 0;
  list_.clear();
  return latched(core, e, owner_, "put");
}

// By whoever is the quicker with lists, as far as those before have shown.
errc deferred_operations::send_few(window_core& core) noexcept {
  prompt_owners& prompt = *core.routes.prompt;
  const std::size_t there = core.node_rank(owner_);
  const prompt_owners::transfer all{list_.bytes(), n_};
  if (prompt.worth_asking(there, all))
    return prompt.measure(there, all, [&]() noexcept { return send_list(core); });
  const errc e = prompt.copy(
      there, all, [&]() noexcept { return write_each(process_of(core, owner_), list_); });
  return e == errc::system ? send_list(core) : e;
}

errc deferred_operations::send_list(window_core& core) noexcept {
  sync::am_request m;
  m.kind = sync::am_kind::put_runs;
  m.elements = static_cast<std::uint32_t>(list_.bytes());
  return core.routes.mailbox->ask(static_cast<int>(core.node_rank(owner_)), m, list_.data(),
                                  list_.bytes(), nullptr, 0);
}

namespace {

errc complete_packets(window_core& core, rank owner) noexcept {
  if (core.routes.packets == nullptr || !core.routes.packets->any_near()) return errc::success;
  rank failed = any_rank;
  const errc e = core.routes.packets->complete_near(owner, failed);
  return latched(core, e, failed, "an operation");
}

}  // namespace

errc complete_deferred(window_core& core, rank owner) noexcept {
  if (!core.routes.deferred) return errc::success;
  const errc packets = complete_packets(core, owner);
  const errc e = core.routes.deferred->complete(core);
  return packets == errc::success ? e : packets;
}

// A letter is behind what is in packets, unless these have left.
errc enclose_deferred(window_core& core, kept_letter::by way) noexcept {
  if (!core.routes.deferred) return errc::success;
  const errc packets = complete_packets(core, any_rank);
  const errc e = core.routes.deferred->enclose(core, way);
  return packets == errc::success ? e : packets;
}

errc clear_way(window_core& core, rank owner) noexcept {
  core.routes.deferred->complete(core);  // whose failures are latched
  return clear_letters(core, owner);
}

}  // namespace oriel::win
