// One device of HIP: its stream for copies, what is known of it, its atomics.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "kinds/rocm/atomics.hpp"
#include "kinds/rocm/library.hpp"
#include "oriel/errc.hpp"

namespace oriel::kinds {

// Device memory is taken in pieces of this, so that exporting it exposes nothing else.
inline constexpr std::size_t rocm_granularity = std::size_t{2} << 20;

// Makes a device the thread's current one, and then the former one again.
class on_device {
 public:
  on_device(const rocm_library& library, int device) noexcept;
  ~on_device();
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;
  [[nodiscard]] bool ok() const noexcept { return ok_; }

 private:
  const rocm_library& library_;
  int before_ = -1;
  bool ok_ = false;
};

// Any thread. All copies of a device go through one stream that does not wait for the program's
// own, and a blocking copy waits for it: HIP's blocking calls would wait for whatever the program
// has in its default stream, and from some directions return early. REQUIRES: `library` outlives
// the object.
class rocm_device {
 public:
  rocm_device(const rocm_library& library, int number)
      : atomics(library), library_(library), number_(number) {}

  hipStream_t stream() noexcept;
  errc copy(void* to, const void* from, std::size_t bytes) noexcept;
  errc begin(void* to, const void* from, std::size_t bytes) noexcept;
  errc drain() noexcept;
  std::string lacks_ipc();
  // Why kernels of this device do not reach memory of `other`. What they may reach must also be
  // opened to them, once, by the process: that is done here.
  std::string reach(int other);

  rocm_atomics atomics;

 private:
  const rocm_library& library_;
  int number_;
  std::once_flag stream_made_;
  hipStream_t stream_ = nullptr;
  // Counts, not a flag, so that no thread takes away what another is still waiting for.
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> complete_{0};
  std::atomic<std::uint64_t> reached_{0};  // bit n: device n
  std::mutex ipc_trial_;
  std::optional<std::string> lacks_ipc_;  // once it has been tried
};

}  // namespace oriel::kinds
