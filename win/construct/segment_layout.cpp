#include "win/construct/segment_layout.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "win/construct/control_block.hpp"

namespace oriel::win {
namespace {

constexpr std::uint64_t huge_page = 2u << 20;
// Rounded up it is still a number of bytes.
constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();

}  // namespace

segment_layout lay_out_segments(const agreement& agreed, const detail::team_state& group) {
  segment_layout made;
  std::uint64_t alignment = 1;
  bool apart = false;
  bool pinned = false;
  for (const int r : group.node_members()) {
    const construction_request& q = agreed.request(group, r);
    alignment = std::max(alignment, q.alignment);
    apart = apart || q.noncontiguous;
    pinned = pinned || q.pinned;
  }
  for (const int r : group.node_members()) {
    const construction_request& q = agreed.request(group, r);
    const std::uint64_t bytes = q.where == place::node_memory ? q.count * q.extent : 0;
    const std::uint64_t boundary = std::max(alignment, !apart               ? 1
                                                       : bytes >= huge_page ? huge_page
                                                                            : page);
    const std::uint64_t start = round_up(made.bytes, boundary);
    if (start < made.bytes || start > most || bytes > most - start)
      throw error(errc::size, "the segments of its node exceed any memory");
    made.starts.push_back(start);
    made.bytes = start + bytes;
  }
  const bool whole_pages = apart || pinned || made.bytes >= page;
  made.alignment = std::max<std::uint64_t>(alignment, whole_pages ? page : 64);
  // Whole pages are registered with devices, of which no other window may have a part.
  if (pinned) made.bytes = round_up(made.bytes, page);
  return made;
}

}  // namespace oriel::win
