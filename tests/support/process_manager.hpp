// The other end of PMI_FD, in a thread: answers each line as a test wants.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "session/bootstrap/pmi_message.hpp"
#include "session/bootstrap/rendezvous.hpp"

namespace oriel::testing {

class process_manager {
 public:
  // What to send for a line that came; nothing is silence.
  using answers = std::function<std::string(const std::string& line)>;
  static constexpr const char* hang_up = "\x04";  // as an answer: closes the connection

  explicit process_manager(answers answer) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    theirs_ = ends[0];
    mine_ = sessions::socket_fd(ends[1]);
    thread_ = std::thread([this, answer = std::move(answer)] { serve(answer); });
  }
  ~process_manager() { finish(); }
  // The client's end, which the client closes.
  [[nodiscard]] int fd() const { return theirs_; }
  // Every line that came. Ends the service.
  const std::string& heard() {
    finish();
    return heard_;
  }

 private:
  void serve(const answers& answer) {
    std::string pending;
    std::array<char, 4096> bytes;
    for (ssize_t n = 0; (n = recv(mine_.get(), bytes.data(), bytes.size(), 0)) > 0;) {
      pending.append(bytes.data(), static_cast<std::size_t>(n));
      for (auto end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
        const std::string line = pending.substr(0, end);
        pending.erase(0, end + 1);
        heard_ += line + "\n";
        const std::string text = answer(line);
        if (text == hang_up) {
          shutdown(mine_.get(), SHUT_RDWR);
          return;
        }
        send(mine_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      }
    }
  }
  void finish() {
    shutdown(mine_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }

  int theirs_ = -1;
  sessions::socket_fd mine_;
  std::string heard_;
  std::thread thread_;
};

// What a sound process manager answers to the ranks of one job.
class key_space {
 public:
  explicit key_space(int ranks, int longest_value = 1024)
      : longest_value_(longest_value), together_(ranks) {}

  std::string answer(const std::string& line) {
    const auto m = sessions::parse_pmi_message(line);
    // Slurm's mpi/pmi2 takes what one read of 1024 bytes gives for a request, newline and all.
    if (!m || line.size() >= 1024) return "cmd=nonsense\n";
    if (m->command == "init") return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
    if (m->command == "get_maxes")
      return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=" +
             std::to_string(longest_value_) + "\n";
    if (m->command == "get_my_kvsname") return "cmd=my_kvsname kvsname=kvs_1\n";
    if (m->command == "finalize") return "cmd=finalize_ack\n";
    if (m->command == "barrier_in") {
      together_.arrive_and_wait();
      return "cmd=barrier_out\n";
    }
    const std::lock_guard hold(mutex_);
    const std::string key(m->text("key").value_or(""));
    if (m->command == "put") {
      const std::string value(m->text("value").value_or(""));
      const bool fits = key.size() < 64 && value.size() < static_cast<std::size_t>(longest_value_);
      return fits && values_.emplace(key, value).second
                 ? "cmd=put_result rc=0 msg=success\n"
                 : "cmd=put_result rc=-1 msg=duplicate_or_too_long_" + key + "\n";
    }
    const auto found = values_.find(key);
    return found == values_.end()
               ? "cmd=get_result rc=-1 msg=key_" + key + "_not_found value=unknown\n"
               : "cmd=get_result rc=0 msg=success value=" + found->second + "\n";
  }

 private:
  int longest_value_;
  std::barrier<> together_;
  std::mutex mutex_;
  std::map<std::string, std::string> values_;
};

}  // namespace oriel::testing
