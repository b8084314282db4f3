# What is needed of other projects, as the options say.
find_package(Threads REQUIRED)
if(ORIEL_WITH_FABRIC OR ORIEL_WITH_HWLOC)
  find_package(PkgConfig REQUIRED)
else()
  find_package(PkgConfig QUIET)
endif()
if(ORIEL_WITH_HWLOC)
  pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
endif()
if(ORIEL_WITH_FABRIC)
  include(OrielLibfabric)  # where it is, and for which devices' memory it was built
endif()

# The tests start the tools and look at both libraries; examples and benchmarks read their command
# lines as the tools do.
foreach(part TESTS EXAMPLES BENCH)
  if(ORIEL_${part} AND NOT (ORIEL_TOOLS AND ORIEL_WITH_FABRIC AND ORIEL_WITH_HWLOC))
    message(FATAL_ERROR "ORIEL_${part} needs ORIEL_TOOLS, ORIEL_WITH_FABRIC and ORIEL_WITH_HWLOC; "
                        "turn it off (-DORIEL_${part}=OFF), or those on")
  endif()
endforeach()
if(ORIEL_TOOLS)
  find_package(fmt REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
endif()
