// Kinds of memory, as MPI 4.1 §11.4.3 and its side document on memory allocation kinds name them.
//
// A list is kinds separated by commas; a kind is a name and any number of restrictors, each after a
// colon: "system,mpi:alloc_mem:win_allocate". A kind without restrictors means all of its memory.
// Spaces around elements are ignored, repeated kinds merge, order means nothing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace oriel {

class memory_kind_list {
 public:
  memory_kind_list() = default;

  // Throws errc::info naming the element that is not of the form kind[:restrictor…], each word of
  // letters, digits and underscores. An empty string is the empty list.
  static memory_kind_list parse(std::string_view text);

  [[nodiscard]] bool empty() const noexcept { return kinds_.empty(); }
  // Whether all memory of `element`, "kind" or "kind:restrictor…", is of a kind in the list. An
  // unrestricted kind in the list contains each of its restrictors; a restricted one contains the
  // unrestricted kind only in the eyes of who knows all restrictors, so not here.
  [[nodiscard]] bool contains(std::string_view element) const;
  // Adds a kind; no restrictors: all of it.
  void add(const std::string& kind, const std::set<std::string>& restrictors);
  // By name; an empty set of restrictors: all of the kind.
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& kinds() const noexcept {
    return kinds_;
  }
  friend bool operator==(const memory_kind_list&, const memory_kind_list&) = default;

 private:
  std::map<std::string, std::set<std::string>> kinds_;
};

// Normal form: sorted, without spaces.
std::string to_string(const memory_kind_list&);

}  // namespace oriel
