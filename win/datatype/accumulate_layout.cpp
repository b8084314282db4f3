// Atomics on elements that datatypes lay out.
#include <memory>
#include <new>

#include "transport/pieces.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/slots/atomic_access.hpp"

namespace oriel::win {

using detail::window_core;

namespace {

// Elements of a block that is worth a call of its own.
constexpr std::size_t long_block = 32;

// Where the results of the current elements go, in typemap order; null: there are none.
class result_run {
 public:
  explicit result_run(std::byte* at) noexcept : at_(at) {}
  std::byte* take(std::size_t bytes) noexcept {
    return at_ == nullptr ? nullptr : std::exchange(at_, at_ + bytes);
  }
  [[nodiscard]] bool wanted() const noexcept { return at_ != nullptr; }

 private:
  std::byte* at_;
};

// Mapped memory: the loop is looked up once for all pieces of one type, so that a row of a matrix
// costs little more than its elements.
errc over_pieces(window_core& core, atomic_op op, const target& at, const shape& there,
                 const std::byte* origin, const shape& here, bool reads,
                 result_run results) noexcept {
  const std::size_t all = there.count * there.type.size();
  primitive current = primitive::opaque;
  atomics::accumulate_fn kernel = nullptr;
  std::size_t element = 1;
  return for_each_pair(
      here, there,
      [&](std::ptrdiff_t from, std::ptrdiff_t to, primitive type, std::size_t bytes) noexcept {
        if (type != current || kernel == nullptr) {
          kernel = kernel_for(core, op, type, at.owner, all);
          if (kernel == nullptr) return refuse_op(core, op, type);
          current = type;
          element = size_of(type);
        }
        std::byte* const location = moved(at.mapped, to);
        const errc e = kernel(location, reads ? moved(origin, from) : nullptr, results.take(bytes),
                              bytes / element, stripes_of(core), key_of(core, location));
        return e == errc::success ? e : core.fail(e, "accumulate on mapped memory failed");
      });
}

// Others wait meanwhile, who may be many or have little to do.
class pace {
 public:
  explicit pace(atomics::gates::having* turn) noexcept : turn_(turn) {}
  // Before so many more.
  errc begin(std::size_t bytes) noexcept {
    const bool due = turn_ != nullptr && spent_ >= bytes_at_once;
    if (due) spent_ = 0;
    spent_ += bytes;
    return due ? turn_->rest() : errc::success;
  }

 private:
  atomics::gates::having* turn_;  // null: nobody waits
  std::size_t spent_ = 0;
};

// The same while no other thread accesses the rank's memory atomically.
errc over_pieces_alone(window_core& core, atomic_op op, const target& at, const shape& there,
                       const std::byte* origin, const shape& here, bool reads, result_run results,
                       atomics::gates::having* turn) noexcept {
  pace pace(turn);
  return for_each_blocks(
      here, there,
      [&](std::ptrdiff_t from, std::ptrdiff_t stride, std::ptrdiff_t to,
          std::ptrdiff_t stride_there, primitive type, std::size_t bytes,
          std::size_t blocks) noexcept {
        if (kernel_for(core, op, type) == nullptr) return refuse_op(core, op, type);
        const std::size_t n = bytes / size_of(type);
        std::byte* location = moved(at.mapped, to);
        const std::byte* operands = reads ? moved(origin, from) : nullptr;
        if (n < long_block && reads && !results.wanted()) {
          const auto loop = atomics::blocks_kernel(op, type);
          return transport::in_pieces(
              blocks, bytes_at_once / bytes, [&](std::size_t done, std::size_t some) noexcept {
                if (const errc e = pace.begin(some * bytes); e != errc::success) return e;
                const auto first = static_cast<std::ptrdiff_t>(done);
                loop(moved(location, first * stride_there), stride_there,
                     moved(operands, first * stride), stride, n, some);
                return errc::success;
              });
        }
        const auto kernel = atomics::accumulate_kernel(op, type, atomics::kernel_mode::plain);
        for (std::size_t b = 0; b < blocks; ++b) {
          std::byte* const before = results.take(bytes);
          const errc e = transport::in_pieces(
              bytes, bytes_at_once, [&](std::size_t done, std::size_t some) noexcept {
                if (const errc e = pace.begin(some); e != errc::success) return e;
                static_cast<void>(kernel(location + done, reads ? operands + done : nullptr,
                                         before == nullptr ? nullptr : before + done,
                                         some / size_of(type), nullptr, 0));
                return errc::success;
              });
          if (e != errc::success) return e;
          location = moved(location, stride_there);
          if (reads) operands = moved(operands, stride);
        }
        return errc::success;
      });
}

errc over_mapped(window_core& core, atomic_op op, const target& at, const shape& there,
                 const std::byte* origin, const shape& here, bool reads,
                 result_run results) noexcept {
  if (core.epochs.passive.exclusive(at.owner))
    return over_pieces_alone(core, op, at, there, origin, here, reads, results, nullptr);
  const primitive all = there.type.base();
  const std::size_t elements =
      there.count * there.type.size() / (all == primitive::opaque ? 8 : size_of(all));
  if (!goes_alone(core, at.owner, elements))
    return pass_gate(core, at.owner, [&]() noexcept {
      return over_pieces(core, op, at, there, origin, here, reads, results);
    });
  atomics::gates::having turn(*core.operations.gates,
                              static_cast<std::uint32_t>(core.node_rank(at.owner)));
  const errc e = turn.begin();
  return e != errc::success
             ? e
             : over_pieces_alone(core, op, at, there, origin, here, reads, results, &turn);
}

}  // namespace

errc accumulate_layout(window_core& core, atomic_op op, rank r, disp i,
                       const detail::typed_operands& x, tracker* also) noexcept {
  const shape& there = *x.target_shape;
  // no_op reads no origin, so the target's own layout stands for it.
  const bool reads = op != atomic_op::no_op && x.origin_shape != nullptr;
  const shape& here = reads ? *x.origin_shape : there;
  const auto* const origin = static_cast<const std::byte*>(x.origin);
  const bool fetches = x.result_shape != nullptr;
  if (!datatype::signatures_match(here.type, here.count, there.type, there.count) ||
      (fetches && !datatype::signatures_match(x.result_shape->type, x.result_shape->count,
                                              there.type, there.count)))
    return core.fail(errc::type, "accumulate: the type signatures of origin, result and target (" +
                                     there.type.describe() + ") differ");
  if (there.count == 0 || there.type.size() == 0) return errc::success;
  target at;
  if (const errc e = find_target(core, r, i, there, at); e != errc::success) return e;
  count(core, fetches ? operation_kind::fetch_op : operation_kind::accumulate, at.by->counted,
        there.count * there.type.size());
  // Results arrive in typemap order. Unless that is their layout, they are laid out at the end; so
  // they are too where some element's type may turn out to have no such operation.
  const bool in_place =
      fetches && x.result_shape->type.contiguous() && there.type.base() != primitive::opaque;
  std::unique_ptr<std::byte[]> packed;
  if (fetches && !in_place) {
    packed.reset(new (std::nothrow) std::byte[there.count * there.type.size()]);
    if (packed == nullptr) return core.fail(errc::no_mem, "get_accumulate: no room for results");
  }
  result_run results(in_place ? static_cast<std::byte*>(x.result) : packed.get());
  tracker arrival;
  tracker* const told = packed != nullptr && at.by->tracked ? &arrival : also;
  errc e = errc::success;
  const primitive type = there.type.base();
  if (at.mapped != nullptr) {
    e = over_mapped(core, op, at, there, origin, here, reads, results);
  } else if (is_moved_whole(at) && at.by->accumulate_shape != nullptr && reads &&
             type != primitive::opaque && kernel_for(core, op, type) != nullptr) {
    e = at.by->accumulate_shape(core, at, {op, type, origin, &here, &there, results.take(0)}, told);
  } else {
    e = for_each_pair(
        here, there,
        [&](std::ptrdiff_t from, std::ptrdiff_t to, primitive type, std::size_t bytes) noexcept {
          return at_piece(core, at, i, to, bytes, [&](const target& piece, std::ptrdiff_t offset) {
            return accumulate_at(core, piece, offset, op, type,
                                 reads ? moved(origin, from) : nullptr, results.take(bytes),
                                 bytes / size_of(type), told);
          });
        });
  }
  if (told == &arrival) e = wait_for(core, arrival, r, e, "get_accumulate");
  if (e != errc::success || packed == nullptr) return e;
  unpack(packed.get(), static_cast<std::byte*>(x.result), *x.result_shape);
  return errc::success;
}

}  // namespace oriel::win
