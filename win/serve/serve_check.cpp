#include "win/serve/serve_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <span>

#include "sync/limited_watch.hpp"
#include "win/check/far_access.hpp"
#include "win/check/order_places.hpp"
#include "win/route/peer_words.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using detail::window_core;
using sessions::vector_clock;
using transport::message;

// The clock that times are given by, without the mutex of this process's own times.
std::uint64_t time_here() noexcept {
  const auto time = sync::clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

template <class T>
T read(std::span<const std::byte> bytes) noexcept {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// The sender, in the team; any_rank where it is not of it.
rank sender_of(const window_core& core, const message& m) noexcept {
  const std::span<const int> world = core.group->where().world_ranks();
  const auto at = std::find(world.begin(), world.end(), m.head.from);
  return at == world.end() ? any_rank : rank{static_cast<int>(at - world.begin())};
}

bool is_here(const window_core& core, std::int32_t r) noexcept {
  return core.group->has(rank{r}) && log_of(core, rank{r}) != nullptr;
}

// What vector_clock::follows() says in the process that asks.
class shown_order {
 public:
  shown_order(const window_core& core, rank origin, std::span<const std::byte> times) noexcept
      : core_(core), origin_(origin), times_(times) {}
  bool operator()(const shadow_access& before) const noexcept {
    if (before.complete.time == 0) return false;
    const int world = core_.group->world_rank(before.origin);
    if (before.complete.time <= word(static_cast<std::size_t>(world))) return true;
    if (before.origin != origin_.value) return false;
    const std::int16_t thread = before.complete.thread;
    const std::size_t ranks = times_.size() / sizeof(std::uint64_t) - sessions::most_threads;
    return thread == sessions::every_thread ||
           before.complete.time <= word(ranks + static_cast<std::size_t>(thread));
  }

 private:
  [[nodiscard]] std::uint64_t word(std::size_t i) const noexcept {
    return read<std::uint64_t>(times_.subspan(i * sizeof(std::uint64_t)));
  }
  const window_core& core_;
  rank origin_;
  std::span<const std::byte> times_;
};

// Serving, who waits for a log serves nothing else, which may need the same log.
struct quiet_log {
  sync::quiet_watch watch;
  shadow_log log;
  quiet_log(window_core& core, rank r) noexcept
      : watch(core.group->watch()), log(*log_of(core, r), core.epochs.world_me, watch) {}
};

// Times only grow.
void leave_at(std::span<vector_clock::shared_time> place, std::size_t r,
              std::uint64_t time) noexcept {
  std::uint64_t there = place[r].load(std::memory_order_relaxed);
  while (there < time && !place[r].compare_exchange_weak(there, time)) {
  }
}

// What the note says of the sender's own, and what it shows of the others.
void tell_with(window_core& core, const note_request& wanted, int sender, std::uint64_t told,
               std::span<const std::byte> times) noexcept {
  const std::size_t first = place_of(core, rank{wanted.target}, order_place::atomic);
  for (std::size_t i = 0; i < atomic_places; ++i) {
    if ((wanted.tells_at >> i & 1) == 0) continue;
    const auto place = place_at(core, first + i);
    for (std::size_t r = 0; r < place.size(); ++r)
      leave_at(place, r,
               static_cast<int>(r) == sender
                   ? told
                   : read<std::uint64_t>(times.subspan(r * sizeof(std::uint64_t))));
  }
}

errc serve_note(window_core& core, transport::fabric& way, const message& m) noexcept {
  const auto wanted = m.head.carried<note_request>();
  const rank origin = sender_of(core, m);
  const std::size_t times =
      (clock_of(core).width() + sessions::most_threads) * sizeof(std::uint64_t);
  if (origin == any_rank || !is_here(core, wanted.target)) return errc::rank;
  if (m.payload.size() < sizeof(far_entry) + times ||
      (m.payload.size() - sizeof(far_entry) - times) / sizeof(far_run) != wanted.runs ||
      (m.payload.size() - sizeof(far_entry) - times) % sizeof(far_run) != 0)
    return errc::count;
  const auto entry = read<far_entry>(m.payload);
  auto made = unpacked(entry);
  if (!made || made->kind > access_kind::atomic_read || wanted.tells_at > all_atomic_places)
    return errc::arg;
  made->origin = origin.value;
  const auto runs = m.payload.subspan(sizeof(far_entry) + times);
  const auto at = [&](std::size_t i) {
    const auto run = read<far_run>(runs.subspan(i * sizeof(far_run)));
    shadow_access one = *made;
    one.low = run.low;
    one.high = run.high;
    one.type = primitive{static_cast<std::uint8_t>(run.type)};
    return one;
  };
  for (std::size_t i = 0; i < wanted.runs; ++i) {
    const auto run = read<far_run>(runs.subspan(i * sizeof(far_run)));
    if (run.low >= run.high) return errc::rma_range;
    if (run.type > 0xff || !transport::is_known(primitive{static_cast<std::uint8_t>(run.type)}))
      return errc::type;
  }
  const shown_order order(core, origin, m.payload.subspan(sizeof(far_entry), times));
  quiet_log there(core, rank{wanted.target});
  note_answer answer;
  if (wanted.compares_operations != 0)
    for (std::size_t i = 0; i < wanted.runs && answer.found == note_answer::what::nothing; ++i)
      if (const auto other = there.log.find_other_operation(at(i), order)) {
        answer.found = note_answer::what::other_operation;
        answer.run = static_cast<std::uint32_t>(i);
        answer.other = packed(*other);
      }
  if (const auto found = there.log.note_all(wanted.runs, at, order)) {
    answer.found = note_answer::what::conflict;
    answer.run = static_cast<std::uint32_t>(found->number);
    answer.other = packed(found->with);
  }
  tell_with(core, wanted, m.head.from, entry.told, m.payload.subspan(sizeof(far_entry), times));
  answer.time = time_here();
  way.reply(m.head, errc::success, std::as_bytes(std::span(&answer, 1)));
  return errc::success;
}

errc serve_completion(window_core& core, transport::fabric& way, const message& m) noexcept {
  using which = completion_request::which;
  const auto wanted = m.head.carried<completion_request>();
  const rank origin = sender_of(core, m);
  const bool alike = wanted.what == which::alike;
  if (origin == any_rank || (wanted.target != any_rank.value && !is_here(core, wanted.target)))
    return errc::rank;
  if (wanted.what > which::alike || wanted.kind > static_cast<std::uint8_t>(access_kind::store) ||
      wanted.thread < sessions::every_thread ||
      wanted.thread >= static_cast<std::int16_t>(sessions::most_threads) || wanted.time == 0)
    return errc::arg;
  if (m.payload.size() != (alike ? sizeof(completed_access) : 0)) return errc::count;
  const auto bytes = alike ? read<completed_access>(m.payload) : completed_access{};
  const sessions::moment now{wanted.time, wanted.thread};
  completion_answer answer;
  for (const int r : core.group->node_members()) {
    if (wanted.target != any_rank.value && wanted.target != r) continue;
    quiet_log there(core, rank{r});
    if (alike)
      there.log.complete_access(origin.value, now, access_kind{wanted.kind}, bytes.low, bytes.high);
    else if (wanted.what == which::requested)
      there.log.complete_requested(origin.value, now);
    else
      there.log.complete(origin.value, now, wanted.what == which::reading,
                         [&](const shadow_access& a) {
                           if (a.complete.thread == sessions::every_thread) return;
                           auto& last = answer.threads[static_cast<std::size_t>(a.complete.thread)];
                           last = std::max(last, a.complete.time);
                         });
  }
  answer.time = time_here();
  way.reply(m.head, errc::success, std::as_bytes(std::span(&answer, 1)));
  return errc::success;
}

// Calls `work` with each of the places. Returns false where one of them is not there.
template <class Work>
bool for_places(window_core& core, const order_request& wanted, Work work) noexcept {
  const std::size_t places = places_of_fences + core.group->node_members().size() * places_of_rank;
  if (wanted.count > places || wanted.step > places || wanted.first >= places ||
      (wanted.mask >> atomic_places) != 0 || wanted.mask == 0)
    return false;
  const std::size_t last = wanted.first + std::size_t{wanted.step} * (wanted.count - 1) +
                           static_cast<std::size_t>(std::bit_width(wanted.mask)) - 1;
  if (wanted.count == 0 || last >= places) return false;
  for (std::uint32_t k = 0; k < wanted.count; ++k)
    for (std::size_t bit = 0; bit < atomic_places; ++bit)
      if ((wanted.mask >> bit & 1) != 0)
        work(place_at(core, wanted.first + std::size_t{wanted.step} * k + bit));
  return true;
}

errc serve_tell(window_core& core, transport::fabric& way, const message& m) noexcept {
  const std::size_t width = clock_of(core).width();
  if (m.payload.size() != width * sizeof(std::uint64_t)) return errc::count;
  const auto tell = [&](std::span<vector_clock::shared_time> place) {
    for (std::size_t r = 0; r < width; ++r)
      leave_at(place, r, read<std::uint64_t>(m.payload.subspan(r * sizeof(std::uint64_t))));
  };
  if (!for_places(core, m.head.carried<order_request>(), tell)) return errc::arg;
  const std::uint64_t time = time_here();
  way.reply(m.head, errc::success, std::as_bytes(std::span(&time, 1)));
  return errc::success;
}

errc serve_learn(window_core& core, transport::fabric& way, const message& m) noexcept {
  if (!m.payload.empty()) return errc::count;
  const std::size_t width = clock_of(core).width();
  std::array<std::uint64_t, 1 + vector_clock::widest> answer{};
  const auto learn = [&](std::span<vector_clock::shared_time> place) {
    for (std::size_t r = 0; r < width; ++r)
      answer[1 + r] = std::max(answer[1 + r], place[r].load(std::memory_order_acquire));
  };
  if (!for_places(core, m.head.carried<order_request>(), learn)) return errc::arg;
  answer[0] = time_here();
  way.reply(m.head, errc::success, std::as_bytes(std::span(answer).first(1 + width)));
  return errc::success;
}

}  // namespace

errc serve_check(window_core& core, transport::fabric& way, remote_call call,
                 const message& m) noexcept {
  if (!core.agreed.checked || clock_of(core).width() == 0) return errc::not_asserted;
  switch (call) {
    case remote_call::note_access:
      return serve_note(core, way, m);
    case remote_call::complete_accesses:
      return serve_completion(core, way, m);
    case remote_call::tell_order:
      return serve_tell(core, way, m);
    case remote_call::learn_order:
      return serve_learn(core, way, m);
    default:
      return errc::arg;
  }
}

}  // namespace oriel::win
