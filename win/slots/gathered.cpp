// Operations of a window whose operations are many and small (window_options::aggregate): to ranks
// of other nodes, those on single elements, or on one word, begin in packets.
#include "win/slots/in_packets.hpp"
#include "win/slots/target.hpp"

namespace oriel::win {

using detail::list_call;

errc refuse_call(window_core& core, list_call call, atomic_op op, primitive type) noexcept {
  if (call != list_call::compare_swap)
    return refuse_op(core, op, type == primitive::opaque ? core.agreed.element : type);
  return core.fail(errc::type, "compare_swap takes elements of 1 to 16 bytes, not of " +
                                   std::to_string(element_bytes(type, core.agreed.extent)));
}

errc begin_in_packet(window_core& core, packet_streams::stream& s,
                     const packet_streams::entry& x) noexcept {
  packet_streams& streams = core.routes.remote->packets();
  const std::uint64_t n = x.type == primitive::opaque ? 1 : covering(core, size_of(x.type)),
                      all = streams.exposed(x.owner);
  if (x.index.value >= all || all - x.index.value < n) [[unlikely]] {
    target none;
    return find_target(core, x.owner, x.index, n, none);
  }
  return latched(core, streams.begin(s, x), x.owner, "an operation");
}

namespace {

// The first after silence leaves at once; those after it gather while it is on its way.
errc begin_gathered(window_core& core, packet_streams::stream& s,
                    const packet_streams::entry& x) noexcept {
  const bool first = packet_streams::is_quiet(s);
  if (const errc e = begin_in_packet(core, s, x); e != errc::success || !first) return e;
  return latched(core, core.routes.remote->packets().send(s), x.owner, "an operation");
}

errc begin_defined(window_core& core, packet_streams::stream& s, atomic_op op,
                   const packet_streams::entry& x) noexcept {
  if (!is_defined(core, x.call, op, x.type)) return refuse_call(core, x.call, op, x.type);
  return begin_gathered(core, s, x);
}

// Calls `in_packet` with the stream of rank `r`, or `otherwise`.
template <class InPacket, class Otherwise>
errc by_stream(window_core& core, rank r, InPacket in_packet, Otherwise otherwise) noexcept {
  if (core.routes.to(r).tracked) {
    packet_streams& streams = core.routes.remote->packets();
    const packet_streams::turn mine(streams);
    if (packet_streams::stream* const s = streams.to(r)) return in_packet(streams, *s);
  }
  return otherwise(core.operations.ungathered);
}

errc put_gathered(window_core& core, rank r, disp i, const void* value, call_site at) noexcept {
  return by_stream(
      core, r,
      [&](packet_streams&, packet_streams::stream& s) noexcept {
        return begin_gathered(core, s, {list_call::put, 0, r, i, value, nullptr, nullptr});
      },
      [&](const operation_table& to) noexcept { return to.put(core, r, i, value, at); });
}

errc accumulate_gathered(window_core& core, atomic_op op, rank r, disp i, const void* operand,
                         call_site at) noexcept {
  return by_stream(
      core, r,
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
  return latched(core, streams.complete(s), x.owner, "an operation");
}

errc fetch_op_gathered(window_core& core, atomic_op op, rank r, disp i, const void* operand,
                       void* result, call_site at) noexcept {
  return by_stream(
      core, r,
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
      core, r,
      [&](packet_streams& streams, packet_streams::stream& s) noexcept {
        return begin_and_complete(core, streams, s, atomic_op::replace,
                                  {list_call::compare_swap, 0, r, i, expected, desired, result});
      },
      [&](const operation_table& to) noexcept {
        return to.compare_swap(core, r, i, expected, desired, result, at);
      });
}

// Operations that travel alone do not pass those before them: packets to their owner leave first.
template <auto Slot, class... Args>
errc behind_packets(window_core& core, Args... args) noexcept {
  const rank r = operands(core, args...).to;
  const errc e = by_stream(
      core, r,
      [&](packet_streams& streams, packet_streams::stream& s) noexcept { return streams.send(s); },
      [](const operation_table&) noexcept { return errc::success; });
  if (e != errc::success) return fail_with(core, e, r, "an operation");
  return (core.operations.ungathered.*Slot)(core, args...);
}

template <auto Slot, class... Args>
void put_behind(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = behind_packets<Slot, Args...>;
}

template <auto... Slots>
void put_behind_packets(operation_table& t) {
  (put_behind<Slots>(t.*Slots), ...);
}

// --- Runs of elements that are one word, and elements of a primitive that the caller names: what
// windows of bytes have instead of elements of their own.

// opaque: so many bytes are not one word.
primitive word_of(std::size_t bytes) noexcept {
  switch (bytes) {
    case 2:
      return primitive::uint16;
    case 4:
      return primitive::uint32;
    case 8:
      return primitive::uint64;
    default:
      return primitive::opaque;
  }
}

// One element, or a word of windows of bytes, by an entry. What is got is usable after a flush.
template <auto Slot, list_call Call, class Values>
errc move_n_gathered(window_core& core, rank r, disp i, Values values, std::size_t n,
                     detail::request_state* also, call_site at) noexcept {
  const auto alone = [&](const operation_table& to) noexcept {
    return (to.*Slot)(core, r, i, values, n, also, at);
  };
  const primitive word = core.agreed.extent == 1 ? word_of(n) : primitive::opaque;
  if (also != nullptr || (n != 1 && word == primitive::opaque))
    return alone(core.operations.ungathered);
  return by_stream(
      core, r,
      [&](packet_streams&, packet_streams::stream& s) noexcept {
        packet_streams::entry x{Call, 0, r, i, nullptr, nullptr, nullptr, word};
        if constexpr (Call == list_call::put)
          x.operand = values;
        else
          x.result = values;
        return begin_gathered(core, s, x);
      },
      alone);
}

// One element, of the base datatype where `type` is opaque. Requires: it has an effect or a result,
// which is usable after a flush.
template <class Otherwise>
errc accumulate_one(window_core& core, atomic_op op, primitive type, rank r, disp i,
                    const void* operand, void* result, Otherwise alone) noexcept {
  const auto call = result == nullptr ? list_call::accumulate : list_call::fetch_op;
  return by_stream(
      core, r,
      [&](packet_streams&, packet_streams::stream& s) noexcept {
        return begin_defined(core, s, op,
                             {call, packet_word::number(op), r, i, operand, nullptr, result, type});
      },
      alone);
}

errc accumulate_n_gathered(window_core& core, atomic_op op, rank r, disp i, const void* operands,
                           void* results, std::size_t n, detail::request_state* also,
                           call_site at) noexcept {
  const bool reads_or_writes = op != atomic_op::no_op || results != nullptr;
  if (also != nullptr || n != 1 || !reads_or_writes)
    return behind_packets<&operation_table::accumulate_n>(core, op, r, i, operands, results, n,
                                                          also, at);
  return accumulate_one(core, op, primitive::opaque, r, i, operands, results,
                        [&](const operation_table& to) noexcept {
                          return to.accumulate_n(core, op, r, i, operands, results, n, also, at);
                        });
}

errc accumulate_as_gathered(window_core& core, atomic_op op, primitive type, rank r, disp i,
                            const void* operands, void* results, std::size_t n,
                            detail::request_state* also, call_site at) noexcept {
  const bool reads_or_writes = op != atomic_op::no_op || results != nullptr;
  if (also != nullptr || n != 1 || type == primitive::opaque || !reads_or_writes)
    return behind_packets<&operation_table::accumulate_as>(core, op, type, r, i, operands, results,
                                                           n, also, at);
  return accumulate_one(
      core, op, type, r, i, operands, results, [&](const operation_table& to) noexcept {
        return to.accumulate_as(core, op, type, r, i, operands, results, n, also, at);
      });
}

errc fetch_op_as_gathered(window_core& core, atomic_op op, primitive type, rank r, disp i,
                          const void* operand, void* result, call_site at) noexcept {
  if (type == primitive::opaque || result == nullptr)
    return behind_packets<&operation_table::fetch_op_as>(core, op, type, r, i, operand, result, at);
  return by_stream(
      core, r,
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
      core, r,
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
  t.put_n = move_n_gathered<&table::put_n, list_call::put, const void*>;
  t.get_n = move_n_gathered<&table::get_n, list_call::get, void*>;
  t.accumulate_n = accumulate_n_gathered;
  t.accumulate_as = accumulate_as_gathered;
  t.fetch_op_as = fetch_op_as_gathered;
  t.compare_swap_as = compare_swap_as_gathered<&table::compare_swap_as>;
  t.begin_compare_swap_as = compare_swap_as_gathered<&table::begin_compare_swap_as>;
  put_behind_packets<&table::accumulate_typed, &table::put_notify, &table::put_notify_typed>(t);
}

}  // namespace oriel::win
