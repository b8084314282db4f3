// One window as one process holds it: what `any_window` points to. Built by construct.cpp; its
// operations are the functions in its table.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "atomics/kernels.hpp"
#include "oriel/any_window.hpp"
#include "oriel/detail/failure_note.hpp"
#include "session/session_state.hpp"
#include "session/team/leader_exchange.hpp"
#include "session/team/team_state.hpp"
#include "sync/barrier.hpp"
#include "sync/mailbox.hpp"
#include "sync/pscw.hpp"
#include "win/construct/control_block.hpp"
#include "win/construct/reservation.hpp"
#include "win/construct/window_plan.hpp"
#include "win/device_window.hpp"
#include "win/epoch_state.hpp"
#include "win/kernel_access.hpp"
#include "win/route/origin_staging.hpp"
#include "win/route/remote_window.hpp"
#include "win/route/route_table.hpp"
#include "win/segment_book.hpp"

namespace oriel::detail {

class window_core {
 public:
  // --- Agreed at construction, constant afterwards
  std::shared_ptr<team_state> group;
  std::uint64_t id = 0;  // the same on all ranks, and no other window's
  std::string name;
  datatype base;
  std::size_t extent = 0;                 // bytes from one element to the next
  primitive element = primitive::opaque;  // when the base is a single one
  assertion_set promised;
  op_set ops;
  // How this process does the atomics of mapped memory, and the loops that do so, by element type.
  atomics::kernel_mode arithmetic = atomics::kernel_mode::atomic;
  std::array<const atomics::kernel_row*, primitive_count> kernel_rows{};
  std::array<atomics::compare_swap_fn, primitive_count> swap_kernels{};
  std::size_t notify_counters = 0;
  // hints_in_force() makes of these what the window reports, when it is called.
  info asked_hints;
  std::shared_ptr<const info> team_hints;
  win::flavor how = win::flavor::allocate;
  win::window_plan plan;
  bool checked = false;
  int world_me = 0;                         // this rank in the session's world
  const sync::peer_watch* watch = nullptr;  // gives up when a member of the team has gone
  bool stages = false;  // origins may lie in memory that the host cannot load and store
  bool bare = false;  // the caller's loads and stores call nothing: ORIEL_CHECK=1 does not see them

  // --- Memory
  win::reservation room;  // in the node's memory: the control block, and the segments of allocate
  std::uint64_t block_bytes = 0;  // of the former
  win::control_layout layout;
  std::byte* local = nullptr;
  std::uint64_t local_count = 0;
  // When not all is mapped, by rank: this process's own table, since only it knows its private
  // memory.
  std::vector<segment_entry> own_entries;
  win::route_table routes;

  // --- What the promises need
  win::epoch_state epochs;
  std::optional<sync::node_barrier> barrier;         // of this node's ranks
  std::optional<sessions::leader_exchange> between;  // of the nodes, on the rank that leads
  std::optional<sync::pscw> pscw;
  std::optional<sync::mailbox> mailbox;
  std::optional<win::segment_book_owner> own_book;
  std::optional<atomics::stripes> stripes;
  std::unique_ptr<win::remote_window> remote;  // when some ranks are on other nodes
  std::unique_ptr<win::device_window> device;  // when memory of this node is a device's, or managed
  std::unique_ptr<win::pinned_memory> pinned;  // when devices reach the node's memory
  std::unique_ptr<win::origin_staging> staging;  // made when it is first needed
  std::mutex late_mutex;                         // for what is made after construction
  std::unique_ptr<win::kernel_access> kernels;   // once a kernel's view has been made
  std::vector<rank> started;                     // the targets of the open access epoch (start)
  std::atomic<bool> fence_open{false};
  std::atomic<std::uint32_t> fences{0};
  // Of the first fence at which the ranks did not meet: after it they are out of step for good.
  std::atomic<errc> fences_failed{errc::success};
  // ORIEL_CHECK: what the node's ranks have accessed up to this time of the shadow log is ordered
  // before what this process does next.
  std::atomic<std::uint64_t> ordered{0};

  // --- Hot
  window_hot hot;
  // Filled by assemble(), the last two where others call them.
  operation_table table;
  operation_table unstaged;    // what operations on origins in device memory call
  operation_table unchecked;   // what the checked operations call
  operation_table unreported;  // what those call that report what is found
  window_view view;

  [[nodiscard]] int me() const noexcept { return group->me(); }
  [[nodiscard]] int ranks() const noexcept { return group->size(); }
  [[nodiscard]] sessions::node_memory& node_memory() const noexcept {
    return group->session().memory();
  }
  template <class State>
  [[nodiscard]] State* shared(std::size_t part, std::size_t i = 0) const noexcept {
    return reinterpret_cast<State*>(node_memory().base() + room.block() + part) + i;
  }
  [[nodiscard]] bool is_remote(rank r) const noexcept {
    return remote != nullptr && !group->on_node(r.value);
  }
  // Among the ranks of this node: where its part of the control block is.
  [[nodiscard]] std::size_t node_rank(rank r) const noexcept {
    // On one node the place is the rank, and the locks' hot path need not look it up.
    return static_cast<std::size_t>(remote == nullptr ? r.value : group->node_rank(r.value));
  }
  [[nodiscard]] win::segment_book book(rank r) const noexcept {
    return {node_memory(), *shared<win::segment_book_state>(layout.books, node_rank(r))};
  }
  // Memory of rank `r` as devices address it here; null when it is the host's, or another node's.
  [[nodiscard]] std::byte* on_device(rank r) const noexcept {
    return device == nullptr || is_remote(r) ? nullptr : device->at(node_rank(r));
  }
  // Of a rank of this node.
  [[nodiscard]] sync::group_lock_state& lock_word(int r) const noexcept {
    return *shared<sync::group_lock_state>(layout.locks, node_rank(rank{r}));
  }
  // Of the window; the one of the node of rank 0 counts.
  [[nodiscard]] sync::group_lock_state& all_lock_word() const noexcept {
    return *shared<sync::group_lock_state>(layout.all_lock);
  }
  [[nodiscard]] sync::notify_counter_state& counter(int r, std::size_t i) const noexcept {
    return *shared<sync::notify_counter_state>(layout.notify,
                                               node_rank(rank{r}) * notify_counters + i);
  }
  [[nodiscard]] const segment_entry& shared_entry(rank r) const noexcept {
    return shared<segment_entry>(layout.segments)[r.value];
  }

  // As this process sees it: its own private memory is mapped.
  [[nodiscard]] const segment_entry& seen_entry(rank r) const noexcept {
    return own_entries.empty() ? shared_entry(r) : own_entries[static_cast<std::size_t>(r.value)];
  }
  // What operations call that have been checked, or that need no check.
  [[nodiscard]] const operation_table& inner() const noexcept {
    return checked ? unchecked : table;
  }

  // Latches the first failure, notes it as the calling thread's last, and returns its code. `what`
  // continues "window 'x', rank 1: …".
  errc fail(errc code, const std::string& what) noexcept;
  // As any_window's.
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] std::string first_failure() const;
  void clear_failure() noexcept;
  // The latched code, for a call that returns it.
  [[nodiscard]] errc first_error() noexcept {
    const auto code = static_cast<errc>(hot.first_error.load(std::memory_order_relaxed));
    if (code != errc::success) [[unlikely]]
      recall_first(code);
    return code;
  }

 private:
  void recall_first(errc code) noexcept;

  mutable std::mutex failure_mutex_;
  std::string failure_;
  std::atomic<std::uint64_t> notes_{new_note_owner()};  // whose the noted failures are
};

}  // namespace oriel::detail
