// Requests to the owner of memory that is not mapped here: one slot an origin, one bit an origin at
// each target, in shared memory. An origin has one request under way at a time; the call returns
// with the reply. It fails only by the owner's death, not by other ranks'. Sizes: a little over
// 4 KiB a rank.
//
// Threads: any; those of one process take turns.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "sync/am_kind.hpp"
#include "sync/expected_request.hpp"
#include "sync/limited_watch.hpp"
#include "sync/look_count.hpp"
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

// What a mailbox needs to know of the ranks that share it, which it numbers from 0.
struct mailbox_peers {
  const peer_watch* waits = nullptr;       // as all of the job do
  std::function<bool(int)> alive;          // notices a death
  std::function<request_bell&(int)> bell;  // of a rank
  expected_request* expected = nullptr;    // this process's
};

class mailbox {
 public:
  struct alignas(64) slot {
    wait_word state;  // an owner_name while a request is under way
    am_request head;
    std::array<std::byte, small_mail> small_request;
    alignas(4) std::array<std::byte, small_mail> small_reply;
    std::array<std::byte, mail_payload> large_request;
    std::array<std::byte, mail_payload> large_reply;

    // Of a request that names its operands, whose reply takes no room here: who has it, its owner
    // or again its origin, which may use the operands' memory for something else then.
    enum : std::uint32_t { open, served, withdrawn };
    [[nodiscard]] std::atomic<std::uint32_t>& taken() noexcept {
      return *reinterpret_cast<std::atomic<std::uint32_t>*>(small_reply.data());
    }
    bool take(std::uint32_t as) noexcept {
      std::uint32_t by_nobody = open;
      return taken().compare_exchange_strong(by_nobody, as, std::memory_order_acq_rel);
    }
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
  // died, timed_out when it is alive and has not answered this request, or the one before it,
  // within ORIEL_TIMEOUT: a request that names its operands is waited for when it has begun to
  // serve it, and withdrawn else.
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
      if (const std::uint32_t asked = slot_of(r).state.value.load(std::memory_order_acquire);
          (asked & owner_name::mask) == owner_name::of(me_)) {
        peers_.expected->expect_in(slot_of(r).state.value, owner_name::of(me_));
        answer(r, serve);
        any = true;
      }
    for (int word = 0; !are_few() && word < words(ranks_); ++word) {
      std::uint32_t bits = pending(me_, word).exchange(0, std::memory_order_acquire);
      any = any || bits != 0;
      for (; bits != 0; bits &= bits - 1) answer(word * 32 + __builtin_ctz(bits), serve);
    }
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
  template <class Serve>
  void answer(int origin, Serve& serve) noexcept {
    slot& s = slot_of(origin);
    __builtin_prefetch(&s, 1);
    if (!s.head.names_operands() || s.take(slot::served)) serve(s, origin);
    s.state.value.fetch_and(~owner_name::mask, std::memory_order_seq_cst);
    wake_all(s.state);
  }
  [[nodiscard]] wait_word& read_by(int owner) const noexcept;

  struct debt {
    int owner = -1;  // -1: none
    std::uint32_t asked = 0;
  };
  // Until it is paid. `unanswered`: the owner's bell, where its agent has not been woken.
  errc wait_for_answer(const debt&, bool with_patience = true,
                       request_bell* unanswered = nullptr) noexcept;

  std::byte* block_;
  mailbox_peers peers_;
  int me_;
  int ranks_;
  mutex mine_;
  look_count looks_;
  // The target that has not answered in time: until it does, or dies, it may write the slot.
  debt late_;
};

}  // namespace oriel::sync
