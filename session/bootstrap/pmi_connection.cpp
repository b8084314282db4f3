#include "session/bootstrap/pmi_connection.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "oriel/errc.hpp"

namespace oriel::sessions {
namespace {

// A process that ends does not hang on a process manager that does not answer.
constexpr std::chrono::seconds farewell_patience{2};

constexpr int shortest_value = 32, longest_key = 48;  // that a process manager must allow

bool is_stream_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

std::string word_of(const std::string& request) {
  return "'" + request.substr(0, request.find(' ')) + "'";
}

}  // namespace

pmi_connection::pmi_connection(int fd, int rank, deadline until)
    : fd_(fd), rank_(rank), owner_(getpid()) {
  if (!is_stream_socket(fd))
    throw error(errc::arg, "rank " + std::to_string(rank) + ": PMI_FD is " + std::to_string(fd) +
                               ", which is no stream socket; the launcher leaves one open there");
  // A program that this one starts must not answer for it, nor keep its end open.
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  const std::string hello = "cmd=init pmi_version=1 pmi_subversion=1";
  const pmi_message greeting = ask(hello, "response_to_init", until);
  if (greeting.number("rc", 0, 0) != 0 || greeting.number("pmi_version", 1, 1) != 1)
    give_up(errc::peer_failed, "uses another protocol than PMI version 1");
  const pmi_message limits = ask("cmd=get_maxes", "maxes", until);
  // The announced length counts a final zero.
  const auto value = limits.number("vallen_max", shortest_value, 1 << 30);
  const auto key = limits.number("keylen_max", longest_key, 1 << 30);
  if (!value || !key)
    give_up(errc::peer_failed, "allows no values of 32 characters under keys of 48");
  const pmi_message mine = ask("cmd=get_my_kvsname", "my_kvsname", until);
  name_space_ = mine.text("kvsname").value_or("");
  if (name_space_.empty()) give_up(errc::peer_failed, "names no space for keys");
  const std::size_t around = put_request(std::string(longest_key, ' '), "").size() + 1;
  if (around + shortest_value > longest_pmi_request)
    give_up(errc::peer_failed, "names a space for keys by " + std::to_string(name_space_.size()) +
                                   " characters, which leave no room for values");
  longest_value_ = std::min(static_cast<std::size_t>(*value) - 1, longest_pmi_request - around);
}

pmi_connection::~pmi_connection() {
  // A child of fork() holds a copy: only the process that began may end it.
  if (owner_ == getpid()) {
    const auto until = std::chrono::steady_clock::now() + farewell_patience;
    io_result r = send_bytes(fd_, "cmd=finalize\n", until);
    for (std::string line; r == io_result::done && line != "cmd=finalize_ack";)
      r = receive_line(line, until);
  }
  close(fd_);
}

void pmi_connection::put(const std::string& key, std::string_view value, deadline until) {
  const pmi_message answer = ask(put_request(key, value), "put_result", until);
  if (answer.number("rc", 0, 0) != 0)
    give_up(errc::peer_failed, "did not take key " + key + ": " +
                                   std::string(answer.text("msg").value_or("no reason given")));
}

std::string pmi_connection::get(const std::string& key, deadline until) {
  const std::string request = "cmd=get kvsname=" + name_space_ + " key=" + key;
  const pmi_message answer = ask(request, "get_result", until);
  const auto value = answer.text("value");
  if (answer.number("rc", 0, 0) != 0 || !value)
    give_up(errc::peer_failed, "does not give key " + key + ": " +
                                   std::string(answer.text("msg").value_or("no reason given")));
  return std::string(*value);
}

void pmi_connection::barrier(deadline until) {
  const pmi_message answer = ask("cmd=barrier_in", "barrier_out", until);
  if (answer.text("rc") && answer.number("rc", 0, 0) != 0)
    give_up(errc::peer_failed, "reports that the barrier of the job failed");
}

std::string pmi_connection::put_request(std::string_view key, std::string_view value) const {
  return "cmd=put kvsname=" + name_space_ + " key=" + std::string(key) +
         " value=" + std::string(value);
}

pmi_message pmi_connection::ask(const std::string& request, std::string_view answer,
                                deadline until) {
  if (!given_up_.empty())
    throw error(errc::peer_failed, given_up_ + " earlier; the process cannot join a job any more");
  if (!pending_.empty()) misunderstood("nothing", pending_);
  std::string line;
  io_result r = send_bytes(fd_, request + "\n", until);
  if (r == io_result::done) r = receive_line(line, until);
  if (r == io_result::late)
    give_up(errc::timed_out, "did not answer " + word_of(request) +
                                 " in time (ORIEL_TIMEOUT); has every rank opened its session?");
  if (r == io_result::gone || r == io_result::silent)
    give_up(errc::peer_failed, "closed the connection before it answered " + word_of(request));
  auto message = r == io_result::done ? parse_pmi_message(line) : std::nullopt;
  if (!message || message->command != answer)
    misunderstood(word_of(request), r == io_result::done ? line : pending_);
  return std::move(*message);
}

io_result pmi_connection::receive_line(std::string& line, deadline until) {
  std::size_t end = pending_.find('\n');
  while (end == std::string::npos) {
    if (pending_.size() > longest_pmi_line) return io_result::malformed;
    std::array<char, 4096> bytes;
    std::size_t got = 0;
    if (const io_result r = receive_some(fd_, bytes.data(), bytes.size(), got, until);
        r != io_result::done)
      return r;
    const std::size_t old = pending_.size();
    pending_.append(bytes.data(), got);
    end = pending_.find('\n', old);
  }
  line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return io_result::done;
}

void pmi_connection::give_up(errc code, const std::string& what) {
  given_up_ = "rank " + std::to_string(rank_) + ": the process manager (PMI_FD " +
              std::to_string(fd_) + ") " + what;
  throw error(code, given_up_);
}

void pmi_connection::misunderstood(const std::string& request, std::string_view line) {
  give_up(errc::peer_failed, "answered " + request + " with '" + printable(line) +
                                 "', which is no answer of the PMI-1 protocol");
}

}  // namespace oriel::sessions
