// A rank that runs the failure detector alone, on hosts whose links are cut: watching_rank SILENCE
// SECONDS. After SECONDS it prints the fates of the others.
#include <array>
#include <cstdlib>

#include "session/bootstrap/rendezvous.hpp"
#include "session/node/liveness.hpp"
#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

int run(int silence_s, double seconds) {
  const sessions::job_description about = sessions::read_environment();
  sessions::rendezvous launcher(about);
  sessions::liveness::settings how = sessions::liveness::settings_for(about);
  how.silence = std::chrono::seconds(silence_s);
  const auto memory = sessions::node_memory::make(1, 0);  // of a node of its own
  sessions::liveness others(launcher, *memory, how);
  const sessions::fates& known = others.known();
  const auto start = steady::now();  // nearly the same on all ranks, since opening is collective
  const auto end = start + std::chrono::duration<double>(seconds);
  double last_loss = 0;
  for (std::size_t losses = 0; steady::now() < end; pause(0.01)) {
    if (known.losses() == losses) continue;
    losses = known.losses();
    last_loss = std::chrono::duration<double>(steady::now() - start).count();
  }
  std::array<int, static_cast<std::size_t>(sessions::fate::last) + 1> with{};
  for (int r = 0; r < known.ranks(); ++r) ++with[static_cast<std::size_t>(known.of(r))];
  const auto count = [&with](sessions::fate f) {
    return std::to_string(with[static_cast<std::size_t>(f)]);
  };
  say(launcher.rank(), "knows " + count(sessions::fate::here) + " here, " +
                           count(sessions::fate::silent) + " silent, " +
                           count(sessions::fate::ended) + " ended, " +
                           count(sessions::fate::estranged) + " estranged, the last after " +
                           std::to_string(last_loss) + " s");
  pause(1);  // the others print, before this one has left
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play(
      [&] { return oriel::testing::run(std::atoi(argv[1]), std::atof(argv[2])); });
}
