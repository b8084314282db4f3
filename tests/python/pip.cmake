# `pip install .` of SOURCE below WORK, with the module that BUILD has, and without a network; then imports it.
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
run(ORIEL_BUILD=${BUILD} PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore ${PYTHON} -m pip install --quiet
    --no-index --no-deps --no-build-isolation --no-cache-dir --target ${WORK}/installed ${WORK}/source)
run(PYTHONPATH=${WORK}/installed ${PYTHON} -B -c
    "import oriel, importlib.metadata as m; s = oriel.Session(); assert s.world.size == 1 and m.version('oriel')")
file(REMOVE_RECURSE ${WORK})
