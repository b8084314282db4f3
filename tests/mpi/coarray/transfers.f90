! Puts and gets between images: scalars, whole arrays, strided and reversed sections, sections of two
! dimensions, characters and derived types, and a copy between two other images. Stops with an error at
! the first value that is wrong; sync images orders pairs of neighbours.
program transfers
  implicit none
  type particle
    integer :: number
    real(8) :: place(3)
  end type
  integer, parameter :: length = 40, rows = 6, columns = 5
  integer :: scalar[*], line(length)[*], copied(length)[*]
  real(8) :: plane(rows, columns)[*], corner(2, 3)
  character(len=12) :: word[*]
  type(particle) :: particles(4)[*]
  integer :: got(length), me, images, next, before, i, j

  me = this_image()
  images = num_images()
  next = merge(1, me + 1, me == images)
  before = merge(images, me - 1, me == 1)

  scalar = 0
  line = 0
  sync all
  scalar[next] = 100 + me
  line(:)[next] = [(1000 * me + i, i = 1, length)]
  sync all
  call expect(scalar == 100 + before, 'scalar put')
  call expect(all(line == [(1000 * before + i, i = 1, length)]), 'whole put')
  call expect(scalar[next] == 100 + me, 'scalar get')
  got = line(:)[next]
  call expect(all(got == [(1000 * me + i, i = 1, length)]), 'whole get')
  sync all

  ! Every third element, downwards; the rest stays.
  line = -1
  sync all
  line(length:1:-3)[next] = [(me * 10000 + i, i = length, 1, -3)]
  sync all
  do i = 1, length
    call expect(line(i) == merge(before * 10000 + i, -1, mod(length - i, 3) == 0), 'strided put')
  end do
  got = 0
  got(1:length:2) = line(2:length:2)[next]
  do i = 2, length, 2
    call expect(got(i - 1) == merge(me * 10000 + i, -1, mod(length - i, 3) == 0), 'strided get')
  end do
  sync all

  ! A block of a plane, with a stride along both dimensions.
  plane = 0
  sync all
  plane(2:4:2, 1:5:2)[next] = reshape([(me + 0.125d0 * i, i = 1, 6)], [2, 3])
  sync all
  call expect(abs(sum(plane) - (6 * before + 0.125d0 * 21)) < 1d-12, 'block put, sum')
  call expect(plane(4, 3) == before + 0.125d0 * 4, 'block put, element')
  corner = plane(2:4:2, 1:5:2)[next]
  do j = 1, 3
    do i = 1, 2
      call expect(corner(i, j) == me + 0.125d0 * (i + 2 * (j - 1)), 'block get')
    end do
  end do
  sync all

  word = ''
  sync all
  write (word, '("from ", i0)') me
  particles(:) = [(particle(10 * me + i, [1d0, 2d0, 3d0] * i), i = 1, 4)]
  sync all
  block
    character(len=12) :: expected, heard
    type(particle) :: one
    write (expected, '("from ", i0)') next
    heard = word[next]
    call expect(heard == expected, 'character get')
    one = particles(3)[next]
    call expect(one%number == 10 * next + 3 .and. all(one%place == [3d0, 6d0, 9d0]), 'derived type')
    call expect(particles(2)[next]%number == 10 * next + 2, 'component')
  end block
  sync all

  ! The first image moves a section from the last to the one before it.
  copied = 0
  line = [(me * 100 + i, i = 1, length)]
  sync all
  if (me == 1) copied(1:10)[max(1, images - 1)] = line(11:20)[images]
  sync all
  if (me == max(1, images - 1)) then
    call expect(all(copied(1:10) == [(images * 100 + i, i = 11, 20)]), 'copy between two others')
  end if

  ! A token goes round, ordered by pairs alone.
  scalar = 0
  sync all
  if (images > 1) then
    if (me == 1) then
      scalar[2] = 1
      sync images (2)
      sync images (images)
      call expect(scalar == images, 'token came back')
    else
      sync images (me - 1)
      call expect(scalar == me - 1, 'token came')
      scalar[next] = scalar + 1
      sync images (next)
    end if
  end if
  sync all
  if (me == 1) print '("transfers: right on ", i0, " images")', images
contains
  include 'expect.inc'
end program
