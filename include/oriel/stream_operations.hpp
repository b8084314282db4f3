// Operations in the order of a stream of CUDA or HIP (extension). Part of `window<T, A>`.
//
// The calls return at once: they enqueue the operation, which begins when the stream has done all
// that it held before, and is over before the stream begins what it gets later, kernels or
// operations, of this window or of others. What the stream has passed is complete: a put, in memory
// of this node or of another, at its target; a get, in its result buffer; a signal is counted after
// all that the stream held before is complete, so a rank that sees the count sees the puts before
// it. A synchronization of the stream with the host waits for all of this; a flush does not wait
// for streams, and tells only what has failed.
//
// Requires: the stream is one of the window's device, in its primary context. Buffers lie in memory
// of the window's kind, a device's, managed or pinned, and are in use until the stream has passed
// the operation. An access epoch to the target is open until then. When the window is freed, all
// streams have passed its operations.
//
// Returns: what refuses the operation at once: rank, arg, rma_range, not_asserted; unsupported_kind
// for a buffer of other memory, for a window that has no memory of a device's, managed or pinned on
// this node, and where its device's streams cannot wait (docs/GPU.md); info where the kinds
// asserted leave device memory out; system, with the vendor's words, where the stream takes nothing
// more; no_mem. What fails later is latched by the window: the stream goes on, in bounded time,
// with the operation undone, and the next flush or end of an epoch returns it, as peer_failed for a
// rank that has died.
//
// Graphs: a stream that is captured takes all of them; each launch does them again. Requires: two
// launches of what was captured once do not overlap; the window outlives the graph. What a graph
// holds of the window is given back with the window.
#pragma once

#include "oriel/device_stream.hpp"
#include "oriel/nonblocking_operations.hpp"

namespace oriel {

template <class T, assertion_set A>
class stream_operations : public nonblocking_operations<T, A> {
 public:
  // As put and get of the same operands.
  status put_on(
      device_stream on, rank r, disp i, std::span<const T> values,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::multi_element> {
    return this->any_.put_on(on, r, i, values.data(), values.size(), at);
  }
  status get_on(
      device_stream on, rank r, disp i, std::span<T> values,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::multi_element> {
    return this->any_.get_on(on, r, i, values.data(), values.size(), at);
  }
  // Adds `amount` to counter `counter` of rank `r`, as notify. Returns arg for a counter that the
  // window does not have and an amount of 0.
  status signal_on(
      device_stream on, rank r, std::size_t counter, std::uint32_t amount = 1,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.signal_on(on, r, counter, amount, at);
  }
  // The stream waits until this rank's counter has reached `at_least`, as wait_notify does, and in
  // vain when a rank of the team dies, after ORIEL_TIMEOUT, or for a notification that was refused.
  status wait_on(
      device_stream on, std::size_t counter, std::uint64_t at_least,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.wait_on(on, counter, at_least, at);
  }
  // The same until the counter has reached the sum of what all calls of this function for it, and
  // all launches of graphs that hold one, have waited for so far and `amount`. Requires: no call of
  // take_notified for the counter.
  status wait_more_on(
      device_stream on, std::size_t counter, std::uint64_t amount = 1,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return this->any_.wait_more_on(on, counter, amount, at);
  }

 protected:
  using nonblocking_operations<T, A>::nonblocking_operations;
};

}  // namespace oriel
