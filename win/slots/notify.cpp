// Notification: a put that is counted at its target.
#include <array>

#include "sync/limited_watch.hpp"
#include "sync/notify_choice.hpp"
#include "sync/notify_counter.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"
#include "win/statistics/noted_wait.hpp"

namespace oriel::win {
namespace {

errc check_counter(window_core& core, std::size_t counter) noexcept {
  if (counter < core.agreed.notify_counters) return errc::success;
  return core.fail(errc::arg, "notification counter " + std::to_string(counter) +
                                  "; the window has " +
                                  std::to_string(core.agreed.notify_counters) +
                                  " (window_options::notify_counters)");
}

std::size_t bytes_of(const window_core& core, const notification& n) noexcept {
  if (n.shapes == nullptr) return n.n * core.agreed.base.size();
  const shape& there = *n.shapes->target_shape;
  return there.count * there.type.size();
}

// What a notification brings is put by slots that count puts; it counts once, as itself. While this
// lives, what the thread counts as puts of so many bytes is forgotten.
class counted_once {
 public:
  counted_once(window_core& core, const route& by, std::size_t bytes) noexcept
      : mine_(core.counts.mine()),
        of_words_(core.counts.words(core.agreed.counted)),
        size_(size_class(bytes)),
        word_(word_size(core.agreed.extent) % word_sizes),  // of elements that are words
        // Segments, and nodes that are reached in several ways, put by other routes than their own.
        first_(is_one(core, by) ? static_cast<std::size_t>(by.counted) : 0),
        last_(is_one(core, by) ? first_ : access_routes - 1) {
    if (of_words_ != nullptr)
      for (std::size_t i = 0; i < words_.size(); ++i)
        words_[i] = of_words_->words[put][word_][i].read();
    if (mine_ == nullptr) return;
    for (std::size_t r = first_; r <= last_; ++r) {
      operations_[r] = mine_->cells[put][r].operations.read();
      bytes_[r] = mine_->cells[put][r].bytes.read();
    }
    of_size_ = mine_->sizes[size_].read();
  }
  counted_once(const counted_once&) = delete;
  counted_once& operator=(const counted_once&) = delete;
  ~counted_once() {
    if (of_words_ != nullptr)
      for (std::size_t i = 0; i < words_.size(); ++i)
        of_words_->words[put][word_][i].put_back(words_[i]);
    if (mine_ == nullptr) return;
    for (std::size_t r = first_; r <= last_; ++r) {
      mine_->cells[put][r].operations.put_back(operations_[r]);
      mine_->cells[put][r].bytes.put_back(bytes_[r]);
    }
    mine_->sizes[size_].put_back(of_size_);
  }

 private:
  static constexpr auto put = static_cast<std::size_t>(operation_kind::put);
  static bool is_one(const window_core& core, const route& by) noexcept {
    return !by.tracked && !core.agreed.promised.has(assertion::attach);
  }

  tallies *mine_, *of_words_;
  std::size_t size_, word_, first_, last_;
  std::array<std::uint64_t, access_routes> operations_, bytes_;
  std::array<std::uint64_t, 2> words_;
  std::uint64_t of_size_;
};

// What `checked` has allowed.
errc notify_by_route(window_core& core, errc checked, const notification& n,
                     call_site where) noexcept {
  errc e = checked;
  if (e == errc::success && core.devices.memory != nullptr &&
      core.agreed.promised.has(assertion::ordered_notify))
    e = latched(core, core.devices.memory->drain(), n.to, "a device's copy before put_notify");
  if (e == errc::success) {
    const route& by = core.routes.to(n.to);
    const std::size_t bytes = bytes_of(core, n);
    count(core, operation_kind::put_notify, by.counted, bytes);
    const counted_once puts(core, by, bytes);
    e = by.notify(core, n, where);
  }
  if (e != errc::success) refuse_notification(core, n.to, n.with, e);
  return e;
}

errc put_notify(window_core& core, rank r, disp i, const void* values, std::size_t n, notice with,
                call_site where) noexcept {
  return notify_by_route(core, check_notification(core, r, n, with), {r, i, values, n, with},
                         where);
}

errc put_notify_typed(window_core& core, rank r, disp i, const detail::typed_operands& x,
                      notice with, call_site where) noexcept {
  return notify_by_route(core, check_typed_notification(core, r, with),
                         {.to = r, .first = i, .with = with, .shapes = &x}, where);
}

// Returns once `await(watch)` does, whose watch gives up after `at_most` too.
template <class Await>
errc await_limited(const sync::peer_watch& watch, std::optional<std::chrono::milliseconds> at_most,
                   bool& limited, Await await) noexcept {
  limited = at_most && (!watch.patience() || *at_most < *watch.patience());
  return limited ? await(sync::limited_watch(watch, *at_most)) : await(watch);
}

// The caller's own limit is no failure of the window.
errc failed_wait(window_core& core, errc e, bool limited, const char* call,
                 const std::string& awaited) noexcept {
  if (e == errc::success || (limited && e == errc::timed_out)) return e;
  const std::string text = std::string(call) + ": " + awaited;
  if (sessions::is_misuse(e))
    return core.fail(e, text + ": a put_notify was refused to the rank that called it");
  return core.fail(e, e == errc::timed_out ? text + " within ORIEL_TIMEOUT"
                                           : std::string(call) + ": " + core.group->reason(e));
}

errc wait_notify(window_core& core, std::size_t counter, std::uint64_t at_least,
                 std::optional<std::chrono::milliseconds> at_most, call_site) noexcept {
  if (const errc e = check_counter(core, counter); e != errc::success) return e;
  sync::notify_counter_state& mine = core.counter(core.me(), counter);
  const noting noted(core.notes.notification);
  bool limited = false;
  const errc e = await_limited(
      core.group->watch(), at_most, limited, [&](const sync::peer_watch& watch) noexcept {
        return core.routes.remote == nullptr
                   ? mine.wait_at_least(at_least, watch)
                   : core.routes.remote->await_notifications(mine, at_least, watch);
      });
  if (e == errc::success) [[likely]]
    return e;
  return failed_wait(
      core, e, limited, "wait_notify",
      "counter " + std::to_string(counter) + " did not come to " + std::to_string(at_least));
}

errc wait_notify_any(window_core& core, std::size_t first, std::span<const std::uint64_t> at_least,
                     std::size_t* counter, std::optional<std::chrono::milliseconds> at_most,
                     call_site) noexcept {
  if (at_least.empty())
    return core.fail(errc::arg, "wait_notify_any for none of the counters, which would never end");
  if (const errc e = check_counter(core, first); e != errc::success) return e;
  const std::size_t last = first + (at_least.size() - 1);
  if (const errc e = check_counter(core, last); e != errc::success) return e;
  sync::notify_choice choice(&core.counter(core.me(), 0), first, at_least);
  const noting noted(core.notes.notification);
  bool limited = false;
  const errc e = await_limited(
      core.group->watch(), at_most, limited, [&](const sync::peer_watch& watch) noexcept {
        return core.routes.remote == nullptr
                   ? choice.wait(watch)
                   : core.routes.remote->await_notifications(choice, watch);
      });
  if (e == errc::success) {
    *counter = *choice.reached();
    return e;
  }
  return failed_wait(core, e, limited, "wait_notify_any",
                     "none of the counters " + std::to_string(first) + " to " +
                         std::to_string(last) + " came to its value");
}

errc read_notify(window_core& core, std::size_t counter, detail::notify_read how,
                 std::uint64_t* value, call_site) noexcept {
  if (const errc e = check_counter(core, counter); e != errc::success) return e;
  sync::notify_counter_state& mine = core.counter(core.me(), counter);
  *value = how == detail::notify_read::take ? mine.take() : mine.read();
  return errc::success;
}

}  // namespace

errc check_notification(window_core& core, rank r, std::size_t n, notice with) noexcept {
  if (!core.group->has(r))
    return core.fail(errc::rank, "put_notify to rank " + std::to_string(r.value) + ": " +
                                     core.group->ranks_in_words());
  if (const errc e = check_counter(core, with.counter); e != errc::success) return e;
  if (with.amount == 0)
    return core.fail(errc::arg, "put_notify with an amount of 0, which no wait would see");
  if (n <= 1 || core.agreed.promised.has(assertion::multi_element)) return errc::success;
  return refuse_unasserted(core, "put_notify of " + std::to_string(n) + " elements",
                           "assertion::multi_element");
}

// Here and not by a refusing slot, so that the target learns of it.
errc check_typed_notification(window_core& core, rank r, notice with) noexcept {
  const errc e = check_notification(core, r, 1, with);
  if (e != errc::success || core.agreed.promised.has(assertion::user_datatype)) return e;
  return refuse_unasserted(core, "put_notify with a datatype", "assertion::user_datatype");
}

void refuse_notification(window_core& core, rank r, notice with, errc why) noexcept {
  if (core.group->has(r) && with.counter < core.agreed.notify_counters)
    core.routes.to(r).refuse_notify(core, r, with, why);
}

void fill_notify_slots(operation_table& table) {
  table.put_notify = put_notify;
  table.put_notify_typed = put_notify_typed;
  table.wait_notify = wait_notify;
  table.wait_notify_any = wait_notify_any;
  table.read_notify = read_notify;
}

}  // namespace oriel::win
