#include "examples/wordcount/word_table.hpp"

#include <array>
#include <bit>
#include <stdexcept>
#include <thread>

namespace wordcount {
namespace {

using namespace oriel;

constexpr std::uint64_t code_mark = std::uint64_t{1} << 62;  // distinguishes codes from empty slots

// A bijection that spreads neighbouring codes (the finalizer of splitmix64).
std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t hash_of(std::string_view word) noexcept {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : word) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mixed(h);
}

// A text's reference: rank and offset, never 0.
constexpr int rank_shift = 40;

}  // namespace

word_table::word_table(const team& t, std::uint64_t slots, std::uint64_t text_bytes)
    : team_(t),
      mask_(std::bit_ceil(slots) - 1),
      text_room_(t.allgather(text_bytes)),
      slots_(window<std::uint64_t, table_promise>::allocate(t, (mask_ + 1) * fields,
                                                            {.name = "slots"})),
      texts_(window<char, table_promise>::allocate(t, text_bytes, {.name = "texts"})),
      slots_epoch_(slots_.lock_all()),
      texts_epoch_(texts_.lock_all()) {}

word_table::place word_table::claim(std::uint64_t wanted, std::string_view word) {
  const std::uint64_t h = mixed(wanted);
  place p{rank{static_cast<std::int32_t>((h >> 32) % static_cast<std::uint64_t>(team_.size()))},
          h & mask_};
  for (std::uint64_t tried = 0; tried <= mask_; ++tried, p.slot = (p.slot + 1) & mask_) {
    std::uint64_t found = slots_.get(p.owner, at(p.slot, key));
    if (found == 0) {
      found = slots_.compare_swap(p.owner, at(p.slot, key), 0, wanted);
      if (found == 0) {
        if (!word.empty()) publish(p, word);
        return p;
      }
    }
    if (found == wanted && (word.empty() || holds(p, word))) return p;
  }
  throw std::runtime_error("the table of rank " + std::to_string(p.owner.value) +
                           " is full; ask for more with --capacity");
}

// The text goes to this rank's own memory; its reference follows once it is complete there.
void word_table::publish(const place& p, std::string_view word) {
  const std::uint64_t bytes = word.size() + 1;
  if (text_used_ + bytes > texts_.local().size())
    throw std::runtime_error("no room for the text of more words; ask for more with --capacity");
  const std::uint64_t reference =
      (static_cast<std::uint64_t>(team_.me().value) << rank_shift | text_used_) + 1;
  texts_.put(team_.me(), disp{text_used_}, std::span(word.data(), word.size())).or_throw();
  texts_.put(team_.me(), disp{text_used_ + word.size()}, '\0').or_throw();
  texts_.flush(team_.me()).or_throw();
  text_used_ += bytes;
  slots_.accumulate<atomic_op::replace>(p.owner, at(p.slot, text), reference).or_throw();
}

std::string word_table::read_text(std::uint64_t reference) {
  const rank owner{static_cast<std::int32_t>((reference - 1) >> rank_shift)};
  std::uint64_t offset = (reference - 1) & ((std::uint64_t{1} << rank_shift) - 1);
  const std::uint64_t end = text_room_[static_cast<std::size_t>(owner.value)];
  std::string whole;
  std::array<char, 32> piece;
  for (;; offset += piece.size()) {
    const auto n = std::min<std::uint64_t>(piece.size(), end - offset);
    texts_.get(owner, disp{offset}, std::span(piece.data(), n)).or_throw();
    texts_.flush_local(owner).or_throw();
    for (std::uint64_t i = 0; i < n; ++i) {
      if (piece[i] == '\0') return whole;
      whole += piece[i];
    }
  }
}

// Two words may share a hash; the text decides.
bool word_table::holds(const place& p, std::string_view word) {
  std::uint64_t reference;
  while ((reference = slots_.fetch_op<atomic_op::no_op>(p.owner, at(p.slot, text), 0)) == 0)
    std::this_thread::yield();  // its inserter is between the two steps
  return read_text(reference) == word;
}

void word_table::count_word(const std::string& word) {
  auto known = known_.find(word);
  if (known == known_.end())
    known = known_.emplace(word, claim(hash_of(word) | code_mark << 1, word)).first;
  slots_.add(known->second.owner, at(known->second.slot, count), 1).or_throw();
}

void word_table::count_code(std::uint64_t code) {
  const place p = claim(code | code_mark, {});
  slots_.add(p.owner, at(p.slot, count), 1).or_throw();
}

void word_table::settle() {
  slots_.flush_all().or_throw();
}

void word_table::read(rank r, const std::function<void(const entry&)>& each) {
  std::array<std::uint64_t, 64 * fields> several;
  for (std::uint64_t slot = 0; slot <= mask_; slot += 64) {
    const std::uint64_t n = std::min<std::uint64_t>(64, mask_ + 1 - slot);
    slots_.get(r, at(slot, key), std::span(several.data(), n * fields)).or_throw();
    slots_.flush_local(r).or_throw();
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t* const s = &several[i * fields];
      if (s[key] == 0) continue;
      if (s[text] != 0)
        each({read_text(s[text]), 0, s[count]});
      else
        each({"", s[key] & ~code_mark, s[count]});
    }
  }
}

}  // namespace wordcount
