// Operations on single elements, and on short runs, of memory that is not mapped here, on their way
// in packets (route/packet.hpp). A stream is a process that performs them. On another node it does
// for that whole node where any of its processes maps the memory and serves at any time, so that
// there are as many streams as nodes; else for its own memory alone. Where accumulates or
// notifications are promised to be ordered it is the owner too, so that they do not pass its
// messages, and where ranks attach, since it knows what. A stream that is near is the owner of
// private memory of this node, which finds its packets on the node's board (near_packets.cpp).
//
// A packet leaves when it is full, when a call needs its effects, and soon after it was begun,
// when some thread makes progress (tick). Packets of one stream arrive in order. Most full ones
// that bring nothing back have no answer of their own: one answer in eight is for all before it.
//
// Where a node has several ranks, and operations gather, what leaves early goes in packets that
// they share (route/shared_packets.hpp; packet_sharing.cpp). A stream changes between packets of
// its own and shared ones only while nothing of its is under way, so that these arrive in order
// too.
//
// Memory: at most `most_bytes`, whatever the number of nodes. Where more packets are wanted, others
// leave before they are full, or results are waited for.
//
// Threads: any; they take turns, and make progress while they wait for theirs. Nobody has the turn
// while waiting for others, or for room at the provider: the stream on whose behalf is busy until
// then, and whoever needs that one waits for it, and no other. What has no turn while it waits
// looks again afterwards, since others may have begun operations, packets and streams. noexcept; a
// failure on the way is returned by complete().
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "oriel/detail/window_view.hpp"
#include "sync/system.hpp"
#include "transport/fabric.hpp"
#include "win/route/packet.hpp"
#include "win/route/request_room.hpp"
#include "win/route/shared_packets.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

class packet_streams {
 public:
  // One operation on what exists. The result is usable after complete().
  struct entry {
    detail::list_call call;
    std::uint8_t kind;  // as in packet_word, of a put or get as in packet_run
    rank owner;
    disp index;
    const void* operand;
    const void* desired;
    void* result;
    primitive type = primitive::opaque;  // likewise
  };
  class stream;

  // `way`: null where all ranks are on this node. `shared`: null where the node's ranks share none.
  // Throws what sessions::aggregate_bytes throws.
  packet_streams(detail::window_core&, transport::fabric* way, std::byte* shared);
  ~packet_streams();
  packet_streams(const packet_streams&) = delete;
  packet_streams& operator=(const packet_streams&) = delete;

  // Where many operations are begun one after the other.
  class turn {
   public:
    explicit turn(packet_streams& of) noexcept : of_(of) {
      if (of_.taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
        of_.wait_for_turn();
    }
    ~turn() { of_.taken_.store(false, std::memory_order_release); }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

   private:
    packet_streams& of_;
  };
  // Whether operations on that rank travel in packets, where its route's may.
  [[nodiscard]] bool may_travel(rank r) const noexcept;
  // In one's turn. Null: operations on that rank do not travel in packets, or there is no memory
  // for a stream.
  [[nodiscard]] stream* to(rank r) noexcept {
    const auto i = static_cast<std::size_t>(r.value);
    stream* const known = i < by_rank_.size() ? by_rank_[i].by : nullptr;
    return known != nullptr && known != none_.get() ? known : find_stream(r);
  }
  // Inline (route/packet_stream.hpp): most find a packet open, and another of their kind in it.
  errc begin(stream&, const entry&) noexcept;
  // The operation's kind: looked up where the stream's last was of another.
  const packet_kind& kind_of(stream&, const entry&) const noexcept;
  // Elements that a rank with a stream exposes, or may.
  [[nodiscard]] std::uint64_t exposed(rank r) const noexcept {
    return attaches_ ? packet_word::most_attached : entries_[r.value].count;
  }
  // The stream's packet leaves; nothing where it has none. All before it are answered with it.
  errc send(stream&) noexcept;
  // Lists have numbers, in one's turn; each leaves its own in the streams that it begins in. Then
  // what it has begun leaves, with all before it; `failed` is the rank with which the first failed.
  [[nodiscard]] std::uint64_t begin_list() noexcept { return ++lists_; }
  errc send_list(std::uint64_t list, rank& failed) noexcept;
  // Nothing is under way to the stream, whose next operation need not wait for others.
  [[nodiscard]] static bool is_quiet(const stream&) noexcept;
  // Whether the next operation is the first to a near stream since all was complete: then it takes
  // another way, since a packet brings one operation no sooner. Those after it gather.
  [[nodiscard]] bool goes_alone(stream&) noexcept;
  // All that was begun is complete there, and results are usable. Returns the first failure since
  // the last call: that a rank has died, too, on whose memory another process of its node performs.
  // With `asked` of that rank's death alone: of others' a call for all tells, or one for them.
  errc complete(stream&, rank asked = any_rank) noexcept;

  // Takes a turn. The same for the stream of rank `r`, if it has one, and for all: `failed` is then
  // the rank with which the first failed, who may have performed for `r`; any_rank where that is
  // not known.
  errc complete(rank r, rank& failed) noexcept;
  errc complete_all(rank& failed) noexcept;
  // The same of near streams alone: of that of `r`, or of all for any_rank.
  errc complete_near(rank r, rank& failed) noexcept;
  [[nodiscard]] bool any_near() const noexcept { return any_near_.load(std::memory_order_relaxed); }
  // Takes a turn. What complete_all will wait for has left.
  void leave_to_be_complete() noexcept;
  // Takes a turn. What was begun to rank `r` has left; complete where some is known to have failed.
  // `failed` likewise.
  errc send(rank r, rank& failed) noexcept;
  // When a packet is old enough to leave.
  static constexpr std::chrono::microseconds oldest_packet{50};
  // Has old packets leave that can leave at once. Returns whether there are packets. Takes a turn
  // if it is free.
  bool tick() noexcept;
  // The same as this process serves its node, where there are near streams; and once more then.
  void tick_near() noexcept {
    if (any_near() && tick()) tick_near_soon();
  }
  void forget_failures() noexcept;
  // How many packets have left that ranks of this node share and this one has sent; and how often
  // this one has given to such packets, whoever sends them.
  [[nodiscard]] std::uint64_t sent_for_all() const noexcept {
    return sent_for_all_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t shares() const noexcept {
    return shares_.load(std::memory_order_relaxed);
  }

 private:
  class returning;
  struct shared_results;
  struct near_packet;
  struct known_rank {
    stream* by = nullptr;
    std::uint32_t begun = 0;  // in that round of the stream's, the last time
  };

  class absence;

  void wait_for_turn() noexcept;
  void until_free(stream&) noexcept;
  template <class Which>
  [[nodiscard]] stream* find_free(Which which) const noexcept;
  [[nodiscard]] stream* find_busy() const noexcept;
  stream* find_stream(rank r) noexcept;
  [[nodiscard]] packet_sizes sizes() const noexcept;
  [[nodiscard]] bool any_performs(rank r) const noexcept;
  [[nodiscard]] bool may_tell() const noexcept;
  [[nodiscard]] int server_for(rank r) const noexcept;
  [[nodiscard]] stream* known_stream(rank r) const noexcept;
  [[nodiscard]] int world(int r) const noexcept;
  [[nodiscard]] bool is_alive(rank r) const noexcept;
  [[nodiscard]] rank lost_by(const stream&) const noexcept;
  [[nodiscard]] static bool takes(const stream&, const packet_kind&) noexcept;
  [[nodiscard]] static bool repeats(stream&, const packet_kind&, const entry&) noexcept;
  errc make_room(stream&, packet_kind) noexcept;
  errc start_packet(stream&) noexcept;
  errc take_buffer(stream&) noexcept;
  errc await_results(stream&) noexcept;
  [[nodiscard]] std::size_t room_for_results() const noexcept;
  std::unique_ptr<returning> take_returning() noexcept;
  errc send_full(stream&) noexcept;
  bool note_begun(stream&) noexcept;
  // near_packets.cpp
  [[nodiscard]] bool is_near(rank r) const noexcept;
  errc send_near(stream&) noexcept;
  errc post_near(stream&) noexcept;
  void post_in(stream&, request_room::turn) noexcept;
  errc await_near_room(stream&) noexcept;
  void settle_oldest(stream&) noexcept;
  void settle_near(stream&) noexcept;
  void end_near(stream&, std::size_t which, errc) noexcept;
  void give_back(std::unique_ptr<returning>) noexcept;
  bool tick_near(stream&, sync::clock::time_point now) noexcept;
  void tick_near_soon() const noexcept;
  void find_living_server(stream&) noexcept;
  template <class Attempt>
  bool leave(stream&, Attempt) noexcept;
  void has_left(stream&) noexcept;
  [[nodiscard]] transport::message_head head_of(const packet_request&) const noexcept;
  [[nodiscard]] transport::message_head head_of(const stream&) const noexcept;
  // Blocks until operations of the stream's are complete, and takes their failure.
  errc outcome_of(stream&, transport::pending_ops&, const sync::peer_watch&) noexcept;
  void retire(stream&, const sync::peer_watch&) noexcept;
  void settle_sent(stream&) noexcept;
  void settle(stream&) noexcept;
  // Takes a turn, for those that `which` names.
  template <class Which>
  errc complete_those(Which which, rank& failed) noexcept;
  void note_sent(std::uint64_t operations) noexcept;
  // packet_sharing.cpp
  bool join(stream&) noexcept;
  errc leave_early(stream&) noexcept;
  void leave_to_be_complete(stream&) noexcept;
  void close_shared(stream&) noexcept;
  void send_closed(stream&) noexcept;
  void end_shared(stream&, errc) noexcept;
  [[nodiscard]] bool lacks_a_writer(const stream&) const noexcept;
  [[nodiscard]] bool sender_is_gone(const stream&) const noexcept;
  errc await_shared(stream&) noexcept;
  void settle_shared(stream&) noexcept;
  void take_shared(stream&, errc) noexcept;
  bool tick_shared(stream&, sync::clock::time_point now) noexcept;

  detail::window_core& core_;
  transport::fabric* fabric_;
  std::optional<shared_packets> shared_;
  request_rooms near_rooms_;
  std::atomic<bool> any_near_{false};
  std::atomic<bool> taken_{false};
  bool attaches_;  // assertion::attach: what is exposed, its owner knows
  const detail::segment_entry* entries_ = nullptr;  // of all ranks, once there is a stream
  std::vector<known_rank> by_rank_;
  std::vector<std::unique_ptr<stream>> streams_;
  std::unique_ptr<stream> none_;  // of ranks whose operations do not travel so
  std::vector<std::unique_ptr<returning>> idle_returning_;
  std::size_t bytes_ = 0;            // taken by buffers,
  std::size_t returning_bytes_ = 0;  // and by what waits for results,
  std::size_t returnings_ = 0;       // of which there are so many
  std::size_t most_bytes_;
  std::size_t next_victim_ = 0;
  std::uint64_t lists_ = 0;
  std::atomic<std::uint64_t> sent_for_all_{0};
  std::atomic<std::uint64_t> shares_{0};
};

}  // namespace oriel::win
