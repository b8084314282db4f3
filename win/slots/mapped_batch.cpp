#include "win/slots/mapped_batch.hpp"

#include <cstring>

namespace oriel::win {

errc mapped_batch::add(std::size_t j, std::byte* there) noexcept {
  const std::size_t at = j * extent_;
  const auto* const given = static_cast<const std::byte*>(list_.operands);
  const auto* const desired = static_cast<const std::byte*>(list_.desired);
  auto* const results = static_cast<std::byte*>(list_.results);
  if (extent_ > longest) {
    scattered_block one;
    one.targets = &there;
    one.owner = list_.ranks[j];
    one.operands = given == nullptr ? nullptr : given + at;
    one.desired = desired == nullptr ? nullptr : desired + at;
    one.results = results == nullptr ? nullptr : results + at;
    one.n = 1;
    return call_.perform(one);
  }
  half& h = halves_[filling_];
  __builtin_prefetch(there, 1);
  h.targets[h.n] = there;
  h.owners[h.n] = list_.ranks[j];
  h.positions[h.n] = j;
  if (given != nullptr) std::memcpy(h.given.data() + h.n * extent_, given + at, extent_);
  if (desired != nullptr) std::memcpy(h.desired.data() + h.n * extent_, desired + at, extent_);
  if (++h.n < elements_at_once) return errc::success;
  filling_ ^= 1;
  return perform(halves_[filling_]);
}

errc mapped_batch::perform(half& h) noexcept {
  if (h.n == 0) return errc::success;
  scattered_block b;
  b.targets = h.targets.data();
  b.owners = h.owners.data();
  b.operands = h.given.data();
  b.desired = h.desired.data();
  b.stride = extent_;
  b.results = list_.results == nullptr ? nullptr : h.results.data();
  b.n = h.n;
  const errc e = call_.perform(b);
  auto* const results = static_cast<std::byte*>(list_.results);
  for (std::size_t k = 0; results != nullptr && e == errc::success && k < h.n; ++k)
    std::memcpy(results + h.positions[k] * extent_, h.results.data() + k * extent_, extent_);
  h.n = 0;
  return e;
}

errc mapped_batch::finish() noexcept {
  const errc e = perform(halves_[filling_ ^ 1]);
  const errc last = perform(halves_[filling_]);
  return e == errc::success ? last : e;
}

}  // namespace oriel::win
