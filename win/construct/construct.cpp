// Construction in three steps, the third only where it is needed:
//   1. all gather the requests and abilities of every rank, and each reaches the same verdict;
//   2. on each node the first rank reserves the node's memory and broadcasts where it is, or why
//   not;
//   3. every rank prepares its own part, and all agree on the outcome.
#include "win/construct/construct.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "session/team/collective_attempt.hpp"
#include "transport/agent.hpp"
#include "win/construct/agree_with_all.hpp"
#include "win/construct/dismantle.hpp"
#include "win/construct/local_request.hpp"
#include "win/construct/prepare_devices.hpp"
#include "win/construct/prepare_view.hpp"
#include "win/construct/probe_peers.hpp"
#include "win/construct/segment_layout.hpp"
#include "win/serve/serve_mail.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {
namespace {

using detail::segment_entry;
using detail::window_core;

// What the first rank of a node has reserved there.
struct reserved {
  std::uint64_t block = 0;
  std::uint64_t memory = 0;
};
using sessions::attempt;
using sessions::outcome;

// Up to here the arena makes a block's pages itself; those of larger segments are reserved by their
// owners, for their placement, and left to be touched.
constexpr std::uint64_t made_by_rank_0 = 1u << 20;
constexpr std::uint64_t page = 4096;

class builder {
 public:
  builder(const team& t, const construction& c)
      : team_(t),
        asked_(c),
        group_(*t.state()),
        call_(construction_call(c.how)),
        // Its members set themselves; two kilobytes of zeros before that take time.
        core_(std::make_unique_for_overwrite<window_core>()) {}

  std::unique_ptr<window_core> run() {
    agree_all();
    plan();
    reserve();
    take_part();
    if (needs_third_step()) {
      outcome mine;
      exposed_ = true;
      attempt(mine, [&] { prepare_own_part(); });
      if (core_->plan.device) open_devices(mine);
      settle(mine);
      probe_peers(*core_, agreed_, mine_);
    }
    prepare_view(*core_);
    assemble(*core_);
    return std::move(core_);
  }

 private:
  [[nodiscard]] const construction_request& request(int r) const {
    return agreed_.request(group_, r);
  }
  [[noreturn]] void lost_a_peer(errc code) {
    clear_up_after_the_dead();
    cannot_construct(group_, asked_.options->name, code);
  }

  void agree_all() {
    id_ = group_.next_id();
    agreed_ = agree_with_all(group_, describe_locally(asked_, group_, mine_));
    core_->plan = agreed_.plan;
  }

  void plan() {
    window_core& core = *core_;
    core.group = team_.shared_state();
    core.view.base = core.node_memory().base();  // before others can have anything applied here
    core.id = id_;
    core.routes = route_table(group_.me());
    core.world_me = group_.world_rank(group_.me());
    core.watch = &group_.watch();
    core.name = std::string(request(0).window());
    core.base = asked_.base;
    core.extent = request(0).extent;
    core.promised = asked_.promised;
    core.ops = asked_.options->ops;
    // None without the promise, so that no request from another node can name one.
    core.notify_counters =
        core.promised.has(assertion::notify) ? asked_.options->notify_counters : 0;
    core.how = asked_.how;
    core.checked = group_.session().check();
    const bool one_thread = group_.session().threads() != thread_level::multiple;
    if (one_thread) core.epochs.assume_one_thread();
    // No other process accesses the target meanwhile. The threads of this one may share an epoch.
    if (one_thread && detail::exclusive_only(core.promised))
      core.arithmetic = atomics::kernel_mode::plain;
    core.bare = asked_.bare;
    core.asked_hints = asked_.options->hints;
    core.team_hints = group_.hints();
    if (asked_.base.contiguous() && asked_.base.base() != primitive::opaque &&
        asked_.base.size() == size_of(asked_.base.base()))
      core.element = asked_.base.base();

    control_needs need;
    need.promised = core.promised;
    need.ranks = group_.size();
    need.node_ranks = static_cast<int>(group_.node_members().size());
    need.remote = core.plan.remote;
    need.tickets = core.plan.remote && !fabric().keys_are_agreed();
    need.books = core.promised.has(assertion::attach) || core.plan.agent;
    need.agent = core.plan.agent;
    need.stripes = core.element == primitive::opaque || core.extent > 8 ||
                   core.promised.has(assertion::user_datatype) || asked_.how == flavor::create;
    need.checked = core.checked;
    need.device = core.plan.device;
    need.notify_counters = core.notify_counters;
    has_books_ = need.books;
    for (const construction_request& r : agreed_.requests)
      has_devices_ = has_devices_ || r.pinned || r.where == place::device_memory ||
                     r.where == place::managed_memory;
    has_stripes_ = need.stripes;
    core.layout = lay_out(need);
    // Where devices reach notification counters, whole pages are registered.
    core.block_bytes = has_devices_ ? round_up(core.layout.bytes, page) : core.layout.bytes;
    if (asked_.how == flavor::allocate)
      attempt(laid_out_, [&] { segments_ = lay_out_segments(agreed_, group_); });
  }

  void reserve() {
    sessions::led<reserved> led;
    auto& [how, made] = led;
    sessions::node_memory& memory = group_.session().memory();
    if (group_.leads()) {
      how = laid_out_;
      attempt(how, [&] {
        made.block = memory.allocate(core_->block_bytes, has_devices_ ? page : 128);
        if (segments_.bytes != 0)
          made.memory = memory.allocate(segments_.bytes, segments_.alignment,
                                        segments_.bytes <= made_by_rank_0);
        write_segments(made);
      });
      if (!how.ok() && made.block != 0) memory.release(made.block);
      if (!how.ok()) made = {};
      group_.offer(id_, {made.block, made.memory});
    }
    if (const errc e = sessions::share_with_node(group_, call_, led); e != errc::success) {
      // Somebody has died, but the first rank has come this far, and may have made something.
      sync::published_result::content found{made.block, made.memory};
      if (!group_.leads()) group_.salvage(e, group_.node_members().front(), id_, found);
      core_->block = found.first;
      core_->memory = found.second;
      lost_a_peer(e);
    }
    // With several nodes the others learn of it in the third step.
    if (!how.ok() && core_->plan.remote) settle(how);
    if (!how.ok()) all_fail(how);
    core_->block = made.block;
    core_->memory = made.memory;
  }

  void write_segments(const reserved& led) {
    auto* const table = reinterpret_cast<segment_entry*>(group_.session().memory().base() +
                                                         led.block + core_->layout.segments);
    for (int r = 0; r < group_.size(); ++r) table[r] = entry(r, led);
  }

  [[nodiscard]] segment_entry entry(int r, const reserved& led) const {
    const construction_request& q = request(r);
    if (!group_.on_node(r)) return {detail::unmapped, q.count};
    if (q.where == place::device_memory || q.where == place::managed_memory)
      return {detail::unmapped, q.count};
    if (asked_.how == flavor::allocate)
      // A rank without memory still has a base that may be compared and passed on.
      return {
          static_cast<std::int64_t>((segments_.bytes == 0 ? led.block : led.memory) + start_of(r)),
          q.count};
    if (q.where == place::node_memory) return {static_cast<std::int64_t>(q.offset), q.count};
    if (q.where == place::nowhere) return {static_cast<std::int64_t>(led.block), 0};
    if (group_.size() == 1)
      return {static_cast<std::byte*>(asked_.memory) - group_.session().memory().base(), q.count};
    return {detail::unmapped, q.count};
  }

  // Of the segment of a rank of this node, in the node's memory for this window.
  [[nodiscard]] std::uint64_t start_of(int r) const {
    return segments_.starts[static_cast<std::size_t>(group_.node_rank(r))];
  }
  [[nodiscard]] transport::fabric& fabric() const {
    return transport::fabric_of(group_.session().job());
  }

  void take_part() {
    window_core& core = *core_;
    const int node_rank = group_.node_rank(group_.me());
    const int node_ranks = static_cast<int>(group_.node_members().size());
    std::byte* const base = core.node_memory().base();
    const segment_entry& mine = core.shared_entry(rank{group_.me()});
    core.local_count = asked_.count;
    core.local = asked_.how == flavor::allocate ? base + mine.offset
                                                : static_cast<std::byte*>(asked_.memory);
    if (core.local == nullptr) core.local = base + mine.offset;
    const auto& watch = group_.watch();
    if (core.promised.has(assertion::fence))
      core.barrier.emplace(core.shared<std::byte>(core.layout.barrier), node_rank, node_ranks,
                           watch);
    if (core.promised.has(assertion::fence) && core.plan.remote && group_.leads())
      core.between.emplace(*group_.session().job().messages(), id_, group_.leaders(),
                           group_.names_of_leaders(), group_.node_of(group_.me()), watch);
    if (core.promised.has(assertion::pscw))
      core.pscw.emplace(core.shared<std::byte>(core.layout.pscw), node_rank, node_ranks, watch);
    if (has_stripes_)
      core.stripes.emplace(core.shared<std::byte>(core.layout.stripes),
                           group_.world_rank(group_.me()), watch);
    if (core.plan.agent)
      core.mailbox.emplace(core.shared<std::byte>(core.layout.mailboxes), mailbox_peers(),
                           node_rank, node_ranks);
    if (has_books_)
      core.own_book.emplace(
          core.node_memory(),
          *core.shared<segment_book_state>(core.layout.books, static_cast<std::size_t>(node_rank)),
          asked_.options->displacements_are_addresses && core.promised.has(assertion::attach));
  }

  [[nodiscard]] sync::mailbox_peers mailbox_peers() const {
    sessions::job& job = group_.session().job();
    const auto world = [&group = group_](int r) {
      return group.world_rank(group.node_members()[static_cast<std::size_t>(r)]);
    };
    return {&group_.watch(), [&job, world](int r) { return job.look(world(r)); },
            [&job, world](int r) -> sync::wait_word& { return job.doorbell(world(r)); }};
  }

  [[nodiscard]] bool needs_third_step() const {
    return has_books_ || has_devices_ || core_->plan.remote || segments_.bytes > made_by_rank_0;
  }

  void prepare_own_part() {
    window_core& core = *core_;
    prepare_devices(core, agreed_, mine_, asked_, segments_.bytes);
    if (segments_.bytes > made_by_rank_0 && mine_.where == place::node_memory)
      core.node_memory().reserve(core.memory + start_of(group_.me()), asked_.count * core.extent);
    if (core.plan.remote) {
      core.remote = std::make_unique<remote_window>(core, fabric(), id_, core.plan.remote_agent);
      if (!core.promised.has(assertion::attach))
        ticket_ = core.remote->expose(core.local, asked_.count * core.extent, mine_);
      core.remote->open();
    }
    if (!has_books_) return;
    const bool brings_memory = asked_.memory != nullptr || mine_.of_a_device();
    if (brings_memory && asked_.count != 0) {
      segment_record record;
      core.own_book->add(reinterpret_cast<std::uintptr_t>(core.local),
                         mine_.where == place::node_memory
                             ? static_cast<std::int64_t>(request(group_.me()).offset)
                             : detail::unmapped,
                         asked_.count, core.extent, record);
    }
    if (core.plan.agent)
      group_.session().extension<transport::agent>().add(&core, [&core] { serve_mail(core); });
  }

  // The neighbours' tickets are there once all of the node have prepared. Where one of them could
  // not, nobody opens anything, and settle() fails on every rank.
  void open_devices(outcome& mine) {
    std::vector<errc> on_node(group_.node_members().size());
    const errc e = group_.node_allgather(call_, &mine.code, sizeof mine.code, on_node.data());
    if (e != errc::success) lost_a_peer(e);
    if (std::all_of(on_node.begin(), on_node.end(), [](errc r) { return r == errc::success; }))
      attempt(mine, [&] { open_neighbours(*core_, agreed_); });
  }

  [[noreturn]] void all_fail(const outcome& all) {
    sessions::fail_alike("window '" + core_->name + "'", all);
  }

  void settle(outcome& all) {
    std::vector<remote_ticket> tickets;
    if (const errc e = sessions::collective_attempt(
            group_, call_, all,
            [&] {
              if (core_->layout.tickets != 0)
                tickets.resize(static_cast<std::size_t>(group_.size()));
            });
        e != errc::success)
      lost_a_peer(e);
    if (!all.ok()) {
      // Owners free what the others have closed; ranks without a device meet them too.
      if (core_->device != nullptr) core_->device->close();
      const bool met = !core_->plan.device || group_.barrier(call_) == errc::success;
      if (core_->block != 0 && met) depart(*core_);
      if (core_->block != 0 && !met) give_up_after_a_death(*core_);
      all_fail(all);
    }
    if (core_->layout.tickets != 0) share_tickets(ticket_, tickets);
  }

  // One copy a node; nobody uses it before all of the node have come to the end of this.
  void share_tickets(const remote_ticket& mine, std::vector<remote_ticket>& all) {
    if (const errc e = group_.allgather(call_, &mine, sizeof mine, all.data()); e != errc::success)
      lost_a_peer(e);
    if (group_.leads())
      std::copy(all.begin(), all.end(), core_->shared<remote_ticket>(core_->layout.tickets));
    char done = 0;
    if (const errc e = group_.node_broadcast(call_, &done, 1, 0); e != errc::success)
      lost_a_peer(e);
  }

  void clear_up_after_the_dead() {
    if (core_->group == nullptr || core_->block == 0) return;
    exposed_ ? give_up_after_a_death(*core_) : depart(*core_);
  }

  const team& team_;
  const construction& asked_;
  detail::team_state& group_;
  sessions::collective_call call_;
  std::unique_ptr<window_core> core_;
  own_memory mine_;
  agreed_requests agreed_;
  segment_layout segments_;  // of this node
  outcome laid_out_;         // nodes differ in it, so it travels with the reservation
  remote_ticket ticket_;     // how other nodes name this rank's memory
  std::uint64_t id_ = 0;
  bool has_books_ = false;
  bool has_stripes_ = false;
  bool has_devices_ = false;
  bool exposed_ =
      false;  // others may access this rank's part: every rank of the node knows the block
};

}  // namespace

std::unique_ptr<window_core> build(const team& t, const construction& c) {
  if (!t.valid()) throw error(errc::arg, "a window needs a team; this rank is in none");
  return builder(t, c).run();
}

}  // namespace oriel::win
