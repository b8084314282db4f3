// A process's way to the ranks of other nodes: remote reads and writes, requests that the owner of
// memory answers, and the messages that teams' collectives are made of. Opened once, with the
// session; windows take their share of it at construction.
//
// Progress. Everything moves while some thread is in progress(): every wait of the process calls
// it, and so does the agent, a thread that runs only while some window needs it. What handlers have
// to say and cannot send at once is queued, so no call ever waits for another inside a handler.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "session/mesh.hpp"
#include "transport/device_registration.hpp"
#include "transport/endpoint.hpp"
#include "transport/inbox.hpp"
#include "transport/message.hpp"
#include "transport/operation_pool.hpp"

namespace oriel::transport {

// How a put is made complete at its target: found out when the session opens, the first that works.
enum class completion : std::uint8_t {
  delivery,      // each write completes once it has arrived (FI_DELIVERY_COMPLETE)
  read_back,     // a small read, which the provider keeps behind the writes
  acknowledged,  // the owner's process writes, and answers
};
std::string_view name(completion) noexcept;

// What a window has its owners do.
class service {
 public:
  virtual ~service() = default;
  // A request has arrived. Runs on whatever thread makes progress, one at a time; must not wait.
  // The answer goes through fabric::reply, now or later.
  virtual void serve(const message&) noexcept = 0;
  // Called until it returns false, after a request has made something wait here (a lock).
  virtual bool tick() noexcept { return false; }
};

class fabric final : public boot::mesh {
 public:
  struct settings {
    std::uint64_t job = 0;  // what messages of this job carry
    completion how = completion::delivery;
    bool polls = false;              // waits never sleep: ORIEL_FABRIC_WAIT=poll
    device_registrations devices{};  // until they are tried: none
  };
  fabric(std::unique_ptr<endpoint>, boot::job&, settings);
  ~fabric() override;

  // --- Messages of collectives (boot::mesh)
  errc send(int to, const boot::mesh_tag&, std::span<const std::byte>) noexcept override;
  errc receive(int from, const boot::mesh_tag&, std::vector<std::byte>&,
               const boot::peer_watch&) noexcept override;
  void progress() noexcept override;
  [[nodiscard]] bool progresses_by_itself() const noexcept override { return agent_users_ > 0; }
  void announce(int gone) noexcept override;

  // --- Reads, writes and requests: each begins both waiters and ends them when it is complete
  // at the target. Ranks are world ranks. A failure to start is returned and not counted.
  using remote_place = endpoint::remote_place;
  // `keep`: the source may be reused on return (at most 64 bytes of the host's memory). `device`:
  // where the buffer lives when it is a device kind's, of a vendor whose memory is registered here;
  // null for the host's.
  errc put(const remote_place&, const void* from, std::size_t bytes, bool keep, pending_ops&,
           pending_ops* second = nullptr, const device_place* device = nullptr) noexcept;
  errc get(const remote_place&, void* to, std::size_t bytes, pending_ops&,
           pending_ops* second = nullptr, const device_place* device = nullptr) noexcept;
  // Sends `head` (id, what, place, count, op, type) with the payload; the answer's bytes go to
  // `result`. The source may be reused on return.
  errc request(int to, message_head head, std::span<const std::byte> payload, void* result,
               std::size_t result_bytes, pending_ops&, pending_ops* second = nullptr) noexcept;
  // Without an answer.
  errc tell(int to, message_head head, std::span<const std::byte> payload = {}) noexcept;
  // Until `ops` is idle. Returns its first failure; peer_failed when `target` has died
  // (any_watched: when a watched rank has), timed_out when the watch's patience is over: then
  // nothing is pending any more.
  static constexpr int any_watched = -1;
  errc wait(pending_ops& ops, int target, const boot::peer_watch&) noexcept;
  // Until `done()`, which what arrives may make true.
  errc wait_for(const std::function<bool()>& done, const boot::peer_watch&) noexcept;

  // --- Serving
  void add_service(std::uint64_t id, service&);
  // On return it is not being called and will not be.
  void remove_service(std::uint64_t id) noexcept;
  // To whoever sent `asked`. From a service.
  void reply(const message_head& asked, errc outcome, std::span<const std::byte> payload) noexcept;
  // From now on a thread makes progress whatever the application does; counted.
  void start_agent();
  void stop_agent() noexcept;

  // Messages sent so far, reads and writes not counted: for docs/SCALING.md.
  [[nodiscard]] std::uint64_t messages() const noexcept {
    return messages_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] endpoint& port() noexcept { return *port_; }
  [[nodiscard]] completion how() const noexcept { return settings_.how; }
  // Before anything is put by others than the probe.
  void settle_for(completion how) noexcept { settings_.how = how; }
  // Keys for registered memory that strangers cannot guess; the probe's, and a window's.
  [[nodiscard]] std::uint64_t name_for_probe() const noexcept { return settings_.job; }
  [[nodiscard]] std::uint64_t name_for(std::uint64_t window) const noexcept {
    return settings_.job ^ window;
  }
  [[nodiscard]] std::string provider() const { return provider_name(port_->info()); }
  // Empty when the provider registers this process's memory of the vendor, else why not: tried when
  // the session opened. Other ranks may have other answers.
  [[nodiscard]] const std::string& registers(kinds::vendor v) const noexcept {
    return settings_.devices[v];
  }

 private:
  struct receive_buffer : context {
    std::array<std::byte, longest_message> bytes;
  };
  struct send_buffer : context {
    std::array<std::byte, longest_message> bytes;
  };
  struct deferred {
    int to;
    std::vector<std::byte> bytes;
  };
  static constexpr std::size_t receives = 64;
  static constexpr std::size_t sends = 32;
  // Requests under way at a time: what a target may have to hold for this process.
  static constexpr std::size_t most_requests = 256;
  // Reads and writes likewise: enough to fill any pipe, and what providers take without complaint.
  static constexpr std::size_t most_transfers = 1024;

  message_head stamped(message_head head, std::size_t payload) const noexcept;
  void post(receive_buffer&) noexcept;
  ssize_t try_message(int to, const message_head&, std::span<const std::byte> payload) noexcept;
  errc send_message(int to, const message_head&, std::span<const std::byte> payload) noexcept;
  void send_or_defer(int to, const message_head&, std::span<const std::byte> payload) noexcept;
  errc register_for(operation&, void* buffer, std::size_t bytes,
                    const device_place* device) noexcept;
  template <class Post>
  errc until_posted(int to, Post post) noexcept;
  template <class Prepare, class Post>
  errc transfer(const remote_place&, std::size_t bytes, pending_ops&, pending_ops* second, Prepare,
                Post) noexcept;
  errc until_room(int to, std::size_t most,
                  std::size_t (operation_pool::*count)() const noexcept) noexcept;
  // `target`: the rank that is waited for, or any_watched.
  template <class Done>
  errc wait_until(Done done, const boot::peer_watch&, int target) noexcept;
  int make_progress() noexcept;
  void completed(context&, std::size_t bytes, int failure) noexcept;
  void arrived(std::span<const std::byte>) noexcept;
  void drain_deferred() noexcept;
  void lose(int rank) noexcept;
  // Asks after all ranks that owe an answer, and gives up on those that have died.
  void look_at_debtors() noexcept;
  void run_agent() noexcept;
  void say_farewell() noexcept;

  std::unique_ptr<endpoint> port_;
  boot::job& job_;
  settings settings_;

  std::unique_ptr<receive_buffer[]> receive_buffers_;
  std::unique_ptr<send_buffer[]> send_buffers_;
  memory_region receive_region_, send_region_;
  std::mutex idle_sends_mutex_;
  std::vector<send_buffer*> idle_sends_;

  operation_pool operations_;
  inbox inbox_;
  std::atomic<std::uint64_t> messages_{0};
  std::vector<std::atomic<bool>> spoken_to_;  // by rank: bye is said to them
  std::vector<std::atomic<bool>> parted_;     // they have answered, or said bye themselves

  std::mutex progress_mutex_;  // one thread makes progress, and runs the services
  std::map<std::uint64_t, service*> services_;
  std::atomic<bool> ticking_{false};
  std::mutex deferred_mutex_;
  std::deque<deferred> deferred_;
  std::atomic<bool> any_deferred_{false};

  std::atomic<int> agent_users_{0};
  std::atomic<std::uint64_t> polls_{0};  // of the application's threads
  std::atomic<bool> stop_{false};
  std::mutex agent_mutex_;
  std::thread agent_;
};

// The fabric of a session whose job spans nodes.
inline fabric& fabric_of(boot::job& job) noexcept {
  return *static_cast<fabric*>(job.way());
}

}  // namespace oriel::transport
