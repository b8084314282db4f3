// What is pushed to and popped from the parts of a queue's ranks, one element or a batch, by load
// and store where a part is mapped here, through the window elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oriel/detail/first_failure.hpp"
#include "oriel/hash_map/options.hpp"
#include "oriel/queue/elements.hpp"
#include "oriel/queue/part.hpp"

namespace oriel::detail {

template <class T>
class queue_moves {
  template <queue_end End>
  using values = std::span<queue_element<T, End>>;
  using elements = queue_elements<T>;

 public:
  // All outlive it.
  queue_moves(queue_window& window, const queue_layout& layout, first_failure& failure)
      : window_(window),
        layout_(layout),
        failure_(failure),
        me_(window.members().me()),
        next_(static_cast<std::uint32_t>(me_.value)) {}

  // Of the next rank; null: on another node, or reached through the window.
  void add_part(std::uint64_t* part) { parts_.push_back(part); }

  // Moves as many of `v` as there is room for, from the first on, to or from the part of rank `r`.
  // `Mixed`: others are at the part's other end meanwhile.
  template <queue_end End, bool Mixed>
  bulk_result move_at(rank r, values<End> v) noexcept {
    if (r.value < 0 || static_cast<std::size_t>(r.value) >= parts_.size()) [[unlikely]]
      return {0, refuse_rank(r)};
    if constexpr (Mixed) return move_among_others<End>(r, v);
    std::array<share, 1> one{share{r, v.size()}};
    return move_shares<End>(one, v);
  }
  // Likewise, wherever there is room: pushes are shared out evenly among the ranks, a first one of
  // which follows the other; pops begin with this rank's own part.
  template <queue_end End, bool Mixed>
  bulk_result move_anywhere(values<End> v) noexcept {
    const auto ranks = static_cast<std::uint32_t>(parts_.size());
    const std::uint32_t first = End == queue_end::head
                                    ? static_cast<std::uint32_t>(me_.value)
                                    : next_.fetch_add(1, std::memory_order_relaxed) % ranks;
    bulk_result result;
    std::array<share, most_shares> shares;
    for (std::uint32_t begun = 0; begun < ranks && result.count < v.size();) {
      std::uint32_t n = End == queue_end::head && begun == 0 ? 1 : most_shares;
      n = std::min(n, ranks - begun);
      for (std::uint32_t i = 0; i < n; ++i)
        shares[i].owner = rank{static_cast<std::int32_t>((first + begun + i) % ranks)};
      begun += n;
      result = moved_after(
          result, move_in<End, Mixed>(std::span(shares).first(n), v.subspan(result.count)));
      if (!result.outcome.ok()) break;
    }
    return result;
  }

 private:
  struct share {
    rank owner{};
    std::uint64_t n = 0;      // asked for; and then had
    std::uint64_t first = 0;  // position
  };
  static constexpr std::uint32_t most_shares = 64;
  static constexpr std::size_t most_listed = std::size_t{2} * most_shares;

  static void keep(bulk_result& result, status s) noexcept {
    if (result.outcome.ok()) result.outcome = s;
  }
  static bulk_result moved_after(const bulk_result& before, const bulk_result& more) noexcept {
    return {before.count + more.count, more.outcome};
  }

  // --- Where all work at one end: a sum on its counter claims positions for a whole batch. Where
  // there were not so many, it stands too far, and is set right when the phase ends. After a
  // failure the shares of ranks of this node are had all the same.
  template <queue_end End>
  status claim(std::span<share> shares) noexcept {
    constexpr queue_end other = End == queue_end::tail ? queue_end::head : queue_end::tail;
    std::array<rank, most_listed> owners;
    std::array<disp, most_listed> counters;
    std::array<std::uint64_t, most_listed> operands, before;
    std::size_t listed = 0;
    const auto have = [this](share& s, std::uint64_t at, std::uint64_t at_other) {
      s.first = at;
      s.n = std::min(s.n, layout_.room(End, at, at_other));
    };
    for (share& s : shares) {
      if (std::uint64_t* const part = part_of(s.owner)) {
        have(s, cpu_fetch_op<atomic_op::sum>(part + queue_layout::counter_at(End), s.n),
             near_words(part).load(queue_layout::counter_at(other)));
        continue;
      }
      for (const queue_end end : {End, other}) {
        owners[listed] = s.owner;
        counters[listed] = disp{queue_layout::counter_at(end)};
        operands[listed++] = end == End ? s.n : 0;
      }
    }
    if (listed == 0) return {};
    status done = window_.fetch_op(
        atomic_op::sum, std::span(owners).first(listed), std::span(counters).first(listed),
        std::span<const std::uint64_t>(operands).first(listed), std::span(before).first(listed));
    if (const status arrived = window_.flush_local_all(); done.ok()) done = arrived;
    std::size_t j = 0;
    for (share& s : shares) {
      if (part_of(s.owner) != nullptr) continue;
      if (done.ok())
        have(s, before[j], before[j + 1]);
      else
        s.n = 0;
      j += 2;
    }
    return done;
  }
  template <queue_end End>
  bulk_result move_shares(std::span<share> shares, values<End> v) noexcept {
    bulk_result result{0, claim<End>(shares)};
    bool far = false, all_moved = true;
    std::size_t at = 0;
    for (const share& s : shares) {
      if (s.n == 0) continue;
      far = far || part_of(s.owner) == nullptr;
      const status moved = move<End, false>(s.owner, s.first, v.subspan(at, s.n));
      keep(result, moved);
      at += s.n;
      all_moved = all_moved && moved.ok();
      if (all_moved) result.count = at;
    }
    if (far) keep(result, window_.flush_local_all());
    return result;
  }
  // Shares `v` out among the owners of `shares` until all of it has been moved, or none of them has
  // room.
  template <queue_end End, bool Mixed>
  bulk_result move_in(std::span<share> shares, values<End> v) noexcept {
    bulk_result result;
    while (!shares.empty() && result.count < v.size()) {
      const std::uint64_t left = v.size() - result.count;
      const std::uint64_t at_work = std::min<std::uint64_t>(shares.size(), left);
      std::array<std::uint64_t, most_shares> asked;
      for (std::uint64_t i = 0; i < at_work; ++i)
        asked[i] = shares[i].n = left / at_work + (i < left % at_work ? 1 : 0);
      const auto now = shares.first(at_work);
      if constexpr (Mixed) {
        for (share& s : now) {
          const bulk_result one = move_among_others<End>(s.owner, v.subspan(result.count, s.n));
          s.n = one.count;
          result = moved_after(result, one);
          if (!result.outcome.ok()) return result;
        }
      } else {
        result = moved_after(result, move_shares<End>(now, v.subspan(result.count)));
        if (!result.outcome.ok()) return result;
      }
      std::size_t roomy = 0;
      for (std::size_t i = 0; i < shares.size(); ++i)
        if (i >= at_work || shares[i].n == asked[i]) shares[roomy++] = shares[i];
      shares = shares.first(roomy);
    }
    return result;
  }

  // --- Where others are at the other end ---------------------------------------------------------
  template <queue_end End>
  bulk_result move_among_others(rank r, values<End> v) noexcept {
    if (std::uint64_t* const part = part_of(r)) [[likely]]
      return move_by<End>(queue_part(near_words(part), layout_), r, v);
    return move_by<End>(queue_part(far_words(window_, r), layout_), r, v);
  }
  template <queue_end End, class Part>
  bulk_result move_by(Part part, rank r, values<End> v) noexcept {
    bulk_result result;
    while (result.count < v.size()) {
      const queue_claim c = part.template claim<End>(v.size() - result.count);
      if (c.stalled) [[unlikely]]
        result.outcome = give_up(r);
      if (c.n == 0) break;
      result.outcome = move<End, true>(r, c.first, v.subspan(result.count, c.n));
      if (part_of(r) == nullptr) keep(result, window_.flush_local(r));
      if (!result.outcome.ok()) break;
      part.template publish<End>(c);
      if (part.words().failed()) break;
      result.count += c.n;
    }
    if constexpr (requires { part.words().failure(); }) keep(result, part.words().failure());
    return result;
  }

  template <queue_end End, bool Mixed>
  status move(rank r, std::uint64_t first, values<End> v) noexcept {
    status moved;
    layout_.each_run(first, v.size(), [&](auto slot, auto done, auto n) {
      if (std::uint64_t* const part = part_of(r)) [[likely]]
        elements::template move<End>(part, layout_, slot, v.data() + done, n);
      else if (moved.ok())
        moved = elements::template move<End, Mixed>(window_, r, layout_, slot, v.data() + done, n);
    });
    return moved;
  }

  [[nodiscard]] std::uint64_t* part_of(rank r) const noexcept {
    return parts_[static_cast<std::size_t>(r.value)];
  }
  [[gnu::cold]] errc refuse_rank(rank r) noexcept {
    return failure_.note(errc::rank, "rank " + std::to_string(r.value) +
                                         " has no part; there are " +
                                         std::to_string(parts_.size()) + " ranks");
  }
  [[gnu::cold]] errc give_up(rank r) noexcept {
    return failure_.note(errc::timed_out, "a slot of rank " + std::to_string(r.value) +
                                              " is held by a rank that does not finish; it may "
                                              "have died");
  }

  queue_window& window_;
  const queue_layout& layout_;
  first_failure& failure_;
  rank me_;
  std::vector<std::uint64_t*> parts_;  // by rank
  std::atomic<std::uint32_t> next_;    // the rank at which the next push to all begins
};

}  // namespace oriel::detail
