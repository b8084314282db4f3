#include "session/survivors.hpp"

#include <algorithm>

namespace oriel::boot {

// --- In shared memory

struct node_survivors::head {
  wait_word word;                     // bumped with every change
  std::atomic<std::uint32_t> agreed;  // the latest turn that has an answer
  std::atomic<std::uint64_t> writer;  // turn and rank + 1 of who writes it down
};

namespace {

constexpr std::size_t head_bytes = 64;

}  // namespace

std::size_t node_survivors::bytes(int ranks) noexcept {
  static_assert(sizeof(head) <= head_bytes);
  return head_bytes + 2 * sizeof(std::uint32_t) * static_cast<std::size_t>(ranks);
}

node_survivors::head& node_survivors::state() const noexcept {
  return *reinterpret_cast<head*>(block_);
}
std::atomic<std::uint32_t>& node_survivors::signed_in(int r) const noexcept {
  return reinterpret_cast<std::atomic<std::uint32_t>*>(block_ + head_bytes)[r];
}
// The turn of the latest answer that has this rank in it.
std::atomic<std::uint32_t>& node_survivors::left(int r) const noexcept {
  return signed_in(ranks_ + r);
}

errc node_survivors::agree(const agreeing& a, std::vector<bool>& living) {
  head& s = state();
  const auto changed = [&s] {
    s.word.value.fetch_add(1, std::memory_order_seq_cst);
    wake_all(s.word);
  };
  std::vector<bool> dead(static_cast<std::size_t>(ranks_));
  const auto agreed = [&] { return s.agreed.load(std::memory_order_acquire) == a.turn; };
  const auto absent = [&](int r) {
    return !dead[static_cast<std::size_t>(r)] &&
           signed_in(r).load(std::memory_order_acquire) != a.turn;
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
      // Ends as well when somebody absent has died, who is then not waited for any more.
      const conditional_watch watch(*a.whole, [&] {
        bool news = false;
        for (int r = 0; r < ranks_; ++r)
          if (absent(r) && !a.look(r)) news = dead[static_cast<std::size_t>(r)] = true;
        return news;
      });
      const errc e = wait_for(s.word, watch, [&](std::uint32_t) { return agreed() || complete(); });
      if (e != errc::success && e != errc::peer_failed) return e;
      continue;
    }
    std::uint64_t writer = s.writer.load(std::memory_order_acquire);
    const auto who = static_cast<int>(writer & 0xffffffffu) - 1;
    if (writer >> 32 == a.turn && who != a.me && a.look(who)) {
      const conditional_watch watch(*a.whole, [&] { return !a.look(who); });
      const errc e = wait_for(s.word, watch, [&](std::uint32_t) { return agreed(); });
      if (e != errc::success && e != errc::peer_failed) return e;
      continue;
    }
    const std::uint64_t mine = std::uint64_t{a.turn} << 32 | static_cast<std::uint32_t>(a.me + 1);
    if (!s.writer.compare_exchange_strong(writer, mine)) continue;
    for (int r = 0; r < ranks_; ++r)
      left(r).store(!dead[static_cast<std::size_t>(r)] && a.look(r) ? a.turn : 0,
                    std::memory_order_relaxed);
    s.agreed.store(a.turn, std::memory_order_release);
    changed();
  }
  living.resize(static_cast<std::size_t>(ranks_));
  for (int r = 0; r < ranks_; ++r)
    living[static_cast<std::size_t>(r)] = left(r).load(std::memory_order_relaxed) == a.turn;
  return errc::success;
}

// --- By messages

namespace {

// A report says who is left, or that its sender has no answer yet: then it is empty.
class conversation {
 public:
  conversation(mesh& way, std::uint64_t group, const agreeing& a)
      : way_(way), group_(group), a_(a) {}

  errc run(std::vector<bool>& living) {
    for (int c = 0; c < a_.me; ++c) {
      if (!a_.look(c)) continue;
      way_.send(world(c), report_to(c), {});
      const errc e = hear(c, answer_of(c));
      if (e == errc::peer_failed) continue;
      if (e != errc::success) return e;
      repeat_to_successors(c);
      return use(living);
    }
    if (const errc e = coordinate(); e != errc::success) return e;
    return use(living);
  }

 private:
  // Coordinators that may die during one agreement, after somebody has heard from the first.
  static constexpr int successors = 8;

  [[nodiscard]] int world(int r) const { return (*a_.world)[static_cast<std::size_t>(r)]; }
  [[nodiscard]] mesh_tag report_to(int c) const {
    return {group_, 2 * a_.turn, static_cast<std::uint32_t>(c)};
  }
  [[nodiscard]] mesh_tag answer_of(int c) const {
    return {group_, 2 * a_.turn + 1, static_cast<std::uint32_t>(c)};
  }
  errc hear(int from, const mesh_tag& tag) {
    const conditional_watch watch(*a_.whole, [&] { return !a_.look(from); });
    return way_.receive(world(from), tag, heard_, watch);
  }
  [[nodiscard]] bool is_answer() const {
    return heard_.size() == static_cast<std::size_t>(a_.size());
  }
  errc use(std::vector<bool>& living) {
    if (!is_answer() || heard_[static_cast<std::size_t>(a_.me)] == std::byte{0})
      return errc::peer_failed;
    living.resize(heard_.size());
    std::transform(heard_.begin(), heard_.end(), living.begin(),
                   [](std::byte b) { return b != std::byte{0}; });
    return errc::success;
  }
  // Ranks below this one only: one above coordinates when this one is dead, and then does not need
  // its word.
  void repeat_to_successors(int c) {
    int told = 0;
    for (int r = c + 1; r < a_.me && told < successors; ++r) {
      if (!a_.look(r)) continue;
      way_.send(world(r), report_to(r), heard_);
      ++told;
    }
  }
  errc coordinate() {
    std::vector<std::byte> answer(static_cast<std::size_t>(a_.size()));
    const auto self = static_cast<std::size_t>(a_.me);
    answer[self] = std::byte{1};
    bool repeated = false;
    for (std::size_t r = self + 1; r < answer.size(); ++r) {
      const errc e = hear(static_cast<int>(r), report_to(a_.me));
      if (e == errc::peer_failed) continue;
      if (e != errc::success) return e;
      if (is_answer() && !std::exchange(repeated, true)) answer = heard_;
      if (!repeated) answer[r] = std::byte{1};
    }
    for (std::size_t r = self + 1; r < answer.size() && !repeated; ++r)
      if (!a_.look(static_cast<int>(r))) answer[r] = std::byte{0};
    for (int r = a_.me + 1; r < a_.size(); ++r)
      if (a_.look(r)) way_.send(world(r), answer_of(a_.me), answer);
    heard_ = answer;
    return errc::success;
  }

  mesh& way_;
  std::uint64_t group_;
  const agreeing& a_;
  std::vector<std::byte> heard_;
};

}  // namespace

errc agree_by_messages(mesh& way, std::uint64_t group, const agreeing& a,
                       std::vector<bool>& living) {
  return conversation(way, group, a).run(living);
}

}  // namespace oriel::boot
