// The records of one rank's buffers, sorted by displacement, in shared memory: a B+-tree that its
// owner changes by copying, and that every process of the node reads meanwhile.
//
// Publication. Nodes that readers can reach are not written. A change writes copies of the nodes
// between the root and a leaf, and one store of the root puts them in the old ones' place. So an
// owner that dies, at whatever instruction, leaves the tree as it was before the change or after
// it, and readers never wait.
//
// Reuse. A node that change number k replaced is written again later. Before the owner does that it
// stores k, or a later number, into `overwritten`, and fences. A reader takes the number of the
// last change, c, then the root, which is that change's or a later one's: all that it reaches was
// replaced by change c + 1 at the earliest. Whatever it reads is good if, after a fence, it finds
// `overwritten` at most c: had it read a word of a reused node, the two fences would show it the
// number stored before, which is above c. It looks before it follows what it has read, so it never
// leaves the tree; and it starts again when the look fails. Nodes are reused in the order in which
// they were replaced and as late as room allows, so a reader starts again only when the owner has
// made many changes since.
//
// Threads: readers any; the owner's are in turn. Nodes lie in memory that stays until the tree
// goes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "session/node/node_memory.hpp"

namespace oriel::win {

struct segment_record {
  std::uint64_t first = 0;    // displacement in elements
  std::uint64_t count = 0;    // elements
  std::int64_t offset = 0;    // in node memory, or detail::unmapped
  std::uint64_t address = 0;  // in the owner's address space
  std::uint64_t handle = 0;
};

// In shared memory, zeroed at first.
struct alignas(64) segment_book_state {
  std::atomic<std::uint64_t> root;       // see segment_node::reference; 0: no records
  std::atomic<std::uint64_t> published;  // changes so far
  std::atomic<std::uint64_t> overwritten;
};

// A node is 64 words: the number of its entries, their keys, and the rest of them. All are atomic,
// so that reading one while it is written again is no data race.
struct segment_node {
  using word = std::atomic<std::uint64_t>;
  static constexpr std::size_t words = 64;
  static constexpr std::size_t bytes = words * sizeof(word);
  // Names a node by its offset in node memory and by its kind, in the lowest bit.
  using reference = std::uint64_t;
  static constexpr bool is_leaf(reference r) noexcept { return (r & 1) != 0; }
  static word* at(std::byte* base, reference r) noexcept {
    return reinterpret_cast<word*>(base + (r & ~reference{1}));
  }
};

// An entry of a leaf and of a node above: `most` of them in a node, `rest` words beside the key.
struct leaf_entry {
  static constexpr unsigned most = 12, rest = 4;
  static constexpr segment_node::reference kind = 1;
  segment_record record;
};
struct inner_entry {
  static constexpr unsigned most = 31, rest = 1;
  static constexpr segment_node::reference kind = 0;
  std::uint64_t lowest = 0;  // key of the child's first entry
  segment_node::reference child = 0;
};

// The tree as it was at one change. What returns false has met nodes that are written again: take a
// new snapshot then.
class segment_snapshot {
 public:
  segment_snapshot(std::byte* base, const segment_book_state& state) noexcept
      : base_(base),
        state_(&state),
        published_(state.published.load(std::memory_order_acquire)),
        root_(state.root.load(std::memory_order_acquire)) {}

  // A place among the records: at one of them, or before or behind them all.
  struct cursor {
    const segment_node::word* leaf = nullptr;
    unsigned entries = 0;        // of the leaf
    unsigned next = 0;           // the entry behind the one that the cursor is at
    bool has_following = false;  // another leaf follows, whose first key is
    std::uint64_t following = 0;
    [[nodiscard]] bool at_record() const noexcept { return next != 0; }
  };

  // To the last record that starts at or before `first`; before them all when none does.
  [[nodiscard]] bool seek(std::uint64_t first, cursor&) const noexcept;
  // To the next record; `more` is false when there is none, and the cursor stays.
  [[nodiscard]] bool advance(cursor&, bool& more) const noexcept;
  // Requires: at_record().
  [[nodiscard]] bool read(const cursor&, segment_record&) const noexcept;

 private:
  [[nodiscard]] bool good() const noexcept {
    std::atomic_thread_fence(std::memory_order_acquire);
    return state_->overwritten.load(std::memory_order_relaxed) <= published_;
  }

  std::byte* base_;
  const segment_book_state* state_;
  std::uint64_t published_;
  segment_node::reference root_;
};

// The owner's end.
class segment_tree {
 public:
  segment_tree(sessions::node_memory& memory, segment_book_state& state) noexcept
      : memory_(&memory), state_(&state) {}
  // Releases the memory. Requires: no process reads the tree any more.
  ~segment_tree();
  segment_tree(const segment_tree&) = delete;
  segment_tree& operator=(const segment_tree&) = delete;

  [[nodiscard]] segment_snapshot now() const noexcept { return {memory_->base(), *state_}; }
  // Requires: no record has this `first`. Throws no_mem, and nothing has changed.
  void insert(const segment_record&);
  // Requires: a record has this `first`. Needs no memory.
  void erase(std::uint64_t first) noexcept;

 private:
  // What takes a node's place in the node above: none, one, or two.
  struct replacement {
    unsigned n = 0;
    std::array<inner_entry, 2> by;
  };
  struct retired_node {
    segment_node::reference node;
    std::uint64_t by;  // the change that replaced it
  };
  template <class Entry>
  class node_writer;

  [[nodiscard]] segment_node::word* node(segment_node::reference r) const noexcept {
    return segment_node::at(memory_->base(), r);
  }
  // Copies a node with `in` in the place of its entries [i, j).
  template <class Entry>
  replacement splice(segment_node::reference old, unsigned i, const Entry* in, unsigned n,
                     unsigned j) noexcept;
  replacement insert_below(segment_node::reference, const segment_record&) noexcept;
  replacement erase_below(segment_node::reference, std::uint64_t first) noexcept;
  template <class Entry>
  inner_entry join(segment_node::reference left, segment_node::reference right,
                   segment_node::reference unpublished) noexcept;

  void make_room();
  void grow(std::size_t nodes);
  segment_node::reference take() noexcept;
  void retire(segment_node::reference) noexcept;
  void publish(segment_node::reference root) noexcept;

  sessions::node_memory* memory_;
  segment_book_state* state_;
  segment_node::reference root_ = 0;
  std::size_t height_ = 0;
  std::uint64_t published_ = 0;
  std::vector<std::uint64_t> blocks_;              // of node memory
  std::vector<segment_node::reference> fresh_;     // nodes that no consistent read reaches
  std::vector<segment_node::reference> replaced_;  // by the change that is under way
  // In the order of their replacement: a ring with room for every node.
  std::vector<retired_node> retired_;
  std::size_t oldest_ = 0;
  std::size_t resting_ = 0;
};

}  // namespace oriel::win
