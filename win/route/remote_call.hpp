// What ranks of other nodes request of a window's owner, and what each request says: the body of
// its message (transport/message.hpp). Displacements are in bytes, from the owner's first element.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"
#include "sync/group_lock.hpp"

namespace oriel::win {

enum class remote_call : std::uint8_t {
  put,                  // access_request
  get,                  // access_request
  accumulate,           // access_request
  get_accumulate,       // access_request
  compare_swap,         // access_request
  packet,               // packet_request (route/packet.hpp)
  put_runs,             // runs_request
  accumulate_runs,      // runs_request
  get_accumulate_runs,  // runs_request
  get_runs,             // nothing
  put_notify,           // notify_request; without an answer
  acknowledge,          // acknowledge_request
  refuse_notify,        // refusal_notice: a put_notify to this rank was refused at its origin
  lock,                 // lock_request
  unlock,               // lock_request
  post,                 // post_notice
  complete,             // nothing
  segments,             // segments_request
  locate,               // locate_request
  forget,               // forget_request
  number_notices,       // nothing: the answer is the sender's number for completion data
  revoke,               // nothing: the sender takes its memory away, after a death
  // ORIEL_CHECK (check/far_access.hpp):
  note_access,        // note_request
  complete_accesses,  // completion_request
  tell_order,         // order_request
  learn_order,        // order_request
  last = learn_order,
};

// The payload holds what is put; an accumulate's operands, none for no_op; or what compare_swap
// expects and then what it desires.
struct access_request {
  std::uint64_t displacement = 0;
  std::uint32_t bytes = 0;  // that are accessed
  atomic_op op = atomic_op::no_op;
  primitive type = primitive::opaque;
  std::uint16_t unused = 0;  // no byte is left undefined
};

constexpr access_request accessing(std::uint64_t displacement, std::size_t bytes,
                                   atomic_op op = atomic_op::no_op,
                                   primitive type = primitive::opaque) noexcept {
  return {displacement, static_cast<std::uint32_t>(bytes), op, type};
}

// Of many places, whose addresses are displacements. The payload is a list of runs with what is put
// or the operands (sync/run_list.hpp); of get_runs it is runs alone (sync::block_run), of at most
// transport::longest_unordered_payload bytes together. What the places held follows one another in
// the answer, in the runs' order.
struct runs_request {
  atomic_op op = atomic_op::no_op;
  primitive type = primitive::opaque;
};

// The payload holds what is put before `amount` is added to the counter.
struct notify_request {
  std::uint64_t displacement = 0;
  std::uint32_t counter = 0;
  std::uint32_t amount = 1;
};

// The answer says what became of the sender's notifications since the last such request.
struct acknowledge_request {
  std::uint32_t sent = 0;  // in all, to this process; the count wraps
};

struct refusal_notice {
  std::uint32_t counter = 0;
  std::uint32_t amount = 1;
  errc why = errc::success;
  std::uint32_t unused = 0;
};

// Which lock of a target is meant.
enum class lock_word : std::uint8_t { target, all };

// A process may request one word several times at once: its threads open epochs on several targets,
// and each exclusive one takes the window-wide word; one thread may lock again before another's
// unlock has left. So each epoch has a number, and an unlock leaves, or withdraws, what was taken
// or requested for its own epoch and no other.
struct lock_request {
  std::uint32_t epoch = 0;  // of the sender, on this window
  lock_word word = lock_word::target;
  sync::lock_group group = sync::lock_group::shared;
  std::uint16_t unused = 0;
};

// The sender exposes its memory to this process.
struct post_notice {
  std::int32_t target = 0;  // the sender's rank in the window
};

struct segments_request {
  std::uint64_t first = 0;  // element from which on records are wanted
};

// The answer says where the attached buffer is that holds the bytes (told_places.hpp).
struct locate_request {
  std::uint64_t displacement = 0;
  std::uint64_t bytes = 0;
};

// The sender detaches its buffer that begins there.
struct forget_request {
  std::uint64_t first = 0;  // displacement
};

}  // namespace oriel::win
