// A rank that does nothing but watch over the others and be watched, on hosts whose links are cut:
// watching_rank SILENCE SECONDS. When SECONDS have gone by it tells what it knows of them.
#include <array>
#include <cstdlib>

#include "session/liveness.hpp"
#include "session/rendezvous.hpp"
#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

int run(int silence_s, double seconds) {
  const boot::job_description about = boot::read_environment();
  boot::rendezvous launcher(about);
  boot::liveness::settings how = boot::liveness::settings_for(about);
  how.silence = std::chrono::seconds(silence_s);
  boot::liveness others(launcher, how);
  const boot::fates& known = others.known();
  const auto start = steady::now();  // nearly the same on all ranks, since opening is collective
  const auto end = start + std::chrono::duration<double>(seconds);
  double last_loss = 0;
  for (std::size_t losses = 0; steady::now() < end; pause(0.01)) {
    if (known.losses() == losses) continue;
    losses = known.losses();
    last_loss = std::chrono::duration<double>(steady::now() - start).count();
  }
  std::array<int, static_cast<std::size_t>(boot::fate::last) + 1> with{};
  for (int r = 0; r < known.ranks(); ++r) ++with[static_cast<std::size_t>(known.of(r))];
  const auto count = [&with](boot::fate f) {
    return std::to_string(with[static_cast<std::size_t>(f)]);
  };
  say(launcher.rank(), "knows " + count(boot::fate::here) + " here, " + count(boot::fate::silent) +
                           " silent, " + count(boot::fate::ended) + " ended, " +
                           count(boot::fate::estranged) + " estranged, the last after " +
                           std::to_string(last_loss) + " s");
  pause(1);  // the others tell, before this one has left
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play(
      [&] { return oriel::testing::run(std::atoi(argv[1]), std::atof(argv[2])); });
}
