#include "session/leader_exchange.hpp"

#include <cstring>

#include "session/block_list.hpp"

namespace oriel::boot {

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

// All memory is taken before the first step. A list without blocks says that some leader before has
// none, and is passed on in every step, so that it comes to all.
errc leader_exchange::allgather(const std::byte* mine, std::span<const std::size_t> sizes,
                                std::vector<std::vector<std::byte>>& all) noexcept {
  const int n = size();
  std::vector<std::byte> sent, received;
  bool lacking = mine == nullptr;
  if (!lacking) try {
      all.assign(static_cast<std::size_t>(n), {});
      std::size_t room = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].reserve(sizes[i]);
        room += sizes[i] + block_overhead;
      }
      sent.reserve(room);
    } catch (const std::bad_alloc&) {
      lacking = true;
    }
  const auto own = static_cast<std::size_t>(me_);
  if (!lacking) all[own].assign(mine, mine + sizes[own]);
  int round = 0;
  // After each step this rank holds the blocks of the `known` leaders before it, itself included.
  for (int distance = 1; distance < n; distance *= 2, ++round) {
    const int passed_on = distance < n - distance ? distance : n - distance;
    sent.clear();
    for (int i = 0; !lacking && i < passed_on; ++i) {
      const int from = (me_ + n - i) % n;
      append_block(sent, static_cast<std::uint64_t>(from), all[static_cast<std::size_t>(from)]);
    }
    errc e = mesh_->send(leader((me_ + distance) % n), tag(round), sent);
    if (e == errc::success)
      e = mesh_->receive(leader((me_ + n - distance) % n), tag(round), received, *watch_);
    if (e != errc::success) return e;
    lacking = lacking || received.empty();
    if (!lacking && !unpack_blocks(received, sizes, all)) return errc::peer_failed;
  }
  ++turn_;
  return lacking ? errc::no_mem : errc::success;
}

errc leader_exchange::combine(void* value, std::size_t bytes, merge_function merge) noexcept {
  const int n = size();
  std::vector<std::byte> received;
  int round = 0;
  for (int distance = 1; distance < n; distance *= 2, ++round) {
    errc e = mesh_->send(leader((me_ + distance) % n), tag(round),
                         {static_cast<const std::byte*>(value), bytes});
    if (e == errc::success)
      e = mesh_->receive(leader((me_ + n - distance) % n), tag(round), received, *watch_);
    if (e != errc::success) return e;
    if (received.size() != bytes) return errc::count;
    merge(value, received.data());
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
