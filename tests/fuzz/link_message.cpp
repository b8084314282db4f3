// What ranks say over the links by which they watch over each other, in portions of any length.
#include "session/node/link_message.hpp"

#include "tests/fuzz/target.hpp"

namespace oriel::fuzz {
namespace {

using sessions::fate;
using sessions::link_hello;
using sessions::link_news;
using sessions::link_reader;

constexpr std::uint64_t job = 0x6f7269656c;
constexpr int ranks = 7;

bool is_rank(int r) {
  return r >= 0 && r < ranks;
}

void check_hello(const link_hello& h) {
  require(h.job == job, "a hello is of this job");
  require(is_rank(h.from) && is_rank(h.to) && h.from != h.to,
          "a hello is from one rank to another");
  require(h.living >= 1 && h.living <= ranks && is_rank(h.lowest), "some ranks live");
  require(h.takes <= fate::last, "a rank is taken for one of the fates");
}

void check_news(const link_news& n) {
  require(n.what <= link_news::about::last, "news is of one of the kinds");
  require(is_rank(n.first) && is_rank(n.last) && n.first <= n.last, "news is about ranks");
  require(n.what != link_news::about::present || n.turn != 0, "answers are to a roll call");
}

// Everything that is read, written again; and whether the reader has refused the rest.
std::string heard(std::string_view bytes, std::size_t portion, bool& malformed) {
  link_reader in(job, ranks);
  std::string again;
  malformed = false;
  while (!bytes.empty() && !malformed) {
    const std::span<char> room = in.room();
    require(!room.empty(), "there is room for more");
    const std::size_t n = std::min({portion, room.size(), bytes.size()});
    std::memcpy(room.data(), bytes.data(), n);
    in.came(n);
    bytes.remove_prefix(n);
    const bool greeted = !again.empty();
    if (const auto h = in.hello()) {
      require(!greeted, "there is one hello, and it comes first");
      check_hello(*h);
      again += encode(*h);
    }
    while (const auto one = in.news()) {
      require(!again.empty(), "news comes after the hello");
      check_news(*one);
      again += encode(*one);
    }
    malformed = in.malformed();
  }
  require(!in.malformed() || (!in.hello() && !in.news()), "nothing comes after what is malformed");
  return again;
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string hello = encode(link_hello{job, 1, 2, 6, 0, fate::silent});
  std::string all = hello;
  for (std::uint32_t i = 1; i <= 70; ++i)
    all += encode(link_news{static_cast<link_news::about>(i % 4), i, static_cast<int>(i % 3), 6});
  return {hello,
          all,
          hello.substr(0, 20),
          hello + hello,
          hello + encode(link_news{link_news::about::ended, 0, 5, 7}),
          "GET / HTTP/1.1\r\n\r\n"};
}

void check(std::string_view input) {
  bool malformed = false, in_portions = false;
  const std::string whole = heard(input, input.size() + 1, malformed);
  require(input.substr(0, whole.size()) == whole, "what is heard is what was said");
  require(malformed || input.size() - whole.size() < sessions::hello_bytes,
          "all that was said is heard");
  require(heard(input, 1 + input.size() % 23, in_portions) == whole && in_portions == malformed,
          "portions make no difference");
}

}  // namespace oriel::fuzz
