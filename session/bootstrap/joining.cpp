#include "session/bootstrap/joining.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>

#include "oriel/errc.hpp"
#include "session/bootstrap/keepalive.hpp"
#include "session/bootstrap/peer_failure.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

// Of what is sent by a peer that has not proven anything.
constexpr std::size_t longest_answer = 64u << 10;

io_result wait_for(int fd, short events, deadline until, interruption other) {
  std::array<pollfd, 2> watched{pollfd{fd, events, 0}, {other, POLLIN, 0}};
  for (;;) {
    const int ready = poll(watched.data(), watched.size(), milliseconds_left(until));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return ready == 0 ? io_result::late : io_result::gone;
    return watched[1].revents != 0 ? io_result::interrupted : io_result::done;
  }
}

// A port that the system picks for this end may be the other end's: then a socket connects to
// itself. It may also be reset as soon as it is connected.
bool is_connected_to_another(int fd) {
  const auto there = peer_address(fd);
  return there && encode(own_address(fd)) != encode(*there);
}

// The joiner's side of one handshake.
class introduction {
 public:
  introduction(const job_description& job, const hello& mine, const std::string& where)
      : job_(job), mine_(mine), where_(where) {}

  // What to send for what has come; nothing once the host has proven itself.
  std::string reply(std::string_view bytes) {
    if (!asked_) {
      asked_ = to_array(expect(answer_kind::challenge, bytes));
      if (!asked_) no_host_of_this_job();
      return to_bytes(prove(job_.secret, speaker::joiner, mine_, *asked_));
    }
    const auto theirs = to_array(expect(answer_kind::welcome, bytes));
    if (!theirs || !same(*theirs, prove(job_.secret, speaker::host, mine_, *asked_)))
      no_host_of_this_job();
    return "";
  }

  [[noreturn]] void no_host_of_this_job() const {
    throw error(errc::arg, me() + ": what listens at " + where_ + " is not " + host() +
                               " of this job: it does not know the job's secret "
                               "(ORIEL_JOB_SECRET), or is no oriel of this version");
  }

 private:
  // The bytes of an answer that must be of that kind.
  [[nodiscard]] std::string expect(answer_kind kind, std::string_view bytes) const {
    const auto heard = decode_answer(bytes);
    if (heard && heard->kind == answer_kind::refusal)
      throw error(errc::arg, host() + " refused " + me() + ": " + quoted(heard->bytes));
    if (!heard || heard->kind != kind) no_host_of_this_job();
    return heard->bytes;
  }
  [[nodiscard]] std::string me() const { return "rank " + std::to_string(mine_.rank); }
  [[nodiscard]] std::string host() const { return "rank " + std::to_string(mine_.to); }

  const job_description& job_;
  const hello& mine_;
  const std::string& where_;
  std::optional<nonce> asked_;
};

}  // namespace

socket_fd connect_to(const socket_address& where, const job_description& job, deadline until,
                     interruption other) {
  socket_fd s(socket(where.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!s.valid()) system_failure("cannot make a socket for " + in_words(where));
  if (connect(s.get(), where.get(), where.length) != 0) {
    int failure = errno;
    socklen_t length = sizeof failure;
    if (failure != EINPROGRESS || wait_for(s.get(), POLLOUT, until, other) != io_result::done ||
        getsockopt(s.get(), SOL_SOCKET, SO_ERROR, &failure, &length) != 0 || failure != 0)
      return {};
  }
  if (!is_connected_to_another(s.get())) return {};
  keep_alive(s.get(), silence_of(job));
  return s;
}

io_result introduce(int fd, const job_description& job, const hello& mine, const std::string& where,
                    deadline until, interruption other) {
  introduction self(job, mine, where);
  message_reader reader(longest_answer);
  for (std::string next = encode(mine); !next.empty();) {
    // What a joiner sends is short, so it fits where nothing has been sent before.
    if (const io_result r = send_message(fd, next, deadline{}); r != io_result::done) return r;
    std::string bytes;
    io_result r = io_result::late;
    while ((r = reader.read(fd, bytes)) == io_result::late)
      if (r = wait_for(fd, POLLIN, until, other); r != io_result::done) return r;
    if (r == io_result::malformed) self.no_host_of_this_job();
    if (r != io_result::done) return r;
    next = self.reply(bytes);
  }
  return io_result::done;
}

connection join(const named_place& there, const job_description& job,
                const std::function<hello(int connected)>& mine) {
  const deadline until = std::chrono::steady_clock::now() + job.timeout;
  const deadline longer = until + job.timeout;
  // The other closes connections when strangers leave it no room: then this rank comes again.
  for (;;) {
    socket_fd s = connect_to(there.where, job, until, -1);
    const bool connected = s.valid();
    if (connected) {
      const io_result r = introduce(s.get(), job, mine(s.get()), there.words, longer, -1);
      if (r == io_result::done) return connection(std::move(s));
      if (r == io_result::late) give_up(failure_of(r, there.rank, job));
    }
    if (std::chrono::steady_clock::now() >= (connected ? longer : until))
      throw error(errc::timed_out, "rank " + std::to_string(job.rank) + ": rank " +
                                       std::to_string(there.rank) + " did not appear at " +
                                       there.words + " " + within(job.timeout));
    std::this_thread::sleep_for(retry_pause);
  }
}

}  // namespace oriel::sessions
