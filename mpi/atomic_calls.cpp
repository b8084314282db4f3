// MPI_Accumulate, MPI_Get_accumulate, MPI_Fetch_and_op, MPI_Compare_and_swap, MPI_Raccumulate,
// MPI_Rget_accumulate and their large-count forms.
#include "mpi/atomics.hpp"
#include "mpi/failures.hpp"
#include "mpi/host.hpp"
#include "mpi/ops.hpp"
#include "mpi/process.hpp"
#include "mpi/requests.hpp"
#include "mpi/target_area.hpp"

namespace oriel::mpi {
namespace {

// What fails at once is an error of the call that began it.
int hand_out(mpi_window& w, request begun, MPI_Request* made) noexcept {
  if (begun.test())
    if (const status s = begun.wait(); !s.ok()) return raise(w, s.code());
  return make_request(std::move(begun), made);
}

constexpr const char* name_of_call(const accumulation& x) noexcept {
  return x.fetches ? "MPI_Get_accumulate" : "MPI_Accumulate";
}

// An operation on elements of the window's base type, which needs no assertion of datatypes, or on
// those of another: `operate` is called without a type, or with it.
template <class Operation>
auto on_elements(const mpi_window& w, primitive element, Operation operate) noexcept {
  return element == w.base_element ? operate() : operate(element);
}

// Elements of one primitive, one after the other in every buffer: no layouts are walked. Their
// number, or 0.
std::size_t dense_elements(const accumulation& x, const type_entry& here, const type_entry& back,
                           const type_entry& there) noexcept {
  const auto n = static_cast<std::size_t>(x.target_count) * there.element_count;
  const auto same = [&](const type_entry& type, MPI_Count count) {
    return type.element == there.element &&
           static_cast<std::size_t>(count) * type.element_count == n;
  };
  const bool dense = there.element != primitive::opaque && (!x.reads() || same(here, x.count)) &&
                     (!x.fetches || same(back, x.result_count));
  return dense ? n : 0;
}

[[gnu::noinline]] int accumulate_slowly(mpi_window& w, call_site at, const accumulation& x,
                                        MPI_Request* made) noexcept {
  if (x.target == MPI_PROC_NULL) return done(made);
  const char* const what = name_of_call(x);
  const type_entry* const there = find_type(x.target_type);
  const type_entry* const here = x.reads() ? find_type(x.type) : there;
  const type_entry* const back = x.fetches ? find_type(x.result_type) : there;
  int bad = MPI_SUCCESS;
  if (x.reads() && (bad = check_buffer(w, at, what, x.count, here)) != MPI_SUCCESS) return bad;
  if (x.fetches && (bad = check_buffer(w, at, what, x.result_count, back)) != MPI_SUCCESS)
    return bad;
  const auto op = find_op(x.op);
  if (!op)
    return raise_class(w, at, MPI_ERR_OP, std::string(what) + " takes MPI's own operations alone");
  target_area area;
  bad = find_area(w, at, what, x.target, x.disp, x.target_count, there, area);
  if (bad != MPI_SUCCESS) return bad;
  if (area.nothing) return done(made);
  const host_progress progress;
  if (const std::size_t n = dense_elements(x, *here, *back, *there); n != 0) {
    void* const results = x.fetches ? x.result : nullptr;
    if (made != nullptr)
      return hand_out(w,
                      on_elements(w, there->element,
                                  [&](auto... type) noexcept {
                                    return w.any.rget_accumulate(*op, type..., area.owner,
                                                                 area.first, x.origin, results, n,
                                                                 at);
                                  }),
                      made);
    return code_of(
        w, on_elements(w, there->element, [&](auto... type) noexcept {
          return x.one && !w.fetches_later
                     ? w.any.fetch_op(*op, type..., area.owner, area.first, x.origin, x.result, at)
                 : x.fetches
                     ? w.any.get_accumulate(*op, type..., area.owner, area.first, x.origin, results,
                                            n, at)
                     : w.any.accumulate(*op, type..., area.owner, area.first, x.origin, n, at);
        }));
  }
  const shape mine{here->elements(),
                   static_cast<std::size_t>(x.reads() ? x.count : x.target_count)};
  const shape theirs{there->elements(), static_cast<std::size_t>(x.target_count)};
  const shape results{back->elements(), static_cast<std::size_t>(x.result_count)};
  if (made != nullptr)
    return hand_out(
        w,
        x.fetches ? w.any.rget_accumulate(*op, area.owner, area.first, x.origin, mine, x.result,
                                          results, theirs, at)
                  : w.any.raccumulate(*op, area.owner, area.first, x.origin, mine, theirs, at),
        made);
  return code_of(
      w, x.fetches ? w.any.get_accumulate(*op, area.owner, area.first, x.origin, mine, x.result,
                                          results, theirs, at)
                   : w.any.accumulate(*op, area.owner, area.first, x.origin, mine, theirs, at));
}

[[gnu::always_inline]] inline int accumulate(mpi_window& w, call_site at,
                                             const accumulation& x) noexcept {
  if (accumulated_at_once(w, x)) [[likely]]
    return MPI_SUCCESS;
  const accumulation kept = x;  // so that only what takes its address is in memory
  return accumulate_slowly(w, at, kept, nullptr);
}

int accumulate(mpi_window& w, call_site at, const accumulation& x, MPI_Request* made) noexcept {
  return accumulated_at_once(w, x) ? done(made) : accumulate_slowly(w, at, x, made);
}

// Compare_and_swap takes integers, logicals and bytes (MPI-4.1 §12.3.4).
bool is_swappable(primitive p) noexcept {
  return p == primitive::byte || p == primitive::boolean ||
         (p >= primitive::int8 && p <= primitive::uint64);
}

[[gnu::noinline]] int compare_swap_slowly(mpi_window& w, call_site at, const swap& x) noexcept {
  constexpr const char* what = "MPI_Compare_and_swap";
  if (x.target == MPI_PROC_NULL) return MPI_SUCCESS;
  const type_entry* const type = find_type(x.type);
  if (type == nullptr || !is_swappable(type->element) || type->element_count != 1)
    return raise_class(w, at, MPI_ERR_TYPE,
                       std::string(what) + " takes one integer, logical or byte");
  target_area area;
  if (const int bad = find_area(w, at, what, x.target, x.disp, 1, type, area); bad != MPI_SUCCESS)
    return bad;
  const host_progress progress;
  return code_of(w, on_elements(w, type->element, [&](auto... element) noexcept {
                   if constexpr (sizeof...(element) != 0)
                     if (w.fetches_later)
                       return w.any.compare_swap_nbi(element..., area.owner, area.first, x.expected,
                                                     x.desired, x.result, at);
                   return w.any.compare_swap(element..., area.owner, area.first, x.expected,
                                             x.desired, x.result, at);
                 }));
}

[[gnu::noinline]] int fetch_and_op_slowly(mpi_window& w, call_site at, const void* origin,
                                          void* result, MPI_Datatype type, int target,
                                          MPI_Aint disp, MPI_Op op) noexcept {
  const accumulation x{origin, 1, type, result, 1, type, target, disp, 1, type, op, true, true};
  const type_entry* const known = find_type(type);
  if (target != MPI_PROC_NULL && (known == nullptr || known->element_count != 1))
    return raise_class(w, at, MPI_ERR_TYPE,
                       "MPI_Fetch_and_op takes one element of a predefined type");
  return accumulate_slowly(w, at, x, nullptr);
}

[[gnu::always_inline]] inline int fetch_and_op(mpi_window& w, call_site at, const void* origin,
                                               void* result, MPI_Datatype type, int target,
                                               MPI_Aint disp, MPI_Op op) noexcept {
  const accumulation x{origin, 1, type, result, 1, type, target, disp, 1, type, op, true, true};
  if (accumulated_at_once(w, x)) [[likely]]
    return MPI_SUCCESS;
  return fetch_and_op_slowly(w, at, origin, result, type, target, disp, op);
}

}  // namespace
}  // namespace oriel::mpi

using oriel::mpi::find_window;

ORIEL_EXPORT int MPI_Fetch_and_op(const void* origin, void* result, MPI_Datatype type, int target,
                                  MPI_Aint disp, MPI_Op op, MPI_Win win) {
  if (auto* const w = find_window(win)) [[likely]]
    return oriel::mpi::fetch_and_op(*w, ORIEL_CALLER, origin, result, type, target, disp, op);
  return ORIEL_HOST(Fetch_and_op)(origin, result, type, target, disp, op, win);
}
ORIEL_ALSO_PMPI(Fetch_and_op);

ORIEL_EXPORT int MPI_Compare_and_swap(const void* desired, const void* expected, void* result,
                                      MPI_Datatype type, int target, MPI_Aint disp, MPI_Win win) {
  if (auto* const w = find_window(win)) [[likely]] {
    const oriel::mpi::swap x{desired, expected, result, type, target, disp};
    if (oriel::mpi::swapped_at_once(*w, x)) [[likely]]
      return MPI_SUCCESS;
    const oriel::mpi::swap kept = x;
    return oriel::mpi::compare_swap_slowly(*w, ORIEL_CALLER, kept);
  }
  return ORIEL_HOST(Compare_and_swap)(desired, expected, result, type, target, disp, win);
}
ORIEL_ALSO_PMPI(Compare_and_swap);

#define ORIEL_ACCUMULATE_CALLS(suffix, count_type)                                                 \
  ORIEL_EXPORT int MPI_Accumulate##suffix(const void* origin, count_type count, MPI_Datatype type, \
                                          int target, MPI_Aint disp, count_type target_count,      \
                                          MPI_Datatype target_type, MPI_Op op, MPI_Win win) {      \
    if (auto* const w = find_window(win)) [[likely]]                                               \
      return oriel::mpi::accumulate(*w, ORIEL_CALLER,                                              \
                                    {origin, count, type, nullptr, 0, MPI_DATATYPE_NULL, target,   \
                                     disp, target_count, target_type, op, false});                 \
    return ORIEL_HOST(Accumulate##suffix)(origin, count, type, target, disp, target_count,         \
                                          target_type, op, win);                                   \
  }                                                                                                \
  ORIEL_ALSO_PMPI(Accumulate##suffix);                                                             \
  ORIEL_EXPORT int MPI_Raccumulate##suffix(const void* origin, count_type count,                   \
                                           MPI_Datatype type, int target, MPI_Aint disp,           \
                                           count_type target_count, MPI_Datatype target_type,      \
                                           MPI_Op op, MPI_Win win, MPI_Request* made) {            \
    if (auto* const w = find_window(win)) [[likely]]                                               \
      return oriel::mpi::accumulate(*w, ORIEL_CALLER,                                              \
                                    {origin, count, type, nullptr, 0, MPI_DATATYPE_NULL, target,   \
                                     disp, target_count, target_type, op, false},                  \
                                    made);                                                         \
    return ORIEL_HOST(Raccumulate##suffix)(origin, count, type, target, disp, target_count,        \
                                           target_type, op, win, made);                            \
  }                                                                                                \
  ORIEL_ALSO_PMPI(Raccumulate##suffix);                                                            \
  ORIEL_EXPORT int MPI_Get_accumulate##suffix(                                                     \
      const void* origin, count_type count, MPI_Datatype type, void* result,                       \
      count_type result_count, MPI_Datatype result_type, int target, MPI_Aint disp,                \
      count_type target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {                 \
    if (auto* const w = find_window(win)) [[likely]]                                               \
      return oriel::mpi::accumulate(*w, ORIEL_CALLER,                                              \
                                    {origin, count, type, result, result_count, result_type,       \
                                     target, disp, target_count, target_type, op, true});          \
    return ORIEL_HOST(Get_accumulate##suffix)(origin, count, type, result, result_count,           \
                                              result_type, target, disp, target_count,             \
                                              target_type, op, win);                               \
  }                                                                                                \
  ORIEL_ALSO_PMPI(Get_accumulate##suffix);                                                         \
  ORIEL_EXPORT int MPI_Rget_accumulate##suffix(                                                    \
      const void* origin, count_type count, MPI_Datatype type, void* result,                       \
      count_type result_count, MPI_Datatype result_type, int target, MPI_Aint disp,                \
      count_type target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,                   \
      MPI_Request* made) {                                                                         \
    if (auto* const w = find_window(win)) [[likely]]                                               \
      return oriel::mpi::accumulate(*w, ORIEL_CALLER,                                              \
                                    {origin, count, type, result, result_count, result_type,       \
                                     target, disp, target_count, target_type, op, true},           \
                                    made);                                                         \
    return ORIEL_HOST(Rget_accumulate##suffix)(origin, count, type, result, result_count,          \
                                               result_type, target, disp, target_count,            \
                                               target_type, op, win, made);                        \
  }                                                                                                \
  ORIEL_ALSO_PMPI(Rget_accumulate##suffix)

ORIEL_ACCUMULATE_CALLS(, int);
#if MPI_VERSION >= 4
ORIEL_ACCUMULATE_CALLS(_c, MPI_Count);
#endif
