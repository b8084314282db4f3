// Whole sessions of ranks on one node or several: each rank opens one, makes a window, and all put,
// add, fetch, get, notify and synchronize by it, over whichever provider the program has drawn.
#include "oriel/session.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tests/sim/fabric/network.hpp"
#include "tests/sim/job/machine.hpp"
#include "tests/sim/job/shared_files.hpp"
#include "tests/sim/job/society.hpp"
#include "tests/sim/protocols/all.hpp"
#include "tests/sim/protocols/session_memory.hpp"
#include "tests/sim/protocols/session_oracle.hpp"
#include "tests/sim/protocols/session_part.hpp"
#include "tests/sim/protocols/session_program.hpp"
#include "tests/sim/protocols/session_survivors.hpp"

namespace oriel::sim {
namespace {

class sessions_of_ranks final : public scene {
 public:
  sessions_of_ranks(scheduler& run, const program& p)
      : program_(p),
        kind_(p),
        wires_(run, kind_.provider, p.ranks),
        files_(run),
        together_(run, p.ranks, kind_.provider.rails),
        oracle_(p.ranks),
        survivors_(p) {
    here_.nodes = p.nodes;
    if (kind_.acknowledges) here_.variables["ORIEL_FABRIC_FLUSH"] = "acknowledge";
    if (!kind_.has_lanes) here_.variables["ORIEL_FABRIC_LANES"] = "0";
    for (int k = 0; kind_.provider.rails > 1 && k < kind_.provider.rails; ++k)
      here_.variables["ORIEL_INTERFACE"] += (k == 0 ? "sim" : ",sim") + std::to_string(k);
    here_.processors = kind_.processors;
    for (int r = 0; r < p.ranks; ++r)
      run.start(r, "rank " + std::to_string(r), [this, r] { live(r); });
  }

  // The process is the run's own. A rank takes some 3 MiB, most of it before anything is played.
  [[nodiscard]] std::string wrong() override {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const long most_kib = 1024L * (16 + 8 * program_.ranks);
    return used.ru_maxrss <= most_kib
               ? ""
               : "the ranks have taken " + std::to_string(used.ru_maxrss) +
                     " KiB of memory, of which " + std::to_string(most_kib) + " are enough";
  }

 private:
  void live(int me) {
    session_options how;
    how.bootstrap = bootstrap_callbacks{
        me, program_.ranks, [this, me](const void* mine, std::size_t bytes, void* all) -> status {
          return together_.gather(me, mine, bytes, all) ? errc::success : errc::peer_failed;
        }};
    survives(program_, [&] {
      session job(how);
      const auto play = [&job](const team& of, const program& p, session_oracle& oracle) {
        return survives(p, [&] { return plays(job, of, p, oracle); });
      };
      if (!play(job.world(), program_, oracle_) || any_dead(program_))
        survivors_.go_on(job.world(), play);
      return true;
    });
    together_.leave(me);
  }
  // Whether all calls have succeeded.
  static bool plays(session& job, const team& of, const program& p, session_oracle& oracle) {
    // Results may come until the window is freed, where a part ends early.
    std::optional<session_part> part;
    session_memory memory(p, oracle, job, of);
    part.emplace(p, oracle, of, memory);
    return part->play();
  }

  program program_;
  session_kind kind_;
  machine here_;
  network wires_;
  shared_files files_;
  society together_;
  session_oracle oracle_;
  session_survivors survivors_;
};

class of_session final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "session"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    p.ranks = 2 + random.below(most_ranks - 1);
    p.variant = random.below(1 << 30);
    // A node each, or as many as there may be, in turn or one after the other.
    const int nodes = random.below(2) == 0 ? p.ranks : 1 + random.below(p.ranks);
    const bool in_turn = random.below(2) == 0;
    for (int r = 0; r < p.ranks; ++r) p.nodes.push_back(in_turn ? r % nodes : r * nodes / p.ranks);
    for (int i = 1 + random.below(24); i > 0; --i) {
      const int from = random.below(p.ranks);
      const int to = (from + 1 + random.below(p.ranks - 1)) % p.ranks;
      p.acts.push_back(
          {from, random.below(session_act::kinds), to,
           1 + random.below(random.below(3) == 0 ? static_cast<int>(session_layout::row) : 8)});
    }
    const int rails = session_kind(p).provider.rails;
    // One may be given up for a connection that breaks, too.
    for (int i = 1; i < rails; ++i) {
      const int from = random.below(p.ranks);
      act a{from, session_act::cut_rail, random.below(rails), random.below(8)};
      if (random.below(2) == 0)
        a = {from, session_act::break_connection, (from + 1 + random.below(p.ranks - 1)) % p.ranks,
             random.below(rails)};
      p.acts.insert(p.acts.begin() + random.below(static_cast<int>(p.acts.size()) + 1), a);
    }
    for (int i = session_kind(p).has_crews() ? random.below(3) : 0; i > 0; --i) {
      const int from = random.below(p.ranks);
      p.acts.insert(p.acts.begin() + random.below(static_cast<int>(p.acts.size()) + 1),
                    {from, session_act::crew, (from + 1 + random.below(p.ranks - 1)) % p.ranks,
                     1 + random.below(8)});
    }
    if (nodes > 1 && random.below(3) == 0)
      p.acts.insert(p.acts.begin() + random.below(static_cast<int>(p.acts.size()) + 1),
                    {random.below(p.ranks), session_act::answer, 0, random.below(3)});
    return p;
  }
  [[nodiscard]] std::string in_words(const program& p, const act& a) const override {
    if (a.what == session_act::all_meet)
      return session_kind(p).fences() ? "two fences" : "all flush, and meet";
    if (a.what == session_act::speak)
      return "all speak with all" +
             (a.n == 0 ? "" : ", and rank " + std::to_string(a.rank) + " dies");
    if (a.what == session_act::split) return "all split, by " + std::to_string(a.n);
    if (a.what == session_act::map) return "all have a map";
    if (a.what == session_act::answer)
      return "all ask rank " + std::to_string(a.rank) + ", which answers by itself";
    if (a.what == session_act::relay)
      return "rank " + std::to_string(a.rank) + " puts a word to rank " + std::to_string(a.other) +
             " and tells rank " + std::to_string(third_of(a, p.ranks));
    if (a.what == session_act::cut_rail)
      return "rail " + std::to_string(a.other) + " fails" +
             (a.n % 2 == 0 ? "" : " of rank " + std::to_string(a.rank)) +
             (a.n % 4 < 2 ? "" : ", with its connections");
    const std::string there = " rank " + std::to_string(a.other);
    if (a.what == session_act::break_connection)
      return "the connection of rank " + std::to_string(a.rank) + " to" + there + " on rail " +
             std::to_string(a.n) + " breaks";
    if (a.what == session_act::crew)
      return "rank " + std::to_string(a.rank) + " has two threads more, which access" + there +
             " " + std::to_string(a.n) + " times";
    const std::string words[] = {"puts a word to" + there,
                                 "puts " + std::to_string(a.n) + " words to" + there,
                                 "adds at" + there,
                                 "replaces words at" + there,
                                 "fetches and adds at" + there,
                                 "reads its row at" + there,
                                 "flushes" + there,
                                 "notifies" + there + " of " + std::to_string(a.n) + " words",
                                 "adds under a lock at" + there,
                                 "is cut off for " + std::to_string(a.n / 8) + " ms"};
    return "rank " + std::to_string(a.rank) + " " + words[a.what];
  }
  // Some thousand steps are the opening of a session.
  [[nodiscard]] int log_of_first_steps() const noexcept override { return 8; }
  [[nodiscard]] int log_of_steps() const noexcept override { return 16; }
  [[nodiscard]] bool is_apart() const noexcept override { return true; }
  void adjust(schedule& s) const noexcept override {
    s.sleeps_end = true;
    s.turn = std::chrono::microseconds(5);  // ranks look so often while they wait
    s.longest = std::chrono::seconds(120);
    s.most_steps = 40'000'000;  // with eight ranks a silence of 2 s takes some three million
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<sessions_of_ranks>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_session() {
  return std::make_unique<of_session>();
}

}  // namespace oriel::sim
