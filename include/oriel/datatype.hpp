// Datatypes: where the elements of a buffer lie, by MPI's definitions (MPI-4.1 §5.1).
//
// A datatype is a list of primitives with byte displacements, its typemap, and two markers: the
// lower bound and the upper bound, whose distance, the extent, is the step from one element of the
// type to the next. True lower bound and true extent describe the bytes that are there, whatever
// the markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "oriel/primitive.hpp"

namespace oriel {

// Which index of a subarray runs fastest: c, the last; fortran, the first.
enum class storage_order : std::uint8_t {
#define ORIEL_STORAGE_ORDER(number, name, c_name) name = (number),
#include "oriel/enumerations/storage_order.def"
};

// An immutable value; copies share one description. The functions that return one throw count for
// sizes or displacements that overflow, arg for arrays of different lengths and for subarrays that
// do not lie in their array. A window's base must have an extent above 0 (else type).
class datatype {
 public:
  // No elements, extent 0.
  datatype();

  // Returns the type of T: a primitive, or for another trivially copyable T sizeof(T) opaque bytes.
  template <class T>
  static datatype of() {
    static_assert(std::is_trivially_copyable_v<T>, "a datatype's elements are moved as bytes");
    if constexpr (primitive_of<T>() != primitive::opaque)
      return of(primitive_of<T>());
    else
      return bytes(sizeof(T), alignof(T));
  }
  static datatype of(primitive);
  static datatype bytes(std::size_t n, std::size_t alignment = 1);

  // `count` elements of `old`, one after another.
  static datatype contiguous(std::size_t count, const datatype& old);
  // `count` blocks of `blocklength` elements, `stride` extents of `old` apart; hvector: bytes
  // apart.
  static datatype vector(std::size_t count, std::size_t blocklength, std::ptrdiff_t stride,
                         const datatype& old);
  static datatype hvector(std::size_t count, std::size_t blocklength, std::ptrdiff_t stride,
                          const datatype& old);
  // One block for each displacement, which counts extents of `old`; hindexed: bytes.
  static datatype indexed(std::span<const std::size_t> blocklengths,
                          std::span<const std::ptrdiff_t> displacements, const datatype& old);
  static datatype hindexed(std::span<const std::size_t> blocklengths,
                           std::span<const std::ptrdiff_t> displacements, const datatype& old);
  static datatype indexed_block(std::size_t blocklength,
                                std::span<const std::ptrdiff_t> displacements, const datatype& old);
  // One block for each type, at a displacement in bytes. The extent is rounded up to the alignment
  // of the strictest primitive.
  static datatype structure(std::span<const std::size_t> blocklengths,
                            std::span<const std::ptrdiff_t> displacements,
                            std::span<const datatype> types);
  // The elements [starts, starts + subsizes) of an array of `sizes`; the extent is the whole
  // array's.
  static datatype subarray(std::span<const std::size_t> sizes,
                           std::span<const std::size_t> subsizes,
                           std::span<const std::size_t> starts, storage_order order,
                           const datatype& old);
  // `old` with other markers, which types built of it keep.
  static datatype resized(const datatype& old, std::ptrdiff_t lb, std::ptrdiff_t extent);

  [[nodiscard]] std::size_t size() const noexcept;  // bytes of data
  [[nodiscard]] std::ptrdiff_t lb() const noexcept;
  [[nodiscard]] std::ptrdiff_t ub() const noexcept;
  [[nodiscard]] std::ptrdiff_t extent() const noexcept { return ub() - lb(); }
  [[nodiscard]] std::ptrdiff_t true_lb() const noexcept;
  [[nodiscard]] std::size_t true_extent() const noexcept;
  // Returns whether it is one primitive or one opaque run: what `of` and `bytes` make.
  [[nodiscard]] bool predefined() const noexcept;
  // Returns whether the data are one run from displacement 0, without gaps between elements.
  [[nodiscard]] bool contiguous() const noexcept;
  // Returns the primitive of all elements; opaque where they differ or there is none.
  [[nodiscard]] primitive base() const noexcept;

  // `blocks` blocks of `elements` primitives, `stride` bytes apart, the first at `offset`.
  struct run {
    std::ptrdiff_t offset = 0;
    primitive type = primitive::opaque;
    std::size_t elements = 0;
    std::size_t blocks = 1;
    std::ptrdiff_t stride = 0;
    friend bool operator==(const run&, const run&) = default;
  };
  // Returns the typemap, in its order, with regular parts folded together.
  [[nodiscard]] std::span<const run> runs() const noexcept;

  // Returns whether runs and markers are the same.
  friend bool operator==(const datatype& a, const datatype& b) noexcept;
  // Equal datatypes have equal hashes, in every process.
  [[nodiscard]] std::uint64_t hash() const noexcept;
  // Returns whether `count_a` of `a` and `count_b` of `b` hold the same primitives in the same
  // order.
  static bool signatures_match(const datatype& a, std::size_t count_a, const datatype& b,
                               std::size_t count_b);
  // Returns a text for messages: "double", "3 runs of 24 bytes, extent 48".
  [[nodiscard]] std::string describe() const;

  // For win/, which makes them; not part of the interface.
  struct description;
  explicit datatype(std::shared_ptr<const description> d) noexcept : description_(std::move(d)) {}
  [[nodiscard]] const description& details() const noexcept { return *description_; }

 private:
  std::shared_ptr<const description> description_;
};

}  // namespace oriel
