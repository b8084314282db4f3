// What one unit of each case is, as the tables of docs/BENCHMARKS.md have it.
#pragma once

#include <map>
#include <string>

namespace bench {

// By the cases' names: of each table row "| `a`, `b` | text | … |" the text, without its marks.
// Names with an ellipsis stand for many and are left out.
std::map<std::string, std::string> case_texts(const std::string& markdown);

}  // namespace bench
