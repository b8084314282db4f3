# Configures SOURCE with every sensible set of parts, in WORK; nothing is built. One folder serves all
# sets, so each names every part.
cmake_minimum_required(VERSION 3.25)
set(parts TESTS BENCH EXAMPLES TOOLS MPI WITH_FABRIC WITH_HWLOC WITH_SODIUM)
# Each set leaves these parts out.
set(sets
  "EXAMPLES"
  "MPI"
  "BENCH,EXAMPLES,MPI"
  "TESTS,BENCH"
  "TESTS,EXAMPLES,MPI"
  "TESTS,BENCH,EXAMPLES"
  "TESTS,BENCH,EXAMPLES,TOOLS"
  "TESTS,BENCH,EXAMPLES,WITH_FABRIC"
  "TESTS,BENCH,EXAMPLES,WITH_HWLOC"
  "TESTS,BENCH,EXAMPLES,WITH_SODIUM"
  "TESTS,BENCH,EXAMPLES,TOOLS,WITH_FABRIC,WITH_HWLOC,WITH_SODIUM")

file(REMOVE_RECURSE ${WORK})
foreach(set ${sets})
  string(REPLACE "," ";" without "${set}")
  set(options)
  foreach(part ${parts})
    set(on ON)
    if(part IN_LIST without)
      set(on OFF)
    endif()
    list(APPEND options -DORIEL_${part}=${on})
  endforeach()
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G Ninja
                          -DCMAKE_CXX_COMPILER=${COMPILER} ${options}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(failed)
    message(SEND_ERROR "without ${set}:\n${out}")
  endif()
endforeach()
file(REMOVE_RECURSE ${WORK})
