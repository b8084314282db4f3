#include "kinds/provider.hpp"

#include <array>

namespace oriel::kinds {

std::span<const provider> providers() {
  static const std::array registry{
      provider{"system", {}},
      provider{"mpi", {"alloc_mem", "win_allocate", "win_allocate_shared"}},
  };
  return registry;
}

}  // namespace oriel::kinds
