#include "mpi/window_table.hpp"

#include "mpi/mpi_window.hpp"

namespace oriel::mpi {

window_table::window_table() {
  every_.push_back(std::make_unique<slots>(64));
  now_.store(every_.back().get());
}

window_table::~window_table() {
  const slots& now = *now_.load();
  for (std::size_t i = 0; i <= now.mask; ++i)
    if (now.at[i].number < removed) delete now.at[i].window.load();
}

bool window_table::put(slots& in, std::uint64_t number, mpi_window* w) noexcept {
  std::size_t i = place(number) & in.mask;
  while (in.at[i].number.load(std::memory_order_relaxed) < removed) i = (i + 1) & in.mask;
  const bool fresh = in.at[i].number.load(std::memory_order_relaxed) == never_used;
  in.at[i].window.store(w, std::memory_order_relaxed);
  in.at[i].number.store(number, std::memory_order_release);
  return fresh;
}

// At most half full, so that a search ends soon; those removed are left out.
void window_table::rebuild() {
  const slots& old = *now_.load();
  std::size_t n = 64;
  while (n < 4 * (used_ + 1)) n *= 2;
  auto made = std::make_unique<slots>(n);
  for (std::size_t i = 0; i <= old.mask; ++i)
    if (old.at[i].number < removed) put(*made, old.at[i].number, old.at[i].window);
  taken_ = used_;
  every_.push_back(std::move(made));
  now_.store(every_.back().get(), std::memory_order_release);
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
  slots& now = *now_.load();
  for (std::size_t i = place(number) & now.mask;; i = (i + 1) & now.mask) {
    const std::uint64_t there = now.at[i].number.load();
    if (there == never_used) return nullptr;
    if (there != number) continue;
    now.at[i].number.store(removed, std::memory_order_release);
    --used_;
    return std::unique_ptr<mpi_window>(now.at[i].window.load());
  }
}

}  // namespace oriel::mpi
