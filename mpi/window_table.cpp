#include "mpi/window_table.hpp"

#include <utility>
#include <vector>

#include "mpi/mpi_window.hpp"

namespace oriel::mpi {

constinit window_table windows;

bool window_table::put(const slots& in, std::uint64_t number, mpi_window* w) noexcept {
  std::size_t i = place(number) & in.mask;
  while (in.at[i].number.load(std::memory_order_relaxed) < removed) i = (i + 1) & in.mask;
  const bool fresh = in.at[i].number.load(std::memory_order_relaxed) == never_used;
  in.at[i].window.store(w, std::memory_order_relaxed);
  in.at[i].number.store(number, std::memory_order_release);
  return fresh;
}

// At most half full, so that a search ends soon; those removed are left out.
void window_table::rebuild() {
  slots* const old = now_.load();
  std::size_t n = fewest;
  while (n < 4 * (used_ + 1)) n *= 2;
  auto at = std::make_unique<slot[]>(n);
  auto made = std::make_unique<slots>(slots{at.get(), n - 1, old});
  for (std::size_t i = 0; i <= old->mask; ++i)
    if (old->at[i].number < removed) put(*made, old->at[i].number, old->at[i].window);
  taken_ = used_;
  at.release();
  now_.store(made.release(), std::memory_order_release);
}

void window_table::insert(MPI_Win handle, std::unique_ptr<mpi_window> w) {
  const std::lock_guard hold(mutex_);
  if (2 * (taken_ + 1) > now_.load()->mask) rebuild();
  if (put(*now_.load(), number_of(handle), w.release())) ++taken_;
  ++used_;
}

std::unique_ptr<mpi_window> window_table::remove(MPI_Win handle) noexcept {
  const std::lock_guard hold(mutex_);
  const std::uint64_t number = number_of(handle);
  const slots& now = *now_.load();
  for (std::size_t i = place(number) & now.mask;; i = (i + 1) & now.mask) {
    const std::uint64_t there = now.at[i].number.load();
    if (there == never_used) return nullptr;
    if (there != number) continue;
    now.at[i].number.store(removed, std::memory_order_release);
    --used_;
    return std::unique_ptr<mpi_window>(now.at[i].window.load());
  }
}

// The windows' ends may call MPI, and attributes' callbacks the program: not under the lock.
void window_table::clear() noexcept {
  slots* now = now_.exchange(&first_);
  std::vector<std::unique_ptr<mpi_window>> left;
  for (std::size_t i = 0; i <= now->mask; ++i)
    if (now->at[i].number < removed) left.emplace_back(now->at[i].window.load());
  while (now != &first_) {
    delete[] now->at;
    delete std::exchange(now, now->older);
  }
  for (slot& s : first_at_) s.number = never_used;
  used_ = taken_ = 0;
}

}  // namespace oriel::mpi
