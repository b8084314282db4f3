// ORIEL_CHECK=1: which accesses come before which. Around the synchronization of every window that
// is checked: it makes this rank's operations complete, and passes on what comes before it.
#include "win/check/order_places.hpp"
#include "win/check/promise_checks.hpp"
#include "win/check/shadow_log.hpp"
#include "win/check/stream_checks.hpp"
#include "win/check/watched_memory.hpp"
#include "win/route/peer_words.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {

void complete_operations(window_core& core, rank r, flush_scope scope) noexcept {
  sessions::vector_clock& clock = clock_of(core);
  const sessions::moment now = clock.now();
  for (int t = 0; t < core.ranks(); ++t) {
    if (r != any_rank && r.value != t) continue;
    if (shadow_log_state* const state = log_of(core, rank{t}))
      shadow_log(*state, core.epochs.world_me, core.group->watch())
          .complete(core.me(), now, scope == flush_scope::local,
                    [&](const shadow_access& a) { clock.learn_completion(a.begun, a.complete); });
  }
  using which = completion_request::which;
  if (core.routes.checks != nullptr && (r == any_rank || log_of(core, r) == nullptr))
    core.routes.checks->complete(r, scope == flush_scope::local ? which::reading : which::all, now);
  core.group->session().extension<watched_memory>().release(core, r);
}

namespace {

// Results of atomics that come with a flush are read after it.
void learn_from_fetched(window_core& core, rank r) noexcept {
  const which_places fetched = core.epochs.fetched_at.load(std::memory_order_relaxed);
  if (fetched == 0) return;
  if (r == any_rank)
    learn_from_all(core, order_place::atomic, fetched);
  else
    learn_from(core, r, order_place::atomic, fetched);
}

// Those that ORIEL_ADVERSARY has held back come with the end of the epoch.
void learn_from_held(window_core& core, rank r) noexcept {
  if (core.adversary != nullptr) learn_from_fetched(core, r);
}

// What the ranks of each node have told before the fence.
void learn_from_fence(window_core& core, std::size_t place) noexcept {
  sessions::vector_clock& clock = clock_of(core);
  if (!hears_of_all(core)) return clock.learn_everything();
  clock.learn(place_at(core, place));
  far_checks* const far = core.routes.checks.get();
  if (far != nullptr)
    far->with_other_nodes(
        [&](rank r) { far->learn(r, {.first = static_cast<std::uint32_t>(place)}); });
}

errc fence(window_core& c, sync_mode mode, call_site at) noexcept {
  check_fence_mode(c, mode, at);
  complete_operations(c, any_rank, flush_scope::target);
  const std::size_t place = fence_place(c);
  clock_of(c).tell(place_at(c, place));
  const errc e = c.operations.unchecked.fence(c, mode, at);
  learn_from_fence(c, place);
  return e;
}

errc post(window_core& c, std::span<const rank> origins, sync_mode mode, call_site at) noexcept {
  check_post_mode(c, mode, at);
  tell_at(c, rank{c.me()}, order_place::post);
  return c.operations.unchecked.post(c, origins, mode, at);
}
errc start(window_core& c, std::span<const rank> targets, sync_mode mode, call_site at) noexcept {
  check_start_mode(c, targets, mode, at);
  const errc e = c.operations.unchecked.start(c, targets, mode, at);
  if (e != errc::success) return e;
  for (const rank t : targets) learn_from(c, t, order_place::post);
  c.epochs.promises.take_store();
  return e;
}
// What ends the epoch, and what was found before; the epoch ends all the same.
errc first_of(errc found, errc ended) noexcept {
  return found != errc::success ? found : ended;
}

errc complete(window_core& c, call_site at) noexcept {
  errc found = errc::success;
  for (const rank t : c.epochs.started) {
    found = first_of(found, check_left_to_streams(c, t, "complete", at));
    complete_operations(c, t, flush_scope::target);
    tell_at(c, t, order_place::complete);
  }
  const errc e = c.operations.unchecked.complete(c, at);
  c.epochs.promises.take_store();
  learn_from_held(c, any_rank);
  return first_of(found, e);
}
errc wait(window_core& c, bool* done, call_site at) noexcept {
  const errc e = c.operations.unchecked.wait(c, done, at);
  if (e != errc::success || (done != nullptr && !*done)) return e;
  learn_from(c, rank{c.me()}, order_place::complete);
  end_post_mode(c);
  c.epochs.promises.take_store();
  return e;
}

errc lock(window_core& c, lock_kind kind, rank r, sync_mode mode, call_site at) noexcept {
  check_lock_mode(c, kind, r, mode, at);
  const errc e = c.operations.unchecked.lock(c, kind, r, mode, at);
  c.epochs.promises.take_store();
  if (e == errc::success) note_lock(c, kind, r, mode, at);
  if (e == errc::success && !mode.has(nocheck))
    learn_from(
        c, r,
        kind == lock_kind::exclusive ? order_place::any_unlock : order_place::exclusive_unlock);
  return e;
}
errc unlock(window_core& c, rank r, call_site at) noexcept {
  const errc found = check_left_to_streams(c, r, "unlock", at);
  if (const auto held = c.epochs.passive.find(r)) {
    complete_operations(c, r, flush_scope::target);
    forget_lock(c, r);
    if (held->kind == lock_kind::exclusive) tell_at(c, r, order_place::exclusive_unlock);
    tell_at(c, r, order_place::any_unlock);
  }
  const errc e = c.operations.unchecked.unlock(c, r, at);
  c.epochs.promises.take_store();
  learn_from_held(c, r);
  return first_of(found, e);
}
errc lock_all(window_core& c, sync_mode mode, call_site at) noexcept {
  check_lock_mode(c, lock_kind::shared, any_rank, mode, at);
  const errc e = c.operations.unchecked.lock_all(c, mode, at);
  c.epochs.promises.take_store();
  if (e == errc::success) note_lock(c, lock_kind::shared, any_rank, mode, at);
  if (e == errc::success && !mode.has(nocheck)) learn_from_all(c, order_place::exclusive_unlock);
  return e;
}
errc unlock_all(window_core& c, call_site at) noexcept {
  const errc found = check_left_to_streams(c, any_rank, "unlock_all", at);
  if (c.epochs.passive.all()) {
    complete_operations(c, any_rank, flush_scope::target);
    forget_lock(c, any_rank);
    tell_at_all(c, order_place::any_unlock);
  }
  const errc e = c.operations.unchecked.unlock_all(c, at);
  c.epochs.promises.take_store();
  learn_from_held(c, any_rank);
  return first_of(found, e);
}

}  // namespace

errc ordered_flush(window_core& c, rank r, flush_scope scope, call_site at) noexcept {
  if (c.epochs.passive.any()) complete_operations(c, r, scope);
  const errc e = c.operations.unchecked.flush(c, r, scope, at);
  learn_from_fetched(c, r);
  return e;
}

namespace {

// What a rank has been notified of, all of it: which notifications it has seen is not known.
errc wait_notify(window_core& c, std::size_t counter, std::uint64_t at_least,
                 std::optional<std::chrono::milliseconds> at_most, call_site at) noexcept {
  const errc e = c.operations.unchecked.wait_notify(c, counter, at_least, at_most, at);
  learn_from(c, rank{c.me()}, order_place::notification);
  return e;
}
errc wait_notify_any(window_core& c, std::size_t first, std::span<const std::uint64_t> at_least,
                     std::size_t* counter, std::optional<std::chrono::milliseconds> at_most,
                     call_site at) noexcept {
  const errc e = c.operations.unchecked.wait_notify_any(c, first, at_least, counter, at_most, at);
  learn_from(c, rank{c.me()}, order_place::notification);
  return e;
}
errc read_notify(window_core& c, std::size_t counter, detail::notify_read how, std::uint64_t* value,
                 call_site at) noexcept {
  const errc e = c.operations.unchecked.read_notify(c, counter, how, value, at);
  learn_from(c, rank{c.me()}, order_place::notification);
  return e;
}

// By what the program has synchronized is not known.
errc sync_memory(window_core& c, call_site at) noexcept {
  clock_of(c).learn_everything();
  c.epochs.promises.take_store();
  return c.operations.unchecked.sync(c, at);
}

// Loads and stores of what is attached are the program's as those of other windows' memory are.
errc attach(window_core& c, void* base, std::uint64_t count, segment<std::byte>* attached,
            call_site at) noexcept {
  const errc e = c.operations.unchecked.attach(c, base, count, attached, at);
  if (e != errc::success) return e;
  try {
    c.group->session().extension<watched_memory>().attach(c, *attached);
    return e;
  } catch (const std::bad_alloc&) {
    return c.fail(errc::no_mem, "attach: no memory to watch it under ORIEL_CHECK");
  }
}
errc detach(window_core& c, segment_handle handle, call_site at) noexcept {
  const errc e = c.operations.unchecked.detach(c, handle, at);
  if (e == errc::success) c.group->session().extension<watched_memory>().detach(c, handle);
  return e;
}

}  // namespace

void fill_ordering_slots(operation_table& t) {
  t.fence = fence;
  t.post = post;
  t.start = start;
  t.complete = complete;
  t.wait = wait;
  t.lock = lock;
  t.unlock = unlock;
  t.lock_all = lock_all;
  t.unlock_all = unlock_all;
  t.flush = ordered_flush;
  t.wait_notify = wait_notify;
  t.wait_notify_any = wait_notify_any;
  t.read_notify = read_notify;
  t.sync = sync_memory;
  t.attach = attach;
  t.detach = detach;
}

}  // namespace oriel::win
