#include "examples/wordcount/tokens.hpp"

namespace wordcount {

std::string kmer_text(std::uint64_t code, int k) {
  std::string text(static_cast<std::size_t>(k), ' ');
  for (int i = k; i-- > 0; code >>= 2) text[static_cast<std::size_t>(i)] = "ACGT"[code & 3];
  return text;
}

}  // namespace wordcount
