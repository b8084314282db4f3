// One team as one process holds it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oriel/detail/failure_note.hpp"
#include "oriel/errc.hpp"
#include "oriel/info.hpp"
#include "oriel/rank.hpp"
#include "session/session_state.hpp"
#include "session/team/collective_call.hpp"
#include "session/team/collective_note.hpp"
#include "session/team/collectives.hpp"
#include "session/team/conversation.hpp"
#include "session/team/job.hpp"
#include "session/team/placement.hpp"
#include "session/team/wide_collectives.hpp"
#include "sync/system.hpp"

namespace oriel::detail {

using sessions::collective;
using sessions::collective_call;

// Gives up when a member of a team has gone, or could not join when the team was made.
class team_watch final : public sessions::member_watch {
 public:
  using member_watch::member_watch;
  void know(const sessions::node_collectives& node, std::uint64_t id) noexcept {
    node_ = &node;
    id_ = id;
  }
  [[nodiscard]] bool any_failed() const noexcept override {
    return member_watch::any_failed() || lacks_a_member();
  }
  [[nodiscard]] bool any_failed_amid_call() const noexcept override {
    return member_watch::any_failed_amid_call() || lacks_a_member();
  }
  [[nodiscard]] bool lacks_a_member() const noexcept {
    const sessions::messenger* const way = job_->messages();
    return node_->any_stays_out() || (way != nullptr && way->any_stays_out(id_));
  }

 private:
  const sessions::node_collectives* node_ = nullptr;
  std::uint64_t id_ = 0;
};

class team_state {
 public:
  // `block`: of this node's part of the team, in node memory, of bytes_of_block() or more, which it
  // shares with the node's other ranks. `id`: the same on all of its ranks, and no other team's.
  team_state(std::shared_ptr<session_state> session, std::span<const int> world_ranks, int me,
             std::uint64_t block, std::uint64_t id);
  // For so many ranks on this node, of so many on all of `nodes`, or fewer.
  static std::size_t bytes_of_block(int on_node, int ranks, int nodes) noexcept;
  // The same for all ranks of the job, which are where the job is.
  static std::size_t bytes_of_block_of_all(int on_node, int ranks) noexcept;

  [[nodiscard]] int me() const noexcept { return me_; }
  [[nodiscard]] int size() const noexcept { return where_.size(); }
  [[nodiscard]] bool has(rank r) const noexcept { return r.value >= 0 && r.value < size(); }
  // The part of a refusal's text that names the ranks of the team.
  [[nodiscard]] std::string ranks_in_words() const {
    return "the team has ranks 0 to " + std::to_string(size() - 1);
  }
  [[nodiscard]] int world_rank(int r) const noexcept { return where_.world_rank(r); }
  [[nodiscard]] const sessions::placement& where() const noexcept { return where_; }
  [[nodiscard]] bool on_node(int r) const noexcept {
    return session_->job().on_my_node(world_rank(r));
  }
  [[nodiscard]] bool all_on_node() const noexcept { return where_.nodes() == 1; }
  // The ranks of this node, in order; the first of them leads.
  [[nodiscard]] std::span<const int> node_members() const noexcept {
    return where_.ranks_on(node_of(me_));
  }
  [[nodiscard]] int node_of(int r) const noexcept { return where_.node_of(r); }
  // Among the ranks of its node.
  [[nodiscard]] int node_rank(int r) const noexcept { return where_.node_rank(r); }
  [[nodiscard]] bool leads() const noexcept { return node_rank(me_) == 0; }
  // The world ranks of those that lead, by node.
  [[nodiscard]] std::vector<int> leaders() const;
  // The same, as ranks of this team.
  [[nodiscard]] std::vector<int> names_of_leaders() const;

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  // A name for the next thing that this team makes: the same on all ranks, since making is
  // collective.
  [[nodiscard]] std::uint64_t next_id() noexcept;
  // Returns an id for an object that some ranks of this team make without the others; one of them
  // calls this.
  [[nodiscard]] std::uint64_t next_id_of_my_own() noexcept;

  // This rank cannot join the team of `members` that is being made under `name`. Ranks of other
  // nodes may have seen it made, since a death is not noticed by all at once, and would wait for
  // this rank in the team's collectives: those fail now.
  void stay_out_of(std::uint64_t name, const std::vector<int>& members) noexcept;

  // Collectives. Each rank publishes its call: mismatched_collective, on all ranks, when these
  // differ. Once one has failed here all later ones do, with the same code: ranks leave a failed
  // one at different points, and their next ones would not match.
  errc barrier(collective_call call) noexcept {
    return unless_failed(call, [&] { return collectives_->barrier(call); });
  }
  errc allgather(collective_call call, const void* mine, std::size_t bytes, void* all) noexcept {
    return unless_failed(call, [&] { return collectives_->allgather(call, mine, bytes, all); });
  }
  errc broadcast(collective_call call, void* data, std::size_t bytes, int root) noexcept {
    return unless_failed(call, [&] { return collectives_->broadcast(call, data, bytes, root); });
  }
  // Merges one value of each rank into that of every rank: O(log nodes) messages, and no memory.
  template <class T>
  errc combine(collective_call call, T& value,
               sessions::collectives::merge_function merge) noexcept {
    static_assert(sizeof value <= sessions::collectives::longest_value);
    return unless_failed(call,
                         [&] { return collectives_->combine(call, &value, sizeof value, merge); });
  }
  // Among this node's ranks only; `root` is a place.
  errc node_broadcast(collective_call call, void* data, std::size_t bytes, int root) noexcept {
    return unless_failed(call,
                         [&] { return node_collectives_->broadcast(call, data, bytes, root); });
  }
  errc node_allgather(collective_call call, const void* mine, std::size_t bytes,
                      void* all) noexcept {
    return unless_failed(call,
                         [&] { return node_collectives_->allgather(call, mine, bytes, all); });
  }
  // What the first collective that failed here has come to; success while none has.
  [[nodiscard]] errc first_failure() const noexcept {
    return failed_.load(std::memory_order_relaxed);
  }
  // Why a collective has just failed here with `code`, for messages: "gone are rank 2, rank 5".
  [[nodiscard]] std::string reason(errc code) const;
  // While this rank waits in a collective: who has not come.
  [[nodiscard]] sessions::collectives::absentees absent() const noexcept {
    return collectives_->absent();
  }
  // The text of the last failure, with the team and the call; empty when none has failed.
  [[nodiscard]] std::string failure() const;
  // What this rank has made for those of its node in the collective `id`; and what rank `r` of this
  // node has: waits for it, peer_failed when `r` dies first.
  void offer(std::uint64_t id, const sync::published_result::content& made) noexcept {
    node_collectives_->made_by(node_rank(me_)).offer(id, made);
  }
  errc collect(int r, std::uint64_t id, sync::published_result::content& made);
  // Whether the rank is alive, by its kernel, and could join when the team was made.
  [[nodiscard]] bool takes_part(int r) noexcept;
  // The same in a collective that has failed with `code`. A rank publishes its result before the
  // collective can fail; but `r` may have called another one, and then there is none.
  void salvage(errc code, int r, std::uint64_t id, sync::published_result::content& made);

  // Collective over the ranks that are alive: which they are, agreed, in order; a name for what
  // they make; and the block of the collectives of those on this node. Throws as team::shrink.
  struct agreed_survivors {
    std::vector<int> ranks;
    std::uint64_t id = 0;
    std::uint64_t block = 0;
  };
  agreed_survivors agree_on_survivors(partition policy);

  [[nodiscard]] session_state& session() const noexcept { return *session_; }
  [[nodiscard]] const std::shared_ptr<session_state>& shared_session() const noexcept {
    return session_;
  }
  // Gives up when a member of this team has gone.
  [[nodiscard]] const sync::peer_watch& watch() const noexcept { return watch_; }
  // The same amid a call of all its members.
  [[nodiscard]] const sessions::call_watch& call_watch() const noexcept { return call_watch_; }
  // Never changed in place, so that windows may keep those of their construction.
  [[nodiscard]] const std::shared_ptr<const info>& hints() const noexcept { return hints_; }
  void replace_hints(std::shared_ptr<const info> hints) noexcept { hints_ = std::move(hints); }
  // Of rank `r`, that a call has given up on: "which has died", or whatever is known.
  [[nodiscard]] std::string fate_in_words(int r) const;

 private:
  // The members that have gone, for messages: "rank 2, rank 5". After peer_failed, and nothing
  // else: it looks for them for a while.
  [[nodiscard]] std::string gone() const;
  static std::uint64_t id_of(std::uint64_t name, int first_world_rank) noexcept;
  template <class Meet>
  errc unless_failed(collective_call& call, Meet meet) noexcept {
    if (failed_.load(std::memory_order_relaxed) != errc::success) [[unlikely]]
      return failed_before();
    if (session_->job().bereaved()) [[unlikely]]
      call.notes |= collective_call::bereaved;
    if (call.kind != collective::none) named_ = call;
    const sessions::collective_note noted(*this, named_);
    const errc e = meet();
    return e == errc::success ? e : failed_now(call, e);
  }
  errc failed_before() noexcept;
  errc failed_now(const collective_call&, errc) noexcept;
  [[nodiscard]] bool has_lost_members() const noexcept;
  [[nodiscard]] std::string what_became_of(int r) const;
  [[nodiscard]] sessions::different_calls different_calls_found() const noexcept;

  std::shared_ptr<session_state> session_;
  sessions::placement where_;
  int me_;
  std::uint64_t block_;
  std::uint64_t id_;
  std::uint64_t made_ = 0;
  team_watch watch_;
  sessions::call_watch call_watch_;
  std::shared_ptr<const info> hints_;
  std::unique_ptr<sessions::collectives> collectives_;
  sessions::node_collectives* node_collectives_ = nullptr;  // of this node's ranks, in the above
  collective_call named_;                    // what the steps of no kind of their own belong to
  std::atomic<errc> failed_{errc::success};  // of the first collective that failed
  mutable sync::mutex failure_mutex_;
  std::string failure_;
  const std::uint64_t notes_ = new_note_owner();
  // The agreement under way, kept where it timed out: the others may still complete it.
  struct shrinking {
    std::uint64_t id = 0;
    std::uint64_t block = 0;  // 0: there is no memory for it on this node
    bool prepared = false;
    std::unique_ptr<sessions::conversation> talk;  // null where all are on one node
  };
  [[nodiscard]] std::uint64_t id_of_next_shrink() const noexcept;
  // The block, made by the first living rank of this node, and found by the others.
  void prepare(shrinking&);
  sessions::shrink_answer hold(shrinking&, partition policy);
  [[nodiscard]] sessions::shrink_board board() const noexcept;
  std::optional<shrinking> shrinking_;
  std::uint32_t shrinks_ = 0;  // that have come to an end
  std::atomic<std::uint32_t> led_{0};
};

}  // namespace oriel::detail
