// The memory of one window, as one process holds it: its node's blocks, and its own segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "oriel/detail/window_view.hpp"
#include "sync/system.hpp"
#include "win/construct/control_block.hpp"
#include "win/construct/reservation.hpp"
#include "win/segment_book.hpp"
#include "win/serve/writable_pages.hpp"

namespace oriel::win {

struct window_memory {
  reservation room;  // in the node's memory: the control block, and the segments of allocate
  std::uint64_t control_bytes = 0;  // of the former
  control_layout layout;            // likewise
  std::byte* local = nullptr;
  std::uint64_t local_count = 0;
  std::size_t local_huge = 0;  // bytes of it that are known to be in huge pages
  bool moves_private = false;  // what is attached becomes the node's memory
  std::string why_private;     // given to create and not moved into the node's memory
  // When not all is mapped, by rank: this process's own table, since only it knows its private
  // memory.
  std::vector<detail::segment_entry> own_entries;
  // Once a host_view is wanted, by rank: where the segments are mapped here.
  std::vector<std::byte*> bases;
  sync::mutex making_bases;
  std::optional<segment_book_owner> own_book;
  // Held while this process carries out what others ask for in memory that may be detached.
  sync::mutex serving_attached;
  // Of memory of the program's own to which this process carries out what others ask for.
  std::unique_ptr<writable_pages> own_pages;
};

}  // namespace oriel::win
