#include "win/serve/attached_exposures.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "session/node/address_map.hpp"

namespace oriel::win {
namespace {

// The key's name is one of its own, which no other buffer's or window's is but by chance; what is
// refused for that, as for any other reason, goes by messages.
constexpr std::uint64_t name_of(std::uint64_t window, std::uint64_t handle) noexcept {
  return window + 0x9E37'79B9'7F4A'7C15 * (handle + 1);
}

bool is_writable(std::uint64_t begin, std::uint64_t end) noexcept {
  bool writable = true;
  const bool whole = sessions::for_each_mapping(
      begin, end, [&writable](const sessions::mapping& m) { return writable = m.writable; });
  return whole && writable;
}

std::unique_ptr<transport::exposure> registered(transport::fabric& way, std::uint64_t address,
                                                std::uint64_t bytes, std::uint64_t name) noexcept {
  try {
    return way.expose(sessions::at_address(address), bytes, name, std::nullopt);
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

void attached_exposures::add(transport::fabric& way, std::uint64_t id, const segment_record& buffer,
                             std::uint64_t extent) noexcept {
  exposed made;
  made.place.first = buffer.first * extent;
  made.place.bytes = buffer.count * extent;
  made.address = buffer.address;
  made.memory = registered(way, made.address, made.place.bytes, name_of(id, buffer.handle));
  if (made.memory != nullptr) {
    made.place.is_registered = 1;
    made.place.ticket = {made.memory->key, made.memory->base};
  }
  made.lent = {way,
               {static_cast<std::byte*>(sessions::at_address(made.address)),
                static_cast<std::size_t>(made.place.bytes)}};
  const std::lock_guard hold(mutex_);
  try {
    first_of_.emplace(buffer.handle, made.place.first);
    by_first_.insert_or_assign(made.place.first, std::move(made));
  } catch (const std::bad_alloc&) {
    first_of_.erase(buffer.handle);
  }
}

told_place attached_exposures::tell(std::uint64_t at, std::uint64_t bytes, int asker) noexcept {
  const std::lock_guard hold(mutex_);
  auto next = by_first_.upper_bound(at);
  if (next == by_first_.begin()) return {};
  exposed& found = std::prev(next)->second;
  if (!found.place.holds(at, bytes)) return {};
  if (!std::exchange(found.looked_at, true) &&
      !is_writable(found.address, found.address + found.place.bytes))
    found.place.is_registered = 0;
  try {
    if (std::find(found.told.begin(), found.told.end(), asker) == found.told.end())
      found.told.push_back(asker);
    return found.place;
  } catch (const std::bad_alloc&) {
    return {};
  }
}

attached_exposures::withdrawn attached_exposures::remove(std::uint64_t handle) noexcept {
  const std::lock_guard hold(mutex_);
  const auto known = first_of_.find(handle);
  if (known == first_of_.end()) return {};
  const auto at = by_first_.find(known->second);
  first_of_.erase(known);
  withdrawn gone{std::move(at->second.memory), at->first, std::move(at->second.told),
                 std::move(at->second.lent)};
  by_first_.erase(at);
  return gone;
}

void attached_exposures::clear() noexcept {
  const std::lock_guard hold(mutex_);
  by_first_.clear();
  first_of_.clear();
}

void attached_exposures::keep(transport::fabric& way) noexcept {
  const std::lock_guard hold(mutex_);
  for (auto& [first, one] : by_first_)
    if (one.memory != nullptr) way.keep(std::move(one.memory));
  by_first_.clear();
  first_of_.clear();
}

}  // namespace oriel::win
