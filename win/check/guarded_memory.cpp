#include "win/check/guarded_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <limits>

#include "session/node/address_map.hpp"
#include "win/check/access_traps.hpp"
#include "win/check/order_places.hpp"

namespace oriel::win {
namespace {

constexpr std::uintptr_t page_bytes = 4096;
// An access that is looked at takes some microseconds.
constexpr std::uint8_t most_accesses = 16;

struct stretch_of_node {
  std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t high = 0;
};

// The whole pages of the node's memory in which the segments of this node's ranks lie.
stretch_of_node pages_of(const detail::window_core& window) {
  stretch_of_node all;
  for (const int r : window.group->node_members()) {
    const detail::segment_entry& entry = window.seen_entry(rank{r});
    if (entry.offset == detail::unmapped || entry.count == 0) continue;
    const auto low = static_cast<std::uint64_t>(entry.offset);
    all.low = std::min(all.low, low / page_bytes * page_bytes);
    all.high = std::max(all.high, (low + entry.count * window.agreed.extent + page_bytes - 1) /
                                      page_bytes * page_bytes);
  }
  return all;
}

}  // namespace

guarded_memory::~guarded_memory() {
  access_traps::end(*this);
  for (std::size_t i = 0; i < used_; ++i)
    if (views_[i].low != 0)
      munmap(sessions::at_address(views_[i].low.load()), views_[i].high - views_[i].low);
}

std::ptrdiff_t guarded_memory::show(detail::window_core& window) {
  if (!access_traps::possible || window.agreed.how != flavor::allocate ||
      window.agreed.plan.device || window.adversary != nullptr)
    return 0;
  const stretch_of_node pages = pages_of(window);
  if (pages.high == 0) return 0;
  const std::lock_guard hold(changing_);
  const auto free =
      std::find_if(views_.begin(), views_.end(), [](const view& v) { return v.window == nullptr; });
  if (free == views_.end()) return 0;
  const std::size_t bytes = pages.high - pages.low;
  auto accesses = std::make_unique<std::atomic<std::uint8_t>[]>(bytes / page_bytes);
  sessions::node_memory& memory = window.node_memory();
  void* const at = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, memory.descriptor(),
                        static_cast<off_t>(pages.low));
  if (at == MAP_FAILED) return 0;
  madvise(at, bytes, MADV_DONTDUMP);
  const auto low = reinterpret_cast<std::uintptr_t>(at);
  const auto of_node = reinterpret_cast<std::uintptr_t>(memory.base()) + pages.low;
  free->window = &window;
  free->to_own = static_cast<std::ptrdiff_t>(of_node - low);
  free->accesses = std::move(accesses);
  free->open = false;
  free->given_up = false;
  free->high = low + bytes;
  free->low = low;
  used_ = std::max<std::size_t>(used_, static_cast<std::size_t>(free - views_.begin()) + 1);
  return -free->to_own;
}

void guarded_memory::remove(const detail::window_core& window) noexcept {
  const std::lock_guard hold(changing_);
  for (view& v : views_) {
    if (v.window != &window) continue;
    munmap(sessions::at_address(v.low.load()), v.high - v.low);
    v.low = 0;
    v.high = 0;
    v.window = nullptr;
  }
}

guarded_memory::view* guarded_memory::find(std::uintptr_t address) const noexcept {
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i)
    if (views_[i].low.load() <= address && address < views_[i].high.load()) return &views_[i];
  return nullptr;
}

const void* guarded_memory::own(const void* p) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const view* const v = find(address);
  return v == nullptr ? p : static_cast<const std::byte*>(p) + v->to_own;
}

void guarded_memory::give_up(const void* p) noexcept {
  view* const v = find(reinterpret_cast<std::uintptr_t>(p));
  if (v == nullptr) return;
  v->given_up = true;
  mprotect(sessions::at_address(v->low.load()), v->high - v->low, PROT_READ | PROT_WRITE);
}

guarded_memory::passage guarded_memory::let_in(std::uintptr_t address) noexcept {
  view* const v = find(address);
  if (v == nullptr) return passage::none;
  const std::uintptr_t page = address / page_bytes * page_bytes;
  std::atomic<std::uint8_t>& accesses = v->accesses[(page - v->low) / page_bytes];
  const bool stays = accesses.load() >= most_accesses || accesses.fetch_add(1) + 1 >= most_accesses;
  if (stays) v->open = true;
  if (mprotect(sessions::at_address(page), page_bytes, PROT_READ | PROT_WRITE) != 0)
    return passage::none;
  return stays ? passage::stays : passage::once;
}

void guarded_memory::close(std::uintptr_t address) noexcept {
  const view* const v = find(address);
  if (v == nullptr || v->given_up) return;
  mprotect(sessions::at_address(address / page_bytes * page_bytes), page_bytes, PROT_NONE);
}

void guarded_memory::close_all() noexcept {
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    view& v = views_[i];
    if (!v.open.load(std::memory_order_relaxed) || v.given_up) continue;
    // A window is not taken away meanwhile.
    const std::lock_guard hold(changing_);
    if (v.window == nullptr || !v.open.exchange(false)) continue;
    for (std::size_t page = 0; page < (v.high - v.low) / page_bytes; ++page)
      v.accesses[page].store(0, std::memory_order_relaxed);
    mprotect(sessions::at_address(v.low.load()), v.high - v.low, PROT_NONE);
  }
}

}  // namespace oriel::win
