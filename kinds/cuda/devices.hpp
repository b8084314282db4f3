// What CUDA's devices are and cannot do, as its driver answers (kinds/gpu/gpu_runtime.hpp has what
// each function is for).
#pragma once

#include <cuda.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kinds/cuda/library.hpp"
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

class cuda_devices {
 public:
  // Of the library and its devices; why there are none, or empty.
  std::string load();
  [[nodiscard]] int devices() const noexcept { return static_cast<int>(handles_.size()); }
  [[nodiscard]] std::string last_failure() const { return cuda_.last_failure(); }
  [[nodiscard]] std::string describe(int device) const;
  [[nodiscard]] std::optional<int> current_device() const noexcept;
  [[nodiscard]] std::string lacks(residence where) const;
  [[nodiscard]] std::string lacks_handles(int device) const;
  [[nodiscard]] std::string lacks_kernels(int device) const;
  [[nodiscard]] std::string lacks_peer_access(int device, int other) const;
  [[nodiscard]] device_identity identity(int device) const noexcept;
  [[nodiscard]] std::string lacks_link_atomics(int device, int other) const;
  [[nodiscard]] std::string lacks_host_atomics(int device, residence where) const;
  [[nodiscard]] std::string lacks_stream_calls(int device) const;

 protected:
  [[nodiscard]] bool exists(int device) const noexcept { return device >= 0 && device < devices(); }
  [[nodiscard]] CUdevice at(int device) const noexcept {
    return handles_[static_cast<std::size_t>(device)];
  }

  cuda_library cuda_;

 private:
  [[nodiscard]] int attribute(int device, CUdevice_attribute which) const noexcept;
  // Times ten: 90 is 9.0.
  [[nodiscard]] int capability(int device) const noexcept;

  std::vector<CUdevice> handles_;
};

}  // namespace oriel::kinds
