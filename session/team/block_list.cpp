#include "session/team/block_list.hpp"

#include <cstring>

namespace oriel::sessions {
namespace {

struct block_head {
  std::uint64_t leader;
  std::uint64_t bytes;
};
static_assert(sizeof(block_head) == block_overhead);

void append(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  const auto* const p = static_cast<const std::byte*>(from);
  to.insert(to.end(), p, p + bytes);
}

// Calls use(leader, bytes) for every block; false when the list is malformed.
template <class Use>
bool each_block(std::span<const std::byte> list, std::span<const std::size_t> sizes, Use use) {
  while (!list.empty()) {
    block_head head;
    if (list.size() < sizeof head) return false;
    std::memcpy(&head, list.data(), sizeof head);
    list = list.subspan(sizeof head);
    if (head.leader >= sizes.size() || head.bytes != sizes[head.leader] || head.bytes > list.size())
      return false;
    use(head.leader, list.first(head.bytes));
    list = list.subspan(head.bytes);
  }
  return true;
}

}  // namespace

void append_block(std::vector<std::byte>& list, std::uint64_t leader,
                  const std::vector<std::byte>& block) {
  const block_head head{leader, block.size()};
  append(list, &head, sizeof head);
  append(list, block.data(), block.size());
}

bool unpack_blocks(std::span<const std::byte> list, std::span<const std::size_t> sizes,
                   std::vector<std::vector<std::byte>>& all) {
  if (!each_block(list, sizes, [](std::uint64_t, std::span<const std::byte>) {})) return false;
  return each_block(list, sizes, [&all](std::uint64_t leader, std::span<const std::byte> b) {
    all[leader].assign(b.begin(), b.end());
  });
}

}  // namespace oriel::sessions
