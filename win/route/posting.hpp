// What a window begins at the provider: where that is busy, this thread tries again, which counts
// as a retry of the window's, and waits for room in its queue, which is shown once it lasts.
//
//   posting(core, fabric, r)->put(…)
#pragma once

#include "transport/fabric.hpp"
#include "win/statistics/noted_wait.hpp"

namespace oriel::win {

class posting {
 public:
  posting(detail::window_core& core, transport::fabric& way, rank to) noexcept
      : note_(core, wait_cause::room, to), way_(way) {}
  transport::fabric* operator->() const noexcept { return &way_; }

 private:
  noted_wait note_;
  transport::fabric& way_;
};

}  // namespace oriel::win
