# Language level, warnings, sanitizers and compiler cache for every target of oriel's own.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  else()
    set(CMAKE_BUILD_TYPE Release)  # of oriel alone: the project that fetches it has chosen none
  endif()
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET default)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(ORIEL_CCACHE ccache)
if(ORIEL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # It keeps what was compiled with precompiled headers if it need not know every macro in them. It
  # compares files, not what the preprocessor makes of them: precompiled headers know the very bytes
  # that they were made of, so one of before a comment changed does not fit. What one clone compiled
  # serves another: paths are relative to the tree.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${ORIEL_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${ORIEL_CCACHE})
endif()

set(ORIEL_SANITIZE "" CACHE STRING "address, undefined, address,undefined or thread; empty for none")
option(ORIEL_FUZZ "Build the fuzzers of tests/fuzz too; needs Clang" OFF)
if(ORIEL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "ORIEL_FUZZ needs Clang, whose library the fuzzers are linked with; the "
                        "compiler is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)  # the library tells the fuzzer where it has been
endif()
option(ORIEL_WARNINGS_ARE_ERRORS "Off for compilers whose warnings have not been seen yet"
       ${PROJECT_IS_TOP_LEVEL})
add_library(oriel_flags INTERFACE)
target_compile_options(oriel_flags INTERFACE -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports "literal" + std::to_string(n) wrongly (GCC bug 105651).
  target_compile_options(oriel_flags INTERFACE -Wno-restrict)
endif()
if(ORIEL_WARNINGS_ARE_ERRORS AND NOT ORIEL_SANITIZE)
  # Instrumented code makes GCC warn about the standard library's own (<regex>, for one).
  target_compile_options(oriel_flags INTERFACE -Werror)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(oriel_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-mcx16>)
endif()
if(ORIEL_SANITIZE)
  set(oriel_sanitize_flags -fsanitize=${ORIEL_SANITIZE} -fno-omit-frame-pointer)
  if(ORIEL_SANITIZE MATCHES "undefined")
    list(APPEND oriel_sanitize_flags -fno-sanitize-recover=all)
  endif()
  add_compile_options(${oriel_sanitize_flags})
  add_link_options(-fsanitize=${ORIEL_SANITIZE})
  if(ORIEL_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Fences are not modelled by the thread sanitizer; the words around them are atomic anyway.
    target_compile_options(oriel_flags INTERFACE -Wno-tsan)
  endif()
endif()

# oriel_common_headers(<target>): reads the standard library's headers that most sources include once
# for the target, which they would spend more than half of their time on. Sources include what they
# use none the less: the preset debug builds without.
function(oriel_common_headers target)
  set(headers algorithm array atomic chrono complex condition_variable cstring functional map memory
              mutex optional span string thread vector)
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${target} PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # for ccache
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # The wrong report again, which it makes of system headers only where they come precompiled.
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
    endif()
  endif()
endfunction()

# oriel_read_together(<target> [ALONE <regex>…]): compiles a dozen of the target's sources at a time as
# one, which spends the time for headers once for them; those that match stay alone: what is timed, and
# what defines the same names as others. The preset debug compiles each alone.
option(ORIEL_READ_TOGETHER "Compile several sources as one where they allow it" ON)
function(oriel_read_together target)
  cmake_parse_arguments(arg "" "" "ALONE" ${ARGN})
  if(NOT ORIEL_READ_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  get_target_property(sources ${target} SOURCES)
  foreach(pattern ${arg_ALONE})
    set(alone ${sources})
    list(FILTER alone INCLUDE REGEX ${pattern})
    set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# oriel_command_line(<file>…): sources that read a command line with CLI11, whose templates take 15 s
# each to optimize, for what a program does once. They are not.
function(oriel_command_line)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O0)
  endif()
endfunction()

# oriel_floor(<name> <sources…>): the object library of one folder.
function(oriel_floor name)
  add_library(oriel_${name} OBJECT ${ARGN})
  target_include_directories(oriel_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(oriel_${name} PUBLIC Threads::Threads PRIVATE oriel_flags)
  oriel_common_headers(oriel_${name})
endfunction()
