// Tables of which a node has one copy, in its memory. Every rank of the node writes all of such a
// table, and all write the same values: none has to wait for another, which may have died.
#pragma once

#include <atomic>

namespace oriel::sessions {

// Writes where something else stands, so that a rank which finds the table complete leaves its
// lines to the others' caches.
template <class Word>
void write_alike(Word& at, Word value) noexcept {
  const std::atomic_ref<Word> shared(at);
  if (shared.load(std::memory_order_relaxed) != value)
    shared.store(value, std::memory_order_relaxed);
}

// Others may be writing the same there.
template <class Word>
Word read_alike(Word& at) noexcept {
  return std::atomic_ref(at).load(std::memory_order_relaxed);
}

}  // namespace oriel::sessions
