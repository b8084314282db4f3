#include "tests/drivers/ptx/touches.hpp"

#include <algorithm>
#include <bit>

namespace oriel::test_driver::ptx {
namespace {

constexpr std::uint64_t sector_bytes = 32, sectors_of_line = 4;

}  // namespace

void own_touches::access(std::uint64_t address, std::size_t bytes) {
  ++accesses_;
  for (std::uint64_t s = address / sector_bytes; s <= (address + bytes - 1) / sector_bytes; ++s)
    if (std::ranges::find(sectors_, s) == sectors_.end()) sectors_.push_back(s);
}

void own_touches::add_to(touches& all) const {
  if (sectors_.empty()) return;
  std::vector<std::uint64_t> lines;
  for (const std::uint64_t s : sectors_) lines.push_back(s / sectors_of_line);
  std::ranges::sort(lines);
  const auto repeated = std::ranges::unique(lines);
  lines.erase(repeated.begin(), repeated.end());
  ++all.threads;
  all.sectors += sectors_.size();
  all.lines += lines.size();
  all.most_sectors = std::max<std::uint64_t>(all.most_sectors, sectors_.size());
  all.most_lines = std::max<std::uint64_t>(all.most_lines, lines.size());
  all.accesses += accesses_;
  all.instructions += instructions_;
}

touch_counter& touch_counter::instance() {
  static touch_counter the;
  return the;
}

void touch_counter::watch(std::uint64_t begin, std::uint64_t bytes) {
  begin_ = begin;
  bytes_ = bytes;
  all_ = {};
}

}  // namespace oriel::test_driver::ptx

void oriel_test_watch(const void* begin, std::size_t bytes) {
  using oriel::test_driver::ptx::touch_counter;
  touch_counter::instance().watch(std::bit_cast<std::uint64_t>(begin), bytes);
}

void oriel_test_touches(oriel::test_driver::ptx::touches* counted) {
  *counted = oriel::test_driver::ptx::touch_counter::instance().all();
}
