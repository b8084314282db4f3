// The fifth stage of a construction: this rank's own part: its memory, how others reach it, and how
// it reaches them. All that may fail is done here, so that all ranks fail alike where one does.
#pragma once

#include <memory>

#include "session/outcome.hpp"
#include "win/construct/reserve.hpp"
#include "win/construct/try_devices.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// A window under construction: the destructor gives its part up again, unless it is finished.
class unfinished_window {
 public:
  unfinished_window(const blueprint& b, std::unique_ptr<detail::window_core> core) noexcept
      : blueprint_(&b), core_(std::move(core)) {}
  unfinished_window(unfinished_window&&) noexcept = default;
  unfinished_window& operator=(unfinished_window&&) = delete;
  // On the several ranks of an exposed window a collective one, unless the team has failed.
  ~unfinished_window();

  [[nodiscard]] detail::window_core& operator*() const noexcept { return *core_; }
  // From now on others may access this rank's part.
  void expose() noexcept { exposed_ = true; }
  [[nodiscard]] std::unique_ptr<detail::window_core> finish() noexcept { return std::move(core_); }

 private:
  const blueprint* blueprint_;
  std::unique_ptr<detail::window_core> core_;
  bool exposed_ = false;
};

struct opened {
  unfinished_window window;
  sessions::outcome how;
  remote_ticket ticket;                // how other nodes name this rank's memory
  std::vector<remote_ticket> tickets;  // room for those of all, where they are exchanged
};

// Where `b.needs_settling()`, what fails is in the result, and throws only cannot_construct's. Else
// throws what fails here.
opened open(const blueprint& b, std::unique_ptr<detail::window_core>, reserved, tried_devices);

}  // namespace oriel::win
