// Requests to owners, which an agent of each serves, or its program's thread as it waits: each that
// is answered was carried out once, and one that was withdrawn never is.
#include "sync/mailbox.hpp"

#include "tests/sim/protocols/owners.hpp"

namespace oriel::sim {
namespace {

using sync::am_request;
using sync::mailbox;

enum : int { small, large, far };
// Of a program's variants: its threads serve as they wait; each rank has two; requests are given up
// late.
constexpr bool serves_as_it_waits(const program& p) noexcept {
  return p.variant % 2 == 1;
}
constexpr bool has_threads(const program& p) noexcept {
  return p.variant / 2 % 2 == 1;
}
// Or soon, when their owners may just be taking them.
constexpr std::chrono::milliseconds time_out(const program& p) noexcept {
  return std::chrono::milliseconds(p.variant / 4 == 0 ? 400 : 5);
}

class requests final : public owners {
 public:
  requests(scheduler& run, const program& p)
      : owners(run, p,
               {.serve_as_they_wait = serves_as_it_waits(p),
                .threads = threads_of(p),
                .time_out = time_out(p)}),
        block_(run, mailbox::bytes(p.ranks), "mailbox"),
        fates_(p.acts.size(), fate::never_asked) {
    for (int r = 0; r < p.ranks; ++r)
      mail_.push_back(std::make_unique<mailbox>(block_.get(), peers_of(r), r, p.ranks));
    start(run);
  }

 private:
  enum class fate : std::uint8_t { never_asked, asked, served, withdrawn };

  static std::size_t threads_of(const program& p) noexcept { return has_threads(p) ? 2 : 1; }

  void ask_all(process& mine, std::size_t thread) override {
    for (std::size_t i = 0; i < program_.acts.size(); ++i)
      if (program_.acts[i].rank == mine.me && i % threads_of(program_) == thread) ask(mine, i);
  }
  void ask(process& mine, std::size_t i) {
    dawdle();
    const act& a = program_.acts[i];
    am_request m;
    m.kind = sync::am_kind::accumulate;
    m.address = i + 1;
    m.is_far = a.what == far;
    std::array<std::uint64_t, 16> operands{}, results{};
    operands.fill(i + 1);
    const std::size_t bytes = bytes_of(a);
    const std::size_t replied = a.what == far ? 0 : bytes;
    fates_[i] = fate::asked;
    const auto began = sync::clock::now();
    const errc e =
        mail_[index(mine.me)]->ask(a.other, m, operands.data(), bytes, results.data(), replied);
    if (e == errc::success) {
      must(fates_[i] == fate::served, "a request is answered that was not carried out");
      for (std::size_t k = 0; k < replied / sizeof results[0]; ++k)
        must(results[k] == reply_to(i), "the reply is another request's");
    } else if (e == errc::peer_failed) {
      must(!scheduler::active()->alive(a.other), "a request fails though its owner lives");
    } else {
      must(e == errc::timed_out && sync::clock::now() - began >= time_out(program_),
           "a request gives up too soon");
      // Another may have been taken, and be carried out yet.
      if (a.what != far) return;
      must(fates_[i] == fate::asked, "a request is given up that was carried out");
      fates_[i] = fate::withdrawn;
    }
  }
  static std::size_t bytes_of(const act& a) noexcept {
    return a.what == large ? 16 * sizeof(std::uint64_t) : sync::small_mail;
  }
  static std::uint64_t reply_to(std::size_t i) noexcept { return 1'000'000 + i; }

  bool serve_round(process& mine) override {
    return mail_[index(mine.me)]->serve_pending([this, &mine](mailbox::slot& s, int origin) {
      const std::size_t i = s.head.address - 1;
      must(i < program_.acts.size(), "a request is none");
      const act& a = program_.acts[i];
      must(a.rank == origin && a.other == mine.me, "a request is served by another owner");
      std::uint64_t operand = 0;
      for (std::size_t k = 0; k < bytes_of(a); k += sizeof operand) {
        std::memcpy(&operand, s.request() + k, sizeof operand);
        must(operand == i + 1, "a request's operands are another's");
      }
      must(fates_[i] != fate::withdrawn, "a request is carried out that was withdrawn");
      must(fates_[i] == fate::asked, "a request is carried out twice");
      fates_[i] = fate::served;
      const std::uint64_t reply = reply_to(i);
      for (std::size_t k = 0; a.what != far && k < bytes_of(a); k += sizeof reply)
        std::memcpy(s.reply() + k, &reply, sizeof reply);
      s.head.outcome = errc::success;
    });
  }

  shared_room block_;
  std::vector<fate> fates_;
  std::vector<std::unique_ptr<mailbox>> mail_;
};

class of_mailbox final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "mailbox"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    // Beyond 4 ranks an owner looks at bits, not at the slots.
    p.ranks = random.below(4) == 0 ? 5 : 2 + random.below(most_ranks - 1);
    p.variant = random.below(32);
    for (int i = 1 + random.below(2 * p.ranks); i > 0; --i) {
      const int rank = random.below(p.ranks);
      p.acts.push_back(
          {rank, random.below(3), (rank + 1 + random.below(p.ranks - 1)) % p.ranks, 0});
    }
    return p;
  }
  [[nodiscard]] std::string in_words(const program& p, const act& a) const override {
    return "rank " + std::to_string(a.rank) +
           (a.what == small   ? " sends a small request to rank "
            : a.what == large ? " sends a large request to rank "
                              : " sends a request with far operands to rank ") +
           std::to_string(a.other) + (serves_as_it_waits(p) ? ", and serves as it waits" : "");
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<requests>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_mailbox() {
  return std::make_unique<of_mailbox>();
}

}  // namespace oriel::sim
