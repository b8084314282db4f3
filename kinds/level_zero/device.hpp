// One device of Level Zero and its command lists for copies and kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kinds/device_runtime.hpp"
#include "kinds/level_zero/library.hpp"
#include "oriel/errc.hpp"

namespace oriel::kinds {

// Any thread: command lists are used by one at a time. REQUIRES: `library` outlives the object.
//
// A list that is synchronous makes the blocking copies and runs the kernels. Those that are begun
// go to an asynchronous list, with a barrier before each because a list has no order of its own;
// where the loader or the driver cannot wait for such a list (before version 1.6), beginning a copy
// completes it.
class level_zero_device {
 public:
  level_zero_device(const level_zero_library& library, ze_context_handle_t context,
                    ze_device_handle_t handle);

  [[nodiscard]] ze_device_handle_t handle() const noexcept { return handle_; }
  // Whether the handle is of this device or of a part of it.
  [[nodiscard]] bool is(ze_device_handle_t handle) const noexcept;
  [[nodiscard]] std::string name() const;
  // What it may do with such memory; nothing where the driver fails.
  [[nodiscard]] std::optional<ze_memory_access_cap_flags_t> access_to(residence) const noexcept;
  // Whether it has atomics over its link to the other.
  [[nodiscard]] bool updates(const level_zero_device& other) const noexcept;
  // As tickets name it.
  [[nodiscard]] device_identity identity() const noexcept;

  // As the driver gives it, or null.
  void* allocate(residence, std::size_t bytes) const noexcept;
  errc copy(void* to, const void* from, std::size_t bytes) noexcept;
  errc clear(void* memory, std::size_t bytes) noexcept;
  // Complete on return. REQUIRES: nobody changes the kernel's arguments meanwhile.
  errc launch(ze_kernel_handle_t kernel, std::uint32_t blocks) noexcept;
  errc begin(void* to, const void* from, std::size_t bytes) noexcept;
  errc drain() noexcept;

 private:
  [[nodiscard]] bool has(ze_device_properties_t&) const noexcept;
  [[nodiscard]] ze_command_list_handle_t make_list(ze_command_queue_mode_t mode) const noexcept;
  // REQUIRES: the lock is held. False when there is no list.
  bool prepare() noexcept;

  const level_zero_library& library_;
  ze_context_handle_t context_;
  ze_device_handle_t handle_;
  std::vector<ze_device_handle_t> parts_;
  std::mutex lock_;
  ze_command_list_handle_t blocking_ = nullptr;
  ze_command_list_handle_t begun_ = nullptr;
  bool waiting_ = false;  // something was begun since the last drain
};

}  // namespace oriel::kinds
