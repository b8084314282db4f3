#include "bindings.h"
! Locks, the operations on one element, and requests.
module passive
  USE_MPI
  use checks, only: aint, before, expect, me, next, ranks
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
  implicit none
  INCLUDE_MPI
  private
  public :: test_locks, test_atomics, test_requests

contains

  ! The lock makes get and put of all ranks one step.
  subroutine test_locks()
    integer, parameter :: times = 25
    integer, pointer, asynchronous :: memory(:)
    integer, asynchronous :: seen
    type(c_ptr) :: base
    WINDOW :: win
    integer :: i, ierr

    call MPI_Win_allocate(4_aint, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
    call c_f_pointer(base, memory, [1])
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win, ierr)
    memory(1) = 0
    call MPI_Win_unlock(me, win, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    do i = 1, times
      call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win, ierr)
      call MPI_Get(seen, 1, MPI_INTEGER, 0, 0_aint, 1, MPI_INTEGER, win, ierr)
      call MPI_Win_flush(0, win, ierr)
      seen = seen + 1
      call MPI_Put(seen, 1, MPI_INTEGER, 0, 0_aint, 1, MPI_INTEGER, win, ierr)
      call MPI_Win_unlock(0, win, ierr)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win, ierr)
    call MPI_Get(seen, 1, MPI_INTEGER, 0, 0_aint, 1, MPI_INTEGER, win, ierr)
    call MPI_Win_unlock(0, win, ierr)
    call expect(seen == times * ranks, 'a counter under an exclusive lock')
    call MPI_Win_free(win, ierr)
  end subroutine

  subroutine test_atomics()
    integer(8), asynchronous :: memory(4), one, seen, wanted, expected, many(2), were(2)
    integer :: i, ierr
    logical :: mine
    WINDOW :: win

    memory = 0
    call MPI_Win_create(memory, 32_aint, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_lock_all(0, win, ierr)
    one = 1
    do i = 1, 10
      call MPI_Fetch_and_op(one, seen, MPI_INTEGER8, 0, 0_aint, MPI_SUM, win, ierr)
      call MPI_Win_flush(0, win, ierr)
      call expect(seen >= i - 1 .and. seen < 10 * ranks, 'what fetch_and_op found')
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Fetch_and_op(one, seen, MPI_INTEGER8, 0, 0_aint, MPI_NO_OP, win, ierr)
    call MPI_Win_flush_local(0, win, ierr)
    call expect(seen == 10 * ranks, 'the sum of all fetch_and_op')

    ! The ranks take their turns by what the last one has left.
    mine = .false.
    wanted = me + 1
    expected = me
    do while (.not. mine)
      call MPI_Compare_and_swap(wanted, expected, seen, MPI_INTEGER8, 0, 1_aint, win, ierr)
      call MPI_Win_flush(0, win, ierr)
      mine = seen == expected
    end do
    many = [1, 2]
    call MPI_Get_accumulate(many, 2, MPI_INTEGER8, were, 2, MPI_INTEGER8, next, 2_aint, 2, &
                            MPI_INTEGER8, MPI_REPLACE, win, ierr)
    call MPI_Win_flush_all(win, ierr)
    call expect(all(were == 0), 'what get_accumulate found')
    call MPI_Win_sync(win, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_flush_local_all(win, ierr)
    call MPI_Win_unlock_all(win, ierr)
    call expect(all(memory(3:4) == [1, 2]), 'what get_accumulate left')
    if (me == 0) call expect(memory(2) == ranks, 'the turns by compare_and_swap')
    call MPI_Win_free(win, ierr)
  end subroutine

  ! Among requests of messages, which the same calls complete.
  subroutine test_requests()
    integer, parameter :: n = 1000
    integer, asynchronous :: memory(4 * n), a(n), b(n), c(n), d(n), message, said
    REQUEST :: requests(5), last
    STATUS :: status
    integer :: i, ierr
    logical :: done
    WINDOW :: win

    memory = me
    memory(2 * n + 1:) = 0
    call MPI_Win_create(memory, int(16 * n, aint), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_lock_all(0, win, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    a = [(i + me, i=1, n)]
    c = 3
    message = me
    call MPI_Irecv(said, 1, MPI_INTEGER, before, 7, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Rput(a, n, MPI_INTEGER, next, int(n, aint), n, MPI_INTEGER, win, requests(2), ierr)
    call MPI_Rget(b, n, MPI_INTEGER, next, 0_aint, n, MPI_INTEGER, win, requests(3), ierr)
    call MPI_Raccumulate(c, n, MPI_INTEGER, next, int(2 * n, aint), n, MPI_INTEGER, MPI_SUM, win, &
                         requests(4), ierr)
    call MPI_Isend(message, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD, requests(5), ierr)
    call MPI_Waitall(5, requests, MPI_STATUSES_IGNORE, ierr)
    call expect(ierr == MPI_SUCCESS, 'waitall')
    call expect(said == before, 'a message among the requests')
    call expect(all(b == next), 'rget')
    do i = 1, 5
      call expect(requests(i) == MPI_REQUEST_NULL, 'a completed request')
    end do
    call MPI_Win_flush(next, win, ierr)
    call MPI_Rget_accumulate(c, n, MPI_INTEGER, d, n, MPI_INTEGER, next, int(2 * n, aint), n, &
                             MPI_INTEGER, MPI_SUM, win, last, ierr)
    done = .false.
    do while (.not. done)
      call MPI_Test(last, done, status, ierr)
    end do
    call expect(all(d == 3), 'rget_accumulate')
    call MPI_Rget(b, n, MPI_INTEGER, next, 0_aint, n, MPI_INTEGER, win, last, ierr)
    call MPI_Wait(last, status, ierr)
    call MPI_Win_flush_all(win, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_sync(win, ierr)
    call expect(all(memory(n + 1:2 * n) == [(i + before, i=1, n)]), 'rput')
    call expect(all(memory(2 * n + 1:3 * n) == 6), 'raccumulate')
    call MPI_Win_unlock_all(win, ierr)
    call MPI_Win_free(win, ierr)
  end subroutine
end module
