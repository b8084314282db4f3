#include "win/construct/open.hpp"

#include <algorithm>

#include "session/team/collective_attempt.hpp"
#include "session/team/vector_clock.hpp"
#include "transport/agent.hpp"
#include "win/adversary/adversary.hpp"
#include "win/construct/describe.hpp"
#include "win/construct/dismantle.hpp"
#include "win/construct/prepare_devices.hpp"
#include "win/construct/prepare_view.hpp"
#include "win/construct/probe_peers.hpp"
#include "win/serve/serve_mail.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

void add_own_record(const blueprint& b, window_core& core) {
  const bool brings_memory = b.asked.memory != nullptr || b.mine.of_a_device();
  if (!brings_memory || b.asked.count == 0) return;
  segment_record record;
  core.memory.own_book->add(reinterpret_cast<std::uintptr_t>(core.memory.local),
                            b.mine.where == place::node_memory
                                ? static_cast<std::int64_t>(b.request(core.me()).offset)
                                : detail::unmapped,
                            b.asked.count, core.agreed.extent, record);
  if (core.routes.remote != nullptr && !b.mine.of_a_device())
    core.routes.remote->expose_attached(record);
}

// What others reach this rank's memory by, and it theirs.
void expose(const blueprint& b, window_core& core, std::byte* allocated, opened& part) {
  prepare_devices(core, b.mine, allocated, b.segments.bytes);
  if (b.segments.bytes > made_by_first_rank && b.mine.where == place::node_memory)
    core.memory.local_huge = core.node_memory().reserve(
        core.memory.room.segments() + b.start_of(core.me()), b.asked.count * core.agreed.extent);
  if (core.agreed.plan.remote) {
    transport::fabric& fabric = transport::fabric_of(b.group().session().job());
    core.routes.remote =
        std::make_unique<remote_window>(core, fabric, b.id, core.agreed.plan.remote_agent);
    if (!core.agreed.promised.has(assertion::attach))
      part.ticket =
          core.routes.remote->expose(core.memory.local, b.asked.count * core.agreed.extent, b.mine);
    if (core.agreed.checked && b.group().session().job().size() <= sessions::vector_clock::widest)
      core.routes.checks = std::make_unique<far_checks>(core);
    core.routes.remote->open();
  } else if (core.agreed.plan.agent && !core.agreed.plan.device) {
    core.routes.packets = std::make_unique<packet_streams>(core, nullptr, nullptr);
  }
  if (b.books) add_own_record(b, core);
  if (core.agreed.plan.agent)
    b.group().session().extension<transport::agent>().add(&core,
                                                          [&core] { return serve_mail(core); });
  if (b.layout.tickets != 0) part.tickets.resize(static_cast<std::size_t>(core.ranks()));
}

// Operations of this process, which read all the rest.
void fill_operations(window_core& core) {
  prepare_view(core);
  core.adversary = adversary_of(core);
  assemble(core);
}

}  // namespace

unfinished_window::~unfinished_window() {
  if (core_ == nullptr) return;
  if (core_->devices.memory != nullptr) core_->devices.memory->close();
  detail::team_state& group = blueprint_->group();
  errc met = errc::success;
  // Owners free what the others have closed; ranks without a device, or room, meet them too.
  if (exposed_)
    met = blueprint_->window().device ? group.barrier(blueprint_->call()) : group.first_failure();
  if (!core_->memory.room.held()) return;
  met == errc::success ? depart(*core_) : give_up_after_a_death(*core_);
}

opened open(const blueprint& b, std::unique_ptr<window_core> empty, reserved room,
            tried_devices tried) {
  opened part{{b, std::move(empty)}, room.how, {}, {}};
  window_core& core = *part.window;
  core.devices.memory = tried.take();
  core.memory.room = std::move(room.room);
  if (!b.needs_settling()) {
    describe(b, core);
    fill_operations(core);
    return part;
  }
  part.window.expose();  // every rank of the node knows the blocks
  sessions::attempt(part.how, [&] { describe(b, core); });
  part.how.fail_as(tried.how);
  sessions::attempt(part.how, [&] { expose(b, core, tried.allocated, part); });
  sessions::attempt(part.how, [&] {
    probe_peers(core, b.agreed, b.mine);
    fill_operations(core);
  });
  return part;
}

}  // namespace oriel::win
