// Operations of a window whose operations are many and small (window_options::aggregate): on memory
// that is not mapped here, those on single elements begin in packets; gathered_runs.cpp has the
// others.
#include "win/slots/in_packets.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"
#include "win/statistics/noted_wait.hpp"

namespace oriel::win {

using detail::list_call;

errc refuse_call(window_core& core, list_call call, atomic_op op, primitive type) noexcept {
  if (call != list_call::compare_swap)
    return refuse_op(core, op, type == primitive::opaque ? core.agreed.element : type);
  return core.fail(errc::type, "compare_swap takes elements of 1 to 16 bytes, not of " +
                                   std::to_string(element_bytes(type, core.agreed.extent)));
}

namespace {

errc put_gathered(window_core& core, rank r, disp i, const void* value, call_site at) noexcept {
  return by_stream(
      core, {r, i},
      [&](packet_streams&, packet_streams::stream& s) noexcept {
        return begin_gathered(core, s, {list_call::put, 0, r, i, value, nullptr, nullptr});
      },
      [&](const operation_table& to) noexcept { return to.put(core, r, i, value, at); });
}

errc accumulate_gathered(window_core& core, atomic_op op, rank r, disp i, const void* operand,
                         call_site at) noexcept {
  return by_stream(
      core, {r, i},
      [&](packet_streams&, packet_streams::stream& s) noexcept {
        return begin_defined(
            core, s, op,
            {list_call::accumulate, packet_word::number(op), r, i, operand, nullptr, nullptr});
      },
      [&](const operation_table& to) noexcept {
        return to.accumulate(core, op, r, i, operand, at);
      });
}

// The result is usable on return, and so behind all that was begun before it.
errc begin_and_complete(window_core& core, packet_streams& streams, packet_streams::stream& s,
                        atomic_op op, const packet_streams::entry& x) noexcept {
  if (!is_defined(core, x.call, op, x.type)) return refuse_call(core, x.call, op, x.type);
  if (const errc e = begin_in_packet(core, s, x); e != errc::success) return e;
  count_gathered(core, s, x);
  const noted_wait noted(core, wait_cause::completion, x.owner);
  return latched(core, streams.complete(s, x.owner), x.owner, "an operation");
}

errc fetch_op_gathered(window_core& core, atomic_op op, rank r, disp i, const void* operand,
                       void* result, call_site at) noexcept {
  return by_stream(
      core, {r, i},
      [&](packet_streams& streams, packet_streams::stream& s) noexcept {
        return begin_and_complete(
            core, streams, s, op,
            {list_call::fetch_op, packet_word::number(op), r, i, operand, nullptr, result});
      },
      [&](const operation_table& to) noexcept {
        return to.fetch_op(core, op, r, i, operand, result, at);
      });
}

errc compare_swap_gathered(window_core& core, rank r, disp i, const void* expected,
                           const void* desired, void* result, call_site at) noexcept {
  return by_stream(
      core, {r, i},
      [&](packet_streams& streams, packet_streams::stream& s) noexcept {
        return begin_and_complete(core, streams, s, atomic_op::replace,
                                  {list_call::compare_swap, 0, r, i, expected, desired, result});
      },
      [&](const operation_table& to) noexcept {
        return to.compare_swap(core, r, i, expected, desired, result, at);
      });
}

template <auto Slot, class... Args>
void put_behind(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = behind_packets<Slot, Args...>;
}

template <auto... Slots>
void put_behind_packets(operation_table& t) {
  (put_behind<Slots>(t.*Slots), ...);
}

// --- Elements of a primitive that the caller names: what windows of bytes have instead of elements
// of their own.

errc fetch_op_as_gathered(window_core& core, atomic_op op, primitive type, rank r, disp i,
                          const void* operand, void* result, call_site at) noexcept {
  if (type == primitive::opaque || result == nullptr)
    return behind_packets<&operation_table::fetch_op_as>(core, op, type, r, i, operand, result, at);
  return by_stream(
      core, {r, i, covering(core, size_of(type))},
      [&](packet_streams& streams, packet_streams::stream& s) noexcept {
        return begin_and_complete(
            core, streams, s, op,
            {list_call::fetch_op, packet_word::number(op), r, i, operand, nullptr, result, type});
      },
      [&](const operation_table& to) noexcept {
        return to.fetch_op_as(core, op, type, r, i, operand, result, at);
      });
}

template <auto Slot>
errc compare_swap_as_gathered(window_core& core, primitive type, rank r, disp i,
                              const void* expected, const void* desired, void* result,
                              call_site at) noexcept {
  if (type == primitive::opaque)
    return behind_packets<Slot>(core, type, r, i, expected, desired, result, at);
  return by_stream(
      core, {r, i, covering(core, size_of(type))},
      [&](packet_streams& streams, packet_streams::stream& s) noexcept {
        const packet_streams::entry x{
            list_call::compare_swap, 0, r, i, expected, desired, result, type};
        if constexpr (Slot == &operation_table::compare_swap_as)
          return begin_and_complete(core, streams, s, atomic_op::replace, x);
        else
          return begin_defined(core, s, atomic_op::replace, x);
      },
      [&](const operation_table& to) noexcept {
        return (to.*Slot)(core, type, r, i, expected, desired, result, at);
      });
}

}  // namespace

void fill_gathered_slots(operation_table& t) {
  using table = operation_table;
  t.put = put_gathered;
  t.accumulate = accumulate_gathered;
  t.fetch_op = fetch_op_gathered;
  t.compare_swap = compare_swap_gathered;
  t.fetch_op_as = fetch_op_as_gathered;
  t.compare_swap_as = compare_swap_as_gathered<&table::compare_swap_as>;
  t.begin_compare_swap_as = compare_swap_as_gathered<&table::begin_compare_swap_as>;
  put_behind_packets<&table::put_notify, &table::put_notify_typed>(t);
  fill_gathered_run_slots(t);
}

}  // namespace oriel::win
