# oriel_pkg_config(<name>): configures and installs cmake/<name>.pc.in. Its folders are derived from where
# the .pc file lies, so that an installed tree may be moved and `cmake --install --prefix` may name
# another; those that are not below the prefix stay as they are.
set(oriel_pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(oriel_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH oriel_pc_up "/${oriel_pc_folder}" "/")
  string(REGEX REPLACE "/$" "" oriel_pc_prefix "\${pcfiledir}/${oriel_pc_up}")
endif()

function(oriel_pc_path output path)
  if(NOT IS_ABSOLUTE "${path}")
    set(path "\${prefix}/${path}")
  endif()
  set(${output} "${path}" PARENT_SCOPE)
endfunction()
oriel_pc_path(oriel_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
oriel_pc_path(oriel_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")

function(oriel_pkg_config name)
  oriel_pc_path(oriel_pc_fortran "${oriel_fortran_folder}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${oriel_pc_folder})
endfunction()
