// The node's arena: one sparse memory file that every rank of the node maps once, when the session
// opens. Windows, teams and alloc_mem are blocks of it, so making one takes no mapping, no
// descriptor and, when small, no system call; and a process that dies leaks nothing, since the file
// has no name and goes with its last user.
//
// Two zones. *Small* blocks (up to 1 MiB) lie below a mark up to which all pages exist; freed ones
// are cleared on reuse. *Large* blocks start on 2 MiB and give their pages back when freed.
//
// A page of a window is taken from the machine before it can be touched: a machine out of memory is
// an error here and never a failure later. Small blocks' pages are made and cleared at once; those
// of large segments are reserved by their owners, in huge pages where there are any, else without
// being cleared, which the first touch does: either takes a fifth of that time. The memory that the
// machine has, and that the control groups of the process allow, is read before. Another program
// may take it before the reservation; the kernel then fails it or, beyond a control group's limit,
// ends a process of the group. Only alloc_mem leaves a large block's pages to the first touch, as
// malloc does: programs allocate much and use little (NWChem: 84 times 44 MiB for water, 5 s of
// making pages).
//
// Threads and processes: any, in any order.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "session/node/block_table.hpp"
#include "session/node/huge_pages.hpp"
#include "session/node/memory_file.hpp"
#include "sync/request_bell.hpp"
#include "sync/system.hpp"

namespace oriel::sessions {

// A wait of a process in a collective of a team, once it lasts (session/team/collective_note.hpp).
struct present_collective {
  static constexpr std::size_t longest_name = 64;

  std::atomic<std::uint32_t> taken;    // by the thread that waits
  std::atomic<std::int32_t> awaited;   // a rank of the job that has not come; below 0: not known
  std::atomic<std::int32_t> more;      // that have not come either
  std::atomic<std::uint64_t> call[2];  // a collective_call, bit by bit
  // What the program has called instead; 0 of a collective of oriel's own.
  std::atomic<std::uint64_t> name[longest_name / sizeof(std::uint64_t)];
  std::atomic<std::int64_t> since;  // nanoseconds of the steady clock; 0: it does not wait
};

// One process of the node, at the start of the arena.
struct alignas(64) member_line {
  std::atomic<std::int32_t> pid;
  std::atomic<std::uint32_t> left;  // it has closed its session
  sync::request_bell bell;          // of requests to it
  std::atomic<std::int32_t> rank;   // of the job
  // Offset of the first of its windows' pages of counters (win/statistics/page.hpp); 0: none. It is
  // the only one that changes them.
  std::atomic<std::uint64_t> pages;
  present_collective collective;
};

// What an arena begins with, for those who look at it from outside.
struct arena_head {
  memory_file::token token;
  std::atomic<std::uint32_t> owner;  // of the allocator's lock: member + 1
  std::atomic<std::uint32_t> said;   // bits, of what one process says for all
  std::atomic<std::int32_t> job;     // the process of its rank 0, once the session opens
  int members;
  std::uint64_t members_at;  // offset
};

// What a node has one copy of, of any process's making, until the job ends.
enum class node_table : std::uint8_t { placement, detector_addresses, fabric_addresses, told };
inline constexpr std::size_t node_tables = 4;

class node_memory {
 public:
  static constexpr int most_members = 4096;

  // The lowest rank of the node makes the file; the others open that process's. Throws as
  // memory_file does, and no_mem when the file cannot be mapped.
  static std::unique_ptr<node_memory> make(int members, int me);
  static std::unique_ptr<node_memory> open(pid_t maker, const memory_file::identity& file, int me);

  node_memory(node_memory&&) = delete;
  ~node_memory();

  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  [[nodiscard]] const memory_file::identity& file() const noexcept { return file_.known(); }

  // The offset of `bytes` zeroed bytes. Alignment (a power of two) is at least 64, and 2 MiB for
  // blocks of more than 1 MiB. With `populate` false, a large block's pages are left to the caller,
  // who reserves them, or lets the first touch make them. Throws no_mem, with the bytes requested
  // and those available.
  [[nodiscard]] std::uint64_t allocate(std::size_t bytes, std::size_t alignment = 64,
                                       bool populate = true);
  // A block that stays until the job ends, the same for all who ask: the first makes it, zeroed.
  // All give the same number of bytes, or later fewer. Throws no_mem.
  [[nodiscard]] std::byte* table(node_table which, std::size_t bytes);
  // Takes the pages of [offset, offset + bytes) from the machine, near the calling thread's core,
  // huge ones where they are to be had. The first touch finds them, and clears small ones. Returns
  // of how many bytes it knows that they are in huge pages. Throws no_mem.
  std::size_t reserve(std::uint64_t offset, std::size_t bytes);
  // Gives the pages that [offset, offset + bytes) covers back to the machine. They read as zeros.
  void discard(std::uint64_t offset, std::size_t bytes) noexcept;
  // `offset` came from allocate, in any process of the node. Anything else is ignored.
  void release(std::uint64_t offset) noexcept;

  // The offset of [p, p + bytes) when all of it lies in the arena.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(const void* p,
                                                       std::size_t bytes) const noexcept;
  // Bytes handed out.
  [[nodiscard]] std::size_t used() const noexcept;

  // Shows those who look at the memory from outside whose it is, by the process of rank 0.
  void show_job(pid_t rank_0) noexcept;
  // Whether no process of the node has called this with the bit before.
  [[nodiscard]] bool is_first_to_say(std::uint32_t bit) const noexcept;
  [[nodiscard]] member_line& member(int i) const noexcept;
  // Whether member `i` is still there: its process lives and has not left.
  [[nodiscard]] bool alive(int i) const noexcept;

 private:
  struct zone;
  struct header;
  node_memory(memory_file file, int me);
  [[nodiscard]] header& head() const noexcept;
  void prepare(int members);
  void make_pages(std::uint64_t offset, std::size_t bytes);
  void extend(std::uint64_t& mark, std::uint64_t end, std::size_t step, std::uint64_t limit);
  [[nodiscard]] block_tag* tags_of(const zone&) const noexcept;
  std::optional<block_table::fit> take(zone&, std::size_t bytes, std::size_t alignment);
  std::optional<std::uint64_t> allocate_small(std::size_t bytes, std::size_t alignment);
  std::uint64_t allocate_large(std::size_t bytes, std::size_t alignment, bool populate);
  // Whether the process of member `i` has the file open. The kernel drops the record lock that a
  // member holds on its byte of the file the moment it dies, reaped or not.
  [[nodiscard]] bool runs(int i) const noexcept;
  // Waits for the allocator's lock. One whose owner has died is taken over, and what it was about
  // to change is made again.
  void lock();
  void rebuild();
  // Runs `work` while no other thread or process of the node is in the allocator.
  template <class Work>
  decltype(auto) locked(Work work);

  memory_file file_;
  int fd_ = -1;  // its
  int me_ = 0;
  std::size_t capacity_ = 0;
  huge_pages huge_ = huge_pages::unasked;
  std::byte* base_ = nullptr;
  mutable sync::mutex threads_;
};

// Bytes that this process may still take from the machine: free memory, less what its control group
// does not allow.
std::size_t available_memory();

}  // namespace oriel::sessions
