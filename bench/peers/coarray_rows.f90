! Scalars of coarrays on the other image of a node, timed as bench/support/measure.hpp times: in
! rows "case images bytes nanoseconds". GFortran hands them to OpenCoarrays, and that to MPI RMA.
program coarray_rows
  use, intrinsic :: iso_fortran_env, only: int64, real64, atomic_int_kind, output_unit
  implicit none
  integer(int64) :: value[*]
  integer(atomic_int_kind) :: counter[*]
  real(real64) :: seconds
  character(len=1000) :: cases

  seconds = 0.1_real64
  cases = ' '
  call take_arguments()
  value = 0
  counter = 0
  sync all
  call measure('coarray_put', storage_size(value) / 8)
  call measure('coarray_get', storage_size(value) / 8)
  call measure('coarray_atomic_add', storage_size(counter) / 8)
  call measure('coarray_fetch_add', storage_size(counter) / 8)

contains

  ! --case A,B --seconds S; without --case: all.
  subroutine take_arguments()
    character(len=1000) :: word
    integer :: i
    do i = 1, command_argument_count() - 1
      call get_command_argument(i, word)
      if (word == '--case') call get_command_argument(i + 1, cases)
      if (word == '--seconds') then
        call get_command_argument(i + 1, word)
        read (word, *) seconds
      end if
    end do
  end subroutine

  ! Image 1 works; the others wait in the barrier, in which they make progress.
  subroutine measure(name, bytes)
    character(len=*), intent(in) :: name
    integer, intent(in) :: bytes
    integer(int64) :: n, began, ended, rate
    real(real64) :: took
    if (cases /= ' ' .and. index(',' // trim(cases) // ',', ',' // name // ',') == 0) return
    n = 8
    do
      sync all
      took = 0
      if (this_image() == 1) then
        call system_clock(began, rate)
        call work(name, n, num_images())
        call system_clock(ended)
        took = real(ended - began, real64) / real(rate, real64)
      end if
      call co_broadcast(took, 1)
      if (took >= 0.6_real64 * seconds) exit
      n = max(2 * n, min(20 * n, int(real(n, real64) * seconds / max(took, 1e-7_real64), int64)))
    end do
    if (this_image() == 1) then
      write (output_unit, '(a, 1x, i0, 1x, i0, 1x, f0.4)') name, num_images(), bytes, &
        took / real(n, real64) * 1e9_real64
      flush (output_unit)
    end if
  end subroutine

  subroutine work(name, n, there)
    character(len=*), intent(in) :: name
    integer(int64), intent(in) :: n
    integer, intent(in) :: there
    integer(int64) :: i, total
    integer(atomic_int_kind) :: before
    total = 0
    select case (name)
    case ('coarray_put')
      do i = 1, n
        value[there] = i
      end do
    case ('coarray_get')
      do i = 1, n
        total = total + value[there]
      end do
    case ('coarray_atomic_add')
      do i = 1, n
        call atomic_add(counter[there], 1)
      end do
    case ('coarray_fetch_add')
      do i = 1, n
        call atomic_fetch_add(counter[there], 1, before)
      end do
    end select
    if (total < 0) error stop 'the value of an image is not what was put there'
  end subroutine
end program
