// ORIEL_CHECK=pages: windows' memory as the program sees it, at addresses of its own, where each
// load and store traps (access_traps.hpp). The library and other processes have the same memory by
// the mapping of the node's.
//
// Each access of the program's is looked at, until a page has had some since the last
// synchronization; then the page stays open until the next one. Lives as
// `session_state::extension<guarded_memory>()`. Any thread; what traps call takes no lock here.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "sync/system.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

class guarded_memory {
 public:
  explicit guarded_memory(detail::session_state&) noexcept {}
  ~guarded_memory();
  guarded_memory(const guarded_memory&) = delete;
  guarded_memory& operator=(const guarded_memory&) = delete;

  // The session's; null without ORIEL_CHECK=pages.
  static guarded_memory* of(detail::session_state& session) {
    return session.check_accesses() ? &session.extension<guarded_memory>() : nullptr;
  }

  // From now on the program is to access the window's memory at addresses of its own: returns what
  // is to be added to those of the node's. 0 where it cannot be guarded: memory of the program's
  // own, too many windows, another machine than x86-64, ORIEL_ADVERSARY. Requires: the traps have
  // begun.
  std::ptrdiff_t show(detail::window_core&);
  void remove(const detail::window_core&) noexcept;

  // The address of the node's for one of the program's; others are as they were.
  [[nodiscard]] const void* own(const void*) const noexcept;
  [[nodiscard]] void* own(void* p) const noexcept {
    return const_cast<void*>(own(static_cast<const void*>(p)));
  }
  // The memory around `p` is no longer guarded: others are to have its address.
  void give_up(const void* p) noexcept;

  // Of one trap.
  enum class passage : std::uint8_t {
    none,   // the address is not guarded
    once,   // the page is open, and to be closed after the access
    stays,  // it is open
  };
  passage let_in(std::uintptr_t address) noexcept;
  void close(std::uintptr_t page) noexcept;
  // After a synchronization: all pages are closed.
  void close_all() noexcept;

 private:
  struct view {
    std::atomic<std::uintptr_t> low{0}, high{0};  // whole pages; none where both are 0
    std::ptrdiff_t to_own = 0;
    std::atomic<bool> open{false};  // some pages are
    std::atomic<bool> given_up{false};
    const detail::window_core* window = nullptr;
    std::unique_ptr<std::atomic<std::uint8_t>[]> accesses;  // of each page, since the last closing
  };
  static constexpr std::size_t most_views = 64;

  view* find(std::uintptr_t address) const noexcept;

  sync::mutex changing_;
  mutable std::array<view, most_views> views_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace oriel::win
