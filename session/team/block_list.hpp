// Blocks of several leaders as one message: (leader, size, bytes) one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oriel::sessions {

// What a block takes in a list besides its bytes.
inline constexpr std::size_t block_overhead = 2 * sizeof(std::uint64_t);

// Adds a block to a list; an empty vector is the empty list.
void append_block(std::vector<std::byte>& list, std::uint64_t leader,
                  const std::vector<std::byte>& block);

// Each block of `list` becomes the part of `all` that its leader names. False, and nothing is
// written, when the bytes are no such list, name a leader that `all` has no part for, or a block is
// not of the size that its leader's are: another version of oriel, or a fault. Throws bad_alloc
// where `all` has not been given room for such blocks.
bool unpack_blocks(std::span<const std::byte> list, std::span<const std::size_t> sizes,
                   std::vector<std::vector<std::byte>>& all);

}  // namespace oriel::sessions
