// The memory of a node, as a process reads it that is not in the job, for as long as it has it
// open: of its own user's jobs only. Nothing that it does is seen by the job, whose ranks may hang,
// or go on and change what is read.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "session/node/node_memory.hpp"

namespace oriel::sessions {

class observed_node {
 public:
  // Of which process `pid` is a rank; nothing where it is none, or has ended. Throws system
  // where the process is another user's.
  static std::optional<observed_node> of(pid_t pid);

  observed_node(observed_node&& other) noexcept;
  observed_node& operator=(observed_node&&) = delete;
  ~observed_node();

  // The same for all processes of a node, and no other node's of this machine.
  [[nodiscard]] ino_t file() const noexcept { return file_; }
  [[nodiscard]] int members() const noexcept { return head().members; }
  // The process of the job's rank 0.
  [[nodiscard]] int job() const noexcept { return head().job.load(std::memory_order_relaxed); }
  [[nodiscard]] const member_line& member(int i) const noexcept;
  // What lies at an offset that a rank has written; null where it cannot be there.
  template <class T>
  [[nodiscard]] const T* at(std::uint64_t offset) const noexcept {
    const bool fits = offset != 0 && offset <= bytes_ && sizeof(T) <= bytes_ - offset;
    return fits && offset % alignof(T) == 0 ? reinterpret_cast<const T*>(base_ + offset) : nullptr;
  }

 private:
  observed_node(const std::byte* base, std::size_t bytes, ino_t file) noexcept
      : base_(base), bytes_(bytes), file_(file) {}
  [[nodiscard]] const arena_head& head() const noexcept {
    return *reinterpret_cast<const arena_head*>(base_);
  }
  // Whether it begins as an arena does.
  [[nodiscard]] bool is_sound() const noexcept;

  const std::byte* base_;
  std::size_t bytes_;
  ino_t file_;
};

}  // namespace oriel::sessions
