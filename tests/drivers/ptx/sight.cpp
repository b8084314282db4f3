#include "tests/drivers/ptx/sight.hpp"

#include <algorithm>

namespace oriel::test_driver::ptx {
namespace {

// To see more than it must is allowed, so a long list is shortened.
constexpr std::size_t most_words = 64;

}  // namespace

moment sight::of(word_number word) const {
  const auto found = std::ranges::lower_bound(words_, word, {}, &entry::first);
  return found != words_.end() && found->first == word ? std::max(all_, found->second) : all_;
}

void sight::see(word_number word, moment when) {
  if (when <= all_) return;
  const auto found = std::ranges::lower_bound(words_, word, {}, &entry::first);
  if (found != words_.end() && found->first == word) {
    found->second = std::max(found->second, when);
    return;
  }
  words_.emplace(found, word, when);
  keep_few();
}

void sight::see_all(moment when) {
  all_ = std::max(all_, when);
  std::erase_if(words_, [&](const entry& e) { return e.second <= all_; });
}

void sight::join(const sight& other) {
  if (!other.words_.empty()) {
    std::vector<entry> both;
    both.reserve(words_.size() + other.words_.size());
    auto mine = words_.begin();
    for (const entry& e : other.words_) {
      while (mine != words_.end() && mine->first < e.first) both.push_back(*mine++);
      both.push_back(e);
      if (mine != words_.end() && mine->first == e.first)
        both.back().second = std::max(e.second, mine++->second);
    }
    both.insert(both.end(), mine, words_.end());
    words_ = std::move(both);
  }
  see_all(other.all_);
  keep_few();
}

void sight::keep_few() {
  while (words_.size() > most_words)
    see_all(std::ranges::min_element(words_, {}, &entry::second)->second);
}

}  // namespace oriel::test_driver::ptx
