#include "session/wide_collectives.hpp"

#include <cstring>
#include <new>

namespace oriel::boot {

const std::vector<int>& wide_collectives::my_node() const noexcept {
  return split_->nodes[static_cast<std::size_t>(split_->node_of[static_cast<std::size_t>(me_)])];
}

// The leader's failure must not be lost in the node's own barrier, so it is broadcast; on the
// node's ranks that costs what a barrier does.
errc wide_collectives::agree_on_node(errc mine) noexcept {
  const errc e = near_->broadcast(&mine, sizeof mine, 0);
  return e != errc::success ? e : mine;
}

errc wide_collectives::barrier() noexcept {
  if (const errc e = near_->barrier(); e != errc::success) return e;
  return agree_on_node(between_ == nullptr ? errc::success : between_->barrier());
}

errc wide_collectives::exchange(const std::vector<std::byte>& of_node, std::size_t bytes,
                                std::byte* all) noexcept {
  std::vector<std::vector<std::byte>> blocks;
  std::vector<std::size_t> sizes;
  bool lacking = of_node.empty() || all == nullptr;  // its node has them from here
  try {
    sizes.reserve(split_->nodes.size());
    for (const std::vector<int>& ranks : split_->nodes) sizes.push_back(ranks.size() * bytes);
  } catch (const std::bad_alloc&) {
    lacking = true;
  }
  const errc e = between_->allgather(lacking ? nullptr : of_node.data(), sizes, blocks);
  if (e != errc::success) return e;
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    const std::vector<int>& ranks = split_->nodes[n];
    for (std::size_t i = 0; i < ranks.size(); ++i)
      std::memcpy(all + static_cast<std::size_t>(ranks[i]) * bytes, blocks[n].data() + i * bytes,
                  bytes);
  }
  return errc::success;
}

errc wide_collectives::allgather(const void* mine, std::size_t bytes, void* all) noexcept {
  if (bytes == 0) return barrier();
  std::vector<std::byte> of_node;
  try {
    if (between_ != nullptr) of_node.resize(my_node().size() * bytes);
  } catch (const std::bad_alloc&) {
    // The exchange tells the others.
  }
  if (const errc e = near_->allgather(mine, bytes, of_node.empty() ? nullptr : of_node.data());
      e != errc::success)
    return e;
  const errc e = agree_on_node(
      between_ == nullptr ? errc::success : exchange(of_node, bytes, static_cast<std::byte*>(all)));
  return e != errc::success ? e : near_->broadcast(all, bytes * split_->node_of.size(), 0);
}

errc wide_collectives::combine(void* value, std::size_t bytes, merge_function merge) noexcept {
  if (const errc e = near_->combine(value, bytes, merge); e != errc::success) return e;
  const errc e =
      agree_on_node(between_ == nullptr ? errc::success : between_->combine(value, bytes, merge));
  return e != errc::success ? e : near_->broadcast(value, bytes, 0);
}

errc wide_collectives::broadcast(void* data, std::size_t bytes, int root) noexcept {
  const int node = split_->node_of[static_cast<std::size_t>(root)];
  const bool here = node == split_->node_of[static_cast<std::size_t>(me_)];
  if (here) {
    const errc e = near_->broadcast(data, bytes, split_->place[static_cast<std::size_t>(root)]);
    if (e != errc::success) return e;
  }
  const errc e =
      agree_on_node(between_ == nullptr ? errc::success : between_->broadcast(data, bytes, node));
  if (e != errc::success || here) return e;
  return near_->broadcast(data, bytes, 0);
}

}  // namespace oriel::boot
