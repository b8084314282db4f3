// What the outside is shown of this process while it waits in a collective of a team, or in a call
// that is made of operations, as OpenSHMEM's: which one, and who has not come
// (session/node/node_memory.hpp, tools/info). Shown once the wait lasts, for
// as long as the note lives; where several threads wait, of the first.
#pragma once

#include <optional>

#include "session/node/node_memory.hpp"
#include "session/team/collective_call.hpp"
#include "sync/wait_note.hpp"

namespace oriel::detail {
class team_state;
}

namespace oriel::sessions {

class collective_note final : public sync::wait_note {
 public:
  // `awaited`: the rank of the team that is waited for, below 0 where that is not known; nothing
  // where the collective shows it.
  collective_note(const detail::team_state& team, const collective_call& call,
                  std::optional<int> awaited = std::nullopt) noexcept
      : collective_note(team, call, nullptr, awaited) {}
  // `name`: what the program has called, cut where it is longer than present_collective has room
  // for. It lives as long as the note.
  collective_note(const detail::team_state& team, const char* name, int awaited) noexcept
      : collective_note(team, none_, name, awaited) {}
  collective_note(const collective_note&) = delete;
  collective_note& operator=(const collective_note&) = delete;
  ~collective_note() {
    sync::note_of_this_thread = before_;
    if (shown_ != nullptr) [[unlikely]]
      hide();
  }

  void asleep(sync::clock::time_point began) noexcept override;
  // Steps of the collective: it may wait again.
  void ended(std::chrono::nanoseconds) noexcept override {}
  void tried_again() noexcept override {}

 private:
  static constexpr collective_call none_{};

  collective_note(const detail::team_state& team, const collective_call& call, const char* name,
                  std::optional<int> awaited) noexcept
      : team_(team),
        call_(call),
        name_(name),
        awaited_(awaited),
        before_(sync::note_of_this_thread) {
    sync::note_of_this_thread = this;
  }
  void hide() noexcept;

  const detail::team_state& team_;
  const collective_call& call_;
  const char* name_;  // null of a collective of oriel's own
  std::optional<int> awaited_;
  sync::wait_note* before_;
  present_collective* shown_ = nullptr;
};

}  // namespace oriel::sessions
