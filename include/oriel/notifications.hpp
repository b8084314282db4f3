// Notification (extension): puts that are counted at their target. Part of `window<T, A>`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/mapped_access.hpp"

namespace oriel {

template <class T, assertion_set A>
class notifications : public mapped_access<T, A> {
 public:
  // Puts one element, and then adds 1 to counter `counter` of rank `r`. Complete at the target when
  // its count is seen there. Returns rank for a rank that the team does not have, arg for a counter
  // that the window does not have, rma_range. A put_notify that is refused is not counted; a wait
  // for its count returns its code.
  status put_notify(
      rank r, disp i, const T& value, std::size_t counter,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.put_notify(r, i, &value, 1, counter, at);
  }
  // Blocks until this rank's counter has reached `at_least`; counters start at 0 and only grow.
  // Returns arg for a counter that the window does not have; the code of a put_notify that was
  // refused; peer_failed when a rank of the team has died; timed_out.
  status wait_notify(
      std::size_t counter, std::uint64_t at_least,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.wait_notify(counter, at_least, at);
  }
  // Returns the value of this rank's counter, without blocking; 0 after a failure.
  [[nodiscard]] std::uint64_t notified(
      std::size_t counter,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.notified(counter, at);
  }

 protected:
  using mapped_access<T, A>::mapped_access;
};

}  // namespace oriel
