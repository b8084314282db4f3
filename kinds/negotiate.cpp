#include "kinds/negotiate.hpp"

#include <algorithm>

#include "kinds/grammar.hpp"
#include "oriel/errc.hpp"

namespace oriel::kinds {
namespace {

template <class Words>
std::string joined(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text.empty() ? "none" : text;
}

// Why `e` cannot be provided; empty when it can.
std::string refusal(const element& e, const provider_lookup& lookup) {
  const auto p = lookup(e.kind);
  if (!p) return "there is no kind '" + e.kind + "'; valid: " + joined(known_kinds());
  if (!p->absent.empty()) return p->absent;
  for (const std::string& r : e.restrictors)
    if (p->restrictors.count(r) == 0)
      return "'" + e.kind + "' has no restrictor '" + r + "'; valid: " + joined(p->restrictors);
  for (const std::string& r : e.restrictors.empty() ? p->restrictors : e.restrictors)
    if (const auto lacking = p->lacking.find(r); lacking != p->lacking.end())
      return e.kind + ":" + r + " cannot be had: " + lacking->second;
  return {};
}

}  // namespace

std::string requested_kinds(const std::optional<std::string>& by_launcher,
                            const std::optional<std::string>& by_session) {
  if (by_session) return *by_session;
  return by_launcher.value_or("mpi,system");
}

std::string provided_kinds(std::string_view requested, const provider_lookup& lookup) {
  std::string provided;
  for (const element& e : parse_elements(requested)) {
    if (!refusal(e, lookup).empty()) continue;
    if (!provided.empty()) provided += ',';
    provided += e.text;
  }
  return provided;
}

std::string why_not_provided(std::string_view kind, std::string_view requested,
                             const provider_lookup& lookup) {
  const element wanted = parse_element(kind);
  for (const element& e : parse_elements(requested)) {
    if (e.kind != wanted.kind) continue;
    // An element that requests less than what is wanted is not the reason.
    if (!e.restrictors.empty() &&
        !std::includes(e.restrictors.begin(), e.restrictors.end(), wanted.restrictors.begin(),
                       wanted.restrictors.end()))
      continue;
    if (const std::string why = refusal(e, lookup); !why.empty())
      return e.text == wanted.text ? why : "'" + e.text + "' was requested, and " + why;
  }
  return "it was not requested, by the session's mpi_memory_alloc_kinds or the launcher's "
         "--memory-alloc-kinds";
}

std::optional<memory_kind_list> accepted_assertion(std::string_view asserted,
                                                   const memory_kind_list& provided) {
  try {
    memory_kind_list list;
    for (const element& e : parse_elements(asserted)) {
      if (!provided.contains(e.text) || !defines(e.kind, e.restrictors)) return std::nullopt;
      list.add(e.kind, e.restrictors);
    }
    return list;
  } catch (const error&) {
    return std::nullopt;
  }
}

}  // namespace oriel::kinds
