! Atomic subroutines of Fortran 2018 on coarray elements: all images at once on one element, so that a
! lost update shows. Three faults of OpenCoarrays 2.10 with GFortran 12 leave gaps here: the atomic_fetch
! forms never hand back the old value, atomic_or is refused, and atomic_xor does an or.
program atomics
  use iso_fortran_env, only: atomic_int_kind, atomic_logical_kind
  implicit none
  integer, parameter :: rounds = 500
  integer(atomic_int_kind) :: counter[*], tickets[*], owner[*], mask[*]
  logical(atomic_logical_kind) :: raised[*], seen
  integer(atomic_int_kind) :: old, value
  integer :: guarded[*], me, images, i, status

  me = this_image()
  images = num_images()
  counter = 0
  tickets = 0
  owner = 0
  mask = -1
  raised = .false.
  guarded = 0
  sync all

  do i = 1, rounds
    call atomic_add(counter[1], me)
  end do
  sync all
  call atomic_ref(value, counter[1])
  call expect(value == rounds * images * (images + 1) / 2, 'atomic_add')

  do i = 1, rounds
    call atomic_fetch_add(tickets[images], 1, old)
  end do
  sync all
  call atomic_ref(value, tickets[images])
  call expect(value == rounds * images, 'atomic_fetch_add')

  ! A lock made of compare-and-swap guards a sum that is not atomic.
  do i = 1, 20
    do
      call atomic_cas(owner[1], old, 0, me)
      if (old == 0) exit
    end do
    value = guarded[1]
    guarded[1] = value + 1
    sync memory
    call atomic_cas(owner[1], old, me, 0)
    call expect(old == me, 'the lock was held by its taker')
  end do
  sync all
  call expect(guarded[1] == 20 * images, 'atomic_cas excludes')

  if (me <= 30) then
    call atomic_and(mask[1], not(ishft(1, me - 1)))
  end if
  sync all
  call atomic_ref(value, mask[1])
  call expect(value == not(ishft(1, min(images, 30)) - 1), 'atomic_and')
  sync all
  call atomic_fetch_and(mask[images], -2, old)
  sync all
  call atomic_ref(value, mask[images])
  call expect(value == merge(not(ishft(1, min(images, 30)) - 1), -2, images == 1), 'atomic_fetch_and')

  ! What is defined is seen, in the end, by an image that only asks.
  if (me == images) call atomic_define(raised[1], .true.)
  if (me == 1) then
    do
      call atomic_ref(seen, raised, stat=status)
      call expect(status == 0, 'atomic_ref has no error')
      if (seen) exit
    end do
  end if
  sync all
  if (me == 1) print '("atomics: right on ", i0, " images")', images
contains
  include 'expect.inc'
end program
