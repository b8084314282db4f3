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

  // Returns the list that `text` denotes; an empty string denotes the empty list. Throws info, with
  // the element that is not of the form kind[:restrictor…], each word of letters, digits and
  // underscores.
  static memory_kind_list parse(std::string_view text);

  [[nodiscard]] bool empty() const noexcept { return kinds_.empty(); }
  // Returns whether all memory of `element`, "kind" or "kind:restrictor…", is of a kind in the
  // list. A kind without restrictors contains each of its restrictors. Restricted kinds never
  // contain the kind as a whole, since a list of all its restrictors is not closed. Throws info as
  // parse does.
  [[nodiscard]] bool contains(std::string_view element) const;
  // Adds a kind; without restrictors, all of its memory.
  void add(const std::string& kind, const std::set<std::string>& restrictors);
  // Returns restrictors by kind; an empty set stands for all memory of the kind.
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& kinds() const noexcept {
    return kinds_;
  }
  friend bool operator==(const memory_kind_list&, const memory_kind_list&) = default;

 private:
  std::map<std::string, std::set<std::string>> kinds_;
};

// Returns the normal form: sorted, without spaces.
std::string to_string(const memory_kind_list&);

}  // namespace oriel
