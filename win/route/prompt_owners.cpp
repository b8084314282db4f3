#include "win/route/prompt_owners.hpp"

#include <unistd.h>

#include <algorithm>

#include "transport/cma.hpp"

namespace oriel::win {

namespace {

std::chrono::nanoseconds soonest_copy(const std::byte* from, std::byte* to, std::size_t bytes) {
  constexpr int tries = 16;
  std::chrono::nanoseconds soonest = std::chrono::seconds(1);
  for (int i = 0; i < tries; ++i) {
    const auto began = sync::clock::now();
    const errc e = transport::cma_read(getpid(), reinterpret_cast<std::uintptr_t>(from), to, bytes);
    if (e == errc::success)
      soonest = std::min<std::chrono::nanoseconds>(soonest, sync::clock::now() - began);
  }
  return soonest;
}

}  // namespace

// Of this process's own memory, which takes about as long as another's. Where the two buffers are
// aligned alike, the kernel is quickest.
kernel_copy_time::kernel_copy_time(detail::session_state&) {
  constexpr std::size_t longest = prompt_owners::longest;
  struct alignas(64) line {
    std::array<std::byte, 64> bytes;
  };
  std::vector<line> from(longest / sizeof(line)), to(from.size());
  smallest = soonest_copy(from[0].bytes.data(), to[0].bytes.data(), sizeof(std::uint64_t));
  const auto all = soonest_copy(from[0].bytes.data(), to[0].bytes.data(), longest);
  by_kilobyte =
      std::max(std::chrono::nanoseconds(0), all - smallest) * 1024 / std::int64_t{longest};
}

namespace {

// Mails that are judged together, after the first, which are late since an owner that nobody has
// asked for a while looks rarely, and has nothing of theirs in its cache.
constexpr int first_mails = 4;
constexpr int judged_mails = 32;
constexpr int mails_between_copies = 16 * judged_mails;
// Of the kernel's copies, the first may take as long as these; and each of the others counts as at
// most so many, since one may be interrupted.
constexpr std::int64_t patience = 32;
constexpr std::int64_t longest_counted = 16;
// Of these the last is measured: the others fetch what the owner wrote.
constexpr std::uint32_t copies_between = 8;
constexpr std::int64_t copies_by_spent = 32;
constexpr std::int64_t first_pause = 8;  // it doubles, since an owner may be delayed once
constexpr int most_doublings = 20;
constexpr std::int64_t longest_pause = 1 << 22;

}  // namespace

void prompt_owners::note_copy(std::size_t owner, transfer x,
                              std::chrono::nanoseconds took) noexcept {
  const std::int64_t expected = std::max<std::int64_t>(kernel_.of(x.bytes, x.pieces).count(), 1);
  const std::int64_t now = std::clamp<std::int64_t>(took.count() * 256 / expected, 1, 1024);
  std::atomic<std::uint32_t>& slower = of(owner, x).slower;
  const std::int64_t before = slower.load(std::memory_order_relaxed);
  slower.store(static_cast<std::uint32_t>(before == 0 ? now : before + (now - before) / 4),
               std::memory_order_relaxed);
}

void prompt_owners::note(std::size_t owner, transfer x, std::chrono::nanoseconds took,
                         int copies) noexcept {
  answers& a = of(owner, x);
  const std::int64_t slower = a.slower.load(std::memory_order_relaxed);
  const std::int64_t one =
      kernel_.of(x.bytes, x.pieces).count() * (slower == 0 ? 256 : slower) / 256;
  const std::int64_t share = took.count() * 64 / (std::max<std::int64_t>(one, 1) * copies);
  const int mails = a.mails.load(std::memory_order_relaxed) + 1;
  const bool is_first = mails <= first_mails;
  const std::int64_t most = is_first ? patience + 1 : longest_counted;
  const std::int64_t before = a.spent.load(std::memory_order_relaxed);
  const std::int64_t spent = before + std::min(share, most * 64);
  if (spent > (is_first ? patience : judged_mails) * 64) return pause(a, (before + share) / 64);
  const bool is_judged = (mails - first_mails) % judged_mails == 0;  // and found good
  a.spent.store(is_judged ? 0 : static_cast<std::uint32_t>(spent), std::memory_order_relaxed);
  if (is_judged && !is_first) a.pauses.store(0, std::memory_order_relaxed);
  const bool copies_follow = mails == first_mails + mails_between_copies;
  if (copies_follow) a.left.store(copies_between, std::memory_order_relaxed);
  a.mails.store(static_cast<std::uint16_t>(copies_follow ? first_mails : mails),
                std::memory_order_relaxed);
}

// After mails that took as long as `copies`.
void prompt_owners::pause(answers& a, std::int64_t copies) noexcept {
  const int before = a.pauses.load(std::memory_order_relaxed);
  a.mails.store(0, std::memory_order_relaxed);
  a.spent.store(0, std::memory_order_relaxed);
  a.left.store(static_cast<std::uint32_t>(
                   std::min({copies * copies_by_spent, first_pause << before, longest_pause})),
               std::memory_order_relaxed);
  if (before < most_doublings)
    a.pauses.store(static_cast<std::uint16_t>(before + 1), std::memory_order_relaxed);
}

}  // namespace oriel::win
