#include "win/serve/apply_runs.hpp"

#include <algorithm>

#include "sync/run_list.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/serve/mapped_atomics.hpp"

namespace oriel::win {
namespace {

using detail::window_core;
using sync::am_kind;
using sync::block_run;

// What of this rank's memory a list may reach.
class reach {
 public:
  // One look into the book where all that lies around the list's runs is exposed. `for_each`
  // calls what it is given with each of them, until that returns an error.
  template <class ForEach>
  reach(const window_core& core, ForEach for_each) noexcept : core_(core) {
    static_cast<void>(for_each([this](const block_run& r) noexcept {
      std::uint64_t first = 0, end = 0;
      if (!r.bounds(first, end)) return errc::rma_range;
      first_ = std::min(first_, first);
      end_ = std::max(end_, end);
      return errc::success;
    }));
    if (first_ < end_ && !exposes(first_, end_ - first_)) end_ = first_;
  }
  // The list may have been changed since.
  [[nodiscard]] bool contains(const block_run& r) const noexcept {
    std::uint64_t first = 0, end = 0;
    if (!r.bounds(first, end)) return false;
    if (first < first_ || end > end_)
      for (std::uint32_t b = 0; b < r.blocks; ++b)
        if (!exposes(block(r, b), r.bytes)) return false;
    return true;
  }
  [[nodiscard]] bool may_be_written(const block_run& r) const noexcept {
    if (!contains(r)) return false;
    writable_pages* const pages = core_.memory.own_pages.get();
    return pages == nullptr || pages->contain(at(r, 0), r.stride, r.bytes, r.blocks);
  }
  static std::byte* at(const block_run& r, std::uint32_t b) noexcept {
    return reinterpret_cast<std::byte*>(block(r, b));  // NOLINT: it is exposed
  }

 private:
  [[nodiscard]] bool exposes(std::uint64_t address, std::uint64_t bytes) const noexcept {
    return core_.memory.own_book->exposes(address, bytes, core_.agreed.extent);
  }
  static std::uint64_t block(const block_run& r, std::uint32_t b) noexcept {
    return r.address + static_cast<std::uint64_t>(r.stride * std::int64_t{b});
  }

  const window_core& core_;
  std::uint64_t first_ = ~std::uint64_t{0}, end_ = 0;
};

}  // namespace

errc apply_runs(window_core& core, const sync::am_request& m, const std::byte* list,
                std::byte* results, std::size_t& replied) noexcept {
  const bool puts = m.kind == am_kind::put_runs;
  const bool fetches = m.kind == am_kind::get_accumulate_runs;
  if (core.devices.memory != nullptr && core.devices.memory->holds_own()) return errc::arg;
  if (!puts && atomics::accumulate_kernel(m.op, m.type, atomics::kernel_mode::atomic) == nullptr)
    return errc::op;
  const reach allowed(core, [&](auto f) noexcept {
    return sync::run_list::for_each(
        list, m.elements, [&f](const block_run& r, const std::byte*) noexcept { return f(r); });
  });
  replied = 0;
  return sync::run_list::for_each(
      list, m.elements, [&](const block_run& r, const std::byte* bytes) noexcept {
        if (!allowed.may_be_written(r)) return errc::rma_range;
        std::byte* const there = reach::at(r, 0);
        if (puts) {
          copy_blocks(bytes, static_cast<std::ptrdiff_t>(r.bytes), there, r.stride, r.bytes,
                      r.blocks);
          return errc::success;
        }
        std::byte* const before = fetches ? results + replied : nullptr;
        replied += std::size_t{r.bytes} * r.blocks;
        if (replied > m.elements) return errc::rma_range;
        return accumulate_mapped_blocks(core, {rank{core.me()}, there, r.stride, m.op, m.type,
                                               bytes, before, r.bytes / size_of(m.type), r.blocks});
      });
}

errc collect_runs(const window_core& core, std::span<const std::byte> runs,
                  std::span<std::byte> room) noexcept {
  if (core.devices.memory != nullptr && core.devices.memory->holds_own()) return errc::arg;
  const reach allowed(core, [&](auto f) noexcept { return sync::for_each_run(runs, f); });
  return sync::for_each_run(runs, [&](const block_run& r) noexcept {
    const std::size_t n = std::size_t{r.bytes} * r.blocks;
    if (!allowed.contains(r) || n > room.size()) return errc::rma_range;
    copy_blocks(reach::at(r, 0), r.stride, room.data(), static_cast<std::ptrdiff_t>(r.bytes),
                r.bytes, r.blocks);
    room = room.subspan(n);
    return errc::success;
  });
}

}  // namespace oriel::win
