#include "mpi/type_table.hpp"

#include <utility>

#include "mpi/types.hpp"

namespace oriel::mpi {

constinit type_table seen_types;

// The entry is there before its key, so that a lookup that sees the key sees the entry.
bool type_table::add(const block& b, std::uintptr_t key, const type_entry* entry) noexcept {
  std::size_t i = b.first(key);
  while (b.slots[i].key.load(std::memory_order_relaxed) > erased) i = (i + 1) & b.mask;
  const bool was_empty = b.slots[i].key.load(std::memory_order_relaxed) == empty;
  b.slots[i].entry.store(entry, std::memory_order_relaxed);
  b.slots[i].key.store(key, std::memory_order_release);
  return was_empty;
}

void type_table::grow() {
  block* const old = current_.load(std::memory_order_relaxed);
  const std::size_t capacity = 2 * (old->mask + 1);
  auto slots = std::make_unique<slot[]>(capacity);
  auto grown = std::make_unique<block>(block{slots.get(), capacity - 1, old->shift - 1, old});
  std::size_t live = 0;
  for (std::size_t i = 0; i <= old->mask; ++i) {
    const std::uintptr_t key = old->slots[i].key.load(std::memory_order_relaxed);
    if (key <= erased) continue;
    add(*grown, key, old->slots[i].entry.load(std::memory_order_relaxed));
    ++live;
  }
  used_ = live;
  slots.release();
  current_.store(grown.release(), std::memory_order_release);
}

const type_entry* type_table::insert(std::unique_ptr<const type_entry> entry) {
  const std::lock_guard guard(lock_);
  // Half the slots stay empty, so that lookups of unknown types end soon.
  if (2 * (used_ + 1) > current_.load(std::memory_order_relaxed)->mask + 1) grow();
  if (add(*current_.load(std::memory_order_relaxed), key_of(entry->handle), entry.get())) ++used_;
  return entry.release();
}

void type_table::erase(MPI_Datatype type) noexcept {
  const std::lock_guard guard(lock_);
  const std::uintptr_t key = key_of(type);
  const block& b = *current_.load(std::memory_order_relaxed);
  std::size_t i = b.first(key);
  for (std::uintptr_t found;; i = (i + 1) & b.mask) {
    found = b.slots[i].key.load(std::memory_order_relaxed);
    if (found == key) break;
    if (found == empty) return;
  }
  delete b.slots[i].entry.load(std::memory_order_relaxed);
  b.slots[i].entry.store(nullptr, std::memory_order_relaxed);
  b.slots[i].key.store(erased, std::memory_order_release);
  // Erased slots that nothing follows are empty again; so programs that make and free types all the
  // time do not fill the table.
  if (b.slots[(i + 1) & b.mask].key.load(std::memory_order_relaxed) != empty) return;
  for (; b.slots[i].key.load(std::memory_order_relaxed) == erased; i = (i - 1) & b.mask) {
    b.slots[i].key.store(empty, std::memory_order_release);
    --used_;
  }
}

void type_table::clear() noexcept {
  const std::lock_guard guard(lock_);
  block* b = current_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i <= b->mask; ++i)
    if (b->slots[i].key.load(std::memory_order_relaxed) > erased)
      delete b->slots[i].entry.load(std::memory_order_relaxed);
  while (b != &first_) {
    delete[] b->slots;
    delete std::exchange(b, b->older);
  }
  for (slot& s : first_slots_) {
    s.key.store(empty, std::memory_order_relaxed);
    s.entry.store(nullptr, std::memory_order_relaxed);
  }
  used_ = 0;
  current_.store(b, std::memory_order_release);
}

}  // namespace oriel::mpi
