#include "shmem/heap_space.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace oriel::shmem {
namespace {

constexpr std::size_t round_up(std::size_t n, std::size_t to) noexcept {
  return (n + to - 1) & ~(to - 1);
}

}  // namespace

heap_space::heap_space(std::size_t bytes) {
  add_free(0, bytes & ~(granule - 1));
}

std::optional<std::size_t> heap_space::take(std::size_t bytes, std::size_t alignment) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return std::nullopt;
  const std::size_t whole = round_up(std::max(bytes, std::size_t{1}), granule);
  const std::size_t to = std::max(alignment, granule);
  for (auto fit = by_size_.lower_bound({whole, 0}); fit != by_size_.end(); ++fit) {
    const auto [room, begin] = *fit;
    const std::size_t at = round_up(begin, to);
    if (at < begin || at - begin > room - whole) continue;
    drop_free(free_.find(begin));
    add_free(begin, at - begin);
    add_free(at + whole, room - whole - (at - begin));
    taken_.emplace(at, whole);
    return at;
  }
  return std::nullopt;
}

bool heap_space::give_back(std::size_t offset) {
  const auto part = taken_.find(offset);
  if (part == taken_.end()) return false;
  std::size_t begin = offset, bytes = part->second;
  taken_.erase(part);
  if (const auto behind = free_.find(begin + bytes); behind != free_.end()) {
    bytes += behind->second;
    drop_free(behind);
  }
  if (auto before = free_.lower_bound(begin); before != free_.begin()) {
    --before;
    if (before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
      drop_free(before);
    }
  }
  add_free(begin, bytes);
  return true;
}

bool heap_space::resize(std::size_t offset, std::size_t bytes) {
  const auto part = taken_.find(offset);
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return false;
  const std::size_t whole = round_up(std::max(bytes, std::size_t{1}), granule);
  const auto behind = free_.find(offset + part->second);
  const std::size_t room = part->second + (behind == free_.end() ? 0 : behind->second);
  if (whole > room) return false;
  if (behind != free_.end()) drop_free(behind);
  part->second = whole;
  add_free(offset + whole, room - whole);
  return true;
}

std::optional<std::size_t> heap_space::size_at(std::size_t offset) const {
  const auto part = taken_.find(offset);
  return part == taken_.end() ? std::nullopt : std::optional(part->second);
}

void heap_space::add_free(std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return;
  free_.emplace(offset, bytes);
  by_size_.emplace(bytes, offset);
}

void heap_space::drop_free(parts::iterator part) {
  by_size_.erase({part->second, part->first});
  free_.erase(part);
}

}  // namespace oriel::shmem
