#include "session/leader_exchange.hpp"

#include <cstring>

namespace oriel::boot {
namespace {

void append(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  const auto* const p = static_cast<const std::byte*>(from);
  to.insert(to.end(), p, p + bytes);
}

// Blocks travel as (leader, size, bytes) one after the other.
struct block_head {
  std::uint32_t leader;
  std::uint64_t bytes;
};

void pack(std::vector<std::byte>& to, std::uint32_t leader, const std::vector<std::byte>& block) {
  const block_head head{leader, block.size()};
  append(to, &head, sizeof head);
  append(to, block.data(), block.size());
}

// False when the bytes are no such list: another version of oriel, or a fault.
bool unpack(const std::vector<std::byte>& from, std::vector<std::vector<std::byte>>& all) {
  for (std::size_t at = 0; at < from.size();) {
    block_head head;
    if (from.size() - at < sizeof head) return false;
    std::memcpy(&head, from.data() + at, sizeof head);
    at += sizeof head;
    if (head.leader >= all.size() || head.bytes > from.size() - at) return false;
    all[head.leader].assign(from.begin() + static_cast<std::ptrdiff_t>(at),
                            from.begin() + static_cast<std::ptrdiff_t>(at + head.bytes));
    at += head.bytes;
  }
  return true;
}

}  // namespace

errc leader_exchange::barrier() noexcept {
  const int n = size();
  std::vector<std::byte> nothing;
  int round = 0;
  for (int distance = 1; distance < n; distance *= 2, ++round) {
    if (const errc e = mesh_->send(leader((me_ + distance) % n), tag(round), {});
        e != errc::success)
      return e;
    awaited_ = (me_ + n - distance) % n;
    if (const errc e = mesh_->receive(leader(awaited_), tag(round), nothing, *watch_);
        e != errc::success)
      return e;
  }
  ++turn_;
  return errc::success;
}

errc leader_exchange::allgather(const std::vector<std::byte>& mine,
                                std::vector<std::vector<std::byte>>& all) {
  const int n = size();
  all.assign(static_cast<std::size_t>(n), {});
  all[static_cast<std::size_t>(me_)] = mine;
  int round = 0;
  // After each step this rank holds the blocks of the `known` leaders before it, itself included.
  for (int distance = 1; distance < n; distance *= 2, ++round) {
    const int passed_on = distance < n - distance ? distance : n - distance;
    std::vector<std::byte> sent, received;
    for (int i = 0; i < passed_on; ++i) {
      const int from = (me_ + n - i) % n;
      pack(sent, static_cast<std::uint32_t>(from), all[static_cast<std::size_t>(from)]);
    }
    errc e = mesh_->send(leader((me_ + distance) % n), tag(round), sent);
    if (e == errc::success)
      e = mesh_->receive(leader((me_ + n - distance) % n), tag(round), received, *watch_);
    if (e != errc::success) return e;
    if (!unpack(received, all)) return errc::peer_failed;
  }
  ++turn_;
  return errc::success;
}

// A binomial tree: who has the data passes it on at distances that halve.
errc leader_exchange::broadcast(void* data, std::size_t bytes, int root) noexcept {
  const int n = size();
  const int place = (me_ + n - root) % n;  // counted from the root
  int reach = 1;
  while (reach < n) reach *= 2;
  bool have = place == 0;
  for (int distance = reach / 2; distance >= 1; distance /= 2) {
    const auto peer = [&](int at) { return leader((at + root) % n); };
    if (have && place % (2 * distance) == 0 && place + distance < n) {
      const errc e = mesh_->send(peer(place + distance), tag(distance),
                                 {static_cast<const std::byte*>(data), bytes});
      if (e != errc::success) return e;
    } else if (!have && place % distance == 0 && place % (2 * distance) != 0) {
      std::vector<std::byte> received;
      const errc e = mesh_->receive(peer(place - distance), tag(distance), received, *watch_);
      if (e != errc::success) return e;
      if (received.size() != bytes) return errc::count;
      if (bytes != 0) std::memcpy(data, received.data(), bytes);
      have = true;
    }
  }
  ++turn_;
  return errc::success;
}

}  // namespace oriel::boot
