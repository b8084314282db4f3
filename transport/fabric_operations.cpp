// Starting things: messages, requests, reads and writes. What the provider cannot take at once is
// tried again after some progress, and inside handlers queued.
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>

#include "session/node/address_map.hpp"
#include "sync/system.hpp"
#include "transport/failure.hpp"
#include "transport/libfabric.hpp"
#include "transport/pieces.hpp"

namespace oriel::transport {
namespace {

void* descriptor_of(const operation& op) noexcept {
  return op.region == nullptr ? nullptr : op.region->descriptor();
}

// Whether a wait that began so long ago has lasted for ORIEL_TIMEOUT.
bool has_timed_out(const sessions::job& job, sync::clock::duration waited) noexcept {
  return job.patience() && waited > *job.patience();
}

void note_retry() noexcept {
  if (sync::note_of_this_thread != nullptr) sync::note_of_this_thread->tried_again();
}

}  // namespace

// Not from handlers. Gives up when the target has died, and after ORIEL_TIMEOUT. A connection that
// has ended may mean that it has died: it is tried anew until the failure detector has decided.
template <class Post>
errc libfabric::until_posted(int to, Post attempt) noexcept {
  const auto known_by = job_.silence() + found_within;
  const auto first = sync::clock::now();
  auto began = first;
  auto next_look = began + sync::wait_ladder::shortest_sleep;
  sync::noticed_wait waited;
  for (int tries = 0;; ++tries) {
    if (tries != 0) note_retry();
    const ssize_t code = attempt();
    if (code == 0) return errc::success;
    if (code != -FI_EAGAIN && code_of(static_cast<int>(-code)) != errc::peer_failed)
      return code_of(static_cast<int>(-code));
    progress();
    if (tries == 1) waited.begin();
    if (tries < 100 && code == -FI_EAGAIN) continue;
    sync::wait_ladder::yield();
    const auto now = sync::clock::now();
    if (now < next_look) continue;
    waited.asleep();
    if (!job_.look(to)) return errc::peer_failed;
    if (has_timed_out(job_, now - first)) return errc::timed_out;
    if (code != -FI_EAGAIN && now - began > known_by) {
      if (!gives_up_rail_to(to)) return errc::peer_failed;
      began = now;
    }
    next_look = now + sync::wait_ladder::longest_sleep;
  }
}

template <class Post>
errc libfabric::until_posted_by_mine(int to, Post attempt) noexcept {
  contexts::one* const mine = uses_contexts() ? contexts_.mine() : nullptr;
  if (mine == nullptr) return until_posted(to, [&] { return attempt(*port_); });
  mine->begin();
  const errc e = until_posted(to, [&] { return attempt(mine->port()); });
  if (e != errc::success) mine->end();
  return e;
}

template <class Post>
errc libfabric::until_posted_by_rail(operation& op, std::size_t piece, Post attempt) noexcept {
  return until_posted(op.target, [&]() -> ssize_t {
    const std::lock_guard hold(rails_->mutex());
    op.on_rail.rail = rails_->of_piece(rails_->at(op.target), piece);
    if (op.on_rail.rail < 0) return -FI_ENOTCONN;
    const ssize_t code = attempt(rails_->port(op.on_rail.rail));
    if (code != 0) op.on_rail.rail = no_rail;
    return code;
  });
}

// For others' answers there has been no room for ORIEL_TIMEOUT: their flushes say so. Returns
// whether there are any.
bool libfabric::give_up_all_but(int to) noexcept {
  bool any = false;
  for (int r = operations_.next_debtor(-1); r >= 0; r = operations_.next_debtor(r)) {
    if (r == to) continue;
    operations_.give_up(r, errc::timed_out);
    any = true;
  }
  return any;
}

// Until fewer than `most` are under way, to whichever ranks. Gives up as until_posted does.
errc libfabric::until_room(int to, std::size_t most,
                           std::size_t (operation_pool::*count)() const noexcept) noexcept {
  if (!job_.alive(to)) return errc::peer_failed;
  auto first = sync::clock::time_point{};
  auto next_look = first;
  sync::noticed_wait waited;
  while ((operations_.*count)() >= most) {
    progress();
    waited.begin();
    sync::wait_ladder::yield();
    if (!job_.alive(to)) return errc::peer_failed;
    // A rank that has died answers nothing, and would be waited for here for ever.
    const auto now = sync::clock::now();
    if (now < next_look) continue;
    if (next_look == sync::clock::time_point{})
      first = now;
    else
      waited.asleep();
    if (has_timed_out(job_, now - first)) {
      if (!give_up_all_but(to)) return errc::timed_out;
      first = now;
    }
    look_at_debtors();
    next_look = now + sync::wait_ladder::longest_sleep;
  }
  return errc::success;
}

errc libfabric::send_message(int to, const message_head& head,
                             std::span<const std::byte> payload) noexcept {
  if (!job_.alive(to)) return errc::peer_failed;
  return until_posted(to, [&] { return try_message(to, head, payload); });
}

errc libfabric::send(int to, const sessions::message_tag& tag,
                     std::span<const std::byte> bytes) noexcept {
  message_head head;
  head.kind = message_kind::collective;
  head.addressee = tag.group;
  head.carry(collective_part{tag.turn, tag.round, bytes.size()});
  do {
    const std::size_t part = std::min(bytes.size(), longest_payload);
    const errc e = send_message(to, stamped(head, part), bytes.first(part));
    if (e != errc::success) return e;
    bytes = bytes.subspan(part);
  } while (!bytes.empty());
  return errc::success;
}

void libfabric::answer_by_itself(sessions::standing_answer given) {
  send_replies(inbox_.answer(std::move(given)));
  try {
    start_agent();
  } catch (const std::system_error&) {
    // Without one it answers when the program calls.
  }
}

// From handlers too.
void libfabric::send_replies(const std::vector<inbox::reply>& all) noexcept {
  for (const inbox::reply& r : all) {
    message_head head;
    head.kind = message_kind::collective;
    head.addressee = r.tag.group;
    head.carry(collective_part{r.tag.turn, r.tag.round, r.bytes->size()});
    std::span<const std::byte> bytes(*r.bytes);
    do {
      const std::size_t part = std::min(bytes.size(), longest_payload);
      send_or_defer(r.to, stamped(head, part), bytes.first(part));
      bytes = bytes.subspan(part);
    } while (!bytes.empty());
  }
}

// A connection that ends takes with it what was on its way, and the next one is not behind that. So
// each attempt looks at what has failed, and at messages that are sent again.
errc libfabric::tell(int to, message_head head, std::span<const std::byte> payload,
                     const pending_ops* behind) noexcept {
  head.kind = message_kind::request;
  const message_head h = stamped(head, payload.size());
  if (behind == nullptr) return send_message(to, h, payload);
  if (!job_.alive(to)) return errc::peer_failed;
  errc lost = errc::success;
  const errc e = until_posted(to, [&]() noexcept -> ssize_t {
    if (is_deferred_to(to)) return -FI_EAGAIN;
    lost = behind->failure();
    return lost == errc::success ? try_message(to, h, payload) : 0;
  });
  return lost == errc::success ? e : lost;
}

// `take` gives it a place in the pool.
template <class Take>
errc libfabric::send_request(int to, message_head head, std::span<const std::byte> payload,
                             Take take) noexcept {
  errc e = until_room(to, most_requests, &operation_pool::requests);
  operation_pool::request asked;
  if (e == errc::success) {
    asked = take();
    if (asked.cookie == 0) e = errc::no_mem;
  }
  head.kind = message_kind::request;
  head.cookie = asked.cookie;
  if (e == errc::success) e = send_message(to, stamped(head, payload.size()), payload);
  if (e == errc::success) return e;
  if (asked.cookie != 0) operations_.drop(asked);
  give_room(payload);
  return e;
}

bool libfabric::try_request(int to, message_head head, std::span<const std::byte> payload,
                            void* result, std::size_t result_bytes, pending_ops& ops) noexcept {
  if (!job_.alive(to) || operations_.requests() >= most_requests) return false;
  const auto asked = operations_.take_request(
      to, &ops, nullptr, {static_cast<std::byte*>(result), result == nullptr ? 0 : result_bytes});
  if (asked.cookie == 0) return false;
  head.kind = message_kind::request;
  head.cookie = asked.cookie;
  if (try_message(to, stamped(head, payload.size()), payload) == 0) return true;
  note_retry();  // the caller's, later
  operations_.drop(asked);
  return false;
}

errc libfabric::request(int to, message_head head, std::span<const std::byte> payload, void* result,
                        std::size_t result_bytes, pending_ops& ops, pending_ops* second) noexcept {
  const std::span to_result(static_cast<std::byte*>(result), result == nullptr ? 0 : result_bytes);
  return send_request(to, head, payload, [&]() noexcept {
    return operations_.take_request(to, &ops, second, to_result);
  });
}

errc libfabric::request(int to, message_head head, std::span<const std::byte> payload,
                        std::unique_ptr<answer_sink> result, pending_ops& ops,
                        pending_ops* second) noexcept {
  return send_request(to, head, payload, [&]() noexcept {
    return operations_.take_request(to, &ops, second, {}, std::move(result));
  });
}

void libfabric::reply(const message_head& asked, errc outcome,
                      std::span<const std::byte> payload) noexcept {
  if (asked.cookie == 0) return give_room(payload);
  message_head head;
  head.kind = message_kind::reply;
  head.cookie = asked.cookie;
  head.carry(reply_outcome{outcome});
  send_or_defer(asked.from, stamped(head, payload.size()), payload);
}

// Begins one operation for each piece of at most the provider's longest message. `prepare` gets the
// operation and what is done already, and gives what an attempt to post it needs.
template <class Prepare, class Post>
errc libfabric::transfer(const remote_place& at, std::size_t bytes, pending_ops& ops,
                         pending_ops* second, Prepare prepare, Post attempt) noexcept {
  const std::size_t most = port_->info().ep_attr->max_msg_size;
  const std::size_t longest = rails_ == nullptr ? most : rails_->piece_of(bytes, most);
  return transport::in_pieces(bytes, longest, [&](std::size_t done, std::size_t piece) noexcept {
    errc e = until_room(at.rank, most_transfers, &operation_pool::transfers);
    if (e != errc::success) return e;
    operation* const op = operations_.take_transfer(at.rank, &ops, second);
    if (op == nullptr) return errc::no_mem;
    const remote_place there{at.rank, at.address + done, at.key};
    if (rails_ != nullptr) {
      op->on_rail.bytes = piece;
      op->on_rail.address = there.address;
      op->on_rail.key = there.key;
    }
    e = prepare(*op, done, piece);
    const auto by = [&](endpoint& port) { return attempt(port, *op, there, done, piece); };
    if (e == errc::success)
      e = rails_ == nullptr ? until_posted_by_mine(at.rank, by)
                            : until_posted_by_rail(*op, done / longest, by);
    if (e != errc::success) operations_.finish(*op, errc::success);
    return e;
  });
}

errc libfabric::write(const remote_place& at, const void* from, std::size_t bytes, bool keep,
                      pending_ops& ops, pending_ops* second, const device_place* device,
                      std::uint64_t flags, std::uint64_t data) noexcept {
  // Injecting is copying by the processor: never from a device.
  const bool registers = device != nullptr || port_->wants_local_registration();
  const auto injects = [&](std::size_t piece) noexcept {
    return registers && device == nullptr && piece <= port_->inject_size();
  };
  const auto source = [&](operation& op, std::size_t done) noexcept {
    return keep ? op.value.data() : static_cast<const std::byte*>(from) + done;
  };
  return transfer(
      at, bytes, ops, second,
      [&](operation& op, std::size_t done, std::size_t piece) noexcept {
        if (keep) std::memcpy(op.value.data(), static_cast<const std::byte*>(from) + done, piece);
        if (rails_ != nullptr) {
          op.on_rail.reads = false;
          op.on_rail.here = const_cast<std::byte*>(source(op, done));
          op.on_rail.flags = flags;
        }
        if (!registers || injects(piece)) return errc::success;
        if (keep) know_kept(op);
        return register_for(op, const_cast<std::byte*>(source(op, done)), piece, device);
      },
      [&](endpoint& by, operation& op, const remote_place& there, std::size_t done,
          std::size_t piece) noexcept {
        return by.write(there, source(op, done), piece, descriptor_of(op),
                        injects(piece) ? flags | FI_INJECT : flags, op, data);
      });
}

errc libfabric::put(const remote_place& at, const void* from, std::size_t bytes, bool keep,
                    pending_ops& ops, pending_ops* second, const device_place* device) noexcept {
  const std::uint64_t how = settings_.how == completion::delivery ? FI_DELIVERY_COMPLETE : 0;
  return write(at, from, bytes, keep, ops, second, device, how, 0);
}

errc libfabric::put_noted(const remote_place& at, const void* from, std::size_t bytes,
                          const completion_data& data, pending_ops& ops,
                          pending_ops* second) noexcept {
  const errc e = write(at, from, bytes, false, ops, second, nullptr, FI_REMOTE_CQ_DATA,
                       data.packed(settings_.data_bytes).value_or(0));
  if (lanes_ != nullptr) lanes_->sent_note(at.rank);
  return e;
}

errc libfabric::get(const remote_place& at, void* to, std::size_t bytes, pending_ops& ops,
                    pending_ops* second, const device_place* device) noexcept {
  const bool registers = device != nullptr || port_->wants_local_registration();
  const auto sink = [to](operation& op, std::size_t done) noexcept {
    return to == nullptr ? op.value.data() : static_cast<std::byte*>(to) + done;
  };
  return transfer(
      at, bytes, ops, second,
      [&](operation& op, std::size_t done, std::size_t piece) noexcept {
        if (rails_ != nullptr) {
          op.on_rail.reads = true;
          op.on_rail.here = sink(op, done);
        }
        if (!registers) return errc::success;
        if (to == nullptr) know_kept(op);
        return register_for(op, sink(op, done), piece, device);
      },
      [&](endpoint& by, operation& op, const remote_place& there, std::size_t done,
          std::size_t piece) noexcept {
        return by.read(there, sink(op, done), piece, descriptor_of(op), op);
      });
}

// Sources and sinks that oriel keeps lie in its slabs of operations.
void libfabric::know_kept(operation& op) noexcept {
  const std::span<operation> slab = operation_pool::slab_of(op);
  own_buffers_.add(slab.data(), slab.size_bytes());
}

errc libfabric::register_for(operation& op, void* buffer, std::size_t bytes,
                             const device_place* device) noexcept {
  const auto made = [&](void* at, std::size_t n) {
    return std::make_shared<const memory_region>(
        port_->expose_locally(at, n, device == nullptr ? std::nullopt : std::optional(*device)));
  };
  try {
    if (device == nullptr)
      op.region = own_buffers_.of(buffer, bytes, [&](std::uintptr_t block, std::size_t n) {
        return made(sessions::at_address(block), n);
      });
    if (op.region == nullptr) op.region = made(buffer, bytes);
    return errc::success;
  } catch (const error& e) {
    return e.code();
  } catch (const std::bad_alloc&) {
    return errc::no_mem;
  }
}

}  // namespace oriel::transport
