// One window's share of the fabric: its operations on ranks of other nodes, and what this rank's
// process does for them.
//
// Displacements here are in bytes, from the target's first element. Every call that starts
// something counts it with its target until it is complete there, so that a flush of an idle target
// is one comparison; `also` counts it as well.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "oriel/atomic_op.hpp"
#include "oriel/rank.hpp"
#include "oriel/sync_mode.hpp"
#include "sync/group_queue.hpp"
#include "sync/notify_choice.hpp"
#include "sync/notify_counter.hpp"
#include "sync/run_list.hpp"
#include "sync/system.hpp"
#include "transport/fabric.hpp"
#include "win/construct/control_block.hpp"
#include "win/construct/own_memory.hpp"
#include "win/epoch_state.hpp"
#include "win/route/packet_streams.hpp"
#include "win/route/posting.hpp"
#include "win/route/remote_call.hpp"
#include "win/route/route.hpp"
#include "win/route/told_places.hpp"
#include "win/segment_book.hpp"
#include "win/serve/attached_exposures.hpp"
#include "win/serve/device_staging.hpp"
#include "win/serve/received_notices.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

using transport::pending_ops;

class remote_window final : public transport::service {
 public:
  // `id`: agreed by all ranks. `needs_agent`: targets take no part in some epochs. Makes the
  // window's packets.
  remote_window(detail::window_core&, transport::fabric&, std::uint64_t id, bool needs_agent);
  ~remote_window() override;
  remote_window(const remote_window&) = delete;
  remote_window& operator=(const remote_window&) = delete;

  // --- Construction
  // Exposes this rank's memory. Throws.
  remote_ticket expose(void* memory, std::size_t bytes, const own_memory& about);
  // Requests are served from now on.
  void open();
  // This rank has attached it. It may be put and got by requests alone.
  void expose_attached(const segment_record&) noexcept;
  // And detached it: on return no rank of another node accesses it. timed_out, no_mem: one still
  // may.
  errc withdraw_attached(std::uint64_t handle) noexcept;
  // They are not any more, and the memory is not exposed.
  void close() noexcept;

  // --- Data
  // Remote writes and reads. Sources of at most 64 bytes are reusable at once, others and results
  // when complete.
  errc put(rank, std::uint64_t at, const void* from, std::size_t bytes, pending_ops* also) noexcept;
  errc get(rank, std::uint64_t at, void* to, std::size_t bytes, pending_ops* also) noexcept;
  // The same by messages to the owner's process, which copies.
  errc put_by_owner(rank, std::uint64_t at, const void* from, std::size_t bytes,
                    pending_ops* also) noexcept;
  errc get_by_owner(rank, std::uint64_t at, void* to, std::size_t bytes,
                    pending_ops* also) noexcept;
  // By remote writes and reads of what its owner has attached, or else by those messages. The first
  // of each buffer asks the owner where it is.
  errc put_attached(rank, std::uint64_t at, const void* from, std::size_t bytes,
                    pending_ops* also) noexcept;
  errc get_attached(rank, std::uint64_t at, void* to, std::size_t bytes,
                    pending_ops* also) noexcept;
  // Remote writes to the rank that are complete here have arrived there afterwards.
  errc make_arrive(rank) noexcept;
  // Operands are reusable at once; `results` may be null.
  errc accumulate(rank, std::uint64_t at, atomic_op, primitive, const void* operands, void* results,
                  std::size_t elements, pending_ops* also) noexcept;
  // Waits for the result.
  errc compare_swap(rank, std::uint64_t at, const swap&) noexcept;
  // Of many places: `list` is what remote_call.hpp says, of at most longest_in_order bytes (of
  // put_runs transport::longest_unordered_payload), and reusable at once; fabric::take_room's room
  // is taken back. What the answer has goes
  // to `result`, or to the sink.
  errc request_runs(rank, remote_call, const runs_request&, std::span<const std::byte> list,
                    void* result, std::size_t result_bytes, pending_ops* also) noexcept;
  errc get_runs(rank, std::span<const std::byte> list, std::unique_ptr<transport::answer_sink>,
                pending_ops* also) noexcept;
  // At most transport::longest_payload bytes, which are reusable at once, and then `amount` more on
  // the counter. No answer comes but to a flush. `behind`: as of transport::fabric::tell.
  errc notify(rank, std::uint64_t at, std::span<const std::byte> bytes, notice,
              const pending_ops* behind = nullptr) noexcept;
  // The same of any number of bytes, which are reusable on return, by one write that brings the
  // notice. Nothing where none can, or before the target has answered by which number: nothing has
  // been done then.
  std::optional<errc> put_noted(rank, std::uint64_t at, const void* from, std::size_t bytes,
                                notice) noexcept;
  // When a notification may leave that comes behind what was begun before it.
  [[nodiscard]] transport::notice_way way_of_notices() const noexcept { return way_of_notices_; }
  // Until the counter, of this rank, has come to `at_least`: looks for notifications at the fabric
  // or in shared memory, whence the last one came. Both are seen.
  errc await_notifications(sync::notify_counter_state&, std::uint64_t at_least,
                           const sync::peer_watch&) noexcept;
  // The same until any of several has.
  errc await_notifications(sync::notify_choice&, const sync::peer_watch&) noexcept;
  // A notification to `r` does not pass what has been begun there: that has left, and what later
  // messages may pass is complete. Returns the failure of what is known to have failed, `failed` as
  // flush. `begun`: what counts the rest.
  errc order_before_notice(rank r, const pending_ops*& begun, rank& failed) noexcept;
  // What has been begun to `r`, but for notifications and in packets, is complete there.
  errc complete_begun(rank r) noexcept;
  // Notifies rank `r` of one that was refused here.
  void refuse_notify(rank, notice, errc why) noexcept;
  // Every operation to `r` is complete there; returns the first failure of any. `failed` becomes
  // the rank with which it failed, which may be one of that node that performed for `r`; any_rank
  // where that is not known.
  errc flush(rank r, rank& failed) noexcept;
  // The same of all ranks.
  errc flush_all(rank& failed) noexcept;
  // What a flush of every rank waits for leaves, or is asked for. Returns the first failure.
  errc begin_flush_all(rank& failed) noexcept;
  // Until what `also` was given to is complete.
  errc wait(pending_ops& also, rank r) noexcept;
  // Of operations that are complete: no flush reports them.
  void forget_failures() noexcept;

  // --- Synchronization
  errc lock(rank, const lock_request&) noexcept;
  errc unlock(rank, const lock_request&) noexcept;
  // The number of the next epoch that this process opens.
  std::uint32_t next_epoch() noexcept {
    return epochs_opened_.fetch_add(1, std::memory_order_relaxed) & epoch_state::most_epochs;
  }
  errc post(rank origin) noexcept;
  // Until each of `targets` has posted to this rank once more than it has been started.
  errc await_posts(std::span<const rank> targets) noexcept;
  // For whose post it waits; any_rank while it does not.
  [[nodiscard]] rank awaited_post() const noexcept { return awaited_post_; }
  errc complete(rank target) noexcept;

  // --- ORIEL_CHECK
  // Has rank `r` do what is asked of its node, and waits for the answer, of `bytes` bytes.
  template <class Body>
  errc ask_checker(rank r, remote_call call, const Body& body, std::span<const std::byte> payload,
                   void* answer, std::size_t bytes) noexcept {
    return ask(r, head(call, body), payload, answer, bytes);
  }

  // --- After a death
  // Has all that live on other nodes leave this rank's memory alone: what they have under way to it
  // completes first, and what they begin later is refused there with rma_sync. Ranks that have
  // freed the window have nothing under way. timed_out as `watch` says, no_mem: a rank may still
  // access it.
  errc revoke(const sync::peer_watch& watch) noexcept;
  // This process performs no more packets, which may be on memory of its node's other ranks: none
  // is being performed on return, and those that come are refused with rma_sync.
  void stop_performing() noexcept;
  // This rank's memory stays exposed until the session ends, though the window does not.
  void stay_exposed() noexcept;

  // What `r` exposes, a page at a time from record `first` on. Throws error.
  std::vector<segment_record> segments(rank r);

  // --- Serving (transport::service)
  void serve(const transport::message&) noexcept override;
  void noted(int from, std::uint32_t counter, std::uint32_t amount) noexcept override;
  bool tick() noexcept override;

  [[nodiscard]] transport::fabric& way() noexcept { return fabric_; }
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

 private:
  // What is sent without word of its end, and what was sent when that was asked for last: writes
  // that are read back, and notifications. Each counts once it has left, so that what another
  // thread has asked before that does not count for it.
  struct unanswered {
    std::atomic<std::uint32_t> sent{0};
    std::atomic<std::uint32_t> asked{0};
    // Returns how many of the first `until` had not been asked for.
    std::uint32_t ask(std::uint32_t until) noexcept;
  };
  static constexpr std::uint32_t not_asked = ~std::uint32_t{0};
  struct target_state {
    pending_ops ops;
    pending_ops passable;  // likewise, of what later messages may pass: reads, and long messages
    unanswered writes;
    unanswered notices;
    std::atomic<bool> revoked{false};
    std::atomic<std::uint32_t> notice_number{not_asked};  // by which the target knows this rank's
    std::unique_ptr<told_places> told;                    // null where nothing is attached
  };
  // A remote read or write that is about to begin.
  class access {
   public:
    access(pending_ops& ops, const std::atomic<bool>& revoked) noexcept
        : ops_(ops), revoked_(revoked) {
      ops_.enter();
    }
    explicit access(target_state& t) noexcept : access(t.ops, t.revoked) {}
    ~access() { ops_.leave(); }
    access(const access&) = delete;
    access& operator=(const access&) = delete;
    [[nodiscard]] bool refused() const noexcept { return revoked_.load(std::memory_order_seq_cst); }

   private:
    pending_ops& ops_;
    const std::atomic<bool>& revoked_;
  };
  static constexpr std::size_t page_targets = 64;
  using page = std::array<target_state, page_targets>;
  struct waiter {
    transport::message_head asked;
    lock_request wanted;
    sync::group_queue turn;
  };
  struct revoker {
    enum class takes_away : std::uint8_t { all, one_buffer };
    transport::message_head asked;
    target_state* target;
    takes_away what;
  };

  [[nodiscard]] int world(rank r) const noexcept;
  // Null when memory is short.
  target_state* state_of(rank r) noexcept;
  // Null too when it is not of the team.
  target_state* state_of_world(int world_rank) noexcept;
  pending_ops& counting(rank r, target_state& t, std::span<const std::byte> message) noexcept {
    return message.size() > fabric_.longest_in_order(world(r)) ? t.passable : t.ops;
  }
  // Null when nothing was ever sent to it.
  [[nodiscard]] target_state* known_state_of(rank r) const noexcept;
  [[nodiscard]] transport::remote_place place_of(rank r, std::uint64_t at) const noexcept;
  errc flush_others(rank r) noexcept;
  // Takes the failure of `ops`, which all threads share; it is latched.
  errc await(rank r, pending_ops& ops, const sync::peer_watch&) noexcept;
  template <class Call>
  errc each_known(rank& failed, Call) noexcept;
  errc complete_data(rank, target_state&) noexcept;
  errc read_back(rank, target_state&) noexcept;
  errc ask_for_notices(rank, target_state&) noexcept;
  std::uint32_t notice_number_at(rank, target_state&) noexcept;
  void count_sent(target_state&) noexcept;
  template <class Remotely, class ThroughOwner>
  errc by_place(rank, std::uint64_t at, std::size_t bytes, Remotely, ThroughOwner) noexcept;
  errc ask_where(rank, target_state&, std::uint64_t at, std::size_t bytes,
                 std::uint64_t forgotten) noexcept;
  [[nodiscard]] transport::message_head head(remote_call) const noexcept;
  template <class Body>
  [[nodiscard]] transport::message_head head(remote_call call, const Body& body) const noexcept {
    transport::message_head h = head(call);
    h.carry(body);
    return h;
  }
  // Sends a request and waits for the answer. Fails when the owner has died, or any rank of the
  // team, since an answer may depend on others than the owner.
  enum class depends_on : std::uint8_t { owner, all };
  errc ask(rank, const transport::message_head&, std::span<const std::byte> payload, void* result,
           std::size_t result_bytes, depends_on whom = depends_on::owner) noexcept;

  // The owner's half (remote_service.cpp).
  errc stage(sync::am_kind, const transport::message&, std::byte* location,
             std::size_t bytes) noexcept;
  void answer_staged() noexcept;
  std::byte* exposed(std::uint64_t at, std::size_t bytes) noexcept;
  errc serve_access(sync::am_kind, const transport::message&) noexcept;
  errc serve_packet(const transport::message&) noexcept;
  void note_told(std::size_t origin, errc outcome) noexcept;
  // serve_runs.cpp
  template <class F>
  errc for_exposed(const sync::block_run&, F f) noexcept;
  errc serve_runs(sync::am_kind, const transport::message&) noexcept;
  errc serve_get_runs(const transport::message&) noexcept;
  template <class WaitBy>
  errc await_by(WaitBy, const sync::peer_watch&) noexcept;
  errc serve_notify(const transport::message&) noexcept;
  void serve_number(const transport::message_head&) noexcept;
  void count(std::uint32_t counter, std::uint32_t amount) noexcept;
  errc refuse(std::uint32_t counter, std::uint32_t amount, errc why) noexcept;
  void serve_acknowledge(const transport::message_head&) noexcept;
  errc serve_refusal(const transport::message&) noexcept;
  void serve_lock(const transport::message_head&) noexcept;
  errc serve_unlock(const transport::message_head&) noexcept;
  void note_post(const transport::message_head&) noexcept;
  void serve_segments(const transport::message_head&) noexcept;
  // serve_attached.cpp
  errc serve_locate(const transport::message_head&) noexcept;
  void serve_forget(const transport::message_head&) noexcept;
  void serve_revoke(const transport::message_head&) noexcept;
  void answer_revokers() noexcept;
  sync::group_lock_state* lock_of(lock_word) noexcept;

  detail::window_core& core_;
  transport::fabric& fabric_;
  std::uint64_t id_;
  bool needs_agent_;
  transport::notice_way way_of_notices_;
  bool open_ = false;
  std::unique_ptr<transport::exposure> exposure_;
  const std::byte* own_block_ = nullptr;  // memory of this rank's that oriel has allocated,
  transport::loan lent_;                  // or that the program has given to create
  attached_exposures attached_;
  std::atomic<bool> was_told_{false};  // where others have attached memory, though no agent serves
  std::atomic<std::uint32_t> epochs_opened_{0};
  std::vector<std::atomic<page*>> pages_;
  packet_streams& packets_;
  pending_ops performing_;  // packets of others
  std::atomic<bool> stopped_performing_{false};
  std::optional<device_staging> staging_;     // where the owner copies for others
  std::vector<waiter> waiters_;               // for locks of this rank; only handlers touch it
  std::vector<revoker> revokers_;             // that wait for what is under way to them; likewise
  std::optional<received_notices> received_;  // by world rank; only handlers touch it
  std::optional<received_notices> told_;      // of packets without an answer; likewise
  std::atomic<std::uint32_t> notices_{0};     // from other nodes, to counters of this rank
  std::atomic<bool> expects_notices_{true};
  sync::mutex posts_mutex_;
  std::vector<std::pair<int, std::uint32_t>> posts_;  // by far target that has posted here
  rank awaited_post_ = any_rank;                      // of the thread that starts
};

}  // namespace oriel::win
