#include "session/crash_signals.hpp"

#include <dlfcn.h>

#include <string_view>

namespace oriel::sessions {
namespace {

void* code_of(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<void*>(action.sa_sigaction)
                                             : reinterpret_cast<void*>(action.sa_handler);
}

bool is_a_providers(const struct sigaction& action) noexcept {
  Dl_info where{};
  if (dladdr(code_of(action), &where) == 0 || where.dli_fname == nullptr) return false;
  const std::string_view file = where.dli_fname;
  for (const std::string_view name :
       {"/libpsm2.", "/libpsm_infinipath.", "/libinfinipath.", "/libfabric."})
    if (file.find(name) != std::string_view::npos) return true;
  return false;
}

}  // namespace

crash_signals::crash_signals() noexcept {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    sigaction(kept[i], nullptr, &before_[i]);
    if (!is_a_providers(before_[i])) continue;
    before_[i] = {};
    before_[i].sa_handler = SIG_DFL;
  }
}

crash_signals::~crash_signals() {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    struct sigaction now {};
    sigaction(kept[i], nullptr, &now);
    if (code_of(now) != code_of(before_[i])) sigaction(kept[i], &before_[i], nullptr);
  }
}

}  // namespace oriel::sessions
