# What installed files say of where the others are: derived from where they lie themselves, so that an
# installed tree may be moved and `cmake --install --prefix` may name another; folders that are not below
# the prefix stay as they are.
include_guard()

# oriel_way_up(<output> <folder>): from <folder>, which is relative, to the prefix.
function(oriel_way_up output folder)
  file(RELATIVE_PATH up "/${folder}" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(${output} "${up}" PARENT_SCOPE)
endfunction()

# oriel_below(<output> <prefix> <path>): <path> below what the file calls <prefix>, unless it is absolute.
function(oriel_below output prefix path)
  if(NOT IS_ABSOLUTE "${path}")
    set(path "${prefix}/${path}")
  endif()
  set(${output} "${path}" PARENT_SCOPE)
endfunction()
