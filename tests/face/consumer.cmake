# Installs BUILD below WORK, moves what was installed, and builds the programs in SOURCE against it:
# by CMake's package, by pkg-config, and in every language that there is a compiler for.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(failed)
    message(FATAL_ERROR "${ARGN} failed:\n${out}")
  endif()
endfunction()
# flags_of(<module>): the compiler's and linker's, in `flags`.
function(flags_of module)
  execute_process(COMMAND pkg-config --cflags --libs ${module}
                  OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(list UNIX_COMMAND "${text}")
  set(flags ${list} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
file(RENAME ${WORK}/installed ${prefix})
if(MODULECMD)
  run(bash ${SOURCE}/../modulefile.sh ${MODULECMD} ${prefix})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/cmake -G Ninja -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DWITH_FORTRAN=${WITH_FORTRAN} -DWITH_MPI=${WITH_MPI} -DWITH_SHMEM=${WITH_SHMEM})
run(${CMAKE_COMMAND} --build ${WORK}/cmake)
run(${WORK}/cmake/consumer)
run(${prefix}/bin/oriel-run -n 2 ${WORK}/cmake/consumer)

file(GLOB_RECURSE pc ${prefix}/oriel.pc)
get_filename_component(pc_folder ${pc} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
flags_of(oriel)
run(${COMPILER} ${SOURCE}/main.cpp ${flags} -o ${WORK}/by-pkg-config)
run(${WORK}/by-pkg-config)

# A program in C, with nothing of C++.
flags_of(oriel_c)
run(${C_COMPILER} -std=c99 ${SOURCE}/main.c ${flags} -o ${WORK}/in-c)
set(libraries ${pc_folder}/..)
run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} ${prefix}/bin/oriel-run -n 2 ${WORK}/in-c)

if(WITH_SHMEM)
  run(${prefix}/bin/oriel-run -n 2 ${WORK}/cmake/consumer-shmem)
  flags_of(oriel_shmem)
  run(${C_COMPILER} -std=c99 ${SOURCE}/shmem.c ${flags} -o ${WORK}/in-shmem)
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} ${prefix}/bin/oriel-run -n 2 ${WORK}/in-shmem)
endif()

if(WITH_FORTRAN)
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} ${prefix}/bin/oriel-run -n 2
      ${WORK}/cmake/consumer-fortran)
  flags_of(oriel_fortran)
  run(${FORTRAN_COMPILER} ${SOURCE}/main.f90 ${flags} -o ${WORK}/in-fortran)
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} ${prefix}/bin/oriel-run -n 2
      ${WORK}/in-fortran)
endif()

if(PYTHON)
  run(${CMAKE_COMMAND} -E env PYTHONPATH=${prefix}/${PYTHON_FOLDER}
      ${prefix}/bin/oriel-run -n 2 ${PYTHON} -B ${SOURCE}/main.py)
endif()
file(REMOVE_RECURSE ${WORK})
