// The registry of device runtimes: one line a vendor.
#include <array>
#include <atomic>
#include <mutex>

#include "kinds/device_runtime.hpp"

namespace oriel::kinds {
namespace {

struct entry {
  loaded_runtime (*load)();
  std::once_flag once;
  loaded_runtime found;
  std::atomic<device_runtime*> ready{nullptr};  // found.made, for those who do not wait
};

std::array<entry, vendor_count> registry{
    {{load_cuda, {}, {}}, {load_rocm, {}, {}}, {load_level_zero, {}, {}}}};
std::atomic<bool> any_loaded{false};

entry& sought(vendor v) {
  entry& e = registry[static_cast<std::size_t>(v)];
  std::call_once(e.once, [&e] {
    try {
      e.found = e.load();
    } catch (const std::exception& failure) {
      e.found = {nullptr, failure.what()};
    }
    e.ready.store(e.found.made.get(), std::memory_order_release);
    if (e.found.made != nullptr) any_loaded.store(true, std::memory_order_release);
  });
  return e;
}

}  // namespace

std::string_view name(vendor v) noexcept {
  constexpr std::array<std::string_view, vendor_count> names{"cuda", "rocm", "level_zero"};
  return names[static_cast<std::size_t>(v)];
}

std::string_view name(vendor v, residence r) noexcept {
  if (r == residence::managed) return v == vendor::level_zero ? "shared" : "managed";
  return r == residence::host ? "host" : "device";
}

device_runtime* runtime(vendor v) noexcept {
  return sought(v).found.made.get();
}

std::string why_absent(vendor v) {
  return sought(v).found.why_absent;
}

bool any_runtime_loaded() noexcept {
  return any_loaded.load(std::memory_order_acquire);
}

device_runtime* loaded(vendor v) noexcept {
  return registry[static_cast<std::size_t>(v)].ready.load(std::memory_order_acquire);
}

}  // namespace oriel::kinds
