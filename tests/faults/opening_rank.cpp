// A rank of a job whose last rank's link goes down while the session opens: opening_rank EXCHANGES
// SECONDS [VICTIM]. It goes down once the ranks have exchanged so many times what a session opens
// with, 0 for never, and comes up again so much later, 0 for never. Where there is a victim, that
// rank is killed then instead.
#include <cstdlib>
#include <cstring>

#include "session/bootstrap/rendezvous.hpp"
#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

bool set_link(const std::string& to) {
  return std::system(("ip link set eth0 " + to).c_str()) == 0;
}

int run(int cut_after, double down_for, int victim) {
  sessions::rendezvous launcher(sessions::read_environment());
  const int me = launcher.rank();
  int exchanges = 0;
  outcome last;
  std::thread mender;
  const auto exchange = [&](const void* mine, std::size_t bytes, void* all) -> status {
    last = timed([&]() -> status {
      const auto parts = launcher.allgather(std::string(static_cast<const char*>(mine), bytes));
      for (std::size_t r = 0; r < parts.size(); ++r)
        std::memcpy(static_cast<char*>(all) + r * bytes, parts[r].data(), bytes);
      return {};
    });
    ++exchanges;
    if (exchanges == cut_after && me == victim) die();
    if (exchanges == cut_after && victim < 0 && me == launcher.size() - 1) {
      if (!set_link("down")) return errc::system;
      if (down_for > 0)
        mender = std::thread([down_for] {
          pause(down_for);
          set_link("up");
        });
    }
    return last.code;
  };
  session_options options;
  options.bootstrap = bootstrap_callbacks{me, launcher.size(), exchange};
  outcome met = timed([&]() -> status {
    const session s(options);
    return s.world().barrier();
  });
  if (last.code != errc::success) met.text += ": " + last.text;  // which callbacks do not carry
  say(me, "met " + described(met));
  say(me, "exchanged " + std::to_string(exchanges) + " times");
  if (mender.joinable()) mender.join();
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int argc, char** argv) {
  return oriel::testing::play([&] {
    const int victim = argc > 3 ? std::atoi(argv[3]) : -1;
    return oriel::testing::run(std::atoi(argv[1]), std::atof(argv[2]), victim);
  });
}
