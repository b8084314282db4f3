// One rank of a job of the random-fault suite: reports what it does, dies where the plan has it,
// and judges what its calls return. It reads from the board, not from oriel, which ranks are dying.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "oriel/oriel.hpp"
#include "tests/faults/random/board.hpp"
#include "tests/faults/random/dice.hpp"
#include "tests/faults/random/plan.hpp"

namespace oriel::testing {

// Ends a round early: a rank of the team has died, and a call has said so.
struct team_has_lost_a_rank {};

// A child that stops this process and, later, kills it. Made before the session, of one thread.
class executioner {
 public:
  executioner(rank_record& condemned, int stopped_ms);
  ~executioner();
  executioner(const executioner&) = delete;
  executioner& operator=(const executioner&) = delete;
  void call() const noexcept;

 private:
  int order_ = -1;
};

class participant {
 public:
  participant(const fault_plan& plan, mapped_board& all, int me);

  [[nodiscard]] const fault_plan& plan() const noexcept { return plan_; }
  [[nodiscard]] int me() const noexcept { return me_; }  // in the job, as everywhere here
  [[nodiscard]] int round() const noexcept { return round_; }
  [[nodiscard]] const team& members() const noexcept { return members_; }
  [[nodiscard]] int size() const noexcept { return members_.size(); }
  [[nodiscard]] int my_place() const noexcept { return members_.me().value; }
  // The same numbers on all ranks, for this purpose in this round; and of one rank of the team.
  [[nodiscard]] dice common(std::uint64_t purpose) const noexcept;
  [[nodiscard]] dice of(int place, std::uint64_t purpose) const noexcept;

  // --- Steps
  void begin_round(int round, team members);
  void begin_work(int number) noexcept;
  void end_work() noexcept;
  // The next call is `what`, of a rank of the team and a window. Dies here when it is time.
  void step(const char* what, int target = -1, int window = -1) noexcept;
  void begin_constructing(int windows_before);
  void end_constructing(int windows) noexcept;
  void begin_freeing(int window) noexcept;
  void begin_shrinking();
  // Who was to die in this round and has not.
  void end_round() noexcept;

  // --- What calls come to
  // An operation that needs `target` alone, or (any) the whole team.
  static constexpr int any = -1;
  void met(status outcome, const std::string& failure, int target);
  // A call that threw.
  void met(const error&);
  // Contents.
  void expect(bool right, const std::string& what);
  [[noreturn]] void judge(finding, const std::string& why);
  // An error that is not the right one.
  void blame(const std::string& why) noexcept { record().note_error(why); }
  [[nodiscard]] bool dying(int place) const noexcept;
  // Or any rank of the team. Who could not build it has no window to access either.
  [[nodiscard]] bool may_refuse(int place, int window) const noexcept;
  // Whether small operations of a window of this round gather.
  [[nodiscard]] bool gathers(int window) const noexcept {
    return common(200 + static_cast<std::uint64_t>(window)).one_in(3);
  }
  // Small operations begin on this window that travel many in a message, whether it gathers or not.
  void begin_stream(int window) noexcept { streams_ = window; }
  void end_stream() noexcept { streams_ = -1; }
  // Such are performed by any process of the target's node: they are lost with one that dies, and
  // refused by one that frees the window, as other operations are with the target itself.
  [[nodiscard]] bool may_be_lost(int place, int window) const noexcept;
  [[nodiscard]] rank_record& record() noexcept { return board_.of(me_); }

 private:
  [[nodiscard]] rank_record& record_of(int place) const noexcept;
  [[nodiscard]] bool may_perform(int other, int place, int window) const noexcept;
  [[nodiscard]] bool dies_in(moment when) const noexcept;
  void judge_text(const std::string& text);
  [[noreturn]] void die(manner how) noexcept;
  void die_after(std::uint64_t microseconds, manner how);

  fault_plan plan_;
  mapped_board& board_;
  int me_;
  int round_ = 0;
  int work_ = -1;
  std::uint64_t steps_of_work_ = 0;
  int streams_ = -1;
  team members_;
  std::unique_ptr<executioner> executioner_;
};

}  // namespace oriel::testing
