! Locks and critical sections: a count that is read and written apart loses updates unless they exclude.
program locks
  use iso_fortran_env, only: lock_type
  implicit none
  integer, parameter :: rounds = 60
  type(lock_type) :: guard[*], several(3)[*]
  integer :: guarded[*], sectioned[*], tried[*], me, images, i, value, status
  logical :: got

  me = this_image()
  images = num_images()
  guarded = 0
  sectioned = 0
  tried = 0
  sync all

  do i = 1, rounds
    lock (guard[1])
    value = guarded[1]
    guarded[1] = value + 1
    unlock (guard[1])
  end do
  sync all
  call expect(guarded[1] == rounds * images, 'lock excludes')

  do i = 1, rounds
    critical
      value = sectioned[1]
      sectioned[1] = value + 1
    end critical
  end do
  sync all
  call expect(sectioned[1] == rounds * images, 'critical excludes')

  ! A lock that is only tried for: whoever gets it counts.
  do i = 1, rounds
    do
      lock (guard[images], acquired_lock=got)
      if (got) exit
    end do
    value = tried[images]
    tried[images] = value + 1
    unlock (guard[images])
  end do
  sync all
  call expect(tried[images] == rounds * images, 'a tried lock excludes')

  ! Locking twice is an error, of a number that OpenCoarrays chooses; unlocking twice it lets pass.
  lock (several(2)[me])
  lock (several(2)[me], stat=status)
  call expect(status /= 0, 'locking twice')
  unlock (several(2)[me])
  lock (several(2)[me])
  unlock (several(2)[me])
  sync all
  if (me == 1) print '("locks: right on ", i0, " images")', images
contains
  include 'expect.inc'
end program
