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

// The one that the program has already, if it has, as when it is linked with it. For all of the
// process, as by linking, so that what stands before it finds it. Never closed: providers leave
// threads and handlers at exit behind.
void* open_library() {
  if (void* const there = dlopen(ORIEL_LIBFABRIC_SONAME, RTLD_NOW | RTLD_NOLOAD)) return there;
  std::string why;
  for (const char* const file : files) {
    if (void* const library = dlopen(file, RTLD_NOW | RTLD_GLOBAL)) return library;
    const char* const reason = dlerror();
    why += (why.empty() ? "" : "; ") + std::string(reason == nullptr ? "no reason given" : reason);
  }
  missing(std::string(ORIEL_LIBFABRIC_SONAME) + " cannot be loaded: " + why);
}

const void* object_of(void* symbol) noexcept {
  Dl_info where{};
  return dladdr(symbol, &where) != 0 ? where.dli_fbase : nullptr;
}

// A symbol of several versions takes what its version says: the one that a program which is linked
// with the library would have. A tool's own that stands before the library (LD_PRELOAD) has no
// version, and is called instead.
template <class Call>
void find(void* library, const char* symbol, const char* version, Call& call) {
  void* found = dlvsym(library, symbol, version);
  if (found == nullptr)
    missing(std::string(ORIEL_LIBFABRIC_SONAME) + " has no " + symbol + " of the version " +
            version);
  void* const first = dlsym(RTLD_DEFAULT, symbol);
  if (first != nullptr && object_of(first) != object_of(found)) found = first;
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
