#include "atomics/gates.hpp"

#include "sync/limited_watch.hpp"
#include "sync/process_barrier.hpp"

namespace oriel::atomics {
namespace {

// Of a gate. A rank may die while it shuts one, so that this is not yet `shut`.
enum gate_state : std::uint32_t { is_open, being_shut, is_shut };

// To shut a gate takes about as long as this many atomics on elements,
constexpr std::uint32_t worth_shutting = 4096;
// and as this many single atomics lose by taking turns.
constexpr std::uint32_t worth_opening = 512;
// Fewer elements at once gain nothing.
constexpr std::size_t shortest = 16;

}  // namespace

gates::gates(std::byte* block, int me, int ranks, const sync::peer_watch& watch,
             std::function<bool(int)> alive)
    : gates_(reinterpret_cast<detail::gate*>(block)),
      turns_(reinterpret_cast<turn*>(gates_ + ranks)),
      all_places_(reinterpret_cast<detail::gate_place*>(turns_ + ranks)),
      view_{gates_, all_places_ + static_cast<std::size_t>(me) * places},
      me_(static_cast<std::uint32_t>(me) + 1),
      ranks_(static_cast<std::uint32_t>(ranks)),
      watch_(&watch),
      alive_(std::move(alive)) {
  view_.mine = detail::find_gate_place(view_);
  if (view_.mine != nullptr) view_.number_of_mine = detail::gate_place_of_this_thread;
}

bool gates::are_long(std::uint32_t r, std::size_t elements) noexcept {
  if (elements < 2) return false;
  if (gates_[r].shut.load(std::memory_order_relaxed) != is_open) return true;
  if (elements < shortest) return false;
  if (elements >= worth_shutting) return true;
  const auto n = static_cast<std::uint32_t>(elements);
  return turns_[r].due.fetch_add(n, std::memory_order_relaxed) + n >= worth_shutting;
}

errc gates::take_slowly(std::uint32_t r) noexcept {
  sync::wait_word& word = turns_[r].owner;
  const sync::quiet_watch watch(*watch_);
  const auto left_by_the_dead = [this](std::uint32_t owner) noexcept {
    return owner != 0 && owner != me_ && !alive_(static_cast<int>(owner) - 1);
  };
  for (;;) {
    const sync::conditional_watch until_death(
        watch, [&] { return left_by_the_dead(word.value.load(std::memory_order_seq_cst)); });
    const errc e = sync::wait_for(word, until_death, [&](std::uint32_t owner) {
      return owner == 0 &&
             word.value.compare_exchange_strong(owner, me_, std::memory_order_seq_cst);
    });
    if (e != errc::peer_failed) return e;
    std::uint32_t dead = word.value.load(std::memory_order_seq_cst);
    if (left_by_the_dead(dead) &&
        word.value.compare_exchange_strong(dead, me_, std::memory_order_seq_cst))
      return errc::success;
  }
}

errc gates::shut(std::uint32_t r) noexcept {
  turns_[r].singles.store(0, std::memory_order_relaxed);
  std::atomic<std::uint32_t>& state = gates_[r].shut;
  if (state.load(std::memory_order_relaxed) == is_shut) [[likely]]
    return errc::success;
  state.store(being_shut, std::memory_order_seq_cst);
  errc e = sync::process_barrier();
  if (e == errc::success) e = wait_for_passers();
  if (e == errc::success) state.store(is_shut, std::memory_order_relaxed);
  return e;
}

void gates::count_single(std::uint32_t r) noexcept {
  if (gates_[r].shut.load(std::memory_order_relaxed) == is_open) return;
  if (turns_[r].singles.fetch_add(1, std::memory_order_relaxed) + 1 < worth_opening) return;
  turns_[r].due.store(0, std::memory_order_relaxed);
  gates_[r].shut.store(is_open, std::memory_order_release);
}

// Of any gate of the window: a step is short, and its thread stands outside between two.
errc gates::wait_for_passers() noexcept {
  sync::patience_clock clock(*watch_);
  for (std::uint32_t other = 0; other < ranks_; ++other) {
    for (std::uint32_t place = 0; place < places; ++place) {
      const auto& passing = all_places_[other * places + place].passing;
      for (int looks = 0; passing.load(std::memory_order_acquire) != 0; ++looks) {
        if (looks < sync::wait_ladder::spins_oversubscribed) {
          sync::cpu_relax();
          continue;
        }
        sync::wait_ladder::yield();
        if (!clock.due()) continue;
        if (!alive_(static_cast<int>(other))) break;
        if (const errc e = clock.look(/*at_peers=*/false); e != errc::success) return e;
      }
    }
  }
  return errc::success;
}

}  // namespace oriel::atomics
