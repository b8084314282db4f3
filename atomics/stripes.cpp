#include "atomics/stripes.hpp"

#include "sync/limited_watch.hpp"

namespace oriel::atomics {

errc stripes::take_slowly(std::size_t stripe) noexcept {
  sync::wait_word& word = lines_[stripe].word;
  const sync::quiet_watch peers(*peers_);
  return sync::wait_for(word, peers, [&word, this](std::uint32_t owner) {
    return owner == 0 && word.value.compare_exchange_strong(owner, me_, std::memory_order_seq_cst);
  });
}

}  // namespace oriel::atomics
