#include "session/node/node_memory.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "oriel/errc.hpp"
#include "session/node/memory_advice.hpp"
#include "session/node/page_sizes.hpp"
#include "session/node/resource_limit.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

constexpr std::size_t largest_small = 1u << 20;
constexpr std::size_t small_granule = 128;
// Pages of the small zone and of its tags are made so many at a time.
constexpr std::size_t small_step = huge_page;
constexpr std::size_t tags_step = small_step / small_granule * sizeof(block_tag);
// So much at a time: a few milliseconds.
constexpr std::size_t reserve_step = 16u << 20;

std::size_t physical_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void no_memory(std::size_t asked) {
  throw error(errc::no_mem, "cannot reserve " + std::to_string(asked) + " bytes of node memory: " +
                                std::to_string(available_memory()) + " bytes are available");
}

// At a multiple of the huge page's size, which huge pages need; null when refused.
std::byte* map_aligned(int fd, std::size_t bytes) {
  void* const room = mmap(nullptr, bytes + huge_page, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<std::uintptr_t>(room);
  const std::size_t before = round_up(start, huge_page) - start;
  std::byte* const base = static_cast<std::byte*>(room) + before;
  if (before != 0) munmap(room, before);
  if (before != huge_page) munmap(base + bytes, huge_page - before);
  void* const mapped =
      mmap(base, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0);
  if (mapped != MAP_FAILED) return base;
  munmap(base, bytes);
  return nullptr;
}

bool lock_byte(int fd, int i) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = i;
  lock.l_len = 1;
  return fcntl(fd, F_SETLK, &lock) == 0;
}

}  // namespace

// Offsets. Pages that are to exist do so below the marks.
struct node_memory::zone {
  block_table blocks;
  std::uint64_t tags_at;
  std::uint64_t tags_mark;
  std::uint64_t tags_end;
  std::uint64_t mark;
  std::uint64_t end;
};

struct node_memory::header : arena_head {
  zone small;
  zone large;
  struct table {
    std::atomic<std::uint64_t> at;     // offset; 0: not yet
    std::atomic<std::uint64_t> bytes;  // once it is there
    std::atomic<std::uint32_t> maker;  // member + 1
  } tables[node_tables];
};

node_memory::node_memory(memory_file file, int me)
    : file_(std::move(file)),
      fd_(file_.descriptor()),
      me_(me),
      capacity_(file_.bytes()),
      huge_(huge_pages_here()) {
  base_ = map_aligned(fd_, capacity_);
  if (base_ == nullptr) {
    const std::string why = std::strerror(errno);
    throw error(errc::no_mem, "cannot map the node's memory file, of " + std::to_string(capacity_) +
                                  " bytes: " + why + addresses_limit_text());
  }
  madvise(base_, capacity_, MADV_DONTDUMP);
  if (huge_ == huge_pages::by_advice) madvise(base_, capacity_, MADV_HUGEPAGE);
  if (!lock_byte(fd_, me_)) {
    munmap(base_, capacity_);
    system_failure("cannot lock this rank's byte of the node's memory file");
  }
}

node_memory::~node_memory() {
  munmap(base_, capacity_);  // closing the file drops the record lock
}

node_memory::header& node_memory::head() const noexcept {
  return *reinterpret_cast<header*>(base_);
}

std::unique_ptr<node_memory> node_memory::make(int members, int me) {
  if (members > most_members)
    throw error(errc::arg, std::to_string(members) + " ranks on one node; at most " +
                               std::to_string(most_members) + " are supported");
  std::unique_ptr<node_memory> memory(
      new node_memory(memory_file::make(round_up(physical_memory(), huge_page)), me));
  memory->prepare(members);
  return memory;
}

std::unique_ptr<node_memory> node_memory::open(pid_t maker, const memory_file::identity& file,
                                               int me) {
  return std::unique_ptr<node_memory>(new node_memory(memory_file::open(maker, file), me));
}

void node_memory::prepare(int members) {
  const std::size_t lines_at = round_up(sizeof(header), alignof(member_line));
  const std::size_t lines_end =
      round_up(lines_at + static_cast<std::size_t>(members) * sizeof(member_line), page);
  make_pages(0, lines_end);
  header& h = head();
  h.members = members;
  h.members_at = lines_at;
  const std::size_t small_bytes = round_up(std::min<std::size_t>(1u << 30, capacity_ / 8), page);
  // A tag more than granules: taking the last one reads the tag that follows.
  const auto tags = [](zone& z, std::uint64_t at, std::size_t granules) {
    z.tags_at = z.tags_mark = at;
    z.tags_end = round_up(at + (granules + 1) * sizeof(block_tag), page);
    return z.tags_end;
  };
  const std::uint64_t small_tags_end = tags(h.small, lines_end, small_bytes / small_granule);
  const std::uint64_t first = tags(h.large, small_tags_end, capacity_ / huge_page);
  h.small.mark = first;
  h.small.end = round_up(first + small_bytes, huge_page);
  h.large.mark = h.large.end = capacity_;  // taking a block there makes its pages
  extend(h.small.tags_mark, h.small.tags_at + sizeof(block_tag), page, h.small.tags_end);
  extend(h.large.tags_mark, h.large.tags_at + sizeof(block_tag), page, h.large.tags_end);
  h.small.blocks.reset(tags_of(h.small), first, small_bytes, small_granule);
  h.large.blocks.reset(tags_of(h.large), h.small.end, capacity_ - h.small.end, huge_page);
}

block_tag* node_memory::tags_of(const zone& z) const noexcept {
  return reinterpret_cast<block_tag*>(base_ + z.tags_at);
}

// Makes the pages below `end` that do not exist yet, some more at once.
void node_memory::extend(std::uint64_t& mark, std::uint64_t end, std::size_t step,
                         std::uint64_t limit) {
  if (end <= mark) return;
  const std::uint64_t next = std::min(round_up(end, step), limit);
  make_pages(mark, next - mark);
  mark = next;
}

// Nothing when no free block is large enough. Requires: the lock. Throws no_mem, and nothing is
// taken.
std::optional<block_table::fit> node_memory::take(zone& z, std::size_t bytes,
                                                  std::size_t alignment) {
  const auto found = z.blocks.look(tags_of(z), bytes, alignment);
  if (!found) return found;
  extend(z.tags_mark, z.tags_at + z.blocks.tags_below(*found) * sizeof(block_tag), tags_step,
         z.tags_end);
  extend(z.mark, found->offset + bytes, small_step, z.end);
  z.blocks.take(tags_of(z), *found);
  return found;
}

void node_memory::lock() {
  auto& owner = head().owner;
  const auto mine = static_cast<std::uint32_t>(me_) + 1;
  for (int tries = 0;; ++tries) {
    std::uint32_t found = 0;
    if (owner.compare_exchange_weak(found, mine, std::memory_order_acquire)) return;
    if (tries % 1024 == 1023 && found != 0 && !runs(static_cast<int>(found) - 1) &&
        owner.compare_exchange_strong(found, mine, std::memory_order_acquire))
      return rebuild();  // a process that died with the lock left it inconsistent
    sync::wait_ladder::yield();
  }
}

void node_memory::rebuild() {
  for (zone* const z : {&head().small, &head().large})
    z->blocks.rebuild(tags_of(*z), (z->tags_mark - z->tags_at) / sizeof(block_tag));
}

template <class Work>
decltype(auto) node_memory::locked(Work work) {
  const std::lock_guard hold(threads_);
  lock();
  struct unlock {
    std::atomic<std::uint32_t>& word;
    ~unlock() { word.store(0, std::memory_order_release); }
  } const at_end{head().owner};
  return work();
}

std::uint64_t node_memory::allocate(std::size_t bytes, std::size_t alignment, bool populate) {
  if (bytes > capacity_ || alignment > capacity_) no_memory(bytes);
  bytes = round_up(std::max<std::size_t>(bytes, 1), 64);
  alignment = std::max<std::size_t>(alignment, 64);
  if (bytes <= largest_small && alignment <= page)
    if (const auto offset = allocate_small(bytes, alignment)) return *offset;
  return allocate_large(round_up(bytes, huge_page), std::max(alignment, huge_page), populate);
}

std::optional<std::uint64_t> node_memory::allocate_small(std::size_t bytes, std::size_t alignment) {
  const auto taken = locked([&] { return take(head().small, bytes, alignment); });
  if (!taken) return std::nullopt;
  if (taken->dirty) std::memset(base_ + taken->offset, 0, bytes);
  return taken->offset;
}

std::uint64_t node_memory::allocate_large(std::size_t bytes, std::size_t alignment, bool populate) {
  if (!populate && bytes > available_memory()) no_memory(bytes);
  const auto taken = locked([&] { return take(head().large, bytes, alignment); });
  if (!taken) no_memory(bytes);
  if (populate) {
    try {
      make_pages(taken->offset, bytes);
    } catch (...) {
      release(taken->offset);
      throw;
    }
  }
  return taken->offset;
}

std::byte* node_memory::table(node_table which, std::size_t bytes) {
  header::table& t = head().tables[static_cast<std::size_t>(which)];
  const auto mine = static_cast<std::uint32_t>(me_) + 1;
  for (int tries = 1;; ++tries) {
    if (const std::uint64_t at = t.at.load(std::memory_order_acquire)) {
      if (bytes > t.bytes.load(std::memory_order_relaxed))
        throw error(errc::no_mem, "a table of this node has been made for fewer bytes");
      return base_ + at;
    }
    std::uint32_t maker = 0;
    if (t.maker.compare_exchange_strong(maker, mine)) break;
    // One that has died as it made the table is followed by another.
    if (tries % 1024 == 0 && maker != mine && !runs(static_cast<int>(maker) - 1) &&
        t.maker.compare_exchange_strong(maker, mine))
      break;
    sync::wait_ladder::yield();
  }
  std::uint64_t at = t.at.load(std::memory_order_acquire);
  try {
    if (at == 0) {
      at = allocate(bytes);
      t.bytes.store(bytes, std::memory_order_relaxed);
      t.at.store(at, std::memory_order_release);
    }
  } catch (const error&) {
    t.maker.store(0);
    throw;
  }
  return base_ + at;
}

std::size_t node_memory::reserve(std::uint64_t offset, std::size_t bytes) {
  if (bytes == 0) return 0;
  // By advice, only touching a page makes a huge one, and then it costs little.
  if (huge_ == huge_pages::by_advice) {
    make_pages(offset, bytes);
    return 0;
  }
  std::uint64_t at = offset / page * page;
  const std::uint64_t end = round_up(offset + bytes, page);
  if (end - at > available_memory()) no_memory(end - at);
  const std::size_t huge =
      huge_ == huge_pages::on_request ? request_huge_pages(base_ + at, end - at) : 0;
  // A signal undoes a piece, which is made then in a way that signals do not undo.
  for (; at < end; at += reserve_step) {
    const auto piece = std::min<std::uint64_t>(end - at, reserve_step);
    if (fallocate(fd_, 0, static_cast<off_t>(at), static_cast<off_t>(piece)) == 0) continue;
    if (errno != EINTR) no_memory(bytes);
    make_pages(at, piece);
  }
  return huge;
}

void node_memory::discard(std::uint64_t offset, std::size_t bytes) noexcept {
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(bytes));
}

void node_memory::make_pages(std::uint64_t offset, std::size_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t first = offset / page * page;
  bytes = round_up(offset + bytes - first, page);
  if (bytes > available_memory()) no_memory(bytes);
  if (madvise(base_ + first, bytes, MADV_POPULATE_WRITE) == 0) return;
  if (errno == EINVAL &&
      fallocate(fd_, 0, static_cast<off_t>(first), static_cast<off_t>(bytes)) == 0)
    return;
  no_memory(bytes);
}

void node_memory::release(std::uint64_t offset) noexcept {
  zone& small = head().small;
  zone& large = head().large;
  if (offset < small.end) {
    locked([&] { small.blocks.give_back(tags_of(small), offset, true); });
    return;
  }
  // No other process takes the block meanwhile, and none waits for the lock.
  const auto bytes = locked([&] { return large.blocks.size_at(tags_of(large), offset); });
  if (!bytes) return;
  discard(offset, *bytes);
  locked([&] { large.blocks.give_back(tags_of(large), offset, false); });
}

std::optional<std::uint64_t> node_memory::offset_of(const void* p,
                                                    std::size_t bytes) const noexcept {
  const auto* const at = static_cast<const std::byte*>(p);
  if (at < base_ || at > base_ + capacity_) return std::nullopt;
  const auto offset = static_cast<std::uint64_t>(at - base_);
  return bytes <= capacity_ - offset ? std::optional(offset) : std::nullopt;
}

std::size_t node_memory::used() const noexcept {
  return head().small.blocks.used_bytes() + head().large.blocks.used_bytes();
}

void node_memory::show_job(pid_t rank_0) noexcept {
  head().job.store(rank_0, std::memory_order_relaxed);
}

bool node_memory::is_first_to_say(std::uint32_t bit) const noexcept {
  return (head().said.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

member_line& node_memory::member(int i) const noexcept {
  return reinterpret_cast<member_line*>(base_ + head().members_at)[i];
}

bool node_memory::alive(int i) const noexcept {
  return member(i).left.load(std::memory_order_acquire) == 0 && runs(i);
}

bool node_memory::runs(int i) const noexcept {
  if (i == me_) return true;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = i;
  lock.l_len = 1;
  return fcntl(fd_, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

}  // namespace oriel::sessions
