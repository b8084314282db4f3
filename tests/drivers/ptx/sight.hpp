// What a thread must see of memory: of each word the changes up to some moment. It may see newer
// ones, and never again an older one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace oriel::test_driver::ptx {

using moment = std::uint64_t;        // changes are numbered from 1 on
using word_number = std::uintptr_t;  // an address of 8 bytes

class sight {
 public:
  [[nodiscard]] moment of(word_number) const;
  void see(word_number, moment);
  void see_all(moment);  // the changes of every word up to then
  void join(const sight&);

 private:
  using entry = std::pair<word_number, moment>;
  void keep_few();

  moment all_ = 0;
  std::vector<entry> words_;  // by number; each later than all_
};

}  // namespace oriel::test_driver::ptx
