// How a rank waits for the owner of memory that it has asked for something: for that one alone,
// whose agent may need this core to answer, or may be asleep.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "oriel/errc.hpp"
#include "sync/expected_request.hpp"
#include "sync/known_deaths.hpp"
#include "sync/limited_watch.hpp"
#include "sync/look_count.hpp"
#include "sync/request_bell.hpp"
#include "sync/system.hpp"

namespace oriel::sync {

// What is to be known of the ranks of a node, which are numbered from 0.
struct mailbox_peers {
  const peer_watch* waits = nullptr;       // as all of the job do
  std::function<bool(int)> alive;          // notices a death
  std::function<request_bell&(int)> bell;  // of a rank
  expected_request* expected = nullptr;    // this process's
  const known_deaths* deaths = nullptr;    // that this process has noticed,
  std::function<int(int)> number;          // of a rank there

  // Without a system call.
  [[nodiscard]] bool is_known_dead(int r) const noexcept {
    return deaths->any() && deaths->has(number(r));
  }
};

class owner_watch final : public like_watch {
 public:
  owner_watch(const mailbox_peers& peers, int owner, bool with_patience = true) noexcept
      : like_watch(*peers.waits),
        peers_(&peers),
        owner_(owner),
        patience_(with_patience ? like_watch::patience() : std::nullopt) {}
  // `unanswered`: the owner's bell, where its agent has not been woken. `spent`: of the patience.
  owner_watch(const mailbox_peers& peers, int owner, request_bell* unanswered, look_count& looks,
              std::chrono::nanoseconds spent) noexcept
      : owner_watch(peers, owner) {
    looks_ = &looks;
    unanswered_ = unanswered;
    if (patience_)
      patience_ = std::max(*patience_ - duration_cast<std::chrono::milliseconds>(spent),
                           std::chrono::milliseconds(0));
  }
  [[nodiscard]] bool any_failed() const noexcept override { return !peers_->alive(owner_); }
  [[nodiscard]] bool is_known_dead() const noexcept { return peers_->is_known_dead(owner_); }
  [[nodiscard]] bool oversubscribed() const noexcept override {
    return oversubscribed_with_agents();
  }
  [[nodiscard]] int looks() const noexcept override {
    if (looks_ != nullptr && oversubscribed()) return looks_->next();
    return unanswered_ != nullptr ? std::min(looks_before_wake, like_watch::looks())
                                  : like_watch::looks();
  }
  void note_looks(bool in_time) const noexcept override {
    if (looks_ != nullptr) looks_->note(in_time);
    if (in_time) return;
    if (unanswered_ != nullptr) unanswered_->wake_agent();
    since_ = clock::now();
  }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return patience_;
  }
  // Whether it is time to give up; success where it is not.
  [[nodiscard]] errc verdict() const noexcept {
    if (any_failed()) return errc::peer_failed;
    return patience_ && waited() >= *patience_ ? errc::timed_out : errc::success;
  }
  // Without the first looks.
  [[nodiscard]] std::chrono::nanoseconds waited() const noexcept {
    return since_ ? clock::now() - *since_ : std::chrono::nanoseconds(0);
  }

 private:
  // Some 10 us, which a wake takes as well; in jobs of several nodes a few times that, since this
  // thread looks at the network meanwhile.
  static constexpr int looks_before_wake = 400;

  const mailbox_peers* peers_;
  int owner_;
  look_count* looks_ = nullptr;
  request_bell* unanswered_ = nullptr;
  std::optional<std::chrono::milliseconds> patience_;
  mutable std::optional<clock::time_point> since_;
};

// As wait_for; but an owner that is known to have died is not waited for.
template <class Done>
errc wait_for_owner(wait_word& word, const owner_watch& owner, Done done) noexcept {
  if (!owner.is_known_dead()) [[likely]]
    return wait_for(word, owner, done);
  // It may have updated the word and died after that: this look comes behind the other.
  return done(word.value.load(std::memory_order_acquire)) ? errc::success : errc::peer_failed;
}

}  // namespace oriel::sync
