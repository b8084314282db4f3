#include "examples/kmers/bases.hpp"

#include "examples/wordcount/tokens.hpp"

namespace kmers {

base_run bases_of(const wordcount::part& p, int k) {
  base_run run;
  run.bases.reserve(p.end - p.begin + static_cast<std::size_t>(k));
  bool header = wordcount::begins_in_header(p);
  int after = 0;  // bases behind the part
  for (std::size_t i = p.begin; i < p.text.size() && after < k; ++i) {
    const char c = p.text[i];
    if (c == '\n') header = false;
    if (c == '\n' || c == '\r') continue;
    if (c == '>' && i > 0 && p.text[i - 1] == '\n') header = true;
    const auto b = header ? no_base : static_cast<std::uint8_t>(wordcount::base_code(c));
    if (i >= p.end) {
      if (b == no_base) break;
      ++after;
    } else if (b == no_base && !run.bases.empty() && run.bases.back() == no_base) {
      continue;  // one interruption is as good as several
    } else {
      ++run.starts;
    }
    run.bases.push_back(b);
  }
  return run;
}

}  // namespace kmers
