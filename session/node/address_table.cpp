#include "session/node/address_table.hpp"

#include <algorithm>
#include <cstring>

#include "session/node/written_alike.hpp"

namespace oriel::sessions {
namespace {

std::size_t words_for(std::size_t bytes) noexcept {
  return (bytes + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t);
}

std::size_t longest_of(const std::vector<std::vector<std::string>>& by_rail) noexcept {
  std::size_t longest = 0;
  for (const std::vector<std::string>& rail : by_rail)
    for (const std::string& address : rail) longest = std::max(longest, address.size());
  return longest;
}

}  // namespace

address_table::address_table(node_memory& memory, node_table which,
                             const std::vector<std::vector<std::string>>& by_rail)
    : rails_(by_rail.size()),
      ranks_(by_rail.front().size()),
      words_each_(1 + words_for(longest_of(by_rail))),
      words_(reinterpret_cast<std::uint32_t*>(
          memory.table(which, rails_ * ranks_ * words_each_ * sizeof(std::uint32_t)))) {
  for (int rail = 0; rail < rails(); ++rail)
    for (int r = 0; r < ranks(); ++r) {
      const std::string& address =
          by_rail[static_cast<std::size_t>(rail)][static_cast<std::size_t>(r)];
      std::uint32_t* next = entry(rail, r);
      write_alike(*next++, static_cast<std::uint32_t>(address.size()));
      for (std::size_t from = 0; from < address.size(); from += sizeof(std::uint32_t)) {
        std::uint32_t word = 0;
        std::memcpy(&word, &address[from], std::min(sizeof word, address.size() - from));
        write_alike(*next++, word);
      }
    }
}

std::string address_table::at(int rail, int rank) const {
  std::string address(read_alike(*entry(rail, rank)), '\0');
  read(rail, rank, address.data(), address.size());
  return address;
}

void address_table::read(int rail, int rank, void* to, std::size_t bytes) const noexcept {
  std::uint32_t* next = entry(rail, rank) + 1;
  for (std::size_t done = 0; done < bytes; done += sizeof *next) {
    const std::uint32_t word = read_alike(*next++);
    std::memcpy(static_cast<std::byte*>(to) + done, &word, std::min(sizeof word, bytes - done));
  }
}

}  // namespace oriel::sessions
