// Packing by a layout's description, one block at a time, to compare with what MPI_Pack does.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "oriel/datatype.hpp"
#include "oriel/primitive.hpp"

namespace oriel::mpi {

// Calls `f` with the displacement and the bytes of each block, in typemap order.
template <class F>
void for_each_block(const datatype& type, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i)
    for (const datatype::run& r : type.runs())
      for (std::size_t b = 0; b < r.blocks; ++b)
        f(static_cast<std::ptrdiff_t>(i) * type.extent() + r.offset +
              static_cast<std::ptrdiff_t>(b) * r.stride,
          r.elements * size_of(r.type));
}

inline std::vector<std::byte> packed(const datatype& type, std::size_t count, const std::byte* at) {
  std::vector<std::byte> out;
  for_each_block(type, count, [&](std::ptrdiff_t displacement, std::size_t bytes) {
    out.insert(out.end(), at + displacement, at + displacement + bytes);
  });
  return out;
}

// The same by a typemap of primitives, pairs as a value and an index.
inline std::vector<std::byte> packed_elements(const datatype& type, std::size_t count,
                                              const std::byte* at) {
  std::vector<std::byte> out;
  const auto take = [&out](const std::byte* from, std::size_t bytes) {
    out.insert(out.end(), from, from + bytes);
  };
  for (std::size_t i = 0; i < count; ++i)
    for (const datatype::run& r : type.runs())
      for (std::size_t b = 0; b < r.blocks; ++b)
        for (std::size_t e = 0; e < r.elements; ++e) {
          const std::byte* const from = at + static_cast<std::ptrdiff_t>(i) * type.extent() +
                                        r.offset + static_cast<std::ptrdiff_t>(b) * r.stride +
                                        static_cast<std::ptrdiff_t>(e * size_of(r.type));
          with_type(r.type, [&]<class T>(std::type_identity<T>) {
            if constexpr (requires(T pair) { pair.index; }) {
              const T* const pair = nullptr;
              take(from, sizeof(pair->value));
              take(from + offsetof(T, index), sizeof(pair->index));
            } else {
              take(from, sizeof(T));
            }
          });
        }
  return out;
}

inline std::vector<std::byte> packed_by_mpi(MPI_Datatype type, int count, const std::byte* at) {
  int room = 0;
  PMPI_Pack_size(count, type, MPI_COMM_SELF, &room);
  std::vector<std::byte> out(static_cast<std::size_t>(room) + 1);
  int position = 0;
  PMPI_Pack(at, count, type, out.data(), static_cast<int>(out.size()), &position, MPI_COMM_SELF);
  out.resize(static_cast<std::size_t>(position));
  return out;
}

}  // namespace oriel::mpi
