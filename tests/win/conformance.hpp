// The ways in which a window can be had and used: what the conformance suite crosses.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinds/device_kind.hpp"
#include "kinds/device_runtime.hpp"
#include "session/session_state.hpp"
#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "win/route/prompt_owners.hpp"

namespace oriel::testing {

// Whose memory a window stands on.
enum class source { window, session, program, attached };

// A row of the matrix, which all suites that cross ways take from here: a new way is a line in
// `made` and one in `ways`, and a new kind of a vendor's one where CMakeLists.txt names its driver.
enum class made {
  allocated,
  shared_memory,
  private_memory,
  private_without_cma,
  private_of_prompt_owners,
  attached,
  device,
  device_given,
  managed,
  pinned
};
struct way {
  made how;
  const char* name;
  source from;
  std::optional<kinds::residence> kind;  // of the tested vendor's memory; none for the host's
  const char* without = nullptr;
  bool slow_kernel = false;  // as it seems: owners are asked whatever they take
};
inline constexpr std::array ways{
    way{made::allocated, "allocate", source::window, {}},
    way{made::shared_memory, "create on alloc_mem", source::session, {}},
    way{made::private_memory, "create on private memory", source::program, {}},
    way{made::private_without_cma,
        "create on private memory without cma",
        source::program,
        {},
        "cma"},
    way{made::private_of_prompt_owners,
        "create on private memory of prompt owners",
        source::program,
        {},
        nullptr,
        true},
    way{made::attached, "create and attach", source::attached, {}},
    way{made::device, "allocate device memory", source::window, kinds::residence::device},
    way{made::device_given, "create on device memory", source::session, kinds::residence::device},
    way{made::managed, "allocate managed memory", source::window, kinds::residence::managed},
    way{made::pinned, "allocate pinned memory", source::window, kinds::residence::host}};
inline const way& way_of(made m) {
  return *std::find_if(ways.begin(), ways.end(), [m](const way& w) { return w.how == m; });
}
inline std::string name(made m) {
  return way_of(m).name;
}

// The kind of device memory to test: "cuda". Null where none is.
inline const char* tested_kind() {
  return std::getenv("ORIEL_TEST_KIND");
}
inline std::vector<made> all_made() {
  std::vector<made> all;
  for (const way& w : ways)
    if (w.kind.has_value() == (tested_kind() != nullptr)) all.push_back(w.how);
  return all;
}
inline bool on_device(made m) {
  return way_of(m).kind == kinds::residence::device;
}
// Whether the tested kind has kernels that do atomics.
inline bool has_kernels() {
  static const bool has = [] {  // a driver is asked a dozen questions for this
    const auto v = kinds::vendor_named(tested_kind() == nullptr ? "" : tested_kind());
    return v && kinds::runtime(*v)->lacks_atomics(0).empty();
  }();
  return has;
}
// "cuda:device".
inline std::string kind_of(made m) {
  return kinds::kind_text(*kinds::vendor_named(tested_kind()), *way_of(m).kind);
}

enum class synced { fence, pscw, shared_lock, exclusive_lock, lock_all };
inline constexpr std::array all_synced{synced::fence, synced::pscw, synced::shared_lock,
                                       synced::exclusive_lock, synced::lock_all};
inline std::string name(synced s) {
  const char* const names[] = {"fence", "pscw", "lock shared", "lock exclusive", "lock_all"};
  return names[static_cast<int>(s)];
}
inline assertion_set promise_of(synced s) {
  switch (s) {
    case synced::fence:
      return assertion::fence;
    case synced::pscw:
      return assertion::pscw;
    case synced::exclusive_lock:
      return assertion::exclusive_lock;
    default:
      return assertion::shared_lock;
  }
}

inline std::string device_kind() {
  return kind_of(made::device);
}
inline window_options on(const std::string& kind) {
  window_options o;
  o.name = "w";
  o.memory_kind = kind;
  return o;
}

// A window of `count` elements a rank, with the memory it stands on.
class made_window {
 public:
  made_window(made how, std::size_t count, const datatype& base, assertion_set promised) {
    const std::size_t bytes = count * static_cast<std::size_t>(base.extent());
    const way& w = way_of(how);
    std::optional<scoped_variable> without;
    if (w.without != nullptr) without.emplace("ORIEL_WITHOUT", w.without);
    auto& kernel = world().state()->session().extension<win::kernel_copy_time>();
    const auto measured = kernel.smallest;
    if (w.slow_kernel) kernel.smallest = std::chrono::hours(1);
    make(w, count, bytes, base, promised);
    kernel.smallest = measured;
  }
  ~made_window() {
    window.free().or_throw();
    if (!shared_.empty()) job().free_mem(shared_).or_throw();
  }

  any_window window;

 private:
  void make(const way& w, std::size_t count, std::size_t bytes, const datatype& base,
            assertion_set promised) {
    switch (w.from) {
      case source::window: {
        window_options options;
        if (w.kind) options.memory_kind = kind_of(w.how);
        window = any_window::allocate(world(), count, base, promised, options);
        return;
      }
      case source::session:
        shared_ = w.kind ? job().alloc_mem(bytes, kind_of(w.how)) : job().alloc_mem(bytes);
        window = any_window::create(world(), shared_.data(), count, base, promised);
        return;
      case source::program:
        private_.reset(new (std::align_val_t(64)) std::byte[bytes]());
        window = any_window::create(world(), private_.get(), count, base, promised);
        return;
      case source::attached:
        private_.reset(new (std::align_val_t(64)) std::byte[bytes]());
        window = any_window::create(world(), base, promised | assertion::attach);
        window.attach(private_.get(), count);
        world().barrier().or_throw();
        return;
    }
  }

  struct aligned_delete {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  std::span<std::byte> shared_;
  std::unique_ptr<std::byte[], aligned_delete> private_;
};

// `work` in an access epoch to `target`; afterwards its effects are there for everyone.
template <class Work>
void in_epoch(any_window& w, synced how, rank target, rank origin, Work work) {
  switch (how) {
    case synced::fence:
      EXPECT_TRUE(w.fence().ok()) << w.failure();
      work();
      EXPECT_TRUE(w.fence().ok()) << w.failure();
      break;
    case synced::pscw:
      EXPECT_TRUE(w.post(std::array{origin}).ok()) << w.failure();
      EXPECT_TRUE(w.start(std::array{target}).ok()) << w.failure();
      work();
      EXPECT_TRUE(w.complete().ok()) << w.failure();
      EXPECT_TRUE(w.wait().ok()) << w.failure();
      break;
    case synced::shared_lock:
    case synced::exclusive_lock:
      EXPECT_TRUE(
          w.lock(how == synced::shared_lock ? lock_kind::shared : lock_kind::exclusive, target)
              .ok())
          << w.failure();
      work();
      EXPECT_TRUE(w.unlock(target).ok()) << w.failure();
      break;
    case synced::lock_all:
      EXPECT_TRUE(w.lock_all().ok()) << w.failure();
      work();
      EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
      break;
  }
  EXPECT_TRUE(world().barrier().ok());
}

}  // namespace oriel::testing
