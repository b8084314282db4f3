// The phase that a container has open: all ranks open and end it together.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "oriel/detail/alike.hpp"
#include "oriel/detail/named_call.hpp"
#include "oriel/team.hpp"

namespace oriel::detail {

// `Kind`: an enumeration of at most seven phases. Threads: one at a time.
template <class Kind>
class common_phase {
 public:
  // `whose`: how every text begins: "hash_map 'counts': ".
  common_phase(const team& members, std::string whose)
      : members_(members), whose_(std::move(whose)) {}

  [[nodiscard]] const std::optional<Kind>& open() const noexcept { return open_; }
  // Collective. Throws rma_sync, on every rank, where one is open or the ranks open different ones.
  void enter(Kind kind) {
    const named_call here(whose_, "phase begin");
    const std::uint32_t mine = open_ ? 0x80u : 1u << static_cast<unsigned>(kind);
    const auto all = members_.allreduce(mine, atomic_op::bor);
    if (all != mine || open_)
      throw error(errc::rma_sync, whose_ + (all >= 0x80u ? "a phase is open already; end it first"
                                                         : "the ranks began different phases"));
    open_ = kind;
  }
  // The same, not collective, of a phase whose begin and end the ranks do not wait for.
  void enter_here(Kind kind) {
    if (open_) throw error(errc::rma_sync, whose_ + "a phase is open already; end it first");
    open_ = kind;
  }
  void leave_here() noexcept { open_.reset(); }
  // Collective. Throws rma_sync, on every rank, where one is open. `call`: "rehash()".
  void require_none(const char* call) const {
    const named_call here(whose_, call);
    fail_alike(members_, open_ ? errc::rma_sync : errc::success,
               whose_ + call + " in a phase of rank " + std::to_string(members_.me().value) +
                   "; end it first");
  }
  // Collective. Ends the phase, in which what this rank wrote has come to `flushed()`.
  template <class Flush>
  status leave(Flush flush) noexcept {
    if (!open_) return errc::rma_sync;
    const named_call here(whose_, "phase end");
    open_.reset();
    const status flushed = flush();
    const status met = members_.barrier();
    return flushed.ok() ? met : flushed;
  }

 private:
  team members_;
  std::string whose_;
  std::optional<Kind> open_;
};

}  // namespace oriel::detail
