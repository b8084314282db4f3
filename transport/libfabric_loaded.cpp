#include <dlfcn.h>

#include <array>
#include <string>

#include "oriel/errc.hpp"
#include "transport/libfabric_calls.hpp"

namespace oriel::transport {
namespace {

// One that CMake found where the loader does not look (ORIEL_LIBFABRIC_ROOT) comes first.
constexpr std::array files{
#ifdef ORIEL_LIBFABRIC_FILE
    ORIEL_LIBFABRIC_FILE,
#endif
    ORIEL_LIBFABRIC_SONAME};

[[noreturn]] void missing(const std::string& what) {
  throw error(errc::system, what +
                                "; libfabric (Debian: libfabric1) connects nodes, and a job on "
                                "one node does without");
}

// Never closed: providers leave threads and handlers at exit behind.
void* open_library() {
  std::string why;
  for (const char* const file : files) {
    if (void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return library;
    const char* const reason = dlerror();
    why = reason == nullptr ? "no reason given" : reason;
  }
  missing(std::string(ORIEL_LIBFABRIC_SONAME) + " cannot be loaded: " + why);
}

// A symbol of several versions takes what its version says: the one that a program which is linked
// with the library would have. Tools that put themselves before libfabric come first.
template <class Call>
void find(void* library, const char* symbol, const char* version, Call& call) {
  void* found = dlvsym(RTLD_DEFAULT, symbol, version);
  if (found == nullptr) found = dlvsym(library, symbol, version);
  if (found == nullptr)
    missing(std::string(ORIEL_LIBFABRIC_SONAME) + " has no " + symbol + " of the version " +
            version);
  call = reinterpret_cast<Call>(found);
}

libfabric_calls load() {
  void* const library = open_library();
  libfabric_calls calls{};
  find(library, "fi_getinfo", ORIEL_FI_GETINFO, calls.getinfo);
  find(library, "fi_freeinfo", ORIEL_FI_FREEINFO, calls.freeinfo);
  find(library, "fi_dupinfo", ORIEL_FI_DUPINFO, calls.dupinfo);
  find(library, "fi_fabric", ORIEL_FI_FABRIC, calls.fabric);
  find(library, "fi_version", ORIEL_FI_VERSION, calls.version);
  find(library, "fi_strerror", ORIEL_FI_STRERROR, calls.strerror);
  return calls;
}

}  // namespace

const libfabric_calls& libfabric_library() {
  static const libfabric_calls calls = load();
  return calls;
}

}  // namespace oriel::transport
