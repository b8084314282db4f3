// Preloaded by tests. libfabric looks through all symbols of the kernel, twice a process, for
// support of adapters that are not here: a tenth of a second for each of the thousand ranks of the
// suite.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef FILE* (*opening)(const char* path, const char* mode);

FILE* fopen(const char* path, const char* mode) {
  const opening next = (opening)dlsym(RTLD_NEXT, "fopen");
  return next(strcmp(path, "/proc/kallsyms") == 0 ? "/dev/null" : path, mode);
}
