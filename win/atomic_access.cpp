#include "win/atomic_access.hpp"

#include <array>
#include <cstring>
#include <string>

#include "transport/pieces.hpp"

namespace oriel::win {

using detail::window_core;

namespace {

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
  const errc e =
      core.mailbox->ask(static_cast<int>(core.place(owner)), m, sent, bytes, replied, reply_bytes);
  return e == errc::success ? e : fail_with(core, e, owner, "an atomic operation, by its agent,");
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

}  // namespace

void choose_kernels(window_core& core) noexcept {
  for (std::size_t p = 0; p < core.kernel_rows.size(); ++p) {
    core.kernel_rows[p] = &atomics::kernels_of(static_cast<primitive>(p), core.arithmetic);
    core.swap_kernels[p] = atomics::compare_swap_kernel(static_cast<primitive>(p));
  }
}

errc refuse_op(window_core& core, atomic_op op, primitive type) noexcept {
  if (!core.ops.has(op))
    return core.fail(errc::op, std::string(name(op)) + " is not in the window's op set (" +
                                   to_string(core.ops) + ")");
  return core.fail(errc::op, std::string(name(op)) + " is not defined on " +
                                 std::string(name(type)) + " elements");
}

errc accumulate_at(window_core& core, const target& at, std::ptrdiff_t offset, atomic_op op,
                   primitive type, const void* operands, void* results, std::size_t n,
                   transport::pending_ops* also) noexcept {
  const auto kernel = kernel_for(core, op, type, at.owner, n * size_of(type));
  if (kernel == nullptr) return refuse_op(core, op, type);
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

errc compare_swap_at(window_core& core, const target& at, std::size_t bytes, const void* expected,
                     const void* desired, void* result) noexcept {
  const auto kernel = atomics::compare_swap_kernel(bytes);
  if (kernel == nullptr)
    return core.fail(errc::type, "compare_swap takes elements of 1 to 16 bytes, not of " +
                                     std::to_string(bytes));
  if (core.lies_on_device(at.owner) && !core.plan.kernels) return no_kernels(core);
  if (core.lies_on_device(at.owner) && bytes > 8)
    return core.fail(errc::type, "compare_swap in device memory takes elements of at most 8 bytes");
  if (at.mapped != nullptr) {
    const errc e =
        kernel(at.mapped, expected, desired, result, stripes_of(core), key_of(core, at.mapped));
    return e == errc::success ? e : core.fail(e, "compare_swap on mapped memory failed");
  }
  std::array<std::byte, 32> both;
  std::memcpy(both.data(), expected, bytes);
  std::memcpy(both.data() + bytes, desired, bytes);
  if (at.device != nullptr) {
    kinds::atomic_task task;
    task.action = kinds::atomic_action::compare_swap;
    task.width = static_cast<std::uint8_t>(bytes);
    task.n = 1;
    task.place = at.device;
    task.operands = both.data();
    task.results = result;
    return by_device(core, at, core.device->apply(task), "compare_swap");
  }
  if (at.far) {
    const errc e = core.far->compare_swap(at.owner, at.address, expected, desired, result, bytes);
    return e == errc::success ? e : fail_with(core, e, at.owner, "compare_swap");
  }
  transport::mail m;
  m.kind = transport::mail_kind::compare_swap;
  m.elements = static_cast<std::uint32_t>(bytes);
  m.address = at.address;
  return mail(core, at.owner, m, both.data(), 2 * bytes, result, bytes);
}

}  // namespace oriel::win
