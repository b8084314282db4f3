# Code for devices, compiled by nvcc where it is found and embedded as data: liboriel loads it through
# the driver, so the project needs neither the CUDA language nor CUDA's libraries.
include_guard(DIRECTORY)
include(OrielEmbed)
find_program(ORIEL_NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_HOME PATH_SUFFIXES bin)
set(ORIEL_CUDA_ARCHITECTURES "75;80;90" CACHE STRING
    "Compute capabilities that device code is compiled for; later ones translate the last one's PTX")

# What every compilation of device code needs; no relocatable device code.
set(oriel_nvcc_flags -std=c++20 -O3 -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include
    -ccbin ${CMAKE_CXX_COMPILER})

# oriel_embed_device_code(<target> SOURCE <file.cu> SYMBOL <name>): <target> gets the bytes of a fat
# binary from <name>_begin up to <name>_end, and the definition of <NAME>, which tells its sources
# that they are there. Without nvcc it gets neither.
function(oriel_embed_device_code target)
  cmake_parse_arguments(arg "" "SOURCE;SYMBOL" "" ${ARGN})
  if(NOT ORIEL_NVCC)
    return()
  endif()
  set(symbol ${arg_SYMBOL})
  cmake_path(ABSOLUTE_PATH arg_SOURCE NORMALIZE OUTPUT_VARIABLE source)
  set(fatbin ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.fatbin)
  set(generate)
  foreach(architecture ${ORIEL_CUDA_ARCHITECTURES})
    list(APPEND generate -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  list(GET ORIEL_CUDA_ARCHITECTURES -1 newest)
  list(APPEND generate -gencode arch=compute_${newest},code=compute_${newest})
  # A source that another target has embedded already is not compiled again.
  get_property(compiled GLOBAL PROPERTY oriel_fatbin_of_${source})
  if(compiled)
    list(GET compiled 0 fatbin)
    list(GET compiled 1 by)
    add_dependencies(${target} ${by})
  else()
    set_property(GLOBAL PROPERTY oriel_fatbin_of_${source} ${fatbin} ${target})
    add_custom_command(OUTPUT ${fatbin}
      COMMAND ${ORIEL_NVCC} -fatbin ${oriel_nvcc_flags} ${generate} -MD -MF ${fatbin}.d -MT ${fatbin}
              -o ${fatbin} ${source}
      DEPENDS ${source} DEPFILE ${fatbin}.d
      COMMENT "Compiling device code ${arg_SOURCE}" VERBATIM)
  endif()
  oriel_embed_file(${target} FILE ${fatbin} SYMBOL ${symbol})
  string(TOUPPER ${symbol} definition)
  target_compile_definitions(${target} PRIVATE ${definition}=1)
endfunction()

# oriel_gpu_program(<name> [ON_PROCESSORS] SOURCES <file.cu|file.cpp>… [LIBS <target>…]): a program whose
# .cu files nvcc compiles, for ORIEL_CUDA_ARCHITECTURES, and which is linked with CUDA's runtime; or to
# PTX alone, which the test driver runs, and linked with what stands for the runtime (tests/drivers).
find_library(ORIEL_CUDART_STATIC cudart_static HINTS ENV CUDA_HOME ${ORIEL_CUDA_INCLUDE_DIR}/..
             PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib)
function(oriel_gpu_program name)
  cmake_parse_arguments(arg "ON_PROCESSORS" "" "SOURCES;LIBS" ${ARGN})
  set(generate)
  foreach(architecture ${ORIEL_CUDA_ARCHITECTURES})
    list(APPEND generate -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  set(runtime ${ORIEL_CUDART_STATIC} rt)
  if(arg_ON_PROCESSORS)
    set(generate -gencode arch=compute_80,code=compute_80 --no-compress -lineinfo)
    set(runtime oriel_test_cudart)
  endif()
  set(objects)
  foreach(source ${arg_SOURCES})
    cmake_path(ABSOLUTE_PATH source)
    if(NOT source MATCHES "\\.cu$")
      list(APPEND objects ${source})
      continue()
    endif()
    cmake_path(GET source STEM stem)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${ORIEL_NVCC} -c ${oriel_nvcc_flags} ${generate}
              $<$<BOOL:${ORIEL_WARNINGS_ARE_ERRORS}>:-Werror=all-warnings>
              -Xcompiler=-Wall,-Wextra -MD -MF ${object}.d -MT ${object} -o ${object} ${source}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${stem}.cu"
      COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    list(APPEND objects ${object})
  endforeach()
  add_executable(${name} ${objects})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE ${arg_LIBS} oriel_flags ${runtime} Threads::Threads
                        ${CMAKE_DL_LIBS})
endfunction()
