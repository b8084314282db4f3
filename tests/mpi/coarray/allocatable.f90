! Allocatable coarrays come and go: each makes and frees a window. Also coarrays with a component that
! each image allocates at a size of its own.
program allocatable_coarrays
  implicit none
  type ragged
    integer, allocatable :: values(:)
  end type
  integer, allocatable :: line(:)[:], other(:)[:]
  real(8), allocatable :: cube(:, :, :)[:]
  type(ragged) :: mine[*]
  integer, allocatable :: got(:)
  integer :: me, images, next, round, i

  me = this_image()
  images = num_images()
  next = merge(1, me + 1, me == images)

  do round = 1, 20
    allocate (line(round * 7)[*], source=0)
    allocate (other(3)[*])
    line(:)[next] = [(round + i * me, i = 1, round * 7)]
    other = round
    sync all
    call expect(all(line == [(round + i * merge(images, me - 1, me == 1), i = 1, round * 7)]), 'line')
    call expect(all(other(:)[next] == round), 'other')
    sync all
    deallocate (other)
    deallocate (line)
  end do

  allocate (cube(4, 5, 6)[*], source=0d0)
  cube(2, :, 3:6:3)[next] = real(me, 8)
  sync all
  call expect(count(cube == real(merge(images, me - 1, me == 1), 8)) == 10, 'section of a cube')
  deallocate (cube)

  allocate (mine%values(3 + me), source=[(100 * me + i, i = 1, 3 + me)])
  sync all
  allocate (got(3 + next))
  got = mine[next]%values(:)
  call expect(all(got == [(100 * next + i, i = 1, 3 + next)]), 'component of another size')
  sync all
  deallocate (mine%values)
  sync all
  if (me == 1) print '("allocatable: right on ", i0, " images")', images
contains
  include 'expect.inc'
end program
