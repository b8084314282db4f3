// The files that variables have every rank write: ORIEL_STATS, ORIEL_TRACE. Each rank tries them as
// its session opens, and announces what has failed, so that one sentence speaks for the job.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::sessions {

enum class output : std::uint8_t { statistics, trace };
inline constexpr std::size_t outputs = 2;

// By output: why it cannot be written (errno); 0 where it can, or is not wanted.
using output_failures = std::array<std::int32_t, outputs>;
output_failures try_outputs() noexcept;

// The sentences that rank `me` says, where `of_ranks` are all ranks' failures: those of which it is
// the lowest.
std::vector<std::string> sentences_of(std::span<const output_failures> of_ranks, int me);

// "rank 2 cannot write its trace to '/x' (ORIEL_TRACE): No space left on device"
std::string sentence_of(output, int rank, std::string_view file, std::string_view why);

}  // namespace oriel::sessions
