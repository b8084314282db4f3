// A window as Python holds it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/python/src/element_type.hpp"
#include "bindings/python/src/errors.hpp"
#include "oriel/any_window.hpp"

namespace oriel::python {

// What the arrays on a window's memory keep: the window, and the memory that it was given.
struct shared_window {
  any_window any;
  py::object memory;                             // of create
  std::map<std::uint32_t, py::object> attached;  // by segment
  // Entered and left with the interpreter's lock; lets go of it while the window is freed.
  ~shared_window();
};

// Returns the line of Python that runs, for what ORIEL_CHECK=1 prints; else a constant.
call_site python_caller();

// Where an operation's elements lie at their target, where they are exposed, and who calls.
struct target {
  rank r;
  disp i;
  call_site site;
};

class window_object {
 public:
  window_object(any_window&& made, element_type of, std::vector<py::ssize_t> shape,
                py::object memory);

  [[nodiscard]] any_window& any() const noexcept { return core_->any; }
  [[nodiscard]] const element_type& element() const noexcept { return element_; }
  [[nodiscard]] const std::shared_ptr<shared_window>& core() const noexcept { return core_; }
  [[nodiscard]] const std::vector<py::ssize_t>& shape() const noexcept { return shape_; }
  // Whether operations to a rank, or to any, are complete on return: it is on this node, and they
  // do not gather in packets to private memory. Single elements then need no waiting.
  [[nodiscard]] bool near() const noexcept { return near_; }
  [[nodiscard]] bool near(rank r) const noexcept { return near_ || near_to_[index(r)]; }
  [[nodiscard]] bool promises(assertion a) const noexcept { return assertions_.has(a); }

  // Returns the target of elements `lowest` to `highest`, counted from displacement `i`. Throws
  // rank, rma_range where this process knows that rank's memory, win.
  [[nodiscard]] target at(int r, std::int64_t i, std::int64_t lowest, std::int64_t highest) const;
  [[nodiscard]] target at(int r, std::int64_t i) const { return at(r, i, 0, 0); }
  // Throws the same for elements anywhere.
  void verify(const std::int32_t* ranks, const std::int64_t* disps, std::size_t n) const;

  // Holds a buffer that an operation to `r` uses until it is locally complete.
  void hold(rank r, py::object buffer) { held_.emplace_back(r.value, std::move(buffer)); }
  // Runs `wait`, which makes the operations to `r` (any_rank: all) locally complete, without the
  // interpreter's lock; then lets go of their buffers.
  template <class Wait>
  void complete(rank r, Wait wait);

  // Frees the window. Throws BufferError while arrays on its memory exist.
  void free();
  // Frees it, or leaves that to the last array on its memory.
  void leave();

 private:
  using held = std::vector<std::pair<std::int32_t, py::object>>;
  static std::size_t index(rank r) noexcept { return static_cast<std::size_t>(r.value); }
  [[nodiscard]] held take(rank r);
  [[noreturn]] void outside(rank r, std::int64_t first, std::int64_t last) const;

  std::shared_ptr<shared_window> core_;  // arrays on the memory hold it too
  element_type element_;
  std::vector<py::ssize_t> shape_;
  assertion_set assertions_;
  std::vector<bool> near_to_;          // by rank
  std::vector<std::uint64_t> counts_;  // by rank: elements; the largest where the library verifies
  bool near_ = true;
  held held_;
};

template <class Wait>
void window_object::complete(rank r, Wait wait) {
  const call_site site = python_caller();
  held mine = take(r);
  const status done = [&] {
    const py::gil_scoped_release released;
    return wait(site);
  }();
  if (done.ok()) return;
  for (auto& one : mine) held_.push_back(std::move(one));  // what failed may still be under way
  check(any(), done);
}

using window_class = py::class_<window_object>;
void define_access(window_class& c);           // put, get, accumulates, swaps
void define_deferred_access(window_class& c);  // their request-based and deferred forms
void define_lists(window_class& c);
void define_notifications(window_class& c);
void define_epochs(py::module_& m, window_class& c);
void define_statistics(py::module_& m, window_class& c);

}  // namespace oriel::python
