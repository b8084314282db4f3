#include "win/check/far_checks.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "transport/message.hpp"
#include "win/check/order_places.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using sessions::vector_clock;

// Writes it behind `at`, and returns what comes behind that.
template <class T>
std::byte* append(std::byte* at, std::span<const T> some) noexcept {
  if (!some.empty()) std::memcpy(at, some.data(), some.size_bytes());
  return at + some.size_bytes();
}

}  // namespace

far_checks::far_checks(detail::window_core& core)
    : core_(core), nodes_(static_cast<std::size_t>(core.group->where().nodes())) {}

std::uint32_t far_checks::ranks_beside(rank r) const noexcept {
  const sessions::placement& where = core_.group->where();
  return static_cast<std::uint32_t>(where.ranks_on(where.node_of(r.value)).size());
}

// Others for each rank that asks, so that they share the work.
rank far_checks::some_rank_on(int node) const noexcept {
  const detail::team_state& group = *core_.group;
  if (node == group.node_of(group.me())) return any_rank;
  const std::span<const int> ranks = group.where().ranks_on(node);
  const auto first = static_cast<std::size_t>(group.node_rank(group.me()));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const int r = ranks[(first + i) % ranks.size()];
    if (group.session().job().alive(group.world_rank(r))) return rank{r};
  }
  return any_rank;
}

far_checks::node_state& far_checks::state_of(rank r) noexcept {
  return nodes_[static_cast<std::size_t>(core_.group->node_of(r.value))];
}

template <class Body>
errc far_checks::ask(rank r, remote_call call, const Body& body, std::span<const std::byte> payload,
                     void* answer, std::size_t bytes) noexcept {
  const errc e = core_.routes.remote->ask_checker(r, call, body, payload, answer, bytes);
  if (e == errc::timed_out) state_of(r).is_silent.store(true, std::memory_order_relaxed);
  return e;
}

void far_checks::heard(rank r, std::uint64_t asked, std::uint64_t theirs) noexcept {
  const int world = core_.group->world_rank(r.value);
  clock_of(core_).heard_time(core_.group->session().job().node_of(world), asked, theirs);
}

std::optional<far_checks::finding> far_checks::note_some(rank target, const shadow_access& made,
                                                         std::span<const far_run> runs,
                                                         note_request wanted,
                                                         std::span<std::byte> room) noexcept {
  vector_clock& clock = clock_of(core_);
  far_entry entry = packed(made);
  if (wanted.tells_at != 0) entry.told = clock.told_of_itself();
  std::byte* const times = append(room.data(), std::span<const far_entry>(&entry, 1));
  const std::size_t words = clock.width() + sessions::most_threads;
  // At a multiple of 8 bytes, as the room and the entry are.
  clock.show({reinterpret_cast<std::uint64_t*>(times), words});
  const std::byte* const end = append(times + words * sizeof(std::uint64_t), runs);
  note_answer answer;
  // Before, since who does not answer in time may note it later; and behind, since another thread's
  // completions may have passed it.
  const auto has_noted = [&] { state_of(target).has_noted.store(true); };
  has_noted();
  const std::uint64_t asked = clock.time();
  wanted.runs = static_cast<std::uint32_t>(runs.size());
  if (ask(target, remote_call::note_access, wanted,
          room.first(static_cast<std::size_t>(end - room.data())), &answer,
          sizeof answer) != errc::success)
    return std::nullopt;
  heard(target, asked, answer.time);
  has_noted();
  const auto other = unpacked(answer.other);
  if (answer.found == note_answer::what::nothing || !other || answer.run >= runs.size())
    return std::nullopt;
  return finding{answer.found, runs[answer.run], *other};
}

std::optional<far_checks::finding> far_checks::note(rank target, const shadow_access& made,
                                                    std::span<const far_run> runs,
                                                    bool compares_operations,
                                                    std::uint32_t tells_at) noexcept {
  if (state_of(target).is_silent.load(std::memory_order_relaxed)) return std::nullopt;
  const std::size_t before =
      sizeof(far_entry) +
      (clock_of(core_).width() + sessions::most_threads) * sizeof(std::uint64_t);
  const std::size_t at_once = (transport::longest_payload - before) / sizeof(far_run);
  std::vector<std::uint64_t> room;
  try {
    room.resize((before + std::min(at_once, runs.size()) * sizeof(far_run)) /
                sizeof(std::uint64_t));
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
  const note_request wanted{.target = target.value,
                            .compares_operations = compares_operations ? 1u : 0u,
                            .tells_at = tells_at};
  std::optional<finding> first;
  for (std::size_t done = 0; done < runs.size(); done += at_once) {
    const auto found =
        note_some(target, made, runs.subspan(done, std::min(at_once, runs.size() - done)), wanted,
                  std::as_writable_bytes(std::span(room)));
    if (found && !first) first = found;
    if (found && found->found == note_answer::what::conflict) return found;
  }
  return first;
}

// A time-out here is one of the flush that follows too; what this leaves is told of by the next
// one, to another rank of the node where this one has died.
void far_checks::complete_at(rank r, const completion_request& wanted,
                             completed_access bytes) noexcept {
  vector_clock& clock = clock_of(core_);
  completion_answer answer;
  const bool alike = wanted.what == completion_request::which::alike;
  const std::uint64_t asked = clock.time();
  const errc e = ask(r, remote_call::complete_accesses, wanted,
                     std::as_bytes(std::span(&bytes, alike ? 1 : 0)), &answer, sizeof answer);
  if (e != errc::success) return state_of(r).has_noted.store(true, std::memory_order_relaxed);
  state_of(r).is_silent.store(false, std::memory_order_relaxed);
  heard(r, asked, answer.time);
  for (std::size_t t = 0; t < answer.threads.size(); ++t)
    if (answer.threads[t] != 0)
      clock.learn_completion({}, {answer.threads[t], static_cast<std::int16_t>(t)});
}

// What another thread notes meanwhile is that one's to complete.
void far_checks::complete(rank r, completion_request::which what, sessions::moment now) noexcept {
  const bool leaves_none = r == any_rank && what == completion_request::which::all;
  const auto at = [&](rank asked, std::int32_t target) {
    node_state& there = state_of(asked);
    const bool any = leaves_none ? there.has_noted.exchange(false, std::memory_order_relaxed)
                                 : there.has_noted.load(std::memory_order_relaxed);
    if (any)
      complete_at(asked, {.target = target, .what = what, .thread = now.thread, .time = now.time},
                  {});
  };
  if (r != any_rank) return at(r, r.value);
  with_other_nodes([&](rank some) { at(some, any_rank.value); });
}

void far_checks::complete_alike(rank r, access_kind kind, completed_access bytes,
                                sessions::moment now) noexcept {
  complete_at(r,
              {.target = r.value,
               .what = completion_request::which::alike,
               .kind = static_cast<std::uint8_t>(kind),
               .thread = now.thread,
               .time = now.time},
              bytes);
}

void far_checks::tell(rank r, const order_request& places) noexcept {
  if (state_of(r).is_silent.load(std::memory_order_relaxed)) return;
  vector_clock& clock = clock_of(core_);
  std::uint64_t time = 0;
  try {
    const std::vector<std::uint64_t> told = clock.told();
    ask(r, remote_call::tell_order, places, std::as_bytes(std::span(told)), &time, sizeof time);
  } catch (const std::bad_alloc&) {
    return;
  }
}

void far_checks::learn(rank r, const order_request& places) noexcept {
  vector_clock& clock = clock_of(core_);
  try {
    std::vector<std::uint64_t> answer(1 + clock.width());
    const std::uint64_t asked = clock.time();
    if (!state_of(r).is_silent.load(std::memory_order_relaxed) &&
        ask(r, remote_call::learn_order, places, {}, answer.data(),
            answer.size() * sizeof answer.front()) == errc::success) {
      heard(r, asked, answer.front());
      return clock.learn(std::span<const std::uint64_t>(answer).subspan(1));
    }
  } catch (const std::bad_alloc&) {
    // as where nothing is heard
  }
  clock.learn_everything();
}

}  // namespace oriel::win
