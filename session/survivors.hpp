// Which ranks of a team are left, agreed among them: every rank that returns has the same answer,
// whoever dies meanwhile. Bounded by how soon deaths are noticed, once all that live take part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "oriel/errc.hpp"
#include "session/job.hpp"
#include "session/mesh.hpp"
#include "session/wait.hpp"

namespace oriel::boot {

// Gives up when `failed()` says so.
class conditional_watch final : public job_watch {
 public:
  conditional_watch(job& whole, std::function<bool()> failed)
      : job_watch(whole), failed_(std::move(failed)) {}
  [[nodiscard]] bool any_failed() const noexcept override { return failed_(); }

 private:
  std::function<bool()> failed_;
};

// The ranks of a team, as both ways below need them. `living` is by rank of the team.
struct agreeing {
  job* whole = nullptr;
  const std::vector<int>* world = nullptr;  // by rank
  int me = 0;
  std::uint32_t turn = 0;  // counts the agreements of this team, from 1

  [[nodiscard]] int size() const noexcept { return static_cast<int>(world->size()); }
  [[nodiscard]] bool look(int r) const noexcept {
    return whole->look((*world)[static_cast<std::size_t>(r)]);
  }
};

// All on one node: in shared memory, zeroed at first. Ranks sign in; when everyone has who lives,
// one of them writes down who did. Should it die while it writes, the next does.
class node_survivors {
 public:
  static std::size_t bytes(int ranks) noexcept;
  node_survivors(std::byte* block, int ranks) noexcept : block_(block), ranks_(ranks) {}
  // timed_out as the job's patience says.
  errc agree(const agreeing&, std::vector<bool>& living);

 private:
  struct head;
  [[nodiscard]] head& state() const noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& signed_in(int r) const noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& left(int r) const noexcept;

  std::byte* block_;
  int ranks_;
};

// On several nodes: the lowest rank that lives hears of all others and tells them the answer. When
// it dies the next one does. It asks again; those that have an answer repeat that to it, so there
// is only one. `group`: a name for the mesh's messages.
//
// Networks that fall apart leave one answer in each part.
errc agree_by_messages(mesh&, std::uint64_t group, const agreeing&, std::vector<bool>& living);

}  // namespace oriel::boot
