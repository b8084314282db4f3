#include "bindings.h"
! Errors reach the window's handler, which may be a procedure of the program's.
module errors
  USE_MPI
  use checks, only: aint, expect, me, ranks
  implicit none
  INCLUDE_MPI
  private
  public :: test_errors
  integer :: called = 0, code_given = MPI_SUCCESS

contains

  subroutine handle(win, code)
    WINDOW :: win
    integer :: code
    if (win /= MPI_WIN_NULL) called = called + 1
    code_given = code
  end subroutine

  logical function is_class(code, class)
    integer, intent(in) :: code, class
    integer :: found, ierr
    call MPI_Error_class(code, found, ierr)
    is_class = found == class
  end function

  subroutine test_errors()
    integer, asynchronous :: memory(4), mine
    ERRHANDLER :: handler
    WINDOW :: win
    integer :: ierr

    memory = 0
    mine = 1
    call MPI_Win_create(memory, 16_aint, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN, ierr)
    call MPI_Put(mine, 1, MPI_INTEGER, me, 0_aint, 1, MPI_INTEGER, win, ierr)
    call expect(is_class(ierr, MPI_ERR_RMA_SYNC), 'put outside an epoch')
    call MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win, ierr)
    call MPI_Put(mine, 1, MPI_INTEGER, me, 4_aint, 1, MPI_INTEGER, win, ierr)
    call expect(is_class(ierr, MPI_ERR_RMA_RANGE), 'put beyond the window')
    call MPI_Put(mine, 1, MPI_INTEGER, ranks, 0_aint, 1, MPI_INTEGER, win, ierr)
    call expect(is_class(ierr, MPI_ERR_RANK), 'put to nobody')
    call MPI_Win_create_errhandler(handle, handler, ierr)
    call MPI_Win_set_errhandler(win, handler, ierr)
    call MPI_Put(mine, 1, MPI_INTEGER, me, -1_aint, 1, MPI_INTEGER, win, ierr)
    call expect(called == 1 .and. is_class(code_given, MPI_ERR_DISP), 'the handler of the program')
    call expect(is_class(ierr, MPI_ERR_DISP), 'what the call returns then')
    call MPI_Win_unlock(me, win, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call expect(all(memory == 0), 'nothing was written')
    call MPI_Win_free(win, ierr)
  end subroutine
end module
