#include "oriel/any_window.hpp"

#include "win/begin_request.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/dismantle.hpp"
#include "win/construct/hints_in_force.hpp"
#include "win/explain.hpp"
#include "win/route/kernel_atomics.hpp"
#include "win/slots/slots.hpp"
#include "win/window_core.hpp"

namespace oriel {

using detail::typed_operands;
using detail::window_core;

namespace {

// Of no window, since which one it was is not known any more.
constexpr const char* closed = "this window has been freed or moved from, or was never made [win]";

}  // namespace

any_window any_window::allocate(const team& t, std::size_t count, const datatype& base,
                                assertion_set promised, const window_options& options, bool bare) {
  win::construction c{win::flavor::allocate, nullptr, count, base, promised, &options, bare};
  return any_window(win::build(t, c).release()->view);
}

any_window any_window::create(const team& t, void* memory, std::size_t count, const datatype& base,
                              assertion_set promised, const window_options& options, bool bare) {
  win::construction c{win::flavor::create, memory, count, base, promised, &options, bare};
  return any_window(win::build(t, c).release()->view);
}

any_window any_window::create(const team& t, const datatype& base, assertion_set promised,
                              const window_options& options) {
  return create(t, nullptr, 0, base, promised, options);
}

any_window::any_window(any_window&& other) noexcept
    : view_(std::exchange(other.view_, detail::closed_view)) {}

any_window& any_window::operator=(any_window&& other) noexcept {
  if (this != &other) {
    static_cast<void>(free());
    view_ = std::exchange(other.view_, detail::closed_view);
  }
  return *this;
}

any_window::~any_window() {
  static_cast<void>(free());
}

status any_window::free() noexcept {
  if (!valid()) return {};
  return win::dismantle(
      std::unique_ptr<window_core>(std::exchange(view_, detail::closed_view).core));
}

team any_window::members() const {
  return valid() ? team(view_.core->group) : team();
}
const datatype& any_window::base() const noexcept {
  return view_.core->agreed.base;
}
assertion_set any_window::assertions() const noexcept {
  return view_.core->agreed.promised;
}
const std::string& any_window::name() const noexcept {
  return view_.core->agreed.name;
}
info any_window::hints() const {
  return valid() ? win::hints_in_force(*view_.core) : info();
}
std::string any_window::explain() const {
  return valid() ? win::explain(*view_.core) : closed;
}
std::size_t any_window::metadata_bytes() const noexcept {
  return view_.core->memory.layout.bytes;
}
// A closed window has no memory. It throws nothing here, where windows with fixed assertions ask
// from functions that are noexcept.
std::byte* any_window::local() const {
  if (!valid()) return nullptr;
  win::require_promise(*view_.core, assertion::local_load_store, "local()");
  return view_.core->memory.local;
}
shared_segment<std::byte> any_window::remote(rank r) const {
  if (!valid()) return {};
  win::require_promise(*view_.core, assertion::remote_load_store | assertion::node_load_store,
                       "remote()");
  return shared_query(r);
}
std::byte* const* any_window::bases() const {
  if (!valid()) return nullptr;
  win::window_memory& memory = view_.core->memory;
  const std::lock_guard hold(memory.making_bases);
  if (memory.bases.empty()) try {
      const auto n = static_cast<std::size_t>(view_.core->ranks());
      std::vector<std::byte*> made(n);
      // Not by the view's segments, which are hidden where operations are checked or held back.
      for (std::size_t r = 0; r < n; ++r) made[r] = shared_query(rank{static_cast<int>(r)}).base;
      memory.bases = std::move(made);
    } catch (const std::bad_alloc&) {
      throw error(errc::no_mem, "no memory for a view of " + std::to_string(view_.core->ranks()) +
                                    " ranks, of 8 bytes each");
    }
  return memory.bases.data();
}
std::uint64_t any_window::local_count() const noexcept {
  return view_.core->memory.local_count;
}
std::uint64_t any_window::elements_of(rank r) const noexcept {
  if (!valid() || !view_.core->group->has(r)) return 0;
  return view_.core->agreed.promised.has(assertion::attach) ? 0 : view_.core->shared_entry(r).count;
}
std::string any_window::failure() const {
  return valid() ? view_.core->failure.last() : closed;
}
std::string any_window::first_failure() const {
  return valid() ? view_.core->failure.first() : closed;
}
void any_window::clear_failure() noexcept {
  if (valid()) view_.core->clear_failure();
}

segment<std::byte> any_window::attach(void* memory, std::size_t count, call_site at) {
  segment<std::byte> attached;
  const errc e = view_.ops->attach(*view_.core, memory, count, &attached, at);
  if (e != errc::success) throw error(e, failure());
  return attached;
}
status any_window::detach(segment_handle handle, call_site at) noexcept {
  return view_.ops->detach(*view_.core, handle, at);
}

status any_window::put(rank r, disp i, const void* values, std::size_t n, call_site at) noexcept {
  return n == 1 ? view_.ops->put(*view_.core, r, i, values, at)
                : view_.ops->put_n(*view_.core, r, i, values, n, nullptr, at);
}
status any_window::get(rank r, disp i, void* values, std::size_t n, call_site at) noexcept {
  return n == 1 ? view_.ops->get(*view_.core, r, i, values, at)
                : view_.ops->get_n(*view_.core, r, i, values, n, nullptr, at);
}
status any_window::accumulate(atomic_op op, rank r, disp i, const void* operands, std::size_t n,
                              call_site at) noexcept {
  return n == 1 ? view_.ops->accumulate(*view_.core, op, r, i, operands, at)
                : view_.ops->accumulate_n(*view_.core, op, r, i, operands, nullptr, n, nullptr, at);
}
status any_window::get_accumulate(atomic_op op, rank r, disp i, const void* operands, void* results,
                                  std::size_t n, call_site at) noexcept {
  return n == 1 ? view_.ops->fetch_op(*view_.core, op, r, i, operands, results, at)
                : view_.ops->accumulate_n(*view_.core, op, r, i, operands, results, n, nullptr, at);
}
status any_window::fetch_op(atomic_op op, rank r, disp i, const void* operand, void* result,
                            call_site at) noexcept {
  return view_.ops->fetch_op(*view_.core, op, r, i, operand, result, at);
}
status any_window::compare_swap(rank r, disp i, const void* expected, const void* desired,
                                void* result, call_site at) noexcept {
  return view_.ops->compare_swap(*view_.core, r, i, expected, desired, result, at);
}

detail::device_view any_window::kernel_view() {
  if (!valid()) throw error(errc::win, closed);
  window_core& core = *view_.core;
  const std::lock_guard one_at_a_time(core.devices.late);
  if (core.devices.kernels == nullptr) {
    core.devices.kernels = std::make_unique<win::kernel_access>(core);
    core.devices.serving.store(core.devices.kernels.get(), std::memory_order_release);
    core.hot.pending.fetch_add(1, std::memory_order_release);  // flushes look at the ring
  }
  return core.devices.kernels->view();
}

std::string any_window::lacks_kernel_atomics(rank r) const {
  if (!valid()) throw error(errc::win, closed);
  const window_core& core = *view_.core;
  return core.group->has(r) ? win::lacks_kernel_atomics(core, r) : std::string();
}

request any_window::rput(rank r, disp i, const void* values, std::size_t n, call_site at) noexcept {
  return win::begin_request(*view_.core, r, at, [&](detail::request_state* q) {
    return view_.ops->put_n(*view_.core, r, i, values, n, q, at);
  });
}
request any_window::rget(rank r, disp i, void* values, std::size_t n, call_site at) noexcept {
  return win::begin_request(*view_.core, r, at, [&](detail::request_state* q) {
    return view_.ops->get_n(*view_.core, r, i, values, n, q, at);
  });
}
request any_window::rget_accumulate(atomic_op op, rank r, disp i, const void* operands,
                                    void* results, std::size_t n, call_site at) noexcept {
  return win::begin_request(*view_.core, r, at, [&](detail::request_state* q) {
    return view_.ops->accumulate_n(*view_.core, op, r, i, operands, results, n, q, at);
  });
}

namespace {

typed_operands of_put(const void* origin, const shape& origin_shape, const shape& target) noexcept {
  return {origin, &origin_shape, nullptr, nullptr, &target};
}
typed_operands of_get(void* result, const shape& result_shape, const shape& target) noexcept {
  return {nullptr, nullptr, result, &result_shape, &target};
}

}  // namespace

status any_window::put(rank r, disp i, const void* origin, const shape& origin_shape,
                       const shape& target, call_site at) noexcept {
  return view_.ops->put_typed(*view_.core, r, i, of_put(origin, origin_shape, target), nullptr, at);
}
status any_window::get(rank r, disp i, void* result, const shape& result_shape, const shape& target,
                       call_site at) noexcept {
  return view_.ops->get_typed(*view_.core, r, i, of_get(result, result_shape, target), nullptr, at);
}
status any_window::accumulate(atomic_op op, rank r, disp i, const void* origin,
                              const shape& origin_shape, const shape& target,
                              call_site at) noexcept {
  return view_.ops->accumulate_typed(*view_.core, op, r, i, of_put(origin, origin_shape, target),
                                     nullptr, at);
}
status any_window::get_accumulate(atomic_op op, rank r, disp i, const void* origin,
                                  const shape& origin_shape, void* result,
                                  const shape& result_shape, const shape& target,
                                  call_site at) noexcept {
  return view_.ops->accumulate_typed(
      *view_.core, op, r, i, {origin, &origin_shape, result, &result_shape, &target}, nullptr, at);
}
request any_window::rput(rank r, disp i, const void* origin, const shape& origin_shape,
                         const shape& target, call_site at) noexcept {
  return win::begin_request(*view_.core, r, at, [&](detail::request_state* q) {
    return view_.ops->put_typed(*view_.core, r, i, of_put(origin, origin_shape, target), q, at);
  });
}
request any_window::rget(rank r, disp i, void* result, const shape& result_shape,
                         const shape& target, call_site at) noexcept {
  return win::begin_request(*view_.core, r, at, [&](detail::request_state* q) {
    return view_.ops->get_typed(*view_.core, r, i, of_get(result, result_shape, target), q, at);
  });
}
request any_window::raccumulate(atomic_op op, rank r, disp i, const void* origin,
                                const shape& origin_shape, const shape& target,
                                call_site at) noexcept {
  return win::begin_request(*view_.core, r, at, [&](detail::request_state* q) {
    return view_.ops->accumulate_typed(*view_.core, op, r, i, of_put(origin, origin_shape, target),
                                       q, at);
  });
}
request any_window::rget_accumulate(atomic_op op, rank r, disp i, const void* origin,
                                    const shape& origin_shape, void* result,
                                    const shape& result_shape, const shape& target,
                                    call_site at) noexcept {
  return win::begin_request(*view_.core, r, at, [&](detail::request_state* q) {
    return view_.ops->accumulate_typed(
        *view_.core, op, r, i, {origin, &origin_shape, result, &result_shape, &target}, q, at);
  });
}
status any_window::fetch_op(atomic_op op, primitive type, rank r, disp i, const void* operand,
                            void* result, call_site at) noexcept {
  return view_.ops->fetch_op_as(*view_.core, op, type, r, i, operand, result, at);
}
status any_window::accumulate(atomic_op op, primitive type, rank r, disp i, const void* operands,
                              std::size_t n, call_site at) noexcept {
  return get_accumulate(op, type, r, i, operands, nullptr, n, at);
}
status any_window::get_accumulate(atomic_op op, primitive type, rank r, disp i,
                                  const void* operands, void* results, std::size_t n,
                                  call_site at) noexcept {
  return view_.ops->accumulate_as(*view_.core, op, type, r, i, operands, results, n, nullptr, at);
}
request any_window::rget_accumulate(atomic_op op, primitive type, rank r, disp i,
                                    const void* operands, void* results, std::size_t n,
                                    call_site at) noexcept {
  return win::begin_request(*view_.core, r, at, [&](detail::request_state* q) {
    return view_.ops->accumulate_as(*view_.core, op, type, r, i, operands, results, n, q, at);
  });
}
status any_window::compare_swap(primitive type, rank r, disp i, const void* expected,
                                const void* desired, void* result, call_site at) noexcept {
  return view_.ops->compare_swap_as(*view_.core, type, r, i, expected, desired, result, at);
}
status any_window::compare_swap_nbi(primitive type, rank r, disp i, const void* expected,
                                    const void* desired, void* result, call_site at) noexcept {
  return view_.ops->begin_compare_swap_as(*view_.core, type, r, i, expected, desired, result, at);
}

status any_window::perform(const detail::element_list& list, call_site at) noexcept {
  return view_.ops->list(*view_.core, list, at);
}

status any_window::put_notify(rank r, disp i, const void* values, std::size_t n,
                              std::size_t counter, std::uint32_t amount, call_site at) noexcept {
  return view_.ops->put_notify(*view_.core, r, i, values, n, {counter, amount}, at);
}
status any_window::put_notify(rank r, disp i, const void* origin, const shape& origin_shape,
                              const shape& target, std::size_t counter, std::uint32_t amount,
                              call_site at) noexcept {
  return view_.ops->put_notify_typed(*view_.core, r, i, of_put(origin, origin_shape, target),
                                     {counter, amount}, at);
}
status any_window::wait_notify(std::size_t counter, std::uint64_t at_least,
                               std::optional<std::chrono::milliseconds> at_most,
                               call_site at) noexcept {
  return view_.ops->wait_notify(*view_.core, counter, at_least, at_most, at);
}
status any_window::wait_notify_any(std::size_t first, std::span<const std::uint64_t> at_least,
                                   std::size_t& counter,
                                   std::optional<std::chrono::milliseconds> at_most,
                                   call_site at) noexcept {
  return view_.ops->wait_notify_any(*view_.core, first, at_least, &counter, at_most, at);
}
std::uint64_t any_window::notified(std::size_t counter, call_site at) noexcept {
  std::uint64_t value = 0;
  view_.ops->read_notify(*view_.core, counter, detail::notify_read::look, &value, at);
  return value;
}
std::uint64_t any_window::take_notified(std::size_t counter, call_site at) noexcept {
  std::uint64_t value = 0;
  view_.ops->read_notify(*view_.core, counter, detail::notify_read::take, &value, at);
  return value;
}

status any_window::fence(sync_mode mode, call_site at) noexcept {
  return view_.ops->fence(*view_.core, mode, at);
}
status any_window::post(std::span<const rank> origins, sync_mode mode, call_site at) noexcept {
  return view_.ops->post(*view_.core, origins, mode, at);
}
status any_window::start(std::span<const rank> targets, sync_mode mode, call_site at) noexcept {
  return view_.ops->start(*view_.core, targets, mode, at);
}
status any_window::complete(call_site at) noexcept {
  return view_.ops->complete(*view_.core, at);
}
status any_window::wait(call_site at) noexcept {
  return view_.ops->wait(*view_.core, nullptr, at);
}
bool any_window::test(call_site at) noexcept {
  bool done = false;
  return view_.ops->wait(*view_.core, &done, at) != errc::success || done;
}
status any_window::lock(lock_kind kind, rank r, sync_mode mode, call_site at) noexcept {
  return view_.ops->lock(*view_.core, kind, r, mode, at);
}
status any_window::unlock(rank r, call_site at) noexcept {
  return view_.ops->unlock(*view_.core, r, at);
}
status any_window::lock_all(sync_mode mode, call_site at) noexcept {
  return view_.ops->lock_all(*view_.core, mode, at);
}
status any_window::unlock_all(call_site at) noexcept {
  return view_.ops->unlock_all(*view_.core, at);
}
status any_window::flush(rank r, flush_scope scope, call_site at) noexcept {
  return view_.ops->flush(*view_.core, r, scope, at);
}
status any_window::flush_all(flush_scope scope, call_site at) noexcept {
  return view_.ops->flush(*view_.core, any_rank, scope, at);
}
status any_window::sync(call_site at) noexcept {
  return view_.ops->sync(*view_.core, at);
}

}  // namespace oriel
