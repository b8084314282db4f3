// ORIEL_ADVERSARY=seed: the collectives of a team, which ranks come to late, and leave late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "session/adversary_choices.hpp"
#include "session/team/collectives.hpp"

namespace oriel::sessions {

class late_collectives final : public collectives {
 public:
  late_collectives(std::unique_ptr<collectives> in_time, std::uint64_t seed, int world_rank,
                   std::uint64_t team)
      : in_time_(std::move(in_time)), choices_(seed, world_rank, team) {}

  errc barrier(const collective_call& call) noexcept override {
    return late([&] { return in_time_->barrier(call); });
  }
  errc allgather(const collective_call& call, const void* mine, std::size_t bytes,
                 void* all) noexcept override {
    return late([&] { return in_time_->allgather(call, mine, bytes, all); });
  }
  errc broadcast(const collective_call& call, void* data, std::size_t bytes,
                 int root) noexcept override {
    return late([&] { return in_time_->broadcast(call, data, bytes, root); });
  }
  errc combine(const collective_call& call, void* value, std::size_t bytes,
               merge_function merge) noexcept override {
    return late([&] { return in_time_->combine(call, value, bytes, merge); });
  }
  [[nodiscard]] int awaited() const noexcept override { return in_time_->awaited(); }
  [[nodiscard]] absentees absent() const noexcept override { return in_time_->absent(); }

 private:
  template <class Call>
  errc late(Call call) noexcept {
    const late_call whole(&choices_);
    const errc e = call();
    found_ = in_time_->found();
    return e;
  }

  std::unique_ptr<collectives> in_time_;
  adversary_choices choices_;
};

}  // namespace oriel::sessions
