#include <link.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "mpi/threads/taken_calls.hpp"

namespace oriel::mpi {
namespace {

// Code of MPI libraries and what they use, as far as it is loaded when MPI is initialized.
struct code_range {
  std::uintptr_t low, high;
  bool of_cpp;  // may be used by the program and by MPI
};
constinit std::array<code_range, 512> codes{};
constinit std::size_t used_codes = 0;

bool is_of_cpp(std::string_view file) noexcept {
  return file.starts_with("libstdc++");
}

bool is_of_mpi(std::string_view file) noexcept {
  for (const std::string_view others :
       {"libmpi", "libpmpi", "libopen-", "mca_", "libuc", "libfabric", "libpmi", "libprrte",
        "libevent", "libhwloc", "liboriel", "libtsan"})
    if (file.starts_with(others)) return true;
  return false;
}

int add_codes(dl_phdr_info* object, std::size_t, void*) {
  const std::string_view path = object->dlpi_name, file = path.substr(path.rfind('/') + 1);
  if (!is_of_mpi(file) && !is_of_cpp(file)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0 || used_codes == codes.size())
      continue;
    const std::uintptr_t low = object->dlpi_addr + part.p_vaddr;
    codes[used_codes++] = {low, low + part.p_memsz, is_of_cpp(file)};
  }
  return 0;
}

// What of these the code is in, or null.
const code_range* find(const void* code) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  const auto after =
      std::upper_bound(codes.begin(), codes.begin() + used_codes, at,
                       [](std::uintptr_t a, const code_range& c) { return a < c.low; });
  if (after == codes.begin() || at >= std::prev(after)->high) return nullptr;
  return &*std::prev(after);
}

}  // namespace

void* of_hidden_library(const char* name) noexcept {
  void* const library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

bool is_the_programs(const void* caller) noexcept {
  const code_range* const in = find(caller);
  return in == nullptr || in->of_cpp;
}

bool is_the_programs_own(const void* caller) noexcept {
  return find(caller) == nullptr;
}

void told_order::set(const thread_order* order) noexcept {
  if (order != nullptr) {
    used_codes = 0;
    dl_iterate_phdr(add_codes, nullptr);
    std::sort(codes.begin(), codes.begin() + used_codes,
              [](const code_range& a, const code_range& b) { return a.low < b.low; });
  }
  current_.store(order);
  while (order == nullptr && users_.load() != 0) sched_yield();
}

}  // namespace oriel::mpi

extern "C" __attribute__((visibility("default"))) bool oriel_order_threads(
    const oriel::mpi::thread_order* order) noexcept {
  // Without the sanitizer nothing is heard of atomic instructions.
  if (dlsym(RTLD_NEXT, "__tsan_atomic32_load") == nullptr) return false;
  oriel::mpi::told_order::set(order);
  return true;
}
