// What the program's threads do: operations are looked at, and given to streams.
#include "win/stream_access.hpp"

#include <string>
#include <utility>

#include "transport/poller.hpp"
#include "win/check/stream_checks.hpp"
#include "win/route/on_node.hpp"
#include "win/route/origin_staging.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"
#include "win/trace/stream_events.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

constexpr std::size_t tasks_at_once = 32;

kinds::device_runtime& runtime_of_streams(const window_core& core) {
  const bool none = core.devices.memory == nullptr && core.devices.pinned == nullptr;
  if (none)
    throw error(errc::unsupported_kind,
                "operations are in the order of streams on windows whose memory, here or on "
                "another rank of the node, is a device's, managed or pinned "
                "(window_options::memory_kind)");
  if (!core.devices.stages)
    throw error(errc::info,
                "streams give it buffers in device memory, which mpi_assert_memory_alloc_kinds "
                "leaves out");
  return core.devices.memory != nullptr ? core.devices.memory->runtime()
                                        : core.devices.pinned->runtime();
}

int device_of_streams(const window_core& core, const kinds::device_runtime& runtime) {
  if (core.devices.memory != nullptr) return core.devices.memory->device();
  const int pinned_by = core.devices.pinned->device();
  return core.agreed.asked_hints.get("oriel_device") ? pinned_by
                                                     : runtime.current_device().value_or(0);
}

}  // namespace

const char* name_of(stream_action k) noexcept {
  switch (k) {
    case stream_action::put:
      return "put_on";
    case stream_action::get:
      return "get_on";
    case stream_action::signal:
      return "signal_on";
    case stream_action::wait:
      return "wait_on";
    case stream_action::wait_more:
      return "wait_more_on";
  }
  return "";
}

stream_access::stream_access(window_core& core)
    : core_(core),
      runtime_(&runtime_of_streams(core)),
      streams_(runtime_->streams()),
      device_(device_of_streams(core, *runtime_)),
      awaited_(core.agreed.notify_counters) {
  const std::string why = streams_ == nullptr
                              ? std::string("its kind has no streams in this library")
                              : streams_->lacks(device_);
  if (!why.empty())
    throw error(errc::unsupported_kind, "no operations in the order of streams: " + why);
  const kinds::allocating_in_captures allowed(*streams_);
  for (int r = 0; r < core.ranks(); ++r) {
    target at;
    const route& by = core.routes.to(rank{r});
    const bool found = by.find(core, rank{r}, disp{0}, core.shared_entry(rank{r}).count, at);
    const bool reached =
        core.devices.pinned != nullptr || core.routes.where(rank{r}) == place::managed_memory;
    direct_.push_back(!found                 ? nullptr
                      : at.device != nullptr ? at.device
                      : reached              ? at.mapped
                                             : nullptr);
    rings_here_.push_back(by.notify == notify_on_node);
  }
  // Now, since the poller's thread must allocate nothing while a stream waits.
  if (core.routes.remote != nullptr) staging_of(core, *runtime_, device_);
  give_back(*take_task(false));
  core.group->session().extension<transport::poller>().add(this,
                                                           [this] { return serve_pending(); });
}

stream_access::~stream_access() {
  core_.group->session().extension<transport::poller>().remove(this);
  for (task& t : tasks_) std::atomic_ref(*t.word).store(t.finished, std::memory_order_release);
}

errc stream_access::fail_at(errc e, const char* what) noexcept {
  return core_.fail(e, std::string(what) + ": " + runtime_->last_failure());
}

errc stream_access::check(const stream_operation& o) noexcept {
  if (core_.agreed.checked && moves(o.what))
    if (const errc e = check_elements(core_, o); e != errc::success) return e;
  const char* const name = name_of(o.what);
  const bool aims = moves(o.what) || o.what == stream_action::signal;
  if (aims && !core_.group->has(o.target))
    return core_.fail(errc::rank, std::string(name) + " with rank " +
                                      std::to_string(o.target.value) + ": " +
                                      core_.group->ranks_in_words());
  if (!moves(o.what)) {
    if (!core_.agreed.promised.has(assertion::notify))
      return refuse_unasserted(core_, name, "assertion::notify");
    if (o.amount == 0 && o.what != stream_action::wait)
      return core_.fail(errc::arg, std::string(name) + " with an amount of 0");
    return check_notification(core_, aims ? o.target : rank{core_.me()}, 0, {o.counter});
  }
  if (o.n > 1 && !core_.agreed.promised.has(assertion::multi_element))
    return refuse_unasserted(core_, std::string(name) + " of " + std::to_string(o.n) + " elements",
                             "assertion::multi_element");
  const std::uint64_t count = core_.shared_entry(o.target).count;
  if (!core_.agreed.promised.has(assertion::attach) &&
      (o.first.value > count || o.n > count - o.first.value))
    return core_.fail(errc::rma_range, std::string(name) + " of elements " +
                                           std::to_string(o.first.value) + " to " +
                                           std::to_string(o.first.value + o.n) + " of rank " +
                                           std::to_string(o.target.value) + ", which exposes " +
                                           std::to_string(count));
  if (o.n == 0 || runtime_->classify(o.buffer).has_value()) return errc::success;
  return core_.fail(errc::unsupported_kind,
                    std::string(name) +
                        " with a buffer that is no memory of the window's kind: "
                        "a device's, managed or pinned memory is needed");
}

errc stream_access::enqueue(void* stream, const stream_operation& o) noexcept {
  const kinds::stream_of_device on{stream, device_};
  if (core_.traced.file == nullptr) return try_enqueue(on, o);
  const std::uint64_t began = trace::ticks();
  const errc e = try_enqueue(on, o);
  note_enqueued(core_, o, on, began, e);
  return e;
}

errc stream_access::try_enqueue(kinds::stream_of_device on, const stream_operation& o) noexcept {
  if (const errc e = check(o); e != errc::success) return e;
  if (moves(o.what) && o.n == 0) return errc::success;
  std::byte* const there = moves(o.what) ? direct(o) : nullptr;
  return there != nullptr && core_.traced.file == nullptr ? copy(on, o, there) : give(on, o, there);
}

std::byte* stream_access::direct(const stream_operation& o) const noexcept {
  std::byte* const base = direct_[static_cast<std::size_t>(o.target.value)];
  return base == nullptr || !core_.agreed.base.contiguous() || core_.agreed.checked
             ? nullptr
             : base + o.first.value * core_.agreed.extent;
}

bool stream_access::rings_here(const stream_operation& o) const noexcept {
  return o.what == stream_action::signal && rings_here_[static_cast<std::size_t>(o.target.value)];
}

errc stream_access::copy(kinds::stream_of_device on, const stream_operation& o,
                         std::byte* there) noexcept {
  const bool puts = o.what == stream_action::put;
  const std::size_t bytes = o.n * core_.agreed.extent;
  count(core_, puts ? operation_kind::put : operation_kind::get, core_.routes.to(o.target).counted,
        bytes);
  const errc e = streams_->copy(on, puts ? there : o.buffer, puts ? o.buffer : there, bytes);
  return e == errc::success ? e : fail_at(e, name_of(o.what));
}

// What the stream has of a task when it refuses the rest stays as it is, in use.
errc stream_access::noted_copy(kinds::stream_of_device on, task& t, std::byte* there) noexcept {
  t.by_stream = true;
  errc e = streams_->call(on, come_to, &t);
  if (e != errc::success) {
    give_back(t);
    return fail_at(e, name_of(t.operation.what));
  }
  const stream_action what = t.operation.what;
  e = copy(on, t.operation, there);
  if (e != errc::success) return e;
  e = streams_->call(on, done_with, &t);
  return e == errc::success ? e : fail_at(e, name_of(what));
}

// What the task's word comes to is read before the stream has it: the task may have been done, and
// be another's, by the time that the stream waits.
errc stream_access::give(kinds::stream_of_device on, const stream_operation& o,
                         std::byte* there) noexcept {
  bool kept = false;
  if (const errc e = streams_->is_captured(on, kept); e != errc::success)
    return fail_at(e, name_of(o.what));
  if (core_.agreed.checked && moves(o.what) && !kept)
    if (const errc e = check_enqueued(core_, o); e != errc::success) return e;
  task* t = nullptr;
  try {
    t = take_task(kept);
  } catch (const error& failure) {
    return core_.fail(failure.code(), std::string(name_of(o.what)) + ": " + failure.what());
  } catch (const std::bad_alloc&) {
    return core_.fail(errc::no_mem, name_of(o.what));
  }
  t->operation = o;
  if (core_.traced.file != nullptr) t->stream = core_.traced.file->number_of(on);
  if (there != nullptr) return noted_copy(on, *t, there);
  t->by_stream = rings_here(o) && !core_.agreed.checked;
  const bool by_stream = t->by_stream;
  std::uint64_t* const word = t->word;
  const std::uint64_t finished = t->finished;
  if (rings_here(o)) count(core_, operation_kind::put_notify, core_.routes.to(o.target).counted, 0);
  t->left.store(core_.agreed.checked && moves(o.what) && !kept, std::memory_order_release);
  errc e = streams_->call(on, by_stream ? notify_here : hand_over, t);
  if (e != errc::success) {
    t->left.store(false, std::memory_order_relaxed);
    give_back(*t);
    return fail_at(e, name_of(o.what));
  }
  if (!by_stream) e = streams_->wait(on, word, finished);
  return e == errc::success ? e : fail_at(e, name_of(o.what));
}

// A task that is found is not another's before the lock is left.
std::optional<stream_operation> stream_access::left_to_streams(rank r) noexcept {
  const std::lock_guard hold(tasks_lock_);
  for (const task& t : tasks_)
    if (t.left.load(std::memory_order_acquire) && (r == any_rank || t.operation.target == r))
      return t.operation;
  return std::nullopt;
}

stream_access::task* stream_access::take_task(bool kept) {
  const std::lock_guard hold(tasks_lock_);
  if (free_ == nullptr) {
    const kinds::allocating_in_captures allowed(*streams_);
    for (std::uint64_t* const word : words_.emplace_back(*streams_, device_, tasks_at_once).words) {
      task& t = tasks_.emplace_back();
      t.of = this;
      t.word = word;
      t.next = std::exchange(free_, &t);
    }
  }
  task* const t = std::exchange(free_, free_->next);
  t->kept = kept;
  t->finished = kept ? 1 : t->finished + 1;
  return t;
}

void stream_access::give_back(task& t) noexcept {
  const std::lock_guard hold(tasks_lock_);
  t.next = std::exchange(free_, &t);
}

}  // namespace oriel::win
