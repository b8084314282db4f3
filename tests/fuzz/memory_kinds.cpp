// Lists of memory kinds, as infos and launchers give them.
#include "oriel/memory_kinds.hpp"

#include "kinds/grammar.hpp"
#include "kinds/negotiate.hpp"
#include "oriel/errc.hpp"
#include "tests/fuzz/target.hpp"

namespace oriel::fuzz {

std::vector<std::string> seeds() {
  return {"",
          "  ",
          "mpi",
          "system,mpi:alloc_mem:win_allocate",
          " mpi:alloc_mem , mpi:win_allocate\t,\nmpi",
          "cuda:device,cuda:managed,cuda:host",
          "system,,mpi",
          "mpi:",
          "a b"};
}

void check(std::string_view input) {
  memory_kind_list list;
  try {
    list = memory_kind_list::parse(input);
  } catch (const error& refused) {
    require(refused.code() == errc::info, "a malformed list is refused as an info");
    require(!kinds::accepted_assertion(input, {}), "a malformed assertion is ignored");
    return;
  }
  require(to_string(list).size() <= input.size(), "the normal form is no longer than the list");
  require(memory_kind_list::parse(to_string(list)) == list,
          "a list that is written comes back as it was");
  for (const kinds::element& e : kinds::parse_elements(input))
    require(list.contains(e.text), "a list contains each of its elements");

  const auto provided = memory_kind_list::parse(kinds::provided_kinds(input));
  for (const auto& [kind, restrictors] : provided.kinds()) {
    std::string element = kind;
    for (const std::string& r : restrictors) element += ":" + r;
    require(list.contains(element), "nothing is provided that was not requested");
  }
  require(kinds::accepted_assertion(to_string(provided), provided) == provided,
          "an assertion of what is provided is accepted");
}

}  // namespace oriel::fuzz
