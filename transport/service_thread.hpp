// A thread of the library's own that serves its clients while the program computes. It blocks all
// signals, is not bound to its rank's core (session/node/launcher_cores.hpp), starts with the first
// client and ends with its owner. What it does between two rounds,
// on what it sleeps, is its `rest`; the program's own threads may serve in its place, and then it
// steps aside. Agent, poller and the fabric's progress thread are this.
//
// Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "sync/system.hpp"

namespace oriel::transport {

class service_thread {
 public:
  // Called by the thread alone, but for begin_round and end_early.
  class rest {
   public:
    virtual ~rest() = default;
    // All clients are about to be served, by whichever thread.
    virtual void begin_round() noexcept {}
    // Blocks until the next round. `worked`: some client had something to do in the last one.
    // Returns soon once `stop` is true and end_early has been called.
    virtual void until_next(bool worked, const std::atomic<bool>& stop) noexcept = 0;
    virtual void end_early() noexcept {}
    // Returns whether other threads have served since the last call: no round follows then, but a
    // pause, since each round would cost them time.
    virtual bool others_serve() noexcept { return false; }
  };

  explicit service_thread(std::unique_ptr<rest> between) noexcept : rest_(std::move(between)) {}
  ~service_thread() { end(); }
  service_thread(const service_thread&) = delete;
  service_thread& operator=(const service_thread&) = delete;

  // `serve` is called once a round until `remove`, by one thread at a time. It returns whether it
  // had anything to do, or nothing, which means that it had. It must not call an embedding program.
  template <class Serve>
  void add(const void* key, Serve serve) {
    if constexpr (std::is_void_v<std::invoke_result_t<Serve&>>)
      start(key, [serve = std::move(serve)] {
        serve();
        return true;
      });
    else
      start(key, std::move(serve));
  }
  // On return `serve` is not running and will not be called again.
  void remove(const void* key);
  // The thread has ended on return, and does not start again.
  void end() noexcept;
  [[nodiscard]] bool running() const noexcept { return thread_.joinable(); }

 protected:
  // A round by the calling thread, unless another thread is at one: nothing is returned then, and
  // else whether some client had something to do.
  std::optional<bool> serve_here() noexcept;
  [[nodiscard]] const rest& resting() const noexcept { return *rest_; }

 private:
  // With a round every 100 µs, each operation of the threads that serve meanwhile took 3 µs more.
  static constexpr std::chrono::milliseconds aside{1};
  struct client {
    const void* key;
    std::function<bool()> serve;
  };
  void start(const void* key, std::function<bool()> serve);
  void run() noexcept;
  bool serve_all() noexcept;

  std::unique_ptr<rest> rest_;
  sync::mutex clients_mutex_;
  std::vector<client> clients_;
  std::atomic<bool> stop_{false};
  sync::thread thread_;
};

}  // namespace oriel::transport
