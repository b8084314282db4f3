// A program's own memory that has become the node's: pages of malloc, say, that this process goes
// on using where they are, and that the node's other ranks map as all of the node's memory.
//
// Blocks of the node's memory stand for *regions* of this process's addresses, each a mapping as a
// whole at its first move, so that buffers beside one another can become the node's one by one.
// What has been moved stays so, whatever becomes of a window: the kernel's list of mappings alone
// says which pages are moved now, so memory that was unmapped since, and is something else, is what
// it is. The node's pages of what was unmapped go back to the machine when the next region is made.
//
// A child of fork gets copies of the moved pages, as of all private memory: the parent waits in
// fork until they are made. Children of vfork and posix_spawn share all memory until they exec.
//
// Lives as `session_state::extension<moved_pages>()`. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/node/address_map.hpp"
#include "session/node/node_memory.hpp"
#include "sync/system.hpp"

namespace oriel::detail {
class session_state;
}

namespace oriel::sessions {

class moved_pages {
 public:
  explicit moved_pages(detail::session_state&);
  explicit moved_pages(node_memory&);
  ~moved_pages();
  moved_pages(const moved_pages&) = delete;
  moved_pages& operator=(const moved_pages&) = delete;

  // Where [p, p + bytes) is in the node's memory; else why it stays private.
  struct outcome {
    std::optional<std::uint64_t> offset;
    std::string why;
  };
  // Moves those of its pages that are private yet. Requires: no system call writes to them
  // meanwhile, and no device.
  outcome move(const void* p, std::size_t bytes);

 private:
  struct region {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t block;
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t at) const noexcept {
      return block + (at - begin);
    }
  };
  struct survey;
  [[nodiscard]] survey look(std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] bool is_moved(const mapping&, const region&, std::uint64_t from) const noexcept;
  const region* region_of(std::uint64_t begin, std::uint64_t end, const survey&, std::string& why);
  void reclaim();
  bool add_region(std::uint64_t begin, std::uint64_t end);
  [[nodiscard]] bool is_mapped(std::uint64_t offset, std::uint64_t bytes) const;  // of the file
  static bool holds_a_thread(const mapping&, std::uint64_t from);
  std::string move_part(const region&, const mapping&, std::uint64_t from, std::uint64_t to);

  node_memory* memory_;
  sync::mutex changing_;
  std::vector<region> regions_;  // by address
  std::uint64_t inode_ = 0;      // of the node's memory
  dev_t device_ = 0;
};

}  // namespace oriel::sessions
