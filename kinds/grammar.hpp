// The words of a list of memory kinds, with the text they were written as.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::kinds {

struct element {
  std::string text;  // as written, without the spaces around it
  std::string kind;
  std::set<std::string> restrictors;
};

// Throws errc::info as memory_kind_list::parse does.
std::vector<element> parse_elements(std::string_view list);
element parse_element(std::string_view text);

}  // namespace oriel::kinds
