#include "kinds/grammar.hpp"

#include <algorithm>

#include "oriel/errc.hpp"
#include "oriel/memory_kinds.hpp"

namespace oriel {
namespace kinds {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\n\r";
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

template <class Each>
void split(std::string_view text, char at, Each each) {
  for (;;) {
    const auto end = text.find(at);
    each(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

element parse_element(std::string_view text) {
  element e;
  e.text = trimmed(text);
  bool first = true;
  split(e.text, ':', [&](std::string_view word) {
    if (!is_word(word))
      throw error(errc::info, "'" + e.text +
                                  "' is no kind of memory; valid: kind[:restrictor...], each word "
                                  "of letters, digits and underscores");
    if (first)
      e.kind = word;
    else
      e.restrictors.emplace(word);
    first = false;
  });
  return e;
}

std::vector<element> parse_elements(std::string_view list) {
  std::vector<element> elements;
  if (trimmed(list).empty()) return elements;
  split(list, ',', [&](std::string_view text) { elements.push_back(parse_element(text)); });
  return elements;
}

}  // namespace kinds

memory_kind_list memory_kind_list::parse(std::string_view text) {
  memory_kind_list list;
  for (const kinds::element& e : kinds::parse_elements(text)) list.add(e.kind, e.restrictors);
  return list;
}

void memory_kind_list::add(const std::string& kind, const std::set<std::string>& restrictors) {
  const auto [place, is_new] = kinds_.try_emplace(kind, restrictors);
  if (is_new) return;
  if (restrictors.empty())
    place->second.clear();
  else if (!place->second.empty())
    place->second.insert(restrictors.begin(), restrictors.end());
}

bool memory_kind_list::contains(std::string_view text) const {
  const kinds::element e = kinds::parse_element(text);
  const auto found = kinds_.find(e.kind);
  if (found == kinds_.end()) return false;
  if (found->second.empty()) return true;
  return !e.restrictors.empty() && std::includes(found->second.begin(), found->second.end(),
                                                 e.restrictors.begin(), e.restrictors.end());
}

std::string to_string(const memory_kind_list& list) {
  std::string text;
  for (const auto& [kind, restrictors] : list.kinds()) {
    text += (text.empty() ? "" : ",") + kind;
    for (const std::string& r : restrictors) text += ":" + r;
  }
  return text;
}

}  // namespace oriel
