// The wires between pretended processes: what endpoints have posted and is on its way, when and in
// what order it arrives, and what comes of it. The scheduler's seed decides: an operation takes a
// microsecond or milliseconds, and passes others where the traits allow it. Sources are read as
// late as a provider may, targets are written piece by piece, each a step.
//
// provider.cpp makes a provider of libfabric of it. One network a run; its thread belongs to no
// process that could be killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/fabric/traits.hpp"
#include "tests/sim/scheduler.hpp"

namespace oriel::sim {

class network {
 public:
  enum class kind : std::uint8_t { send, write, read, confirmation, answer };
  static bool returns(kind k) noexcept { return k == kind::confirmation || k == kind::answer; }

  // What an endpoint has posted, or what comes back for it.
  struct packet {
    kind what = kind::send;
    int from = 0, to = 0;                 // ports
    const void* source = nullptr;         // until it has been read
    std::vector<std::byte> bytes{};       // from then on
    std::size_t length = 0;               // of what is moved
    void* sink = nullptr;                 // of a read
    std::uint64_t address = 0, key = 0;   // of the target's memory
    std::optional<std::uint64_t> data{};  // for the target's queue
    void* context = nullptr;
    bool tells = false;      // its poster's queue has an entry when it is complete
    bool confirmed = false;  // that is once it has arrived
    bool told = false;       // it has
    bool left = false;       // its poster has polled since, or need not
    int failure = 0;         // of a confirmation or an answer
    nanoseconds due{};
  };
  // Of a completion queue: as libfabric's entries.
  struct entry {
    void* context = nullptr;
    std::uint64_t flags = 0;
    std::size_t length = 0;
    std::uint64_t data = 0;
    int failure = 0;
  };
  struct queue {
    std::deque<entry> entries;
    std::vector<int> ports;
    bool signalled = false;
    bool polled = false;  // a thread is at it
  };
  struct region {
    std::byte* first = nullptr;
    std::size_t bytes = 0;
  };
  // Memory that a process has registered.
  struct domain {
    int rail = 0;
    std::map<std::uint64_t, region> regions;  // by key
    std::uint64_t last_key = 0;
  };

  // Starts its thread, of the process `of`.
  network(scheduler& run, provider_traits traits, int of);
  virtual ~network();
  network(const network&) = delete;
  network& operator=(const network&) = delete;
  // The run's.
  static network& of_run() noexcept { return *current_; }

  [[nodiscard]] const provider_traits& traits() const noexcept { return traits_; }

  // --- By processes
  queue& new_queue();
  [[nodiscard]] queue& queue_at(int number) noexcept {
    return queues_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] int number_of(const queue&) const noexcept;
  int open_port(domain&);
  void bind(int port, queue&);
  // Nothing of it is read or written any more.
  void close_port(int port);
  // Whether the caller is to try again later.
  [[nodiscard]] virtual bool refuses(int port);
  // Whether what is posted to that one fails or is to be tried again, and never taken.
  [[nodiscard]] bool takes_nothing(int port) noexcept {
    return traits_.refuses_the_dead && !run_.alive(at(port).process);
  }
  // Requires: not refused.
  virtual void post(packet);
  virtual void post_receive(int port, void* buffer, std::size_t bytes, void* context);
  // What has arrived is handled, where that is left to those who poll.
  virtual void progress(queue&);
  // Whether there is something to do at it.
  [[nodiscard]] bool is_ready(const queue&) const noexcept;
  void signal(queue&);
  // Blocks until one of them is ready, or signalled; or for `at_most`. Returns whether one is.
  virtual bool wait(std::span<queue* const>, nanoseconds at_most);

  [[nodiscard]] bool any_dead() const noexcept;

  // --- By the test
  // From now on nothing goes by the rail any more, to or from the process, or any where it is -1.
  // What is under way there fails, where that breaks connections; else nothing tells. Others'
  // packets become slow there.
  void cut_rail(int rail, int process, bool breaks);
  // What is under way between the two there, from some packet on, fails or is lost without a word,
  // as with a connection. What follows goes by another one.
  void break_connection(int rail, int process, int other);
  // From now on, and until `time`, nothing goes to or from the process.
  void cut_off(int process, nanoseconds until);

 protected:  // for tests/sim/scale, whose times are others
  struct receive {
    void* buffer;
    std::size_t bytes;
    void* context;
  };
  struct port {
    int process = 0;
    domain* of = nullptr;
    queue* completions = nullptr;
    bool open = true;
    nanoseconds refuses_until{};
    std::size_t under_way = 0;
    std::deque<receive> receives;
    std::deque<packet> unexpected;
    std::deque<packet> inbox;  // where its user has to poll
  };

  using wire = std::deque<packet>;
  using ends = std::pair<int, int>;  // from, to
  struct position {
    wire* on = nullptr;
    std::size_t index = 0;
    nanoseconds due{};
  };

  virtual void serve();
  [[nodiscard]] port& at(int n) noexcept { return ports_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] bool may_pass(const packet& later, const packet& earlier) const noexcept;
  [[nodiscard]] bool is_blocked(const wire&, std::size_t index) const noexcept;
  [[nodiscard]] nanoseconds due_of(const packet&) noexcept;
  [[nodiscard]] bool is_cut(const packet&) const noexcept;
  // The one that arrives next; on null where none is on its way.
  position next_due() noexcept;
  [[nodiscard]] bool is_gone(const port&) const noexcept;
  [[nodiscard]] bool is_lost_at_its_source(const packet&);
  void read_source(packet&);
  void arrive(packet);
  void handle(packet);
  void receive_message(port&, const packet&);
  void perform_write(const packet&);
  void perform_read(const packet&);
  void take_answer(const packet&);
  void come_back(const packet& of, kind as, int failure, std::vector<std::byte> bytes = {});
  void lose(const packet&);
  void fail(std::vector<packet>);
  void complete(const packet&, int failure);
  void tell(port&, const entry&);
  // It is on its way, and arrives some time.
  virtual void carry(packet);
  // Whoever sleeps at the queue is to look.
  virtual void notice(queue&);
  // Where `offset` of what is moved lies; null where that is registered no more.
  [[nodiscard]] std::byte* target_of(const packet&, std::size_t offset);
  // How long a packet takes.
  [[nodiscard]] nanoseconds some_time(const packet&);

  static network* current_;
  scheduler& run_;
  provider_traits traits_;
  std::deque<port> ports_;
  std::deque<queue> queues_;
  std::map<ends, wire> wires_;               // in the order of posting
  std::set<ends> broken_;                    // whose source has died, and nothing more arrives
  std::map<int, nanoseconds> cuts_;          // by process, until when
  std::set<std::pair<int, int>> cut_rails_;  // and of which process, or -1
  std::map<ends, nanoseconds> ways_;         // how much longer each packet takes on some
};

}  // namespace oriel::sim
