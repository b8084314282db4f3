# What goes through sync/system.hpp, and sync/process_own.hpp, costs what the system's own calls do: the very instructions.
include(${CMAKE_CURRENT_LIST_DIR}/assembly.cmake)

foreach(call now relax is_it unlock count sleep yield wait wake)
  expect_same(seam_${call} plain_${call})
endforeach()
