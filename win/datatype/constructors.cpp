#include <string>

#include "oriel/errc.hpp"
#include "win/datatype/description.hpp"

namespace oriel {
namespace {

using win::description_builder;

datatype predefined_run(primitive p, std::size_t elements, std::size_t alignment) {
  datatype::description d;
  const std::size_t bytes = elements * size_of(p);
  if (elements != 0) d.runs.push_back({0, p, elements, 1, 0});
  d.ub = static_cast<std::ptrdiff_t>(bytes);
  d.alignment = alignment;
  d.predefined = true;
  win::complete(d);
  return datatype(std::make_shared<const datatype::description>(std::move(d)));
}

void same_length(std::size_t a, std::size_t b, const char* what) {
  if (a != b)
    throw error(errc::arg, std::string(what) + " takes arrays of one length, not of " +
                               std::to_string(a) + " and " + std::to_string(b));
}

std::ptrdiff_t scaled(std::ptrdiff_t n, std::ptrdiff_t by) {
  std::ptrdiff_t result;
  if (__builtin_mul_overflow(n, by, &result))
    throw error(errc::count, "a displacement of " + std::to_string(n) + " extents of " +
                                 std::to_string(by) + " bytes does not fit into 63 bits");
  return result;
}

}  // namespace

datatype::datatype() {
  static const datatype empty = predefined_run(primitive::opaque, 0, 1);
  description_ = empty.description_;
}

datatype datatype::of(primitive p) {
  return predefined_run(p, 1, align_of(p));
}

datatype datatype::bytes(std::size_t n, std::size_t alignment) {
  return predefined_run(primitive::opaque, n, alignment);
}

datatype datatype::contiguous(std::size_t count, const datatype& old) {
  description_builder b;
  b.place(old, count, 0, old.extent());
  return b.finish(false);
}

datatype datatype::vector(std::size_t count, std::size_t blocklength, std::ptrdiff_t stride,
                          const datatype& old) {
  return hvector(count, blocklength, scaled(stride, old.extent()), old);
}

datatype datatype::hvector(std::size_t count, std::size_t blocklength, std::ptrdiff_t stride,
                           const datatype& old) {
  const datatype block = contiguous(blocklength, old);
  description_builder b;
  b.place(block, count, 0, stride);
  return b.finish(false);
}

datatype datatype::indexed(std::span<const std::size_t> blocklengths,
                           std::span<const std::ptrdiff_t> displacements, const datatype& old) {
  same_length(blocklengths.size(), displacements.size(), "indexed");
  description_builder b;
  for (std::size_t i = 0; i < blocklengths.size(); ++i)
    b.place(old, blocklengths[i], scaled(displacements[i], old.extent()), old.extent());
  return b.finish(false);
}

datatype datatype::hindexed(std::span<const std::size_t> blocklengths,
                            std::span<const std::ptrdiff_t> displacements, const datatype& old) {
  same_length(blocklengths.size(), displacements.size(), "hindexed");
  description_builder b;
  for (std::size_t i = 0; i < blocklengths.size(); ++i)
    b.place(old, blocklengths[i], displacements[i], old.extent());
  return b.finish(false);
}

datatype datatype::indexed_block(std::size_t blocklength,
                                 std::span<const std::ptrdiff_t> displacements,
                                 const datatype& old) {
  const std::vector<std::size_t> lengths(displacements.size(), blocklength);
  return indexed(lengths, displacements, old);
}

datatype datatype::structure(std::span<const std::size_t> blocklengths,
                             std::span<const std::ptrdiff_t> displacements,
                             std::span<const datatype> types) {
  same_length(blocklengths.size(), displacements.size(), "structure");
  same_length(blocklengths.size(), types.size(), "structure");
  description_builder b;
  for (std::size_t i = 0; i < types.size(); ++i)
    b.place(types[i], blocklengths[i], displacements[i], types[i].extent());
  return b.finish(true);
}

datatype datatype::subarray(std::span<const std::size_t> sizes,
                            std::span<const std::size_t> subsizes,
                            std::span<const std::size_t> starts, storage_order order,
                            const datatype& old) {
  same_length(sizes.size(), subsizes.size(), "subarray");
  same_length(sizes.size(), starts.size(), "subarray");
  if (sizes.empty()) throw error(errc::arg, "subarray needs at least one dimension");
  const std::size_t n = sizes.size();
  datatype part = old;
  std::ptrdiff_t step = old.extent();  // between neighbours in the dimension at hand
  std::ptrdiff_t start = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = order == storage_order::c ? n - 1 - k : k;  // fastest first
    if (subsizes[i] > sizes[i] || starts[i] > sizes[i] - subsizes[i])
      throw error(errc::arg, "subarray: dimension " + std::to_string(i) + " of size " +
                                 std::to_string(sizes[i]) + " has no elements [" +
                                 std::to_string(starts[i]) + ", " +
                                 std::to_string(starts[i] + subsizes[i]) + ")");
    description_builder b;
    b.place(part, subsizes[i], 0, step);
    part = b.finish(false);
    start += scaled(static_cast<std::ptrdiff_t>(starts[i]), step);
    step = scaled(step, static_cast<std::ptrdiff_t>(sizes[i]));
  }
  description_builder b;
  b.place(part, 1, start, 0);
  return resized(b.finish(false), 0, step);  // the extent is that of the whole array
}

datatype datatype::resized(const datatype& old, std::ptrdiff_t lb, std::ptrdiff_t extent) {
  description d = old.details();
  if (__builtin_add_overflow(lb, extent, &d.ub))
    throw error(errc::count, "resized: the upper bound does not fit into 63 bits");
  d.lb = lb;
  d.markers = true;
  d.predefined = false;
  win::complete(d);
  return datatype(std::make_shared<const description>(std::move(d)));
}

}  // namespace oriel
