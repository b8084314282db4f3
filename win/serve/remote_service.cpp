// The owner's half: requests of ranks of other nodes. Bytes from outside: every field is
// checked against the window before it is used.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "win/route/remote_window.hpp"
#include "win/serve/apply_request.hpp"
#include "win/serve/serve_check.hpp"
#include "win/serve/serve_packet.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using sync::am_kind;
using transport::is_known;
using transport::longest_payload;
using transport::message;
using transport::message_head;

// Where [at, at + bytes) lies; null when it is not all exposed by one buffer.
std::byte* remote_window::exposed(std::uint64_t at, std::size_t bytes) noexcept {
  const std::uint64_t extent = core_.agreed.extent;
  if (core_.agreed.promised.has(assertion::attach)) {
    const std::uint64_t first = at / extent;
    const std::uint64_t end = (at + bytes + extent - 1) / extent;
    if (at + bytes < at) return nullptr;
    const auto record = core_.book(rank{core_.me()}).find(first, end - first, extent);
    if (!record) return nullptr;
    return reinterpret_cast<std::byte*>(record->address) + (at - record->first * extent);  // NOLINT
  }
  const std::uint64_t size = core_.memory.local_count * extent;
  return at <= size && bytes <= size - at ? core_.memory.local + at : nullptr;
}

errc remote_window::serve_access(am_kind what, const message& m) noexcept {
  const message_head& h = m.head;
  const auto wanted = h.carried<access_request>();
  if (!is_known(wanted.op) || !is_known(wanted.type)) return errc::arg;
  const std::size_t bytes = wanted.bytes;
  const bool atomic = what == am_kind::accumulate || what == am_kind::get_accumulate;
  if (bytes > longest_payload) return errc::size;
  if (atomic && (wanted.type == primitive::opaque || bytes % size_of(wanted.type) != 0))
    return errc::type;
  const std::size_t expected = what == am_kind::get                      ? 0
                               : what == am_kind::compare_swap           ? 2 * bytes
                               : atomic && wanted.op == atomic_op::no_op ? 0
                                                                         : bytes;
  if (m.payload.size() != expected) return errc::count;
  std::byte* const location = exposed(wanted.displacement, bytes);
  if (location == nullptr && bytes != 0) return errc::rma_range;
  if (bytes == 0 && what != am_kind::compare_swap) {  // of nothing, `location` may be null
    fabric_.reply(h, errc::success, {});
    return errc::success;
  }
  if (staging_ && (what == am_kind::put || what == am_kind::get))
    return stage(what, m, location, bytes);
  std::array<std::byte, longest_payload> results;
  const errc e = apply_request(
      core_, {what, wanted.op, wanted.type, location, m.payload.data(), results.data(), bytes});
  const bool answers = what != am_kind::put && what != am_kind::accumulate;
  if (e == errc::success) fabric_.reply(h, e, {results.data(), answers ? bytes : 0});
  return e;
}

errc remote_window::serve_packet(const message& m) noexcept {
  const access begun(performing_, stopped_performing_);
  if (begun.refused()) return errc::rma_sync;
  const auto asked = m.head.carried<packet_request>();
  const auto from = static_cast<std::size_t>(m.head.from);
  std::array<std::byte, packet_bytes> results;
  errc e = perform_packet(core_, asked, m.payload, results.data());
  if (m.head.cookie == 0) {
    note_told(from, e);
    return errc::success;
  }
  const errc before = asked.told == 0 ? errc::success
                      : told_         ? told_->answer(from, asked.told)
                                      : errc::system;
  if (e == errc::success) e = before;
  if (e == errc::success) fabric_.reply(m.head, e, {results.data(), asked.results});
  return e;
}

// Where there is no memory to note it, its origin is told that it was lost.
void remote_window::note_told(std::size_t origin, errc outcome) noexcept {
  try {
    if (!told_) told_.emplace(static_cast<std::size_t>(core_.group->session().job().size()));
    told_->note(origin, outcome);
  } catch (const std::bad_alloc&) {
    return;
  }
}

// The bytes, if any, and then the amount on the counter; or nothing, and why.
errc remote_window::serve_notify(const message& m) noexcept {
  const auto wanted = m.head.carried<notify_request>();
  if (wanted.counter >= core_.agreed.notify_counters) return errc::arg;
  const std::size_t bytes = m.payload.size();
  if (bytes != 0) {
    std::byte* const location = exposed(wanted.displacement, bytes);
    const errc e =
        location == nullptr
            ? errc::rma_range
            : apply_request(core_,
                            {am_kind::put, {}, {}, location, m.payload.data(), nullptr, bytes});
    if (e != errc::success) return refuse(wanted.counter, wanted.amount, e);
  }
  if (staging_) answer_staged();  // what came before has been copied now
  count(wanted.counter, wanted.amount);
  return errc::success;
}

// Who waits for it is told; its origin is by a flush.
errc remote_window::refuse(std::uint32_t counter, std::uint32_t amount, errc why) noexcept {
  notices_.fetch_add(1, std::memory_order_relaxed);
  core_.counter(core_.me(), counter).refuse(why, amount);
  return why;
}

void remote_window::count(std::uint32_t counter, std::uint32_t amount) noexcept {
  notices_.fetch_add(1, std::memory_order_relaxed);
  core_.counter(core_.me(), counter).add(amount);
}

void remote_window::noted(int from, std::uint32_t counter, std::uint32_t amount) noexcept {
  const bool is_there = counter < core_.agreed.notify_counters;
  if (is_there) count(counter, amount);
  if (received_)
    received_->note(static_cast<std::size_t>(from), is_there ? errc::success : errc::arg);
}

void remote_window::serve_number(const message_head& h) noexcept {
  const std::uint32_t number = received_ ? fabric_.number_for(*this, h.from) : 0;
  fabric_.reply(h, errc::success, std::as_bytes(std::span(&number, 1)));
}

void remote_window::serve_acknowledge(const message_head& h) noexcept {
  const std::uint32_t sent = h.carried<acknowledge_request>().sent;
  const errc outcome =
      received_ ? received_->answer(static_cast<std::size_t>(h.from), sent) : errc::not_asserted;
  fabric_.reply(h, outcome, {});
}

errc remote_window::serve_refusal(const message& m) noexcept {
  const auto notice = m.head.carried<refusal_notice>();
  if (notice.counter >= core_.agreed.notify_counters || !is_known(notice.why) ||
      notice.why == errc::success || !m.payload.empty())
    return errc::arg;
  refuse(notice.counter, notice.amount, notice.why);
  fabric_.reply(m.head, errc::success, {});
  return errc::success;
}

// Answered at the next tick, which comes when no more messages are there.
errc remote_window::stage(am_kind what, const message& m, std::byte* location,
                          std::size_t bytes) noexcept {
  if (staging_->full()) answer_staged();
  return what == am_kind::put ? staging_->put(m.head, location, m.payload)
                              : staging_->get(m.head, location, bytes);
}

void remote_window::answer_staged() noexcept {
  staging_->settle([this](const message_head& asked, errc e, std::span<const std::byte> bytes) {
    fabric_.reply(asked, e, bytes);
  });
}

namespace {

std::optional<remote_call> call_of(const message_head& h) noexcept {
  const remote_call call{h.call};
  return call <= remote_call::last ? std::optional(call) : std::nullopt;
}

std::optional<lock_request> parse_lock(const message_head& h) noexcept {
  const auto wanted = h.carried<lock_request>();
  if (wanted.word > lock_word::all || wanted.group > sync::lock_group::exclusive)
    return std::nullopt;
  return wanted;
}

}  // namespace

// The window-wide word is kept by the team's first rank.
sync::group_lock_state* remote_window::lock_of(lock_word word) noexcept {
  if (!core_.agreed.promised.has(assertion::exclusive_lock)) return nullptr;
  if (word == lock_word::target) return &core_.lock_word(core_.me());
  return core_.memory.layout.all_lock != 0 && core_.me() == 0 ? &core_.all_lock_word() : nullptr;
}

void remote_window::serve_lock(const message_head& h) noexcept {
  const auto wanted = parse_lock(h);
  sync::group_lock_state* const lock = wanted ? lock_of(wanted->word) : nullptr;
  if (lock == nullptr) return fabric_.reply(h, errc::locktype, {});
  const auto capacity =
      wanted->word == lock_word::target ? sync::capacity::one : sync::capacity::many;
  try {
    waiters_.push_back({h, *wanted, sync::group_queue(*lock, wanted->group, capacity, h.from)});
    if (lock->occupied()) core_.counts.make_mine(core_);  // by whose page it is seen who has it
  } catch (const std::bad_alloc&) {
    fabric_.reply(h, errc::no_mem, {});
  }
}

errc remote_window::serve_unlock(const message_head& h) noexcept {
  const auto held = parse_lock(h);
  sync::group_lock_state* const lock = held ? lock_of(held->word) : nullptr;
  if (lock == nullptr) return errc::locktype;
  // The origin's wait may have timed out before the lock was granted.
  const auto waits = std::find_if(waiters_.begin(), waiters_.end(), [&](const waiter& w) {
    return w.asked.from == h.from && w.wanted.word == held->word && w.wanted.epoch == held->epoch;
  });
  if (waits != waiters_.end()) {
    waits->turn.withdraw();
    waiters_.erase(waits);
    return errc::success;
  }
  return sync::leave(*lock, held->group);
}

void remote_window::serve_segments(const message_head& h) noexcept {
  const std::uint64_t first = h.carried<segments_request>().first;
  constexpr std::size_t at_a_time = longest_payload / sizeof(segment_record);
  std::array<segment_record, at_a_time> page{};
  try {
    if (core_.memory.own_book) {
      std::ranges::copy(core_.book(rank{core_.me()}).from(first, at_a_time), page.begin());
    } else if (first == 0 && core_.memory.local_count != 0) {
      page[0].count = core_.memory.local_count;
    }
  } catch (const std::bad_alloc&) {
    return fabric_.reply(h, errc::no_mem, {});
  }
  fabric_.reply(h, errc::success, std::as_bytes(std::span(page)));
}

void remote_window::note_post(const message_head& h) noexcept {
  const std::int32_t target = h.carried<post_notice>().target;
  if (target < 0 || target >= core_.ranks()) return;
  const std::lock_guard hold(posts_mutex_);
  const auto known = std::find_if(posts_.begin(), posts_.end(),
                                  [target](const auto& p) { return p.first == target; });
  try {
    if (known != posts_.end())
      ++known->second;
    else
      posts_.emplace_back(target, 1);
  } catch (const std::bad_alloc&) {
    // Lost: its start gives up in time.
  }
}

void remote_window::serve(const message& m) noexcept {
  const message_head& h = m.head;
  const auto answer_failure = [&](errc e) {
    if (e != errc::success) fabric_.reply(h, e, {});
  };
  const auto call = call_of(h);
  if (!call) return answer_failure(errc::arg);
  std::unique_lock attached_stays(core_.memory.serving_attached, std::defer_lock);
  if (core_.agreed.promised.has(assertion::attach)) attached_stays.lock();
  switch (*call) {
    case remote_call::put:
      return answer_failure(serve_access(am_kind::put, m));
    case remote_call::get:
      return answer_failure(serve_access(am_kind::get, m));
    case remote_call::accumulate:
      return answer_failure(serve_access(am_kind::accumulate, m));
    case remote_call::get_accumulate:
      return answer_failure(serve_access(am_kind::get_accumulate, m));
    case remote_call::compare_swap:
      return answer_failure(serve_access(am_kind::compare_swap, m));
    case remote_call::packet:
      return answer_failure(serve_packet(m));
    case remote_call::put_runs:
      return answer_failure(serve_runs(am_kind::put_runs, m));
    case remote_call::accumulate_runs:
      return answer_failure(serve_runs(am_kind::accumulate_runs, m));
    case remote_call::get_accumulate_runs:
      return answer_failure(serve_runs(am_kind::get_accumulate_runs, m));
    case remote_call::get_runs:
      return answer_failure(serve_get_runs(m));
    case remote_call::put_notify:
      if (received_) received_->note(static_cast<std::size_t>(h.from), serve_notify(m));
      return;
    case remote_call::acknowledge:
      return serve_acknowledge(h);
    case remote_call::refuse_notify:
      return answer_failure(serve_refusal(m));
    case remote_call::lock:
      serve_lock(h);
      tick();  // most locks are free
      return;
    case remote_call::unlock:
      serve_unlock(h);
      return;
    case remote_call::post:
      return note_post(h);
    case remote_call::complete:
      if (core_.epochs.pscw) core_.epochs.pscw->completed_elsewhere();
      return;
    case remote_call::segments:
      return serve_segments(h);
    case remote_call::locate:
      return answer_failure(serve_locate(h));
    case remote_call::forget:
      serve_forget(h);
      tick();
      return;
    case remote_call::number_notices:
      return serve_number(h);
    case remote_call::revoke:
      serve_revoke(h);
      tick();
      return;
    case remote_call::note_access:
    case remote_call::complete_accesses:
    case remote_call::tell_order:
    case remote_call::learn_order:
      return answer_failure(serve_check(core_, fabric_, *call, m));
  }
}

// Locks are granted in turn with this node's ranks, through the same queue.
bool remote_window::tick() noexcept {
  if (staging_) answer_staged();
  for (std::size_t i = 0; i < waiters_.size();) {
    waiter& w = waiters_[i];
    const bool gone = !core_.group->session().job().alive(w.asked.from);
    if (gone) w.turn.withdraw();
    if (!gone && !w.turn.attempt()) {
      ++i;
      continue;
    }
    if (!gone) fabric_.reply(w.asked, errc::success, {});
    waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  answer_revokers();
  const bool packets = packets_.tick();
  return packets || !waiters_.empty() || !revokers_.empty();
}

}  // namespace oriel::win
