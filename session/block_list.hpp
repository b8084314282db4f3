// Blocks of several leaders as one message: (leader, size, bytes) one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oriel::boot {

// Adds a block to a list; an empty vector is the empty list.
void append_block(std::vector<std::byte>& list, std::uint64_t leader,
                  const std::vector<std::byte>& block);

// Each block of `list` becomes the part of `all` that its leader names. False, and nothing is
// written, when the bytes are no such list or name a leader that `all` has no part for: another
// version of oriel, or a fault. Throws bad_alloc.
bool unpack_blocks(const std::vector<std::byte>& list, std::vector<std::vector<std::byte>>& all);

}  // namespace oriel::boot
