// Around all operations where origins may lie in device memory: such a buffer is copied to the
// host's memory first, or from it at the end, unless the target is a device's too, whose runtime
// reaches both. Complete on return.
#include <algorithm>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>

#include "kinds/classify.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/slots/operands.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"

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

// The host's copies of an operation's buffers, in place of those that lie in device memory.
class stand_ins {
 public:
  stand_ins(const window_core& core, const operands& x) noexcept
      : first_(x.origins[0], x.origin_stretch(), true),
        second_(x.origins[1], x.origins[1] == nullptr ? stretch{} : x.origin_stretch(), true),
        result_(x.result, x.result_stretch(), x.sparse(core)) {
    if (x.shapes == nullptr) return;
    shapes_ = *x.shapes;
    shapes_.origin = first_.get();
    shapes_.result = result_.get();
  }
  [[nodiscard]] errc failed() const noexcept {
    for (const host_copy* c : {&first_, &second_, &result_})
      if (c->failed() != errc::success) return c->failed();
    return errc::success;
  }
  [[nodiscard]] bool any() const noexcept {
    return first_.made() || second_.made() || result_.made();
  }
  errc deliver() noexcept { return result_.deliver(); }

  // What the operation is given for each argument, in their order.
  const void* in_place_of(const void*) noexcept { return (next_++ == 0 ? first_ : second_).get(); }
  void* in_place_of(void*) noexcept { return result_.get(); }
  const typed_operands& in_place_of(const typed_operands&) noexcept { return shapes_; }
  request_state* in_place_of(request_state*) noexcept { return nullptr; }  // complete on return
  template <class Other>
  Other in_place_of(Other other) noexcept {
    return other;
  }

 private:
  host_copy first_, second_, result_;
  typed_operands shapes_;
  int next_ = 0;
};

// Long and dense, to or from another node: piece by piece.
constexpr std::size_t long_transfer = std::size_t{64} << 10;
bool goes_in_pieces(const window_core& core, const operands& x, const void* buffer) noexcept {
  return core.routes.to(x.to).tracked && core.agreed.base.contiguous() &&
         !core.agreed.promised.has(assertion::attach) && x.bytes >= long_transfer &&
         is_on_device(buffer);
}

errc in_pieces(window_core& core, const operands& x) noexcept {
  const bool puts = x.result == nullptr;
  const void* const buffer = puts ? x.origins[0] : x.result;
  target at;
  if (const errc e = find_target(core, x.to, x.first, covering(core, x.bytes), at);
      e != errc::success)
    return e;
  count(core, puts ? operation_kind::put : operation_kind::get, at.by->counted, x.bytes);
  try {
    const auto found = kinds::classify(buffer);
    origin_staging& staging = staging_of(core, *kinds::runtime(found->whose), found->device);
    return puts ? staging.put(core, at, static_cast<const std::byte*>(buffer), x.bytes)
                : staging.get(core, at, static_cast<std::byte*>(x.result), x.bytes);
  } catch (const error& failure) {
    return fail_with(core, failure.code(), x.to, "staging a buffer in device memory");
  } catch (const std::bad_alloc&) {
    return fail_with(core, errc::no_mem, x.to, "staging a buffer in device memory");
  }
}

// Puts and gets of elements of the base datatype, which may go in other ways than by host copies.
template <class Slot>
constexpr bool moves_elements(Slot) noexcept {
  using table = operation_table;
  return std::is_same_v<Slot, decltype(&table::put)> ||
         std::is_same_v<Slot, decltype(&table::get)> ||
         std::is_same_v<Slot, decltype(&table::put_n)> ||
         std::is_same_v<Slot, decltype(&table::get_n)>;
}

// Around the operation of one slot. Operations on copies are complete, so that these may go and
// results be delivered.
template <auto Slot, class... Args>
errc staged(window_core& core, Args... args) noexcept {
  const operands x(core, args...);
  if (!core.group->has(x.to))
    return (core.operations.unstaged.*Slot)(core, args...);  // some slots refuse it
  const route& by = core.routes.to(x.to);
  if constexpr (moves_elements(Slot)) {
    if (by.reaches_devices) return (core.operations.unstaged.*Slot)(core, args...);
    if (goes_in_pieces(core, x, x.result == nullptr ? x.origins[0] : x.result))
      return in_pieces(core, x);
  }
  stand_ins copies(core, x);
  if (copies.failed() != errc::success)
    return core.fail(copies.failed(), "a buffer in device memory could not be copied to the host");
  if (!copies.any()) return (core.operations.unstaged.*Slot)(core, args...);
  // In braces the arguments are taken in order.
  std::tuple<window_core&, Args...> replaced{core, copies.in_place_of(args)...};
  errc e = std::apply(core.operations.unstaged.*Slot, replaced);
  const errc ended = by.flush(core, x.to);
  if (e == errc::success) e = ended;
  return e == errc::success ? copies.deliver() : e;
}

template <auto Slot, class... Args>
void put_staging(errc (*&slot)(window_core&, Args...) noexcept) {
  slot = staged<Slot, Args...>;
}

template <auto... Slots>
void put_staging_around(operation_table& t) {
  (put_staging<Slots>(t.*Slots), ...);
}

}  // namespace

void fill_staged_slots(operation_table& t) {
  using table = operation_table;
  put_staging_around<&table::put, &table::get, &table::put_n, &table::get_n, &table::accumulate,
                     &table::accumulate_n, &table::fetch_op, &table::compare_swap,
                     &table::put_typed, &table::get_typed, &table::accumulate_typed,
                     &table::accumulate_as, &table::fetch_op_as, &table::compare_swap_as,
                     &table::begin_compare_swap_as, &table::put_notify, &table::put_notify_typed>(
      t);
}

}  // namespace oriel::win
