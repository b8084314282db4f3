#include "sync/packet_board.hpp"

namespace oriel::sync {

// The lines, and the bits.
std::size_t packet_board::bytes(int ranks) noexcept {
  const auto all = static_cast<std::size_t>(ranks);
  return all * (all * sizeof(line) +
                static_cast<std::size_t>(words(ranks)) * sizeof(std::atomic<std::uint32_t>));
}

std::atomic<std::uint32_t>& packet_board::pending(int owner, int word) const noexcept {
  auto* const bits = reinterpret_cast<std::atomic<std::uint32_t>*>(&line_of(ranks_, 0));
  return bits[owner * words(ranks_) + word];
}

wait_word& packet_board::outbox::state_of(std::size_t which) const noexcept {
  return board_->line_of(owner_, board_->me_).notes[which].state;
}

bool packet_board::outbox::is_performed(std::size_t which) const noexcept {
  return state_of(which).value.load(std::memory_order_acquire) >= performed;
}

void packet_board::outbox::post(const packet_note& asked) noexcept {
  const int me = board_->me_;
  note& n = board_->line_of(owner_, me).notes[next()];
  n.place = asked.place;
  n.head = asked.head;
  n.bytes = asked.bytes;
  n.state.value.store(posted, std::memory_order_release);
  ++n_;
  if (board_->peers_.is_known_dead(owner_)) return;
  if (!board_->are_few())
    board_->pending(owner_, me / 32).fetch_or(1u << (me % 32), std::memory_order_release);
  static_cast<void>(board_->peers_.bell(owner_).ring());
}

void packet_board::outbox::wake_owner() noexcept {
  if (n_ != 0 && !is_performed(oldest_)) board_->peers_.bell(owner_).wake_agent();
}

errc packet_board::outbox::wait_for_oldest(bool patient) noexcept {
  const auto spent = patient ? std::chrono::nanoseconds(0) : std::chrono::nanoseconds::max();
  const owner_watch owner(board_->peers_, owner_, &board_->peers_.bell(owner_), looks_, spent);
  return wait_for_owner(state_of(oldest_), owner,
                        [](std::uint32_t now) { return now >= performed; });
}

errc packet_board::outbox::take_outcome() noexcept {
  std::atomic<std::uint32_t>& state = state_of(oldest_).value;
  const auto outcome = static_cast<errc>(state.load(std::memory_order_relaxed) - performed);
  state.store(free, std::memory_order_relaxed);
  return outcome;
}

// The owner, or nobody, changes it meanwhile.
bool packet_board::outbox::withdraw_last() noexcept {
  std::uint32_t found = posted;
  if (!state_of((next() + at_once - 1) % at_once)
           .value.compare_exchange_strong(found, free, std::memory_order_relaxed))
    return false;
  --n_;
  return true;
}

}  // namespace oriel::sync
