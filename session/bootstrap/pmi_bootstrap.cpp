#include "session/bootstrap/pmi_bootstrap.hpp"

#include <cstdint>
#include <utility>

#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/pmi_message.hpp"

namespace oriel::sessions {
namespace {

using clock = std::chrono::steady_clock;

// A part begins with its length, by which its reader computes how many keys hold it.
constexpr std::size_t length_bytes = 8;

std::string with_length(const std::string& bytes) {
  std::string whole;
  for (std::size_t i = length_bytes; i-- > 0;)
    whole += static_cast<char>((std::uint64_t{bytes.size()} >> (8 * i)) & 0xff);
  return whole + bytes;
}

std::uint64_t length_of(const std::string& whole) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length = length << 8 | static_cast<unsigned char>(whole[i]);
  return length;
}

std::string key(const std::string& round, int rank, std::size_t chunk) {
  return "oriel-" + round + "-" + std::to_string(rank) + "-" + std::to_string(chunk);
}

}  // namespace

std::optional<pmi_process> read_pmi_environment() {
  const auto rank = variable("PMI_RANK");
  const auto size = variable("PMI_SIZE");
  const auto fd = variable("PMI_FD");
  // PMI_PORT is how hydra offers the protocol under `-pmi-port`, without an inherited socket.
  if (!rank && !size && !fd && !variable("PMI_PORT")) return std::nullopt;
  for (const auto& [name, value] :
       {std::pair{"PMI_RANK", rank}, std::pair{"PMI_SIZE", size}, std::pair{"PMI_FD", fd}})
    if (!value)
      throw error(errc::arg, std::string(name) +
                                 " is not set, though other variables of a PMI launcher are; oriel "
                                 "needs PMI_RANK, PMI_SIZE and PMI_FD, or those of another "
                                 "launcher (docs/LAUNCHING.md)");
  pmi_process self;
  self.size = parse_number("PMI_SIZE", *size, 1, most_ranks);
  self.rank = parse_number("PMI_RANK", *rank, 0, self.size - 1);
  self.fd = parse_number("PMI_FD", *fd, 0, 1 << 20);
  return self;
}

std::vector<std::string> pmi_bootstrap::allgather(const std::string& mine) {
  const deadline until = clock::now() + timeout_;
  const std::string round = std::to_string(manager_->next_round());
  const std::string digits = to_hex(with_length(mine));
  const std::size_t step = manager_->longest_value() / 2 * 2;
  for (std::size_t at = 0, chunk = 0; at < digits.size(); at += step, ++chunk)
    manager_->put(key(round, self_.rank, chunk), std::string_view(digits).substr(at, step), until);
  manager_->barrier(until);
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(self_.size));
  for (int r = 0; r < self_.size; ++r)
    all.push_back(r == self_.rank ? mine : part_of(r, round, until));
  return all;
}

std::string pmi_bootstrap::part_of(int r, const std::string& round, deadline until) {
  const auto nonsense = [r] {
    return error(errc::peer_failed,
                 "rank " + std::to_string(r) + " has sent through PMI what it should not");
  };
  std::string whole;
  std::uint64_t length = length_bytes;
  for (std::size_t chunk = 0; whole.size() < length; ++chunk) {
    const auto bytes = from_hex(manager_->get(key(round, r, chunk), until));
    if (!bytes || bytes->empty()) throw nonsense();
    whole += *bytes;
    if (chunk != 0) continue;
    if (whole.size() < length_bytes || length_of(whole) > longest_message) throw nonsense();
    length = length_bytes + length_of(whole);
  }
  if (whole.size() != length) throw nonsense();
  return whole.substr(length_bytes);
}

std::unique_ptr<bootstrap> join_pmi(const pmi_process& self, std::chrono::milliseconds timeout) {
  // The one connection that a process has, for as long as it runs: see pmi_connection.hpp. When it
  // cannot be made, the next session tries again.
  static pmi_connection manager(self.fd, self.rank, clock::now() + timeout);
  return std::make_unique<pmi_bootstrap>(manager, self, timeout);
}

}  // namespace oriel::sessions
