# Configures SOURCE, which fetches ORIEL, and compiles a program of it; the library itself is not built again.
file(REMOVE_RECURSE ${WORK})
foreach(step "-S;${SOURCE};-B;${WORK};-G;Ninja;-DCMAKE_CXX_COMPILER=${COMPILER};-DORIEL=${ORIEL}"
             "--build;${WORK};--target;fetching")
  execute_process(COMMAND ${CMAKE_COMMAND} ${step} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(failed)
    message(FATAL_ERROR "${step} failed:\n${out}")
  endif()
endforeach()
file(REMOVE_RECURSE ${WORK})
