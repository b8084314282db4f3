// The runtime of a vendor whose devices have contexts, streams and kernels: what CUDA and HIP have
// in common. What they differ in is the vendor's `Api` (kinds/cuda/api.hpp, kinds/rocm/api.hpp).
//
// The class; its functions are in memory.hpp (devices and memory), transfer.hpp (copies, and memory
// of other processes) and atomics.hpp; streams.hpp has what the program's own streams are given.
// runtime.hpp is the whole.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "kinds/counted_opens.hpp"
#include "kinds/device_runtime.hpp"
#include "kinds/gpu/device.hpp"
#include "kinds/gpu/streams.hpp"

namespace oriel::kinds {

// Where a pointer is: the cheap half of a classification.
struct pointer_place {
  residence where;
  int device;
};

// `Api` has, with functions that return false, or the reason, when the vendor's call fails, and
// note that failure (last_failed_call):
//   whose, title ("CUDA"), compiler ("nvcc")  its names in messages
//   warp                                      threads that a device runs together
//   of_device(residence)                      whether such memory is a device's own: taken in whole
//                                             blocks, zeroed by the device, copied by its stream
//   lends_streams                             whether a device's stream may carry a copy between
//                                             memory of two others
//   context, stream, function, handle         types of the vendor's
//   current{api, context}                     makes a context the thread's, while it lives; ok()
//   devices, describe, current_device, last_failure, lacks, lacks_peer_access, lacks_host_atomics
//                                             as in device_runtime
//   identity(device)                          as a ticket names it
//   lacks_link_atomics(device, other)         why those of kernels of the first are not atomic on
//                                             the other's memory; empty when they are
//   lacks_handles(device), lacks_kernels(device), lacks_handle(allocation, pointer)
//                                             why there are none; empty when there are
//   make_context, make_stream, copy, clear, wait, is_done, allocate, free, pin, unpin
//   classify, place, allocation_id            of a pointer
//   export_memory, open, close                handles for other processes
//   kernels(), load_kernel, launch            device code, null when the build has none
//   in_use(device), enable_peer               kernels' access to another device's memory
template <class Api>
class gpu_runtime final : public device_runtime {
 public:
  // REQUIRES: `api` was loaded, and there is a device.
  explicit gpu_runtime(std::unique_ptr<const Api> api);

  [[nodiscard]] vendor whose() const noexcept override { return Api::whose; }
  [[nodiscard]] int devices() const noexcept override { return count_; }
  [[nodiscard]] std::string describe(int device) const override { return api_->describe(device); }
  [[nodiscard]] std::optional<int> current_device() const noexcept override {
    return api_->current_device();
  }
  [[nodiscard]] std::string lacks(residence where) const override { return api_->lacks(where); }
  [[nodiscard]] std::string lacks_ipc(int device, residence) const override;
  [[nodiscard]] std::string lacks_atomics(int device) const override;
  [[nodiscard]] std::string lacks_peer_access(int device, int other) const override;
  [[nodiscard]] std::string lacks_link_atomics(int device, const ipc_ticket&) const override;
  [[nodiscard]] std::string lacks_host_atomics(int device, residence) const override;
  std::byte* allocate(int device, residence, std::size_t bytes) override;
  void free(void* base) noexcept override;
  [[nodiscard]] std::optional<device_allocation> classify(const void* p) const noexcept override {
    return api_->classify(p);
  }
  [[nodiscard]] std::uint64_t allocation_id(const void* p) const noexcept override {
    return api_->allocation_id(p);
  }
  void pin(int device, void* memory, std::size_t bytes) override;
  void unpin(void* memory) noexcept override;
  errc copy(void* to, const void* from, std::size_t bytes) noexcept override;
  errc clear(void* memory, std::size_t bytes) noexcept override;
  errc begin(std::span<const copy_piece>) noexcept override;
  errc drain() noexcept override;
  ipc_ticket export_memory(void* pointer) override;
  std::byte* open(const ipc_ticket&, int my_device) override;
  void close(const ipc_ticket&, std::byte* opened) noexcept override;
  errc apply(int device, const atomic_task&, time_limit::length at_most) noexcept override;
  [[nodiscard]] stream_calls* streams() noexcept override { return &streams_; }
  [[nodiscard]] std::string last_failure() const override { return api_->last_failure(); }

 private:
  using current = typename Api::current;
  struct opened_memory {
    std::byte* base;
    int device;  // that it was opened for
  };

  // What a kernel's operands and results pass through where no kernel reaches them: memory of the
  // host, pinned at a device's first atomic and for the life of the process.
  static constexpr std::size_t bounce_bytes = std::size_t{128} << 10;
  struct bounce_buffer {
    alignas(4096) std::array<std::byte, bounce_bytes> operands;
    alignas(4096) std::array<std::byte, bounce_bytes> results;
    alignas(64) atomic_gate gate;
  };
  struct atomic_state {
    std::mutex busy;  // held by an atomic from its operands to its results
    typename Api::function kernel = nullptr;
    bounce_buffer* bounce = nullptr;
    bool leaving = false;     // a kernel that was withdrawn has not ended yet
    std::uint64_t peers = 0;  // bit n: kernels reach what this process has on device n
  };

  // Throws `code`: what was tried, and the driver's words.
  [[noreturn]] void fail(errc code, const std::string& what) const {
    throw error(code, what + " (" + last_failure() + ")");
  }
  static std::string device_name(int device) {
    return std::string(Api::title) + "'s device " + std::to_string(device);
  }
  [[nodiscard]] bool exists(int device) const noexcept { return device >= 0 && device < count_; }
  // Empty for a device that there is.
  [[nodiscard]] std::string lacks_device(int device) const {
    if (exists(device)) return {};
    return std::string(Api::title) + " has " + std::to_string(count_) +
           " devices and none of number " + std::to_string(device);
  }
  // REQUIRES: the device exists.
  [[nodiscard]] gpu_device<Api>& at(int device) const noexcept {
    return devices_[static_cast<std::size_t>(device)];
  }
  // The device, ready; throws when there is none of that number or it cannot be made ready.
  gpu_device<Api>& use(int device) const;
  // A device for calls that any context serves: one that is in use, so that no context is made.
  [[nodiscard]] int some_device() const noexcept;
  // Which stream carries a copy.
  struct carrier {
    int device;
    direction way;
    bool operator==(const carrier&) const = default;
  };
  [[nodiscard]] carrier carrier_of(const void* to, const void* from) const noexcept;

  bool prepare_atomics(int device) noexcept;
  bool reach_peer(int device, const void* location) noexcept;
  // How a kernel gets at operands, or gives results.
  enum class way : std::uint8_t { direct, through_host, through_copy };
  [[nodiscard]] way way_to(int device, const void*, std::size_t width) const noexcept;
  bool move(way, void* to, const void* from, std::size_t bytes) noexcept;
  errc apply_some(int device, const atomic_task&, way operands, way results,
                  const time_limit&) noexcept;
  // Of the device's kernel: until a withdrawn one has gone, and until the last has ended, which is
  // withdrawn where that takes too long.
  errc let_leave(int device, const time_limit&) noexcept;
  errc complete(int device, const time_limit&) noexcept;

  const std::unique_ptr<const Api> api_;
  const int count_;
  const std::unique_ptr<gpu_device<Api>[]> devices_;
  const std::unique_ptr<atomic_state[]> atomics_;
  gpu_streams<Api> streams_{*api_, devices_.get()};
  counted_opens<opened_memory> opened_;
};

}  // namespace oriel::kinds
