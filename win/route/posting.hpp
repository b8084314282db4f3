// What a window begins at the provider: where that is busy, this thread tries again, which counts
// as a retry of the window's, and waits for room in its queue, which is shown once it lasts.
//
//   carrying(core, fabric, r)->put(…)  in which an operation leaves, or a part of one: it counts
//   posting(core, fabric, r)->tell(…)  all else, and packets, which count once they have left
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

class carrying : public posting {
 public:
  carrying(detail::window_core& core, transport::fabric& way, rank to) noexcept
      : posting(core, way, to) {
    count_message(core);
  }
};

}  // namespace oriel::win
