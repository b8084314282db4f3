// Preloaded by tests. libfabric looks through all symbols of the kernel, twice a process, for
// support of adapters that are not here: a tenth of a second for each of the thousand ranks of the
// suite.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef FILE* (*opening)(const char* path, const char* mode);

static FILE* open_by(const char* name, const char* path, const char* mode) {
  const opening next = (opening)dlsym(RTLD_NEXT, name);
  return next(strcmp(path, "/proc/kallsyms") == 0 ? "/dev/null" : path, mode);
}

FILE* fopen(const char* path, const char* mode) {
  return open_by("fopen", path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return open_by("fopen64", path, mode);
}
