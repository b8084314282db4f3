// Messages between the ranks of simulated shrinks. As transport/fabric_wait.cpp and fabric.cpp do
// it, whoever of a process waits, and its agent, put what has arrived into the inbox, which is the
// library's, and send what is answered by itself.
//
// What one rank sends another arrives in order, after a microsecond or some ten milliseconds. When
// the sender dies meanwhile, it is lost from some message on.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "session/team/messenger.hpp"
#include "tests/sim/protocols/shrink_fates.hpp"
#include "transport/inbox.hpp"

namespace oriel::sim {

class shrink_mail {
 public:
  shrink_mail(scheduler& run, shrink_fates& fates, const program& p)
      : run_(run), fates_(fates), boxes_(static_cast<std::size_t>(p.ranks)) {
    for (int r = 0; r < p.ranks; ++r) {
      boxes_[static_cast<std::size_t>(r)] = std::make_unique<box>();
      at(r).has_agent = shrink_kind(p).always_serves;
      run.start_server(r, "agent " + std::to_string(r), [this, r] { serve(r); });
    }
  }

  errc send(int from, int to, const sessions::message_tag& tag, std::span<const std::byte> bytes) {
    for (int r = 0; r < from; ++r)
      must(!fates_.on_one_node(r, from) || !fates_.survives(r),
           "rank " + std::to_string(from) + " speaks for its node beside another");
    fates_.does(from, shrink_act::moment::sends);
    // The provider is busy.
    while (run_.chance(8)) {
      sync::yield();
      progress(from);
    }
    if (!fates_.lives(from, to)) return errc::peer_failed;
    run_.step("sends a message");
    post(from, to, tag, {bytes.begin(), bytes.end()});
    return errc::success;
  }
  errc receive(int from, int me, const sessions::message_tag& tag, std::vector<std::byte>& bytes,
               const sync::peer_watch& watch) {
    bool here = false;
    const auto look = [&] {
      progress(me);
      return here = here || at(me).inbox.take(from, tag, bytes);
    };
    sync::patience_clock clock(watch);
    while (!look()) {
      if (!clock.due()) {
        sleep(me, clock.pause());
        continue;
      }
      const errc e = clock.look();
      if (e == errc::success) continue;
      for (int i = 0; i < sync::wait_ladder::last_looks && !look(); ++i) {
      }
      if (!here) return e;
    }
    fates_.does(me, shrink_act::moment::receives);
    return errc::success;
  }
  void answer_by_itself(int me, sessions::standing_answer given) {
    reply(me, at(me).inbox.answer(std::move(given)));
    at(me).has_agent = true;
    run_.wake(&at(me));
  }
  // Returns whether there was anything.
  bool progress(int me) {
    box& mine = at(me);
    if (!has_arrived(me)) return false;
    const std::unique_lock hold(mine.serving, std::try_to_lock);
    if (!hold) return false;
    bool any = false;
    for (; has_arrived(me); any = true) {
      const letter l = std::move(mine.under_way.begin()->second);
      mine.under_way.erase(mine.under_way.begin());
      run_.step("takes a message");
      if (is_lost(me, l)) continue;
      mine.inbox.put(l.from, l.tag, l.bytes, l.bytes.size());
      if (mine.inbox.answers_any()) reply(me, mine.inbox.replies_to(l.from, l.tag));
    }
    return any;
  }

 private:
  struct letter {
    int from = 0;
    sessions::message_tag tag;
    std::vector<std::byte> bytes;
  };
  // Of a process.
  struct box {
    transport::inbox inbox;
    std::multimap<nanoseconds, letter> under_way;  // to it, by when they arrive
    std::map<int, nanoseconds> last;               // that is under way, by sender
    std::set<int> broken;                          // senders of whom nothing more arrives
    std::set<int> whole;                           // that have died, and of whom all arrives
    sync::mutex serving;
    bool has_agent = false;
  };
  box& at(int r) noexcept { return *boxes_[static_cast<std::size_t>(r)]; }

  [[nodiscard]] bool has_arrived(int me) {
    const auto& all = at(me).under_way;
    return !all.empty() && all.begin()->first <= run_.now();
  }
  void post(int from, int to, const sessions::message_tag& tag, std::vector<std::byte> bytes) {
    box& theirs = at(to);
    const nanoseconds takes(1000 + run_.draw(40'000'000 >> 2 * run_.draw(8)));
    nanoseconds& last = theirs.last[from];
    last = std::max(last, run_.now() + takes);
    theirs.under_way.emplace(last, letter{from, tag, std::move(bytes)});
    run_.wake(&theirs);
  }
  void reply(int me, const std::vector<transport::inbox::reply>& all) {
    for (const auto& r : all) {
      run_.step("answers by itself");
      post(me, r.to, r.tag, *r.bytes);
    }
  }
  // What was sent before its sender died may have stayed there.
  [[nodiscard]] bool is_lost(int me, const letter& l) {
    if (run_.alive(l.from)) return false;
    box& mine = at(me);
    if (mine.whole.contains(l.from)) return false;
    if (!mine.broken.contains(l.from)) {
      if (run_.chance(8)) mine.whole.insert(l.from);
      if (run_.chance(2)) return false;
      mine.broken.insert(l.from);
    }
    return true;
  }
  // Until something arrives.
  void sleep(int me, std::optional<nanoseconds> at_most) {
    const auto& all = at(me).under_way;
    if (!all.empty()) {
      const nanoseconds due = std::max(all.begin()->first - run_.now(), nanoseconds{});
      at_most = at_most ? std::min(*at_most, due) : due;
    }
    run_.sleep("waits for messages", &at(me), at_most);
  }
  void serve(int me) {
    for (;;) {
      if (at(me).has_agent) {
        progress(me);
        sleep(me, std::nullopt);
      } else {
        run_.sleep("waits to be an agent", &at(me), std::nullopt);
      }
    }
  }

  scheduler& run_;
  shrink_fates& fates_;
  std::vector<std::unique_ptr<box>> boxes_;
};

// A rank's way to the others.
class shrink_messenger final : public sessions::messenger {
 public:
  shrink_messenger(shrink_mail& all, int me) : all_(all), me_(me) {}
  errc send(int to, const sessions::message_tag& tag,
            std::span<const std::byte> bytes) noexcept override {
    return all_.send(me_, to, tag, bytes);
  }
  errc receive(int from, const sessions::message_tag& tag, std::vector<std::byte>& bytes,
               const sync::peer_watch& watch) noexcept override {
    return all_.receive(from, me_, tag, bytes, watch);
  }
  void answer_by_itself(sessions::standing_answer given) override {
    all_.answer_by_itself(me_, std::move(given));
  }
  bool progress() noexcept override { return all_.progress(me_); }
  [[nodiscard]] bool progresses_by_itself() const noexcept override { return true; }

 private:
  shrink_mail& all_;
  int me_;
};

}  // namespace oriel::sim
