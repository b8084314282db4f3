#include "win/serve/serve_packet.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "win/serve/scattered_elements.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using detail::list_call;

constexpr std::size_t most_entries = packet_bytes / sizeof(std::uint64_t);

std::uint64_t word_at(std::span<const std::byte> entries, std::size_t at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, entries.data() + at, sizeof word);
  return word;
}

// What is the same for entries of one call that follow one another.
struct entry_kind {
  std::size_t given = 0, taken = 0;
  std::size_t bytes = 0;  // of the memory that it is on; 0: none
  bool writes = false;
};

// Where the entries of one packet lie, and what they do.
class packet_reader {
 public:
  packet_reader(detail::window_core& core, std::span<const std::byte> entries) noexcept
      : core_(core), entries_(entries) {}

  errc verify(const packet_request& asked) noexcept;
  errc perform(std::byte* results) noexcept;

 private:
  errc verify(const packet_word&, std::uint64_t accumulated, entry_kind&) const noexcept;
  errc locate(const packet_word&, const entry_kind&) noexcept;
  void locate_attached(std::uint64_t word, const entry_kind&) noexcept;
  [[nodiscard]] std::byte* find_attached(std::uint64_t word, const entry_kind&) noexcept;
  [[nodiscard]] bool may_write(const std::byte* there, const entry_kind&) const noexcept;
  void take(std::byte* there, rank owner) noexcept;
  [[nodiscard]] std::size_t given(const packet_word& w) const noexcept {
    return sizes_.given(w.call, w.kind, w.type);
  }
  void fetch(std::size_t first, std::size_t end) const noexcept {
    for (std::size_t j = first; j < end; ++j) __builtin_prefetch(targets_[j], 1);
  }

  detail::window_core& core_;
  packet_sizes sizes_{core_.agreed.extent, core_.operations.calls};
  std::span<const std::byte> entries_;
  const std::span<const int> here_ = core_.group->node_members();
  const detail::segment_entry* seen_ = &core_.seen_entry(rank{0});  // and of the other ranks
  const bool attaches_ = core_.agreed.promised.has(assertion::attach);
  segment_record buffer_;  // where the last attached element was
  std::size_t n_ = 0;
  bool lacks_some_ = false;
  std::array<std::byte*, most_entries> targets_;  // null: not attached
  std::array<rank, most_entries> owners_;
};

// `accumulated`: the word of the accumulate before it.
errc packet_reader::verify(const packet_word& w, std::uint64_t accumulated,
                           entry_kind& kind) const noexcept {
  const bool moves = packet_run::is_of(w.call);
  if (w.call > list_call::last || (!moves && !transport::is_known(w.type))) return errc::arg;
  if (w.call == list_call::accumulate_again &&
      !packet_word::same_call(packet_word::again(accumulated), w.packed()))
    return errc::arg;
  const bool reads =
      w.call == list_call::get || (w.call == list_call::fetch_op && w.op() == atomic_op::no_op);
  kind = {given(w), sizes_.taken(w.call, w.kind, w.type), sizes_.covered(w.call, w.kind, w.type),
          !reads && w.call != list_call::by_owner};
  return scattered_call::of(core_, w).refusal();
}

// Null where it is not. Most are where the one before was.
std::byte* packet_reader::find_attached(std::uint64_t word, const entry_kind& kind) noexcept {
  const std::size_t extent = core_.agreed.extent;
  const std::uint64_t index = packet_word::attached_index(word);
  const std::uint64_t n = (kind.bytes + extent - 1) / extent;
  const bool again = index >= buffer_.first && index - buffer_.first < buffer_.count &&
                     n <= buffer_.count - (index - buffer_.first);
  if (!again) {
    const auto found = core_.book(rank{core_.me()}).find(index, n, extent);
    if (!found) return nullptr;
    buffer_ = *found;
  }
  return reinterpret_cast<std::byte*>(buffer_.address) +  // NOLINT: it is attached
         (index - buffer_.first) * extent;
}

// Of this process's own memory.
bool packet_reader::may_write(const std::byte* there, const entry_kind& kind) const noexcept {
  return !kind.writes || core_.memory.own_pages == nullptr ||
         core_.memory.own_pages->contain(there, kind.bytes);
}

inline void packet_reader::take(std::byte* there, rank owner) noexcept {
  // Into the second cache, which all lines of a packet fit, while the next entries are read.
  __builtin_prefetch(there, 1, 2);
  targets_[n_] = there;
  owners_[n_] = owner;
  ++n_;
}

void packet_reader::locate_attached(std::uint64_t word, const entry_kind& kind) noexcept {
  std::byte* there = find_attached(word, kind);
  if (there != nullptr && !may_write(there, kind)) there = nullptr;
  lacks_some_ = lacks_some_ || there == nullptr;
  take(there, rank{core_.me()});
}

inline errc packet_reader::locate(const packet_word& w, const entry_kind& kind) noexcept {
  if (w.node_rank >= here_.size()) return errc::rank;
  const rank owner{here_[w.node_rank]};
  const detail::segment_entry& entry = seen_[owner.value];
  if (entry.offset == detail::unmapped) return errc::rma_range;
  const std::size_t extent = core_.agreed.extent;
  const bool exists =
      kind.bytes == 0 || (w.index < entry.count && (entry.count - w.index) * extent >= kind.bytes);
  if (!exists) return errc::rma_range;
  // A call by its owner is on no element; it says which to fetch for it.
  const std::uint64_t index = w.index < entry.count ? w.index : 0;
  std::byte* const there = core_.view.base + entry.offset + index * extent;
  if (owner.value == core_.me() && !may_write(there, kind)) return errc::rma_range;
  take(there, owner);
  return errc::success;
}

errc packet_reader::verify(const packet_request& asked) noexcept {
  std::size_t results = 0;
  std::uint64_t last = 0, accumulated = packet_kind{}.word;  // of no call
  entry_kind kind;
  for (std::size_t at = 0; at < entries_.size();) {
    if (entries_.size() - at < sizeof(std::uint64_t)) return errc::count;
    const std::uint64_t word = word_at(entries_, at);
    const packet_word w = packet_word::unpacked(word);
    if (at == 0 || !packet_word::same_call(last, word))
      if (const errc e = verify(w, accumulated, kind); e != errc::success) return e;
    last = word;
    if (w.call == list_call::accumulate) accumulated = word;
    at += sizeof(std::uint64_t);
    if (entries_.size() - at < kind.given) return errc::count;
    at += kind.given;
    results += kind.taken;
    if (attaches_) {
      locate_attached(word, kind);
      continue;
    }
    if (const errc e = locate(w, kind); e != errc::success) return e;
  }
  return n_ == asked.entries && results == asked.results && results <= packet_bytes ? errc::success
                                                                                    : errc::count;
}

// Entries of one call go together; those that come next are fetched meanwhile.
errc packet_reader::perform(std::byte* results) noexcept {
  std::size_t at = 0;
  const std::byte* accumulated = nullptr;  // the operand of the last that gave one
  fetch(0, std::min(n_, elements_at_once));
  for (std::size_t first = 0; first < n_;) {
    const std::uint64_t word = word_at(entries_, at);
    const packet_word w = packet_word::unpacked(word);
    const scattered_call call = scattered_call::of(core_, w);
    const std::size_t stride = sizeof(std::uint64_t) + given(w);
    const std::size_t most = std::min(n_ - first, elements_at_once);
    const bool exists = targets_[first] != nullptr;
    std::size_t n = 1;
    while (n < most && packet_word::same_call(word, word_at(entries_, at + n * stride)) &&
           (!lacks_some_ || (exists && targets_[first + n] != nullptr)))
      ++n;
    const std::size_t ahead = first + elements_at_once;
    fetch(std::min(ahead, n_), std::min(ahead + n, n_));
    scattered_block b;
    b.targets = targets_.data() + first;
    b.owners = owners_.data() + first;
    b.operands = entries_.data() + at + sizeof(std::uint64_t);
    b.desired = b.operands + sizes_.covered(w.call, w.kind, w.type);
    b.stride = stride;
    if (w.call == list_call::accumulate) accumulated = b.operands + (n - 1) * stride;
    if (w.call == list_call::accumulate_again) {
      b.operands = accumulated;
      b.stride = 0;
    }
    const std::size_t each = sizes_.taken(w.call, w.kind, w.type);
    b.results = each == 0 ? nullptr : results;
    b.n = n;
    if (exists)
      if (const errc e = call.perform(b); e != errc::success) return e;
    first += n;
    at += n * stride;
    results += n * each;
  }
  return lacks_some_ ? errc::rma_range : errc::success;
}

}  // namespace

errc perform_packet(detail::window_core& core, const packet_request& asked,
                    std::span<const std::byte> entries, std::byte* results) noexcept {
  if (core.agreed.plan.device || !core.agreed.base.contiguous() || core.agreed.extent == 0 ||
      entries.size() > packet_bytes)
    return errc::arg;
  packet_reader packet(core, entries);
  const errc e = packet.verify(asked);
  return e == errc::success ? packet.perform(results) : e;
}

}  // namespace oriel::win
