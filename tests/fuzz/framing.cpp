// What arrives on the rendezvous sockets: hellos, lists, and messages in their frames.
#include "session/framing.hpp"

#include <sys/socket.h>

#include "session/handshake.hpp"
#include "session/socket_fd.hpp"
#include "tests/fuzz/target.hpp"

namespace oriel::fuzz {
namespace {

using boot::io_result;

constexpr std::size_t fits_a_socket = 64u << 10;
constexpr std::size_t longest = 1024;

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

void check_handshake(std::string_view input) {
  const auto h = boot::decode_hello(input);
  if (h) require(boot::encode(*h) == input, "a hello that is decoded is the one that was sent");
  if (h) require(boot::is_some_hello(input), "a hello of this version is one of some version");
  const auto a = boot::decode_answer(input);
  if (a) require(boot::encode(*a) == input, "an answer that is decoded is the one that was sent");
  const auto number = boot::to_array(input);
  if (number) require(boot::to_bytes(*number) == input, "32 bytes come back as they were");
  boot::hello mine{static_cast<std::int32_t>(input.size()), -1};
  std::copy_n(input.begin(), std::min(input.size(), mine.number.size()), mine.number.begin());
  const std::string bytes = boot::encode(mine);
  const auto back = boot::decode_hello(bytes);
  require(back && back->rank == mine.rank && back->size == mine.size &&
              back->number == mine.number && bytes.size() <= boot::longest_from_stranger,
          "a hello that is encoded comes back as it was");
}

void check_list(std::string_view input) {
  if (const auto items = boot::decode_list(input))
    require(boot::encode_list(*items) == input, "a list that is decoded is the one that was sent");
  const std::vector<std::string> items{std::string(input), "", std::string(input.substr(0, 3))};
  require(boot::decode_list(boot::encode_list(items)) == items,
          "a list that is encoded comes back as it was");
}

// The input as a stranger's, in pieces of every length.
void check_reader(std::string_view input) {
  connection c;
  boot::message_reader reader(boot::longest_from_stranger);
  std::string_view unread = input;  // what of it makes no whole message yet
  for (std::size_t at = 0, piece = 1; at < input.size(); at += piece, piece = piece % 13 + 1) {
    require(boot::send_bytes(c.theirs.get(), input.substr(at, piece), soon()) == io_result::done,
            "the socket holds the input");
    for (io_result read = io_result::done; read == io_result::done;) {
      std::uint64_t announced = 0;
      const std::size_t came = std::min(at + piece, input.size()) - (input.size() - unread.size());
      if (came >= sizeof announced) std::memcpy(&announced, unread.data(), sizeof announced);
      std::string bytes;
      read = reader.read(c.mine.get(), bytes);
      if (announced > boot::longest_from_stranger) {
        require(read == io_result::malformed, "a message that is announced as too long is refused");
        return;
      }
      const bool whole = came >= sizeof announced && came - sizeof announced >= announced;
      require(read == (whole ? io_result::done : io_result::late),
              "a message is read once it is whole");
      if (!whole) continue;
      require(bytes == unread.substr(sizeof announced, announced),
              "a message comes as it was sent");
      unread.remove_prefix(sizeof announced + announced);
    }
  }
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
    read = boot::receive_message(c.mine.get(), bytes, longest, ends ? soon() : at_once());
    if (!whole_length) {
      require(read == cut_short, "half a length is no message");
    } else if (announced > longest) {
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
  const std::string hello = boot::encode(boot::hello{3, 4, {}});
  return {"",
          hello,
          hello.substr(0, hello.size() - 1),
          "oriel/1\n" + hello.substr(8),
          boot::encode(boot::answer{boot::answer_kind::challenge, std::string(32, 'x')}),
          boot::encode(boot::answer{boot::answer_kind::refusal, "rank 3 has joined already"}),
          framed(hello) + framed(std::string(32, 'p')),
          boot::encode_list({"one", "", "three"}),
          framed(hello) + framed("") + framed("o"),
          framed(std::string(longest, 'x')),
          framed(std::string(longest + 1, 'x')),
          framed("cut short").substr(0, 12)};
}

void check(std::string_view input) {
  check_handshake(input);
  check_list(input);
  if (input.size() > fits_a_socket / 2) return;
  check_reader(input);
  check_stream(input, true);
  check_stream(input, false);
  check_sent(input);
}

}  // namespace oriel::fuzz
