# Installs BUILD below WORK and builds SOURCE against it, twice.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(failed)
    message(FATAL_ERROR "${ARGN} failed:\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/cmake -G Ninja -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/cmake)
run(${WORK}/cmake/consumer)
run(${prefix}/bin/oriel-run -n 2 ${WORK}/cmake/consumer)

file(GLOB_RECURSE pc ${prefix}/oriel.pc)
get_filename_component(pc_folder ${pc} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
execute_process(COMMAND pkg-config --define-variable=prefix=${prefix} --cflags --libs oriel
                OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${COMPILER} ${SOURCE}/main.cpp ${flags} -o ${WORK}/by-pkg-config)
run(${WORK}/by-pkg-config)

# A program in C, with nothing of C++.
execute_process(COMMAND pkg-config --define-variable=prefix=${prefix} --cflags --libs oriel_c
                OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${C_COMPILER} -std=c99 ${SOURCE}/main.c ${flags} -o ${WORK}/in-c)
set(ENV{LD_LIBRARY_PATH} ${pc_folder}/..)
run(${prefix}/bin/oriel-run -n 2 ${WORK}/in-c)
file(REMOVE_RECURSE ${WORK})
