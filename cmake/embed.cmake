# Run by what oriel_embed_file adds: writes SOURCE, which embeds FILE.
file(SHA256 ${FILE} HASH)
configure_file(${CMAKE_CURRENT_LIST_DIR}/embedded.cpp.in ${SOURCE} @ONLY)
file(TOUCH ${SOURCE})
