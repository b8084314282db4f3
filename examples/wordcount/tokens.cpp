#include "examples/wordcount/tokens.hpp"

namespace wordcount {

std::uint64_t text_room(const std::vector<part>& parts) {
  std::uint64_t room = 1;
  for (const part& p : parts) {
    std::size_t end = p.end;
    while (end < p.text.size() && is_letter(p.text[end])) ++end;
    room += 2 * (end - p.begin);
  }
  return room;
}

std::string kmer_text(std::uint64_t code, int k) {
  std::string text(static_cast<std::size_t>(k), ' ');
  for (int i = k; i-- > 0; code >>= 2) text[static_cast<std::size_t>(i)] = "ACGT"[code & 3];
  return text;
}

}  // namespace wordcount
