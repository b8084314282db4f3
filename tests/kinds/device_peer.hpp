// A second process with the runtime under test, that opens what the first exports. The first writes
// requests to its input and reads one reply for each.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "kinds/device_runtime.hpp"

namespace oriel::testing {

enum class peer_verb : std::uint8_t {
  ready,       // the runtime is there
  open,        // `ticket`; the reply is a number for the others
  read,        // 8 bytes at `offset` of `opened`
  write,       // `value` there
  add,         // 1, `value` times, by atomics; the reply is the sum of the values before
  close,       // `opened`
  allocate,    // `value` bytes of device memory; the reply carries a ticket for byte `offset`
  free_again,  // what was allocated
};
struct peer_request {
  peer_verb verb = peer_verb::ready;
  std::uint64_t opened = 0;
  std::uint64_t offset = 0;
  std::uint64_t value = 0;
  kinds::ipc_ticket ticket;
};
struct peer_answer {
  errc code = errc::success;
  std::uint64_t value = 0;
  kinds::ipc_ticket ticket;
};

// Adds 1 to the word at `location`, and returns by `before` what it was.
inline kinds::atomic_task adding_one(void* location, std::uint64_t* before) {
  static constexpr std::uint64_t one = 1;
  kinds::atomic_task task;
  task.op = atomic_op::sum;
  task.type = primitive::uint64;
  task.width = 8;
  task.n = 1;
  task.location = location;
  task.operands = &one;
  task.results = before;
  return task;
}

class device_peer {
 public:
  // Starts the program that ORIEL_TEST_PEER names.
  device_peer() {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipes for the peer");
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      execl(std::getenv("ORIEL_TEST_PEER"), "device_peer", static_cast<char*>(nullptr));
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    requests_ = to[1];
    answers_ = from[0];
  }
  // The peer ends when its input does.
  ~device_peer() {
    close(requests_);
    close(answers_);
    waitpid(child_, nullptr, 0);
  }
  device_peer(const device_peer&) = delete;
  device_peer& operator=(const device_peer&) = delete;

  void send(const peer_request& request) {
    if (write(requests_, &request, sizeof request) != sizeof request)
      throw std::runtime_error("the peer does not listen");
  }
  peer_answer receive() {
    peer_answer answer;
    if (::read(answers_, &answer, sizeof answer) != sizeof answer)
      throw std::runtime_error("the peer does not answer");
    return answer;
  }
  peer_answer ask(const peer_request& request) {
    send(request);
    return receive();
  }

 private:
  pid_t child_ = 0;
  int requests_ = -1;
  int answers_ = -1;
};

}  // namespace oriel::testing
