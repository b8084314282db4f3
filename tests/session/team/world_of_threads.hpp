// Ranks that are threads on pretended nodes, for tests of what they agree on: messages between
// them, their deaths, and what each node shares.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "session/team/messenger.hpp"
#include "session/team/placement.hpp"
#include "session/team/shrink_agreement.hpp"
#include "session/team/shrink_board.hpp"
#include "sync/wait.hpp"

namespace oriel::sessions::testing {

using steady = std::chrono::steady_clock;
using bytes = std::vector<std::byte>;

// All messages of one run, and who has died.
class world_of_threads {
 public:
  static constexpr std::chrono::microseconds latest{300};  // that a message arrives

  world_of_threads(int ranks, unsigned seed)
      : dice_(seed), ranks_(static_cast<std::size_t>(ranks)) {}

  // --- How a rank dies: as it sends, after so many messages; as it looks whether another lives; as
  // it receives its `n`-th message; once it has the answer
  void dies_after(int r, int sends) { at(r).may_send = sends; }
  void dies_after_looks(int r, int looks) { at(r).may_look = looks; }
  void dies_as_it_receives(int r, int n) { at(r).may_receive = n - 1; }
  void dies_as_it_ends(int r) { at(r).dies_at_end = true; }
  void has_died(int r) {
    const std::lock_guard hold(mutex_);
    die(r);
    at(r).died_at = {};
  }
  // All others of its node die when it does.
  void dies_with_its_node(int r, const std::vector<int>& node_of) {
    for (std::size_t other = 0; other < node_of.size(); ++other)
      if (node_of[other] == node_of[static_cast<std::size_t>(r)])
        at(r).together.push_back(static_cast<int>(other));
  }
  // Half of what is under way to others when its sender dies does not arrive.
  void loses_with_the_dead() { loses_ = true; }
  // What the first sends to the second does not leave before the first dies.
  void loses(int from, int to) { lost_ = {from, to}; }

  [[nodiscard]] bool lives(int r) {
    const std::lock_guard hold(mutex_);
    return !at(r).dead;
  }
  // `of_my_node`: its death is known at once. Of others, before what they have sent has come or
  // long after, where that may be lost; by different ranks at different times.
  [[nodiscard]] bool looks_at(int me, int r, bool of_my_node) {
    const std::lock_guard hold(mutex_);
    if (at(me).may_look-- == 0) die(me);
    if (!at(r).dead || of_my_node) return !at(r).dead;
    const auto [news, fresh] = news_.try_emplace({me, r}, latest);
    if (fresh && loses_)
      news->second = dice_() % 2 == 0 ? latest * 0 : latest * static_cast<int>(dice_() % 20);
    return steady::now() < at(r).died_at + news->second;
  }
  // Whether its thread may still write what its node shares.
  [[nodiscard]] bool runs(int r) {
    const std::lock_guard hold(mutex_);
    return !at(r).ended && (!at(r).dead || steady::now() < at(r).died_at + std::chrono::seconds(5));
  }
  void has_ended(int r) {
    const std::lock_guard hold(mutex_);
    at(r).ended = true;
    if (at(r).dies_at_end) die(r);
  }

  void send(int from, int to, const message_tag& tag, std::span<const std::byte> m) {
    const std::lock_guard hold(mutex_);
    if (at(from).may_send-- == 0) die(from);
    if (at(from).dead) return;
    post(from, to, tag, m);
  }
  bool receive(int from, int to, const message_tag& tag, bytes& m) {
    const std::lock_guard hold(mutex_);
    const auto found = messages_.find(key(from, to, tag));
    if (found == messages_.end() || found->second.due > steady::now()) return false;
    const letter l = std::move(found->second);
    messages_.erase(found);
    if (l.frail && at(from).dead && at(from).died_at < l.due) return false;
    if (at(to).may_receive-- == 0) die(to);
    if (at(to).dead) return false;
    m = l.text;
    return true;
  }
  // Answers go as soon as it has been asked, or comes to have one.
  void answer_by_itself(int me, standing_answer given) {
    const std::lock_guard hold(mutex_);
    if (at(me).dead) return;
    std::vector<key_type> asked;
    for (const auto& [k, l] : messages_)
      if (std::get<1>(k) == me && std::get<2>(k) == given.group && std::get<3>(k) == given.asked)
        asked.push_back(k);
    at(me).answers.push_back(std::move(given));
    for (const key_type& k : asked) {
      messages_.erase(k);
      answer(std::get<0>(k), me, {std::get<2>(k), std::get<3>(k), std::get<4>(k)});
    }
  }
  [[nodiscard]] int sent() {
    const std::lock_guard hold(mutex_);
    return sent_;
  }

 private:
  static constexpr int forever = 1 << 30;
  struct letter {
    steady::time_point due;
    bool frail = false;  // is lost where its sender dies before it arrives
    bytes text;
  };
  struct rank {
    bool dead = false, ended = false, dies_at_end = false;
    steady::time_point died_at{};
    int may_send = forever, may_look = forever, may_receive = forever;
    std::vector<int> together;
    std::vector<standing_answer> answers;
  };
  using key_type = std::tuple<int, int, std::uint64_t, std::uint32_t, std::uint32_t>;
  static key_type key(int from, int to, const message_tag& t) {
    return {from, to, t.group, t.turn, t.round};
  }
  rank& at(int r) { return ranks_[static_cast<std::size_t>(r)]; }
  void die(int r) {
    if (at(r).dead) return;
    at(r).dead = true;
    at(r).died_at = steady::now();
    for (const int other : at(r).together) die(other);
  }
  bool answer(int from, int to, const message_tag& tag) {
    for (const standing_answer& s : at(to).answers) {
      if (s.group != tag.group || s.asked != tag.turn) continue;
      if (std::find(s.but.begin(), s.but.end(), from) == s.but.end())
        post(to, from, {s.group, s.told, tag.round}, s.bytes);
      return true;
    }
    return false;
  }
  void post(int from, int to, const message_tag& tag, std::span<const std::byte> m) {
    ++sent_;
    if (at(to).dead || lost_ == std::pair(from, to)) return;
    if (answer(from, to, tag)) return;
    const auto late = std::chrono::microseconds(dice_() % 300);
    messages_.emplace(key(from, to, tag), letter{steady::now() + late, loses_ && dice_() % 2 == 0,
                                                 bytes(m.begin(), m.end())});
  }

  std::mutex mutex_;
  std::mt19937 dice_;
  std::vector<rank> ranks_;
  bool loses_ = false;
  std::pair<int, int> lost_{-1, -1};
  int sent_ = 0;
  std::map<std::pair<int, int>, std::chrono::microseconds> news_;  // how late they are
  std::map<key_type, letter> messages_;
};

// One rank's way to the others.
class messenger_of_threads final : public messenger {
 public:
  messenger_of_threads(world_of_threads& all, int me) : all_(all), me_(me) {}
  errc send(int to, const message_tag& tag, std::span<const std::byte> m) noexcept override {
    all_.send(me_, to, tag, m);
    return errc::success;
  }
  errc receive(int from, const message_tag& tag, bytes& m,
               const sync::peer_watch& watch) noexcept override {
    const auto began = steady::now();
    ++waits;
    for (;;) {
      if (!all_.lives(me_)) return errc::timed_out;  // the end of its thread
      // Looked for before the message: one that was sent is still received.
      const bool failed = watch.any_failed();
      if (all_.receive(from, me_, tag, m)) return errc::success;
      if (failed && steady::now() - began > world_of_threads::latest) return errc::peer_failed;
      if (steady::now() - began > *watch.patience()) return errc::timed_out;
      std::this_thread::yield();
    }
  }
  void answer_by_itself(standing_answer given) override {
    all_.answer_by_itself(me_, std::move(given));
  }
  bool progress() noexcept override { return false; }
  [[nodiscard]] bool progresses_by_itself() const noexcept override { return true; }

  int waits = 0;  // for messages

 private:
  world_of_threads& all_;
  int me_;
};

// Of a rank that may die.
class patient final : public sync::peer_watch {
 public:
  patient(std::chrono::milliseconds most, world_of_threads& all, int me)
      : most_(most), all_(all), me_(me) {}
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return all_.lives(me_) ? most_ : std::chrono::milliseconds(0);
  }

 private:
  std::chrono::milliseconds most_;
  world_of_threads& all_;
  int me_;
};

// Where the ranks are, and what the nodes share.
class team_of_threads {
 public:
  team_of_threads(world_of_threads& all, const std::vector<int>& node_of) : all_(all) {
    const std::size_t ranks = node_of.size();
    std::vector<int> world(ranks);
    std::iota(world.begin(), world.end(), 0);
    room_.resize(placement::bytes(static_cast<int>(ranks), static_cast<int>(ranks)) / sizeof(int));
    where_ = placement(reinterpret_cast<std::byte*>(room_.data()), world, node_of);
    boards_.resize(static_cast<std::size_t>(where_.nodes()));
    for (auto& b : boards_) b = std::make_unique<room_of_board>();
  }
  [[nodiscard]] const placement& where() const { return where_; }
  [[nodiscard]] shrink_board board_of(int r) {
    const int node = where_.node_of(r);
    return {boards_[static_cast<std::size_t>(node)]->bytes.data(),
            static_cast<int>(where_.ranks_on(node).size()), where_.size()};
  }
  [[nodiscard]] agreeing seen_by(int me, const sync::peer_watch& waits) {
    return {
        &where_,
        me,
        1,
        &waits,
        [this, me](int r) { return all_.looks_at(me, r, where_.node_of(r) == where_.node_of(me)); },
        [this](int r) { return all_.runs(r); },
        [] { return false; }};
  }
  // By one that the others have given up.
  [[nodiscard]] agreeing seen_by_one_given_up(int me, const sync::peer_watch& waits) {
    agreeing a = seen_by(me, waits);
    a.look = [](int) { return false; };
    a.is_given_up = [] { return true; };
    return a;
  }

 private:
  struct room_of_board {
    alignas(64) std::array<std::byte, 256> bytes{};
  };
  world_of_threads& all_;
  std::vector<int> room_;
  placement where_;
  std::vector<std::unique_ptr<room_of_board>> boards_;
};

}  // namespace oriel::sessions::testing
