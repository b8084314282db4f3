// What this process can provide of a kind of memory, and why not the rest. A device kind is asked
// of its runtime when it is looked up and not before, so a program that never names it loads
// nothing of the vendor's.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace oriel::kinds {

struct provider {
  std::string kind;
  std::set<std::string> restrictors;             // all that the kind defines
  std::string absent{};                          // why there is nothing of the kind here, or empty
  std::map<std::string, std::string> lacking{};  // restrictors that are not to be had, and why
};

// Nothing for a kind that nobody has defined.
using provider_lookup = std::function<std::optional<provider>(std::string_view kind)>;

// `system`: memory of the operating system and the language. `mpi`: memory that oriel allocates.
// `cuda`, `rocm`, `level_zero`: as the vendor's runtime says (MPI's side document on memory
// allocation kinds 1.0, chapter 2).
std::optional<provider> find_provider(std::string_view kind);

// Whether the kind defines all of `restrictors`, provided or not. False for a kind that nobody has
// defined. Asks no runtime.
bool defines(std::string_view kind, const std::set<std::string>& restrictors);

// Every kind that find_provider knows.
std::span<const std::string_view> known_kinds() noexcept;

}  // namespace oriel::kinds
