// MPI_Put, MPI_Get, MPI_Rput, MPI_Rget and their large-count forms.
#include "mpi/failures.hpp"
#include "mpi/host.hpp"
#include "mpi/process.hpp"
#include "mpi/requests.hpp"
#include "mpi/target_area.hpp"
#include "mpi/transfer.hpp"

namespace oriel::mpi {
namespace {

template <way Way>
constexpr const char* name_of = Way == way::put ? "MPI_Put" : "MPI_Get";

// In elements of the base where both sides are dense, else by the layouts of both.
template <way Way>
request begin(any_window& any, const mpi_window& w, const transfer& x, const type_entry& here,
              const type_entry& there, const target_area& area, call_site at) noexcept {
  if (here.dense && there.dense) {
    const std::size_t n = static_cast<std::uint64_t>(x.target_count) * there.size / w.element;
    if constexpr (Way == way::put) return any.rput(area.owner, area.first, x.here, n, at);
    if constexpr (Way == way::get) return any.rget(area.owner, area.first, x.here, n, at);
  }
  const shape mine{here.bytes(), static_cast<std::size_t>(x.count)};
  const shape theirs{there.bytes(), static_cast<std::size_t>(x.target_count)};
  if constexpr (Way == way::put) return any.rput(area.owner, area.first, x.here, mine, theirs, at);
  if constexpr (Way == way::get) return any.rget(area.owner, area.first, x.here, mine, theirs, at);
}

template <way Way>
status perform(any_window& any, const mpi_window& w, const transfer& x, const type_entry& here,
               const type_entry& there, const target_area& area, call_site at) noexcept {
  if (here.dense && there.dense) {
    const std::size_t n = static_cast<std::uint64_t>(x.target_count) * there.size / w.element;
    if constexpr (Way == way::put) return any.put(area.owner, area.first, x.here, n, at);
    if constexpr (Way == way::get) return any.get(area.owner, area.first, x.here, n, at);
  }
  const shape mine{here.bytes(), static_cast<std::size_t>(x.count)};
  const shape theirs{there.bytes(), static_cast<std::size_t>(x.target_count)};
  if constexpr (Way == way::put) return any.put(area.owner, area.first, x.here, mine, theirs, at);
  if constexpr (Way == way::get) return any.get(area.owner, area.first, x.here, mine, theirs, at);
}

}  // namespace

template <way Way>
[[gnu::noinline]] int transfer_slowly(mpi_window& w, call_site at, const transfer& x,
                                      MPI_Request* made) noexcept {
  if (x.target == MPI_PROC_NULL) return done(made);
  const type_entry* const here = find_type(x.type);
  const type_entry* const there = find_type(x.target_type);
  if (const int bad = check_buffer(w, at, name_of<Way>, x.count, here); bad != MPI_SUCCESS)
    return bad;
  target_area area;
  if (const int bad = find_area(w, at, name_of<Way>, x.target, x.disp, x.target_count, there, area);
      bad != MPI_SUCCESS)
    return bad;
  if (static_cast<std::uint64_t>(x.count) * here->size !=
      static_cast<std::uint64_t>(x.target_count) * there->size)
    return raise_class(w, at, MPI_ERR_TYPE,
                       std::string(name_of<Way>) +
                           ": the two sides have different numbers of "
                           "bytes");
  if (area.nothing) return done(made);
  const host_progress progress;
  if (made == nullptr) {
    const status s = perform<Way>(w.any, w, x, *here, *there, area, at);
    return s.ok() ? MPI_SUCCESS : raise(w, s.code());
  }
  request begun = begin<Way>(w.any, w, x, *here, *there, area, at);
  // What fails at once is an error of this call.
  if (begun.test())
    if (const status s = begun.wait(); !s.ok()) return raise(w, s.code());
  return make_request(std::move(begun), made);
}

namespace {

template <way Way>
[[gnu::always_inline]] inline int run(mpi_window& w, call_site at, const transfer& x) noexcept {
  if (transferred_at_once<Way>(w, x)) [[likely]]
    return MPI_SUCCESS;
  const transfer kept = x;  // so that only what takes its address is in memory
  return transfer_slowly<Way>(w, at, kept, nullptr);
}

template <way Way>
int run(mpi_window& w, call_site at, const transfer& x, MPI_Request* made) noexcept {
  return transferred_at_once<Way>(w, x) ? done(made) : transfer_slowly<Way>(w, at, x, made);
}

}  // namespace
}  // namespace oriel::mpi

using oriel::mpi::find_window;
using oriel::mpi::way;

// One call, in one width of counts.
// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_TRANSFER_CALL(name, which, constness, count_type)                               \
  ORIEL_EXPORT int MPI_##name(constness void* here, count_type count, MPI_Datatype type,      \
                              int target, MPI_Aint disp, count_type target_count,             \
                              MPI_Datatype target_type, MPI_Win win) {                        \
    if (auto* const w = find_window(win)) [[likely]]                                          \
      return oriel::mpi::run<which>(                                                          \
          *w, ORIEL_CALLER,                                                                   \
          {const_cast<void*>(here), count, type, target, disp, target_count, target_type});   \
    return ORIEL_HOST(name)(here, count, type, target, disp, target_count, target_type, win); \
  }                                                                                           \
  ORIEL_ALSO_PMPI(name)
#define ORIEL_REQUEST_TRANSFER_CALL(name, which, constness, count_type)                           \
  ORIEL_EXPORT int MPI_##name(constness void* here, count_type count, MPI_Datatype type,          \
                              int target, MPI_Aint disp, count_type target_count,                 \
                              MPI_Datatype target_type, MPI_Win win, MPI_Request* made) {         \
    if (auto* const w = find_window(win)) [[likely]]                                              \
      return oriel::mpi::run<which>(                                                              \
          *w, ORIEL_CALLER,                                                                       \
          {const_cast<void*>(here), count, type, target, disp, target_count, target_type}, made); \
    return ORIEL_HOST(name)(here, count, type, target, disp, target_count, target_type, win,      \
                            made);                                                                \
  }                                                                                               \
  ORIEL_ALSO_PMPI(name)
// NOLINTEND(bugprone-macro-parentheses)

ORIEL_TRANSFER_CALL(Put, way::put, const, int);
ORIEL_TRANSFER_CALL(Get, way::get, , int);
ORIEL_REQUEST_TRANSFER_CALL(Rput, way::put, const, int);
ORIEL_REQUEST_TRANSFER_CALL(Rget, way::get, , int);
#if MPI_VERSION >= 4
ORIEL_TRANSFER_CALL(Put_c, way::put, const, MPI_Count);
ORIEL_TRANSFER_CALL(Get_c, way::get, , MPI_Count);
ORIEL_REQUEST_TRANSFER_CALL(Rput_c, way::put, const, MPI_Count);
ORIEL_REQUEST_TRANSFER_CALL(Rget_c, way::get, , MPI_Count);
#endif
