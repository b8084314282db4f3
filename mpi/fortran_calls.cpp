// What Fortran programs call and the calls of C do not cover.
//
// The hosts' Fortran bindings make every call of theirs by MPI's C functions, under the name MPI_X
// or PMPI_X, so that this library serves it, save one: MPI_WIN_GET_ATTR reads the host's own
// window, by functions without a name in the standard. It is served here under every name that
// Fortran compilers give it. The calls of oriel_mpi.h are here with Fortran's handles, for the
// modules oriel_mpi and oriel_mpi_f08, whose interfaces bind to them.
//
// A handle is an INTEGER in mpif.h and the module mpi, and in mpi_f08 a type that holds one:
// arguments by reference are the same. `ierror` is null where a program leaves it out, as it may in
// mpi_f08.
#include <algorithm>
#include <cstring>

#include "mpi/host.hpp"
#include "mpi/mpi_window.hpp"
#include "mpi/oriel_mpi.h"

namespace oriel::mpi {
namespace {

// MPICH's keys are the C ones plus 1, by which it returns values and not their addresses.
constexpr MPI_Fint in_fortran(int key) noexcept {
#ifdef MPICH
  return key + 1;
#else
  return key;
#endif
}

// The values that this library returns for its windows: the base is an address, others are numbers.
bool answer(const mpi_window& w, MPI_Fint key, MPI_Aint& value) noexcept {
  if (key == in_fortran(MPI_WIN_BASE)) return value = reinterpret_cast<MPI_Aint>(w.base), true;
  if (key == in_fortran(MPI_WIN_SIZE)) return value = w.size, true;
  if (key == in_fortran(MPI_WIN_DISP_UNIT)) return value = w.unit, true;
  if (key == in_fortran(MPI_WIN_CREATE_FLAVOR)) return value = w.flavor, true;
  if (key == in_fortran(MPI_WIN_MODEL)) return value = w.model, true;
  return false;
}

void tell(MPI_Fint* ierror, int code) noexcept {
  if (ierror != nullptr) *ierror = code;
}

// Fortran's text has no end but its room, and is filled up with blanks.
void blank_after(char* text, int room, int length) noexcept {
  if (length < room) std::memset(text + length, ' ', static_cast<std::size_t>(room - length));
}

}  // namespace
}  // namespace oriel::mpi

// The host's function is called first, which has every key: its form of .true., its errors, and the
// attributes that programs have set remain.
ORIEL_EXPORT void pmpi_win_get_attr_(MPI_Fint* win, MPI_Fint* key, MPI_Aint* value, MPI_Fint* found,
                                     MPI_Fint* ierror) {
  using namespace oriel::mpi;  // NOLINT: the function itself has a name of MPI's
  MPI_Fint code = MPI_SUCCESS;
  host_function<"pmpi_win_get_attr_", decltype(&pmpi_win_get_attr_)>()(win, key, value, found,
                                                                       &code);
  tell(ierror, code);
  if (code != MPI_SUCCESS) return;
  if (const auto* const w = find_window(MPI_Win_f2c(*win))) answer(*w, *key, *value);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared
#define ORIEL_ALSO_NAMED(name) \
  ORIEL_EXPORT decltype(pmpi_win_get_attr_) name __attribute__((alias("pmpi_win_get_attr_")))
// NOLINTEND(bugprone-macro-parentheses)
ORIEL_ALSO_NAMED(mpi_win_get_attr_);
ORIEL_ALSO_NAMED(mpi_win_get_attr__);
ORIEL_ALSO_NAMED(mpi_win_get_attr);
ORIEL_ALSO_NAMED(MPI_WIN_GET_ATTR);
ORIEL_ALSO_NAMED(pmpi_win_get_attr__);
ORIEL_ALSO_NAMED(pmpi_win_get_attr);
ORIEL_ALSO_NAMED(PMPI_WIN_GET_ATTR);
#ifdef MPICH  // mpi_f08's; Open MPI's calls pmpi_win_get_attr_
ORIEL_ALSO_NAMED(mpi_win_get_attr_f08_);
ORIEL_ALSO_NAMED(pmpir_win_get_attr_f08_);
#endif

ORIEL_EXPORT void oriel_fortran_win_allocate_new(const MPI_Fint* base, const MPI_Aint* count,
                                                 const MPI_Fint* assertions, const MPI_Fint* info,
                                                 const MPI_Fint* comm, void** baseptr,
                                                 MPI_Fint* win, MPI_Fint* ierror) {
  MPI_Win made = MPI_WIN_NULL;
  const int code = MPIX_Win_allocate_new(MPI_Type_f2c(*base), *count, *assertions,
                                         MPI_Info_f2c(*info), MPI_Comm_f2c(*comm), baseptr, &made);
  if (code == MPI_SUCCESS) *win = MPI_Win_c2f(made);
  oriel::mpi::tell(ierror, code);
}

ORIEL_EXPORT void oriel_fortran_win_create_new(const MPI_Fint* base, void* memory,
                                               const MPI_Aint* count, const MPI_Fint* assertions,
                                               const MPI_Fint* info, const MPI_Fint* comm,
                                               MPI_Fint* win, MPI_Fint* ierror) {
  MPI_Win made = MPI_WIN_NULL;
  const int code = MPIX_Win_create_new(MPI_Type_f2c(*base), memory, *count, *assertions,
                                       MPI_Info_f2c(*info), MPI_Comm_f2c(*comm), &made);
  if (code == MPI_SUCCESS) *win = MPI_Win_c2f(made);
  oriel::mpi::tell(ierror, code);
}

ORIEL_EXPORT void oriel_fortran_win_segments(const MPI_Fint* win, const MPI_Fint* rank,
                                             const MPI_Fint* most, MPIX_Segment* segments,
                                             MPI_Fint* found, MPI_Fint* ierror) {
  oriel::mpi::tell(ierror, MPIX_Win_segments(MPI_Win_f2c(*win), *rank, *most, segments, found));
}

ORIEL_EXPORT void oriel_fortran_win_explain(const MPI_Fint* win, const MPI_Fint* room, char* text,
                                            MPI_Fint* length, MPI_Fint* ierror) {
  const int code = MPIX_Win_explain(MPI_Win_f2c(*win), *room, text, length);
  // The terminating zero takes the last place when the text is cut.
  if (code == MPI_SUCCESS)
    oriel::mpi::blank_after(text, *room, std::min(*length, std::max(*room - 1, 0)));
  oriel::mpi::tell(ierror, code);
}
