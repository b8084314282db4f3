#include "session/bootstrap/pmix_library.hpp"

#include <dlfcn.h>

#include <string>

#include "oriel/errc.hpp"

namespace oriel::sessions {
namespace {

constexpr const char* file = "libpmix.so.2";

template <class Call>
void find(void* library, const char* symbol, Call& call) {
  call = reinterpret_cast<Call>(dlsym(library, symbol));
  if (call == nullptr)
    throw error(errc::system, std::string(file) + " has no " + symbol +
                                  ", which a session under a PMIx launcher needs: it must be PMIx "
                                  "version 3 or later");
}

}  // namespace

pmix_library pmix_library::load() {
  // Never closed: the library leaves a thread and handlers at exit behind.
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    throw error(errc::system,
                std::string("a PMIx launcher started this process (PMIX_NAMESPACE is set), but ") +
                    file + " cannot be loaded: " + (why == nullptr ? "no reason given" : why));
  }
  pmix_library calls{};
  find(library, "PMIx_Init", calls.init);
  find(library, "PMIx_Finalize", calls.finalize);
  find(library, "PMIx_Put", calls.put);
  find(library, "PMIx_Commit", calls.commit);
  find(library, "PMIx_Fence", calls.fence);
  find(library, "PMIx_Get", calls.get);
  find(library, "PMIx_Error_string", calls.error_string);
  return calls;
}

}  // namespace oriel::sessions
