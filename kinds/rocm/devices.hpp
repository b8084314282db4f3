// What HIP's devices are and cannot do, as it answers (kinds/gpu/gpu_runtime.hpp has what each
// function is for); what shows only when it is tried is in runtime.cpp.
#pragma once

#include <optional>
#include <string>

#include "kinds/device_runtime.hpp"
#include "kinds/rocm/library.hpp"

namespace oriel::kinds {

class rocm_devices {
 public:
  // Of the library and its devices; why there are none, or empty.
  std::string load();
  [[nodiscard]] int devices() const noexcept { return count_; }
  [[nodiscard]] std::string last_failure() const { return hip_.last_failure(); }
  [[nodiscard]] std::string describe(int device) const;
  [[nodiscard]] std::optional<int> current_device() const noexcept;
  [[nodiscard]] std::string lacks(residence where) const;
  [[nodiscard]] device_identity identity(int device) const noexcept;
  [[nodiscard]] std::string lacks_link_atomics(int device, int other) const;
  [[nodiscard]] std::string lacks_host_atomics(int device, residence where) const;
  [[nodiscard]] std::string lacks_stream_calls(int device) const;

 protected:
  rocm_library hip_;
  int version_ = 0;

 private:
  int count_ = 0;
};

}  // namespace oriel::kinds
