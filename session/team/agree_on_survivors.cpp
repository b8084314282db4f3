// The agreement on the survivors of a team, and what they need to make a team of their own. All
// that may fail comes before the agreement, so that after it every rank can do its part alone.
#include <string>

#include "session/team/make_team.hpp"
#include "session/team/team_state.hpp"

namespace oriel::detail {
namespace {

[[noreturn]] void failed(const team_state& t, errc code, const std::string& why) {
  throw error(code, "rank " + std::to_string(t.me()) + ": shrink of a team of " +
                        std::to_string(t.size()) + ": " + why);
}

}  // namespace

void team_state::prepare(shrinking& s) {
  sync::published_result::content made;
  for (const int maker : node_members()) {
    if (maker != me_) {
      const errc e = collect(maker, s.id, made);
      if (e == errc::peer_failed) continue;
      if (e != errc::success)
        failed(*this, e,
               "rank " + std::to_string(maker) + " did not take part within ORIEL_TIMEOUT");
      break;
    }
    // Where there is no memory for it, the others of this node find that there is none.
    made.first =
        sessions::make_block(*this, node_members().size(), static_cast<std::size_t>(size())).block;
    offer(s.id, made);
    break;
  }
  s.block = made.first;
  s.prepared = true;
}

sessions::shrink_answer team_state::hold(shrinking& s, partition policy) {
  sessions::job& job = session_->job();
  const sessions::agreeing all{&where_,
                               me_,
                               shrinks_ + 1,
                               &watch_,
                               [this](int r) { return takes_part(r); },
                               [this, &job](int r) { return job.runs(world_rank(r)); },
                               [&job] { return job.estranged(); }};
  if (s.talk == nullptr && !all_on_node())
    s.talk = std::make_unique<sessions::conversation>(
        *job.messages(), s.id, board(), all,
        [&job, policy] { return policy == partition::larger_part && job.in_smaller_part(); });
  sessions::node_shrink_agreement on_node(board(), all);
  sessions::shrink_answer found;
  const errc e = sessions::agree(on_node, s.talk.get(), s.block != 0, found);
  if (e == errc::timed_out)
    failed(
        *this, e,
        "a rank that is alive did not take part within ORIEL_TIMEOUT; the others may still agree "
        "with this one, and a second call returns what they agreed");
  if (e == errc::success && !job.estranged()) return found;
  ++shrinks_;
  shrinking_.reset();
  failed(*this, errc::peer_failed,
         "the others " + (job.estranged() ? job.estrangement_in_words()
                                          : std::string("have declared this rank failed")));
}

team_state::agreed_survivors team_state::agree_on_survivors(partition policy) {
  if (session_->job().estranged())
    failed(*this, errc::peer_failed, "the others " + session_->job().estrangement_in_words());
  named_ = {.kind = collective::shrink};
  const sessions::collective_note noted(*this, named_, -1);
  // Survivors may have made different numbers of things since the death: this counts apart.
  if (!shrinking_) shrinking_.emplace(shrinking{id_of_next_shrink(), 0, false, nullptr});
  if (!shrinking_->prepared) prepare(*shrinking_);
  const auto [found, living] = hold(*shrinking_, policy);
  agreed_survivors result{{}, shrinking_->id, shrinking_->block};
  ++shrinks_;
  shrinking_.reset();
  for (int r = 0; found == sessions::verdict::agreed && r < size(); ++r)
    if (living[static_cast<std::size_t>(r)]) result.ranks.push_back(r);
  if (found == sessions::verdict::agreed) return result;
  sessions::give_up_block(*this, node_members(), result.block);
  if (found == sessions::verdict::unready)
    failed(*this, errc::no_mem, "some node has no memory for the collectives of the new team");
  failed(*this, errc::peer_failed,
         "most of the job is out of reach and not known to have died: it may go on without this "
         "part (partition::every_part lets each part go on)");
}

}  // namespace oriel::detail
