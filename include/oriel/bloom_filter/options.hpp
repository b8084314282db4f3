// The options of a Bloom filter, and the window that it lies in.
#pragma once

#include <string>

#include "oriel/window.hpp"

namespace oriel {

// All ranks give the same options.
struct bloom_filter_options {
  // Shown in every message about the filter and its window.
  std::string name = "bloom_filter";
};

namespace detail {
using filter_window = window<std::uint64_t, assertion::shared_lock | assertion::local_load_store>;
}  // namespace detail

}  // namespace oriel
