// Names of madvise's advice that the headers of older systems lack.
#pragma once

#include <sys/mman.h>

// Linux 5.14.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
// Linux 6.1.
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
