# oriel_embed_file(<target> FILE <file> SYMBOL <name> [ALIGN <bytes>]): <target> gets the bytes of a file, which
# the build may make, from <name>_begin up to <name>_end, aligned to 64 bytes or as many as it says.
#
# The source that reads the file carries its hash, and is written when the file is: compiler caches know sources by
# what compilers read of them, and it is the assembler that reads the file.
function(oriel_embed_file target)
  cmake_parse_arguments(arg "" "FILE;SYMBOL;ALIGN" "" ${ARGN})
  if(NOT arg_ALIGN)
    set(arg_ALIGN 64)
  endif()
  set(cmake ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${arg_SYMBOL}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -D FILE=${arg_FILE} -D SYMBOL=${arg_SYMBOL} -D ALIGN=${arg_ALIGN}
            -D SOURCE=${source} -P ${cmake}/embed.cmake
    DEPENDS ${arg_FILE} ${cmake}/embed.cmake ${cmake}/embedded.cpp.in
    COMMENT "Embedding ${arg_SYMBOL}" VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
