// A Bloom filter's window and its phases, and keys as entries of lists of operations on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "oriel/bloom_filter/options.hpp"
#include "oriel/bloom_filter/shape.hpp"
#include "oriel/detail/agreed.hpp"
#include "oriel/detail/common_phase.hpp"
#include "oriel/detail/first_failure.hpp"
#include "oriel/hash_map/options.hpp"
#include "oriel/window.hpp"

namespace oriel::detail {

class bloom_state {
 public:
  bloom_state(const team& members, std::uint64_t expected, double rate,
              const bloom_filter_options& options)
      : members_(members),
        whose_("bloom_filter '" + options.name + "': "),
        shape_(agreed_shape(expected, rate)),
        window_(filter_window::allocate(
            members, shape_.words,
            {.name = options.name,
             .hints = {{"alloc_shared_noncontig", "true"}, {"mpi_minimum_memory_alignment", "64"}},
             .ops = atomic_op::bor})),
        epoch_(window_.lock_all()) {
    epoch_.opened().or_throw();
  }

  // --- Keys, by their hashes ---------------------------------------------------------------------
  // hash(i) of n keys. As many as one list has are under way at once.
  template <class Hash>
  status set(std::size_t n, Hash hash) noexcept {
    list keys;
    for (std::size_t first = 0; first < n; first += most) {
      const std::size_t count = fill(keys, first, n, hash);
      const status s = window_.accumulate(atomic_op::bor, std::span(keys.owners).first(count),
                                          std::span(keys.words).first(count),
                                          std::span<const std::uint64_t>(keys.bits).first(count));
      if (!s.ok()) return s;
    }
    return {};
  }
  // Calls take(i, whether all bits of key i are set). After a failure it is called no more.
  template <class Hash, class Take>
  status test(std::size_t n, Hash hash, Take take) noexcept {
    list keys;
    std::array<std::uint64_t, most> there;
    for (std::size_t first = 0; first < n; first += most) {
      const std::size_t count = fill(keys, first, n, hash);
      status s = window_.gather(std::span(keys.owners).first(count),
                                std::span(keys.words).first(count), std::span(there).first(count));
      if (const status arrived = window_.flush_local_all(); s.ok()) s = arrived;
      if (!s.ok()) return s;
      for (std::size_t j = 0; j < count; ++j) take(first + j, (keys.bits[j] & ~there[j]) == 0);
    }
    return {};
  }
  status set_one(std::uint64_t h) noexcept {
    return window_.accumulate<atomic_op::bor>(rank{shape_.owner(h)}, disp{shape_.word(h)},
                                              shape_.bits(h));
  }
  // True, too, where the word cannot be read.
  bool test_one(std::uint64_t h) noexcept {
    std::uint64_t there = 0;
    const status s = window_.get(rank{shape_.owner(h)}, disp{shape_.word(h)}, there);
    return !s.ok() || (shape_.bits(h) & ~there) == 0;
  }

  // --- Phases and what is between them: collective -----------------------------------------------
  void enter(phase_kind kind) { phase_.enter(kind); }
  status leave() noexcept {
    return phase_.leave([this] { return window_.flush_all(); });
  }
  void clear() {
    phase_.require_none("clear()");
    std::ranges::fill(window_.local(), 0);
    meet();
  }
  void merge(const bloom_state& other) {
    phase_.require_none("merge()");
    other.phase_.require_none("merge()");
    const bool same = other.members_.size() == members_.size() &&
                      other.shape_.words == shape_.words && other.shape_.hashes == shape_.hashes;
    fail_alike(members_, same ? errc::success : errc::arg,
               whose_ + "merge() of a filter of " + described(other.shape_) + " into one of " +
                   described(shape_) + "; both are made for the same keys and rate");
    const auto mine = window_.local(), theirs = other.window_.local();
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] |= theirs[i];
    meet();
  }

  // --- Queries -----------------------------------------------------------------------------------
  [[nodiscard]] const team& members() const noexcept { return members_; }
  [[nodiscard]] const bloom_shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const filter_window& window() const noexcept { return window_; }
  [[gnu::cold]] errc refuse_sizes(std::size_t keys, std::size_t flags) noexcept {
    return failure_.note(errc::count, "spans of " + std::to_string(keys) + " keys and " +
                                          std::to_string(flags) + " answers; both have one size");
  }
  [[nodiscard]] std::string failure() const {
    const std::string own = failure_.text();
    return own.empty() ? window_.failure() : own;
  }

 private:
  // Enough to share messages, in 64 KiB of stack with what is read.
  static constexpr std::size_t most = 2048;
  struct list {
    list() noexcept {}  // NOLINT: the arrays are not cleared
    std::array<rank, most> owners;
    std::array<disp, most> words;
    std::array<std::uint64_t, most> bits;
  };

  template <class Hash>
  std::size_t fill(list& keys, std::size_t first, std::size_t n, Hash& hash) const noexcept {
    const std::size_t count = std::min(n - first, most);
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint64_t h = hash(first + j);
      keys.owners[j] = rank{shape_.owner(h)};
      keys.words[j] = disp{shape_.word(h)};
      keys.bits[j] = shape_.bits(h);
    }
    return count;
  }
  // Throws, on every rank, where the ranks' arguments differ or there is no such filter.
  [[nodiscard]] bloom_shape agreed_shape(std::uint64_t expected, double rate) const {
    const auto mine = bloom_shape::of(expected, static_cast<std::uint64_t>(members_.size()), rate);
    const std::uint64_t asked = mine.words * 16 + static_cast<std::uint64_t>(mine.hashes);
    const named_call here(whose_, "construction");
    require_agreed(members_, asked, [this](auto least, auto most_asked) {
      return whose_ + "the ranks request parts of " + std::to_string(least / 16) + " to " +
             std::to_string(most_asked / 16) + " words; give all the same expectation and rate";
    });
    if (mine.words == 0)
      throw error(errc::arg, whose_ + "no filter has a rate of false positives of " +
                                 std::to_string(rate) + " with " + std::to_string(expected) +
                                 " keys on " + std::to_string(members_.size()) +
                                 " ranks; rates are above 0 and below 1, parts below 32 GiB");
    return mine;
  }
  void meet() {
    window_.sync().or_throw();
    members_.barrier().or_throw();
  }
  static std::string described(const bloom_shape& s) {
    return std::to_string(s.ranks) + " parts of " + std::to_string(s.words) + " words with " +
           std::to_string(s.hashes) + " bits a key";
  }

  team members_;
  std::string whose_;  // how the texts of failures begin
  bloom_shape shape_;
  filter_window window_;
  epoch epoch_;
  first_failure failure_{whose_};
  common_phase<phase_kind> phase_{members_, whose_};
};

}  // namespace oriel::detail
