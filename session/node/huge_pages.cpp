#include "session/node/huge_pages.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>

#include "session/bootstrap/environment.hpp"
#include "session/node/memory_advice.hpp"
#include "session/node/page_sizes.hpp"

namespace oriel::sessions {
namespace {

constexpr std::size_t collapsed_at_once = 64 * huge_page;

}  // namespace

huge_pages huge_pages_here() {
  if (!variable_switch("ORIEL_HUGE_PAGES").value_or(true)) return huge_pages::unasked;
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::string line;
  if (!std::getline(file, line)) return huge_pages::unasked;
  if (line.find("[advise]") != std::string::npos) return huge_pages::by_advice;
  return line.find("[never]") != std::string::npos ? huge_pages::on_request : huge_pages::unasked;
}

// A huge page takes the place of small ones, of which one has to be there: the others need not be
// made before, which would take most of the time.
std::size_t request_huge_pages(std::byte* at, std::size_t bytes) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(at);
  const auto begin = round_up(first, huge_page), end = round_down(first + bytes, huge_page);
  if (begin >= end) return 0;
  std::byte* const whole = at + (begin - first);
  for (std::size_t done = 0; done < end - begin; done += huge_page)
    if (madvise(whole + done, page, MADV_POPULATE_WRITE) != 0) return 0;
  // Of many at once, since the kernel first has every processor give up pages that it keeps back;
  // not of all, since it ends no process that is killed meanwhile before it has made them.
  std::size_t made = 0;
  for (std::size_t done = 0; done < end - begin; done += collapsed_at_once) {
    const std::size_t piece = std::min(end - begin - done, collapsed_at_once);
    if (madvise(whole + done, piece, MADV_COLLAPSE) == 0)
      made += piece;
    else if (errno != EAGAIN)
      break;
  }
  return made;
}

}  // namespace oriel::sessions
