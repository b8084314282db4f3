// Packets for owners, which perform them as they serve: each that ends well was performed once, and
// behind those before it; one that was withdrawn never is.
#include "sync/packet_board.hpp"

#include <cstring>

#include "tests/sim/protocols/owners.hpp"

namespace oriel::sim {
namespace {

using sync::packet_board;
using sync::packet_note;

enum : int { leaves, is_complete };  // at once
// Of a program's variants: its threads serve as they wait; packets are given up late, or soon, when
// their owners may just be taking them.
constexpr bool serves_as_it_waits(const program& p) noexcept {
  return p.variant % 2 == 1;
}
constexpr std::chrono::milliseconds time_out(const program& p) noexcept {
  return std::chrono::milliseconds(p.variant / 2 % 2 == 0 ? 400 : 5);
}

class packets final : public owners {
 public:
  packets(scheduler& run, const program& p)
      : owners(
            run, p,
            {.serve_as_they_wait = serves_as_it_waits(p), .threads = 1, .time_out = time_out(p)}),
        block_(run, packet_board::bytes(p.ranks), "packet_board"),
        rooms_(run, pairs() * packet_board::at_once * sizeof(room), "rooms"),
        fates_(p.acts.size(), fate::never_posted),
        last_(pairs()) {
    for (int r = 0; r < p.ranks; ++r)
      boards_.push_back(std::make_unique<packet_board>(block_.get(), peers_of(r), r, p.ranks));
    start(run);
  }

 private:
  enum class fate : std::uint8_t { never_posted, posted, performed, withdrawn };
  struct room {
    std::uint64_t operand, result;
  };
  // What a rank has under way to one owner, by note: which acts.
  struct course {
    packet_board::outbox box;
    std::array<std::size_t, packet_board::at_once> acts{};
  };

  [[nodiscard]] std::size_t pairs() const noexcept {
    return index(program_.ranks) * index(program_.ranks);
  }
  [[nodiscard]] std::size_t pair_of(int origin, int owner) const noexcept {
    return index(origin) * index(program_.ranks) + index(owner);
  }
  [[nodiscard]] std::size_t place_of(int origin, int owner, std::size_t which) const noexcept {
    return (pair_of(origin, owner) * packet_board::at_once + which) * sizeof(room);
  }
  static std::uint64_t result_of(std::size_t i) noexcept { return 1'000'000 + i; }

  void ask_all(process& mine, std::size_t) override {
    std::vector<course> to;
    for (int r = 0; r < program_.ranks; ++r) to.push_back({{*boards_[index(mine.me)], r}});
    for (std::size_t i = 0; i < program_.acts.size(); ++i) {
      const act& a = program_.acts[i];
      if (a.rank != mine.me) continue;
      dawdle();
      post(to[index(a.other)], i);
      if (a.what == is_complete) complete(to[index(a.other)], a);
    }
    for (int r = 0; r < program_.ranks; ++r) complete(to[index(r)], {mine.me, leaves, r, 0});
  }
  void post(course& c, std::size_t i) {
    const act& a = program_.acts[i];
    if (c.box.full()) settle(c, a);
    if (c.box.full()) return;  // its owner is at it yet
    const std::size_t which = c.box.next(), place = place_of(a.rank, a.other, which);
    const std::uint64_t operand = i + 1;
    std::memcpy(rooms_.get() + place, &operand, sizeof operand);
    c.acts[which] = i;
    fates_[i] = fate::posted;
    c.box.post({.place = place, .head = i, .bytes = sizeof operand});
  }
  void complete(course& c, const act& a) {
    for (std::size_t before = packet_board::at_once + 1;
         c.box.under_way() != 0 && c.box.under_way() < before;) {
      before = c.box.under_way();
      settle(c, a);
    }
  }
  void settle(course& c, const act& a) {
    const auto began = sync::clock::now();
    const errc e = c.box.settle(true, [&](std::size_t which, errc outcome) {
      fate& f = fates_[c.acts[which]];
      if (outcome == errc::success) {
        must(f == fate::performed, "a packet is complete that was not performed");
        std::uint64_t result = 0;
        std::memcpy(&result, rooms_.get() + place_of(a.rank, a.other, which) + sizeof result,
                    sizeof result);
        must(result == result_of(c.acts[which]), "the results are another packet's");
      } else if (outcome == errc::timed_out) {
        must(f == fate::posted, "a packet is withdrawn that was performed");
        f = fate::withdrawn;
      } else {
        must(!scheduler::active()->alive(a.other), "a packet fails though its owner lives");
      }
    });
    if (e == errc::timed_out)
      must(sync::clock::now() - began >= time_out(program_), "a packet is given up too soon");
  }

  bool serve_round(process& mine) override {
    return boards_[index(mine.me)]->serve_pending([this, &mine](const packet_note& n) {
      const std::size_t i = n.head;
      must(i < program_.acts.size() && program_.acts[i].other == mine.me,
           "a packet is performed by another owner");
      std::uint64_t operand = 0;
      std::memcpy(&operand, rooms_.get() + n.place, sizeof operand);
      must(operand == i + 1 && n.bytes == sizeof operand, "a packet's operands are another's");
      must(fates_[i] != fate::withdrawn, "a packet is performed that was withdrawn");
      must(fates_[i] == fate::posted, "a packet is performed twice");
      std::size_t& last = last_[pair_of(program_.acts[i].rank, mine.me)];
      must(i + 1 > last, "a packet is performed before an earlier one");
      last = i + 1;
      fates_[i] = fate::performed;
      const std::uint64_t result = result_of(i);
      std::memcpy(rooms_.get() + n.place + sizeof operand, &result, sizeof result);
      return errc::success;
    });
  }

  shared_room block_, rooms_;
  std::vector<fate> fates_;
  std::vector<std::size_t> last_;  // performed, of each pair; counted from 1
  std::vector<std::unique_ptr<packet_board>> boards_;
};

class of_packet_board final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "packet_board"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    // Beyond 4 ranks an owner looks at bits, not at the lines.
    p.ranks = random.below(4) == 0 ? 5 : 2 + random.below(most_ranks - 1);
    p.variant = random.below(16);
    for (int i = 1 + random.below(4 * p.ranks); i > 0; --i) {
      const int rank = random.below(p.ranks);
      p.acts.push_back(
          {rank, random.below(4) / 3, (rank + 1 + random.below(p.ranks - 1)) % p.ranks, 0});
    }
    return p;
  }
  [[nodiscard]] std::string in_words(const program& p, const act& a) const override {
    return "rank " + std::to_string(a.rank) + " sends a packet to rank " + std::to_string(a.other) +
           (a.what == is_complete ? ", and waits for all" : "") +
           (serves_as_it_waits(p) ? ", and serves as it waits" : "");
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<packets>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_packet_board() {
  return std::make_unique<of_packet_board>();
}

}  // namespace oriel::sim
