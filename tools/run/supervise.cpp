#include "tools/run/supervise.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>

#include "oriel/errc.hpp"
#include "session/system_failure.hpp"
#include "tools/run/added_statistics.hpp"
#include "tools/run/output_tagger.hpp"
#include "tools/run/schedule.hpp"
#include "tools/run/spawn.hpp"

namespace oriel::tools {
namespace {

using clock = schedule::clock;
constexpr std::chrono::milliseconds grace{500};
constexpr int timed_out = 124;  // as timeout(1) has it

constexpr std::array forwarded{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};

struct rank_state {
  rank_process process;
  output_tagger out;
  output_tagger err;
  bool ended = false;
  bool to_be_killed = false;  // planned: its death by SIGKILL is no failure
};

class supervisor {
 public:
  explicit supervisor(const options& o) : options_(o) {}

  int run(const std::vector<rank_placement>& places, meeting_points& meeting) {
    open_signals();
    start(places, meeting);
    plan();
    try {
      while (running_ > 0 || outputs_open()) turn();
    } catch (...) {  // a planned fault that could not be done
      end_groups(SIGKILL);
      throw;
    }
    end_groups(SIGKILL);  // what ranks left behind
    return status_;
  }

 private:
  void open_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int s : forwarded) sigaddset(&set, s);
    // Blocked rather than ignored, which the ranks would inherit: the reader of our output may have
    // gone.
    sigset_t blocked = set;
    sigaddset(&blocked, SIGPIPE);
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    signals_ = sessions::socket_fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_.valid()) throw error(errc::system, "signalfd failed");
  }

  void start(const std::vector<rank_placement>& places, meeting_points& meeting) {
    const int ranks = static_cast<int>(places.size());
    for (int r = 0; r < ranks; ++r) {
      try {
        ranks_.push_back(
            {spawn(options_, r, ranks, places[static_cast<std::size_t>(r)], meeting.next()),
             output_tagger(r, STDOUT_FILENO), output_tagger(r, STDERR_FILENO)});
      } catch (const error& e) {
        fmt::print(stderr, "{}: cannot start rank {}: {}\n", options_.program, r, e.what());
        end_with(1);
        break;
      }
      ++running_;
    }
  }

  void plan() {
    for (const planned_work& fault : options_.faults) plan_.add(fault);
    for (const planned_death& death : options_.deaths)
      plan_.add({death.after, [this, r = static_cast<std::size_t>(death.rank)] { kill_rank(r); }});
    if (options_.timeout)
      plan_.add({*options_.timeout, [this] {
                   if (ending_) return;
                   fmt::print(stderr, "{}: the job is not done after {} s; ending it\n",
                              options_.program, options_.timeout->count());
                   end_with(timed_out);
                 }});
  }

  void kill_rank(std::size_t r) {
    if (r >= ranks_.size() || ranks_[r].ended) return;
    ranks_[r].to_be_killed = true;
    kill(-ranks_[r].process.pid, SIGKILL);
  }

  [[nodiscard]] bool outputs_open() const {
    for (const rank_state& r : ranks_)
      if (r.process.out.valid() || r.process.err.valid()) return true;
    return false;
  }

  // Waits for one round of events and deals with them. Looks at nothing but what is open: poll
  // takes no more than there may be descriptors.
  void turn() {
    std::vector<pollfd> watched{{signals_.get(), POLLIN, 0}};
    const auto watch = [&watched](int fd) {
      if (fd >= 0) watched.push_back({fd, POLLIN, 0});
    };
    for (const rank_state& r : ranks_) {
      watch(r.process.out.get());
      watch(r.process.err.get());
      watch(r.ended ? -1 : r.process.handle.get());
    }
    if (poll(watched.data(), watched.size(), patience()) < 0 && errno != EINTR)
      sessions::system_failure("poll");
    plan_.run_due();
    if (watched[0].revents != 0) forward_signals();
    std::size_t at = 0;
    const auto is_ready = [&](int fd) { return fd >= 0 && watched[++at].revents != 0; };
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      rank_state& r = ranks_[i];
      if (is_ready(r.process.out.get())) read_output(r.process.out, r.out);
      if (is_ready(r.process.err.get())) read_output(r.process.err, r.err);
      if (is_ready(r.ended ? -1 : r.process.handle.get())) reap(r, static_cast<int>(i));
    }
    if (ending_ && clock::now() >= kill_at_) {
      end_groups(SIGKILL);
      // Output pipes that something outside the groups keeps open are not waited for.
      if (running_ == 0) close_outputs();
    }
  }

  [[nodiscard]] int patience() const {
    std::optional<clock::time_point> until = plan_.next();
    if (ending_) until = std::min(until.value_or(kill_at_), kill_at_);
    if (!until) return -1;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(*until - clock::now()).count();
    return left > 0 ? static_cast<int>(left) + 1 : 20;
  }

  void read_output(sessions::socket_fd& from, output_tagger& to) {
    std::array<char, 65536> bytes;
    for (;;) {
      const ssize_t n = read(from.get(), bytes.data(), bytes.size());
      if (n > 0) {
        to.take({bytes.data(), static_cast<std::size_t>(n)});
        continue;
      }
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
      to.finish();
      from = sessions::socket_fd();
      return;
    }
  }

  void close_outputs() {
    for (rank_state& r : ranks_) {
      if (r.process.out.valid()) read_output(r.process.out, r.out);
      if (r.process.err.valid()) read_output(r.process.err, r.err);
      r.out.finish();
      r.err.finish();
      r.process.out = sessions::socket_fd();
      r.process.err = sessions::socket_fd();
    }
  }

  void reap(rank_state& r, int rank) {
    int how = 0;
    if (waitpid(r.process.pid, &how, WNOHANG) != r.process.pid) return;
    r.ended = true;
    --running_;
    const int status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    if (status == 0 || (r.to_be_killed && status == 128 + SIGKILL)) return;
    if (ending_) return;  // the status of a rank that was ended decides nothing
    fmt::print(stderr, "{}: rank {} {} {}{}\n", options_.program, rank,
               WIFEXITED(how) ? "exited with status" : "was killed by signal",
               WIFEXITED(how) ? status : WTERMSIG(how),
               options_.outlast_failures ? "" : "; ending the job");
    if (options_.outlast_failures)
      status_ = std::max(status_, status);
    else
      end_with(status);
  }

  void end_with(int status) {
    status_ = status;
    begin_ending(SIGTERM);
  }

  void begin_ending(int signal) {
    end_groups(signal);
    if (ending_) return;
    ending_ = true;
    kill_at_ = clock::now() + grace;
  }

  // The groups outlive their leaders when a rank's own children do.
  void end_groups(int signal) {
    for (const rank_state& r : ranks_) kill(-r.process.pid, signal);
  }

  void forward_signals() {
    signalfd_siginfo about;
    while (read(signals_.get(), &about, sizeof about) == sizeof about) {
      const int s = static_cast<int>(about.ssi_signo);
      if (s == SIGINT || s == SIGTERM || s == SIGHUP) {
        if (!ending_) status_ = 128 + s;
        begin_ending(s);
      } else {
        end_groups(s);
        if (s == SIGTSTP) raise(SIGSTOP);
      }
    }
  }

  const options& options_;
  sessions::socket_fd signals_;
  std::vector<rank_state> ranks_;
  int running_ = 0;
  int status_ = 0;
  bool ending_ = false;
  clock::time_point kill_at_;
  schedule plan_;
};

}  // namespace

int supervise(const options& o, const std::vector<rank_placement>& places, meeting_points meeting) {
  const added_statistics counted;
  const int status = supervisor(o).run(places, meeting);
  counted.show();
  return status;
}

}  // namespace oriel::tools
