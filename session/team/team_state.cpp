#include "session/team/team_state.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "session/team/late_collectives.hpp"
#include "sync/limited_watch.hpp"

namespace oriel::detail {
namespace {

constexpr std::size_t whole_lines(std::size_t bytes) noexcept {
  return (bytes + 63) / 64 * 64;
}
// Behind the collectives of the team's ranks on this node.
std::size_t board_at(int on_node) noexcept {
  return whole_lines(sessions::node_collectives::bytes(on_node));
}
std::size_t placement_at(int on_node, int ranks) noexcept {
  return board_at(on_node) + whole_lines(sessions::shrink_board::bytes(on_node, ranks));
}

// A team of all ranks of the job, in order, is where the job is.
sessions::placement place(session_state& session, std::span<const int> world_ranks,
                          std::uint64_t block) {
  const sessions::job& job = session.job();
  if (std::ranges::equal(world_ranks, job.where().world_ranks())) return job.where();
  std::vector<int> nodes;
  nodes.reserve(world_ranks.size());
  for (const int r : world_ranks) nodes.push_back(job.node_of(r));
  const auto on_node = std::ranges::count_if(world_ranks, [&](int r) { return job.on_my_node(r); });
  std::byte* const at =
      session.memory().base() + block +
      placement_at(static_cast<int>(on_node), static_cast<int>(world_ranks.size()));
  return {at, world_ranks, nodes};
}

// splitmix64: names that differ stay apart.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// A connection that breaks is noticed sooner than the death that broke it is confirmed.
constexpr std::chrono::milliseconds until_known =
    sessions::liveness::settings::usual_grace + std::chrono::seconds(1);

}  // namespace

std::size_t team_state::bytes_of_block(int on_node, int ranks, int nodes) noexcept {
  return placement_at(on_node, ranks) + sessions::placement::bytes(ranks, nodes);
}

std::size_t team_state::bytes_of_block_of_all(int on_node, int ranks) noexcept {
  return placement_at(on_node, ranks);
}

sessions::shrink_board team_state::board() const noexcept {
  const int on_node = static_cast<int>(node_members().size());
  return {session_->memory().base() + block_ + board_at(on_node), on_node, size()};
}

team_state::team_state(std::shared_ptr<session_state> session, std::span<const int> world_ranks,
                       int me, std::uint64_t block, std::uint64_t id)
    : session_(std::move(session)),
      where_(place(*session_, world_ranks, block)),
      me_(me),
      block_(block),
      id_(id_of(id, world_rank(0))),
      watch_(session_->job(), where_, me),
      call_watch_(watch_),
      hints_(std::make_shared<const info>(session_->hints())) {
  std::vector<int> members;
  for (const int r : node_members()) members.push_back(session_->job().node_rank_of(world_rank(r)));
  auto node_part = std::make_unique<sessions::node_collectives>(
      session_->memory(), block, node_rank(me_), std::move(members), call_watch_);
  node_collectives_ = node_part.get();
  watch_.know(*node_part, id_);
  if (all_on_node()) {
    collectives_ = std::move(node_part);
  } else {
    std::unique_ptr<sessions::leader_exchange> between;
    if (leads())
      between = std::make_unique<sessions::leader_exchange>(*session_->job().messages(), id_,
                                                            leaders(), names_of_leaders(),
                                                            node_of(me_), call_watch_);
    collectives_ = std::make_unique<sessions::wide_collectives>(where_, me_, std::move(node_part),
                                                                std::move(between));
  }
  if (const std::uint64_t seed = session_->adversary(); seed != 0)
    collectives_ = std::make_unique<sessions::late_collectives>(std::move(collectives_), seed,
                                                                world_rank(me_), id_);
}

std::uint64_t team_state::id_of(std::uint64_t name, int first_world_rank) noexcept {
  return mix(name, static_cast<std::uint64_t>(first_world_rank));
}

void team_state::stay_out_of(std::uint64_t name, const std::vector<int>& members) noexcept {
  sessions::messenger* const way = session_->job().messages();
  if (way == nullptr || members.empty()) return;
  const sessions::message_tag tag{id_of(name, world_rank(members.front())),
                                  sessions::message_tag::not_joining, 0};
  constexpr std::byte nothing{};
  for (const int r : members)
    if (r != me_) static_cast<void>(way->send(world_rank(r), tag, {&nothing, 1}));
}

std::vector<int> team_state::leaders() const {
  std::vector<int> world;
  for (const int r : names_of_leaders()) world.push_back(world_rank(r));
  return world;
}

std::vector<int> team_state::names_of_leaders() const {
  std::vector<int> names;
  names.reserve(static_cast<std::size_t>(where_.nodes()));
  for (int node = 0; node < where_.nodes(); ++node) names.push_back(where_.ranks_on(node).front());
  return names;
}

std::uint64_t team_state::next_id() noexcept {
  return mix(id_, ++made_);
}

std::uint64_t team_state::next_id_of_my_own() noexcept {
  return mix(~id_, static_cast<std::uint64_t>(me_ + 1) << 32 | ++led_);
}

std::uint64_t team_state::id_of_next_shrink() const noexcept {
  return mix(~id_, shrinks_ + 1);
}

bool team_state::takes_part(int r) noexcept {
  const sessions::messenger* const way = session_->job().messages();
  return session_->job().look(world_rank(r)) &&
         !(on_node(r) && node_collectives_->stays_out(node_rank(r))) &&
         !(way != nullptr && way->stays_out(id_, world_rank(r)));
}

errc team_state::collect(int r, std::uint64_t id, sync::published_result::content& made) {
  const sync::conditional_watch maker(watch_, [this, r] { return !takes_part(r); });
  const sessions::collective_note noted(*this, named_, r);
  return node_collectives_->made_by(node_rank(r)).collect(id, maker, made);
}

void team_state::salvage(errc code, int r, std::uint64_t id,
                         sync::published_result::content& made) {
  // All had come.
  if (code == errc::mismatched_collective) {
    static_cast<void>(node_collectives_->made_by(node_rank(r)).find(id, made));
    return;
  }
  const sessions::rank_watch alive(session_->job(), world_rank(r));
  const sync::limited_watch maker(alive, until_known);
  static_cast<void>(node_collectives_->made_by(node_rank(r)).collect(id, maker, made));
}

errc team_state::failed_before() noexcept {
  const errc code = failed_.load(std::memory_order_relaxed);
  const std::lock_guard hold(failure_mutex_);
  recall_failure(notes_, code, failure_);
  return code;
}

errc team_state::failed_now(const collective_call& call, errc code) noexcept {
  // Ranks that have detected a death make other calls than those that have not.
  if (code == errc::mismatched_collective && has_lost_members()) code = errc::peer_failed;
  if (code == errc::peer_failed) session_->job().note_bereaved();
  if (code != errc::no_mem) failed_.store(code, std::memory_order_relaxed);
  try {
    const std::string text = "team of " + std::to_string(size()) + ", rank " + std::to_string(me_) +
                             ": " + describe(call) + ": " + reason(code) + " [" +
                             std::string(name(code)) + "]";
    const std::lock_guard hold(failure_mutex_);
    failure_ = text;
    note_failure(notes_, code, text);
    if (session_->check() && sessions::is_misuse(code)) session_->found().report(text);
  } catch (const std::exception&) {
    // The code is kept; only its text is lost.
  }
  return code;
}

// Of this node at once; of others a while after some rank has received the news.
bool team_state::has_lost_members() const noexcept {
  const sessions::job& job = session_->job();
  // A rank that has closed its session may have done so after this very call.
  const auto known = [&] {
    return watch_.lacks_a_member() || std::ranges::any_of(where_.world_ranks(), [&](int r) {
             const sessions::fate f = job.fate_of(r);
             return is_gone(f) && f != sessions::fate::left;
           });
  };
  if (known()) return true;
  if (all_on_node()) return false;
  if (collectives_->found().bereaved == 0 && !job.bereaved()) return false;
  const auto until = sync::clock::now() + until_known;
  while (sync::clock::now() < until) {
    sync::sleep_for(sync::wait_ladder::shortest_sleep);
    if (known()) return true;
  }
  return false;
}

std::string team_state::reason(errc code) const {
  switch (code) {
    case errc::peer_failed: {
      const std::string list = gone();
      if (watch_.lacks_a_member()) return "a rank could not join when the team was made";
      return list.empty() ? "the connection to a rank has ended" : "gone are " + list;
    }
    case errc::timed_out: {
      const int awaited = collectives_->awaited();
      return (awaited < 0 ? "a rank" : "rank " + std::to_string(awaited)) +
             ", alive, did not come within ORIEL_TIMEOUT";
    }
    case errc::mismatched_collective:
      return describe(different_calls_found());
    case errc::no_mem:
      return "a rank has no memory for it";
    default:
      return std::string(name(code));
  }
}

sessions::different_calls team_state::different_calls_found() const noexcept {
  if (all_on_node() || collectives_->found().found()) return collectives_->found();
  return node_collectives_->found().named(node_members());
}

std::string team_state::failure() const {
  const std::lock_guard hold(failure_mutex_);
  return failure_;
}

// " (has died)"; empty where one text for all follows.
std::string team_state::what_became_of(int r) const {
  const sessions::job& job = session_->job();
  const int world = world_rank(r);
  return job.fate_of(world) == sessions::fate::estranged ? ""
                                                         : " (" + job.fate_in_words(world) + ")";
}

std::string team_state::fate_in_words(int r) const {
  const sessions::job& job = session_->job();
  return job.fate_of(world_rank(r)) == sessions::fate::here
             ? "to which the connection has ended"
             : "which " + job.fate_in_words(world_rank(r));
}

std::string team_state::gone() const {
  const auto until = sync::clock::now() + until_known;
  for (;;) {
    std::string list;
    for (int r = 0; r < size(); ++r)
      if (!session_->job().alive(world_rank(r)))
        list += (list.empty() ? "rank " : ", rank ") + std::to_string(r) + what_became_of(r);
    if (session_->job().estranged()) list += ", which " + session_->job().estrangement_in_words();
    if (!list.empty() || watch_.lacks_a_member() || sync::clock::now() > until) return list;
    watch_.progress();
    static_cast<void>(watch_.any_failed());
    sync::sleep_for(sync::wait_ladder::shortest_sleep);
  }
}

}  // namespace oriel::detail
