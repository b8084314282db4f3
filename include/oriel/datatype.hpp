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

enum class storage_order : std::uint8_t { c, fortran };

// An immutable value; copies share one description. Constructors throw errc::count for sizes that
// overflow, errc::arg for arrays of different lengths and for impossible subarrays, errc::type for
// a bad extent.
class datatype {
 public:
  // No elements, extent 0.
  datatype();

  // The type of T: a primitive, or for another trivially copyable T its sizeof(T) opaque bytes.
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

  static datatype contiguous(std::size_t count, const datatype& old);
  // `stride` in extents of `old`; hvector: in bytes.
  static datatype vector(std::size_t count, std::size_t blocklength, std::ptrdiff_t stride,
                         const datatype& old);
  static datatype hvector(std::size_t count, std::size_t blocklength, std::ptrdiff_t stride,
                          const datatype& old);
  // Displacements in extents of `old`; hindexed: in bytes.
  static datatype indexed(std::span<const std::size_t> blocklengths,
                          std::span<const std::ptrdiff_t> displacements, const datatype& old);
  static datatype hindexed(std::span<const std::size_t> blocklengths,
                           std::span<const std::ptrdiff_t> displacements, const datatype& old);
  static datatype indexed_block(std::size_t blocklength,
                                std::span<const std::ptrdiff_t> displacements, const datatype& old);
  // Displacements in bytes. The extent is rounded up to the alignment of the strictest primitive.
  static datatype structure(std::span<const std::size_t> blocklengths,
                            std::span<const std::ptrdiff_t> displacements,
                            std::span<const datatype> types);
  static datatype subarray(std::span<const std::size_t> sizes,
                           std::span<const std::size_t> subsizes,
                           std::span<const std::size_t> starts, storage_order order,
                           const datatype& old);
  // Sets the markers; they stay through further constructors.
  static datatype resized(const datatype& old, std::ptrdiff_t lb, std::ptrdiff_t extent);

  [[nodiscard]] std::size_t size() const noexcept;  // bytes of data
  [[nodiscard]] std::ptrdiff_t lb() const noexcept;
  [[nodiscard]] std::ptrdiff_t ub() const noexcept;
  [[nodiscard]] std::ptrdiff_t extent() const noexcept { return ub() - lb(); }
  [[nodiscard]] std::ptrdiff_t true_lb() const noexcept;
  [[nodiscard]] std::size_t true_extent() const noexcept;
  // One primitive, or one opaque run: what `of` and `bytes` make.
  [[nodiscard]] bool predefined() const noexcept;
  // The data are one run from displacement 0 and elements follow each other without gaps.
  [[nodiscard]] bool contiguous() const noexcept;
  // The primitive that all elements are; opaque when they differ or there is none.
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
  // The typemap, in its order, with what is regular folded together.
  [[nodiscard]] std::span<const run> runs() const noexcept;

  // Same runs and same markers.
  friend bool operator==(const datatype& a, const datatype& b) noexcept;
  // Equal datatypes have equal hashes, in every process.
  [[nodiscard]] std::uint64_t hash() const noexcept;
  // Whether `count_a` of `a` and `count_b` of `b` hold the same primitives in the same order.
  static bool signatures_match(const datatype& a, std::size_t count_a, const datatype& b,
                               std::size_t count_b);
  // For messages: "double", "3 runs of 24 bytes, extent 48".
  [[nodiscard]] std::string describe() const;

  // For win/, which makes them; not part of the interface.
  struct description;
  explicit datatype(std::shared_ptr<const description> d) noexcept : description_(std::move(d)) {}
  [[nodiscard]] const description& details() const noexcept { return *description_; }

 private:
  std::shared_ptr<const description> description_;
};

}  // namespace oriel
