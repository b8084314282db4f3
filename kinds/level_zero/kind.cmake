find_path(ORIEL_LEVEL_ZERO_INCLUDE_DIR level_zero/ze_api.h
          DOC "Folder of Level Zero's headers; the kind level_zero needs it")
if(ORIEL_LEVEL_ZERO_INCLUDE_DIR)
  set(found TRUE)
  target_sources(oriel_kinds PRIVATE level_zero/foreign_descriptor.cpp level_zero/runtime.cpp
                                     level_zero/device.cpp level_zero/library.cpp)
  target_include_directories(oriel_kinds SYSTEM PRIVATE ${ORIEL_LEVEL_ZERO_INCLUDE_DIR})
endif()
