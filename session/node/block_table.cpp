#include "session/node/block_table.hpp"

#include <algorithm>
#include <bit>

namespace oriel::sessions {
namespace {

using kind = block_tag::kind;

}  // namespace

unsigned block_table::list_of(std::uint32_t granules) noexcept {
  if (granules < steps) return granules;
  const auto log = static_cast<unsigned>(std::bit_width(granules)) - 1;
  return (log - 2) * steps + ((granules >> (log - 3)) & (steps - 1));
}

unsigned block_table::list_for(std::uint32_t granules) noexcept {
  if (granules < steps) return granules;
  const auto log = static_cast<unsigned>(std::bit_width(granules)) - 1;
  const std::uint32_t one_step = 1u << (log - 3);
  return list_of(granules + one_step - 1);
}

void block_table::reset(block_tag* tags, std::uint64_t first, std::uint64_t bytes,
                        std::uint64_t granule) noexcept {
  first_ = first;
  log_ = static_cast<std::uint32_t>(std::countr_zero(granule));
  granules_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes >> log_, block_tag::most));
  used_ = 0;
  filled_.fill(0);
  heads_.fill(nothing);
  if (granules_ != 0) make_free(tags, 0, granules_, false);
}

unsigned block_table::filled_from(unsigned list) const noexcept {
  for (unsigned word = list / 64; word < filled_.size(); ++word) {
    std::uint64_t bits = filled_[word];
    if (word == list / 64) bits &= ~std::uint64_t{0} << (list % 64);
    if (bits != 0) return word * 64 + static_cast<unsigned>(std::countr_zero(bits));
  }
  return lists;
}

std::optional<block_table::fit> block_table::part_of(const block_tag* tags, std::uint32_t block,
                                                     std::uint32_t granules,
                                                     std::uint64_t alignment) const noexcept {
  const std::uint64_t offset = first_ + bytes_of(block);
  const std::uint64_t start = (offset + alignment - 1) & ~(alignment - 1);
  const std::uint64_t before = granules_in(start - offset);
  if (offset + bytes_of(before) != start) return std::nullopt;
  const block_tag& t = tags[block];
  if (t.granules() < before || t.granules() - before < granules) return std::nullopt;
  return fit{block, static_cast<std::uint32_t>(block + before), granules, start, t.dirty()};
}

// The first of the list's first `at_most` blocks that has a part.
std::optional<block_table::fit> block_table::search(const block_tag* tags, unsigned list,
                                                    unsigned at_most, std::uint32_t granules,
                                                    std::uint64_t alignment) const noexcept {
  for (std::uint32_t b = heads_[list]; b != nothing && at_most != 0; b = tags[b].next, --at_most)
    if (const auto found = part_of(tags, b, granules, alignment)) return found;
  return std::nullopt;
}

std::optional<block_table::fit> block_table::look(const block_tag* tags, std::uint64_t bytes,
                                                  std::uint64_t alignment) const noexcept {
  const std::uint64_t wanted = std::max<std::uint64_t>(granules_in(bytes), 1);
  if (wanted > granules_) return std::nullopt;
  const auto granules = static_cast<std::uint32_t>(wanted);
  // A block of just this size, given back a moment ago as a rule.
  const unsigned own = list_of(granules);
  if (const auto found = search(tags, own, 8, granules, alignment)) return found;
  // Else one that is large enough wherever it starts.
  const std::uint64_t spare = alignment > bytes_of(1) ? alignment >> log_ : 0;
  if (wanted + spare <= granules_) {
    const unsigned sure = filled_from(list_for(static_cast<std::uint32_t>(wanted + spare)));
    if (sure != lists)
      if (const auto found = search(tags, sure, 1, granules, alignment)) return found;
  }
  // The zone is nearly full: any that is there.
  for (unsigned list = filled_from(own); list < lists; list = filled_from(list + 1))
    if (const auto found = search(tags, list, granules_, granules, alignment)) return found;
  return std::nullopt;
}

void block_table::take(block_tag* tags, const fit& f) noexcept {
  const std::uint32_t whole = tags[f.from].granules();
  const bool dirty = tags[f.from].dirty();
  const std::uint32_t before = f.start - f.from, after = whole - before - f.granules;
  unlist(tags, f.from);
  if (before != 0) make_free(tags, f.from, before, dirty);
  if (after != 0) make_free(tags, f.start + f.granules, after, dirty);
  tags[f.start].set(kind::taken, f.granules);
  used_ += f.granules;
}

std::optional<std::uint32_t> block_table::taken_at(const block_tag* tags,
                                                   std::uint64_t offset) const noexcept {
  if (offset < first_) return std::nullopt;
  const std::uint64_t start = (offset - first_) >> log_;
  if (first_ + bytes_of(start) != offset) return std::nullopt;
  if (start >= granules_ || !tags[start].is(kind::taken)) return std::nullopt;
  return static_cast<std::uint32_t>(start);
}

std::optional<std::uint64_t> block_table::size_at(const block_tag* tags,
                                                  std::uint64_t offset) const noexcept {
  const auto start = taken_at(tags, offset);
  return start ? std::optional(bytes_of(tags[*start].granules())) : std::nullopt;
}

bool block_table::give_back(block_tag* tags, std::uint64_t offset, bool dirty) noexcept {
  const auto taken = taken_at(tags, offset);
  if (!taken) return false;
  std::uint32_t start = *taken, granules = tags[start].granules();
  used_ -= granules;
  tags[start].set(kind::none);
  if (const std::uint32_t after = start + granules;
      after < granules_ && tags[after].is(kind::free)) {
    granules += tags[after].granules();
    dirty = dirty || tags[after].dirty();
    unlist(tags, after);
  }
  if (start != 0) {
    // Only where a free block ends does the tag name the block's beginning; elsewhere it may be
    // old.
    const std::uint32_t before = tags[start - 1].begin;
    if (before < start && tags[before].is(kind::free) &&
        before + tags[before].granules() == start) {
      granules += start - before;
      dirty = dirty || tags[before].dirty();
      unlist(tags, before);
      start = before;
    }
  }
  make_free(tags, start, granules, dirty);
  return true;
}

void block_table::rebuild(block_tag* tags, std::uint64_t present) noexcept {
  used_ = 0;
  filled_.fill(0);
  heads_.fill(nothing);
  const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(present, granules_));
  std::uint32_t free_from = 0;
  for (std::uint32_t at = 0; at < end;) {
    block_tag& t = tags[at];
    if (!t.is(kind::taken)) {
      t.set(kind::none);
      ++at;
      continue;
    }
    if (at != free_from) make_free(tags, free_from, at - free_from, true);
    used_ += t.granules();
    at += t.granules();
    free_from = at;
  }
  if (free_from != granules_) make_free(tags, free_from, granules_ - free_from, true);
}

void block_table::make_free(block_tag* tags, std::uint32_t start, std::uint32_t granules,
                            bool dirty) noexcept {
  const unsigned list = list_of(granules);
  block_tag& t = tags[start];
  t.set(kind::free, granules, dirty);
  t.previous = nothing;
  t.next = heads_[list];
  if (t.next != nothing) tags[t.next].previous = start;
  heads_[list] = start;
  filled_[list / 64] |= std::uint64_t{1} << (list % 64);
  // No block follows the zone's last one that would need its beginning, and its tag may not exist.
  if (start + granules != granules_) tags[start + granules - 1].begin = start;
}

void block_table::unlist(block_tag* tags, std::uint32_t start) noexcept {
  block_tag& t = tags[start];
  const unsigned list = list_of(t.granules());
  if (t.next != nothing) tags[t.next].previous = t.previous;
  if (t.previous != nothing)
    tags[t.previous].next = t.next;
  else
    heads_[list] = t.next;
  if (heads_[list] == nothing) filled_[list / 64] &= ~(std::uint64_t{1} << (list % 64));
  t.set(kind::none);
}

}  // namespace oriel::sessions
