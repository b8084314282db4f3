// gpu_runtime's atomics, by one kernel that takes a task (kinds/atomic_task.hpp).
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "kinds/atomic_steps.hpp"
#include "kinds/gpu/gpu_runtime.hpp"

namespace oriel::kinds {

template <class Api>
bool gpu_runtime<Api>::prepare_atomics(int device) noexcept {
  atomic_state& a = atomics_[static_cast<std::size_t>(device)];
  if (a.kernel != nullptr) return true;
  const allocating_in_captures allowed(streams_);
  if (a.bounce == nullptr) {
    // Mapped, and left to the end of the process: the driver may be gone by then, when the memory
    // would have to be unpinned.
    void* const memory = mmap(nullptr, sizeof(bounce_buffer), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    if (!api_->pin(memory, sizeof(bounce_buffer))) {
      munmap(memory, sizeof(bounce_buffer));
      return false;
    }
    a.bounce = static_cast<bounce_buffer*>(memory);
  }
  return api_->load_kernel(device, &a.kernel);
}

// Memory that this process has on another device needs access enabled between the two; what it has
// opened of another process had that enabled as it was opened. The context is the thread's.
template <class Api>
bool gpu_runtime<Api>::reach_peer(int device, const void* location) noexcept {
  if (count_ == 1) return true;
  const auto found = api_->place(location);
  if (!found || found->where != residence::device || found->device == device) return true;
  atomic_state& a = atomics_[static_cast<std::size_t>(device)];
  if ((a.peers >> found->device & 1u) != 0) return true;
  // Without a context there, the memory is not this process's own.
  if (!api_->in_use(found->device)) return true;
  gpu_device<Api>& peer = at(found->device);
  if (!peer.ready() || !api_->enable_peer(device, peer.context())) return false;
  a.peers |= std::uint64_t{1} << found->device;
  return true;
}

// Kernels load elements whole, so misaligned ones go by the bounce buffer too; so does memory of
// another device, which kernels may not reach.
template <class Api>
typename gpu_runtime<Api>::way gpu_runtime<Api>::way_to(int device, const void* pointer,
                                                        std::size_t width) const noexcept {
  const auto found = api_->place(pointer);
  if (!found) return way::through_host;
  const bool aligned = reinterpret_cast<std::uintptr_t>(pointer) % width == 0;
  const bool reachable = found->where != residence::device || found->device == device;
  return aligned && reachable ? way::direct : way::through_copy;
}

template <class Api>
bool gpu_runtime<Api>::move(way by, void* to, const void* from, std::size_t bytes) noexcept {
  if (by == way::through_copy) return copy(to, from, bytes) == errc::success;
  if (by == way::through_host) std::memcpy(to, from, bytes);
  return true;
}

template <class Api>
errc gpu_runtime<Api>::let_leave(int device, const time_limit& limit) noexcept {
  atomic_state& a = atomics_[static_cast<std::size_t>(device)];
  if (!a.leaving) return errc::success;
  const errc e = at(device).wait_for_kernels(limit);
  a.leaving = e == errc::timed_out;
  return e;
}

template <class Api>
errc gpu_runtime<Api>::complete(int device, const time_limit& limit) noexcept {
  const errc e = at(device).wait_for_kernels(limit);
  if (e != errc::timed_out) return e;
  atomic_state& a = atomics_[static_cast<std::size_t>(device)];
  a.leaving = true;
  std::atomic_ref(a.bounce->gate.withdrawn).store(1);
  if (std::atomic_ref(a.bounce->gate.begun).load() == 0) return errc::timed_out;
  // It is about to end, unless it has more blocks than there is room for.
  const errc ended = let_leave(device, limit.again());
  return ended == errc::success && a.bounce->gate.left_out != 0 ? errc::timed_out : ended;
}

// As many elements as fit the bounce buffers, where those are needed. The context is the thread's
// and `busy` is held.
template <class Api>
errc gpu_runtime<Api>::apply_some(int device, const atomic_task& task, way operands, way results,
                                  const time_limit& limit) noexcept {
  gpu_device<Api>& d = at(device);
  const atomic_state& a = atomics_[static_cast<std::size_t>(device)];
  if (const errc e = let_leave(device, limit); e != errc::success) return e;
  atomic_task sent = task;
  if (limit.is_set()) {
    a.bounce->gate = {};
    sent.gate = &a.bounce->gate;
  }
  if (operands != way::direct) sent.operands = a.bounce->operands.data();
  if (results != way::direct) sent.results = a.bounce->results.data();
  if (!move(operands, a.bounce->operands.data(), task.operands, operand_bytes(task)) ||
      !api_->launch(a.kernel, kernel_shape::of(task.n, Api::warp), &sent, d.kernels()))
    return errc::system;
  if (const errc e = complete(device, limit); e != errc::success) return e;
  const bool moved = move(results, task.results, a.bounce->results.data(), task.n * task.width);
  return moved ? errc::success : errc::system;
}

template <class Api>
errc gpu_runtime<Api>::apply(int device, const atomic_task& wanted,
                             time_limit::length at_most) noexcept {
  if (const errc why = refusal(wanted); why != errc::success) return why;
  if (wanted.n == 0) return errc::success;
  atomic_task task = completed(wanted);
  // A misaligned access would be the end of the context, and with it of all of its memory.
  if (reinterpret_cast<std::uintptr_t>(task.location) % task.width != 0) return errc::arg;
  if (!exists(device) || Api::kernels() == nullptr) return errc::unsupported_kind;
  gpu_device<Api>& d = at(device);
  if (!d.ready()) return errc::system;
  const current here(*api_, d.context());
  const std::lock_guard hold(atomics_[static_cast<std::size_t>(device)].busy);
  if (!here.ok() || !prepare_atomics(device) || !reach_peer(device, task.location))
    return errc::system;
  const way operands =
      operand_bytes(task) == 0 ? way::direct : way_to(device, task.operands, task.width);
  const way results =
      task.results == nullptr ? way::direct : way_to(device, task.results, task.width);
  const bool direct = operands == way::direct && results == way::direct;
  const std::uint64_t most = direct ? task.n : bounce_bytes / task.width;
  for (std::uint64_t left = task.n; left != 0;) {
    task.n = std::min(left, most);
    const errc e = apply_some(device, task, operands, results, time_limit(at_most));
    if (e != errc::success) return e;
    left -= task.n;
    advance(task, task.n);
  }
  return errc::success;
}

}  // namespace oriel::kinds
