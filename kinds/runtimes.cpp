// The runtimes of the registry, each loaded once, at its first use.
#include <array>
#include <atomic>
#include <mutex>

#include "kinds/device_runtime.hpp"

namespace oriel::kinds {
namespace {

using loader = loaded_runtime (*)();

// Null where the build lacks what the kind needs: its kind.cmake defines ORIEL_HAS_<name>.
constexpr std::array<loader, vendor_count> loaders{
#define ORIEL_DEVICE_KIND(kind, managed, needed)        \
  []() -> loader {                                      \
    if constexpr (ORIEL_HAS_##kind) return load_##kind; \
    return nullptr;                                     \
  }(),
#include "kinds/device_kinds.inc"
#undef ORIEL_DEVICE_KIND
};
static_assert(vendor_count == ORIEL_KIND_FOLDERS, "a folder of kinds/ has no line in the registry");

struct entry {
  std::once_flag once;
  loaded_runtime found;
  std::atomic<device_runtime*> ready{nullptr};  // found.made, for callers that do not load
};

std::array<entry, vendor_count> entries;
std::atomic<bool> any_loaded{false};

loaded_runtime load(vendor v) {
  const loader from = loaders[static_cast<std::size_t>(v)];
  if (from == nullptr) return {nullptr, "built without " + std::string(line_of(v).needed)};
  try {
    return from();
  } catch (const std::exception& failure) {
    return {nullptr, failure.what()};
  }
}

entry& sought(vendor v) {
  entry& e = entries[static_cast<std::size_t>(v)];
  std::call_once(e.once, [&e, v] {
    e.found = load(v);
    e.ready.store(e.found.made.get(), std::memory_order_release);
    if (e.found.made != nullptr) any_loaded.store(true, std::memory_order_release);
  });
  return e;
}

}  // namespace

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
  return entries[static_cast<std::size_t>(v)].ready.load(std::memory_order_acquire);
}

}  // namespace oriel::kinds
