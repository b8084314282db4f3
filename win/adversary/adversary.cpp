#include "win/adversary/adversary.hpp"

#include <algorithm>

#include "win/check/order_places.hpp"

namespace oriel::win {
namespace {

// Beyond so many all are performed: they may be, at any time.
constexpr std::size_t most_held = 8192;

// Flushes must see every operation, and buffers be the host's.
std::string_view why_none_is_held(const detail::window_core& core) noexcept {
  if (core.agreed.bare) return "this static window's accesses are bare; build with -DORIEL_CHECKED";
  if (core.devices.stages || core.agreed.plan.device) return "buffers may lie in device memory";
  if (!may_hold_back(core.agreed.asked_hints)) return "the hint oriel_adversary is false";
  return {};
}

}  // namespace

adversary::adversary(detail::window_core& core, std::uint64_t seed)
    : core_(core),
      seed_(seed),
      why_at_once_(why_none_is_held(core)),
      choices_(seed, core.epochs.world_me, core.agreed.id) {
  if (!why_at_once_.empty()) return;
  held_.reserve(most_held);
  ordered_.reserve(most_held);
  before_.resize(static_cast<std::size_t>(core.ranks()));
}

int adversary::looks_in_vain() noexcept {
  constexpr std::uint64_t few = 3, more = 5;
  return static_cast<int>(few + choices_.draw() % more);
}

void adversary::hold(std::unique_ptr<held_operation> one) noexcept {
  const std::lock_guard turn(mutex_);
  if (held_.size() == most_held) perform_where([](held_operation&) { return true; });
  one->number = calls_++;
  held_.push_back(std::move(one));
}

void adversary::complete(rank r) noexcept {
  const std::lock_guard turn(mutex_);
  perform_where([r](const held_operation& o) { return r == any_rank || o.to == r; });
}

void adversary::complete_ordered(rank r) noexcept {
  const std::lock_guard turn(mutex_);
  perform_where([r](const held_operation& o) { return o.ordered && o.to == r; });
}

bool adversary::is_due_locally(held_operation& o) noexcept {
  return o.fetches || !o.keep_sources(core_);
}

void adversary::complete_locally(rank r) noexcept {
  const std::lock_guard turn(mutex_);
  perform_where(
      [&](held_operation& o) { return (r == any_rank || o.to == r) && is_due_locally(o); });
}

void adversary::complete_locally(const late_request& request) noexcept {
  const std::lock_guard turn(mutex_);
  held_operation* of = nullptr;
  for (const auto& o : held_)
    if (o->request == &request) of = o.get();
  if (of == nullptr) return;
  if (!is_due_locally(*of)) {
    of->request = nullptr;
    return;
  }
  perform_where([&](const held_operation& o) { return &o == of; });
  // What others have made complete before it is not known.
  if (core_.agreed.checked) clock_of(core_).learn_everything();
}

// What an ordered operation that is due follows is due, too.
void adversary::find_due_before() noexcept {
  std::fill(before_.begin(), before_.end(), char{0});
  for (auto one = held_.rbegin(); one != held_.rend(); ++one) {
    held_operation& o = **one;
    if (!o.ordered) continue;
    char& due = before_[static_cast<std::size_t>(o.to.value)];
    o.due = o.due || due != 0;
    due = o.due ? 1 : 0;
  }
}

template <class IsDue>
void adversary::perform_where(IsDue is_due) noexcept {
  for (const auto& o : held_) o->due = is_due(*o);
  find_due_before();
  const auto first = std::stable_partition(held_.begin(), held_.end(),
                                           [](const auto& o) noexcept { return !o->due; });
  shuffle(static_cast<std::size_t>(first - held_.begin()));
  for (auto one = first; one != held_.end(); ++one) {
    const errc e = (*one)->perform(core_);  // latched
    if ((*one)->request != nullptr) (*one)->request->performed(e);
  }
  held_.erase(first, held_.end());
}

// Those that are ordered are in order at their places.
void adversary::shuffle(std::size_t first) noexcept {
  for (std::size_t n = held_.size(); n > first + 1; --n)
    std::swap(held_[n - 1], held_[first + choices_.draw() % (n - first)]);
  for (std::size_t i = first; i < held_.size(); ++i)
    if (held_[i]->ordered) ordered_.push_back(std::move(held_[i]));
  std::sort(ordered_.begin(), ordered_.end(),
            [](const auto& a, const auto& b) noexcept { return a->number < b->number; });
  auto next = ordered_.begin();
  for (std::size_t i = first; i < held_.size(); ++i)
    if (held_[i] == nullptr) held_[i] = std::move(*next++);
  ordered_.clear();
}

bool may_hold_back(const info& hints) {
  const auto hint = hints.get("oriel_adversary");
  if (hint && *hint != "true" && *hint != "false")
    throw error(errc::info, "oriel_adversary is '" + *hint + "'; valid: true, false");
  return hint != "false";
}

std::shared_ptr<adversary> adversary_of(detail::window_core& core) {
  const std::uint64_t seed = core.group->session().adversary();
  return seed == 0 ? nullptr : std::make_shared<adversary>(core, seed);
}

}  // namespace oriel::win
