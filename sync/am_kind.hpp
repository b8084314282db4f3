// What the owner of memory is asked to do to it by ranks that do not map it.
#pragma once

#include <cstdint>

namespace oriel::sync {

enum class am_kind : std::uint8_t {
  put,
  get,
  accumulate,
  get_accumulate,
  compare_swap,
  put_runs,  // of lists (run_list.hpp), from here on
  accumulate_runs,
  get_accumulate_runs,
  get_runs,  // of the runs alone, without bytes
};

}  // namespace oriel::sync
