! oriel's window constructors for Fortran programs of the module mpi_f08: as the module oriel_mpi, which
! see, with the types of mpi_f08's handles.
module oriel_mpi_f08
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_intptr_t, c_ptr
  use oriel_mpi_constants
  implicit none
  private :: c_char, c_int, c_intptr_t, c_ptr

  interface
    subroutine MPIX_Win_allocate_new(base, count, assertions, info, comm, baseptr, win, ierror) &
        bind(C, name='oriel_fortran_win_allocate_new')
      use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Info, MPI_Win
      import :: c_int, c_intptr_t, c_ptr
      type(MPI_Datatype), intent(in) :: base
      integer(c_intptr_t), intent(in) :: count
      integer(c_int), intent(in) :: assertions
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: baseptr
      type(MPI_Win), intent(out) :: win
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine MPIX_Win_create_new(base, memory, count, assertions, info, comm, win, ierror) &
        bind(C, name='oriel_fortran_win_create_new')
      use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Info, MPI_Win
      import :: c_int, c_intptr_t, c_ptr
      type(MPI_Datatype), intent(in) :: base
      type(c_ptr), value :: memory
      integer(c_intptr_t), intent(in) :: count
      integer(c_int), intent(in) :: assertions
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win), intent(out) :: win
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine MPIX_Win_segments(win, rank, most, segments, found, ierror) &
        bind(C, name='oriel_fortran_win_segments')
      use mpi_f08, only: MPI_Win
      import :: c_int, MPIX_Segment
      type(MPI_Win), intent(in) :: win
      integer(c_int), intent(in) :: rank, most
      type(MPIX_Segment), intent(inout) :: segments(*)
      integer(c_int), intent(out) :: found
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine MPIX_Win_explain(win, room, text, length, ierror) &
        bind(C, name='oriel_fortran_win_explain')
      use mpi_f08, only: MPI_Win
      import :: c_char, c_int
      type(MPI_Win), intent(in) :: win
      integer(c_int), intent(in) :: room
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int), intent(out) :: length
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module
