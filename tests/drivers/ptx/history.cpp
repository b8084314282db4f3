#include "tests/drivers/ptx/history.hpp"

#include "tests/drivers/ptx/own_view.hpp"

namespace oriel::test_driver::ptx {
namespace {

constexpr std::size_t most_changes = 6, most_words = 1 << 16;

std::uint64_t in_memory(word_number word) {
  return load_word(reinterpret_cast<const std::byte*>(word), 8);
}

}  // namespace

history::changes& history::of(word_number word) {
  const std::uint64_t value = in_memory(word);
  if (words_.size() == most_words && !words_.contains(word)) words_.clear();  // all is seen
  const auto [found, fresh] = words_.try_emplace(word);
  changes& all = found->second;
  if (fresh)
    all.push_back({0, value, everything()});
  else if (value != all.back().value)
    all.assign(1, {++now_, value, everything()});
  return all;
}

brought history::everything() {
  if (!everything_ || everything_at_ != now_) {
    sight all;
    all.see_all(everything_at_ = now_);
    everything_ = std::make_shared<const sight>(all);
  }
  return everything_;
}

const change& history::readable(word_number word, moment least, schedule& turns) {
  const changes& all = of(word);
  if (turns.chance(2)) return all.back();
  std::size_t oldest = all.size() - 1;
  while (oldest != 0 && all[oldest].when > least) --oldest;
  return all[oldest + turns.below(all.size() - oldest)];
}

moment history::changed(word_number word, brought brings) {
  changes& all = words_[word];
  if (all.size() == most_changes) all.erase(all.begin());
  all.push_back({++now_, in_memory(word), std::move(brings)});
  return now_;
}

}  // namespace oriel::test_driver::ptx
