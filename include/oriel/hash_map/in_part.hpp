// The operations on a part, sparse or dense as the table's shape says.
#pragma once

#include "oriel/hash_map/table_part.hpp"

namespace oriel::detail {

#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011, 20014  // as in table_part.hpp
#endif

// Returns work(part), of the part with these words.
template <class Slot, class Words, class Work>
ORIEL_DEVICE auto in_part(Words words, const table_shape& shape, Work work) {
  if constexpr (Slot::packed)
    if (shape.is_dense()) [[unlikely]]
      return work(hash_part<Slot, Words, true>(words, shape));
  return work(hash_part<Slot, Words>(words, shape));
}

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

}  // namespace oriel::detail
