// A fixture of floors_test: never compiled.
#include <hwloc.h>
