#include "win/construct/describe.hpp"

#include <string>

#include "session/bootstrap/environment.hpp"
#include "win/trace/trace_file.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

trace_place trace_of(const window_core& core) {
  if (!sessions::variable("ORIEL_TRACE")) return {};
  auto& file = core.group->session().extension<trace_file>();
  return file.is_open() ? trace_place{&file, file.add_window(core)} : trace_place{};
}

void write_down(const blueprint& b, window_core& core) {
  detail::team_state& group = b.group();
  core.group = b.members.shared_state();
  core.view.base = core.node_memory().base();  // before others can have anything applied here
  core.agreed.plan = b.window();
  core.agreed.id = b.id;
  core.routes = route_table(group.me());
  core.counts.me = group.me();
  core.epochs.world_me = group.world_rank(group.me());
  core.epochs.watch = &group.watch();
  core.agreed.name = std::string(b.request(0).window());
  core.agreed.base = b.asked.base;
  core.agreed.extent = b.request(0).extent;
  core.agreed.element = b.element;
  core.agreed.promised = b.asked.promised;
  core.agreed.ops = b.asked.options->ops;
  core.agreed.notify_counters = b.notify_counters;
  core.agreed.how = b.asked.how;
  core.agreed.checked = group.session().check();
  core.traced = trace_of(core);
  core.agreed.watched =
      core.agreed.checked || core.traced.file != nullptr || group.session().adversary() != 0;
  core.agreed.bare = b.asked.bare;
  core.agreed.asked_hints = b.asked.options->hints;
  core.agreed.team_hints = group.hints();
  core.memory.layout = b.layout;
  core.memory.control_bytes = b.block_bytes;
  core.memory.moves_private = b.mine.moves_private;
  core.memory.why_private = b.mine.why_private;
  // What kernels and streams request is done by a thread of the library's, and in no epoch.
  const bool one_thread = group.session().threads() != thread_level::multiple && !b.devices;
  core.view.one_thread = one_thread;
  if (one_thread && core.agreed.counted != counting::off)
    core.agreed.counted = counting::by_process;
  if (one_thread) core.epochs.passive.assume_one_thread();
  // No other process accesses the target meanwhile. The threads of this one may share an epoch.
  if (one_thread && detail::exclusive_only(core.agreed.promised))
    core.operations.arithmetic = atomics::kernel_mode::plain;
}

// By rank of the node.
auto alive_on_node(detail::team_state& group) {
  return [&group](int r) {
    return group.session().job().look(
        group.world_rank(group.node_members()[static_cast<std::size_t>(r)]));
  };
}

sync::mailbox_peers mailbox_peers(detail::team_state& group) {
  sessions::job& job = group.session().job();
  const auto world = [&group](int r) {
    return group.world_rank(group.node_members()[static_cast<std::size_t>(r)]);
  };
  return {&group.watch(),
          alive_on_node(group),
          [&job, world](int r) -> sync::request_bell& { return job.bell(world(r)); },
          &job.expected_request(),
          &job.deaths(),
          [&job, world](int r) { return job.node_rank_of(world(r)); }};
}

void join_protocols(const blueprint& b, window_core& core) {
  detail::team_state& group = b.group();
  const int node_rank = group.node_rank(group.me());
  const int node_ranks = static_cast<int>(group.node_members().size());
  const auto& watch = group.watch();
  if (core.agreed.promised.has(assertion::fence))
    core.epochs.barrier.emplace(core.shared<std::byte>(core.memory.layout.barrier), node_rank,
                                node_ranks, group.call_watch());
  if (core.agreed.promised.has(assertion::fence) && core.agreed.plan.remote && group.leads())
    core.epochs.between.emplace(*group.session().job().messages(), b.id, group.leaders(),
                                group.names_of_leaders(), group.node_of(group.me()),
                                group.call_watch());
  if (core.agreed.promised.has(assertion::pscw))
    core.epochs.pscw.emplace(core.shared<std::byte>(core.memory.layout.pscw), node_rank, node_ranks,
                             watch);
  if (b.stripes)
    core.operations.stripes.emplace(core.shared<std::byte>(core.memory.layout.stripes),
                                    core.epochs.world_me, watch);
  if (b.gates)
    core.operations.gates.emplace(core.shared<std::byte>(core.memory.layout.gates), node_rank,
                                  node_ranks, watch, alive_on_node(group));
  if (core.agreed.plan.agent) {
    core.routes.mailbox.emplace(core.shared<std::byte>(core.memory.layout.mailboxes),
                                mailbox_peers(group), node_rank, node_ranks);
    core.routes.board.emplace(core.shared<std::byte>(core.memory.layout.packets),
                              mailbox_peers(group), node_rank, node_ranks);
    core.routes.deferred = std::make_unique<deferred_operations>();
    core.routes.prompt = std::make_unique<prompt_owners>(
        group.node_members().size(), group.session().extension<kernel_copy_time>());
    core.routes.room = &group.session().extension<request_room>();
  }
  // What is there for good; buffers are attached and detached.
  const bool attaches = core.agreed.promised.has(assertion::attach);
  std::span<const std::byte> stays;
  if (b.asked.memory != nullptr && !attaches)
    stays = {static_cast<const std::byte*>(b.asked.memory), b.asked.count * core.agreed.extent};
  const bool brought = b.asked.how == flavor::create || attaches;
  if (brought && (core.agreed.plan.agent || core.agreed.plan.remote))
    core.memory.own_pages = std::make_unique<writable_pages>(stays);
  if (b.books)
    core.memory.own_book.emplace(core.node_memory(),
                                 *core.shared<segment_book_state>(
                                     core.memory.layout.books, static_cast<std::size_t>(node_rank)),
                                 b.asked.options->displacements_are_addresses &&
                                     core.agreed.promised.has(assertion::attach));
}

}  // namespace

void describe(const blueprint& b, window_core& core) {
  write_down(b, core);
  std::byte* const base = core.node_memory().base();
  const detail::segment_entry& mine = core.shared_entry(rank{core.me()});
  core.memory.local_count = b.asked.count;
  core.memory.local = b.asked.how == flavor::allocate ? base + mine.offset
                                                      : static_cast<std::byte*>(b.asked.memory);
  if (core.memory.local == nullptr) core.memory.local = base + mine.offset;
  join_protocols(b, core);
}

}  // namespace oriel::win
