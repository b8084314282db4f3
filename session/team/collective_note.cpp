#include "session/team/collective_note.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "session/team/team_state.hpp"

namespace oriel::sessions {
namespace {

template <std::size_t N>
void write(std::atomic<std::uint64_t> (&to)[N], const std::array<std::uint64_t, N>& words) {
  for (std::size_t i = 0; i < N; ++i) to[i].store(words[i], std::memory_order_relaxed);
}

auto words_of(const char* name) noexcept {
  std::array<std::uint64_t, present_collective::longest_name / sizeof(std::uint64_t)> words{};
  if (name != nullptr) std::memcpy(words.data(), name, std::min(std::strlen(name), sizeof words));
  return words;
}

}  // namespace

void collective_note::asleep(sync::clock::time_point began) noexcept {
  if (shown_ == nullptr) {
    detail::session_state& session = team_.session();
    present_collective& mine =
        session.memory().member(session.job().node_rank_of(session.job().rank())).collective;
    if (mine.taken.exchange(1, std::memory_order_acquire) != 0) return;
    write(mine.call, std::bit_cast<std::array<std::uint64_t, 2>>(call_));
    write(mine.name, words_of(name_));
    shown_ = &mine;
  }
  const collectives::absentees absent =
      awaited_ ? collectives::absentees{*awaited_, 0} : team_.absent();
  shown_->awaited.store(absent.first < 0 ? -1 : team_.world_rank(absent.first),
                        std::memory_order_relaxed);
  shown_->more.store(absent.more, std::memory_order_relaxed);
  if (shown_->since.load(std::memory_order_relaxed) == 0)
    shown_->since.store(
        std::chrono::duration_cast<std::chrono::nanoseconds>(began.time_since_epoch()).count(),
        std::memory_order_release);
}

void collective_note::hide() noexcept {
  shown_->since.store(0, std::memory_order_relaxed);
  shown_->taken.store(0, std::memory_order_release);
}

}  // namespace oriel::sessions
