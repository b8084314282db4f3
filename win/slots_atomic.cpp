// accumulate, get_accumulate, fetch_op and compare_swap.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "atomics/kernels.hpp"
#include "transport/pieces.hpp"
#include "win/apply_request.hpp"
#include "win/layout_walk.hpp"
#include "win/request_state.hpp"
#include "win/slots.hpp"
#include "win/target.hpp"

namespace oriel::win {
namespace {

using detail::typed_operands;
using tracker = transport::pending_ops;

// Only exclusive locks open epochs: nobody else accesses the target meanwhile.
atomics::kernel_mode mode_of(const window_core& core) noexcept {
  return detail::exclusive_only(core.promised) ? atomics::kernel_mode::plain
                                               : atomics::kernel_mode::atomic;
}

atomics::stripes* stripes_of(window_core& core) noexcept {
  return core.stripes ? &*core.stripes : nullptr;
}

errc refuse_op(window_core& core, atomic_op op, primitive type) noexcept {
  if (!core.ops.has(op))
    return core.fail(errc::op, std::string(name(op)) + " is not in the window's op set (" +
                                   to_string(core.ops) + ")");
  return core.fail(errc::op, std::string(name(op)) + " is not defined on " +
                                 std::string(name(type)) + " elements");
}

errc no_kernels(window_core& core) noexcept {
  const std::string why =
      core.device == nullptr ? "" : core.device->runtime().lacks_atomics(core.device->device());
  return core.fail(errc::op, "some rank's device memory has no atomics: " +
                                 (why.empty() ? "its owner's build or device lacks them" : why));
}

errc refuse_on_device(window_core& core, atomic_op op, primitive type) noexcept {
  if (!core.plan.kernels) return no_kernels(core);
  return core.fail(errc::op, "kernels do no " + std::string(name(op)) + " on " +
                                 std::string(name(type)) + " elements in device memory");
}

// Has the owner, on this node, do what `m` says, and waits for it.
errc mail(window_core& core, rank owner, const transport::mail& m, const void* sent,
          std::size_t bytes, void* replied, std::size_t reply_bytes) noexcept {
  boot::wait_word& doorbell =
      core.group->session().job().doorbell(core.group->world_rank(owner.value));
  const errc e = core.mailbox->ask(static_cast<int>(core.place(owner)), doorbell, m, sent, bytes,
                                   replied, reply_bytes);
  return e == errc::success ? e
                            : core.fail(e, "the agent of rank " + std::to_string(owner.value) +
                                               " did not apply an atomic operation");
}

errc mail_accumulate(window_core& core, const target& at, std::ptrdiff_t offset, atomic_op op,
                     primitive type, const void* operands, void* results, std::size_t n) noexcept {
  const std::size_t element = size_of(type);
  const auto* const sent = static_cast<const std::byte*>(operands);
  auto* const replied = static_cast<std::byte*>(results);
  const bool reads = op != atomic_op::no_op;
  const std::size_t most = transport::mail_payload / element * element;
  return transport::in_pieces(n * element, most, [&](std::size_t done, std::size_t piece) noexcept {
    transport::mail m;
    m.kind = results != nullptr ? transport::mail_kind::get_accumulate
                                : transport::mail_kind::accumulate;
    m.op = op;
    m.type = type;
    m.elements = static_cast<std::uint32_t>(piece / element);
    m.address = at.address + static_cast<std::uint64_t>(offset) + done;
    return mail(core, at.owner, m, reads ? sent + done : nullptr, reads ? piece : 0,
                replied == nullptr ? nullptr : replied + done, replied == nullptr ? 0 : piece);
  });
}

// `n` elements of `type` at `at` + `offset`, wherever they are. `results` may be null.
errc apply(window_core& core, const target& at, std::ptrdiff_t offset, atomic_op op, primitive type,
           const void* operands, void* results, std::size_t n, tracker* also) noexcept {
  const auto kernel = atomics::accumulate_kernel(op, type, mode_of(core));
  if (kernel == nullptr || !core.ops.has(op)) return refuse_op(core, op, type);
  if (core.lies_on_device(at.owner) && !(core.plan.kernels && kinds::kernels_apply(op, type)))
    return refuse_on_device(core, op, type);
  if (at.mapped != nullptr) {
    std::byte* const there = at.mapped + offset;
    const errc e = kernel(there, operands, results, n, stripes_of(core), key_of(core, there));
    return e == errc::success ? e : core.fail(e, "accumulate on mapped memory failed");
  }
  if (at.device != nullptr) {
    kinds::atomic_task task;
    task.op = op;
    task.type = type;
    task.width = static_cast<std::uint8_t>(size_of(type));
    task.n = n;
    task.place = at.device + offset;
    task.operands = op == atomic_op::no_op ? nullptr : operands;
    task.results = results;
    return by_device(core, at, core.device->apply(task), "accumulate");
  }
  if (at.far) {
    const errc e = core.far->accumulate(at.owner, at.address + static_cast<std::uint64_t>(offset),
                                        op, type, operands, results, n, also);
    return e == errc::success ? e : fail_with(core, e, at.owner, "accumulate");
  }
  return mail_accumulate(core, at, offset, op, type, operands, results, n);
}

// The base type is one primitive.
errc accumulate_dense(window_core& core, atomic_op op, rank r, disp i, const void* operands,
                      void* results, std::size_t n, tracker* also) noexcept {
  target at;
  if (n == 0) return errc::success;
  if (const errc e = find_target(core, r, i, n, at); e != errc::success) return e;
  return apply(core, at, 0, op, core.element, operands, results, n, also);
}

errc accumulate_layout(window_core& core, atomic_op op, rank r, disp i, const typed_operands& x,
                       tracker* also) noexcept {
  const shape& there = *x.target_shape;
  // no_op reads no origin, so the target's own layout stands for it.
  const bool reads = op != atomic_op::no_op && x.origin_shape != nullptr;
  const shape& here = reads ? *x.origin_shape : there;
  if (!datatype::signatures_match(here.type, here.count, there.type, there.count) ||
      (x.result != nullptr &&
       !datatype::signatures_match(x.result_shape->type, x.result_shape->count, there.type,
                                   there.count)))
    return core.fail(errc::type, "accumulate: the type signatures of origin, result and target (" +
                                     there.type.describe() + ") differ");
  if (there.count == 0 || there.type.size() == 0) return errc::success;
  target at;
  if (const errc e = find_target(core, r, i, reach_of(core, there), at); e != errc::success)
    return e;
  // Results arrive in typemap order and are laid out at the end, so that nothing is written when
  // something fails.
  std::unique_ptr<std::byte[]> packed;
  if (x.result != nullptr) {
    packed.reset(new (std::nothrow) std::byte[there.count * there.type.size()]);
    if (packed == nullptr) return core.fail(errc::no_mem, "get_accumulate: no room for results");
  }
  std::size_t position = 0;
  tracker results;
  tracker* const told = packed != nullptr && at.far ? &results : also;
  errc e = for_each_pair(
      here, there,
      [&](std::ptrdiff_t from, std::ptrdiff_t to, primitive type, std::size_t bytes) noexcept {
        const errc applied = apply(core, at, to, op, type,
                                   reads ? static_cast<const std::byte*>(x.origin) + from : nullptr,
                                   packed == nullptr ? nullptr : packed.get() + position,
                                   bytes / size_of(type), told);
        position += bytes;
        return applied;
      });
  if (told == &results)
    if (const errc ended = core.far->wait(results, r); e == errc::success && ended != e)
      e = fail_with(core, ended, r, "get_accumulate");
  if (e != errc::success || packed == nullptr) return e;
  unpack(packed.get(), static_cast<std::byte*>(x.result), *x.result_shape);
  return errc::success;
}

// A derived base type: element by element of its typemap.
errc accumulate_sparse(window_core& core, atomic_op op, rank r, disp i, const void* operands,
                       void* results, std::size_t n, tracker* also) noexcept {
  const shape each{core.base, n};
  typed_operands x;
  x.origin = operands;
  x.result = results;
  x.origin_shape = x.result_shape = x.target_shape = &each;
  return accumulate_layout(core, op, r, i, x, also);
}

errc accumulate_typed(window_core& core, atomic_op op, rank r, disp i, const typed_operands& x,
                      call_site) noexcept {
  return accumulate_layout(core, op, r, i, x, nullptr);
}

template <auto AccumulateN>
errc accumulate_several(window_core& core, atomic_op op, rank r, disp i, const void* operands,
                        void* results, std::size_t n, detail::request_state* also,
                        call_site) noexcept {
  return AccumulateN(core, op, r, i, operands, results, n, tracker_of(also));
}

template <auto AccumulateN>
errc accumulate_one(window_core& core, atomic_op op, rank r, disp i, const void* operand,
                    call_site) noexcept {
  return AccumulateN(core, op, r, i, operand, nullptr, 1, nullptr);
}

// The result is usable on return.
template <auto AccumulateN>
errc fetch_one(window_core& core, atomic_op op, rank r, disp i, const void* operand, void* result,
               call_site) noexcept {
  if (!core.is_far(r)) return AccumulateN(core, op, r, i, operand, result, 1, nullptr);
  tracker one;
  const errc begun = AccumulateN(core, op, r, i, operand, result, 1, &one);
  const errc ended = core.far->wait(one, r);
  if (begun != errc::success) return begun;
  return ended == errc::success ? ended : fail_with(core, ended, r, "fetch_op");
}

errc compare_swap(window_core& core, rank r, disp i, const void* expected, const void* desired,
                  void* result, call_site) noexcept {
  const auto kernel = atomics::compare_swap_kernel(core.extent);
  if (kernel == nullptr || !core.base.contiguous())
    return core.fail(
        errc::type,
        "compare_swap takes dense elements of 1, 2, 4, 8 or 16 bytes, not " + core.base.describe());
  if (core.lies_on_device(r) && !core.plan.kernels) return no_kernels(core);
  if (core.lies_on_device(r) && core.extent > 8)
    return core.fail(errc::type, "compare_swap in device memory takes elements of at most 8 bytes");
  target at;
  if (const errc e = find_target(core, r, i, 1, at); e != errc::success) return e;
  if (at.mapped != nullptr) {
    const errc e =
        kernel(at.mapped, expected, desired, result, stripes_of(core), key_of(core, at.mapped));
    return e == errc::success ? e : core.fail(e, "compare_swap on mapped memory failed");
  }
  std::array<std::byte, 32> both;
  std::memcpy(both.data(), expected, core.extent);
  std::memcpy(both.data() + core.extent, desired, core.extent);
  if (at.device != nullptr) {
    kinds::atomic_task task;
    task.action = kinds::atomic_action::compare_swap;
    task.width = static_cast<std::uint8_t>(core.extent);
    task.n = 1;
    task.place = at.device;
    task.operands = both.data();
    task.results = result;
    return by_device(core, at, core.device->apply(task), "compare_swap");
  }
  if (at.far) {
    const errc e = core.far->compare_swap(r, at.address, expected, desired, result, core.extent);
    return e == errc::success ? e : fail_with(core, e, r, "compare_swap");
  }
  transport::mail m;
  m.kind = transport::mail_kind::compare_swap;
  m.elements = static_cast<std::uint32_t>(core.extent);
  m.address = at.address;
  return mail(core, at.owner, m, both.data(), 2 * core.extent, result, core.extent);
}

}  // namespace

// CPU atomics are sequentially consistent and issued in program order, so ordered_replace and
// ordered_accumulate (MPI-4.1 §12.7.2) hold on every route without more.
void fill_atomic_slots(operation_table& table, const window_core& core) {
  table.accumulate_typed = accumulate_typed;
  table.compare_swap = compare_swap;
  if (core.element != primitive::opaque) {
    table.accumulate_n = accumulate_several<accumulate_dense>;
    table.accumulate = accumulate_one<accumulate_dense>;
    table.fetch_op = fetch_one<accumulate_dense>;
  } else {
    table.accumulate_n = accumulate_several<accumulate_sparse>;
    table.accumulate = accumulate_one<accumulate_sparse>;
    table.fetch_op = fetch_one<accumulate_sparse>;
  }
}

}  // namespace oriel::win
