// ORIEL_CHECK=1: memory of this process that operations and the program itself may use at once: the
// windows that are mapped here, and the buffers of operations that are not complete. Lives as
// `session_state::extension<watched_memory>()`. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oriel/call_site.hpp"
#include "oriel/rank.hpp"
#include "sync/system.hpp"
#include "win/check/shadow_log.hpp"
#include "win/check/watchpoint.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

class watched_memory {
 public:
  explicit watched_memory(detail::session_state&) noexcept {}

  void add(detail::window_core&);
  void remove(const detail::window_core&) noexcept;
  // This rank's own memory that the window is given, as long as it has it. Throws std::bad_alloc.
  void attach(detail::window_core&, const segment<std::byte>&);
  void detach(const detail::window_core&, segment_handle) noexcept;

  // Of one operation: bytes [low, high) that it reads, or writes, until it is locally complete.
  struct buffer {
    std::uintptr_t low = 0, high = 0;
    bool written = false;
    bool by_request = false;  // which may complete it, too
    detail::window_core* window = nullptr;
    rank target{};
    const char* what = "";  // "put"
    call_site at{};
    std::uint64_t operation = 0;  // whose other buffers have the same
    sessions::moment begun{}, complete{};
  };
  // The operation may use the buffer: returns nothing. Or what conflicts with that, for a message:
  // "the result of a get at main.c:12, which is not complete". Throws std::bad_alloc.
  std::optional<std::string> take(const buffer&);
  // An operation of the window that reads has a request. Returns no_mem where that is not noted.
  errc await_request(detail::window_core&, rank target) noexcept;
  // The operations of the window with the target, or with any_rank, are locally complete; and those
  // that have requests, of which what reads is complete at the target, too.
  void release(const detail::window_core&, rank target) noexcept;
  void release_requests() noexcept;
  // The operation is not performed.
  void give_back(std::uint64_t operation) noexcept;
  std::uint64_t next_operation() noexcept { return 1 + operations_.fetch_add(1); }

  // ORIEL_CHECK=pages: accesses to buffers are heard of by registers of the processor, too.
  void use_watchpoints() noexcept { uses_watchpoints_ = true; }
  // The operation of this thread is performed, and the program may access its buffers: the last
  // few are watched, until they are released.
  void watch(std::uint64_t operation) noexcept;
  // Memory [low, high) has been freed, and may soon be another thread's. Takes no lock.
  void freed(std::uintptr_t low, std::uintptr_t high) noexcept;
  // The program frees it: reports what still uses it. From within what frees memory, at any time.
  void check_freed(std::uintptr_t low, std::uintptr_t high) noexcept;
  [[nodiscard]] bool has_buffers() const noexcept {
    return any_buffers_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool has_released() const noexcept {
    return any_released_.load(std::memory_order_relaxed);
  }

  // What begins at `first` has been accessed by the code before `code`.
  void watchpoint_hit(const void* first, const void* code) noexcept;

  // The program has read or written memory in the code at `at`; conflicts are reported. A few
  // instructions where nothing that is watched is near.
  void accessed(const void* memory, std::size_t bytes, bool writes, const void* code) noexcept {
    if (is_near(reinterpret_cast<std::uintptr_t>(memory)) ||
        is_near(reinterpret_cast<std::uintptr_t>(memory) + bytes - 1))
      look_at(reinterpret_cast<std::uintptr_t>(memory), bytes, writes, code);
  }

 private:
  // A window's memory of one rank, as it is mapped here: all of it, or what is attached.
  struct mapped_memory {
    std::uintptr_t low = 0, high = 0;
    detail::window_core* window = nullptr;
    rank owner{};
    std::uint64_t first = 0;  // its displacement, in bytes
    segment_handle handle{};
    [[nodiscard]] std::uint64_t place_of(std::uintptr_t address) const noexcept {
      return first + (address - low);
    }
  };
  struct watch_kept {
    watchpoint point;
    std::uint64_t operation = 0;
    bool loads = false;       // are heard of, too
    std::uint64_t value = 0;  // of the first bytes, by which a store is told from a load
  };
  // One bit for all pages with one number modulo `pages`.
  class page_set {
   public:
    void add(std::uintptr_t low, std::uintptr_t high) noexcept;
    void clear() noexcept {
      for (auto& word : words_) word.store(0, std::memory_order_relaxed);
    }
    [[nodiscard]] bool has(std::uintptr_t address) const noexcept {
      const std::uintptr_t page = address / page_bytes % pages;
      return (words_[page / 64].load(std::memory_order_relaxed) >> page % 64 & 1) != 0;
    }

   private:
    static constexpr std::size_t page_bytes = 4096, pages = 1 << 16;
    std::array<std::atomic<std::uint64_t>, pages / 64> words_{};
  };

  [[nodiscard]] bool is_near(std::uintptr_t address) const noexcept {
    return window_pages_.has(address) || buffer_pages_.has(address);
  }
  void look_at(std::uintptr_t low, std::size_t bytes, bool writes, const void* code) noexcept;
  [[nodiscard]] const buffer* find(std::uintptr_t low, std::uintptr_t high,
                                   bool writes) const noexcept;
  // Where windows' memory is accessed so, that is noted there; or what it conflicts with.
  std::optional<std::string> note(std::uintptr_t low, std::uintptr_t high, bool writes,
                                  bool complete, call_site at);
  template <class Which>
  void release_where(Which, bool performed) noexcept;
  // The buffer is the program's again.
  void let_go(const buffer&, sessions::moment now) noexcept;
  // Of threads that are told apart: others may use it behind its release alone.
  void keep_released(const buffer&) noexcept;
  // What conflicts with a use of the memory by this thread among what others have released.
  [[nodiscard]] const buffer* find_released(std::uintptr_t low, std::uintptr_t high,
                                            bool writes) const noexcept;
  void drop_watches() noexcept;
  // What the program accesses with what is watched; `what` is the beginning of a report's words.
  // Requires: the mutex is held.
  void compare(std::uintptr_t low, std::size_t bytes, bool writes, const char* what,
               call_site) noexcept;

  std::atomic<std::uint64_t> operations_{0};
  sync::mutex mutex_;
  std::vector<mapped_memory> segments_;
  std::vector<buffer> buffers_;
  std::atomic<bool> any_buffers_{false};
  // Whose operations that read have requests which may not be complete: no two are the same.
  struct awaited_read {
    detail::window_core* window = nullptr;
    rank target{};
    bool operator==(const awaited_read&) const = default;
  };
  std::vector<awaited_read> awaited_;
  // The last ones, and of each thread when the last before these was released.
  static constexpr std::size_t most_released = 256;
  std::array<buffer, most_released> released_;
  std::array<std::atomic<std::uintptr_t>, most_released> released_at_{};  // 0: freed
  std::size_t next_released_ = 0;
  std::atomic<bool> any_released_{false};
  std::array<sessions::moment, sessions::most_threads> released_before_{};
  page_set window_pages_, buffer_pages_;
  std::atomic<bool> uses_watchpoints_{false};
  std::array<watch_kept, watchpoint::at_once> watches_;
  std::size_t next_watch_ = 0;
};

}  // namespace oriel::win
