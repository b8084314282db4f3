#include "session/node/moved_pages.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "oriel/errc.hpp"
#include "session/node/page_mover.hpp"
#include "session/node/page_sizes.hpp"
#include "session/node/private_copies.hpp"
#include "session/session_state.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

// What is reserved for a heap to grow into, so that buffers on the border stay in one region.
constexpr std::uint64_t growth = 64u << 20;
constexpr const char* other_pages = "other pages of the node's memory lie there";

std::uint64_t address(const volatile void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

// Whether any memory of the process is locked (mlock), which moved pages would not be.
bool locks_memory() {
  std::FILE* const file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return false;
  char line[256];
  unsigned long kilobytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::sscanf(line, "VmLck: %lu", &kilobytes) == 1) break;
  std::fclose(file);
  return kilobytes != 0;
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
  if (!private_copies::begin({inode_, device_, memory.base(), memory.capacity()}))
    throw error(errc::no_mem, "too many sessions of this process have moved private memory");
}

moved_pages::~moved_pages() {
  private_copies::end({inode_, device_, memory_->base(), memory_->capacity()});
}

moved_pages::survey moved_pages::look(std::uint64_t begin, std::uint64_t end) const {
  survey found;
  std::uint64_t expected = begin;
  const char here = 0;
  const auto inside = [&](std::uint64_t at) { return at >= begin && at < end; };
  if (inside(address(&here))) found.why = "it is on this thread's stack";
  if (inside(address(&errno))) found.why = "this thread's own variables lie beside it";
  const bool read = for_each_mapping(begin, end, [&](const mapping& m) {
    if (m.begin > expected) found.why = "not all of it is mapped";
    expected = m.end;
    const bool ours = m.shared && m.inode == inode_ && m.device == device_;
    if (!ours && (m.inode != 0 || m.shared)) found.why = "it is a file's, or shared already";
    if (m.stack) found.why = "it is on a stack";
    if (!m.readable || !m.writable) found.why = "it may not be both read and written";
    if (found.parts.empty()) found.from = m.begin;
    found.to = m.heap ? m.end + growth : m.end;
    found.parts.push_back(m);
    return true;
  });
  if (!read) found.why = "the process's mappings cannot be read";
  if (expected < end && found.why.empty()) found.why = "not all of it is mapped";
  return found;
}

// Whether the mapping is, from `from` on, the part of the region's block that stands for it.
bool moved_pages::is_moved(const mapping& m, const region& in, std::uint64_t from) const noexcept {
  return m.inode == inode_ && m.device == device_ &&
         m.file_offset + (from - m.begin) == in.offset_of(from);
}

// Gives back what the program has unmapped since it was moved.
void moved_pages::reclaim() {
  std::erase_if(regions_, [this](const region& r) {
    std::uint64_t unused = r.begin;  // from here on
    const auto give_back = [&](std::uint64_t until) {
      if (until > unused) memory_->discard(r.offset_of(unused), until - unused);
    };
    const bool read = for_each_mapping(r.begin, r.end, [&](const mapping& m) {
      const std::uint64_t from = std::max(m.begin, r.begin);
      if (!is_moved(m, r, from)) return true;
      give_back(from);
      unused = std::min(m.end, r.end);
      return true;
    });
    if (!read) return false;
    if (unused == r.begin)
      memory_->release(r.block);
    else
      give_back(r.end);
    return unused == r.begin;
  });
}

bool moved_pages::add_region(std::uint64_t begin, std::uint64_t end) {
  reclaim();
  try {
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
    if (!is_moved(m, *in, from)) why = m.shared ? other_pages : move_part(*in, from, to);
    if (!why.empty()) return {std::nullopt, why};
  }
  return {in->offset_of(address(p)), {}};
}

// A huge page at a time, so that threads that touch the memory wait for no longer than that takes.
std::string moved_pages::move_part(const region& in, std::uint64_t from, std::uint64_t to) {
  if (locks_memory()) return "some of the process's memory is locked (mlock)";
  try {
    memory_->reserve(in.offset_of(from), to - from);
  } catch (const error& e) {
    return e.what();
  }
  for (std::uint64_t next = 0; from < to; from = next) {
    next = std::min(to, round_down(from, huge_page) + huge_page);
    const std::uint64_t offset = in.offset_of(from);
    std::string why = move_pages(at_address(from), next - from,
                                 {memory_->descriptor(), offset, memory_->base() + offset});
    if (!why.empty()) return why;
  }
  return {};
}

}  // namespace oriel::sessions
