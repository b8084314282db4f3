// The stage of a construction between the agreement and the plan, for windows with memory of a
// device: each rank makes or takes over its memory, and opens that of the node's others on trial. A
// driver shows only then what it refuses (devices without access to each other, parts of a device,
// containers), and which links lack atomics, and the plan has to provide the owners' route for it.
#pragma once

#include <memory>

#include "session/outcome.hpp"
#include "win/construct/agree.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/own_memory.hpp"
#include "win/device_window.hpp"

namespace oriel::win {

// Devices' memory of a window that has no core yet. The destructor gives it up, unless it was
// taken: what was opened is closed, the ranks meet, and owners free.
class tried_devices {
 public:
  tried_devices(detail::team_state& group, sessions::collective_call call) noexcept
      : group_(&group), call_(call) {}
  tried_devices(tried_devices&& other) noexcept
      : how(other.how),
        allocated(other.allocated),
        memory(std::move(other.memory)),
        group_(other.group_),
        call_(other.call_),
        meets_(std::exchange(other.meets_, false)) {}
  tried_devices& operator=(tried_devices&&) = delete;
  ~tried_devices();

  // Others may open this rank's memory from now on.
  void expose() noexcept { meets_ = true; }
  void close() noexcept {
    if (memory != nullptr) memory->close();
  }
  [[nodiscard]] std::unique_ptr<device_window> take() noexcept {
    meets_ = false;
    return std::move(memory);
  }

  sessions::outcome how;           // of this rank
  std::byte* allocated = nullptr;  // this rank's segment, if it was made here
  std::unique_ptr<device_window> memory;

 private:
  detail::team_state* group_;
  sessions::collective_call call_;
  bool meets_ = false;
};

// Collective where `agreed` has memory of devices, and nothing where it has none. Where some rank
// cannot open what another of its node exports, or do atomics there, the plan in `agreed` becomes
// that of a window with such memory, on every rank alike. Throws cannot_construct's alone; what
// fails otherwise is in the result.
tried_devices try_devices(detail::team_state&, const construction&, const own_memory& mine,
                          std::uint64_t id, agreement& agreed);

}  // namespace oriel::win
