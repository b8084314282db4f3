#include "bindings.h"
! The constructors of oriel_mpi and oriel_mpi_f08, and what they tell of their windows.
program new_windows
  USE_MPI
#if defined(BY_MPI_F08)
  use oriel_mpi_f08
#else
  use oriel_mpi
#endif
  use checks, only: aint, before, begin, expect, finish, me, next
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_loc, c_null_ptr, c_ptr
  implicit none

  call begin()
  call test_allocate()
  call test_create()
  call test_attach()
  call test_refusals()
  call finish('oriel_mpi by ' // BINDING)

contains

  logical function is_class(code, class)
    integer, intent(in) :: code, class
    integer :: found, ierr
    call MPI_Error_class(code, found, ierr)
    is_class = found == class
  end function

  subroutine test_allocate()
    integer, parameter :: wanted = MPIX_WINDOW_FENCE + MPIX_WINDOW_MULTI_ELEMENT
    real(kind(1d0)), pointer, asynchronous :: memory(:)
    real(kind(1d0)), asynchronous :: mine(2)
    type(c_ptr) :: base
    type(MPIX_Segment) :: segments(2)
    character(2000) :: text
    character(12) :: start
    integer :: found, length, ierr
    WINDOW :: win

    call MPIX_Win_allocate_new(MPI_DOUBLE_PRECISION, 10_aint, wanted, MPI_INFO_NULL, MPI_COMM_WORLD, &
                               base, win, ierr)
    call expect(ierr == MPI_SUCCESS, 'allocate_new')
    call c_f_pointer(base, memory, [10])
    call expect(all(memory == 0), 'new memory')
    mine = [me + 1, me + 2]
    call MPI_Win_fence(0, win, ierr)
    call MPI_Put(mine, 2, MPI_DOUBLE_PRECISION, next, 4_aint, 2, MPI_DOUBLE_PRECISION, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call expect(all(memory(5:6) == [before + 1, before + 2]), 'put to new memory')

    call MPIX_Win_segments(win, me, 0, segments, found, ierr)
    call expect(ierr == MPI_SUCCESS .and. found == 1, 'the number of segments')
    call MPIX_Win_segments(win, me, 2, segments, found)
    call expect(segments(1)%disp == 0 .and. segments(1)%size == 80, 'a segment')
    call expect(c_associated(segments(1)%base, base), 'the base of a segment')

    text = repeat('?', len(text))
    call MPIX_Win_explain(win, len(text), text, length, ierr)
    call expect(length > len(start) .and. len_trim(text) <= length, 'the length of the explanation')
    call expect(text(length + 1:) == ' ', 'blanks after the explanation')
    call MPIX_Win_explain(win, len(start), start, found)
    call expect(found == length, 'the length of all of it')
    call expect(start(1:11) == text(1:11) .and. start(12:) == ' ', 'the start of the explanation')

    ! Locks were not asserted.
    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN, ierr)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierr)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win, ierr)
    call expect(is_class(ierr, MPI_ERR_ASSERT), 'a lock that was not asserted')
    call MPI_Win_free(win, ierr)
  end subroutine

  subroutine test_create()
    integer, asynchronous, target :: memory(4)
    integer, asynchronous :: one, seen
    WINDOW :: win
    integer :: ierr

    memory = 10
    one = 1
    call MPIX_Win_create_new(MPI_INTEGER, c_loc(memory), 4_aint, MPIX_WINDOW_SHARED_LOCK, &
                             MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call expect(ierr == MPI_SUCCESS, 'create_new')
    call MPI_Win_lock_all(0, win, ierr)
    call MPI_Fetch_and_op(one, seen, MPI_INTEGER, next, 3_aint, MPI_SUM, win, ierr)
    call MPI_Win_flush(next, win, ierr)
    call expect(seen == 10, 'fetch_and_op on memory of the program')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_unlock_all(win, ierr)
    call expect(memory(4) == 11, 'what fetch_and_op left')
    call MPI_Win_free(win, ierr)
  end subroutine

  subroutine test_attach()
    integer, parameter :: wanted = MPIX_WINDOW_SHARED_LOCK + MPIX_WINDOW_ATTACH
    integer, asynchronous, target :: memory(8)
    integer, asynchronous :: mine
    type(MPIX_Segment) :: segments(3)
    integer(aint) :: here, there
    integer :: found, ierr
    WINDOW :: win

    memory = -1
    call MPIX_Win_create_new(MPI_INTEGER, c_null_ptr, 0_aint, wanted, MPI_INFO_NULL, MPI_COMM_WORLD, &
                             win, ierr)
    call expect(ierr == MPI_SUCCESS, 'create_new without memory')
    call MPI_Win_attach(win, memory, 32_aint, ierr)
    call MPI_Get_address(memory(3), here, ierr)
    call MPI_Sendrecv(here, 1, MPI_AINT, before, 1, there, 1, MPI_AINT, next, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    mine = me
    call MPI_Win_lock_all(0, win, ierr)
    call MPI_Put(mine, 1, MPI_INTEGER, next, there, 1, MPI_INTEGER, win, ierr)
    call MPI_Win_unlock_all(win, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call expect(memory(3) == before, 'put to attached memory')
    call MPIX_Win_segments(win, me, 3, segments, found, ierr)
    call expect(found == 1 .and. segments(1)%size == 32, 'the attached segment')
    call expect(segments(1)%disp == here - 8, 'its displacement is its address')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_detach(win, memory, ierr)
    call MPI_Win_free(win, ierr)
  end subroutine

  subroutine test_refusals()
    COMMUNICATOR :: mine
    type(c_ptr) :: base
    WINDOW :: win
    integer :: ierr

    call MPI_Comm_dup(MPI_COMM_WORLD, mine, ierr)
    call MPI_Comm_set_errhandler(mine, MPI_ERRORS_RETURN, ierr)
    call MPIX_Win_allocate_new(MPI_INTEGER, 1_aint, MPIX_WINDOW_ATTACH, MPI_INFO_NULL, mine, base, win, &
                               ierr)
    call expect(is_class(ierr, MPI_ERR_ASSERT), 'allocate_new does not attach')
    call MPIX_Win_allocate_new(MPI_INTEGER, -1_aint, MPIX_WINDOW_FENCE, MPI_INFO_NULL, mine, base, win, &
                               ierr)
    call expect(is_class(ierr, MPI_ERR_SIZE), 'a negative count')
    call MPI_Comm_free(mine, ierr)
  end subroutine
end program
