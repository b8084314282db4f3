// The origin's half: what only the owner's process can do.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

#include "win/route/remote_window.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using transport::longest_payload;
using transport::message_head;

namespace {

class number_sink final : public transport::answer_sink {
 public:
  explicit number_sink(std::atomic<std::uint32_t>& number) noexcept : number_(number) {}
  void take(std::span<const std::byte> answer) noexcept override {
    std::uint32_t number = 0;
    if (answer.size() == sizeof number) std::memcpy(&number, answer.data(), sizeof number);
    number_.store(number, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t>& number_;
};

}  // namespace

errc remote_window::ask(rank r, const message_head& h, std::span<const std::byte> payload,
                        void* result, std::size_t result_bytes, depends_on whom) noexcept {
  pending_ops one;
  const errc e =
      posting(core_, fabric_, r)->request(world(r), h, payload, result, result_bytes, one);
  const int target = whom == depends_on::all ? transport::fabric::any_watched : world(r);
  const errc waited = fabric_.wait(one, target, *core_.epochs.watch);
  return e != errc::success ? e : waited;
}

errc remote_window::compare_swap(rank r, std::uint64_t at, const swap& s) noexcept {
  const swap_operands both(s);
  const message_head h = head(remote_call::compare_swap, accessing(at, s.bytes));
  count_message(core_);
  return ask(r, h, {both.data(), both.bytes()}, s.result, s.bytes);
}

errc remote_window::request_runs(rank r, remote_call call, const runs_request& what,
                                 std::span<const std::byte> list, void* result,
                                 std::size_t result_bytes, pending_ops* also) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) {
    fabric_.give_room(list);
    return errc::no_mem;
  }
  return carrying(core_, fabric_, r)
      ->request(world(r), head(call, what), list, result, result_bytes, counting(r, *t, list),
                also);
}

errc remote_window::get_runs(rank r, std::span<const std::byte> list,
                             std::unique_ptr<transport::answer_sink> result,
                             pending_ops* also) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) return errc::no_mem;
  const message_head h = head(remote_call::get_runs);
  return carrying(core_, fabric_, r)->request(world(r), h, list, std::move(result), t->ops, also);
}

errc remote_window::notify(rank r, std::uint64_t at, std::span<const std::byte> bytes, notice n,
                           const pending_ops* behind) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) return errc::no_mem;
  const message_head h = head(remote_call::put_notify,
                              notify_request{at, static_cast<std::uint32_t>(n.counter), n.amount});
  const errc e = carrying(core_, fabric_, r)->tell(world(r), h, bytes, behind);
  if (e == errc::success) count_sent(*t);
  return e;
}

void remote_window::count_sent(target_state& t) noexcept {
  core_.hot.pending.fetch_add(1, std::memory_order_relaxed);
  t.notices.sent.fetch_add(1, std::memory_order_release);
}

// 0 where there is none, and until the answer is there to what is asked once.
std::uint32_t remote_window::notice_number_at(rank r, target_state& t) noexcept {
  std::uint32_t number = not_asked;
  if (!t.notice_number.compare_exchange_strong(number, 0, std::memory_order_relaxed)) return number;
  try {
    posting(core_, fabric_, r)
        ->request(world(r), head(remote_call::number_notices), {},
                  std::make_unique<number_sink>(t.notice_number), t.ops);
  } catch (const std::bad_alloc&) {
    t.notice_number.store(not_asked, std::memory_order_relaxed);
  }
  return 0;
}

std::optional<errc> remote_window::put_noted(rank r, std::uint64_t at, const void* from,
                                             std::size_t bytes, notice n) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) return errc::no_mem;
  const transport::completion_data data{notice_number_at(r, *t),
                                        static_cast<std::uint32_t>(n.counter), n.amount};
  if (!fabric_.carries(data, bytes)) return std::nullopt;
  pending_ops one;
  errc e = errc::rma_sync;
  {
    const access begun(*t);
    if (!begun.refused())
      e = carrying(core_, fabric_, r)->put_noted(place_of(r, at), from, bytes, data, t->ops, &one);
  }
  const errc ended = fabric_.wait(one, world(r), *core_.epochs.watch);
  if (e == errc::success) e = ended;
  if (e == errc::success) count_sent(*t);
  return e;
}

// `wait_by(wait)` is wait_by of what is waited for, which has not come yet.
template <class WaitBy>
errc remote_window::await_by(WaitBy wait_by, const sync::peer_watch& watch) noexcept {
  const std::uint32_t before = notices_.load(std::memory_order_relaxed);
  const auto at_fabric = [this, &watch](sync::wait_word& bell, auto reached) noexcept {
    return fabric_.wait_for(std::ref(reached), watch, bell);
  };
  const auto in_memory = [&watch](sync::wait_word& bell, auto reached) noexcept {
    return sync::wait_for(bell, watch, [reached](std::uint32_t) { return reached(); });
  };
  const errc e =
      expects_notices_.load(std::memory_order_relaxed) ? wait_by(at_fabric) : wait_by(in_memory);
  expects_notices_.store(notices_.load(std::memory_order_relaxed) != before,
                         std::memory_order_relaxed);
  return e;
}

errc remote_window::await_notifications(sync::notify_counter_state& counter, std::uint64_t at_least,
                                        const sync::peer_watch& watch) noexcept {
  if (counter.test(at_least)) return errc::success;
  return await_by([&](auto wait) noexcept { return counter.wait_by(wait, at_least); }, watch);
}

errc remote_window::await_notifications(sync::notify_choice& counters,
                                        const sync::peer_watch& watch) noexcept {
  if (counters.reached()) return errc::success;
  return await_by([&](auto wait) noexcept { return counters.wait_by(wait); }, watch);
}

void remote_window::refuse_notify(rank r, notice n, errc why) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr) return;
  const message_head h = head(remote_call::refuse_notify,
                              refusal_notice{static_cast<std::uint32_t>(n.counter), n.amount, why});
  // A rank that is not reached has gone; the caller returns a failure of its own.
  static_cast<void>(posting(core_, fabric_, r)->request(world(r), h, {}, nullptr, 0, t->ops));
}

// Not bounded by the time an answer may take: the lock may be held for long by a rank that lives;
// but when one has died it may have been the holder. Who gives up may have been let in meanwhile.
errc remote_window::lock(rank r, const lock_request& wanted) noexcept {
  const errc e = ask(r, head(remote_call::lock, wanted), {}, nullptr, 0, depends_on::all);
  if (e == errc::timed_out || e == errc::peer_failed) unlock(r, wanted);
  return e;
}

errc remote_window::unlock(rank r, const lock_request& held) noexcept {
  return posting(core_, fabric_, r)->tell(world(r), head(remote_call::unlock, held));
}

errc remote_window::post(rank origin) noexcept {
  return posting(core_, fabric_, origin)
      ->tell(world(origin), head(remote_call::post, post_notice{core_.me()}));
}

errc remote_window::complete(rank target) noexcept {
  return posting(core_, fabric_, target)->tell(world(target), head(remote_call::complete));
}

errc remote_window::await_posts(std::span<const rank> targets) noexcept {
  const auto count = [this](rank t) -> std::uint32_t* {
    for (auto& [target, posts] : posts_)
      if (target == t.value) return &posts;
    return nullptr;
  };
  const auto all_posted = [&] {
    const std::lock_guard hold(posts_mutex_);
    const auto missing = std::find_if(targets.begin(), targets.end(), [&](rank t) {
      const std::uint32_t* const posts = count(t);
      return posts == nullptr || *posts == 0;
    });
    awaited_post_ = missing == targets.end() ? any_rank : *missing;
    return missing == targets.end();
  };
  const errc e = fabric_.wait_for(all_posted, *core_.epochs.watch);
  awaited_post_ = any_rank;
  if (e != errc::success) return e;
  const std::lock_guard hold(posts_mutex_);
  for (const rank t : targets) --*count(t);
  return errc::success;
}

errc remote_window::revoke(const sync::peer_watch& watch) noexcept {
  const auto others = [this](int r) {
    return core_.is_remote(rank{r}) && core_.group->session().job().alive(world(rank{r}));
  };
  try {
    std::vector<pending_ops> asked(static_cast<std::size_t>(core_.ranks()));
    for (int r = 0; r < core_.ranks(); ++r)
      if (others(r))
        posting(core_, fabric_, rank{r})
            ->request(world(rank{r}), head(remote_call::revoke), {}, nullptr, 0,
                      asked[static_cast<std::size_t>(r)]);
    errc first = errc::success;
    for (int r = 0; r < core_.ranks(); ++r) {
      const errc e = fabric_.wait(asked[static_cast<std::size_t>(r)], world(rank{r}), watch);
      // rma_sync: it has freed the window; peer_failed: it has died.
      if (e == errc::timed_out || e == errc::no_mem) first = e;
    }
    return first;
  } catch (const std::bad_alloc&) {
    return errc::no_mem;
  }
}

std::vector<segment_record> remote_window::segments(rank r) {
  constexpr std::size_t at_a_time = longest_payload / sizeof(segment_record);
  std::vector<segment_record> all;
  for (;;) {
    std::vector<segment_record> some(at_a_time);
    // From there on; records of no elements mark the end.
    const std::uint64_t from = all.empty() ? 0 : all.back().first + all.back().count;
    const errc e = ask(r, head(remote_call::segments, segments_request{from}), {}, some.data(),
                       at_a_time * sizeof(segment_record));
    if (e != errc::success)
      throw error(e, "window '" + core_.agreed.name + "': rank " + std::to_string(r.value) +
                         " did not tell its segments");
    const auto end = std::find_if(some.begin(), some.end(),
                                  [](const segment_record& s) { return s.count == 0; });
    all.insert(all.end(), some.begin(), end);
    if (end != some.end()) return all;
  }
}

}  // namespace oriel::win
