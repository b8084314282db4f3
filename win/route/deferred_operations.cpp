#include "win/route/deferred_operations.hpp"

#include <cstring>
#include <utility>

#include "transport/cma.hpp"
#include "win/route/cma_pieces.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

// So many the kernel copies sooner than an owner answers whose agent may be asleep.
constexpr std::size_t few = 16;

errc write_each(pid_t owner, std::span<const std::byte> list) noexcept {
  pieces all;
  const errc listed = sync::run_list::for_each(
      list.data(), list.size(), [&all](const sync::block_run& r, const std::byte* from) noexcept {
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

deferred_operations::turn deferred_operations::take_turn(const window_core& core) noexcept {
  return core.view.one_thread ? turn(changing_, std::defer_lock) : turn(changing_);
}

// For as long as one lives, its thread waits for `owner`, and others have turns.
class deferred_operations::absence {
 public:
  absence(deferred_operations& from, turn& mine, rank owner) noexcept
      : from_(from), turn_(mine), owner_(owner), is_alone_(!mine.owns_lock()) {
    if (is_alone_) return;
    before_ = std::exchange(from_.absent_, this);
    turn_.unlock();
  }
  ~absence() {
    if (is_alone_) return;
    turn_.lock();
    absence** at = &from_.absent_;
    while (*at != this) at = &(*at)->before_;
    *at = before_;
    from_.back_.notify_all();
  }
  absence(const absence&) = delete;
  absence& operator=(const absence&) = delete;

  [[nodiscard]] bool waits_for(rank owner) const noexcept {
    return owner == any_rank || owner == owner_;
  }
  [[nodiscard]] const absence* before() const noexcept { return before_; }

 private:
  deferred_operations& from_;
  turn& turn_;
  rank owner_;
  bool is_alone_;
  absence* before_ = nullptr;
};

bool deferred_operations::is_under_way(rank owner) const noexcept {
  for (const absence* a = absent_; a != nullptr; a = a->before())
    if (a->waits_for(owner)) return true;
  return false;
}

// Whether what waits here is its, or nothing does.
bool deferred_operations::concerns(rank owner) const noexcept {
  if (owner == any_rank || (n_ == 0 && !letter_.any())) return true;
  return (n_ != 0 && owner_ == owner) || (letter_.any() && letter_.owner() == owner);
}

void deferred_operations::begin(window_core& core) noexcept {
  follows_ = true;
  count_pending(core, 1);
}

errc deferred_operations::put(window_core& core, const target& at, std::uint64_t address,
                              const void* from, std::size_t bytes) noexcept {
  turn mine = take_turn(core);
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
    const absence away(*this, mine, at.owner);
    errc e = clear_letters(core, at.owner);
    if (e == errc::success) e = put_first(core, at.owner, address, from, bytes);
    if (e != errc::system) return latched(core, e, at.owner, "put");
  }
  errc e = letter_.any() && letter_.owner() == at.owner ? letter_first(core, mine) : errc::success;
  while (e == errc::success && n_ != 0 && (owner_ != at.owner || list_.room_for(bytes) == 0))
    e = send(core, mine);
  if (!follows_) begin(core);  // another thread has completed all meanwhile
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
  const turn mine = take_turn(core);
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

// `leave` is what becomes of it.
template <class Leave>
errc deferred_operations::take_letter(turn& mine, Leave leave) noexcept {
  if (!letter_.any()) return errc::success;
  kept_letter one = letter_;
  letter_.drop();
  const absence away(*this, mine, one.owner());
  return leave(one);
}

// Another put to its owner follows: it goes before.
errc deferred_operations::letter_first(window_core& core, turn& mine) noexcept {
  const sync::letter& l = letter_.content();
  if (l.kind != sync::am_kind::put || n_ != 0)
    return take_letter(mine, [&core](kept_letter& one) noexcept { return one.carry_out(core); });
  owner_ = letter_.owner();
  list(l.address, l.operands.data(), l.bytes);
  letter_.drop();
  return errc::success;
}

errc deferred_operations::complete(window_core& core, rank owner) noexcept {
  return end(core, owner, [&core](kept_letter& one) noexcept { return one.carry_out(core); });
}

errc deferred_operations::enclose(window_core& core, kept_letter::by way) noexcept {
  return end(core, any_rank,
             [&core, way](kept_letter& one) noexcept { return one.enclose(core, way); });
}

// Where there is one thread, nobody is absent, and the lock is not waited for.
template <class Leave>
errc deferred_operations::end(window_core& core, rank owner, Leave leave) noexcept {
  turn mine = take_turn(core);
  back_.wait(mine, [&] { return !is_under_way(owner); });
  if (!follows_ || !concerns(owner)) return errc::success;
  follows_ = false;
  const errc of_letter = take_letter(mine, leave);
  const errc e = send(core, mine);
  count_pending(core, -1);
  return of_letter == errc::success ? e : of_letter;
}

errc deferred_operations::send(window_core& core, turn& mine) noexcept {
  if (n_ == 0) return errc::success;
  std::array<std::byte, sync::mail_payload> copy;
  puts all{owner_, std::exchange(n_, 0), {list_.data(), list_.bytes()}};
  if (mine.owns_lock()) {  // others may put into the list
    std::memcpy(copy.data(), list_.data(), list_.bytes());
    all.list = {copy.data(), list_.bytes()};
  }
  list_.clear();
  const absence away(*this, mine, all.owner);
  errc e = clear_letters(core, all.owner);
  if (e == errc::success) e = all.n <= few ? send_few(core, all) : send_list(core, all);
  return latched(core, e, all.owner, "put");
}

// By whoever is the quicker with lists, as far as those before have shown.
errc deferred_operations::send_few(window_core& core, const puts& all) noexcept {
  prompt_owners& prompt = *core.routes.prompt;
  const std::size_t there = core.node_rank(all.owner);
  const prompt_owners::transfer x{all.list.size(), all.n};
  if (prompt.worth_asking(there, x))
    return prompt.measure(there, x, [&]() noexcept { return send_list(core, all); });
  const errc e = prompt.copy(
      there, x, [&]() noexcept { return write_each(process_of(core, all.owner), all.list); });
  return e == errc::system ? send_list(core, all) : e;
}

errc deferred_operations::send_list(window_core& core, const puts& all) noexcept {
  sync::am_request m;
  m.kind = sync::am_kind::put_runs;
  m.elements = static_cast<std::uint32_t>(all.list.size());
  return core.routes.mailbox->ask(static_cast<int>(core.node_rank(all.owner)), m, all.list.data(),
                                  all.list.size(), nullptr, 0);
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
  const errc e = core.routes.deferred->complete(core, owner);
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
  core.routes.deferred->complete(core, owner);  // whose failures are latched
  return clear_letters(core, owner);
}

}  // namespace oriel::win
