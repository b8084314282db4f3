#include "win/construct/prepare_view.hpp"

#include "win/check/hidden_table.hpp"

namespace oriel::win {

void prepare_view(detail::window_core& core) {
  detail::session_state& session = core.group->session();
  detail::window_view& view = core.view;
  if (core.agreed.promised.has(assertion::attach))
    core.memory.own_entries.assign(static_cast<std::size_t>(core.ranks()), {detail::unmapped, 0});
  view.segments = core.memory.own_entries.empty()
                      ? core.shared<detail::segment_entry>(core.memory.layout.segments)
                      : core.memory.own_entries.data();
  if (core.agreed.watched && !core.agreed.bare) {
    view.segments = session.extension<hidden_table>().entries();
    core.hot.pending = 1;
  }
  view.atomics = view.segments;
  if (core.operations.gates) {
    if (core.agreed.plan.all_mapped)
      view.gates = core.operations.gates->view();
    else
      view.atomics = session.extension<hidden_table>().entries();
  }
  if (core.devices.memory != nullptr) core.hot.pending = 1;  // a flush waits for copies
  core.devices.stages = origins_may_be_on_device(core);
  view.runs = core.devices.stages ? session.extension<hidden_table>().entries() : view.segments;
  view.ops = &core.operations.table;
  view.core = &core;
  view.hot = &core.hot;
}

}  // namespace oriel::win
