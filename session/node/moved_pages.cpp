#include "session/node/moved_pages.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "oriel/errc.hpp"
#include "session/node/moved_mappings.hpp"
#include "session/node/page_mover.hpp"
#include "session/node/page_sizes.hpp"
#include "session/node/private_copies.hpp"
#include "session/session_state.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

// What is reserved for a heap to grow into, so that buffers on the border stay in one region.
constexpr std::uint64_t growth = 64u << 20;
// How much is reserved before as much has been moved and its old pages are free.
constexpr std::uint64_t at_once = 32u << 20;
constexpr const char* other_pages = "other pages of the node's memory lie there";

std::uint64_t address(const volatile void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

// Whether any memory of the process is locked (mlock), which moved pages would not be, or pinned by
// a device, which would go on using the pages that they were.
bool locks_memory() {
  std::FILE* const file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return false;
  char line[256];
  unsigned long kilobytes = 0;
  while (kilobytes == 0 && std::fgets(line, sizeof line, file) != nullptr)
    if (std::sscanf(line, "VmLck: %lu", &kilobytes) != 1)
      std::sscanf(line, "VmPin: %lu", &kilobytes);
  std::fclose(file);
  return kilobytes != 0;
}

// Whether a thread's arena of glibc's begins at this page: fork resets data there in the child
// before any handler runs. Its heap's first word points to them.
[[gnu::no_sanitize("address", "thread")]] bool begins_an_arena(std::uint64_t begin) {
  constexpr std::uint64_t alignment = 64u << 20;
  if (begin % alignment != 0) return false;
  const std::uint64_t first_word = *reinterpret_cast<const std::uint64_t*>(at_address(begin));
  return first_word > begin && first_word < begin + page;
}

// Where the threads' own blocks are, which lie at the upper end of their stacks, above their
// thread-local variables.
std::vector<std::uint64_t> thread_blocks() {
  std::vector<std::uint64_t> found;
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
    void* block = nullptr;
    std::size_t bytes = 0;
    const long id = std::strtol(task.path().filename().c_str(), nullptr, 10);
    if (syscall(SYS_get_robust_list, id, &block, &bytes) == 0 && block != nullptr)
      found.push_back(address(block));
  }
  return found;
}

}  // namespace

// What the kernel has from the first to the last page.
struct moved_pages::survey {
  std::vector<mapping> parts;
  std::uint64_t from = 0;  // the mappings' own extent
  std::uint64_t to = 0;
  std::string why;  // not to be moved
};

moved_pages::moved_pages(detail::session_state& session) : moved_pages(session.memory()) {}

moved_pages::moved_pages(node_memory& memory) : memory_(&memory) {
  struct stat file {};
  if (fstat(memory.descriptor(), &file) != 0) system_failure("cannot stat the node's memory");
  inode_ = file.st_ino;
  device_ = file.st_dev;
  if (!private_copies::begin() ||
      !moved_mappings::add({inode_, device_, memory.base(), memory.capacity()}))
    throw error(errc::no_mem, "too many sessions of this process have moved private memory");
}

moved_pages::~moved_pages() {
  moved_mappings::forget_own_mapping({inode_, device_, memory_->base(), memory_->capacity()});
}

moved_pages::survey moved_pages::look(std::uint64_t begin, std::uint64_t end) const {
  survey found;
  std::uint64_t expected = begin;
  const char here = 0;
  const auto inside = [&](std::uint64_t at) { return at >= begin && at < end; };
  if (inside(address(&here))) found.why = "it is on this thread's stack";
  if (inside(address(&errno))) found.why = "this thread's own variables lie beside it";
  bool beside_ours = false, one_page = false;
  const bool read = for_each_mapping(begin - 1, end + 1, [&](const mapping& m) {
    const bool ours = m.shared && m.inode == inode_ && m.device == device_;
    if (m.end <= begin || m.begin >= end) {
      beside_ours = beside_ours || ours;
      return true;
    }
    if (m.begin > expected) found.why = "not all of it is mapped";
    expected = m.end;
    if (!ours && (m.inode != 0 || m.shared)) found.why = "it is a file's, or shared already";
    if (m.stack) found.why = "it is on a stack";
    if (!m.readable || !m.writable) found.why = "it may not be both read and written";
    if (m.executable) found.why = "it may hold instructions";
    one_page = one_page || (!ours && !m.heap && m.end - m.begin == page);
    beside_ours = beside_ours || ours;
    if (found.parts.empty()) found.from = m.begin;
    found.to = m.heap ? m.end + growth : m.end;
    found.parts.push_back(m);
    return true;
  });
  if (found.why.empty() && expected >= end && begins_an_arena(begin))
    found.why = "malloc's own data of a thread's heap lie there";
  if (one_page && !beside_ours && found.why.empty())
    found.why = "its mapping is one page, which mremap could let grow";
  if (!read) found.why = "the process's mappings cannot be read";
  if (expected < end && found.why.empty()) found.why = "not all of it is mapped";
  return found;
}

// Whether the mapping is, from `from` on, the part of the region's block that stands for it.
bool moved_pages::is_moved(const mapping& m, const region& in, std::uint64_t from) const noexcept {
  return m.inode == inode_ && m.device == device_ &&
         m.file_offset + (from - m.begin) == in.offset_of(from);
}

// Gives back what the program has unmapped since it was moved. Wherever a page of the file is
// mapped now, it is in use.
void moved_pages::reclaim() {
  struct range {
    std::uint64_t begin, end;
  };
  std::vector<range> used;  // of the file
  const bool read = for_each_mapping(0, ~std::uint64_t{0}, [&](const mapping& m) {
    if (m.inode == inode_ && m.device == device_ && moved_mappings::contains(m))
      used.push_back({m.file_offset, m.file_offset + (m.end - m.begin)});
    return true;
  });
  if (!read) return;
  std::sort(used.begin(), used.end(),
            [](const range& a, const range& b) { return a.begin < b.begin; });
  std::erase_if(regions_, [&](const region& r) {
    const std::uint64_t end = r.offset_of(r.end);
    std::uint64_t unused = r.block;  // from here on
    const auto give_back = [&](std::uint64_t until) {
      if (until > unused) memory_->discard(unused, until - unused);
    };
    for (const range& u : used) {
      if (u.end <= r.block || u.begin >= end) continue;
      give_back(std::min(u.begin, end));
      unused = std::max(unused, std::min(u.end, end));
    }
    if (unused == r.block)
      memory_->release(r.block);
    else
      give_back(end);
    return unused == r.block;
  });
}

bool moved_pages::add_region(std::uint64_t begin, std::uint64_t end) {
  reclaim();
  try {
    regions_.reserve(regions_.size() + 1);
    const std::uint64_t block = memory_->allocate(end - begin, huge_page, false);
    const auto after = std::find_if(regions_.begin(), regions_.end(),
                                    [&](const region& r) { return r.begin > begin; });
    regions_.insert(after, {begin, end, block});
    return true;
  } catch (const error&) {
    return false;
  }
}

// The region that all of it lies in, made where there is none: of the whole mapping, or else, where
// the node's memory has no such block, of little more than is needed.
const moved_pages::region* moved_pages::region_of(std::uint64_t begin, std::uint64_t end,
                                                  const survey& found, std::string& why) {
  std::uint64_t low = 0, high = ~std::uint64_t{0};
  for (const region& r : regions_) {
    if (r.begin <= begin && end <= r.end) return &r;
    if (r.end <= begin) low = r.end;
    if (r.begin >= end) high = std::min(high, r.begin);
    if (r.begin < end && begin < r.end) {
      why = "its pages adjoin those of another buffer that has been moved";
      return nullptr;
    }
  }
  const auto make = [&](std::uint64_t from, std::uint64_t to) {
    return add_region(std::max(low, round_down(from, huge_page)),
                      std::min(high, round_up(to, huge_page)));
  };
  if (!make(std::min(found.from, begin), std::max(found.to, end)) && !make(begin, end)) {
    why = "the node's memory has no room for it";
    return nullptr;
  }
  return region_of(begin, end, found, why);
}

moved_pages::outcome moved_pages::move(const void* p, std::size_t bytes) {
  const std::lock_guard hold(changing_);
  const std::uint64_t begin = round_down(address(p), page),
                      end = round_up(address(p) + bytes, page);
  const survey found = look(begin, end);
  if (!found.why.empty()) return {std::nullopt, found.why};
  std::string why;
  const region* const in = region_of(begin, end, found, why);
  if (in == nullptr) return {std::nullopt, why};
  for (const mapping& m : found.parts) {
    const std::uint64_t from = std::max(m.begin, begin), to = std::min(m.end, end);
    if (!is_moved(m, *in, from)) why = m.shared ? other_pages : move_part(*in, m, from, to);
    if (!why.empty()) return {std::nullopt, why};
  }
  return {in->offset_of(address(p)), {}};
}

// Whether the program has these pages of the file elsewhere, by mremap.
bool moved_pages::is_mapped(std::uint64_t offset, std::uint64_t bytes) const {
  bool found = false;
  const bool read = for_each_mapping(0, ~std::uint64_t{0}, [&](const mapping& m) {
    found = m.inode == inode_ && m.device == device_ && moved_mappings::contains(m) &&
            m.file_offset < offset + bytes && offset < m.file_offset + (m.end - m.begin);
    return !found;
  });
  return found || !read;
}

// Whether a thread's stack, or its own variables, lie in [from, to).
bool moved_pages::holds_a_thread(const mapping& m, std::uint64_t from) {
  const std::vector<std::uint64_t> blocks = thread_blocks();
  return std::any_of(blocks.begin(), blocks.end(), [&](std::uint64_t block) {
    return block >= m.begin && block < m.end && from < block + page;
  });
}

// A huge page at a time, so that threads that touch the memory wait for no longer than that takes.
std::string moved_pages::move_part(const region& in, const mapping& m, std::uint64_t from,
                                   std::uint64_t to) {
  if (locks_memory()) return "some of the process's memory is locked (mlock) or pinned by a device";
  if (holds_a_thread(m, from)) return "a thread's stack, or its own variables, lie in the mapping";
  if (is_mapped(in.offset_of(from), to - from))
    return "what was moved from there before is in use elsewhere (mremap)";
  const std::uint64_t first = from;
  for (std::uint64_t next = 0, reserved = from; from < to; from = next) {
    next = std::min(to, round_down(from, huge_page) + huge_page);
    const std::uint64_t offset = in.offset_of(from);
    if (next > reserved) try {
        const std::uint64_t more = std::min(to, next + at_once);
        memory_->reserve(in.offset_of(reserved), more - reserved);
        reserved = more;
      } catch (const error& e) {
        return e.what();
      }
    const std::lock_guard hold(private_copies::exclusion());
    std::string why = move_pages(at_address(from), next - from,
                                 {memory_->descriptor(), offset, memory_->base() + offset});
    if (!why.empty()) return why;
    if (from == first) keep_from_growing(at_address(first));
  }
  return {};
}

}  // namespace oriel::sessions
