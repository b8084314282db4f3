! A window with assertions: each rank takes the places of its items in one shared array from rank 0's
! counter, and puts them there. mpiexec -n 4 oriel-mpi-<host>-allocate-new-fortran
! Programs of the module mpi use oriel_mpi, and INTEGERs for handles.
program allocate_new
  use mpi_f08
  use oriel_mpi_f08
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc, c_ptr
  implicit none
  integer, parameter :: items = 3, aint = MPI_ADDRESS_KIND
  integer(8), pointer, asynchronous :: mine(:)
  integer(8), asynchronous :: one, place, item
  integer, asynchronous, target :: numbers(2), number
  integer(aint) :: count
  integer :: me, ranks, i, found, length
  character(1000) :: text
  type(c_ptr) :: base
  type(MPI_Win) :: win
  type(MPIX_Segment) :: memory(1)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! Element 0 of rank 0 counts; those after it hold the items. Fetch-and-add and single puts under
  ! lock_all are all that is asserted.
  count = merge(1 + items * ranks, 0, me == 0)
  call MPIX_Win_allocate_new(MPI_INTEGER8, count, MPIX_WINDOW_SHARED_LOCK + &
                             MPIX_WINDOW_LOCAL_LOAD_STORE, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call MPI_Win_lock_all(0, win)
  do i = 0, items - 1
    one = 1
    item = 100 * me + i
    call MPI_Fetch_and_op(one, place, MPI_INTEGER8, 0, 0_aint, MPI_SUM, win)
    call MPI_Win_flush(0, win)
    call MPI_Put(item, 1, MPI_INTEGER8, 0, 1 + place, 1, MPI_INTEGER8, win)
    call MPI_Win_flush_local(0, win)
  end do
  call MPI_Win_unlock_all(win)
  call MPI_Barrier(MPI_COMM_WORLD)

  if (me == 0) then
    call c_f_pointer(base, mine, [count])
    call require(mine(1) == items * ranks, 'the number of items')
    call require(sum(mine(2:)) == 100 * items * ranks * (ranks - 1) / 2 + &
                 ranks * items * (items - 1) / 2, 'the sum of the items')
    call MPIX_Win_segments(win, 0, 1, memory, found)
    call require(found == 1, 'the memory of rank 0')
    print '(i0, a, i0, a)', items * ranks, ' items in ', memory(1)%size, ' bytes'
    call MPIX_Win_explain(win, len(text), text, length)
    print '(a)', trim(text)
  end if
  call MPI_Win_free(win)

  ! The same on memory of the program's own.
  numbers = [me, -1]
  number = me
  call MPIX_Win_create_new(MPI_INTEGER, c_loc(numbers), 2_aint, MPIX_WINDOW_FENCE, MPI_INFO_NULL, &
                           MPI_COMM_WORLD, win)
  call MPI_Win_fence(MPI_MODE_NOPRECEDE, win)
  call MPI_Put(number, 1, MPI_INTEGER, mod(me + 1, ranks), 1_aint, 1, MPI_INTEGER, win)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
  call require(numbers(2) == mod(me + ranks - 1, ranks), 'what the rank before has put')
  call MPI_Win_free(win)
  call MPI_Finalize()

contains

  subroutine require(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    print '(2a)', 'wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
