# A file that is embedded and changes is embedded anew, with the compiler cache of the builds here: a
# program that prints such a file is built with one text, and again with another.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
set(ENV{CCACHE_DIR} ${WORK}/ccache)
file(WRITE ${WORK}/text "first")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G Ninja -DORIEL=${ORIEL}
                        -DCMAKE_CXX_COMPILER=${COMPILER}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(text first second first)
  file(WRITE ${WORK}/text ${text})
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${WORK}/print OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
  if(NOT printed STREQUAL text)
    message(SEND_ERROR "the file is '${text}', and '${printed}' is embedded")
  endif()
endforeach()
file(REMOVE_RECURSE ${WORK})
