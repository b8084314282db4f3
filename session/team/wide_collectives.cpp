#include "session/team/wide_collectives.hpp"

#include <cstring>
#include <new>

namespace oriel::sessions {

std::span<const int> wide_collectives::my_node() const noexcept {
  return where_->ranks_on(where_->node_of(me_));
}

// The leader's failure must not be lost in the node's own barrier, so it is broadcast; on the
// node's ranks that costs what a barrier does.
errc wide_collectives::agree_on_node(errc mine) noexcept {
  struct {
    errc outcome;
    std::int32_t awaited;
    different_calls found;
  } told{mine, awaited_, found_};
  const errc e = node_->broadcast({}, &told, sizeof told, 0);
  if (e != errc::success) return e;
  awaited_ = told.awaited;
  found_ = told.found;
  return told.outcome;
}

// Of another node the first rank, which may wait itself: for its own node, or for further ones.
collectives::absentees wide_collectives::absent() const noexcept {
  if (is_between_nodes_) return {where_->ranks_on(between_->awaited()).front(), 0};
  absentees found = node_->absent();
  if (found.first >= 0) found.first = my_node()[static_cast<std::size_t>(found.first)];
  return found;
}

template <class Lead>
errc wide_collectives::between_nodes(errc on_node, Lead lead) noexcept {
  if (on_node != errc::success && on_node != errc::mismatched_collective) {
    const int node_rank = node_->awaited();
    if (node_rank >= 0) awaited_ = my_node()[static_cast<std::size_t>(node_rank)];
    return on_node;
  }
  if (between_ == nullptr) return agree_on_node(errc::success);
  is_between_nodes_ = true;
  const errc e =
      on_node == errc::success ? lead() : between_->report(node_->found().named(my_node()));
  is_between_nodes_ = false;
  if (e == errc::mismatched_collective) found_ = between_->found();
  if (e == errc::timed_out) awaited_ = where_->ranks_on(between_->awaited()).front();
  return agree_on_node(e);
}

errc wide_collectives::barrier(const collective_call& call) noexcept {
  return between_nodes(node_->barrier(call), [&] { return between_->barrier(call); });
}

errc wide_collectives::exchange(const collective_call& call, const std::vector<std::byte>& of_node,
                                std::size_t bytes, std::byte* all) noexcept {
  std::vector<std::vector<std::byte>> blocks;
  std::vector<std::size_t> sizes;
  bool lacking = of_node.empty() || all == nullptr;  // its node has them from here
  try {
    sizes.reserve(static_cast<std::size_t>(where_->nodes()));
    for (int node = 0; node < where_->nodes(); ++node)
      sizes.push_back(where_->ranks_on(node).size() * bytes);
  } catch (const std::bad_alloc&) {
    lacking = true;
  }
  const errc e =
      between_->allgather(call.of(bytes), lacking ? nullptr : of_node.data(), sizes, blocks);
  if (e != errc::success) return e;
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    const std::span<const int> ranks = where_->ranks_on(static_cast<int>(n));
    for (std::size_t i = 0; i < ranks.size(); ++i)
      std::memcpy(all + static_cast<std::size_t>(ranks[i]) * bytes, blocks[n].data() + i * bytes,
                  bytes);
  }
  return errc::success;
}

errc wide_collectives::allgather(const collective_call& call, const void* mine, std::size_t bytes,
                                 void* all) noexcept {
  if (bytes == 0) return barrier(call);
  std::vector<std::byte> of_node;
  try {
    if (between_ != nullptr) of_node.resize(my_node().size() * bytes);
  } catch (const std::bad_alloc&) {
    // The exchange reports it to the others.
  }
  const errc on_node =
      node_->allgather(call, mine, bytes, of_node.empty() ? nullptr : of_node.data());
  const errc e = between_nodes(
      on_node, [&] { return exchange(call, of_node, bytes, static_cast<std::byte*>(all)); });
  return e != errc::success
             ? e
             : node_->broadcast({}, all, bytes * static_cast<std::size_t>(where_->size()), 0);
}

errc wide_collectives::combine(const collective_call& call, void* value, std::size_t bytes,
                               merge_function merge) noexcept {
  const errc e = between_nodes(node_->combine(call, value, bytes, merge), [&] {
    return between_->combine(call.of(bytes), value, bytes, merge);
  });
  return e != errc::success ? e : node_->broadcast({}, value, bytes, 0);
}

errc wide_collectives::broadcast(const collective_call& call, void* data, std::size_t bytes,
                                 int root) noexcept {
  const int node = where_->node_of(root);
  const bool here = node == where_->node_of(me_);
  const int node_rank = where_->node_rank(root);
  // A root on another node has no data here, but the ranks have to meet.
  const errc on_node =
      here ? node_->broadcast(call, data, bytes, node_rank) : node_->barrier(call.of(bytes));
  const errc e = between_nodes(
      on_node, [&] { return between_->broadcast(call.of(bytes), data, bytes, node); });
  if (e != errc::success || here) return e;
  return node_->broadcast({}, data, bytes, 0);
}

}  // namespace oriel::sessions
