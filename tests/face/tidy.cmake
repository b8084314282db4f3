# face.tidy.<n>: the library and the MPI face keep the rules of .clang-tidy, where the tool is installed. Most
# of its time goes to the standard library's headers, so it reads many sources as one.
find_program(ORIEL_CLANG_TIDY NAMES clang-tidy-14 clang-tidy)
if(NOT ORIEL_CLANG_TIDY OR ORIEL_SANITIZE)
  return()
endif()

set(left)
set(headers)
set(definitions)
foreach(floor kinds sync session transport atomics win capi mpi shmem)
  set(target oriel_${floor})
  if(floor STREQUAL mpi)
    set(target oriel-mpich)  # one MPI's face is made of all its sources
  endif()
  if(NOT TARGET ${target})
    continue()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^[^/].*\\.cpp$")
  list(TRANSFORM sources PREPEND ${floor}/)
  list(APPEND left ${sources})
  list(APPEND headers $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  list(APPEND definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
endforeach()
if(TARGET oriel-threads)
  get_target_property(sources oriel-threads SOURCES)
  list(TRANSFORM sources PREPEND mpi/)
  list(APPEND left ${sources})
endif()
set(headers "$<REMOVE_DUPLICATES:$<FILTER:${headers},EXCLUDE,^(${PROJECT_SOURCE_DIR}.*|/usr/include)?$>>")
set(definitions "$<REMOVE_DUPLICATES:$<FILTER:${definitions},INCLUDE,.>>")

# What matches one expression is read apart from the others, since it defines the same names.
set(number 0)
foreach(expression "^kinds/rocm" "^kinds/level_zero" "^win/adversary" "^win/check" "^mpi/threads/" "^mpi/" ".")
  set(together ${left})
  list(FILTER together INCLUDE REGEX "${expression}")
  list(FILTER left EXCLUDE REGEX "${expression}")
  if(NOT together)
    continue()
  endif()
  math(EXPR number "${number} + 1")
  list(TRANSFORM together REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN together "" includes)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/tidy/${number}.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT
       "// NOLINTBEGIN(bugprone-suspicious-include)\n${includes}// NOLINTEND(bugprone-suspicious-include)\n")
  add_test(NAME face.tidy.${number} COMMAND ${ORIEL_CLANG_TIDY} --quiet
    --config-file=${PROJECT_SOURCE_DIR}/.clang-tidy ${file} --
    -std=c++20 -mcx16 -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include
    "$<$<BOOL:${headers}>:-isystem$<JOIN:${headers},;-isystem>>"
    "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" COMMAND_EXPAND_LISTS)
  # Beside two of these a failure detector that allows two seconds of silence was seen to go hungry.
  set_tests_properties(face.tidy.${number} PROPERTIES LABELS unit TIMEOUT 300 PROCESSORS 2)
endforeach()
