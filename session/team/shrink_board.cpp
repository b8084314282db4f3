#include "session/team/shrink_board.hpp"

#include "sync/limited_watch.hpp"

namespace oriel::sessions {

struct shrink_board::head {
  sync::wait_word word;
  std::atomic<std::uint32_t> found;   // the answer's verdict
  std::atomic<std::uint64_t> stage;   // of a turn: its first coordinator, or `answered`
  std::atomic<std::uint64_t> writer;  // of a turn: the rank + 1 that writes the answer
};

namespace {

constexpr std::size_t bytes_of_head = 64;
constexpr std::uint32_t answered = 0xffffffffu;

constexpr std::uint64_t of(std::uint32_t turn, std::uint32_t what) noexcept {
  return std::uint64_t{turn} << 32 | what;
}
constexpr std::uint32_t turn_of(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word >> 32);
}
// What is of an earlier turn says nothing of this one: no coordinator has been given up.
constexpr std::uint32_t stage_in(std::uint64_t word, std::uint32_t turn) noexcept {
  return turn_of(word) == turn ? static_cast<std::uint32_t>(word) : 0;
}

}  // namespace

std::size_t shrink_board::bytes(int on_node, int ranks) noexcept {
  static_assert(sizeof(head) <= bytes_of_head);
  const int words = on_node + (ranks + 31) / 32;
  return bytes_of_head + sizeof(std::uint32_t) * static_cast<std::size_t>(words);
}

shrink_board::head& shrink_board::state() const noexcept {
  return *reinterpret_cast<head*>(at_);
}
std::atomic<std::uint32_t>& shrink_board::signature(int r) const noexcept {
  return reinterpret_cast<std::atomic<std::uint32_t>*>(at_ + bytes_of_head)[r];
}
std::atomic<std::uint32_t>& shrink_board::living(int i) const noexcept {
  return signature(on_node_ + i);
}
sync::wait_word& shrink_board::word() const noexcept {
  return state().word;
}

void shrink_board::changed() const noexcept {
  state().word.value.fetch_add(1, std::memory_order_seq_cst);
  sync::wake_all(state().word);
}

// The turn, twice, and whether it is ready.
void shrink_board::sign_in(int r, std::uint32_t turn, bool ready) const noexcept {
  signature(r).store(2 * turn + (ready ? 1 : 0), std::memory_order_release);
  changed();
}

bool shrink_board::has_signed_in(int r, std::uint32_t turn) const noexcept {
  return signature(r).load(std::memory_order_acquire) / 2 >= turn;
}

bool shrink_board::is_ready(int r) const noexcept {
  return signature(r).load(std::memory_order_acquire) % 2 == 1;
}

int shrink_board::first_coordinator(std::uint32_t turn) const noexcept {
  const std::uint32_t stage = stage_in(state().stage.load(std::memory_order_acquire), turn);
  return stage == answered ? 0 : static_cast<int>(stage);
}

bool shrink_board::has_answer(std::uint32_t turn) const noexcept {
  const std::uint64_t now = state().stage.load(std::memory_order_acquire);
  return turn_of(now) > turn || now == of(turn, answered);
}

// False where the turn is beyond that: another coordinator is the first, or it is answered, or
// over.
bool shrink_board::move_to(std::uint32_t turn, std::uint32_t stage) const noexcept {
  std::uint64_t now = state().stage.load(std::memory_order_acquire);
  do {
    if (turn_of(now) > turn || stage_in(now, turn) > stage) return false;
    // Behind this, who looks for the answer of an earlier turn finds that it is over.
  } while (!state().stage.compare_exchange_weak(now, of(turn, stage)));
  return true;
}

bool shrink_board::give_up_before(int coordinator, std::uint32_t turn) const noexcept {
  return move_to(turn, static_cast<std::uint32_t>(coordinator)) || !has_answer(turn);
}

errc shrink_board::take(const shrink_answer& given, int coordinator, std::uint32_t turn, int me,
                        const sync::peer_watch& waits, const std::function<bool(int)>& runs) const {
  head& s = state();
  const std::uint64_t mine = of(turn, static_cast<std::uint32_t>(me) + 1);
  std::uint64_t writer = s.writer.load(std::memory_order_acquire);
  for (;;) {
    const int who = static_cast<int>(stage_in(writer, turn)) - 1;
    if (who >= 0 && who != me && runs(who)) {
      // It waits for nothing while it writes.
      const sync::conditional_watch watch(waits, [&] { return !runs(who); });
      const errc e = sync::wait_for(s.word, watch, [&](std::uint32_t) {
        return has_answer(turn) || s.writer.load(std::memory_order_acquire) != writer;
      });
      if (e != errc::success && e != errc::peer_failed) return e;
      if (e == errc::success) {
        if (has_answer(turn)) return errc::success;
        writer = s.writer.load(std::memory_order_acquire);
        continue;
      }
    }
    if (s.writer.compare_exchange_strong(writer, mine)) break;
  }
  // Another may have written it all, and died: ranks may have read it since.
  if (has_answer(turn)) return errc::success;
  if (move_to(turn, static_cast<std::uint32_t>(coordinator))) {
    std::atomic_thread_fence(std::memory_order_release);
    for (int i = 0; i < words(); ++i) {
      std::uint32_t bits = 0;
      for (int r = 32 * i; r < ranks_ && r < 32 * i + 32; ++r)
        if (given.found == verdict::agreed && given.living[static_cast<std::size_t>(r)])
          bits |= 1u << (r - 32 * i);
      living(i).store(bits, std::memory_order_relaxed);
    }
    s.found.store(static_cast<std::uint32_t>(given.found), std::memory_order_relaxed);
    std::uint64_t now = of(turn, static_cast<std::uint32_t>(coordinator));
    if (s.stage.compare_exchange_strong(now, of(turn, answered))) {
      changed();
      return errc::success;
    }
  }
  // Whoever has given the coordinator up waits for another one's answer.
  s.writer.store(of(turn, 0));
  changed();
  return errc::peer_failed;
}

std::optional<shrink_answer> shrink_board::answer(std::uint32_t turn) const {
  shrink_answer known;
  known.living.resize(static_cast<std::size_t>(ranks_));
  for (int i = 0; i < words(); ++i) {
    const std::uint32_t bits = living(i).load(std::memory_order_relaxed);
    for (int r = 32 * i; r < ranks_ && r < 32 * i + 32; ++r)
      known.living[static_cast<std::size_t>(r)] = (bits >> (r - 32 * i) & 1u) != 0;
  }
  known.found = static_cast<verdict>(state().found.load(std::memory_order_relaxed));
  // Whoever writes the next has left this stage before.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (state().stage.load(std::memory_order_relaxed) != of(turn, answered)) return std::nullopt;
  return known;
}

}  // namespace oriel::sessions
