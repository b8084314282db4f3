// The routes of one window: one for each rank, chosen once.
//
// Where every segment is mapped there is nothing to keep; else a rank takes three bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "win/route/known_routes.hpp"

namespace oriel::win {

// The best of `known` for a rank, and what keeps it from being the fastest.
struct route_choice {
  const route* by = nullptr;
  std::string_view because;
};
route_choice choose_route(const known_routes&, assertion_set promised, const peer_facts&) noexcept;

class route_table {
 public:
  // Every segment is mapped by every rank.
  explicit route_table(int me = 0) noexcept : me_(me) {}

  // Of the next rank, from 0 on. The same facts give the same routes on every rank of a node.
  void add(const known_routes&, assertion_set promised, const peer_facts&);

  [[nodiscard]] const route& to(rank r) const noexcept { return *choice(r).by; }
  [[nodiscard]] std::string_view because(rank r) const noexcept { return choice(r).because; }
  // To what a rank has attached and is not mapped.
  [[nodiscard]] const route& to_private(rank r) const noexcept {
    return *chosen_[peers_[static_cast<std::size_t>(r.value)].to_private].by;
  }
  [[nodiscard]] place where(rank r) const noexcept {
    return peers_.empty() ? place::node_memory : peers_[static_cast<std::size_t>(r.value)].where;
  }

 private:
  struct peer {
    std::uint8_t by;  // in chosen_
    std::uint8_t to_private;
    place where;
  };
  [[nodiscard]] const route_choice& choice(rank r) const noexcept;
  std::uint8_t index_of(const route_choice&);

  int me_;
  std::vector<route_choice> chosen_;  // few, each once
  std::vector<peer> peers_;
};

}  // namespace oriel::win
