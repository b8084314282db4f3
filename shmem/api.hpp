// The headers that programs include, without what they inline: whoever defines their functions.
#pragma once

#define ORIEL_SHMEM_CALLS
#include "shmem/include/pshmem.h"
#include "shmem/include/shmem.h"

// Behind the definition of pshmem_NAME, in extern "C": shmem_NAME is the same function, unless the
// program or a tool before this library has one of that name.
#define ORIEL_SHMEM_WEAK(name) \
  decltype(pshmem_##name) shmem_##name __attribute__((weak, alias("pshmem_" #name)));
