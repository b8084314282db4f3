#include "tests/sim/thread_locals.hpp"

#include <cxxabi.h>
#include <link.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "tests/sim/scheduler.hpp"

namespace oriel::sim {
namespace {

// Of this program, and of the only thread that runs fibers.
struct segment {
  std::byte* variables = nullptr;
  std::size_t bytes = 0;
  std::span<const std::byte> first_values;  // zeros follow
};

int find_in(dl_phdr_info* object, std::size_t, void* found) {
  auto& s = *static_cast<segment*>(found);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_TLS) continue;
    s.variables = static_cast<std::byte*>(object->dlpi_tls_data);
    s.bytes = part.p_memsz;
    s.first_values = {reinterpret_cast<const std::byte*>(object->dlpi_addr + part.p_vaddr),
                      part.p_filesz};
  }
  return 1;  // the program comes first, and libraries are left out
}

const segment& program() {
  static const segment found = [] {
    segment s;
    dl_iterate_phdr(find_in, &s);
    return s;
  }();
  return found;
}

}  // namespace

thread_locals::thread_locals() : values_(program().bytes) {
  const auto first = program().first_values;
  if (!first.empty()) std::memcpy(values_.data(), first.data(), first.size());
}

void thread_locals::leave() noexcept {
  if (!values_.empty()) std::memcpy(values_.data(), program().variables, values_.size());
  std::memcpy(&exceptions_, abi::__cxa_get_globals(), sizeof exceptions_);
  errno_ = errno;
}

void thread_locals::enter() noexcept {
  if (!values_.empty()) std::memcpy(program().variables, values_.data(), values_.size());
  std::memcpy(abi::__cxa_get_globals(), &exceptions_, sizeof exceptions_);
  errno = errno_;
}

void thread_locals::destroy_at_end(void (*destroy)(void*), void* object) {
  objects_.emplace_back(destroy, object);
}

void thread_locals::end() {
  while (!objects_.empty()) {
    const auto [destroy, object] = objects_.back();
    objects_.pop_back();
    destroy(object);
  }
}

}  // namespace oriel::sim

extern "C" {
// What compilers call where a thread_local object has a destructor.
int __real___cxa_thread_atexit(void (*destroy)(void*), void* object, void* library);
int __wrap___cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  auto* const run = oriel::sim::scheduler::active();
  if (run == nullptr) return __real___cxa_thread_atexit(destroy, object, library);
  run->own_of_thread().destroy_at_end(destroy, object);
  return 0;
}
}
