// The failure detector: finds which ranks of the job have ended, left or become silent, and
// announces that to the others. One thread in every process of a job that spans nodes does it,
// asleep unless something happens.
//
// Each rank keeps TCP links with a few others (overlay_shape.hpp), which the kernels keep alive. A
// link that ends is followed by a new connection: a rank that refuses it has ended; one that
// accepts it is alive, even where only its kernel answers, as for a process that is stopped; one
// that is not reached for `silence`, nor by new connections soon after it, is silent. Where ranks
// have several rails, each two that are linked have a link on each; a rank that is not reached on
// one and answers on another shows that the rail has failed, and all ranks give it up. News is
// passed on over all links, each piece once. Silent ranks are tried again, seldom, to announce to
// them that they were declared failed: of two parts of a partitioned job the larger goes on, or of
// equal ones that with the lowest rank, and the ranks of the other become `estranged`.
//
// Incoming connections are accepted at once, and closed where no hello of the job arrives within
// `hello`.
#pragma once

#include <netinet/in.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/bootstrap/keepalive.hpp"
#include "session/node/address_table.hpp"
#include "session/node/fates.hpp"
#include "session/node/listener.hpp"
#include "session/node/news_log.hpp"
#include "session/node/peer_link.hpp"
#include "session/node/roll_call.hpp"
#include "sync/system.hpp"

namespace oriel::sessions {

class failure_detector {
 public:
  using clock = sync::clock;
  struct settings {
    std::chrono::milliseconds silence{shortest_silence};  // longer: cut off
    std::chrono::milliseconds opening{30'000};            // in which the links must be made
    std::chrono::milliseconds hello{2000};
    // A rank may have left while others have not yet returned from their last collective with it.
    static constexpr std::chrono::milliseconds usual_grace{2000};
    std::chrono::milliseconds grace = usual_grace;
    // By rail. Its address is that of this rank's ends of the links, so that they fail together
    // with the connections of a fabric that uses the same one. Empty: the others connect to the
    // address of the first interface that is up, and the kernel chooses where this rank's
    // connections leave.
    std::vector<std::string> interfaces{""};
  };
  struct membership {
    int me = 0;
    std::uint64_t job = 0;  // a number that only its ranks know
    address_table places;   // each a sockaddr_in
  };

  // `where`: by rail. Throws errc::system. `known` outlives this object, which alone writes it.
  failure_detector(const membership&, std::vector<listener> where, fates& known, const settings&);

  // The thread's work: until leave().
  void run() noexcept;

  // --- Any thread
  // Until this rank has the links that it makes itself: then empty, else why it has not.
  std::string wait_until_linked();
  // Every rank has made its links. Until then no rank is declared ended.
  void all_are_linked();
  // Takes a rank's fate that was found by other means.
  void report(int r, fate);
  // Rail `rail` has failed, as was found by other means. Nothing where no other is left.
  void report_rail(int rail);
  // Announces over this rank's links that it leaves, in a fraction of a second.
  void leave();
  // How many links are up.
  [[nodiscard]] std::size_t links() const noexcept { return up_.load(std::memory_order_relaxed); }

 private:
  using rail_of_rank = std::pair<int, int>;  // the rank, then the rail
  // A rank that is to be connected to.
  struct pursuit {
    clock::time_point since;
    clock::time_point next;
    bool was_linked = false;  // and its link has ended without a farewell
    bool doubted = false;     // and its link has ended since it was silent
    int failure = 0;          // of the last attempt
    clock::time_point began{};
  };
  struct orders {
    std::vector<std::pair<int, fate>> reports;
    std::uint32_t failed_rails = 0;
    bool all_linked = false;
    bool leave = false;
  };

  // --- The thread (failure_detector.cpp)
  void turn();
  void take_orders();
  void tell_whether_linked();
  void wait();
  void say_farewell();
  void wake_at(clock::time_point t) noexcept { wake_ = std::min(wake_, t); }
  void wake() noexcept;

  // --- Links (detector_links.cpp)
  void accept(int rail);
  void drop_strangers();
  void ready(peer_link&);
  void understand(peer_link&);
  void reached(int r, int rail);
  void greet(peer_link&, int to);
  void greeted(peer_link&, const link_hello&);
  void meet_again(peer_link&, const link_hello&);
  void keep_one(peer_link&);
  void ended(peer_link&, int failure);
  void send(peer_link&);
  [[nodiscard]] bool linked_with(int r, int rail) const noexcept;
  [[nodiscard]] peer_link* dialled(rail_of_rank) noexcept;
  void repair();
  void pursue(int r, bool was_linked);
  void stop_pursuing(int r);
  void doubt(int r, int rail);
  void pursue_all();
  void decide_on(rail_of_rank);
  void dial(rail_of_rank);
  [[nodiscard]] sockaddr_in place_of(int r, int rail) const noexcept;
  [[nodiscard]] in_addr source_address(int rail) const noexcept;
  void attempt_failed(const peer_link&, int failure);

  // --- News (detector_news.cpp)
  void hear(peer_link&, const link_news&);
  void hear_answer(peer_link&, const link_news&);
  void note(int r, fate, int from);
  void bury(int r);
  void give_up_rails(std::uint32_t which);
  void be_estranged();
  void note_departures();
  void join_roll_call(std::uint32_t turn);
  void call_the_roll();

  [[nodiscard]] int ranks() const noexcept { return known_.ranks(); }
  [[nodiscard]] int rails() const noexcept { return self_.places.rails(); }
  [[nodiscard]] std::uint32_t all_rails() const noexcept { return (1u << rails()) - 1; }
  [[nodiscard]] bool serves(int rail) const noexcept {
    return (known_.failed_rails() >> rail & 1u) == 0;
  }
  [[nodiscard]] link_reader reader() const noexcept { return {self_.job, ranks()}; }

  membership self_;
  fates& known_;
  settings settings_;
  std::vector<socket_fd> listening_;  // by rail
  socket_fd woken_;                   // an eventfd
  socket_fd spare_;  // closed where descriptors run out, so that a rank can still be probed
  std::list<peer_link> links_;
  std::map<rail_of_rank, pursuit> pursuits_;
  std::map<rail_of_rank, clock::time_point> reached_;         // where there are several rails
  std::deque<std::pair<clock::time_point, int>> departures_;  // of ranks that are leaving
  news_log news_;
  roll_call roll_;
  bool call_again_ = false;
  bool repairs_ = false;     // a rank has gone: links must replace those with it
  bool all_linked_ = false;  // the job's opening is over
  bool leaving_ = false;
  std::string hindrance_;  // of the opening
  clock::time_point began_ = clock::now();
  clock::time_point now_ = began_;
  clock::time_point wake_{};
  clock::time_point accepts_again_{};
  std::atomic<std::size_t> up_{0};

  // Between the threads.
  sync::mutex mutex_;
  sync::condition_variable changed_;
  orders orders_;
  std::optional<std::string> linked_;
};

}  // namespace oriel::sessions
