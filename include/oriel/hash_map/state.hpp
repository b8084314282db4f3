// A hash map's window, its phases, and what this rank may see of its part.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "oriel/detail/alike.hpp"
#include "oriel/detail/common_phase.hpp"
#include "oriel/detail/host_image.hpp"
#include "oriel/hash_map/agreement.hpp"
#include "oriel/hash_map/batches.hpp"
#include "oriel/hash_map/stream_meeting.hpp"
#include "oriel/hash_map/words.hpp"

namespace oriel::detail {

template <class Slot>
class hash_map_state {
 public:
  using key_image = typename Slot::key_image;
  using value_image = typename Slot::value_image;

  hash_map_state(const team& members, std::uint64_t expected, const hash_map_options& options)
      : members_(members),
        whose_("hash_map '" + options.name + "': "),
        shape_(agreed_shape(members, expected, options, Slot::packed)),
        loads_(host_loads(options.memory_kind)),
        window_(hash_map_window::allocate(
            members, part_words() + base_words(),
            loads_ ? hash_map_promise | assertion::node_load_store : hash_map_promise,
            // Large parts begin on a huge page, and every part on a line of devices.
            {.name = options.name,
             // Ranks wait for what others have begun to write, and that may not be held back.
             .hints = {{"alloc_shared_noncontig", "true"},
                       {"mpi_minimum_memory_alignment", "128"},
                       {"oriel_adversary", "false"}},
             .memory_kind = options.memory_kind,
             .ops = atomic_op::sum | atomic_op::replace | atomic_op::no_op})),
        epoch_(window_.lock_all()) {
    epoch_.opened().or_throw();
    for (int r = 0; r < members.size(); ++r) {
      const bool on_node = loads_ && window_.any().view().segments[r].offset != unmapped;
      batches_.add_part(on_node ? base(rank{r}) : nullptr);
    }
    try_atomics(window_, loads_, options.name, options.memory_kind);
    write_bases();
    if (loads_) batches_.serve_others();
    if (!options.memory_kind.empty())
      meeting_.emplace(members, options.name + " (streams)", options.memory_kind);
    clear();  // after which all serve
  }

  // --- Phases ------------------------------------------------------------------------------------
  void enter(phase_kind kind) { phase_.enter(kind); }
  void require_no_phase(const char* call) const { phase_.require_none(call); }
  status leave() noexcept {
    return phase_.leave([this] {
      const status flushed = window_.flush_all();
      const status met = meeting_ ? meeting_->outcome() : status{};
      return flushed.ok() ? met : flushed;
    });
  }
  // In the order of a stream. Throws rma_sync where a phase is open; unsupported_kind.
  void enter_on(phase_kind kind) {
    if (!meeting_) throw error(errc::unsupported_kind, whose_ + no_streams_words());
    phase_.enter_here(kind);
  }
  status leave_on(device_stream on) noexcept {
    phase_.leave_here();
    return meeting_->meet(on);
  }
  // Throws rma_sync unless no phase is open, or one in which no rank writes.
  void require_still(const char* call) const {
    const auto& open = phase_.open();
    if (open && *open != phase_kind::find_only)
      throw error(errc::rma_sync, whose_ + written_table_words(call, *open, members_.me().value));
  }

  // Collective. Requires: no rank works on the table.
  void clear() {
    if (phase_.open()) throw error(errc::rma_sync, whose_ + "cleared in a phase");
    const errc e = clear_bytes(base(members_.me()), part_words() * sizeof(std::uint64_t));
    fail_alike(members_, e,
               whose_ + "the device has not zeroed the part of rank " +
                   std::to_string(members_.me().value));
  }

  // --- Queries -----------------------------------------------------------------------------------
  // Calls each(slot) for the slots of this rank's part, each its words in memory of the host.
  template <class Each>
  void each_of_mine(Each each) {
    const std::uint64_t* at = base(members_.me());
    std::vector<std::uint64_t> copied(
        loads_ ? 0 : std::min<std::uint64_t>(part_words(), (1u << 14) * Slot::words));
    for (std::uint64_t i = 0; i < shape_.places(); ++i, at += Slot::words) {
      const std::uint64_t first = i * Slot::words;
      if (!loads_ && first % copied.size() == 0) {
        const std::size_t n = std::min(copied.size(), part_words() - first);
        window_.get(members_.me(), disp{first}, std::span(copied).first(n)).or_throw();
        window_.flush_local(members_.me()).or_throw();
        at = copied.data();
      }
      if (!shape_.is_dense() || i % places_of_line != 0) each(at);
    }
  }
  // Returns, for kernels of this rank, an array of the addresses of the parts. Throws rma_shared.
  [[nodiscard]] std::uint64_t* const* bases(phase_kind kind) {
    std::string missing;
    for (int r = 0; r < members_.size(); ++r)
      if (!window_.shared_query(rank{r}).reachable())
        missing += (missing.empty() ? "" : ", ") + std::to_string(r);
    if (!missing.empty())
      throw error(errc::rma_shared, whose_ + unreached_words(members_.me().value, missing));
    for (int r = 0; kind != phase_kind::find_only && r < members_.size(); ++r)
      if (const std::string why = window_.any().lacks_kernel_atomics(rank{r}); !why.empty())
        throw error(errc::rma_shared, whose_ + unlinked_words(members_.me().value, r, why));
    return reinterpret_cast<std::uint64_t* const*>(base(members_.me()) + part_words());
  }
  [[nodiscard]] std::uint64_t slots() const noexcept { return shape_.slots(); }
  [[nodiscard]] const std::string& whose() const noexcept { return whose_; }
  [[nodiscard]] const team& members() const noexcept { return members_; }
  [[nodiscard]] rank owner(std::uint64_t h) const noexcept { return batches_.owner(h); }
  [[nodiscard]] std::string explain() const { return window_.explain(); }
  [[gnu::cold]] errc refuse_sizes(std::size_t keys, std::size_t values,
                                  std::size_t flags) noexcept {
    return failure_.note(errc::count, different_sizes_words(keys, values, flags));
  }
  [[nodiscard]] std::string failure() const {
    const std::string own = failure_.text();
    if (!own.empty()) return own;
    const std::string of_streams = meeting_ ? meeting_->failure() : "";
    return of_streams.empty() ? window_.failure() : of_streams;
  }
  [[nodiscard]] hash_map_batches<Slot>& batches() noexcept { return batches_; }

 private:
  // The part of a rank, as this process has it mapped; the host may use it only where `loads_`.
  [[nodiscard]] std::uint64_t* base(rank r) const noexcept { return window_.shared_query(r).base; }
  [[nodiscard]] std::uint64_t part_words() const noexcept { return shape_.places() * Slot::words; }
  // Words for `bases` behind the slots, in memory that the rank's own kernels reach. None where
  // ranks of other nodes have parts, on which no kernel here can work.
  [[nodiscard]] std::uint64_t base_words() const noexcept {
    std::uint64_t on_node = 0;
    while (on_node < shape_.ranks && members_.on_node(rank{static_cast<std::int32_t>(on_node)}))
      ++on_node;
    return on_node == shape_.ranks ? on_node : 0;
  }
  void put_mine(std::uint64_t first, std::span<const std::uint64_t> words) {
    const rank me = members_.me();
    window_.put(me, disp{first}, words).or_throw();
    window_.flush(me).or_throw();
  }
  void write_bases() {
    if (base_words() == 0) return;
    std::vector<std::uint64_t> all;
    for (int r = 0; r < members_.size(); ++r)
      all.push_back(reinterpret_cast<std::uintptr_t>(base(rank{r})));
    put_mine(part_words(), all);
  }
  team members_;
  std::string whose_;  // how the texts of failures begin
  table_shape shape_;
  bool loads_;  // the host does, within its node
  first_failure failure_{whose_};
  // Before the window: others may call this process for as long as that exists.
  hash_map_batches<Slot> batches_{window_, shape_, failure_};
  hash_map_window window_;
  epoch epoch_;
  std::optional<stream_meeting> meeting_;  // where the table lies in memory of a kind
  common_phase<phase_kind> phase_{members_, whose_};
};

}  // namespace oriel::detail
