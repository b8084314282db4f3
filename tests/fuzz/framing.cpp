// What arrives on the rendezvous sockets: hellos, lists, and messages in their frames.
#include "session/framing.hpp"

#include <sys/socket.h>

#include "session/socket_fd.hpp"
#include "tests/fuzz/target.hpp"

namespace oriel::fuzz {
namespace {

using boot::io_result;

constexpr std::size_t fits_a_socket = 64u << 10;

boot::deadline soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(5);
}
boot::deadline at_once() {
  return {};
}

struct connection {
  boot::socket_fd mine, theirs;
  connection() {
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "sockets can be had");
    mine = boot::socket_fd(ends[0]);
    theirs = boot::socket_fd(ends[1]);
  }
};

void check_hello(std::string_view input) {
  const auto h = boot::decode_hello(input);
  if (h) require(boot::encode(*h) == input, "a hello that is decoded is the one that was sent");
  const boot::hello mine{static_cast<std::int32_t>(input.size()), -1, std::string(input)};
  const auto back = boot::decode_hello(boot::encode(mine));
  require(back && back->rank == mine.rank && back->size == mine.size && back->secret == mine.secret,
          "a hello that is encoded comes back as it was");
}

void check_list(std::string_view input) {
  if (const auto items = boot::decode_list(input))
    require(boot::encode_list(*items) == input, "a list that is decoded is the one that was sent");
  const std::vector<std::string> items{std::string(input), "", std::string(input.substr(0, 3))};
  require(boot::decode_list(boot::encode_list(items)) == items,
          "a list that is encoded comes back as it was");
}

// The input as a stream, which ends or stalls behind it.
void check_stream(std::string_view input, bool ends) {
  connection c;
  require(boot::send_bytes(c.theirs.get(), input, soon()) == io_result::done,
          "the socket holds the input");
  if (ends) shutdown(c.theirs.get(), SHUT_WR);
  const io_result cut_short = ends ? io_result::gone : io_result::late;
  for (io_result read = io_result::done; read == io_result::done;) {
    std::uint64_t announced = 0;
    const bool whole_length = input.size() >= sizeof announced;
    if (whole_length) std::memcpy(&announced, input.data(), sizeof announced);
    std::string bytes;
    read =
        boot::receive_message(c.mine.get(), bytes, boot::longest_hello, ends ? soon() : at_once());
    if (!whole_length) {
      require(read == cut_short, "half a length is no message");
    } else if (announced > boot::longest_hello) {
      require(read == io_result::malformed && bytes.empty(),
              "a message that is announced as too long is refused unread");
    } else if (announced > input.size() - sizeof announced) {
      require(read == cut_short, "half a message is none");
    } else {
      require(read == io_result::done && bytes == input.substr(sizeof announced, announced),
              "a message comes as it was sent");
      input.remove_prefix(sizeof announced + announced);
    }
  }
}

void check_sent(std::string_view input) {
  connection c;
  require(boot::send_message(c.theirs.get(), input, soon()) == io_result::done,
          "the socket holds a message");
  std::string bytes;
  require(boot::receive_message(c.mine.get(), bytes, fits_a_socket, soon()) == io_result::done &&
              bytes == input,
          "a message that is sent comes as it was");
}

std::string framed(const std::string& bytes) {
  return raw(static_cast<std::uint64_t>(bytes.size())) + bytes;
}

}  // namespace

std::vector<std::string> seeds() {
  return {"",
          boot::encode(boot::hello{3, 4, "secret"}),
          boot::encode_list({"one", "", "three"}),
          framed(boot::encode(boot::hello{1, 2, ""})) + framed("") + framed("ok"),
          framed(std::string(boot::longest_hello, 'x')),
          framed(std::string(boot::longest_hello + 1, 'x')),
          framed("cut short").substr(0, 12)};
}

void check(std::string_view input) {
  check_hello(input);
  check_list(input);
  const std::string_view half = input.substr(0, input.size() / 2);
  const std::string_view other = input.substr(input.size() - half.size());
  require(boot::same_secret(half, other) == (half == other), "secrets are the same when equal");
  if (input.size() > fits_a_socket / 2) return;
  check_stream(input, true);
  check_stream(input, false);
  check_sent(input);
}

}  // namespace oriel::fuzz
