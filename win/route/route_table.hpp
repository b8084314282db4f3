// The routes of one window: one for each rank, chosen once.
//
// Where every segment is mapped there is nothing to keep; else a rank takes a byte.
#pragma once

#include <cstdint>
#include <vector>

#include "win/route/known_routes.hpp"

namespace oriel::win {

// The best of `known` for a rank, and what keeps it from being the fastest.
struct route_choice {
  const route* by = nullptr;
  std::string_view because;
  friend bool operator==(const route_choice&, const route_choice&) = default;
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
  [[nodiscard]] const route& to_private(rank r) const noexcept { return *choice(r).to_private; }
  [[nodiscard]] place where(rank r) const noexcept { return choice(r).where; }

 private:
  struct known_peer : route_choice {
    const route* to_private = nullptr;
    place where = place::node_memory;
    friend bool operator==(const known_peer&, const known_peer&) = default;
  };
  static const known_peer itself, mapped;
  [[nodiscard]] const known_peer& choice(rank r) const noexcept {
    // A rank that does not exist has one too: refusing it is the slots'.
    const auto i = static_cast<std::size_t>(r.value);
    if (i >= peers_.size()) return r.value == me_ ? itself : mapped;
    return chosen_[peers_[i]];
  }

  int me_;
  std::vector<known_peer> chosen_;   // few, each once
  std::vector<std::uint8_t> peers_;  // among them
};

}  // namespace oriel::win
