// Requests to the owner of memory that is not mapped here: one slot an origin, one bit an origin at
// each target, in shared memory. An origin has one request under way at a time; the call returns
// with the reply. It fails only by the owner's death, not by other ranks'. Sizes: a little over
// 4 KiB a rank.
//
// Threads: any; those of one process take turns. A request that its owner does not take for a while
// is withdrawn where other threads wait for their turn, and asked again later.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "sync/am_kind.hpp"
#include "sync/expected_request.hpp"
#include "sync/look_count.hpp"
#include "sync/owner_watch.hpp"
#include "sync/request_bell.hpp"
#include "sync/system.hpp"

namespace oriel::sync {

inline constexpr std::size_t mail_payload = 2048;  // bytes each way
// Up to here, each way, they are in one cache line with the request and the answer's sign.
inline constexpr std::size_t small_mail = 16;

// The request. `elements` counts elements of `type`; for put and get, bytes; for a list of runs
// (run_list.hpp), those of the list.
struct am_request {
  am_kind kind = am_kind::get;
  atomic_op op = atomic_op::no_op;
  primitive type = primitive::opaque;
  bool is_small = false;
  bool is_far = false;    // small, and names where in the origin's memory the operands are
  bool is_split = false;  // far, of a list whose only run, and its bytes, are in two places there
  bool is_near = false;   // small, and names where in the node's memory the operands are
  errc outcome = errc::success;
  std::uint32_t elements = 0;
  std::uint64_t address = 0;  // in the owner's address space

  [[nodiscard]] bool names_operands() const noexcept { return is_far || is_near; }
};

// The request's bytes where it names its operands. Far: addresses in the origin's address space,
// which the owner reads and writes through the kernel. Near: offsets in the node's memory.
struct named_operands {
  std::uint64_t operands = 0;
  std::uint64_t results = 0;  // of one that is split: the run's
};
static_assert(sizeof(named_operands) <= small_mail);
inline constexpr std::size_t longest_named_list = 65536;

class mailbox {
 public:
  struct alignas(64) slot {
    // Of the state: an owner_name while a request is under way, whether its origin would withdraw
    // it, whether its owner has left it for that, and its number.
    static constexpr std::uint32_t withdrawing = owner_name::mask + 1, left = 2 * withdrawing,
                                   one_more = 2 * left;

    wait_word state;
    am_request head;
    std::array<std::byte, small_mail> small_request;
    alignas(4) std::array<std::byte, small_mail> small_reply;
    std::array<std::byte, mail_payload> large_request;
    std::array<std::byte, mail_payload> large_reply;

    [[nodiscard]] std::size_t most() const noexcept {
      return head.is_small ? small_mail : mail_payload;
    }
    [[nodiscard]] std::byte* request() noexcept {
      return head.is_small ? small_request.data() : large_request.data();
    }
    [[nodiscard]] std::byte* reply() noexcept {
      return head.is_small ? small_reply.data() : large_reply.data();
    }
  };
  static_assert(offsetof(slot, large_request) == 64);

  // Of shared memory, zeroed at first.
  static std::size_t bytes(int ranks) noexcept;

  mailbox(std::byte* block, mailbox_peers peers, int me, int ranks) noexcept
      : block_(block), peers_(std::move(peers)), me_(me), ranks_(ranks) {}
  ~mailbox() { peers_.expected->forget(block_, block_ + bytes(ranks_)); }
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;

  // Sends `asked` with `sent` bytes of `request` to `target`, whose bell it rings.
  // Blocks until `replied` bytes of `reply` have arrived. Returns peer_failed when the target has
  // died, at once where this process has noticed before; timed_out when it is alive and has not
  // answered within ORIEL_TIMEOUT: a request that it has not taken is withdrawn then, and never
  // carried out. One that it has taken and that names its operands is waited for; another may be
  // carried out yet, and later calls wait for it first.
  errc ask(int target, const am_request& asked, const void* request, std::size_t sent, void* reply,
           std::size_t replied) noexcept;

  // This rank tells that it has carried out the letters for it of the first `turn` fences; the
  // others wait for an owner to have. Fails as `ask` does.
  void tell_read(std::uint32_t turn) noexcept;
  errc wait_read(int owner, std::uint32_t turn) noexcept;

  // Serves every request that has arrived here; `serve(slot&, origin)` fills reply and
  // head.outcome. Returns whether there was one.
  template <class Serve>
  bool serve_pending(Serve serve) noexcept {
    bool any = false;
    for (int r = 0; are_few() && r < ranks_; ++r)
      if (is_asked(slot_of(r).state.value.load(std::memory_order_relaxed))) {
        peers_.expected->expect_in(slot_of(r).state.value, owner_name::of(me_));
        any = answer(r, serve) || any;
      }
    for (int word = 0; !are_few() && word < words(ranks_); ++word)
      for (std::uint32_t bits = pending(me_, word).exchange(0, std::memory_order_acquire);
           bits != 0; bits &= bits - 1)
        any = answer(word * 32 + __builtin_ctz(bits), serve) || any;
    return any;
  }

 private:
  static int words(int ranks) noexcept { return (ranks + 31) / 32; }
  [[nodiscard]] slot& slot_of(int origin) const noexcept {
    return reinterpret_cast<slot*>(block_)[origin];
  }
  [[nodiscard]] std::atomic<std::uint32_t>& pending(int target, int word) const noexcept;
  // An owner then looks at all slots, whose lines it needs anyhow, and there are no bits.
  [[nodiscard]] bool are_few() const noexcept { return ranks_ <= 4; }
  [[nodiscard]] bool is_asked(std::uint32_t state) const noexcept {
    return (state & (owner_name::mask | slot::withdrawing)) == owner_name::of(me_);
  }
  // Returns whether there was a request to this rank: it may have been withdrawn.
  template <class Serve>
  bool answer(int origin, Serve& serve) noexcept {
    slot& s = slot_of(origin);
    __builtin_prefetch(&s, 1);
    const std::uint32_t asked = s.state.value.load(std::memory_order_acquire);
    if (!is_asked(asked)) return false;
    // Told before it looks whether the request is still there, as its origin looks here after it
    // has begun to withdraw it: one of them sees the other. In a line of this rank's own, so that
    // the slot's line need not come once more.
    taken_by(me_).store(request_name(origin, asked), std::memory_order_seq_cst);
    if (s.state.value.load(std::memory_order_seq_cst) == asked) {
      serve(s, origin);
      s.state.value.fetch_and(~(owner_name::mask | slot::withdrawing), std::memory_order_seq_cst);
      taken_by(me_).store(0, std::memory_order_release);
    } else {
      taken_by(me_).store(0, std::memory_order_seq_cst);
      // So that nobody falls asleep who has seen it taken.
      std::uint32_t found = asked | slot::withdrawing;
      s.state.value.compare_exchange_strong(found, found | slot::left, std::memory_order_seq_cst);
    }
    wake_all(s.state);
    return true;
  }
  // The request that an owner has taken, for as long as it carries it out.
  [[nodiscard]] std::atomic<std::uint64_t>& taken_by(int owner) const noexcept;
  static std::uint64_t request_name(int origin, std::uint32_t asked) noexcept {
    return static_cast<std::uint64_t>(origin) << 32 | asked;
  }
  [[nodiscard]] wait_word& read_by(int owner) const noexcept;

  // A request in this rank's slot.
  struct under_way {
    int owner = -1;           // -1: none
    std::uint32_t asked = 0;  // the state
  };
  class lease;
  std::uint32_t post(int target, const am_request&, const void* request, std::size_t sent,
                     std::size_t replied) noexcept;
  // Until it is answered, or is not taken while other threads want the slot, or is no longer.
  errc wait_for_answer(const under_way&, const owner_watch&) noexcept;
  // Whether the owner has had time to take a request, and other threads want the slot. It may be
  // time to give up as well.
  [[nodiscard]] bool gives_way(const owner_watch& owner) const noexcept {
    return others_.load() != 0 && owner.waited() >= time_to_take;
  }
  [[nodiscard]] bool is_answered(const under_way& r) const noexcept {
    return is_answered(r, slot_of(me_).state.value.load(std::memory_order_acquire));
  }
  static bool is_answered(const under_way& r, std::uint32_t state) noexcept {
    return (state & ~(slot::withdrawing | slot::left)) != r.asked;
  }
  // Its owner may have begun to carry it out.
  [[nodiscard]] bool is_taken(const under_way& r) const noexcept {
    return taken_by(r.owner).load(std::memory_order_seq_cst) == request_name(me_, r.asked);
  }
  // Returns whether it is never carried out: not if it has been, or may have begun to be.
  bool withdraw(const under_way&) noexcept;

  static constexpr std::chrono::milliseconds time_to_take{5};

  std::byte* block_;
  mailbox_peers peers_;
  int me_;
  int ranks_;
  mutex mine_;
  std::atomic<int> others_{0};       // threads that wait for it
  std::atomic<unsigned> leases_{0};  // that there have been
  look_count looks_;
  // It was taken, and not answered in time: until it is, or its owner dies, that may write the
  // slot.
  under_way late_;
};

}  // namespace oriel::sync
