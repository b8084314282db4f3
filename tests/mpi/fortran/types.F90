#include "bindings.h"
! Fortran's own types in accumulates, and derived types at both sides.
module types
  USE_MPI
  use checks, only: aint, before, expect, me, next, ranks
  implicit none
  INCLUDE_MPI
  private
  public :: test_fortran_types, test_pairs, test_derived_types

contains

  subroutine test_fortran_types()
    logical, asynchronous :: flags(2), flag(2)
    complex, asynchronous :: z(1), added(1)
    complex(kind(1d0)), asynchronous :: zz(1), factor(1)
    character(8), asynchronous :: text(1), word(1)
    real, asynchronous :: least(1), mine(1)
    WINDOW :: win(5)
    integer :: i, ierr

    flags = [.false., .true.]
    z = (1, 1)
    zz = (1, 0)
    text = 'nothing'
    least = 1000
    call MPI_Win_create(flags, 8_aint, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win(1), ierr)
    call MPI_Win_create(z, 8_aint, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win(2), ierr)
    call MPI_Win_create(zz, 16_aint, 16, MPI_INFO_NULL, MPI_COMM_WORLD, win(3), ierr)
    call MPI_Win_create(text, 8_aint, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win(4), ierr)
    call MPI_Win_create(least, 4_aint, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win(5), ierr)
    do i = 1, 5
      call MPI_Win_fence(0, win(i), ierr)
    end do
    flag = [me == ranks - 1, me /= 0]
    added = cmplx(me, -me)
    factor = (0, 1)
    word = 'rank   ' // achar(iachar('0') + me)
    mine = 10 - me
    call MPI_Accumulate(flag, 1, MPI_LOGICAL, 0, 0_aint, 1, MPI_LOGICAL, MPI_LOR, win(1), ierr)
    call MPI_Accumulate(flag(2), 1, MPI_LOGICAL, 0, 1_aint, 1, MPI_LOGICAL, MPI_LAND, win(1), ierr)
    call MPI_Accumulate(added, 1, MPI_COMPLEX, 0, 0_aint, 1, MPI_COMPLEX, MPI_SUM, win(2), ierr)
    call MPI_Accumulate(factor, 1, MPI_DOUBLE_COMPLEX, 0, 0_aint, 1, MPI_DOUBLE_COMPLEX, MPI_PROD, &
                        win(3), ierr)
    call MPI_Put(word, 8, MPI_CHARACTER, next, 0_aint, 8, MPI_CHARACTER, win(4), ierr)
    call MPI_Accumulate(mine, 1, MPI_REAL, 0, 0_aint, 1, MPI_REAL, MPI_MIN, win(5), ierr)
    do i = 1, 5
      call MPI_Win_fence(0, win(i), ierr)
    end do
    call expect(text(1) == 'rank   ' // achar(iachar('0') + before), 'characters')
    if (me == 0) then
      call expect(flags(1), 'logical or')
      call expect(.not. flags(2), 'logical and')
      call expect(z(1) == cmplx(1 + ranks * (ranks - 1) / 2, 1 - ranks * (ranks - 1) / 2), 'complex sum')
      call expect(zz(1) == (0d0, 1d0)**ranks, 'complex product')
      call expect(least(1) == 11 - ranks, 'the least real')
    end if
    do i = 1, 5
      call MPI_Win_free(win(i), ierr)
    end do
  end subroutine

  subroutine test_pairs()
    integer, asynchronous :: pair(2), found(2)
    real(kind(1d0)), asynchronous :: reals(2), real_found(2)
    WINDOW :: win, real_win
    integer :: ierr

    pair = [-1, -1]
    reals = [1d9, -1d0]
    call MPI_Win_create(pair, 8_aint, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_create(reals, 16_aint, 1, MPI_INFO_NULL, MPI_COMM_WORLD, real_win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call MPI_Win_fence(0, real_win, ierr)
    found = [mod(me, 2), me]
    real_found = [-1.5d0 * mod(me, 2), 1d0 * me]
    call MPI_Accumulate(found, 1, MPI_2INTEGER, 0, 0_aint, 1, MPI_2INTEGER, MPI_MAXLOC, win, ierr)
    call MPI_Accumulate(real_found, 1, MPI_2DOUBLE_PRECISION, 0, 0_aint, 1, MPI_2DOUBLE_PRECISION, &
                        MPI_MINLOC, real_win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call MPI_Win_fence(0, real_win, ierr)
    if (me == 0) then
      call expect(all(pair == merge([0, 0], [1, 1], ranks == 1)), 'maxloc of integers')
      call expect(all(reals == merge([0d0, 0d0], [-1.5d0, 1d0], ranks == 1)), 'minloc of reals')
    end if
    call MPI_Win_free(win, ierr)
    call MPI_Win_free(real_win, ierr)
  end subroutine

  subroutine test_derived_types()
    integer, parameter :: n = 6
    real(kind(1d0)), asynchronous :: memory(n, n), column(n), tile(2, 3)
    DATATYPE :: row, block
    WINDOW :: win
    integer :: ierr

    memory = 0
    call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row, ierr)
    call MPI_Type_create_subarray(2, [n, n], [2, 3], [3, 2], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, &
                                  block, ierr)
    call MPI_Type_commit(row, ierr)
    call MPI_Type_commit(block, ierr)
    call MPI_Win_create(memory, int(8 * n * n, aint), 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    column = me + 1
    tile = 2
    call MPI_Put(column, n, MPI_DOUBLE_PRECISION, next, 1_aint, 1, row, win, ierr)
    call MPI_Accumulate(tile, 6, MPI_DOUBLE_PRECISION, 0, 0_aint, 1, block, MPI_SUM, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    column = 0
    call MPI_Get(column, n, MPI_DOUBLE_PRECISION, next, 1_aint, 1, row, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call expect(all(memory(2, :) == before + 1), 'put to a row')
    call expect(all(column == me + 1), 'get from a row')
    if (me == 0) then
      call expect(all(memory(4:5, 3:5) == 2 * ranks), 'accumulate to a subarray')
      memory(4:5, 3:5) = 0
      memory(2, :) = 0
      call expect(all(memory == 0), 'what is around them')
    end if
    call MPI_Type_free(row, ierr)
    call MPI_Type_free(block, ierr)
    call MPI_Win_free(win, ierr)
  end subroutine
end module
