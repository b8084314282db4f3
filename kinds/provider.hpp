// What this process can provide of a kind of memory, and why not the rest. The look-up of a device
// kind loads its runtime, and nothing else does: a program that never names the kind loads nothing
// of the vendor's.
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
  std::string absent{};                          // why this process has none of it; else empty
  std::map<std::string, std::string> lacking{};  // restrictors that it lacks, and why
};

// Returns nothing for a kind that is not defined.
using provider_lookup = std::function<std::optional<provider>(std::string_view kind)>;

// `system`: memory of the operating system and the language. `mpi`: memory that oriel allocates.
// `cuda`, `rocm`, `level_zero`: what the vendor's runtime has (MPI's side document on memory
// allocation kinds 1.0, chapter 2).
std::optional<provider> find_provider(std::string_view kind);

// Returns whether the kind defines all of `restrictors`, provided or not; false for a kind that is
// not defined. Loads no runtime.
bool defines(std::string_view kind, const std::set<std::string>& restrictors);

// Every kind that is defined.
std::span<const std::string_view> known_kinds() noexcept;

}  // namespace oriel::kinds
