#include "win/segment_tree.hpp"

#include <algorithm>

namespace oriel::win {
namespace {

using word = segment_node::word;
using reference = segment_node::reference;

constexpr unsigned keys_at = 1;
template <class Entry>
constexpr unsigned rest_at = keys_at + Entry::most;
static_assert(rest_at<leaf_entry> + leaf_entry::most * leaf_entry::rest <= segment_node::words);
static_assert(rest_at<inner_entry> + inner_entry::most * inner_entry::rest <= segment_node::words);

std::uint64_t get(const word& w) noexcept {
  return w.load(std::memory_order_relaxed);
}
void set(word& w, std::uint64_t value) noexcept {
  w.store(value, std::memory_order_relaxed);
}

// How many of a node's keys are at or before `key`.
unsigned keys_up_to(const word* node, unsigned entries, std::uint64_t key) noexcept {
  unsigned low = 0, high = entries;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (get(node[keys_at + middle]) <= key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

segment_record load_record(const word* node, unsigned i) noexcept {
  const word* const w = node + rest_at<leaf_entry> + std::size_t{i} * leaf_entry::rest;
  return {get(node[keys_at + i]), get(w[0]), static_cast<std::int64_t>(get(w[1])), get(w[2]),
          get(w[3])};
}
void store_entry(word* node, unsigned i, const leaf_entry& e) noexcept {
  word* const w = node + rest_at<leaf_entry> + std::size_t{i} * leaf_entry::rest;
  set(node[keys_at + i], e.record.first);
  set(w[0], e.record.count);
  set(w[1], static_cast<std::uint64_t>(e.record.offset));
  set(w[2], e.record.address);
  set(w[3], e.record.handle);
}
reference child_of(const word* node, unsigned i) noexcept {
  return get(node[rest_at<inner_entry> + i]);
}
void store_entry(word* node, unsigned i, const inner_entry& e) noexcept {
  set(node[keys_at + i], e.lowest);
  set(node[rest_at<inner_entry> + i], e.child);
}
void copy_words(const word* from, unsigned n, word* to) noexcept {
  for (unsigned i = 0; i < n; ++i) set(to[i], get(from[i]));
}
unsigned entries_of(const word* node) noexcept {
  return static_cast<unsigned>(get(node[0]));
}

}  // namespace

// --- Readers

bool segment_snapshot::seek(std::uint64_t first, cursor& c) const noexcept {
  c = {};
  for (reference r = root_; r != 0;) {
    const word* const node = segment_node::at(base_, r);
    const bool leaf = segment_node::is_leaf(r);
    // Within the node whatever is read; what is read counts once it is known to be good.
    const auto entries = static_cast<unsigned>(
        std::min<std::uint64_t>(get(node[0]), leaf ? leaf_entry::most : inner_entry::most));
    const unsigned up_to = keys_up_to(node, entries, first);
    if (leaf) {
      c.leaf = node;
      c.entries = entries;
      c.next = up_to;
      return good();
    }
    const unsigned child = up_to == 0 ? 0 : up_to - 1;
    if (child + 1 < entries) {
      c.has_following = true;
      c.following = get(node[keys_at + child + 1]);
    }
    r = child_of(node, child);
    if (!good()) return false;
  }
  return true;
}

bool segment_snapshot::advance(cursor& c, bool& more) const noexcept {
  more = c.next < c.entries || c.has_following;
  if (c.next < c.entries)
    ++c.next;
  else if (c.has_following)
    return seek(c.following, c);
  return true;
}

bool segment_snapshot::read(const cursor& c, segment_record& r) const noexcept {
  r = load_record(c.leaf, c.next - 1);
  return good();
}

// --- The owner

segment_tree::~segment_tree() {
  for (const std::uint64_t block : blocks_) memory_->release(block);
}

// Writes `all` entries, one after the other, into one new node or into two.
template <class Entry>
class segment_tree::node_writer {
 public:
  node_writer(segment_tree& tree, unsigned all, unsigned in_first) noexcept
      : tree_(tree), all_(all), in_first_(in_first) {
    begin(in_first);
  }
  void add(const word* from, unsigned begin, unsigned end) noexcept {
    while (begin < end) {
      const unsigned n = std::min(end - begin, room());
      copy_words(from + keys_at + begin, n, to_ + keys_at + at_);
      copy_words(from + rest_at<Entry> + begin * Entry::rest, n * Entry::rest,
                 to_ + rest_at<Entry> + at_ * Entry::rest);
      begin += n;
      at_ += n;
    }
  }
  void add(const Entry& e) noexcept {
    room();
    store_entry(to_, at_++, e);
  }
  replacement made() noexcept {
    for (unsigned i = 0; i < made_.n; ++i)
      made_.by[i].lowest = get(tree_.node(made_.by[i].child)[keys_at]);
    return made_;
  }

 private:
  void begin(unsigned entries) noexcept {
    const reference r = tree_.take() | Entry::kind;
    made_.by[made_.n++].child = r;
    to_ = tree_.node(r);
    set(to_[0], entries);
    at_ = 0;
  }
  // In the node that is written now, at least one.
  unsigned room() noexcept {
    if (made_.n == 1 && at_ == in_first_) begin(all_ - in_first_);
    return (made_.n == 1 ? in_first_ : all_ - in_first_) - at_;
  }

  segment_tree& tree_;
  unsigned all_;
  unsigned in_first_;
  word* to_ = nullptr;
  unsigned at_ = 0;
  replacement made_;
};

// Nodes that fill up at their ends stay full, as those of windows whose displacements only rise.
template <class Entry>
segment_tree::replacement segment_tree::splice(reference old, unsigned i, const Entry* in,
                                               unsigned n, unsigned j) noexcept {
  const word* const from = node(old);
  const unsigned before = entries_of(from), all = before - (j - i) + n;
  replaced_.push_back(old);
  if (all == 0) return {};
  const unsigned in_first = all <= Entry::most ? all : i + n == all ? Entry::most : all / 2;
  node_writer<Entry> to(*this, all, in_first);
  to.add(from, 0, i);
  for (unsigned k = 0; k < n; ++k) to.add(in[k]);
  to.add(from, j, before);
  return to.made();
}

segment_tree::replacement segment_tree::insert_below(reference r,
                                                     const segment_record& record) noexcept {
  const word* const at = node(r);
  const unsigned up_to = keys_up_to(at, entries_of(at), record.first);
  if (segment_node::is_leaf(r)) {
    const leaf_entry one{record};
    return splice(r, up_to, &one, 1, up_to);
  }
  const unsigned i = up_to == 0 ? 0 : up_to - 1;
  const replacement below = insert_below(child_of(at, i), record);
  return splice(r, i, below.by.data(), below.n, i + 1);
}

// A child that has become small is joined with a neighbour where both leave half of a node free: so
// two neighbours are never both nearly empty, and the tree stays low.
segment_tree::replacement segment_tree::erase_below(reference r, std::uint64_t first) noexcept {
  const word* const at = node(r);
  const unsigned n = entries_of(at), i = keys_up_to(at, n, first) - 1;
  if (segment_node::is_leaf(r)) return splice<leaf_entry>(r, i, nullptr, 0, i + 1);
  const replacement below = erase_below(child_of(at, i), first);
  if (below.n == 0) return splice<inner_entry>(r, i, nullptr, 0, i + 1);
  const reference made = below.by[0].child;
  const bool leaves = segment_node::is_leaf(made);
  const unsigned few = (leaves ? leaf_entry::most : inner_entry::most) / 2;
  const auto small = [&](unsigned neighbour) {
    return neighbour < n &&
           entries_of(node(made)) + entries_of(node(child_of(at, neighbour))) <= few;
  };
  const auto joined = [&](reference left, reference right) {
    return leaves ? join<leaf_entry>(left, right, made) : join<inner_entry>(left, right, made);
  };
  if (small(i + 1)) {
    const inner_entry both = joined(made, child_of(at, i + 1));
    return splice(r, i, &both, 1, i + 2);
  }
  if (i != 0 && small(i - 1)) {
    const inner_entry both = joined(child_of(at, i - 1), made);
    return splice(r, i - 1, &both, 1, i + 1);
  }
  return splice(r, i, below.by.data(), 1, i + 1);
}

// Of two neighbours, one of which this change has made, so that no reader has met it.
template <class Entry>
inner_entry segment_tree::join(reference left, reference right, reference unpublished) noexcept {
  const unsigned n = entries_of(node(left)), more = entries_of(node(right));
  node_writer<Entry> to(*this, n + more, n + more);
  to.add(node(left), 0, n);
  to.add(node(right), 0, more);
  replaced_.push_back(left == unpublished ? right : left);
  fresh_.push_back(unpublished & ~reference{1});
  return to.made().by[0];
}

void segment_tree::insert(const segment_record& record) {
  make_room();
  if (root_ == 0) {
    node_writer<leaf_entry> only(*this, 1, 1);
    only.add({record});
    height_ = 1;
    return publish(only.made().by[0].child);
  }
  const replacement made = insert_below(root_, record);
  if (made.n == 1) return publish(made.by[0].child);
  node_writer<inner_entry> root(*this, 2, 2);
  for (const inner_entry& e : made.by) root.add(e);
  ++height_;
  publish(root.made().by[0].child);
}

void segment_tree::erase(std::uint64_t first) noexcept {
  const replacement made = erase_below(root_, first);
  reference root = made.n == 0 ? 0 : made.by[0].child;
  if (root == 0) height_ = 0;
  while (root != 0 && !segment_node::is_leaf(root) && entries_of(node(root)) == 1) {
    replaced_.push_back(root);
    root = child_of(node(root), 0);
    --height_;
  }
  publish(root);
}

void segment_tree::publish(reference root) noexcept {
  root_ = root;
  ++published_;
  state_->root.store(root, std::memory_order_release);
  state_->published.store(published_, std::memory_order_release);
  for (const reference r : replaced_) retire(r & ~reference{1});
  replaced_.clear();
}

// Makes sure of the nodes for one insertion, which at most splits every node on its way and adds a
// root. What it replaces is enough for an erasure after it, which makes as many as it replaces: so
// an erasure needs no memory.
void segment_tree::make_room() {
  // A dozen changes: a reader is done long before, and they are in the caches still.
  const std::size_t rest = 8 * height_ + 8;
  const std::size_t reusable = resting_ > rest ? resting_ - rest : 0;
  const std::size_t needed = 2 * height_ + 2;
  if (fresh_.size() + reusable < needed) grow(needed);
}

void segment_tree::grow(std::size_t nodes) {
  constexpr std::size_t fewest = 7, most = 512;
  const std::size_t more = std::clamp(retired_.size(), std::max(fewest, nodes), most);
  const std::size_t all = retired_.size() + more;
  blocks_.reserve(blocks_.size() + 1);
  fresh_.reserve(all);
  replaced_.reserve(all);
  std::vector<retired_node> ring(all);
  blocks_.push_back(memory_->allocate(more * segment_node::bytes));
  for (std::size_t i = more; i-- > 0;) fresh_.push_back(blocks_.back() + i * segment_node::bytes);
  for (std::size_t i = 0; i < resting_; ++i) ring[i] = retired_[(oldest_ + i) % retired_.size()];
  retired_.swap(ring);
  oldest_ = 0;
}

void segment_tree::retire(reference r) noexcept {
  retired_[(oldest_ + resting_) % retired_.size()] = {r, published_};
  ++resting_;
}

reference segment_tree::take() noexcept {
  if (!fresh_.empty()) {
    const reference r = fresh_.back();
    fresh_.pop_back();
    return r;
  }
  const retired_node oldest = retired_[oldest_];
  oldest_ = (oldest_ + 1) % retired_.size();
  --resting_;
  state_->overwritten.store(oldest.by, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  return oldest.node;
}

}  // namespace oriel::win
