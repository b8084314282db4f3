// put and get.
#include <cstring>

#include "oriel/detail/copy_bytes.hpp"
#include "oriel/detail/cpu_atomic.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/route/request_state.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"

namespace oriel::win {
namespace {

using detail::request_state;

// Mapped everywhere, one element of a size that one instruction moves. Each function is one or two
// dozen instructions and lies in a line of the cache or little more: of a dozen, fetching a second
// line takes a tenth longer.
template <class Word, counting How>
[[gnu::aligned(cache_line)]] errc put_word(window_core& core, rank r, disp i, const void* value,
                                           call_site) noexcept {
  Word word;
  std::memcpy(&word, value, sizeof word);
  detail::cpu_store(mapped_element<Word>(core, r, i), word);
  return count_word<Word, How>(core, operation_kind::put, r);
}

template <class Word, counting How>
[[gnu::aligned(cache_line)]] errc get_word(window_core& core, rank r, disp i, void* value,
                                           call_site) noexcept {
  const Word word = detail::cpu_load(mapped_element<Word>(core, r, i));
  return count_word<Word, How>(core, operation_kind::get, r,
                               [&] { std::memcpy(value, &word, sizeof word); });
}

// Mapped everywhere, any dense element type.
errc put_all_mapped(window_core& core, rank r, disp i, const void* values, std::size_t n,
                    tracker*) noexcept {
  if (n == 0) return errc::success;
  const std::size_t bytes = n * core.agreed.extent;
  count(core, operation_kind::put, counted_by(core, r), bytes);
  detail::copy_bytes(mapped_at(core, r, i), values, bytes);
  return errc::success;
}

errc get_all_mapped(window_core& core, rank r, disp i, void* values, std::size_t n,
                    tracker*) noexcept {
  if (n == 0) return errc::success;
  const std::size_t bytes = n * core.agreed.extent;
  count(core, operation_kind::get, counted_by(core, r), bytes);
  detail::copy_bytes(values, mapped_at(core, r, i), bytes);
  return errc::success;
}

// Any route, dense element types.
errc put_dense(window_core& core, rank r, disp i, const void* values, std::size_t n,
               tracker* also) noexcept {
  target at;
  if (n == 0) return errc::success;
  if (const errc e = find_target(core, r, i, n, at); e != errc::success) return e;
  const std::size_t bytes = n * core.agreed.extent;
  count(core, operation_kind::put, at.by->counted, bytes);
  return at.by->put(core, at, 0, values, bytes, also);
}

errc get_dense(window_core& core, rank r, disp i, void* values, std::size_t n,
               tracker* also) noexcept {
  target at;
  if (n == 0) return errc::success;
  if (const errc e = find_target(core, r, i, n, at); e != errc::success) return e;
  const std::size_t bytes = n * core.agreed.extent;
  count(core, operation_kind::get, at.by->counted, bytes);
  return at.by->get(core, at, 0, values, bytes, also);
}

errc check_shapes(window_core& core, const shape& here, const shape& there, const char* what) {
  if (datatype::signatures_match(here.type, here.count, there.type, there.count))
    return errc::success;
  return core.fail(errc::type, std::string(what) + ": the type signatures differ: " +
                                   std::to_string(here.count) + " of " + here.type.describe() +
                                   " here, " + std::to_string(there.count) + " of " +
                                   there.type.describe() + " at the target");
}

// Finds what the target shape covers. `at.mapped` and `at.address` stay empty when there are no
// data.
errc find_shape(window_core& core, operation_kind k, rank r, disp i, const shape& here,
                const shape& there, target& at) noexcept {
  if (const errc e = check_shapes(core, here, there, k == operation_kind::put ? "put" : "get");
      e != errc::success)
    return e;
  const std::size_t bytes = there.count * there.type.size();
  if (bytes == 0) return errc::success;
  const errc e = find_target(core, r, i, there, at);
  if (e == errc::success) count(core, k, at.by->counted, bytes);
  return e;
}

// Mapped memory is copied layout to layout; other memory piece by piece, in typemap order.
errc put_layout(window_core& core, rank r, disp i, const detail::typed_operands& x,
                tracker* also) noexcept {
  target at;
  const auto* const origin = static_cast<const std::byte*>(x.origin);
  if (const errc e =
          find_shape(core, operation_kind::put, r, i, *x.origin_shape, *x.target_shape, at);
      e != errc::success)
    return e;
  if (at.mapped != nullptr) {
    copy_between(origin, *x.origin_shape, at.mapped, *x.target_shape);
    return errc::success;
  }
  if (is_moved_whole(at) && at.by->put_shape != nullptr)
    return at.by->put_shape(core, at, origin, *x.origin_shape, *x.target_shape, also);
  return for_each_pair(
      *x.origin_shape, *x.target_shape,
      [&](std::ptrdiff_t here, std::ptrdiff_t there, primitive, std::size_t n) noexcept {
        return at_piece(core, at, i, there, n, [&](const target& piece, std::ptrdiff_t offset) {
          return piece.by->put(core, piece, offset, moved(origin, here), n, also);
        });
      });
}

errc get_layout(window_core& core, rank r, disp i, const detail::typed_operands& x,
                tracker* also) noexcept {
  target at;
  auto* const result = static_cast<std::byte*>(x.result);
  if (const errc e =
          find_shape(core, operation_kind::get, r, i, *x.result_shape, *x.target_shape, at);
      e != errc::success)
    return e;
  if (at.mapped != nullptr) {
    copy_between(at.mapped, *x.target_shape, result, *x.result_shape);
    return errc::success;
  }
  if (is_moved_whole(at) && at.by->get_shape != nullptr)
    return at.by->get_shape(core, at, result, *x.result_shape, *x.target_shape, also);
  return for_each_pair(
      *x.result_shape, *x.target_shape,
      [&](std::ptrdiff_t here, std::ptrdiff_t there, primitive, std::size_t n) noexcept {
        return at_piece(core, at, i, there, n, [&](const target& piece, std::ptrdiff_t offset) {
          return piece.by->get(core, piece, offset, moved(result, here), n, also);
        });
      });
}

// A derived base type: its gaps are not moved.
errc put_sparse(window_core& core, rank r, disp i, const void* values, std::size_t n,
                tracker* also) noexcept {
  const shape both{core.agreed.base, n};
  return put_layout(core, r, i, {.origin = values, .origin_shape = &both, .target_shape = &both},
                    also);
}

errc get_sparse(window_core& core, rank r, disp i, void* values, std::size_t n,
                tracker* also) noexcept {
  const shape both{core.agreed.base, n};
  return get_layout(core, r, i, {.result = values, .result_shape = &both, .target_shape = &both},
                    also);
}

// One element: its source is reusable, and its result usable, on return. Short ones are as soon as
// they are begun, but for results from another node.
template <auto Begin, bool Reads, class Buffer>
errc finish_one(window_core& core, rank r, disp i, Buffer value) noexcept {
  static_assert(transport::most_kept <= device_window::at_once);
  const route& by = core.routes.to(r);
  const bool is_short = core.agreed.extent <= transport::most_kept;
  if (!by.tracked || (is_short && !Reads)) {
    const errc e = Begin(core, r, i, value, 1, nullptr);
    return e != errc::success || is_short ? e : by.flush(core, r);
  }
  tracker one;
  const errc begun = Begin(core, r, i, value, 1, &one);
  return wait_for(core, one, r, begun, "an element's transfer");
}

template <auto PutN>
errc put_one(window_core& core, rank r, disp i, const void* value, call_site) noexcept {
  return finish_one<PutN, false>(core, r, i, value);
}

template <auto GetN>
errc get_one(window_core& core, rank r, disp i, void* value, call_site) noexcept {
  return finish_one<GetN, true>(core, r, i, value);
}

template <auto PutN>
errc put_several(window_core& core, rank r, disp i, const void* values, std::size_t n,
                 request_state* also, call_site) noexcept {
  return PutN(core, r, i, values, n, tracker_of(also));
}

template <auto GetN>
errc get_several(window_core& core, rank r, disp i, void* values, std::size_t n,
                 request_state* also, call_site) noexcept {
  return GetN(core, r, i, values, n, tracker_of(also));
}

errc put_typed(window_core& core, rank r, disp i, const detail::typed_operands& x,
               request_state* also, call_site) noexcept {
  return put_layout(core, r, i, x, tracker_of(also));
}

errc get_typed(window_core& core, rank r, disp i, const detail::typed_operands& x,
               request_state* also, call_site) noexcept {
  return get_layout(core, r, i, x, tracker_of(also));
}

template <auto PutN, auto GetN>
void fill(operation_table& table) {
  table.put = put_one<PutN>;
  table.get = get_one<GetN>;
  table.put_n = put_several<PutN>;
  table.get_n = get_several<GetN>;
}

template <class Word>
void fill_word(operation_table& table, counting counted) {
  with_counting(counted, [&](auto how) {
    table.put = put_word<Word, how()>;
    table.get = get_word<Word, how()>;
  });
}

}  // namespace

void fill_data_slots(operation_table& table, const window_core& core) {
  table.put_typed = put_typed;
  table.get_typed = get_typed;
  if (!core.agreed.base.contiguous()) return fill<put_sparse, get_sparse>(table);
  if (!core.agreed.plan.all_mapped || core.agreed.watched) return fill<put_dense, get_dense>(table);
  fill<put_all_mapped, get_all_mapped>(table);
  const bool aligned = core.agreed.element != primitive::opaque;
  if (!aligned) return;
  switch (core.agreed.extent) {
    case 1:
      return fill_word<std::uint8_t>(table, core.agreed.counted);
    case 2:
      return fill_word<std::uint16_t>(table, core.agreed.counted);
    case 4:
      return fill_word<std::uint32_t>(table, core.agreed.counted);
    case 8:
      return fill_word<std::uint64_t>(table, core.agreed.counted);
    default:
      return;
  }
}

}  // namespace oriel::win
