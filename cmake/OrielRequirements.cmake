# What is needed of other projects, as the options say.
find_package(Threads REQUIRED)
if(ORIEL_WITH_FABRIC OR ORIEL_WITH_HWLOC OR ORIEL_WITH_SODIUM)
  find_package(PkgConfig REQUIRED)
else()
  find_package(PkgConfig QUIET)
endif()
if(ORIEL_WITH_HWLOC)
  pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
endif()
if(ORIEL_WITH_SODIUM)
  pkg_check_modules(libsodium REQUIRED IMPORTED_TARGET libsodium)
endif()
if(ORIEL_WITH_FABRIC)
  include(OrielLibfabric)  # where it is, and for which devices' memory it was built
endif()

# The tests start the tools and look at both libraries; examples and benchmarks read their command
# lines as the tools do.
foreach(part TESTS EXAMPLES BENCH)
  foreach(needed ORIEL_TOOLS ORIEL_WITH_FABRIC ORIEL_WITH_HWLOC ORIEL_WITH_SODIUM)
    if(ORIEL_${part} AND NOT ${needed})
      message(FATAL_ERROR "ORIEL_${part} needs ${needed}; turn it off (-DORIEL_${part}=OFF), or "
                          "that on")
    endif()
  endforeach()
endforeach()
if(ORIEL_TOOLS)
  find_package(fmt REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
endif()
