// Notification (extension): puts that are counted at their target. Part of `window<T, A>`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "oriel/mapped_access.hpp"

namespace oriel {

template <class T, assertion_set A>
class notifications : public mapped_access<T, A> {
 public:
  // Puts one element, and then adds `amount` to counter `counter` of rank `r`. Complete at the
  // target when its count is seen there; a flush completes it too. Where the window promises
  // ordered_notify, all that this thread has begun to `r` before is complete there then, too.
  // Returns rank for a rank that the team does not have, arg for a counter that the window does not
  // have or an amount of 0, else as put. A put_notify that is refused is not counted; a wait for
  // its count returns its code.
  status put_notify(
      rank r, disp i, const T& value, std::size_t counter, std::uint32_t amount = 1,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.put_notify(r, i, &value, 1, counter, amount, at);
  }
  // The same of values.size() elements from displacement `i` on; they are reusable on return.
  status put_notify(rank r, disp i, std::span<const T> values, std::size_t counter,
                    std::uint32_t amount = 1, call_site at = call_site::here()) noexcept
      requires(promises<A, assertion::notify>&& promises<A, assertion::multi_element>) {
    return this->any_.put_notify(r, i, values.data(), values.size(), counter, amount, at);
  }
  // The same of any layout on both sides, as put with shapes: elements of `origin_shape` from
  // address `origin`, elements of `target` from displacement `i`. Between nodes one of 20 KiB and
  // more waits until the pieces have arrived. Returns type where the type signatures differ.
  status put_notify(rank r, disp i, const void* origin, const shape& origin_shape,
                    const shape& target, std::size_t counter, std::uint32_t amount = 1,
                    call_site at = call_site::here()) noexcept
      requires(promises<A, assertion::notify>&& promises<A, assertion::user_datatype>) {
    return this->any_.put_notify(r, i, origin, origin_shape, target, counter, amount, at);
  }
  // The same of no element.
  status notify(rank r, std::size_t counter, std::uint32_t amount = 1,
                call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.put_notify(r, disp{0}, nullptr, 0, counter, amount, at);
  }
  // Blocks until this rank's counter has reached `at_least`; counters start at 0 and only grow, but
  // for take_notified. Returns arg for a counter that the window does not have; the code of a
  // put_notify that was refused; peer_failed when a rank of the team has died; timed_out.
  status wait_notify(
      std::size_t counter, std::uint64_t at_least,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.wait_notify(counter, at_least, {}, at);
  }
  // The same for `at_most`, and up to 50 ms more: then it returns timed_out, which the window does
  // not latch and failure() does not explain.
  status wait_notify(
      std::size_t counter, std::uint64_t at_least, std::chrono::milliseconds at_most,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.wait_notify(counter, at_least, at_most, at);
  }
  // Blocks until any of this rank's counters first, first + 1, … has reached its value in
  // `at_least`, and writes which to `counter`: of several the lowest. The largest value stands for
  // a counter that is not waited for. Returns arg for a counter that the window does not have and
  // for no values; else as wait_notify.
  status wait_notify_any(
      std::size_t first, std::span<const std::uint64_t> at_least, std::size_t& counter,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.wait_notify_any(first, at_least, counter, {}, at);
  }
  // The same for `at_most`, likewise.
  status wait_notify_any(
      std::size_t first, std::span<const std::uint64_t> at_least, std::size_t& counter,
      std::chrono::milliseconds at_most,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.wait_notify_any(first, at_least, counter, at_most, at);
  }
  // Returns the value of this rank's counter, without blocking; 0 after a failure.
  [[nodiscard]] std::uint64_t notified(
      std::size_t counter,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.notified(counter, at);
  }
  // Returns the value likewise and starts the counter again at 0: no notification is counted twice
  // or not at all. Requires: no thread waits for the counter.
  std::uint64_t take_notified(std::size_t counter, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::notify> {
    return this->any_.take_notified(counter, at);
  }

 protected:
  using mapped_access<T, A>::mapped_access;
};

}  // namespace oriel
