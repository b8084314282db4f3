// From MPI's handles to the windows behind them. Every operation looks its window up, so reading
// takes no lock and has no other test before it: open addressing over atomic pointers, in memory
// that exists before MPI does. One for the process, since handles are the process's.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>

namespace oriel::mpi {

class mpi_window;

// A number of a handle, whatever the host makes its handles of.
inline std::uint64_t number_of(MPI_Win handle) noexcept {
  std::uint64_t bits = 0;
  static_assert(sizeof handle <= sizeof bits);
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

class window_table {
 public:
  constexpr window_table() noexcept = default;
  window_table(const window_table&) = delete;
  window_table& operator=(const window_table&) = delete;
  // There is no destructor on purpose, as for type_table: `clear` ends the windows.

  // Null for windows of the host.
  [[nodiscard]] mpi_window* find(MPI_Win handle) const noexcept {
    const std::uint64_t number = number_of(handle);
    const slots& now = *now_.load(std::memory_order_acquire);
    for (std::size_t i = place(number);; ++i) {
      const slot& s = now.at[i & now.mask];
      const std::uint64_t there = s.number.load(std::memory_order_acquire);
      if (there == number) [[likely]]
        return s.window.load(std::memory_order_relaxed);
      if (there == never_used) return nullptr;
    }
  }
  void insert(MPI_Win handle, std::unique_ptr<mpi_window>);
  // Gives the window back; null when there is none.
  std::unique_ptr<mpi_window> remove(MPI_Win handle) noexcept;
  // Destroys every window; none is found any more while they go. Requires: no thread looks up.
  void clear() noexcept;

 private:
  static constexpr std::uint64_t never_used = ~std::uint64_t{0};
  static constexpr std::uint64_t removed = never_used - 1;
  static constexpr std::size_t fewest = 64;
  struct slot {
    std::atomic<std::uint64_t> number{never_used};
    std::atomic<mpi_window*> window{nullptr};
  };
  // The slots at one time. Readers may still be in an older one, which therefore stays.
  struct slots {
    slot* at;
    std::size_t mask;
    slots* older;
  };
  // Handles are addresses, or small numbers in the low bits.
  static std::size_t place(std::uint64_t number) noexcept {
    return static_cast<std::size_t>(number * 0x9e3779b97f4a7c15u >> 40);
  }
  // Whether the slot was never used before.
  static bool put(const slots&, std::uint64_t number, mpi_window*) noexcept;
  void rebuild();

  slot first_at_[fewest];
  slots first_{first_at_, fewest - 1, nullptr};
  std::atomic<slots*> now_{&first_};
  std::mutex mutex_;  // of those that change it
  std::size_t used_ = 0;
  std::size_t taken_ = 0;  // removed ones too
};

// Empty where windows are left to the host: see process::get.
extern window_table windows;

}  // namespace oriel::mpi
