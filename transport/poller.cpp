#include "transport/poller.hpp"

#include <algorithm>
#include <chrono>

#include "sync/system.hpp"

namespace oriel::transport {
namespace {

class naps final : public service_thread::rest {
 public:
  void until_next(bool worked, const std::atomic<bool>&) noexcept override {
    using std::chrono::microseconds;
    constexpr int busy_looks = 200;
    idle_ = worked ? 0 : std::min(idle_ + 1, 2 * busy_looks);
    if (idle_ < busy_looks)
      sync::yield();
    else
      sync::sleep_for(microseconds(idle_ < 2 * busy_looks ? 10 : 100));
  }

 private:
  int idle_ = 0;
};

}  // namespace

poller::poller(detail::session_state&) : service_thread(std::make_unique<naps>()) {}

}  // namespace oriel::transport
