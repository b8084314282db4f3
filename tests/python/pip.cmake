# `pip install .` of SOURCE below WORK, with the module that BUILD has, and without a network; then imports it. A module
# that lacks a symbol is not installed.
file(REMOVE_RECURSE ${WORK})
foreach(file pyproject.toml setup.py CMakeLists.txt docs/PYTHON.md bindings/python/oriel)
  get_filename_component(folder ${WORK}/source/${file} DIRECTORY)
  file(COPY ${SOURCE}/${file} DESTINATION ${folder})
endforeach()
function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=PYTHONPATH ${ARGN} WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(failed)
    message(FATAL_ERROR "${ARGN} failed:\n${out}")
  endif()
endfunction()
set(install PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore ${PYTHON} -m pip install --quiet --no-index
    --no-deps --no-build-isolation --no-cache-dir)
run(ORIEL_BUILD=${BUILD} ${install} --target ${WORK}/installed ${WORK}/source)
run(PYTHONPATH=${WORK}/installed ${PYTHON} -B -c
    "import oriel, importlib.metadata as m; s = oriel.Session(); assert s.world.size == 1 and m.version('oriel')")

file(GLOB module ${BUILD}/python/oriel/_oriel.*)
cmake_path(GET module FILENAME module)
file(WRITE ${WORK}/lacks.c "void lacks_this(void); void calls(void) { lacks_this(); }\n")
file(MAKE_DIRECTORY ${WORK}/broken/python/oriel)
run(${C_COMPILER} -shared -fPIC -o ${WORK}/broken/python/oriel/${module} ${WORK}/lacks.c)
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=PYTHONPATH ORIEL_BUILD=${WORK}/broken ${install}
                        --target ${WORK}/not_installed ${WORK}/source
                RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
if(NOT failed OR NOT out MATCHES "undefined symbol: lacks_this")
  message(FATAL_ERROR "a module that lacks a symbol was installed, or why it was not is not told:\n${out}")
endif()
file(REMOVE_RECURSE ${WORK})
