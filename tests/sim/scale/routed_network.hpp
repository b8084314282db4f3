// The simulated network at scale: what is posted takes as long as it would between the nodes of a
// machine, and is counted by who sends it. An endpoint sends one message after the other, and
// receives one after the other, at its bandwidth; so does each link between them, in the order in
// which they come to it, and each takes the link's latency. A switch has room for all that wait.
// Nothing is lost, late or refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tests/sim/fabric/network.hpp"
#include "tests/sim/scale/event_scheduler.hpp"
#include "tests/sim/scale/machine_model.hpp"

namespace oriel::sim {

class routed_network final : public network {
 public:
  struct traffic {
    std::uint64_t messages =
        0;                    // of those that the library has posted: no confirmations, no answers
    std::uint64_t bytes = 0;  // what they carry
  };

  // `nodes`: of each process.
  routed_network(event_scheduler&, const machine_model&, const std::vector<int>& nodes);
  [[nodiscard]] const traffic& sent_by(int process) const noexcept {
    return sent_[static_cast<std::size_t>(process)];
  }

  [[nodiscard]] bool refuses(int port) override;
  void post(packet) override;
  void post_receive(int port, void* buffer, std::size_t bytes, void* context) override;
  void progress(queue&) override;
  bool wait(std::span<queue* const>, nanoseconds at_most) override;

 private:
  struct arrival {
    packet what;
    const route* by = nullptr;
    std::size_t links = 0;  // that it has taken
    bool received = false;  // its receiver's endpoint has taken it in
  };
  // Those at one moment arrive in the order in which they left.
  using moment = std::pair<nanoseconds, std::uint64_t>;

  void serve() override;
  // From when on it is at the next link, or the endpoint has it; nothing where that is now.
  std::optional<nanoseconds> goes_on(arrival&);
  void carry(packet) override;
  void notice(queue&) override;
  [[nodiscard]] nanoseconds time_at_endpoint(const packet&) const noexcept;
  [[nodiscard]] const char* bell_of(int process) const noexcept {
    return &bells_[static_cast<std::size_t>(process)];
  }
  // From when on the endpoint of a port can send, or receive, another; or a link can take one.
  static nanoseconds& free_from(std::vector<nanoseconds>& by_number, int number);

  const machine_model& model_;
  const std::vector<int>& nodes_;
  std::vector<traffic> sent_;
  std::vector<char> bells_;  // by process: who sleeps at one of its queues sleeps there
  std::vector<nanoseconds> sends_from_, receives_from_, takes_from_;
  std::map<moment, arrival> on_their_way_;
  std::uint64_t so_far_ = 0;
};

}  // namespace oriel::sim
