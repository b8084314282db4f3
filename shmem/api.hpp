// The header that programs include, without what it inlines: whoever defines its functions.
#pragma once

#define ORIEL_SHMEM_CALLS
#include "shmem/include/shmem.h"
