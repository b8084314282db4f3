// What the arguments of a data operation say, whichever slot they are for: so that what stands
// around operations (checks, staging) is written once and not for each.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "oriel/detail/operation_table.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

class operands {
 public:
  template <class... Args>
  explicit operands(const detail::window_core& core, const Args&... args) noexcept {
    (note(args), ...);
    if (base_typed_) type = core.agreed.element;
    bytes = count_ * (base_typed_ ? core.agreed.extent : size_of(type));
    if (shapes == nullptr) return;
    there = shapes->target_shape;
    origins[0] = shapes->origin;
    result = shapes->result;
  }

  rank to{};
  disp first{};
  // At the target: so many bytes from `first` on, of one type, or what a shape lays out there.
  primitive type = primitive::opaque;
  std::size_t bytes = 0;
  const shape* there = nullptr;
  // Here. Two origins are those of compare_swap.
  std::array<const void*, 2> origins{};
  void* result = nullptr;
  const detail::typed_operands* shapes = nullptr;
  call_site at{};
  std::optional<atomic_op> op{};
  bool requested = false;  // a request is told of its completion
  bool notifies = false;   // who sees it counted may rely on it

  // False for no_op, which leaves the target as it is.
  [[nodiscard]] bool reads_origin() const noexcept { return op != atomic_op::no_op; }
  // Where the data of the buffers lie, from their addresses on.
  [[nodiscard]] stretch origin_stretch() const noexcept {
    if (shapes != nullptr)
      return shapes->origin_shape == nullptr ? stretch{} : stretch_of(*shapes->origin_shape);
    return reads_origin() ? stretch{0, bytes} : stretch{};
  }
  [[nodiscard]] stretch result_stretch() const noexcept {
    if (shapes != nullptr)
      return shapes->result_shape == nullptr ? stretch{} : stretch_of(*shapes->result_shape);
    return result == nullptr ? stretch{} : stretch{0, bytes};
  }
  // Results may have gaps, which are not written to.
  [[nodiscard]] bool sparse(const detail::window_core& core) const noexcept {
    return shapes != nullptr || (base_typed_ && !core.agreed.base.contiguous());
  }

 private:
  void note(rank r) noexcept { to = r; }
  void note(disp i) noexcept { first = i; }
  void note(atomic_op what) noexcept { op = what; }
  void note(primitive p) noexcept {
    type = p;
    base_typed_ = false;
  }
  void note(const void* p) noexcept { origins[origins_++] = p; }
  void note(void* p) noexcept { result = p; }
  void note(std::size_t n) noexcept { count_ = n; }
  void note(const detail::notice&) noexcept { notifies = true; }
  void note(const detail::typed_operands& x) noexcept { shapes = &x; }
  void note(const detail::request_state* r) noexcept { requested = r != nullptr; }
  void note(call_site where) noexcept { at = where; }

  std::size_t count_ = 1;
  std::size_t origins_ = 0;
  bool base_typed_ = true;
};

}  // namespace oriel::win
