#include "mpi/mpi_window.hpp"

#include <limits>
#include <utility>

#include "mpi/host.hpp"
#include "win/window_core.hpp"

namespace oriel::mpi {
namespace {

thread_local mpi_window* ending = nullptr;

counted_words counted_of(detail::window_core& core) noexcept {
  switch (core.agreed.counted) {
    case win::counting::off:
      break;
    case win::counting::by_process:
      return {.of_process = core.counts.make_words(core)};
    case win::counting::by_thread:
      return {.by_thread = &core.counts};
  }
  return {};
}

servers servers_of(const any_window& any) {
  const detail::window_core& core = *any.view().core;
  detail::session_state& session = core.group->session();
  servers needed;
  if (core.agreed.plan.agent) needed.on_node = &session.extension<transport::agent>();
  if (core.agreed.plan.remote) needed.remote = session.job().messages();
  return needed;
}

}  // namespace

mpi_window::mpi_window(any_window&& made, MPI_Win win, int how,
                       const std::vector<rank_memory>& memory)
    : face{std::move(made)},
      handle(win),
      counted(counted_of(*any.view().core)),
      flavor(how),
      ranks_(static_cast<int>(memory.size())),
      targets_(new target_entry[memory.size()]),
      service_(servers_of(any)) {
  const detail::window_view& view = any.view();
  const detail::window_core& core = *view.core;
  const bool dynamic = flavor == MPI_WIN_FLAVOR_DYNAMIC;
  if (core.operations.gates) gates = core.operations.gates->view();
  for (int r = 0; r < ranks_; ++r) {
    target_entry& t = targets_[r];
    if (core.group->on_node(r)) t.gate = static_cast<std::uint16_t>(core.node_rank(rank{r}));
    t.others = r != core.me();
    t.unit = static_cast<std::uint32_t>(memory[static_cast<std::size_t>(r)].unit);
    if (dynamic) {
      t.bytes = std::numeric_limits<std::uint64_t>::max();
      continue;
    }
    t.bytes = static_cast<std::uint64_t>(memory[static_cast<std::size_t>(r)].bytes);
    // The route knows where the memory is; the window's tables, which of its own inlined operations
    // go there: none where they are checked, say.
    win::target memory_of;
    const auto at = [&](const detail::segment_entry* entries) -> std::byte* {
      const bool goes = entries[r].offset != detail::unmapped &&
                        core.routes.to(rank{r}).find(core, rank{r}, disp{0}, 0, memory_of);
      return goes ? memory_of.mapped : nullptr;
    };
    t.mapped = at(view.runs);
    t.atomics = at(view.segments);
  }
}

mpi_window::~mpi_window() {
  MPI_Win last = handle;  // which stays the name to be found by
  ending = this;          // what the program's callbacks for attributes ask
  ORIEL_HOST(Win_free)(&last);
  ending = nullptr;
  if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
  static_cast<void>(any.free());
}

mpi_window* find_window_or_ending(MPI_Win win) noexcept {
  if (auto* const w = find_window(win)) return w;
  return ending != nullptr && ending->handle == win ? ending : nullptr;
}

}  // namespace oriel::mpi
