#include "bindings/python/src/hash_map_of.hpp"

namespace oriel::python {

std::unique_ptr<typed_map> make_map_16(const team& t, std::uint64_t expected,
                                       const hash_map_options& options) {
  return std::make_unique<map_of<word_key<16>>>(t, expected, options);
}

}  // namespace oriel::python
