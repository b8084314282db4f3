// The origin's half: data and completion.
#include "win/route/remote_window.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "sync/limited_watch.hpp"
#include "transport/pieces.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using transport::completion;
using transport::in_pieces;
using transport::longest_payload;
using transport::message_head;

namespace {

using transport::notice_way;

// What an owner of attached memory refuses, its answer alone shows. Writes that the owner performs
// are messages themselves. Completion data come behind writes, but messages before them may wait
// for memory at the target: they are no way to come behind all.
notice_way choose_way_of_notices(const detail::window_core& core,
                                 const transport::fabric& way) noexcept {
  if (core.agreed.promised.has(assertion::attach)) return notice_way::after_arrival;
  if (way.how() == completion::acknowledged) return notice_way::behind;
  const bool ordered = core.agreed.promised.has(assertion::ordered_notify);
  return ordered ? std::max(way.notices(), notice_way::behind) : way.notices();
}

// The window's own, which operations find there.
packet_streams& make_packets(detail::window_core& core, transport::fabric& way) {
  std::byte* const shared = core.agreed.aggregate && core.memory.layout.shared_packets != 0
                                ? core.shared<std::byte>(core.memory.layout.shared_packets)
                                : nullptr;
  core.routes.packets = std::make_unique<packet_streams>(core, &way, shared);
  return *core.routes.packets;
}

}  // namespace

remote_window::remote_window(detail::window_core& core, transport::fabric& way, std::uint64_t id,
                             bool needs_agent)
    : core_(core),
      fabric_(way),
      id_(id),
      needs_agent_(needs_agent),
      way_of_notices_(choose_way_of_notices(core, way)),
      pages_((static_cast<std::size_t>(core.ranks()) + page_targets - 1) / page_targets),
      packets_(make_packets(core, way)) {
  if (core.agreed.promised.has(assertion::notify))
    received_.emplace(static_cast<std::size_t>(core.group->session().job().size()));
}

remote_window::~remote_window() {
  close();
  for (auto& p : pages_) delete p.load();
}

remote_ticket remote_window::expose(void* memory, std::size_t bytes, const own_memory& about) {
  // No rank reads or writes remotely then (route/owner_message.cpp).
  if (core_.agreed.how == flavor::allocate && about.where == place::node_memory && bytes != 0) {
    own_block_ = static_cast<const std::byte*>(memory);
    fabric_.owns({static_cast<std::byte*>(memory), bytes});
  } else if (about.where == place::node_memory || about.where == place::private_memory) {
    lent_ = {fabric_, {static_cast<std::byte*>(memory), bytes}};
  }
  if (bytes == 0 || fabric_.how() == completion::acknowledged ||
      about.where == place::managed_memory)
    return {};
  std::optional<transport::device_place> device;
  if (about.where == place::device_memory) {
    if (!core_.agreed.plan.registered) {
      staging_.emplace(*about.runtime, about.device);
      return {};
    }
    device = transport::device_place{about.runtime->whose(), about.residence, about.device};
  }
  exposure_ = fabric_.expose(memory, bytes, id_, device);
  return {exposure_->key, exposure_->base};
}

void remote_window::open() {
  fabric_.add_service(id_, *this);
  open_ = true;
  if (needs_agent_) fabric_.start_agent();
}

void remote_window::close() noexcept {
  if (std::exchange(open_, false)) {
    fabric_.remove_service(id_);
    if (needs_agent_ || was_told_.load()) fabric_.stop_agent();
  }
  if (own_block_ != nullptr) fabric_.gives_back(std::exchange(own_block_, nullptr));
  lent_ = {};
  exposure_.reset();
  attached_.clear();
}

void remote_window::stop_performing() noexcept {
  stopped_performing_.store(true, std::memory_order_seq_cst);
  while (!performing_.none_inside()) sync::wait_ladder::yield();
}

void remote_window::stay_exposed() noexcept {
  if (exposure_ != nullptr) fabric_.keep(std::move(exposure_));
  attached_.keep(fabric_);
}

int remote_window::world(rank r) const noexcept {
  return core_.group->world_rank(r.value);
}

remote_window::target_state* remote_window::state_of(rank r) noexcept {
  const auto i = static_cast<std::size_t>(r.value);
  std::atomic<page*>& slot = pages_[i / page_targets];
  page* p = slot.load(std::memory_order_acquire);
  if (p == nullptr) {
    page* const made = new (std::nothrow) page;
    if (made == nullptr) return nullptr;
    for (target_state& t : *made) t.ops.total = t.passable.total = &core_.hot.pending;
    if (core_.agreed.promised.has(assertion::attach)) {
      for (target_state& t : *made) {
        t.told.reset(new (std::nothrow) told_places);
        if (t.told != nullptr) t.told->under_way.total = &core_.hot.pending;
      }
    }
    if (slot.compare_exchange_strong(p, made))
      p = made;
    else
      delete made;
  }
  return &(*p)[i % page_targets];
}

transport::remote_place remote_window::place_of(rank r, std::uint64_t at) const noexcept {
  if (core_.memory.layout.tickets == 0) return {world(r), at, fabric_.key_of(id_)};
  const remote_ticket& t =
      core_.shared<remote_ticket>(core_.memory.layout.tickets)[static_cast<std::size_t>(r.value)];
  return {world(r), t.base + at, t.key};
}

message_head remote_window::head(remote_call call) const noexcept {
  message_head h;
  h.addressee = id_;
  h.call = static_cast<std::uint8_t>(call);
  return h;
}

errc remote_window::put(rank r, std::uint64_t at, const void* from, std::size_t bytes,
                        pending_ops* also) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) return errc::no_mem;
  const access begun(*t);
  if (begun.refused()) return errc::rma_sync;
  const bool keep = bytes <= transport::most_kept;
  const errc e = carrying(core_, fabric_, r)->put(place_of(r, at), from, bytes, keep, t->ops, also);
  if (fabric_.how() == completion::read_back) {
    core_.hot.pending.fetch_add(1, std::memory_order_relaxed);
    t->writes.sent.fetch_add(1, std::memory_order_release);
  }
  return e;
}

errc remote_window::get(rank r, std::uint64_t at, void* to, std::size_t bytes,
                        pending_ops* also) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) return errc::no_mem;
  // One of many is better read: the owner's process would answer them one by one.
  if (t->ops.idle() && t->passable.idle() && fabric_.answers_sooner(world(r), bytes))
    return get_by_owner(r, at, to, bytes, also);
  const access begun(*t);
  if (begun.refused()) return errc::rma_sync;
  return carrying(core_, fabric_, r)->get(place_of(r, at), to, bytes, t->passable, also);
}

errc remote_window::put_by_owner(rank r, std::uint64_t at, const void* from, std::size_t bytes,
                                 pending_ops* also) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) return errc::no_mem;
  const auto* const source = static_cast<const std::byte*>(from);
  return in_pieces(bytes, longest_payload, [&](std::size_t done, std::size_t piece) noexcept {
    const message_head h = head(remote_call::put, accessing(at + done, piece));
    return carrying(core_, fabric_, r)
        ->request(world(r), h, {source + done, piece}, nullptr, 0, t->ops, also);
  });
}

errc remote_window::get_by_owner(rank r, std::uint64_t at, void* to, std::size_t bytes,
                                 pending_ops* also) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) return errc::no_mem;
  auto* const sink = static_cast<std::byte*>(to);
  return in_pieces(bytes, longest_payload, [&](std::size_t done, std::size_t piece) noexcept {
    const message_head h = head(remote_call::get, accessing(at + done, piece));
    return carrying(core_, fabric_, r)->request(world(r), h, {}, sink + done, piece, t->ops, also);
  });
}

errc remote_window::accumulate(rank r, std::uint64_t at, atomic_op op, primitive type,
                               const void* operands, void* results, std::size_t elements,
                               pending_ops* also) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) return errc::no_mem;
  const std::size_t most = longest_payload / size_of(type) * size_of(type);
  const auto* const source = static_cast<const std::byte*>(operands);
  auto* const sink = static_cast<std::byte*>(results);
  const std::size_t bytes = elements * size_of(type);
  return in_pieces(bytes, most, [&](std::size_t done, std::size_t piece) noexcept {
    const auto call = sink != nullptr ? remote_call::get_accumulate : remote_call::accumulate;
    const message_head h = head(call, accessing(at + done, piece, op, type));
    std::span<const std::byte> sent;
    if (op != atomic_op::no_op) sent = {source + done, piece};
    return carrying(core_, fabric_, r)
        ->request(world(r), h, sent, sink == nullptr ? nullptr : sink + done,
                  sink == nullptr ? 0 : piece, t->ops, also);
  });
}

errc remote_window::wait(pending_ops& also, rank r) noexcept {
  return fabric_.wait(also, world(r), *core_.epochs.watch);
}

void remote_window::forget_failures() noexcept {
  for (std::atomic<page*>& slot : pages_)
    if (page* const p = slot.load(std::memory_order_acquire))
      for (target_state& t : *p) {
        static_cast<void>(t.ops.take_failure());
        static_cast<void>(t.passable.take_failure());
        if (t.told != nullptr) static_cast<void>(t.told->under_way.take_failure());
      }
}

// Signed, since the counts wrap.
std::uint32_t remote_window::unanswered::ask(std::uint32_t until) noexcept {
  std::uint32_t before = asked.load(std::memory_order_acquire);
  while (static_cast<std::int32_t>(until - before) > 0)
    if (asked.compare_exchange_weak(before, until)) return until - before;
  return 0;
}

// A read is not passed by the writes before it, so once it is back they have arrived. Several
// threads may read at once; each counts what had been written when its own read left.
errc remote_window::read_back(rank r, target_state& t) noexcept {
  const std::uint32_t written = t.writes.sent.load(std::memory_order_acquire);
  if (t.writes.asked.load(std::memory_order_acquire) == written) return errc::success;
  const access begun(t);
  if (begun.refused()) return errc::rma_sync;
  pending_ops one;
  errc e = posting(core_, fabric_, r)->get(place_of(r, 0), nullptr, 1, one);
  const errc waited = fabric_.wait(one, world(r), *core_.epochs.watch);
  if (e == errc::success) e = waited;
  if (e == errc::timed_out) return e;  // the next flush reads again
  core_.hot.pending.fetch_sub(t.writes.ask(written), std::memory_order_relaxed);
  return e;
}

// The answer counts among the operations under way; from before this thread has claimed to ask, so
// that others that flush wait for it too.
errc remote_window::ask_for_notices(rank r, target_state& t) noexcept {
  const std::uint32_t sent = t.notices.sent.load(std::memory_order_acquire);
  if (t.notices.asked.load(std::memory_order_acquire) == sent) return errc::success;
  t.ops.enter();
  const std::uint32_t fresh = t.notices.ask(sent);
  errc e = errc::success;
  if (fresh != 0) {
    const message_head h = head(remote_call::acknowledge, acknowledge_request{sent});
    e = posting(core_, fabric_, r)->request(world(r), h, {}, nullptr, 0, t.ops);
    core_.hot.pending.fetch_sub(fresh, std::memory_order_relaxed);
  }
  t.ops.leave();
  return e;
}

errc remote_window::make_arrive(rank r) noexcept {
  target_state* const t = state_of(r);
  return t == nullptr ? errc::no_mem : read_back(r, *t);
}

errc remote_window::flush(rank r, rank& failed) noexcept {
  rank packed = any_rank;
  const errc packets = packets_.complete(r, packed);
  const errc others = flush_others(r);
  failed = packets == errc::success ? r : packed;
  return packets == errc::success ? others : packets;
}

remote_window::target_state* remote_window::known_state_of(rank r) const noexcept {
  const auto i = static_cast<std::size_t>(r.value);
  page* const p = pages_[i / page_targets].load(std::memory_order_acquire);
  return p == nullptr ? nullptr : &(*p)[i % page_targets];
}

errc remote_window::flush_others(rank r) noexcept {
  target_state* const known = known_state_of(r);
  if (known == nullptr) return errc::success;
  target_state& t = *known;
  const errc asked = ask_for_notices(r, t);
  const errc others = complete_data(r, t);
  return asked == errc::success ? others : asked;
}

errc remote_window::await(rank r, pending_ops& ops, const sync::peer_watch& watch) noexcept {
  const errc e = fabric_.wait(ops, world(r), watch);
  if (e == errc::success) return e;
  core_.latch(e);
  static_cast<void>(ops.take_failure());
  return e;
}

// A time-out is waited for once.
errc remote_window::complete_data(rank r, target_state& t) noexcept {
  errc first = errc::success;
  const auto note = [&first](errc e) {
    if (first == errc::success) first = e;
  };
  const sync::limited_watch no_more(*core_.epochs.watch, std::chrono::milliseconds(0));
  const auto wait = [&](pending_ops& ops) {
    note(await(r, ops, first == errc::timed_out ? no_more : *core_.epochs.watch));
  };
  wait(t.ops);
  wait(t.passable);
  if (t.told != nullptr) wait(t.told->under_way);
  note(read_back(r, t));
  return first;
}

// Messages of one sender arrive in order: notifications follow one another, and what the owner
// performs, as they are. Writes come before them where the provider promises that.
errc remote_window::order_before_notice(rank r, const pending_ops*& begun, rank& failed) noexcept {
  const bool behind = way_of_notices_ != notice_way::after_arrival;
  rank packed = any_rank;
  const errc packets = behind ? packets_.send(r, packed) : packets_.complete(r, packed);
  failed = packets == errc::success ? r : packed;
  target_state* const known = known_state_of(r);
  if (known == nullptr) return packets;
  begun = &known->ops;
  const bool has_failed = known->ops.failure() != errc::success;
  const errc others = behind && !has_failed ? await(r, known->passable, *core_.epochs.watch)
                                            : complete_data(r, *known);
  return packets == errc::success ? others : packets;
}

errc remote_window::complete_begun(rank r) noexcept {
  target_state* const known = known_state_of(r);
  return known == nullptr ? errc::success : complete_data(r, *known);
}

// Calls call(r, state) for the ranks that something was ever sent to. Returns its first failure,
// with that rank in `failed`.
template <class Call>
errc remote_window::each_known(rank& failed, Call call) noexcept {
  errc first = errc::success;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    page* const p = pages_[i].load(std::memory_order_acquire);
    if (p == nullptr) continue;
    const auto end =
        std::min<std::size_t>((i + 1) * page_targets, static_cast<std::size_t>(core_.ranks()));
    for (std::size_t j = i * page_targets; j < end; ++j) {
      const rank r{static_cast<int>(j)};
      const errc e = call(r, (*p)[j % page_targets]);
      if (e == errc::success || first != errc::success) continue;
      first = e;
      failed = r;
    }
  }
  return first;
}

errc remote_window::begin_flush_all(rank& failed) noexcept {
  packets_.leave_to_be_complete();
  return each_known(failed, [this](rank r, target_state& t) { return ask_for_notices(r, t); });
}

errc remote_window::flush_all(rank& failed) noexcept {
  rank asked = any_rank, packed = any_rank, alone = any_rank;
  const errc begun = begin_flush_all(asked);
  const errc packets = packets_.complete_all(packed);
  const errc others = each_known(alone, [this](rank r, target_state&) {
    const noted_wait noted(core_, wait_cause::completion, r);
    return flush_others(r);
  });
  failed = packets != errc::success ? packed : begun != errc::success ? asked : alone;
  return packets != errc::success ? packets : begun != errc::success ? begun : others;
}

}  // namespace oriel::win
