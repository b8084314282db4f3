// Waiting for what arrives from other nodes, and for what ranks of this one do besides.
#include "sync/system.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {

template <class Done, class Sleep>
errc libfabric::wait_until(Done done, const sync::peer_watch& watch, int target,
                           Sleep sleep) noexcept {
  // A look at the provider costs about a microsecond; loopback answers within 10. To a rank that
  // others write to only the wakes show, so a thread that was woken stays awake for a while: to
  // sleep and wake for each write would triple its time.
  constexpr int looks = 50;
  constexpr int yields = 500;
  const sync::waiting_work work = sync::while_waiting();
  const auto look = [&] {
    if (work != nullptr) work();
    return done();
  };
  sync::patience_clock clock(watch);
  sync::noticed_wait waited;
  // Who is waited for may need this core to answer: a look before it has had that is in vain, and
  // keeps it waiting.
  if (watch.oversubscribed()) sync::wait_ladder::yield();
  for (;;) {
    for (int idle = 0; idle < looks + yields; ++idle) {
      const bool served = progress();
      if (done()) return errc::success;
      // Who serves others is likely to be asked again soon.
      if (served) idle = 0;
      if (served && clock.due()) break;
      waited.begin();
      if (work != nullptr) work();
      if (idle >= looks || watch.oversubscribed()) sync::wait_ladder::yield();
    }
    waited.asleep();  // shown too where it polls, or where many ranks share a core
    if (!settings_.polls && !clock.due() && sleep(look, clock)) return errc::success;
    if (!clock.due()) continue;
    const bool gone = target != any_watched && !job_.look(target);
    const errc e = gone ? errc::peer_failed : clock.look(target == any_watched);
    if (e == errc::success) continue;
    // This process may have stood still since the last look at the provider, and what is awaited
    // have arrived meanwhile, from a rank that has left in good order.
    for (int i = 0; i < sync::wait_ladder::last_looks && !done(); ++i) progress();
    if (gone) lose(target);
    return done() ? errc::success : e;
  }
}

template <class Done>
errc libfabric::wait_until(Done done, const sync::peer_watch& watch, int target) noexcept {
  return wait_until(done, watch, target, [this](auto look, const sync::patience_clock& clock) {
    return sleep_at_port(look, clock);
  });
}

template <class Look>
bool libfabric::sleep_at_port(Look look, const sync::patience_clock& clock) noexcept {
  while (!this->sleep(std::chrono::milliseconds(1)) && !clock.due()) {
    const bool served = progress();
    if (look()) return true;
    if (served) return false;
  }
  return false;
}

// No descriptor shows that a bell rings. So the thread sleeps at the port for short times, where
// messages wake it and a ring is seen at the end of each; and at the bell once the agent has
// noticed that nobody else serves: then messages wake the agent, which rings.
template <class Look>
bool libfabric::sleep_at_port_and(sync::wait_word& bell, Look look,
                                  const sync::patience_clock& clock) noexcept {
  using namespace sync::wait_ladder;
  const auto agent_serves_from = sync::clock::now() + served_asleep;
  const auto agent_serves = [&] {
    return progresses_by_itself() && sync::while_waiting() == nullptr &&
           sync::clock::now() >= agent_serves_from;
  };
  while (!agent_serves()) {
    if (this->sleep(sleep_between_progress) || clock.due()) return false;
    const bool served = progress_asleep();
    if (look()) return true;
    if (served) return false;
  }
  bell.sleepers.fetch_add(1, std::memory_order_seq_cst);
  bool done = false;
  // The bell is read before look() is called: a ring after this makes the futex return at once.
  for (;;) {
    const std::uint32_t now = bell.value.load(std::memory_order_seq_cst);
    done = look();
    if (done || clock.due() || !progresses_by_itself()) break;
    sync::futex_wait(bell.value, now, clock.pause());
  }
  bell.sleepers.fetch_sub(1, std::memory_order_relaxed);
  return done;
}

errc libfabric::wait(pending_ops& ops, int target, const sync::peer_watch& watch) noexcept {
  if (!ops.idle()) {
    const errc e = wait_until([&ops] { return ops.idle(); }, watch, target);
    if (e != errc::success) operations_.give_up(ops, e);
  }
  return ops.failure();
}

// Any number of requests may be tested in turn, so that looks at targets are rationed for all
// together: each is at the target that is tested just then.
bool libfabric::test(pending_ops& ops, int target) noexcept {
  if (ops.idle()) return true;
  progress();
  if (ops.idle()) return true;
  using std::chrono::nanoseconds;
  const std::int64_t now =
      std::chrono::duration_cast<nanoseconds>(sync::clock::now().time_since_epoch()).count();
  std::int64_t due = next_tested_look_.load(std::memory_order_relaxed);
  const std::int64_t next = now + nanoseconds(sync::wait_ladder::shortest_sleep).count();
  if (now < due || !next_tested_look_.compare_exchange_strong(due, next)) return false;
  if (!job_.look(target)) lose(target);
  return ops.idle();
}

errc libfabric::wait_for(const std::function<bool()>& done,
                         const sync::peer_watch& watch) noexcept {
  if (done()) return errc::success;
  return wait_until([&done] { return done(); }, watch, any_watched);
}

errc libfabric::wait_for(const std::function<bool()>& done, const sync::peer_watch& watch,
                         sync::wait_word& bell) noexcept {
  if (done()) return errc::success;
  return wait_until([&done] { return done(); }, watch, any_watched,
                    [this, &bell](auto look, const sync::patience_clock& clock) {
                      return sleep_at_port_and(bell, look, clock);
                    });
}

errc libfabric::receive(int from, const sessions::message_tag& tag, std::vector<std::byte>& bytes,
                        const sync::peer_watch& watch) noexcept {
  // It is taken once, and looked for again by a wait that is about to give up.
  bool here = false;
  return wait_until([&] { return here = here || inbox_.take(from, tag, bytes); }, watch,
                    any_watched);
}

}  // namespace oriel::transport
