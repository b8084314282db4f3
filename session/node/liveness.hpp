// The fates of the ranks of other processes in a job that spans nodes. They are read from memory; a
// thread of this process (failure_detector.hpp) finds them together with those of the others. A
// thread that waits for a rank looks here, and makes no connection of its own.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "session/bootstrap/bootstrap.hpp"
#include "session/node/failure_detector.hpp"
#include "session/node/fates.hpp"
#include "session/node/node_memory.hpp"

namespace oriel::sessions {

class liveness {
 public:
  using settings = failure_detector::settings;

  // The settings for a job's time-outs: links may be down for ORIEL_TIMEOUT, where that is longer
  // than the default.
  [[nodiscard]] static settings settings_for(const job_description&) noexcept;

  // Collective over the job: links are made between its ranks. Throws errc::system, the same on all
  // ranks, where one cannot listen or a link cannot be made: which rank, and at which address.
  liveness(bootstrap&, node_memory&, const settings&);
  // As leave().
  ~liveness();
  liveness(const liveness&) = delete;
  liveness& operator=(const liveness&) = delete;

  [[nodiscard]] const fates& known() const noexcept { return known_; }
  [[nodiscard]] bool alive(int r) const noexcept { return known_.alive(r); }
  // How long a rank may be silent before it counts as cut off.
  [[nodiscard]] std::chrono::milliseconds silence() const noexcept { return settings_.silence; }
  // Takes a fate that was found by other means: rank `r` has ended, or announces that it leaves.
  void report(int r, fate) noexcept;
  // A rail that was found by other means to have failed.
  void report_rail(int rail) noexcept;
  // How many ranks this one is linked with.
  [[nodiscard]] std::size_t links() const noexcept;

  // Announces that this rank leaves; no more fates are found. Takes a fraction of a second at most.
  void leave() noexcept;

 private:
  class watching;

  settings settings_;
  fates known_;
  std::unique_ptr<watching> watching_;
};

}  // namespace oriel::sessions
