#include "session/team/leader_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "session/team/block_list.hpp"
#include "sync/limited_watch.hpp"

namespace oriel::sessions {
namespace {

// A message is the sender's call and then what the collective sends; or, so marked, the calls that
// its sender has found to differ.
constexpr std::size_t head_bytes = sizeof(collective_call);
constexpr std::uint8_t differs = 0x80;

struct difference_message {
  collective_call head;
  different_calls found;
};

std::span<const std::byte> payload_of(std::span<const std::byte> message) noexcept {
  return message.subspan(head_bytes);
}

}  // namespace

// Merges what a message states of calls. It stands for its sender and for the leaders whose calls
// the sender has received: as many as `distance`, all alike unless the message names a difference.
void leader_exchange::hear(int from, int distance, const collective_call& mine,
                           std::span<const std::byte> received) noexcept {
  const auto lowest = [&](int last) { return named(std::max(last - distance + 1, 0)); };
  difference_message m;
  std::memcpy(&m.head, received.data(), head_bytes);
  const bool reports = (m.head.notes & differs) != 0 && received.size() == sizeof m;
  if (reports) std::memcpy(&m, received.data(), sizeof m);
  if (!found_.found() && !reports && alike(m.head, mine)) {
    if ((m.head.notes & collective_call::bereaved) != 0) found_.bereaved = 1;
    return;
  }
  if (!found_.found()) found_.add(lowest(me_), mine);
  if (reports)
    found_.add(m.found);
  else
    found_.add(lowest(from), m.head);
}

// give(distance) returns the message to the leader that is so far ahead, take(distance, payload)
// uses that of the one that is so far behind; neither is called once calls have been found to
// differ.
template <class Give, class Take>
errc leader_exchange::disseminate(const collective_call& call, Give give, Take take) noexcept {
  const int n = size();
  std::vector<std::byte> received;
  int round = 0;
  for (int distance = 1; distance < n; distance *= 2, ++round) {
    const int to = leader((me_ + distance) % n);
    awaited_ = (me_ + n - distance) % n;
    const int from = leader(awaited_);
    difference_message m;
    std::span<const std::byte> message = std::as_bytes(std::span(&m, 1));
    if (found_.found()) {
      m.head.notes = differs;
      m.found = found_;
    } else {
      message = give(distance);
    }
    errc e = messenger_->send(to, tag(round), message);
    if (e == errc::success)
      e = messenger_->receive(from, tag(round), received,
                              sync::conditional_watch(*watch_, [this, from] {
                                return watch_->any_failed() || watch_->has_gone(from);
                              }));
    if (e != errc::success) return e;
    if (received.size() < head_bytes) return errc::peer_failed;
    hear(awaited_, distance, call, received);
    if (!found_.found())
      if (e = take(distance, received); e != errc::success) return e;
  }
  ++turn_;
  return found_.found() ? errc::mismatched_collective : errc::success;
}

errc leader_exchange::barrier(const collective_call& call) noexcept {
  return disseminate(
      call, [&](int) { return std::as_bytes(std::span(&call, 1)); },
      [](int, std::span<const std::byte>) { return errc::success; });
}

errc leader_exchange::report(const different_calls& known) noexcept {
  found_ = known;
  return barrier({});
}

// All memory is taken before the first step. A list without blocks means that some leader before
// has none, and is passed on in every step, so that it reaches all.
errc leader_exchange::allgather(const collective_call& call, const std::byte* mine,
                                std::span<const std::size_t> sizes,
                                std::vector<std::vector<std::byte>>& all) noexcept {
  const int n = size();
  const std::span<const std::byte> head = std::as_bytes(std::span(&call, 1));
  std::vector<std::byte> sent;
  bool lacking = mine == nullptr;
  if (!lacking) try {
      all.assign(static_cast<std::size_t>(n), {});
      std::size_t room = head_bytes;
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
  // After each step this rank holds the blocks of as many leaders before it, itself included, as
  // the step's distance times two.
  const errc e = disseminate(
      call,
      [&](int distance) -> std::span<const std::byte> {
        if (lacking) return head;
        sent.assign(head.begin(), head.end());
        const int passed_on = std::min(distance, n - distance);
        for (int i = 0; i < passed_on; ++i) {
          const int from = (me_ + n - i) % n;
          append_block(sent, static_cast<std::uint64_t>(from), all[static_cast<std::size_t>(from)]);
        }
        return sent;
      },
      [&](int, std::span<const std::byte> received) {
        const std::span<const std::byte> blocks = payload_of(received);
        lacking = lacking || blocks.empty();
        return lacking || unpack_blocks(blocks, sizes, all) ? errc::success : errc::peer_failed;
      });
  return e == errc::success && lacking ? errc::no_mem : e;
}

errc leader_exchange::combine(const collective_call& call, void* value, std::size_t bytes,
                              merge_function merge) noexcept {
  std::array<std::byte, head_bytes + collectives::longest_value> message;
  if (bytes > collectives::longest_value) return errc::size;
  std::memcpy(message.data(), &call, head_bytes);
  return disseminate(
      call,
      [&](int) {
        std::memcpy(message.data() + head_bytes, value, bytes);
        return std::span<const std::byte>(message).first(head_bytes + bytes);
      },
      [&](int, std::span<const std::byte> received) {
        if (received.size() != head_bytes + bytes) return errc::peer_failed;
        merge(value, payload_of(received).data());
        return errc::success;
      });
}

// Counted from the root, the leaders before `distance` have the data in the step of that distance,
// and those before twice that receive them; other messages carry none. So all wait for all, as in a
// barrier, but the data travel along a binomial tree.
errc leader_exchange::broadcast(const collective_call& call, void* data, std::size_t bytes,
                                int root) noexcept {
  const int n = size();
  const int relative = (me_ + n - root) % n;
  const std::span<const std::byte> head = std::as_bytes(std::span(&call, 1));
  std::vector<std::byte> whole;  // the message with the data, once they are here
  bool lacking = false;
  if (relative == 0) try {
      whole.reserve(head_bytes + bytes);
      whole.assign(head.begin(), head.end());
      const auto* const from = static_cast<const std::byte*>(data);
      whole.insert(whole.end(), from, from + bytes);
    } catch (const std::bad_alloc&) {
      lacking = true;
    }
  const errc e = disseminate(
      call,
      [&](int distance) -> std::span<const std::byte> {
        if (relative < distance && relative + distance < n && !lacking) return whole;
        return head;
      },
      [&](int distance, std::vector<std::byte>& received) {
        if (relative < distance || relative >= 2 * distance) return errc::success;
        lacking = received.size() != head_bytes + bytes;
        if (lacking) return errc::success;
        if (bytes != 0) std::memcpy(data, payload_of(received).data(), bytes);
        whole.swap(received);
        return errc::success;
      });
  return e == errc::success && lacking ? errc::no_mem : e;
}

}  // namespace oriel::sessions
