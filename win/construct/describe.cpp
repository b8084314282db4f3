#include "win/construct/describe.hpp"

#include <string>

namespace oriel::win {
namespace {

using detail::window_core;

void write_down(const blueprint& b, window_core& core) {
  detail::team_state& group = b.group();
  core.group = b.members.shared_state();
  core.view.base = core.node_memory().base();  // before others can have anything applied here
  core.plan = b.window();
  core.id = b.id;
  core.routes = route_table(group.me());
  core.world_me = group.world_rank(group.me());
  core.watch = &group.watch();
  core.name = std::string(b.request(0).window());
  core.base = b.asked.base;
  core.extent = b.request(0).extent;
  core.element = b.element;
  core.promised = b.asked.promised;
  core.ops = b.asked.options->ops;
  core.notify_counters = b.notify_counters;
  core.how = b.asked.how;
  core.checked = group.session().check();
  core.bare = b.asked.bare;
  core.asked_hints = b.asked.options->hints;
  core.team_hints = group.hints();
  core.layout = b.layout;
  core.block_bytes = b.block_bytes;
  const bool one_thread = group.session().threads() != thread_level::multiple;
  if (one_thread) core.epochs.assume_one_thread();
  // No other process accesses the target meanwhile. The threads of this one may share an epoch.
  if (one_thread && detail::exclusive_only(core.promised))
    core.arithmetic = atomics::kernel_mode::plain;
}

sync::mailbox_peers mailbox_peers(detail::team_state& group) {
  sessions::job& job = group.session().job();
  const auto world = [&group](int r) {
    return group.world_rank(group.node_members()[static_cast<std::size_t>(r)]);
  };
  return {&group.watch(), [&job, world](int r) { return job.look(world(r)); },
          [&job, world](int r) -> sync::wait_word& { return job.doorbell(world(r)); }};
}

void join_protocols(const blueprint& b, window_core& core) {
  detail::team_state& group = b.group();
  const int node_rank = group.node_rank(group.me());
  const int node_ranks = static_cast<int>(group.node_members().size());
  const auto& watch = group.watch();
  if (core.promised.has(assertion::fence))
    core.barrier.emplace(core.shared<std::byte>(core.layout.barrier), node_rank, node_ranks, watch);
  if (core.promised.has(assertion::fence) && core.plan.remote && group.leads())
    core.between.emplace(*group.session().job().messages(), b.id, group.leaders(),
                         group.names_of_leaders(), group.node_of(group.me()), watch);
  if (core.promised.has(assertion::pscw))
    core.pscw.emplace(core.shared<std::byte>(core.layout.pscw), node_rank, node_ranks, watch);
  if (b.stripes)
    core.stripes.emplace(core.shared<std::byte>(core.layout.stripes), core.world_me, watch);
  if (core.plan.agent)
    core.mailbox.emplace(core.shared<std::byte>(core.layout.mailboxes), mailbox_peers(group),
                         node_rank, node_ranks);
  if (b.books)
    core.own_book.emplace(
        core.node_memory(),
        *core.shared<segment_book_state>(core.layout.books, static_cast<std::size_t>(node_rank)),
        b.asked.options->displacements_are_addresses && core.promised.has(assertion::attach));
}

}  // namespace

void describe(const blueprint& b, window_core& core) {
  write_down(b, core);
  std::byte* const base = core.node_memory().base();
  const detail::segment_entry& mine = core.shared_entry(rank{core.me()});
  core.local_count = b.asked.count;
  core.local = b.asked.how == flavor::allocate ? base + mine.offset
                                               : static_cast<std::byte*>(b.asked.memory);
  if (core.local == nullptr) core.local = base + mine.offset;
  join_protocols(b, core);
}

}  // namespace oriel::win
