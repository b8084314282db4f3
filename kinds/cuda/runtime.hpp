// The kind `cuda`: memory of CUDA, by the driver's API. Contexts are the primary ones, which the
// CUDA runtime's API uses too; a device's is made at its first use here.
//
// One class, three files: cuda.cpp (devices and memory), cuda_transfer.cpp (copies, and between
// processes), cuda_atomics.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "kinds/counted_opens.hpp"
#include "kinds/cuda/device.hpp"
#include "kinds/cuda/library.hpp"
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

class cuda_runtime final : public device_runtime {
 public:
  // REQUIRES: `library` was loaded. Throws when the driver does not list its devices.
  explicit cuda_runtime(const cuda_library& library);

  [[nodiscard]] vendor whose() const noexcept override { return vendor::cuda; }
  [[nodiscard]] int devices() const noexcept override { return count_; }
  [[nodiscard]] std::string describe(int device) const override;
  [[nodiscard]] std::optional<int> current_device() const noexcept override;
  [[nodiscard]] std::string lacks(residence) const override;
  [[nodiscard]] std::string lacks_ipc(int device, residence) const override;
  [[nodiscard]] std::string lacks_atomics(int device) const override;
  [[nodiscard]] std::string lacks_peer_access(int device, int other) const override;
  std::byte* allocate(int device, residence, std::size_t bytes) override;
  void free(void* base) noexcept override;
  [[nodiscard]] std::optional<device_allocation> classify(const void*) const noexcept override;
  [[nodiscard]] std::uint64_t allocation_id(const void*) const noexcept override;
  void pin(void* memory, std::size_t bytes) override;
  void unpin(void* memory) noexcept override;
  errc copy(void* to, const void* from, std::size_t bytes) noexcept override;
  errc begin(std::span<const copy_piece>) noexcept override;
  errc drain() noexcept override;
  ipc_ticket export_memory(void* pointer) override;
  std::byte* open(const ipc_ticket&, int my_device) override;
  void close(const ipc_ticket&, std::byte* opened) noexcept override;
  errc apply(int device, const atomic_task&) noexcept override;
  [[nodiscard]] std::string last_failure() const override;

 private:
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
  };
  struct atomic_state {
    std::mutex busy;  // held by an atomic from its operands to its results
    CUfunction kernel = nullptr;
    bounce_buffer* bounce = nullptr;
    std::uint64_t peers = 0;  // bit n: kernels reach what this process has on device n
  };

  // Throws `code`: what was tried, and the driver's words.
  [[noreturn]] void fail(errc code, const std::string& what) const;
  [[nodiscard]] int attribute(int device, CUdevice_attribute) const noexcept;
  // The device, ready; throws when there is none of that number or it cannot be made ready.
  cuda_device& use(int device) const;
  [[nodiscard]] bool exists(int device) const noexcept { return device >= 0 && device < count_; }

  // A device for calls that any context serves: one that is in use, so that no context is made.
  [[nodiscard]] int some_device() const noexcept;
  // Whose stream carries a copy.
  [[nodiscard]] int device_of_copy(const void* to, const void* from) const noexcept;

  bool prepare_atomics(int device) noexcept;
  bool reach_peer(int device, const void* location) noexcept;
  // How a kernel gets at operands, or gives results.
  enum class way : std::uint8_t { direct, through_host, through_copy };
  [[nodiscard]] way way_to(int device, const void*, std::size_t width) const noexcept;
  bool apply_some(int device, const atomic_task&, way operands, way results) noexcept;

  const cuda_library library_;
  int count_ = 0;
  std::unique_ptr<cuda_device[]> devices_;
  std::unique_ptr<atomic_state[]> atomics_;
  counted_opens<opened_memory> opened_;
};

}  // namespace oriel::kinds
