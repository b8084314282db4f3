// The calls of libpmix that oriel makes, loaded when a PMIx launcher has started the process and
// not before: so liboriel runs where there is no libpmix, and uses the one that the launcher
// brings.
#pragma once

#include <pmix.h>

namespace oriel::sessions {

struct pmix_library {
  decltype(&PMIx_Init) init;
  decltype(&PMIx_Finalize) finalize;
  decltype(&PMIx_Put) put;
  decltype(&PMIx_Commit) commit;
  decltype(&PMIx_Fence) fence;
  decltype(&PMIx_Get) get;
  decltype(&PMIx_Error_string) error_string;

  // Throws system when the library or one of its calls is not to be found.
  static pmix_library load();
};

}  // namespace oriel::sessions
