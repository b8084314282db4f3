// The last values of each word that a grid's threads have changed, which others may still read: a
// change is made at one moment, and reaches threads at different ones. What a thread must see of it
// its sight says (sight.hpp); what a change brings along is the sight of who has read it and
// acquires, or fences behind.
//
// Memory itself has the newest values. Where it has another one, somebody else has written it, a
// host or another grid: all threads see that at once, and it brings along all that was before, for
// the grid may have told it. So may a value that was there when a word was first looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tests/drivers/ptx/schedule.hpp"
#include "tests/drivers/ptx/sight.hpp"

namespace oriel::test_driver::ptx {

using brought = std::shared_ptr<const sight>;  // null: nothing

struct change {
  moment when = 0;
  std::uint64_t value = 0;
  brought brings;
};

class history {
 public:
  // Some change of the word that a thread may read which must see it up to `least`; what memory
  // has; and the last that was looked at or made.
  const change& readable(word_number, moment least, schedule&);
  const change& newest(word_number word) { return of(word).back(); }
  const change& last(word_number word) { return words_[word].back(); }
  // `newest`, then a write to memory, then this.
  moment changed(word_number, brought);

  sight fences;  // what those that order all others have seen

 private:
  using changes = std::vector<change>;
  changes& of(word_number);
  brought everything();

  std::unordered_map<word_number, changes> words_;
  moment now_ = 0, everything_at_ = 0;
  brought everything_;
};

}  // namespace oriel::test_driver::ptx
