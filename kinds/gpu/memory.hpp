// gpu_runtime's devices and their memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "kinds/gpu/gpu_runtime.hpp"

namespace oriel::kinds {

template <class Api>
gpu_runtime<Api>::gpu_runtime(std::unique_ptr<const Api> api)
    : api_(std::move(api)),
      count_(api_->devices()),
      devices_(new gpu_device<Api>[static_cast<std::size_t>(count_)]),
      atomics_(new atomic_state[static_cast<std::size_t>(count_)]) {
  for (int i = 0; i < count_; ++i) at(i).number(*api_, i);
}

template <class Api>
gpu_device<Api>& gpu_runtime<Api>::use(int device) const {
  if (const std::string why = lacks_device(device); !why.empty()) throw error(errc::arg, why);
  if (!at(device).ready()) fail(errc::system, device_name(device) + " cannot be used");
  return at(device);
}

template <class Api>
int gpu_runtime<Api>::some_device() const noexcept {
  for (int i = 0; i < count_; ++i)
    if (at(i).used()) return i;
  return current_device().value_or(0);
}

template <class Api>
std::string gpu_runtime<Api>::lacks_ipc(int device, residence where) const {
  if (std::string why = lacks_device(device); !why.empty()) return why;
  if (where == residence::device) return api_->lacks_handles(device);
  return std::string(Api::title) + " has no handles of " + std::string(name(Api::whose, where)) +
         " memory for other processes";
}

template <class Api>
std::string gpu_runtime<Api>::lacks_atomics(int device) const {
  if (std::string why = lacks_device(device); !why.empty()) return why;
  if (Api::kernels() == nullptr) return std::string("built without ") + Api::compiler;
  return api_->lacks_kernels(device);
}

template <class Api>
std::string gpu_runtime<Api>::lacks_peer_access(int device, int other) const {
  for (const int d : {device, other})
    if (std::string why = lacks_device(d); !why.empty()) return why;
  return device == other ? std::string() : api_->lacks_peer_access(device, other);
}

// Memory of a device that this process does not see can be opened all the same, but nobody answers
// what lies between.
template <class Api>
std::string gpu_runtime<Api>::lacks_link_atomics(int device, const ipc_ticket& ticket) const {
  if (std::string why = lacks_device(device); !why.empty()) return why;
  for (int other = 0; ticket.on != device_identity{} && other < count_; ++other)
    if (api_->identity(other) == ticket.on)
      return other == device ? std::string() : api_->lacks_link_atomics(device, other);
  return device_name(device) +
         " and the memory's, which this process does not see, may have no "
         "native atomics between them";
}

template <class Api>
std::string gpu_runtime<Api>::lacks_host_atomics(int device, residence where) const {
  std::string why = lacks_device(device);
  return why.empty() ? api_->lacks_host_atomics(device, where) : why;
}

template <class Api>
std::byte* gpu_runtime<Api>::allocate(int device, residence where, std::size_t bytes) {
  // Smaller allocations are carved out of blocks of this size, and a handle shows the whole block.
  constexpr std::size_t block = std::size_t{2} << 20;
  if (const std::string why = lacks_device(device); !why.empty()) throw error(errc::arg, why);
  if (const std::string why = lacks(where); !why.empty()) throw error(errc::unsupported_kind, why);
  const allocating_in_captures allowed(streams_);
  gpu_device<Api>& d = use(device);
  const current here(*api_, d.context());
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  const std::size_t whole = Api::of_device(where) ? (size + block - 1) / block * block : size;
  void* memory = nullptr;
  bool made = here.ok() && whole >= bytes && api_->allocate(where, whole, &memory);
  if (made && Api::of_device(where)) made = d.begin_clear(memory, whole) && d.wait(direction::in);
  if (!made) {
    const std::string why = last_failure();
    if (memory != nullptr) api_->free(where, memory);
    throw error(errc::no_mem, std::to_string(bytes) + " bytes of " +
                                  std::string(name(Api::whose, where)) + " memory of " +
                                  device_name(device) + " cannot be allocated (" + why + ")");
  }
  if (!Api::of_device(where)) std::memset(memory, 0, whole);
  return static_cast<std::byte*>(memory);
}

template <class Api>
void gpu_runtime<Api>::free(void* base) noexcept {
  const allocating_in_captures allowed(streams_);
  const auto found = api_->place(base);
  gpu_device<Api>& d = at(found && exists(found->device) ? found->device : some_device());
  if (!d.ready()) return;
  const current here(*api_, d.context());
  // Memory that is not known goes to the driver too, whose answer says what is wrong with it.
  api_->free(found ? found->where : residence::device, base);
}

template <class Api>
void gpu_runtime<Api>::pin(int device, void* memory, std::size_t bytes) {
  const allocating_in_captures allowed(streams_);
  const current here(*api_, use(device).context());
  if (!here.ok() || !api_->pin(memory, bytes))
    fail(errc::no_mem,
         std::to_string(bytes) + " bytes of the host's memory cannot be pinned for " + Api::title);
}

template <class Api>
void gpu_runtime<Api>::unpin(void* memory) noexcept {
  const allocating_in_captures allowed(streams_);
  gpu_device<Api>& d = at(some_device());
  if (!d.ready()) return;
  const current here(*api_, d.context());
  api_->unpin(memory);
}

}  // namespace oriel::kinds
