// The lists of blocks that leaders of nodes exchange.
#include "session/team/block_list.hpp"

#include <array>

#include "tests/fuzz/target.hpp"

namespace oriel::fuzz {
namespace {

using block = std::vector<std::byte>;

constexpr std::array<std::size_t, 5> sizes{1, 0, 0, 0, 10};
constexpr std::size_t leaders = sizes.size();

block bytes_of(std::string_view text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string text_of(const block& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::string> seeds() {
  block some, zeros;
  sessions::append_block(some, 4, bytes_of("the fourth"));
  sessions::append_block(some, 0, bytes_of("0"));
  sessions::append_block(some, 4, bytes_of("once again"));
  for (std::uint64_t leader = 0; leader < leaders; ++leader)
    sessions::append_block(zeros, leader, block(sizes[leader]));
  return {"", text_of(some), text_of(zeros)};
}

void check(std::string_view input) {
  const block list = bytes_of(input);
  const std::vector<block> before(leaders, bytes_of("before"));
  std::vector<block> all = before;
  if (!sessions::unpack_blocks(list, sizes, all)) {
    require(all == before, "a malformed list changes nothing");
    return;
  }
  require(all.size() == leaders, "a list changes parts, not their number");
  std::size_t bytes = 0;
  block again;
  for (std::size_t leader = 0; leader < leaders; ++leader) {
    if (all[leader] == before[leader]) continue;
    require(all[leader].size() == sizes[leader], "a block is of its leader's size");
    bytes += all[leader].size();
    sessions::append_block(again, leader, all[leader]);
  }
  require(bytes <= input.size(), "blocks are parts of the input");
  std::vector<block> twice = before;
  require(sessions::unpack_blocks(again, sizes, twice) && twice == all,
          "blocks that are packed come back as they were");
}

}  // namespace oriel::fuzz
