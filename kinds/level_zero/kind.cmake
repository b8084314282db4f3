find_path(ORIEL_LEVEL_ZERO_INCLUDE_DIR level_zero/ze_api.h
          DOC "Folder of Level Zero's headers; the kind level_zero needs it")
# The translator reads what Clang of its own version writes.
find_program(ORIEL_SPIRV_CLANG NAMES clang-14
             DOC "Clang of llvm-spirv's version; atomics on memory of Level Zero's devices need both")
find_program(ORIEL_LLVM_SPIRV NAMES llvm-spirv-14 DOC "The translator from LLVM's code to SPIR-V")

if(ORIEL_LEVEL_ZERO_INCLUDE_DIR)
  set(found TRUE)
  target_sources(oriel_kinds PRIVATE level_zero/atomics.cpp level_zero/device.cpp
                                     level_zero/foreign_descriptor.cpp level_zero/kernels.cpp
                                     level_zero/library.cpp level_zero/runtime.cpp)
  target_include_directories(oriel_kinds SYSTEM PRIVATE ${ORIEL_LEVEL_ZERO_INCLUDE_DIR})
  if(ORIEL_SPIRV_CLANG AND ORIEL_LLVM_SPIRV)
    set(symbol oriel_spirv_kernels)
    set(image ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.spv)
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/level_zero/atomic_kernels.cl)
    file(GLOB enumerations CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/oriel/enumerations/*.def)
    add_custom_command(OUTPUT ${image}
      COMMAND ${ORIEL_SPIRV_CLANG} -x cl -target spir64 -cl-std=CL2.0 -O2 -fno-slp-vectorize -Wall -Wextra
              $<$<BOOL:${ORIEL_WARNINGS_ARE_ERRORS}>:-Werror> -Xclang -finclude-default-header
              -I${PROJECT_SOURCE_DIR}/include -emit-llvm -c ${source} -o ${image}.bc
      COMMAND ${ORIEL_LLVM_SPIRV} --spirv-max-version=1.1 ${image}.bc -o ${image}
      DEPENDS ${source} ${enumerations}
      COMMENT "Compiling device code for Level Zero" COMMAND_EXPAND_LISTS VERBATIM)
    oriel_embed_file(oriel_kinds FILE ${image} SYMBOL ${symbol})
    set_source_files_properties(level_zero/kernels.cpp PROPERTIES
                                COMPILE_DEFINITIONS ORIEL_SPIRV_KERNELS=1)
  endif()
endif()
