// Preloaded in tests. libfabric's provider for verbs reads the kernel's list of symbols twice as a
// process opens its first endpoint, whatever provider is used (kernel_sym_exists), to find how
// adapters reach the memory of devices. That is a hundred thousand lines, and half of the processor
// time of a test with several nodes. No list is an answer that it is written for: no adapter does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

FILE* fopen(const char* path, const char* mode) {
  if (strcmp(path, "/proc/kallsyms") == 0) {
    errno = ENOENT;
    return NULL;
  }
  FILE* (*next)(const char*, const char*);
  *(void**)&next = dlsym(RTLD_NEXT, "fopen");
  return next(path, mode);
}
