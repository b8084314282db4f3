// The windows of one round, of every flavor, and what their memory must look like.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oriel/oriel.hpp"
#include "tests/faults/random/participant.hpp"

namespace oriel::testing {

using element = std::uint64_t;

// What lies where in the memory of each rank, in elements.
namespace layout {
inline constexpr std::size_t region = 2048;  // for what one origin puts
inline constexpr std::size_t counters = region * most_ranks;
inline constexpr std::size_t sums = counters + 8;
inline constexpr std::size_t several = 16;      // elements that one accumulate covers
inline constexpr std::size_t late = sums + 64;  // for what ranks put that have given up already
inline constexpr std::size_t most_late = 64;    // of one rank
inline constexpr std::size_t elements = late + most_late * most_ranks;
}  // namespace layout

enum class flavor : std::uint8_t { allocated, created, created_on_shared, attached };

struct held_window {
  flavor how = flavor::allocated;
  int number = 0;
  window<element> w;
  std::span<element> memory;       // this rank's
  std::vector<element> first;      // by rank: displacement of its memory
  std::unique_ptr<element[]> own;  // of the program
  std::span<std::byte> shared;     // of session::alloc_mem
  segment_handle attached{};

  [[nodiscard]] disp at(int place, std::size_t i) const noexcept {
    return disp{first[static_cast<std::size_t>(place)] + i};
  }
};

// What a program gives back to its allocator after free must not be written any more.
class graveyard {
 public:
  explicit graveyard(session& s) : session_(s) {}
  ~graveyard();
  graveyard(const graveyard&) = delete;
  graveyard& operator=(const graveyard&) = delete;
  void bury(held_window&&);
  void bury(std::deque<std::vector<element>>&& buffers);
  // What differs from the pattern that was written; empty where nothing does.
  [[nodiscard]] std::string disturbed() const;

 private:
  static constexpr element canary = 0xdeadf00ddeadf00d;
  session& session_;
  std::vector<std::unique_ptr<element[]>> own_;
  std::vector<std::span<std::byte>> shared_;
  std::deque<std::vector<element>> buffers_;
};

class held_windows {
 public:
  // Collective. What a failing construction leaves behind goes with the object.
  held_windows(session&, participant&, graveyard&);
  [[nodiscard]] std::size_t count() const noexcept { return windows_.size(); }
  // One that promises `needed`, by the common dice.
  [[nodiscard]] held_window& one_for(assertion_set needed, dice&);
  [[nodiscard]] held_window& operator[](std::size_t i) noexcept { return windows_[i]; }
  void build();
  // Collective, at random different times; in the same order everywhere.
  void free();

 private:
  void add(flavor, assertion_set);
  void construct(flavor, assertion_set);

  session& session_;
  participant& self_;
  graveyard& graves_;
  std::deque<held_window> windows_;
};

}  // namespace oriel::testing
