/* Extensions of this library: none. The specification asks for the header all the same. */
#ifndef ORIEL_SHMEM_SHMEMX_H
#define ORIEL_SHMEM_SHMEMX_H

#include "shmem.h"

#endif
