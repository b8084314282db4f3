// A queue's window and its phases, and the counters of this rank's part.
#pragma once

#include <cstdint>
#include <string>

#include "oriel/detail/agreed.hpp"
#include "oriel/detail/common_phase.hpp"
#include "oriel/detail/first_failure.hpp"
#include "oriel/queue/moves.hpp"
#include "oriel/queue/options.hpp"

namespace oriel::detail {

template <class T>
class queue_state {
 public:
  queue_state(const team& members, std::uint64_t capacity, const queue_options& options)
      : members_(members),
        whose_("queue '" + options.name + "': "),
        layout_(agreed_layout(capacity)),
        window_(queue_window::allocate(
            members, layout_.words(),
            {.name = options.name,
             // As of hash_map: ranks wait for what others have begun to write.
             .hints = {{"alloc_shared_noncontig", "true"},
                       {"mpi_minimum_memory_alignment", "64"},
                       {"oriel_adversary", "false"}},
             .ops = atomic_op::sum | atomic_op::replace | atomic_op::no_op})),
        epoch_(window_.lock_all()) {
    epoch_.opened().or_throw();
    for (int r = 0; r < members.size(); ++r) {
      const bool mapped = window_.any().view().segments[r].offset != unmapped;
      moves_.add_part(mapped ? window_.shared_query(rank{r}).base : nullptr);
    }
  }

  // --- Phases and what is between them: collective -----------------------------------------------
  void enter(queue_phase_kind kind) {
    if (kind == queue_phase_kind::mixed && !phase_.open()) mark_slots();
    phase_.enter(kind);
  }
  status leave() noexcept {
    if (!phase_.open()) return errc::rma_sync;
    const status left = phase_.leave([this] { return window_.flush_all(); });
    const status settled = settle();  // others go on, whatever has failed here
    return left.ok() ? settled : left;
  }
  void clear() {
    phase_.require_none("clear()");
    counter(queue_end::head) = counter(queue_end::tail) = 0;
    window_.sync().or_throw();
    members_.barrier().or_throw();
  }
  [[nodiscard]] std::uint64_t size() const {
    phase_.require_none("size()");
    return members_.allreduce(counter(queue_end::tail) - counter(queue_end::head), atomic_op::sum);
  }

  // --- Queries -----------------------------------------------------------------------------------
  [[nodiscard]] const team& members() const noexcept { return members_; }
  [[nodiscard]] queue_moves<T>& moves() noexcept { return moves_; }
  [[nodiscard]] const queue_layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const queue_window& window() const noexcept { return window_; }
  [[nodiscard]] std::string failure() const {
    const std::string own = failure_.text();
    return own.empty() ? window_.failure() : own;
  }

 private:
  // --- This rank's part --------------------------------------------------------------------------
  [[nodiscard]] std::uint64_t& counter(queue_end end) const noexcept {
    return window_.shared_query(members_.me()).base[queue_layout::counter_at(end)];
  }
  // Takes back what phases of one operation have claimed and not had.
  status settle() noexcept {
    const status s = window_.sync();
    std::uint64_t &head = counter(queue_end::head), &tail = counter(queue_end::tail);
    if (head > tail) head = tail;
    if (tail - head > layout_.capacity) tail = head + layout_.capacity;
    return s;
  }
  void mark_slots() {
    const std::uint64_t head = counter(queue_end::head), tail = counter(queue_end::tail);
    std::uint64_t* const part = window_.shared_query(members_.me()).base;
    for (std::uint64_t p = head; p < head + layout_.capacity; ++p)
      part[layout_.mark_at(p % layout_.capacity)] =
          queue_layout::mark_before(p < tail ? queue_end::head : queue_end::tail, p);
    window_.sync().or_throw();
  }

  // Throws, on every rank, where the ranks' arguments differ or there is no such queue.
  [[nodiscard]] queue_layout agreed_layout(std::uint64_t capacity) const {
    const named_call here(whose_, "construction");
    require_agreed(members_, capacity, [this](auto least, auto most) {
      return whose_ + "the ranks request parts of " + std::to_string(least) + " to " +
             std::to_string(most) + " elements; give all the same capacity";
    });
    const queue_layout layout{capacity, queue_elements<T>::words_of_element};
    if (!layout.valid())
      throw error(errc::arg, whose_ + "no queue has parts of " + std::to_string(capacity) +
                                 " elements; they have 1 at least, and 8 TiB at most");
    return layout;
  }

  team members_;
  std::string whose_;  // how the texts of failures begin
  queue_layout layout_;
  queue_window window_;
  epoch epoch_;
  first_failure failure_{whose_};
  queue_moves<T> moves_{window_, layout_, failure_};
  common_phase<queue_phase_kind> phase_{members_, whose_};
};

}  // namespace oriel::detail
