// The types seen so far, by handle: a hash table whose lookups take no lock.
//
// Threads: any number look up while others insert and erase; the latter take turns on a lock that
// is never held across a call of MPI's, because `erase` is called from within MPI_Type_free.
// A lookup compares handles and nothing else: it never dereferences an entry of another handle, so
// that those may be destroyed meanwhile. MPI forbids the rest: to free a type that another thread
// is passing to a call.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>

namespace oriel::mpi {

struct type_entry;

class type_table {
 public:
  constexpr type_table() noexcept = default;
  type_table(const type_table&) = delete;
  type_table& operator=(const type_table&) = delete;
  // There is no destructor on purpose: MPI may be finalized by an exit handler that runs after
  // those of static objects. `clear` returns the memory.

  // The entry of `type`, or null.
  [[nodiscard]] const type_entry* find(MPI_Datatype type) const noexcept {
    const std::uintptr_t key = key_of(type);
    const block* const b = current_.load(std::memory_order_acquire);
    for (std::size_t i = b->first(key);; i = (i + 1) & b->mask) {
      const std::uintptr_t found = b->slots[i].key.load(std::memory_order_acquire);
      if (found == key) return b->slots[i].entry.load(std::memory_order_relaxed);
      if (found == empty) return nullptr;
    }
  }

  // Requires: the type has no entry. Throws std::bad_alloc, and the table is as it was.
  const type_entry* insert(std::unique_ptr<const type_entry>);
  // Destroys the entry of `type`, if there is one.
  void erase(MPI_Datatype type) noexcept;
  // Destroys all entries. Requires: no thread looks up meanwhile.
  void clear() noexcept;
  // Slots, of which at most half are taken. Requires: no other thread inserts meanwhile.
  [[nodiscard]] std::size_t capacity() const noexcept {
    return current_.load(std::memory_order_relaxed)->mask + 1;
  }

 private:
  // Neither is a handle: handles are non-zero with their kind in the high bits, or addresses.
  static constexpr std::uintptr_t empty = 0;
  static constexpr std::uintptr_t erased = 1;
  static constexpr unsigned first_bits = 8;  // 256 slots hold the predefined types and some more

  struct slot {
    std::atomic<std::uintptr_t> key{empty};
    std::atomic<const type_entry*> entry{nullptr};
  };
  // The slots at one time. Growth makes a new block; the old one stays for the lookups that are in
  // it, which is at most as much memory again.
  struct block {
    slot* slots;
    std::size_t mask;
    unsigned shift;
    block* older;

    [[nodiscard]] std::size_t first(std::uintptr_t key) const noexcept {
      return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> shift);
    }
  };

  template <class Handle>
  static std::uintptr_t key_of(Handle type) noexcept {
    if constexpr (std::is_pointer_v<Handle>)
      return reinterpret_cast<std::uintptr_t>(type);
    else
      return static_cast<std::uintptr_t>(type);
  }

  // Returns whether the slot it took was empty.
  static bool add(const block&, std::uintptr_t key, const type_entry*) noexcept;
  void grow();

  slot first_slots_[std::size_t{1} << first_bits];
  block first_{first_slots_, (std::size_t{1} << first_bits) - 1, 64 - first_bits, nullptr};
  std::atomic<block*> current_{&first_};
  std::mutex lock_;       // of insert, erase and clear
  std::size_t used_ = 0;  // slots that are not empty, erased ones included
};

extern type_table seen_types;

}  // namespace oriel::mpi
