#include "mpi/serve_in_host.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace oriel::mpi {
namespace {

// Of the services that live, by what they look at: one object of each kind a process.
template <class Server>
class shared_server {
 public:
  constexpr shared_server() noexcept = default;
  [[nodiscard]] Server* get() const noexcept { return at_.load(std::memory_order_acquire); }
  void add(Server* s) noexcept {
    if (s == nullptr) return;
    ++users_;
    at_.store(s, std::memory_order_release);
  }
  void remove(const Server* s) noexcept {
    if (s != nullptr && --users_ == 0) at_.store(nullptr, std::memory_order_release);
  }

 private:
  std::atomic<Server*> at_{nullptr};
  int users_ = 0;
};

// MPI's progress is the whole process's, so this is too.
constinit shared_server<transport::agent> on_node;
constinit shared_server<sessions::messenger> remote;
std::mutex changes;
bool registered = false;

// A look at the fabric takes as long as several of the host's at its own network: the longer
// nothing comes, the fewer there are. Threads that count at once lose some counts.
class pace {
 public:
  constexpr pace() noexcept = default;
  bool due() noexcept {
    const unsigned left = left_.load(std::memory_order_relaxed);
    if (left != 0) left_.store(left - 1, std::memory_order_relaxed);
    return left == 0;
  }
  void note(bool found) noexcept {
    const unsigned gap =
        found ? 0 : std::min(2 * gap_.load(std::memory_order_relaxed) + 1, longest);
    gap_.store(gap, std::memory_order_relaxed);
    left_.store(gap, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned longest = 63;
  std::atomic<unsigned> left_{0};
  std::atomic<unsigned> gap_{0};
};
constinit pace looks;

// Open MPI's progress engine is in a library of its own that is not part of MPI's interface
// (libopen-pal), so it is found and not linked. Its table of callbacks may be read by other threads
// while it changes: this stays in it once it is, and costs two loads when nothing is served.
using callback = int (*)();
using change_of_callbacks = int (*)(callback);

void tell_host(const char* what) noexcept {
  if (const auto change = reinterpret_cast<change_of_callbacks>(dlsym(RTLD_NEXT, what)))
    change(serve_in_host);
}

}  // namespace

service_in_host::service_in_host(const servers& served) : served_(served) {
  const std::lock_guard hold(changes);
  on_node.add(served_.on_node);
  remote.add(served_.remote);
  const bool any = served_.on_node != nullptr || served_.remote != nullptr;
  if (any && !std::exchange(registered, true)) tell_host("opal_progress_register");
}

service_in_host::~service_in_host() {
  const std::lock_guard hold(changes);
  on_node.remove(served_.on_node);
  remote.remove(served_.remote);
}

void leave_host() noexcept {
  const std::lock_guard hold(changes);
  if (std::exchange(registered, false)) tell_host("opal_progress_unregister");
}

int serve_in_host() noexcept {
  int found = 0;
  if (transport::agent* const mail = on_node.get(); mail != nullptr && mail->serve_rung()) ++found;
  if (sessions::messenger* const way = remote.get(); way != nullptr && looks.due()) {
    const bool any = way->progress();
    looks.note(any);
    if (any) ++found;
  }
  return found;
}

}  // namespace oriel::mpi
