#include "bindings.h"
! Fence and post-start-complete-wait.
module active
  USE_MPI
  use checks, only: aint, before, expect, me, next, ranks
  implicit none
  INCLUDE_MPI
  private
  public :: test_fence, test_groups

contains

  subroutine test_fence()
    real(kind(1d0)), asynchronous :: memory(8), mine(2), theirs(2)
    integer(aint) :: at
    WINDOW :: win
    integer :: ierr

    memory = 0
    memory(5:6) = [me + 0.5d0, me + 0.25d0]
    call MPI_Win_create(memory, 64_aint, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call expect(ierr == MPI_SUCCESS, 'create')
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, win, ierr)
    mine = [me + 1d0, me + 2d0]
    at = 2
    call MPI_Put(mine, 2, MPI_DOUBLE_PRECISION, next, at, 2, MPI_DOUBLE_PRECISION, win, ierr)
    at = 4
    call MPI_Get(theirs, 2, MPI_DOUBLE_PRECISION, next, at, 2, MPI_DOUBLE_PRECISION, win, ierr)
    call MPI_Put(mine, 2, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, at, 2, MPI_DOUBLE_PRECISION, win, ierr)
    at = 0
    call MPI_Accumulate(mine, 1, MPI_DOUBLE_PRECISION, 0, at, 1, MPI_DOUBLE_PRECISION, MPI_SUM, win, &
                        ierr)
    call MPI_Win_fence(0, win, ierr)
    call expect(all(memory(3:4) == [before + 1d0, before + 2d0]), 'put in a fence')
    call expect(all(theirs == [next + 0.5d0, next + 0.25d0]), 'get in a fence')
    if (me == 0) call expect(memory(1) == ranks * (ranks + 1) / 2, 'accumulate in a fence')
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierr)
    call MPI_Win_free(win, ierr)
    call expect(win == MPI_WIN_NULL, 'a freed window')
  end subroutine

  ! Each rank writes to the next one, again and again.
  subroutine test_groups()
    integer, asynchronous :: memory(4), mine
    GROUP :: everyone, source, target
    WINDOW :: win
    integer :: i, ierr
    logical :: done

    memory = -1
    call MPI_Win_create(memory, 16_aint, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_get_group(win, everyone, ierr)
    call MPI_Group_incl(everyone, 1, [before], source, ierr)
    call MPI_Group_incl(everyone, 1, [next], target, ierr)
    do i = 1, 20
      mine = 100 * i + me
      call MPI_Win_post(source, 0, win, ierr)
      call MPI_Win_start(target, 0, win, ierr)
      call MPI_Put(mine, 1, MPI_INTEGER, next, 3_aint, 1, MPI_INTEGER, win, ierr)
      call MPI_Win_complete(win, ierr)
      if (mod(i, 2) == 0) then
        call MPI_Win_wait(win, ierr)
      else
        done = .false.
        do while (.not. done)
          call MPI_Win_test(win, done, ierr)
        end do
      end if
      call expect(memory(4) == 100 * i + before, 'put between start and complete')
    end do
    call MPI_Group_free(source, ierr)
    call MPI_Group_free(target, ierr)
    call MPI_Group_free(everyone, ierr)
    call MPI_Win_free(win, ierr)
  end subroutine
end module
