#include <algorithm>
#include <limits>

#include "bindings/python/src/arguments.hpp"
#include "bindings/python/src/window.hpp"

namespace oriel::python {

namespace {

constexpr std::uint64_t verified_elsewhere = std::numeric_limits<std::uint64_t>::max();

}  // namespace

shared_window::~shared_window() {
  const py::gil_scoped_release released;
  static_cast<void>(any.free());
}

window_object::window_object(any_window&& made, element_type of, std::vector<py::ssize_t> shape,
                             py::object memory)
    : core_(std::make_shared<shared_window>()),
      element_(std::move(of)),
      shape_(std::move(shape)),
      assertions_(made.assertions()) {
  core_->any = std::move(made);
  core_->memory = std::move(memory);
  const team members = any().members();
  const bool gathers = any().hints().get("oriel_aggregate") == "true";
  const auto n = static_cast<std::size_t>(members.size());
  counts_.assign(n, verified_elsewhere);
  near_to_.assign(n, false);
  for (std::size_t k = 0; k < n; ++k) {
    const rank r{static_cast<std::int32_t>(k)};
    const bool on_node = members.on_node(r), attached = promises(assertion::attach);
    near_to_[k] = on_node && (!gathers || (!attached && any().shared_query(r).base != nullptr));
    near_ = near_ && near_to_[k];
    if (!on_node || attached) continue;
    counts_[k] = 0;
    for (const auto& s : any().segments(r))
      counts_[k] = std::max(counts_[k], s.first.value + s.count);
  }
}

void window_object::outside(rank r, std::int64_t first, std::int64_t last) const {
  throw error(errc::rma_range, "window '" + any().name() + "': elements " + std::to_string(first) +
                                   " to " + std::to_string(last) + " of rank " +
                                   std::to_string(r.value) + ", which exposes " +
                                   std::to_string(counts_[index(r)]) + " [rma_range]");
}

target window_object::at(int r, std::int64_t i, std::int64_t lowest, std::int64_t highest) const {
  const rank to = rank_from(r, static_cast<int>(counts_.size()));
  const std::uint64_t count = counts_[index(to)];
  if (count != verified_elsewhere && highest >= lowest) {
    std::int64_t first, last;
    if (__builtin_add_overflow(i, lowest, &first)) first = std::numeric_limits<std::int64_t>::min();
    if (__builtin_add_overflow(i, highest, &last)) last = std::numeric_limits<std::int64_t>::max();
    if (i < 0 || first < 0 || static_cast<std::uint64_t>(last) >= count) outside(to, first, last);
  }
  return {to, disp{static_cast<std::uint64_t>(i)}, python_caller()};
}

void window_object::verify(const std::int32_t* ranks, const std::int64_t* disps,
                           std::size_t n) const {
  const auto size = static_cast<std::uint32_t>(counts_.size());
  for (std::size_t j = 0; j < n; ++j) {
    if (static_cast<std::uint32_t>(ranks[j]) >= size)
      static_cast<void>(rank_from(ranks[j], static_cast<int>(size)));
    const std::uint64_t count = counts_[static_cast<std::size_t>(ranks[j])];
    if (static_cast<std::uint64_t>(disps[j]) >= count && count != verified_elsewhere)
      outside(rank{ranks[j]}, disps[j], disps[j]);
  }
}

window_object::held window_object::take(rank r) {
  if (r == any_rank) return std::exchange(held_, {});
  const auto rest = std::partition(held_.begin(), held_.end(),
                                   [&](const auto& one) { return one.first != r.value; });
  held mine(std::make_move_iterator(rest), std::make_move_iterator(held_.end()));
  held_.erase(rest, held_.end());
  return mine;
}

void window_object::free() {
  if (any().valid() && core_.use_count() > 1) {
    PyErr_Format(PyExc_BufferError,
                 "window '%s': arrays on its memory exist; free() needs them gone, and the end of "
                 "`with` leaves the memory to the last of them",
                 any().name().c_str());
    throw py::error_already_set();
  }
  const status freed = unlocked([this] { return any().free(); });
  held_.clear();
  check(freed);  // the window has its texts no more, the thread has
}

void window_object::leave() {
  if (!any().valid()) return;
  if (core_.use_count() == 1) return free();
  const std::shared_ptr<shared_window> left =
      std::exchange(core_, std::make_shared<shared_window>());
  check(left->any, unlocked([&] { return left->any.sync(); }));
}

}  // namespace oriel::python
