#include "tests/faults/random/participant.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>

namespace oriel::testing {

executioner::executioner(rank_record& condemned, int stopped_ms) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t parent = getpid();
  if (fork() == 0) {
    dup2(ends[0], 0);
    close_range(1, ~0u, 0);
    char order = 0;
    if (read(0, &order, 1) == 1) {
      kill(parent, SIGSTOP);
      usleep(static_cast<useconds_t>(stopped_ms) * 1000);
      condemned.dying = true;  // until now it lives
      kill(parent, SIGKILL);
    }
    _exit(0);
  }
  close(ends[0]);
  order_ = ends[1];
}

executioner::~executioner() {
  close(order_);
  wait(nullptr);
}

void executioner::call() const noexcept {
  static_cast<void>(!write(order_, "!", 1));
}

participant::participant(const fault_plan& plan, mapped_board& all, int me)
    : plan_(plan), board_(all), me_(me) {
  record().pid = getpid();
  const planned_death* const mine = plan_.death_of(me_);
  if (mine != nullptr && mine->how == manner::stopped)
    executioner_ = std::make_unique<executioner>(record(), mine->stopped_ms);
}

dice participant::common(std::uint64_t purpose) const noexcept {
  return dice{plan_.seed, static_cast<std::uint64_t>(round_), purpose};
}
dice participant::of(int place, std::uint64_t purpose) const noexcept {
  return dice{plan_.seed, static_cast<std::uint64_t>(round_), purpose,
              static_cast<std::uint64_t>(members_.world_rank(rank{place}).value) + 1};
}

// --- Steps

bool participant::dies_in(moment when) const noexcept {
  const planned_death* const mine = plan_.death_of(me_);
  return mine != nullptr && mine->round == round_ && mine->when == when;
}

void participant::die(manner how) noexcept {
  if (how == manner::stopped) {
    executioner_->call();
    for (;;) pause();
  }
  record().dying = true;
  if (how == manner::exits) std::exit(0);
  if (how == manner::leaves) _exit(0);
  raise(SIGKILL);
  std::abort();
}

// In the middle of what this thread does meanwhile.
void participant::die_after(std::uint64_t microseconds, manner how) {
  std::thread([this, microseconds, how] {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    die(how == manner::exits ? manner::leaves : how);
  }).detach();
}

void participant::begin_round(int round, team members) {
  round_ = round;
  members_ = std::move(members);
  record().round = round;
  record().frees = round * 100;
  record().holds = 0;
  auto& mine = record().teams[static_cast<std::size_t>(round)];
  for (int r = 0; r < size(); ++r)
    mine.members[static_cast<std::size_t>(r)] = members_.world_rank(rank{r}).value;
  mine.size = size();
  if (!dies_in(moment::timer)) return;
  const planned_death& death = *plan_.death_of(me_);
  die_after(death.after, death.how);
}

void participant::begin_work(int number) noexcept {
  work_ = number;
  steps_of_work_ = 0;
  streams_ = -1;
  record().work = number;
}

void participant::end_work() noexcept {
  if (dies_in(moment::operation) && plan_.death_of(me_)->work == work_)
    die(plan_.death_of(me_)->how);
  work_ = -1;
}

void participant::step(const char* what, int target, int window) noexcept {
  rank_record& mine = record();
  mine.target.store(target, std::memory_order_relaxed);
  mine.window.store(window, std::memory_order_relaxed);
  std::strncpy(mine.step.data(), what, mine.step.size() - 1);
  mine.steps.fetch_add(1, std::memory_order_release);
  if (work_ < 0 || !dies_in(moment::operation)) return;
  const planned_death& death = *plan_.death_of(me_);
  if (death.work == work_ && steps_of_work_++ == death.after) die(death.how);
}

void participant::begin_constructing(int windows_before) {
  if (!dies_in(moment::construction) ||
      plan_.death_of(me_)->after != static_cast<std::uint64_t>(windows_before))
    return;
  die_after(of(my_place(), 77).below(1500), manner::killed);  // within the call that follows
}

void participant::begin_freeing(int window) noexcept {
  if (dies_in(moment::freeing) && plan_.death_of(me_)->after == static_cast<std::uint64_t>(window))
    die(plan_.death_of(me_)->how);
  record().frees = round_ * 100 + window + 1;
}

void participant::end_constructing(int windows) noexcept {
  record().holds = windows;
}

void participant::begin_shrinking() {
  if (dies_in(moment::shrinking)) die_after(plan_.death_of(me_)->after, manner::killed);
}

void participant::end_round() noexcept {
  const planned_death* const mine = plan_.death_of(me_);
  if (mine == nullptr || mine->round != round_ || mine->when == moment::shrinking) return;
  die(mine->how);
}

// --- What calls come to

rank_record& participant::record_of(int place) const noexcept {
  return board_.of(members_.world_rank(rank{place}).value);
}
bool participant::dying(int place) const noexcept {
  return record_of(place).dying;
}
bool participant::may_perform(int other, int place, int window) const noexcept {
  if (other == place) return true;
  const auto host_of = [this](int r) {
    return plan_.shape.host_of(members_.world_rank(rank{r}).value);
  };
  return (gathers(window) || window == streams_) && host_of(other) == host_of(place) &&
         host_of(place) != host_of(my_place());
}
bool participant::may_refuse(int place, int window) const noexcept {
  for (int r = 0; r < size(); ++r) {
    const rank_record& other = record_of(r);
    if ((place == any || may_perform(r, place, window)) &&
        (other.frees > round_ * 100 + window || other.holds <= window))
      return true;
  }
  return false;
}
bool participant::may_be_lost(int place, int window) const noexcept {
  for (int r = 0; r < size(); ++r)
    if (dying(r) && may_perform(r, place, window)) return true;
  return false;
}

// "gone are rank 2, rank 5" and "with rank 2, which has died or left": ranks of the team.
void participant::judge_text(const std::string& text) {
  const auto claimed = [&](std::size_t at) {
    const int place = std::atoi(text.c_str() + at + 5);
    if (place >= 0 && place < size() && !dying(place))
      blame("the living rank " + std::to_string(place) + " is called dead: " + text);
  };
  if (const auto list = text.find("gone are "); list != std::string::npos)
    for (auto at = text.find("rank ", list); at != std::string::npos;
         at = text.find("rank ", at + 1))
      claimed(at);
  // "with some rank" claims nothing of anybody.
  if (const auto what = text.find(", which has died"); what != std::string::npos)
    if (const auto at = text.rfind("with rank ", what); at != std::string::npos) claimed(at + 5);
}

void participant::met(status outcome, const std::string& failure, int target) {
  if (outcome.ok()) return;
  const int window = record().window;
  const std::string what = std::string(record().step.data()) + " in window " +
                           std::to_string(window) +
                           (target == any ? "" : " with rank " + std::to_string(target)) +
                           " came to " + std::string(name(outcome.code())) + ": " + failure;
  judge_text(failure);
  bool somebody_dies = false;
  for (int r = 0; r < size(); ++r) somebody_dies = somebody_dies || dying(r);
  const bool refused = outcome.code() == errc::rma_sync || outcome.code() == errc::rma_range ||
                       outcome.code() == errc::rma_attach;
  if (!somebody_dies)
    blame("nobody has died, but " + what);
  else if (outcome.code() == errc::peer_failed && target != any && !may_be_lost(target, window))
    blame("rank " + std::to_string(target) + " lives, but " + what);
  else if (outcome.code() != errc::peer_failed && !(refused && may_refuse(target, window)))
    blame(what);
  throw team_has_lost_a_rank{};
}

void participant::met(const error& e) {
  met(e.code(), e.what(), any);
}

void participant::expect(bool right, const std::string& what) {
  if (!right)
    judge(finding::wrong, what + " (round " + std::to_string(round_) + ", work " +
                              std::to_string(record().work) + ")");
}

// The other ranks go on with a rank that lives: the driver ends them all.
void participant::judge(finding f, const std::string& why) {
  record().conclude(f, why);
  for (;;) pause();
}

}  // namespace oriel::testing
