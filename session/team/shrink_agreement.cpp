#include "session/team/shrink_agreement.hpp"

#include <algorithm>

namespace oriel::sessions {

struct node_shrink_agreement::head {
  sync::wait_word word;               // bumped with every change
  std::atomic<std::uint32_t> agreed;  // the latest turn that has an answer
  std::atomic<std::uint64_t> writer;  // turn and rank + 1 of the rank that writes it
};

namespace {

constexpr std::size_t bytes_of_head = 64;

}  // namespace

std::size_t node_shrink_agreement::bytes(int ranks) noexcept {
  static_assert(sizeof(head) <= bytes_of_head);
  return bytes_of_head + 2 * sizeof(std::uint32_t) * static_cast<std::size_t>(ranks);
}

node_shrink_agreement::head& node_shrink_agreement::state() const noexcept {
  return *reinterpret_cast<head*>(block_);
}
std::atomic<std::uint32_t>& node_shrink_agreement::signed_in(int r) const noexcept {
  return reinterpret_cast<std::atomic<std::uint32_t>*>(block_ + bytes_of_head)[r];
}
std::atomic<std::uint32_t>& node_shrink_agreement::left(int r) const noexcept {
  return signed_in(ranks_ + r);
}

errc node_shrink_agreement::agree(const agreeing& a, std::vector<bool>& living) {
  head& s = state();
  const auto changed = [&s] {
    s.word.value.fetch_add(1, std::memory_order_seq_cst);
    sync::wake_all(s.word);
  };
  std::vector<bool> dead(static_cast<std::size_t>(ranks_));
  const auto agreed = [&] { return s.agreed.load(std::memory_order_acquire) >= a.turn; };
  const auto absent = [&](int r) {
    return !dead[static_cast<std::size_t>(r)] &&
           signed_in(r).load(std::memory_order_acquire) < a.turn;
  };
  const auto complete = [&] {
    for (int r = 0; r < ranks_; ++r)
      if (absent(r)) return false;
    return true;
  };
  signed_in(a.me).store(a.turn, std::memory_order_release);
  changed();
  while (!agreed()) {
    if (!complete()) {
      // Ends as well when an absent rank has died, which is then not waited for any more.
      const sync::conditional_watch watch(*a.waits, [&] {
        bool news = false;
        for (int r = 0; r < ranks_; ++r)
          if (absent(r) && !a.look(r)) news = dead[static_cast<std::size_t>(r)] = true;
        return news;
      });
      const errc e =
          sync::wait_for(s.word, watch, [&](std::uint32_t) { return agreed() || complete(); });
      if (e != errc::success && e != errc::peer_failed) return e;
      continue;
    }
    std::uint64_t writer = s.writer.load(std::memory_order_acquire);
    const auto who = static_cast<int>(writer & 0xffffffffu) - 1;
    if (writer >> 32 == a.turn && who != a.me && a.look(who)) {
      const sync::conditional_watch watch(*a.waits, [&] { return !a.look(who); });
      const errc e = sync::wait_for(s.word, watch, [&](std::uint32_t) { return agreed(); });
      if (e != errc::success && e != errc::peer_failed) return e;
      continue;
    }
    const std::uint64_t mine = std::uint64_t{a.turn} << 32 | static_cast<std::uint32_t>(a.me + 1);
    if (!s.writer.compare_exchange_strong(writer, mine)) continue;
    // Another may have written it all, and died: ranks may have read it since.
    if (agreed()) break;
    // Or have begun to write, and died: what it wrote for this turn does not count.
    for (int r = 0; r < ranks_; ++r)
      if (!dead[static_cast<std::size_t>(r)] && a.look(r))
        left(r).store(a.turn, std::memory_order_relaxed);
      else if (left(r).load(std::memory_order_relaxed) == a.turn)
        left(r).store(a.turn - 1, std::memory_order_relaxed);
    s.agreed.store(a.turn, std::memory_order_release);
    changed();
  }
  // A rank that survives in a later answer survives in this one.
  living.resize(static_cast<std::size_t>(ranks_));
  for (int r = 0; r < ranks_; ++r)
    living[static_cast<std::size_t>(r)] = left(r).load(std::memory_order_relaxed) >= a.turn;
  return errc::success;
}

}  // namespace oriel::sessions
