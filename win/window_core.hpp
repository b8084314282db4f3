// One window as one process holds it: what `any_window` points to. Built by construct.cpp; its
// operations are the functions in its table.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "oriel/detail/window_view.hpp"
#include "session/session_state.hpp"
#include "session/team/team_state.hpp"
#include "win/statistics/counters.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/trace/trace_place.hpp"
#include "win/window_devices.hpp"
#include "win/window_epochs.hpp"
#include "win/window_failure.hpp"
#include "win/window_memory.hpp"
#include "win/window_operations.hpp"
#include "win/window_routes.hpp"
#include "win/window_terms.hpp"

namespace oriel::win {
class adversary;
}

namespace oriel::detail {

class window_core {
 public:
  // First, where short instructions reach them: slots of a dozen of these lie in one line.
  window_view view;
  win::counters counts;
  std::shared_ptr<team_state> group;
  win::window_terms agreed;
  win::window_memory memory;
  win::window_epochs epochs;
  win::window_routes routes;
  win::window_devices devices;
  window_hot hot;
  win::window_operations operations;
  win::window_failure failure;
  win::wait_notes notes{*this};
  win::trace_place traced;
  std::shared_ptr<win::adversary> adversary;  // ORIEL_ADVERSARY

  [[nodiscard]] int me() const noexcept { return group->me(); }
  [[nodiscard]] int ranks() const noexcept { return group->size(); }
  [[nodiscard]] sessions::node_memory& node_memory() const noexcept {
    return group->session().memory();
  }
  template <class State>
  [[nodiscard]] State* shared(std::size_t part, std::size_t i = 0) const noexcept {
    return reinterpret_cast<State*>(node_memory().base() + memory.room.block() + part) + i;
  }
  [[nodiscard]] bool is_remote(rank r) const noexcept {
    return routes.remote != nullptr && !group->on_node(r.value);
  }
  // Whether an operation that has a request is given it: it outlives its call, or would gather with
  // others, and be complete with them, if it had none.
  [[nodiscard]] bool needs_request(rank r) const noexcept {
    const win::route& by = routes.to(r);
    return by.tracked || (gathers() && by.in_packets);
  }
  // Whether single operations travel in packets, where their routes may.
  [[nodiscard]] bool gathers() const noexcept {
    return agreed.aggregate && routes.packets != nullptr;
  }
  // Among the ranks of this node: where its part of the control block is.
  [[nodiscard]] std::size_t node_rank(rank r) const noexcept {
    // On one node the place is the rank, and the locks' hot path need not look it up.
    return static_cast<std::size_t>(routes.remote == nullptr ? r.value : group->node_rank(r.value));
  }
  [[nodiscard]] win::segment_book book(rank r) const noexcept {
    return {node_memory(), *shared<win::segment_book_state>(memory.layout.books, node_rank(r))};
  }
  // Memory of rank `r` as devices address it here; null when it is the host's, or another node's.
  [[nodiscard]] std::byte* on_device(rank r) const noexcept {
    return devices.memory == nullptr || is_remote(r) ? nullptr : devices.memory->at(node_rank(r));
  }
  // Of a rank of this node.
  [[nodiscard]] sync::group_lock_state& lock_word(int r) const noexcept {
    return *shared<sync::group_lock_state>(memory.layout.locks, node_rank(rank{r}));
  }
  // Of the window; the one of the node of rank 0 counts.
  [[nodiscard]] sync::group_lock_state& all_lock_word() const noexcept {
    return *shared<sync::group_lock_state>(memory.layout.all_lock);
  }
  [[nodiscard]] sync::notify_counter_state& counter(int r, std::size_t i) const noexcept {
    return *shared<sync::notify_counter_state>(memory.layout.notify,
                                               node_rank(rank{r}) * agreed.notify_counters + i);
  }
  [[nodiscard]] const segment_entry& shared_entry(rank r) const noexcept {
    return shared<segment_entry>(memory.layout.segments)[r.value];
  }

  // As this process sees it: its own private memory is mapped.
  [[nodiscard]] const segment_entry& seen_entry(rank r) const noexcept {
    return memory.own_entries.empty() ? shared_entry(r)
                                      : memory.own_entries[static_cast<std::size_t>(r.value)];
  }
  // What operations call that others are made of: these are held back, checked, and noted.
  [[nodiscard]] const operation_table& inner() const noexcept {
    return agreed.watched ? operations.unwatched : operations.table;
  }

  // Latches the first failure, notes it as the calling thread's last, and returns its code. `what`
  // continues "window 'x', rank 1: …".
  errc fail(errc code, const std::string& what) noexcept;
  // Latches the code of a failure, or success, which the caller will pass to fail(): for whoever
  // takes it from where other threads would find it.
  void latch(errc code) noexcept;
  void clear_failure() noexcept;
  // The latched code, for a call that returns it.
  [[nodiscard]] errc first_error() noexcept {
    const auto code = static_cast<errc>(hot.first_error.load(std::memory_order_relaxed));
    if (code != errc::success) [[unlikely]]
      failure.recall(code);
    return code;
  }
};

}  // namespace oriel::detail
