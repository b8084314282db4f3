// The agreement of ranks on several nodes on who of a team survives: each rank shrinks its team,
// and then what has come of it, several times, while ranks and whole nodes die at any step, or are
// given up by the others. shrink_oracle.hpp says what must hold.
//
// The ranks run session/team/conversation.*, shrink_agreement.*, shrink_board.* and shrink_text.*,
// and the inbox of transport/. Pretended are messages (shrink_mail.hpp), and who finds out about a
// death (shrink_fates.hpp). What else a session's shrink does, it does before the agreement or
// after.
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "session/team/conversation.hpp"
#include "session/team/placement.hpp"
#include "tests/sim/protocols/all.hpp"
#include "tests/sim/protocols/shrink_fates.hpp"
#include "tests/sim/protocols/shrink_mail.hpp"
#include "tests/sim/protocols/shrink_oracle.hpp"
#include "tests/sim/protocols/shrink_program.hpp"

namespace oriel::sim {
namespace {

// A team, which all of its ranks see alike: where they are, and a board a node.
class shrinking_team {
 public:
  // `number`: of this team alone.
  shrinking_team(scheduler& run, int number, std::vector<int> members, const program& p)
      : number_(number), members_(std::move(members)) {
    std::vector<int> nodes;
    for (const int r : members_) nodes.push_back(p.nodes[static_cast<std::size_t>(r)]);
    const int ranks = static_cast<int>(members_.size());
    room_.resize(sessions::placement::bytes(ranks, ranks) / sizeof(int));
    where_ = {reinterpret_cast<std::byte*>(room_.data()), members_, nodes};
    for (int node = 0; node < where_.nodes(); ++node)
      boards_.push_back(std::make_unique<shared_room>(
          run, sessions::shrink_board::bytes(on_node(node), ranks), "a node's board"));
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] const std::vector<int>& members() const noexcept { return members_; }
  [[nodiscard]] const sessions::placement& where() const noexcept { return where_; }
  [[nodiscard]] sessions::shrink_board board(int node) const {
    return {boards_[static_cast<std::size_t>(node)]->get(), on_node(node), where_.size()};
  }
  [[nodiscard]] int rank_of(int world) const noexcept {
    return static_cast<int>(std::find(members_.begin(), members_.end(), world) - members_.begin());
  }

 private:
  [[nodiscard]] int on_node(int node) const {
    return static_cast<int>(where_.ranks_on(node).size());
  }
  int number_;
  std::vector<int> members_;
  std::vector<int> room_;
  sessions::placement where_;
  std::vector<std::unique_ptr<shared_room>> boards_;
};

// How a rank waits in its session: it serves what arrives.
class shrinking_watch final : public simulated_watch {
 public:
  shrinking_watch(shrink_mail& mail, int me, int ranks,
                  std::optional<std::chrono::milliseconds> patience) noexcept
      : simulated_watch(me, ranks), mail_(mail), patience_(patience) {}
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return patience_;
  }
  [[nodiscard]] bool serves() const noexcept override { return true; }
  void progress() const noexcept override { mail_.progress(me_); }

 private:
  shrink_mail& mail_;
  std::optional<std::chrono::milliseconds> patience_;
};

class shrinks final : public scene {
 public:
  shrinks(scheduler& run, const program& p)
      : run_(run), program_(p), fates_(run, p), mail_(run, fates_, p) {
    std::vector<int> all;
    for (int r = 0; r < p.ranks; ++r) all.push_back(r);
    const shrinking_team& world = team_of(0, 0, all);
    for (int r = 0; r < p.ranks; ++r)
      run.start(r, "rank " + std::to_string(r), [this, r, &world] { shrink_often(r, world); });
  }

 private:
  void shrink_often(int me, const shrinking_team& world) {
    const shrinking_team* now = &world;
    std::uint32_t turn = 1;
    for (int k = 0; k < shrink_kind(program_).shrinks; ++k) {
      fates_.begins(me, k);
      for (const act& a : program_.acts)
        if (a.what == shrink_act::comes_late && a.rank == me && a.other == k)
          sync::sleep_for(std::chrono::milliseconds(a.n));
      const auto found = shrink(me, *now, turn, k);
      if (!found) return;
      if (found->found == sessions::verdict::agreed && !happens(shrink_act::of_the_same_team, k)) {
        std::vector<int> left;
        for (std::size_t i = 0; i < found->living.size(); ++i)
          if (found->living[i]) left.push_back(now->members()[i]);
        now = &team_of(now->number(), turn, left);
        turn = 1;
      } else {
        ++turn;
      }
    }
  }
  // Nothing where the others go on without this rank.
  std::optional<sessions::shrink_answer> shrink(int me, const shrinking_team& team,
                                                std::uint32_t turn, int k) {
    shrink_oracle& oracle = oracle_of(team, turn);
    std::optional<std::chrono::milliseconds> patience;
    for (const act& a : program_.acts)
      if (a.what == shrink_act::is_impatient && a.rank == me && a.other == k)
        patience = std::chrono::milliseconds(a.n);
    const shrinking_watch waits(mail_, me, program_.ranks, patience);
    const auto world = [&team](int r) { return team.where().world_rank(r); };
    const sessions::agreeing a{&team.where(),
                               team.rank_of(me),
                               turn,
                               &waits,
                               [&](int r) { return fates_.lives(me, world(r)); },
                               [&](int r) {
                                 run_.step("looks who runs");
                                 return fates_.runs(world(r));
                               },
                               [&] { return fates_.is_estranged(me); }};
    const sessions::shrink_board board = team.board(a.node());
    shrink_messenger way(mail_, me);
    std::unique_ptr<sessions::conversation> talk;
    if (team.where().nodes() > 1)
      talk = std::make_unique<sessions::conversation>(
          way, static_cast<std::uint64_t>(team.number()) << 32 | turn, board, a, [&, me, k] {
            fates_.does(me, shrink_act::moment::decides);
            const bool cut_off = happens(shrink_act::is_cut_off, k, me);
            if (cut_off) oracle.finds_itself_cut_off();
            return cut_off;
          });
    const bool ready = !happens(shrink_act::is_unready, k, me);
    fates_.does(me, shrink_act::moment::calls);
    oracle.calls(me, ready);
    sessions::shrink_answer found;
    errc e = errc::timed_out;
    while (e == errc::timed_out) {
      sessions::node_shrink_agreement on_node(board, a);
      e = agree(on_node, talk.get(), ready, found);
      if (fates_.is_estranged(me)) return std::nullopt;
      must(e != errc::timed_out || patience, "a shrink without a time-out times out");
    }
    must(e == errc::success || !fates_.survives(me), "shrink of rank " + std::to_string(me) +
                                                         " returned code " +
                                                         std::to_string(static_cast<int>(e)));
    if (e != errc::success) return std::nullopt;
    if (oracle.returns(me, found))
      for (const int r : team.members())
        if (r != me) fates_.does(r, shrink_act::moment::another_returns);
    return found;
  }
  // Whether an act says so of the shrink; of whichever rank, where that is -1.
  [[nodiscard]] bool happens(int what, int k, int rank = -1) const {
    return std::any_of(program_.acts.begin(), program_.acts.end(), [=](const act& a) {
      return a.what == what && a.other == k && (rank < 0 || a.rank == rank);
    });
  }
  // Made by the first that has it.
  shrinking_team& team_of(int of, std::uint32_t turn, const std::vector<int>& members) {
    auto& team = teams_[{of, turn, members}];
    if (team == nullptr)
      team = std::make_unique<shrinking_team>(run_, static_cast<int>(teams_.size()), members,
                                              program_);
    return *team;
  }
  shrink_oracle& oracle_of(const shrinking_team& team, std::uint32_t turn) {
    return oracles_.try_emplace({team.number(), turn}, run_, fates_, team.members()).first->second;
  }

  scheduler& run_;
  program program_;
  shrink_fates fates_;
  shrink_mail mail_;
  std::map<std::tuple<int, std::uint32_t, std::vector<int>>, std::unique_ptr<shrinking_team>>
      teams_;
  std::map<std::pair<int, std::uint32_t>, shrink_oracle> oracles_;
};

class of_shrink final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "shrink"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    return shrink_drawing(random, most_ranks).drawn();
  }
  [[nodiscard]] std::string in_words(const program&, const act& a) const override {
    return shrink_in_words(a);
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<shrinks>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_shrink() {
  return std::make_unique<of_shrink>();
}

}  // namespace oriel::sim
