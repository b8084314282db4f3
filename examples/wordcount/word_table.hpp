// A distributed hash table of counters in typed windows. Open addressing: a key lives on the rank
// that its hash names, in the first slot of its probe sequence that is free or its own.
//
//   insert   compare_and_swap on the slot's key
//   count    accumulate on the slot's counter, complete with `settle`
//   read     get
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "oriel/oriel.hpp"

namespace wordcount {

// What the table is used for: passive target with shared locks, its owner reading its own part,
// whole slots and texts moved at once.
inline constexpr oriel::assertion_set table_promise = oriel::assertion::shared_lock |
                                                      oriel::assertion::local_load_store |
                                                      oriel::assertion::multi_element;

class word_table {
 public:
  // Collective. Room for `slots` keys a rank (rounded up to a power of two) and `text_bytes` of the
  // words that this rank is first to insert.
  word_table(const oriel::team&, std::uint64_t slots, std::uint64_t text_bytes);

  // Where a key's counter is.
  struct place {
    oriel::rank owner;
    std::uint64_t slot = 0;
  };

  // Counts one more `word`. Throws std::runtime_error when the table or the text is full.
  void count_word(const std::string& word);
  // Counts one more of a key that is its own text: below 2^62.
  void count_code(std::uint64_t code);

  // What this rank has counted is in the table.
  void settle();

  // The keys of all ranks, one by one; after every rank has settled. `text` is empty for codes.
  struct entry {
    std::string text;
    std::uint64_t code = 0;
    std::uint64_t count = 0;
  };
  // Every key on rank `r`, read by get.
  void read(oriel::rank r, const std::function<void(const entry&)>& each);

  [[nodiscard]] std::string explain() const { return slots_.explain(); }

 private:
  // Words of a slot.
  enum field : std::uint64_t { key, text, count, fields = 4 };
  [[nodiscard]] static oriel::disp at(std::uint64_t slot, field f) noexcept {
    return oriel::disp{slot * fields + f};
  }
  place claim(std::uint64_t key, std::string_view word);
  bool holds(const place&, std::string_view word);
  void publish(const place&, std::string_view word);
  std::string read_text(std::uint64_t reference);

  oriel::team team_;
  std::uint64_t mask_;
  std::vector<std::uint64_t> text_room_;  // by rank
  oriel::window<std::uint64_t, table_promise> slots_;
  oriel::window<char, table_promise> texts_;
  oriel::epoch slots_epoch_;
  oriel::epoch texts_epoch_;
  std::uint64_t text_used_ = 0;
  std::unordered_map<std::string, place> known_;  // words seen here: their counters need no search
};

}  // namespace wordcount
