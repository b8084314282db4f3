! oriel's window constructors for Fortran programs of mpif.h and the module mpi, whose handles are
! INTEGERs. Those of mpi_f08 use oriel_mpi_f08. Beside interfaces and constants there is nothing in
! here: the procedures are in liboriel-mpich and liboriel-openmpi, which are linked before the MPI
! library, or preloaded. oriel_mpi.h says what each call does, and which errors it raises.
!
! Where this differs from C: `memory` is a type(c_ptr), c_loc of an array that has the TARGET attribute,
! or c_null_ptr; and `room` is the length of `text`, which is filled up with blanks and, when it is too
! short for all of it, cut to all but its last character.

! What does not depend on how handles are written; programs use one of the other two modules.
module oriel_mpi_constants
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_ptr
  implicit none
  private :: c_int, c_intptr_t, c_ptr

  ! A set of assertions is the sum of different ones, or their ior.
  ! MPIX_WINDOW_FENCE and so on, as oriel_mpi.h has them.
  include 'oriel_mpi_constants.inc'

  ! One buffer that a rank exposes: displacement, bytes, and where this process reaches it by load and
  ! store, which is null where it cannot.
  type, bind(C) :: MPIX_Segment
    integer(c_intptr_t) :: disp
    integer(c_intptr_t) :: size
    type(c_ptr) :: base
  end type
end module

module oriel_mpi
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_intptr_t, c_ptr
  use oriel_mpi_constants
  implicit none
  private :: c_char, c_int, c_intptr_t, c_ptr

  interface
    ! Collective over comm: `count` elements of `base`, zeroed, at `baseptr`.
    subroutine MPIX_Win_allocate_new(base, count, assertions, info, comm, baseptr, win, ierror) &
        bind(C, name='oriel_fortran_win_allocate_new')
      import :: c_int, c_intptr_t, c_ptr
      integer(c_int), intent(in) :: base, assertions, info, comm
      integer(c_intptr_t), intent(in) :: count
      type(c_ptr), intent(out) :: baseptr
      integer(c_int), intent(out) :: win
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The same on memory of the caller's, which must outlive the window.
    subroutine MPIX_Win_create_new(base, memory, count, assertions, info, comm, win, ierror) &
        bind(C, name='oriel_fortran_win_create_new')
      import :: c_int, c_intptr_t, c_ptr
      integer(c_int), intent(in) :: base, assertions, info, comm
      type(c_ptr), value :: memory
      integer(c_intptr_t), intent(in) :: count
      integer(c_int), intent(out) :: win
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Local: the first `most` of the `found` buffers that a rank exposes.
    subroutine MPIX_Win_segments(win, rank, most, segments, found, ierror) &
        bind(C, name='oriel_fortran_win_segments')
      import :: c_int, MPIX_Segment
      integer(c_int), intent(in) :: win, rank, most
      type(MPIX_Segment), intent(inout) :: segments(*)
      integer(c_int), intent(out) :: found
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Local: why the window is as fast as it is; `length` is that of the whole text.
    subroutine MPIX_Win_explain(win, room, text, length, ierror) &
        bind(C, name='oriel_fortran_win_explain')
      import :: c_char, c_int
      integer(c_int), intent(in) :: win, room
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int), intent(out) :: length
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module
