// Around all operations where origins may lie in device memory: such a buffer is copied to the
// host's memory first, or from it at the end, unless the target is a device's too, whose runtime
// reaches both. Complete on return.
#include <algorithm>
#include <memory>
#include <new>

#include "kinds/classify.hpp"
#include "win/layout_walk.hpp"
#include "win/request_state.hpp"
#include "win/slots.hpp"
#include "win/target.hpp"

namespace oriel::win {
namespace {

using detail::request_state;
using detail::typed_operands;

bool is_on_device(const void* p) noexcept {
  const auto found = p == nullptr ? std::nullopt : kinds::classify(p);
  return found && found->where == kinds::residence::device;
}

// The host's copy of a buffer in device memory; of any other buffer, the buffer.
class host_copy {
 public:
  // `keeps`: parts of it that nothing is written to must come back as they were.
  host_copy(const void* buffer, stretch data, bool keeps) noexcept
      : buffer_(static_cast<std::byte*>(const_cast<void*>(buffer))), data_(data) {
    if (data.bytes == 0 || !is_on_device(data_at())) return;
    runtime_ = kinds::runtime(kinds::classify(data_at())->whose);
    copy_.reset(new (std::nothrow) std::byte[data.bytes]);
    if (copy_ == nullptr)
      failed_ = errc::no_mem;
    else if (keeps)
      failed_ = runtime_->copy(copy_.get(), data_at(), data.bytes);
  }
  [[nodiscard]] errc failed() const noexcept { return failed_; }
  [[nodiscard]] bool made() const noexcept { return copy_ != nullptr; }
  [[nodiscard]] std::byte* get() const noexcept {
    return copy_ == nullptr ? buffer_ : moved(copy_.get(), -data_.first);
  }
  errc deliver() noexcept {
    return copy_ == nullptr ? errc::success : runtime_->copy(data_at(), copy_.get(), data_.bytes);
  }

 private:
  [[nodiscard]] std::byte* data_at() const noexcept { return moved(buffer_, data_.first); }

  std::byte* buffer_;
  stretch data_;
  kinds::device_runtime* runtime_ = nullptr;
  std::unique_ptr<std::byte[]> copy_;
  errc failed_ = errc::success;
};

stretch elements(const window_core& core, std::size_t n) noexcept {
  return {0, n * core.extent};
}

// Operations on the copies are complete, so that these may go and results be delivered.
template <class Operation>
errc staged(window_core& core, rank r, host_copy& origin, host_copy& result,
            Operation operation) noexcept {
  for (const host_copy* c : {&origin, &result})
    if (c->failed() != errc::success)
      return core.fail(c->failed(), "a buffer in device memory could not be copied to the host");
  errc e = operation();
  if (!origin.made() && !result.made()) return e;
  const errc ended = core.routes.to(r).flush(core, r);
  if (e == errc::success) e = ended;
  return e == errc::success ? result.deliver() : e;
}

// Long and dense, to or from another node: piece by piece.
constexpr std::size_t long_transfer = 64 * 1024;
bool goes_in_pieces(const window_core& core, rank r, std::size_t n, const void* buffer) noexcept {
  return core.routes.to(r).tracked && core.base.contiguous() &&
         !core.promised.has(assertion::attach) && n * core.extent >= long_transfer &&
         is_on_device(buffer);
}

// `transfer` gets the staging, and the elements.
template <class Transfer>
errc in_pieces(window_core& core, rank r, disp i, std::size_t n, const void* buffer,
               Transfer transfer) noexcept {
  target at;
  if (const errc e = find_target(core, r, i, n, at); e != errc::success) return e;
  try {
    {
      const std::lock_guard hold(core.late_mutex);
      if (core.staging == nullptr)
        core.staging =
            std::make_unique<origin_staging>(*kinds::runtime(kinds::classify(buffer)->whose));
    }
    return transfer(*core.staging, at);
  } catch (const error& failure) {
    return fail_with(core, failure.code(), r, "staging a buffer in device memory");
  } catch (const std::bad_alloc&) {
    return fail_with(core, errc::no_mem, r, "staging a buffer in device memory");
  }
}

errc put_n(window_core& core, rank r, disp i, const void* values, std::size_t n,
           request_state* also, call_site at) noexcept {
  if (core.routes.to(r).reaches_devices)
    return core.unstaged.put_n(core, r, i, values, n, also, at);
  if (goes_in_pieces(core, r, n, values))
    return in_pieces(core, r, i, n, values, [&](origin_staging& way, const target& at) {
      return way.put(core, at, static_cast<const std::byte*>(values), n * core.extent);
    });
  host_copy origin(values, elements(core, n), true);
  host_copy none(nullptr, {}, false);
  return staged(core, r, origin, none, [&] {
    return core.unstaged.put_n(core, r, i, origin.get(), n, origin.made() ? nullptr : also, at);
  });
}

errc get_n(window_core& core, rank r, disp i, void* values, std::size_t n, request_state* also,
           call_site at) noexcept {
  if (core.routes.to(r).reaches_devices)
    return core.unstaged.get_n(core, r, i, values, n, also, at);
  if (goes_in_pieces(core, r, n, values))
    return in_pieces(core, r, i, n, values, [&](origin_staging& way, const target& at) {
      return way.get(core, at, static_cast<std::byte*>(values), n * core.extent);
    });
  host_copy none(nullptr, {}, false);
  host_copy result(values, elements(core, n), !core.base.contiguous());
  return staged(core, r, none, result, [&] {
    return core.unstaged.get_n(core, r, i, result.get(), n, result.made() ? nullptr : also, at);
  });
}

errc put(window_core& core, rank r, disp i, const void* value, call_site at) noexcept {
  if (!is_on_device(value)) return core.unstaged.put(core, r, i, value, at);
  return put_n(core, r, i, value, 1, nullptr, at);
}

errc get(window_core& core, rank r, disp i, void* value, call_site at) noexcept {
  if (!is_on_device(value)) return core.unstaged.get(core, r, i, value, at);
  return get_n(core, r, i, value, 1, nullptr, at);
}

errc accumulate_n(window_core& core, atomic_op op, rank r, disp i, const void* operands,
                  void* results, std::size_t n, request_state* also, call_site at) noexcept {
  const bool reads = op != atomic_op::no_op;
  host_copy origin(operands, elements(core, reads ? n : 0), true);
  host_copy result(results, elements(core, results == nullptr ? 0 : n), !core.base.contiguous());
  return staged(core, r, origin, result, [&] {
    const bool copied = origin.made() || result.made();
    return core.unstaged.accumulate_n(core, op, r, i, origin.get(), result.get(), n,
                                      copied ? nullptr : also, at);
  });
}

errc accumulate(window_core& core, atomic_op op, rank r, disp i, const void* operand,
                call_site at) noexcept {
  if (!is_on_device(operand)) return core.unstaged.accumulate(core, op, r, i, operand, at);
  return accumulate_n(core, op, r, i, operand, nullptr, 1, nullptr, at);
}

errc fetch_op(window_core& core, atomic_op op, rank r, disp i, const void* operand, void* result,
              call_site at) noexcept {
  if (!is_on_device(operand) && !is_on_device(result))
    return core.unstaged.fetch_op(core, op, r, i, operand, result, at);
  return accumulate_n(core, op, r, i, operand, result, 1, nullptr, at);
}

// `operation`: the inner one, with host copies of both buffers; no request is told of it then.
template <class Operation>
errc typed(window_core& core, rank r, const typed_operands& x, request_state* also,
           Operation operation) noexcept {
  host_copy origin(x.origin, x.origin_shape == nullptr ? stretch{} : stretch_of(*x.origin_shape),
                   true);
  host_copy result(x.result, x.result_shape == nullptr ? stretch{} : stretch_of(*x.result_shape),
                   true);
  return staged(core, r, origin, result, [&] {
    typed_operands copied = x;
    copied.origin = origin.get();
    copied.result = result.get();
    return operation(copied, origin.made() || result.made() ? nullptr : also);
  });
}

errc put_typed(window_core& core, rank r, disp i, const typed_operands& x, request_state* also,
               call_site at) noexcept {
  return typed(core, r, x, also, [&](const typed_operands& copied, request_state* told) {
    return core.unstaged.put_typed(core, r, i, copied, told, at);
  });
}

errc get_typed(window_core& core, rank r, disp i, const typed_operands& x, request_state* also,
               call_site at) noexcept {
  return typed(core, r, x, also, [&](const typed_operands& copied, request_state* told) {
    return core.unstaged.get_typed(core, r, i, copied, told, at);
  });
}

errc accumulate_typed(window_core& core, atomic_op op, rank r, disp i, const typed_operands& x,
                      request_state* also, call_site at) noexcept {
  return typed(core, r, x, also, [&](const typed_operands& copied, request_state* told) {
    return core.unstaged.accumulate_typed(core, op, r, i, copied, told, at);
  });
}

errc accumulate_as(window_core& core, atomic_op op, primitive type, rank r, disp i,
                   const void* operands, void* results, std::size_t n, request_state* also,
                   call_site at) noexcept {
  const stretch all{0, n * size_of(type)};
  host_copy origin(operands, op == atomic_op::no_op ? stretch{} : all, true);
  host_copy result(results, results == nullptr ? stretch{} : all, false);
  return staged(core, r, origin, result, [&] {
    const bool copied = origin.made() || result.made();
    return core.unstaged.accumulate_as(core, op, type, r, i, origin.get(), result.get(), n,
                                       copied ? nullptr : also, at);
  });
}

errc fetch_op_as(window_core& core, atomic_op op, primitive type, rank r, disp i,
                 const void* operand, void* result, call_site at) noexcept {
  if (!is_on_device(operand) && !is_on_device(result))
    return core.unstaged.fetch_op_as(core, op, type, r, i, operand, result, at);
  return accumulate_as(core, op, type, r, i, operand, result, 1, nullptr, at);
}

// `swap`: the inner operation.
template <class Swap>
errc swapped(window_core& core, rank r, std::size_t bytes, const void* expected,
             const void* desired, void* result, Swap swap) noexcept {
  host_copy before(expected, {0, bytes}, true);
  host_copy after(desired, {0, bytes}, true);
  host_copy found(result, {0, bytes}, false);
  if (after.failed() != errc::success) return core.fail(after.failed(), "compare_swap");
  return staged(core, r, before, found,
                [&] { return swap(before.get(), after.get(), found.get()); });
}

errc compare_swap(window_core& core, rank r, disp i, const void* expected, const void* desired,
                  void* result, call_site at) noexcept {
  return swapped(core, r, core.extent, expected, desired, result,
                 [&](const void* before, const void* after, void* found) {
                   return core.unstaged.compare_swap(core, r, i, before, after, found, at);
                 });
}

errc compare_swap_as(window_core& core, primitive type, rank r, disp i, const void* expected,
                     const void* desired, void* result, call_site at) noexcept {
  return swapped(core, r, size_of(type), expected, desired, result,
                 [&](const void* before, const void* after, void* found) {
                   return core.unstaged.compare_swap_as(core, type, r, i, before, after, found, at);
                 });
}

errc put_notify(window_core& core, rank r, disp i, const void* values, std::size_t n,
                std::size_t counter, call_site at) noexcept {
  host_copy origin(values, elements(core, n), true);
  host_copy none(nullptr, {}, false);
  return staged(core, r, origin, none,
                [&] { return core.unstaged.put_notify(core, r, i, origin.get(), n, counter, at); });
}

}  // namespace

void fill_staged_slots(operation_table& t) {
  t.put = put;
  t.get = get;
  t.put_n = put_n;
  t.get_n = get_n;
  t.accumulate = accumulate;
  t.accumulate_n = accumulate_n;
  t.fetch_op = fetch_op;
  t.compare_swap = compare_swap;
  t.put_typed = put_typed;
  t.get_typed = get_typed;
  t.accumulate_typed = accumulate_typed;
  t.accumulate_as = accumulate_as;
  t.fetch_op_as = fetch_op_as;
  t.compare_swap_as = compare_swap_as;
  t.put_notify = put_notify;
}

}  // namespace oriel::win
