// What arrives on the rendezvous sockets: hellos, addresses, lists, and messages in their frames.
#include "session/bootstrap/framing.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include "session/bootstrap/handshake.hpp"
#include "session/bootstrap/socket_address.hpp"
#include "session/bootstrap/socket_fd.hpp"
#include "tests/fuzz/target.hpp"

namespace oriel::fuzz {
namespace {

using sessions::io_result;

constexpr std::size_t fits_a_socket = 64u << 10;
constexpr std::size_t longest = 1024;

sessions::deadline soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(5);
}
sessions::deadline at_once() {
  return {};
}

struct connection {
  sessions::socket_fd mine, theirs;
  connection() {
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "sockets can be had");
    mine = sessions::socket_fd(ends[0]);
    theirs = sessions::socket_fd(ends[1]);
  }
};

void check_handshake(std::string_view input) {
  const auto h = sessions::decode_hello(input);
  if (h) require(sessions::encode(*h) == input, "a hello that is decoded is the one that was sent");
  if (h) require(sessions::is_some_hello(input), "a hello of this version is one of some version");
  const auto a = sessions::decode_answer(input);
  if (a)
    require(sessions::encode(*a) == input, "an answer that is decoded is the one that was sent");
  const auto number = sessions::to_array(input);
  if (number) require(sessions::to_bytes(*number) == input, "32 bytes come back as they were");
  sessions::hello mine{.rank = static_cast<std::int32_t>(input.size()), .size = -1, .to = 7};
  if (!input.empty()) mine.port = static_cast<std::uint16_t>(input[0] * 251);
  std::copy_n(input.begin(), std::min(input.size(), mine.number.size()), mine.number.begin());
  const std::string bytes = sessions::encode(mine);
  const auto back = sessions::decode_hello(bytes);
  require(back && back->rank == mine.rank && back->size == mine.size &&
              back->number == mine.number && back->to == mine.to && back->port == mine.port &&
              bytes.size() <= sessions::longest_from_stranger,
          "a hello that is encoded comes back as it was");
}

void check_address(std::string_view input) {
  const auto a = sessions::decode_address(input);
  if (!a) return;
  require(sessions::encode(*a) == input, "an address that is decoded is the one that was sent");
  require(sessions::in_words(*a).find(':') != std::string::npos, "an address has words");
}

void check_list(std::string_view input) {
  if (const auto items = sessions::decode_list(input))
    require(sessions::encode_list(*items) == input,
            "a list that is decoded is the one that was sent");
  const std::vector<std::string> items{std::string(input), "", std::string(input.substr(0, 3))};
  require(sessions::decode_list(sessions::encode_list(items)) == items,
          "a list that is encoded comes back as it was");
}

// The input as a stranger's, in pieces of every length.
void check_reader(std::string_view input) {
  connection c;
  sessions::message_reader reader(sessions::longest_from_stranger);
  std::string_view unread = input;  // what of it makes no whole message yet
  for (std::size_t at = 0, piece = 1; at < input.size(); at += piece, piece = piece % 13 + 1) {
    require(
        sessions::send_bytes(c.theirs.get(), input.substr(at, piece), soon()) == io_result::done,
        "the socket holds the input");
    for (io_result read = io_result::done; read == io_result::done;) {
      std::uint64_t announced = 0;
      const std::size_t came = std::min(at + piece, input.size()) - (input.size() - unread.size());
      if (came >= sizeof announced) std::memcpy(&announced, unread.data(), sizeof announced);
      std::string bytes;
      read = reader.read(c.mine.get(), bytes);
      if (announced > sessions::longest_from_stranger) {
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
  require(sessions::send_bytes(c.theirs.get(), input, soon()) == io_result::done,
          "the socket holds the input");
  if (ends) shutdown(c.theirs.get(), SHUT_WR);
  const io_result cut_short = ends ? io_result::gone : io_result::late;
  for (io_result read = io_result::done; read == io_result::done;) {
    std::uint64_t announced = 0;
    const bool whole_length = input.size() >= sizeof announced;
    if (whole_length) std::memcpy(&announced, input.data(), sizeof announced);
    std::string bytes;
    read = sessions::receive_message(c.mine.get(), bytes, longest, ends ? soon() : at_once());
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
  require(sessions::send_message(c.theirs.get(), input, soon()) == io_result::done,
          "the socket holds a message");
  std::string bytes;
  require(
      sessions::receive_message(c.mine.get(), bytes, fits_a_socket, soon()) == io_result::done &&
          bytes == input,
      "a message that is sent comes as it was");
}

std::string framed(const std::string& bytes) {
  return raw(static_cast<std::uint64_t>(bytes.size())) + bytes;
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string hello = sessions::encode(sessions::hello{.rank = 3, .size = 4, .to = 2});
  const auto address = [](sa_family_t family, std::size_t bytes) {
    return std::string(reinterpret_cast<const char*>(&family), sizeof family) +
           std::string(bytes - sizeof family, '\1');
  };
  return {
      "",
      hello,
      hello.substr(0, hello.size() - 1),
      address(AF_INET, sizeof(sockaddr_in)),
      address(AF_INET6, sizeof(sockaddr_in6)),
      address(AF_INET6, sizeof(sockaddr_in)),
      "oriel/1\n" + hello.substr(8),
      sessions::encode(sessions::answer{sessions::answer_kind::challenge, std::string(32, 'x')}),
      sessions::encode(
          sessions::answer{sessions::answer_kind::refusal, "rank 3 has joined already"}),
      framed(hello) + framed(std::string(32, 'p')),
      sessions::encode_list({"one", "", "three"}),
      framed(hello) + framed("") + framed("o"),
      framed(std::string(longest, 'x')),
      framed(std::string(longest + 1, 'x')),
      framed("cut short").substr(0, 12)};
}

void check(std::string_view input) {
  check_handshake(input);
  check_address(input);
  check_list(input);
  if (input.size() > fits_a_socket / 2) return;
  check_reader(input);
  check_stream(input, true);
  check_stream(input, false);
  check_sent(input);
}

}  // namespace oriel::fuzz
