// A job whose ranks are threads of a test, as few as a star or as many as a tree, and what
// outsiders do at the socket where it meets.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/rendezvous.hpp"
#include "session/bootstrap/socket_address.hpp"
#include "tests/support/job.hpp"
#include "tools/run/rendezvous_socket.hpp"

namespace oriel::testing {

// As a job's largest star: every job of more than two ranks is a tree.
inline constexpr int always_a_tree = 1;

// A job of `size` whose rank 0 listens at a socket made before.
class star {
 public:
  explicit star(int size, int timeout_s = 10) {
    base_.size = size;
    base_.root = {"127.0.0.1", sessions::own_address(socket_.get()).port()};
    base_.secret = tools::make_secret();
    base_.timeout = std::chrono::seconds(timeout_s);
  }
  [[nodiscard]] sessions::job_description rank(int r) const {
    sessions::job_description job = base_;
    job.rank = r;
    if (r == 0) job.root_fd = socket_.get();
    return job;
  }
  // A stranger's connection.
  [[nodiscard]] sessions::socket_fd connect() const {
    sessions::socket_fd s(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(base_.root.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(s.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    return s;
  }
  // Whoever has connected, as if this were rank 0.
  [[nodiscard]] sessions::socket_fd accept() const {
    return sessions::socket_fd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

 private:
  sessions::socket_fd socket_ = tools::listen_on().socket;
  sessions::job_description base_;
};

inline sessions::deadline in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What each of `ranks` threads throws from `part(rank)`.
template <class Part>
std::vector<thrown> in_threads(int ranks, Part part) {
  std::vector<thrown> results(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back(
        [&, r] { results[static_cast<std::size_t>(r)] = catch_error([&] { part(r); }); });
  for (std::thread& t : threads) t.join();
  return results;
}

}  // namespace oriel::testing
