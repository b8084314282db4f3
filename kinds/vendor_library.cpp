#include "kinds/vendor_library.hpp"

#include <dlfcn.h>

namespace oriel::kinds {

vendor_library::vendor_library(const char* title, std::initializer_list<const char*> names)
    : title_(title) {
  for (const char* name : names) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) break;
    const char* const why = dlerror();
    if (why_absent_.empty())
      why_absent_ = std::string(title_) + " cannot be loaded: " + (why == nullptr ? "" : why);
  }
  if (handle_ != nullptr) why_absent_.clear();
}

void* vendor_library::address(const char* name) const noexcept {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

void vendor_library::lacks(const char* name) {
  if (why_absent_.empty()) why_absent_ = std::string(title_) + " lacks " + name;
}

}  // namespace oriel::kinds
