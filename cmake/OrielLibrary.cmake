# liboriel: the floors in one library, and liboriel_c: the same, shared, with nothing but the C face
# showing. Installed with the headers, a CMake package and .pc files.
include(CMakePackageConfigHelpers)

add_library(oriel)
add_library(oriel::oriel ALIAS oriel)
set(oriel_floors oriel_face oriel_kinds oriel_session oriel_transport oriel_sync oriel_atomics oriel_win
    oriel_capi)
foreach(floor ${oriel_floors})
  target_sources(oriel PRIVATE $<TARGET_OBJECTS:${floor}>)
endforeach()
target_include_directories(oriel PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(oriel PUBLIC cxx_std_20)
target_link_libraries(oriel PUBLIC Threads::Threads PRIVATE ${CMAKE_DL_LIBS})
# oriel_links(<pkg-config module> <library>): what a program that links liboriel statically links too.
set(oriel_links_to)
set(oriel_pc_requires)
set(oriel_pc_libraries)
macro(oriel_links module library)
  target_link_libraries(oriel PRIVATE $<BUILD_INTERFACE:PkgConfig::${module}>)
  list(APPEND oriel_links_to PkgConfig::${module})
  if(NOT BUILD_SHARED_LIBS)
    target_link_libraries(oriel INTERFACE $<INSTALL_INTERFACE:${library}>)
    string(APPEND oriel_pc_requires " ${module}")
    string(APPEND oriel_pc_libraries " -l${library}")
  endif()
endmacro()
if(ORIEL_WITH_HWLOC)
  oriel_links(hwloc hwloc)
endif()
if(ORIEL_WITH_FABRIC AND NOT oriel_libfabric_loading)
  oriel_links(libfabric fabric)
endif()
if(ORIEL_WITH_SODIUM)
  oriel_links(libsodium sodium)
endif()
set_target_properties(oriel PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

# What a process may load beside a program's own liboriel, as modules of Python and the MPI faces are, holds oriel
# itself: a process has one session for each copy.
if(BUILD_SHARED_LIBS)
  add_library(oriel_within STATIC EXCLUDE_FROM_ALL)
  foreach(floor ${oriel_floors})
    target_sources(oriel_within PRIVATE $<TARGET_OBJECTS:${floor}>)
  endforeach()
  target_include_directories(oriel_within PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_compile_features(oriel_within PUBLIC cxx_std_20)
  target_link_libraries(oriel_within PUBLIC ${oriel_links_to} Threads::Threads ${CMAKE_DL_LIBS})
else()
  add_library(oriel_within ALIAS oriel)
endif()

# What has no C++ linker loads this one (docs/C.md): programs in C and Fortran. Its symbols are
# those of oriel.h, so that a program may hold liboriel too without the two meeting.
add_library(oriel_c SHARED)
add_library(oriel::oriel_c ALIAS oriel_c)
foreach(floor ${oriel_floors})
  target_sources(oriel_c PRIVATE $<TARGET_OBJECTS:${floor}>)
endforeach()
target_include_directories(oriel_c INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(oriel_c PRIVATE ${oriel_links_to} Threads::Threads ${CMAKE_DL_LIBS})
set(oriel_c_symbols ${CMAKE_CURRENT_LIST_DIR}/oriel_c.map)
# nodelete: its threads, and calls on windows that were freed, may come after a dlclose.
target_link_options(oriel_c PRIVATE -Wl,--version-script=${oriel_c_symbols} -Wl,-z,nodelete)
set_target_properties(oriel_c PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS ${oriel_c_symbols}
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

install(TARGETS oriel oriel_c EXPORT orielTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/oriel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.cuh" PATTERN "*.def")
install(EXPORT orielTargets NAMESPACE oriel:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/oriel)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/orielConfig.cmake.in
  ${PROJECT_BINARY_DIR}/orielConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/oriel)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/orielConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/orielConfig.cmake ${PROJECT_BINARY_DIR}/orielConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/oriel)
include(OrielPkgConfig)
oriel_pkg_config(oriel)
oriel_pkg_config(oriel_c)
