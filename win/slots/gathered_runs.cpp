// Short runs of elements, and small layouts, of a window whose operations are many and small
// (window_options::aggregate): on memory that is not mapped here they begin in packets as single
// elements do. A run that is put or got is one entry; accumulates are one an element, since each is
// atomic by itself. What fails begins none of them.
#include <array>
#include <utility>

#include "win/datatype/layout_walk.hpp"
#include "win/slots/in_packets.hpp"
#include "win/slots/target.hpp"

namespace oriel::win {
namespace {

using detail::list_call;
using detail::request_state;
using detail::typed_operands;

// Bytes of a run, or elements of an accumulate, from which on a message of its own is as good, and
// leaves the packets of both nodes to others.
constexpr std::size_t longest_gathered = longest_in_packet;
constexpr std::size_t most_accumulated = 64;
// The same of layouts, and pieces that one may have.
constexpr std::size_t longest_layout = 512;
constexpr std::size_t most_pieces = 32;

// The first after silence leaves at once; those after it gather while it is on its way.
// `begin_all(begin)` begins its entries by `begin(entry)`, each of which exists at the target.
template <class BeginAll>
errc gather(window_core& core, packet_streams& streams, packet_streams::stream& s, rank r,
            BeginAll begin_all) noexcept {
  const bool first = packet_streams::is_quiet(s);
  bool one_before = false;
  errc e = begin_all([&](const packet_streams::entry& x) noexcept {
    const errc begun = streams.begin(s, x);
    if (begun == errc::success && std::exchange(one_before, true)) ++s.more_entries;
    return begun;
  });
  if (e == errc::success && first) e = streams.send(s);
  return latched(core, e, r, "an operation");
}

// What is got is usable after a flush.
template <auto Slot, list_call Call, class Values>
errc move_n_gathered(window_core& core, rank r, disp i, Values values, std::size_t n,
                     request_state* also, call_site at) noexcept {
  const auto alone = [&](const operation_table& to) noexcept {
    return (to.*Slot)(core, r, i, values, n, also, at);
  };
  const bool is_short =
      n != 0 && n <= packet_run::longest && n * core.agreed.extent <= longest_gathered;
  if (also != nullptr || !is_short) return alone(core.operations.ungathered);
  return by_stream(
      core, {r, i, n},
      [&](packet_streams&, packet_streams::stream& s) noexcept {
        const packet_run run = packet_run::of(n);
        packet_streams::entry x{Call, run.kind, r, i, nullptr, nullptr, nullptr, run.type};
        if constexpr (Call == list_call::put)
          x.operand = values;
        else
          x.result = values;
        return begin_gathered(core, s, x);
      },
      alone);
}

// `n` elements, of the base datatype where `type` is opaque; null results are not wanted.
struct run_of_elements {
  rank owner;
  atomic_op op;
  primitive type;
  disp first;
  const void* operands;
  void* results;
  std::size_t n;
};

const std::byte* behind(const void* at, std::size_t bytes) noexcept {
  return at == nullptr ? nullptr : static_cast<const std::byte*>(at) + bytes;
}
std::byte* behind(void* at, std::size_t bytes) noexcept {
  return at == nullptr ? nullptr : static_cast<std::byte*>(at) + bytes;
}

packet_streams::entry element_of(const run_of_elements& x, std::size_t bytes, std::size_t k,
                                 std::uint64_t index) noexcept {
  return {x.results == nullptr ? list_call::accumulate : list_call::fetch_op,
          packet_word::number(x.op),
          x.owner,
          disp{index},
          behind(x.operands, k * bytes),
          nullptr,
          behind(x.results, k * bytes),
          x.type};
}

// How many elements of the base each of them covers; 0 where it is no whole number.
std::uint64_t step_of(const window_core& core, primitive type) noexcept {
  if (type == primitive::opaque) return 1;
  const std::size_t bytes = size_of(type), extent = core.agreed.extent;
  return extent == 1 ? bytes : extent == 0 || bytes % extent != 0 ? 0 : bytes / extent;
}

template <class Begin>
errc begin_elements(const window_core& core, const run_of_elements& x, Begin begin) noexcept {
  const std::size_t bytes = element_bytes(x.type, core.agreed.extent);
  const std::uint64_t step = step_of(core, x.type);
  for (std::size_t k = 0; k < x.n; ++k)
    if (const errc e = begin(element_of(x, bytes, k, x.first.value + k * step)); e != errc::success)
      return e;
  return errc::success;
}

// `alone` takes those that do not gather, behind the packets before them.
template <class Alone>
errc accumulate_run(window_core& core, const run_of_elements& x, request_state* also,
                    Alone alone) noexcept {
  const bool reads_or_writes = x.op != atomic_op::no_op || x.results != nullptr;
  if (also != nullptr || x.n == 0 || x.n > most_accumulated || !reads_or_writes) return alone();
  const std::uint64_t step =
      x.n == 1 ? covering(core, element_bytes(x.type, core.agreed.extent)) : step_of(core, x.type);
  if (step == 0) return alone();
  return by_stream(
      core, {x.owner, x.first, x.n * step},
      [&](packet_streams& streams, packet_streams::stream& s) noexcept {
        const packet_streams::entry first = element_of(x, 0, 0, x.first.value);
        if (x.n == 1) return begin_defined(core, s, x.op, first);
        if (!is_defined(core, first.call, x.op, x.type))
          return refuse_call(core, first.call, x.op, x.type);
        if (const errc e = find_for_packet(core, x.owner, x.first, x.n * step); e != errc::success)
          return e;
        count(core, kind_of(first.call), access_route::packet,
              x.n * element_bytes(x.type, core.agreed.extent));
        return gather(core, streams, s, x.owner,
                      [&](auto begin) noexcept { return begin_elements(core, x, begin); });
      },
      [&](const operation_table&) noexcept { return alone(); });
}

errc accumulate_n_gathered(window_core& core, atomic_op op, rank r, disp i, const void* operands,
                           void* results, std::size_t n, request_state* also,
                           call_site at) noexcept {
  return accumulate_run(core, {r, op, primitive::opaque, i, operands, results, n}, also,
                        [&]() noexcept {
                          return behind_packets<&operation_table::accumulate_n>(
                              core, op, r, i, operands, results, n, also, at);
                        });
}

errc accumulate_as_gathered(window_core& core, atomic_op op, primitive type, rank r, disp i,
                            const void* operands, void* results, std::size_t n, request_state* also,
                            call_site at) noexcept {
  const auto alone = [&]() noexcept {
    return behind_packets<&operation_table::accumulate_as>(core, op, type, r, i, operands, results,
                                                           n, also, at);
  };
  if (type == primitive::opaque) return alone();
  return accumulate_run(core, {r, op, type, i, operands, results, n}, also, alone);
}

// --- Layouts

// One piece of a small layout: bytes of one primitive.
struct piece {
  std::ptrdiff_t here, there;  // from the buffers' addresses on
  primitive type;
  std::size_t bytes;
};

// Nothing where there are too many of them, or some do not lie on whole elements of the base.
class small_layout {
 public:
  small_layout(const window_core& core, const shape& here, const shape& there) noexcept {
    const auto extent = static_cast<std::ptrdiff_t>(core.agreed.extent);
    all_ = for_each_pair(
               here, there,
               [&](std::ptrdiff_t a, std::ptrdiff_t b, primitive type, std::size_t bytes) noexcept {
                 const bool whole =
                     b % extent == 0 && static_cast<std::ptrdiff_t>(bytes) % extent == 0;
                 if (!whole || n_ == most_pieces) return errc::count;
                 pieces_[n_++] = {a, b, type, bytes};
                 return errc::success;
               }) == errc::success;
  }
  [[nodiscard]] bool fits() const noexcept { return all_; }
  [[nodiscard]] const piece* begin() const noexcept { return pieces_.data(); }
  [[nodiscard]] const piece* end() const noexcept { return pieces_.data() + n_; }

 private:
  std::array<piece, most_pieces> pieces_;
  std::size_t n_ = 0;
  bool all_;
};

bool may_gather(const shape& here, const shape& there) noexcept {
  const std::size_t bytes = there.count * there.type.size();
  return bytes != 0 && bytes <= longest_layout &&
         datatype::signatures_match(here.type, here.count, there.type, there.count);
}

disp element_at(const window_core& core, disp i, std::ptrdiff_t bytes) noexcept {
  return disp{i.value +
              static_cast<std::uint64_t>(bytes / static_cast<std::ptrdiff_t>(core.agreed.extent))};
}

// rma_range where one of them does not exist.
errc find_pieces(window_core& core, rank r, disp i, const shape& there,
                 const small_layout& pieces) noexcept {
  target found;
  errc e = find_target(core, r, i, there, found);
  const bool is_far = core.routes.to(r).tracked;
  for (const piece* p = pieces.begin(); p != pieces.end() && e == errc::success; ++p) {
    const disp first = element_at(core, i, p->there);
    const std::uint64_t n = p->bytes / core.agreed.extent;
    e = is_far ? find_for_packet(core, r, first, n) : find_target(core, r, first, n, found);
  }
  return e;
}

template <auto Slot, list_call Call>
errc move_typed_gathered(window_core& core, rank r, disp i, const typed_operands& x,
                         request_state* also, call_site at) noexcept {
  const auto alone = [&](const operation_table& to) noexcept {
    return (to.*Slot)(core, r, i, x, also, at);
  };
  const shape& here = Call == list_call::put ? *x.origin_shape : *x.result_shape;
  const shape& there = *x.target_shape;
  if (also != nullptr || core.agreed.extent == 0 || !may_gather(here, there))
    return alone(core.operations.ungathered);
  const small_layout pieces(core, here, there);
  if (!pieces.fits()) return alone(core.operations.ungathered);
  return by_stream(
      core, {r, i},
      [&](packet_streams& streams, packet_streams::stream& s) noexcept {
        if (const errc e = find_pieces(core, r, i, there, pieces); e != errc::success) return e;
        count(core, kind_of(Call), access_route::packet, there.count * there.type.size());
        return gather(core, streams, s, r, [&](auto begin) noexcept {
          for (const piece& p : pieces) {
            const packet_run run = packet_run::of(p.bytes / core.agreed.extent);
            packet_streams::entry e{Call,    run.kind, r,       element_at(core, i, p.there),
                                    nullptr, nullptr,  nullptr, run.type};
            if constexpr (Call == list_call::put)
              e.operand = moved(static_cast<const std::byte*>(x.origin), p.here);
            else
              e.result = moved(static_cast<std::byte*>(x.result), p.here);
            if (const errc failed = begin(e); failed != errc::success) return failed;
          }
          return errc::success;
        });
      },
      alone);
}

// Without results, which would be laid out as they arrive.
errc accumulate_typed_gathered(window_core& core, atomic_op op, rank r, disp i,
                               const typed_operands& x, request_state* also,
                               call_site at) noexcept {
  const auto alone = [&]() noexcept {
    return behind_packets<&operation_table::accumulate_typed>(core, op, r, i, x, also, at);
  };
  const shape& there = *x.target_shape;
  const bool fetches = x.result_shape != nullptr;
  const bool reads = op != atomic_op::no_op && x.origin_shape != nullptr;
  if (also != nullptr || fetches || !reads || core.agreed.extent == 0 ||
      !may_gather(*x.origin_shape, there))
    return alone();
  const small_layout pieces(core, *x.origin_shape, there);
  if (!pieces.fits()) return alone();
  std::size_t elements = 0;
  for (const piece& p : pieces) {
    const bool defined = p.type != primitive::opaque &&
                         is_defined(core, list_call::accumulate, op, p.type) &&
                         step_of(core, p.type) != 0;
    if (!defined) return alone();
    elements += p.bytes / size_of(p.type);
  }
  if (elements > most_accumulated) return alone();
  return by_stream(
      core, {r, i},
      [&](packet_streams& streams, packet_streams::stream& s) noexcept {
        if (const errc e = find_pieces(core, r, i, there, pieces); e != errc::success) return e;
        count(core, operation_kind::accumulate, access_route::packet,
              there.count * there.type.size());
        return gather(core, streams, s, r, [&](auto begin) noexcept {
          for (const piece& p : pieces) {
            const run_of_elements run{r,
                                      op,
                                      p.type == core.agreed.element ? primitive::opaque : p.type,
                                      element_at(core, i, p.there),
                                      moved(static_cast<const std::byte*>(x.origin), p.here),
                                      nullptr,
                                      p.bytes / size_of(p.type)};
            if (const errc e = begin_elements(core, run, begin); e != errc::success) return e;
          }
          return errc::success;
        });
      },
      [&](const operation_table&) noexcept { return alone(); });
}

}  // namespace

void fill_gathered_run_slots(operation_table& t) {
  using table = operation_table;
  t.put_n = move_n_gathered<&table::put_n, list_call::put, const void*>;
  t.get_n = move_n_gathered<&table::get_n, list_call::get, void*>;
  t.accumulate_n = accumulate_n_gathered;
  t.accumulate_as = accumulate_as_gathered;
  t.put_typed = move_typed_gathered<&table::put_typed, list_call::put>;
  t.get_typed = move_typed_gathered<&table::get_typed, list_call::get>;
  t.accumulate_typed = accumulate_typed_gathered;
}

}  // namespace oriel::win
