// What the folder of a fourth kind would hold: a runtime whose device memory is the heap's.
#include <cstdlib>
#include <cstring>
#include <map>

#include "kinds/device_runtime.hpp"

namespace oriel::kinds {
namespace {

class pretended_runtime final : public device_runtime {
 public:
  [[nodiscard]] vendor whose() const noexcept override { return vendor::pretended; }
  [[nodiscard]] int devices() const noexcept override { return 1; }
  [[nodiscard]] std::string describe(int) const override { return "the heap"; }
  [[nodiscard]] std::optional<int> current_device() const noexcept override { return 0; }
  [[nodiscard]] std::string lacks(residence where) const override {
    return where == residence::host ? "it pins nothing" : "";
  }
  [[nodiscard]] std::string lacks_ipc(int, residence) const override { return "it has no handles"; }
  [[nodiscard]] std::string lacks_atomics(int) const override { return "it has no kernels"; }
  [[nodiscard]] std::string lacks_peer_access(int, int) const override { return ""; }
  [[nodiscard]] std::string lacks_link_atomics(int, const ipc_ticket&) const override {
    return "it has no links";
  }
  [[nodiscard]] std::string lacks_host_atomics(int, residence) const override {
    return "it has no kernels";
  }
  std::byte* allocate(int, residence where, std::size_t bytes) override {
    auto* const base = static_cast<std::byte*>(std::calloc(1, bytes));
    known_[base] = {vendor::pretended, where, 0, base, bytes, ++ids_};
    return base;
  }
  void free(void* base) noexcept override {
    known_.erase(static_cast<std::byte*>(base));
    std::free(base);
  }
  [[nodiscard]] std::optional<device_allocation> classify(const void* p) const noexcept override {
    const auto* const at = static_cast<const std::byte*>(p);
    for (const auto& [base, found] : known_)
      if (at >= base && at < base + found.bytes) return found;
    return std::nullopt;
  }
  void pin(int, void*, std::size_t) override {}
  void unpin(void*) noexcept override {}
  errc copy(void* to, const void* from, std::size_t bytes) noexcept override {
    std::memcpy(to, from, bytes);
    return errc::success;
  }
  errc clear(void* memory, std::size_t bytes) noexcept override {
    std::memset(memory, 0, bytes);
    return errc::success;
  }
  errc begin(std::span<const copy_piece>) noexcept override { return errc::success; }
  errc drain() noexcept override { return errc::success; }
  ipc_ticket export_memory(void*) override { return {}; }
  std::byte* open(const ipc_ticket&, int) override { return nullptr; }
  void close(const ipc_ticket&, std::byte*) noexcept override {}
  errc apply(int, const atomic_task&, time_limit::length) noexcept override {
    return errc::unsupported_kind;
  }
  [[nodiscard]] std::string last_failure() const override { return ""; }

 private:
  std::map<const std::byte*, device_allocation> known_;
  std::uint64_t ids_ = 0;
};

}  // namespace

loaded_runtime load_pretended() {
  return {std::make_unique<pretended_runtime>(), ""};
}

}  // namespace oriel::kinds
