# libfabric 1.17 or later: the one that pkg-config finds, or the one installed below
# ORIEL_LIBFABRIC_ROOT. A distribution's rarely moves device memory (docs/GPU.md), so what the one
# at hand was built for is told here; none of it is required.
set(ORIEL_LIBFABRIC_ROOT "" CACHE PATH "Where libfabric is installed, when not where pkg-config looks")

# Whatever was found below another root is forgotten.
if(NOT "${ORIEL_LIBFABRIC_ROOT}" STREQUAL "${oriel_libfabric_root_searched}")
  unset(__pkg_config_checked_libfabric CACHE)
  unset(pkgcfg_lib_libfabric_fabric CACHE)
endif()
set(oriel_libfabric_root_searched "${ORIEL_LIBFABRIC_ROOT}" CACHE INTERNAL "")

set(oriel_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
if(ORIEL_LIBFABRIC_ROOT)
  file(GLOB oriel_libfabric_pc ${ORIEL_LIBFABRIC_ROOT}/lib*/pkgconfig/libfabric.pc
       ${ORIEL_LIBFABRIC_ROOT}/lib/*/pkgconfig/libfabric.pc)
  if(NOT oriel_libfabric_pc)
    message(FATAL_ERROR "ORIEL_LIBFABRIC_ROOT is '${ORIEL_LIBFABRIC_ROOT}', and there is no "
                        "libfabric.pc in its lib/pkgconfig")
  endif()
  list(GET oriel_libfabric_pc 0 oriel_libfabric_pc)
  cmake_path(GET oriel_libfabric_pc PARENT_PATH oriel_libfabric_pc)
  set(ENV{PKG_CONFIG_PATH} "${oriel_libfabric_pc}:${oriel_pkg_config_path}")
endif()
pkg_check_modules(libfabric REQUIRED IMPORTED_TARGET libfabric>=1.17)
set(ENV{PKG_CONFIG_PATH} "${oriel_pkg_config_path}")

# The library names a vendor's runtime when it was built for it, whether it is linked with that or
# loads it later.
set(oriel_libfabric_file "${pkgcfg_lib_libfabric_fabric}")
set(ORIEL_LIBFABRIC_KINDS "")
if(EXISTS "${oriel_libfabric_file}")
  foreach(kind_and_runtime cuda=libcudart rocm=libhsa-runtime64 level_zero=libze_loader)
    string(REGEX MATCH "^(.*)=(.*)$" matched ${kind_and_runtime})
    set(kind ${CMAKE_MATCH_1})
    file(STRINGS "${oriel_libfabric_file}" names REGEX "^${CMAKE_MATCH_2}\\.so" LIMIT_COUNT 1)
    if(names)
      list(APPEND ORIEL_LIBFABRIC_KINDS ${kind})
    endif()
  endforeach()
  if(ORIEL_LIBFABRIC_KINDS)
    list(JOIN ORIEL_LIBFABRIC_KINDS ", " oriel_libfabric_told)
  else()
    set(oriel_libfabric_told "none")
  endif()
  message(STATUS "libfabric ${libfabric_VERSION}: ${oriel_libfabric_file}, built for device memory "
                 "of: ${oriel_libfabric_told} (oriel-info --providers tells what it registers)")
endif()

# A session loads it when it first connects nodes (transport/libfabric_calls.hpp): by its name, and by the versions of
# its symbols that its headers go with, which linking with it would take. Where it is no shared library, it is linked.
set(oriel_libfabric_loading)
if(EXISTS "${oriel_libfabric_file}" AND CMAKE_OBJDUMP)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p -T ${oriel_libfabric_file}
                  OUTPUT_VARIABLE oriel_libfabric_symbols ERROR_QUIET)
  if(oriel_libfabric_symbols MATCHES "SONAME +([^ \n]+)")
    set(oriel_libfabric_soname ${CMAKE_MATCH_1})
    set(oriel_libfabric_loading ORIEL_LIBFABRIC_SONAME="${oriel_libfabric_soname}")
  endif()
  foreach(call getinfo freeinfo dupinfo fabric version strerror)
    # Of several versions the one that is not in parentheses.
    if(oriel_libfabric_loading AND oriel_libfabric_symbols MATCHES " ([A-Za-z]+_[0-9.]+) +fi_${call}\n")
      string(TOUPPER ${call} name)
      list(APPEND oriel_libfabric_loading ORIEL_FI_${name}="${CMAKE_MATCH_1}")
    else()
      set(oriel_libfabric_loading)
    endif()
  endforeach()
  # One that the loader would not find by itself has its path, as linking would leave it.
  cmake_path(GET oriel_libfabric_file PARENT_PATH oriel_libfabric_folder)
  if(oriel_libfabric_loading AND NOT oriel_libfabric_folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    string(REGEX REPLACE "^${CMAKE_SYSROOT}/" "/" oriel_libfabric_there "${oriel_libfabric_folder}/${oriel_libfabric_soname}")
    list(APPEND oriel_libfabric_loading ORIEL_LIBFABRIC_FILE="${oriel_libfabric_there}")
  endif()
endif()
