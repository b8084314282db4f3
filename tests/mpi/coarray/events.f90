! Events between images: a pipeline that posts and waits, waiting for several at once, and the query.
program events
  use iso_fortran_env, only: event_type
  implicit none
  integer, parameter :: rounds = 50
  type(event_type) :: filled[*], drained[*], arrived[*]
  integer :: box[*], me, images, next, before, i, count

  me = this_image()
  images = num_images()
  next = merge(1, me + 1, me == images)
  before = merge(images, me - 1, me == 1)
  box = 0
  sync all

  ! Each image fills its neighbour's box, and fills it again only when that neighbour has read it.
  do i = 1, rounds
    box[next] = 1000 * i + me
    event post (filled[next])
    event wait (filled)
    call expect(box == 1000 * i + before, 'box')
    event post (drained[before])
    event wait (drained)
  end do
  call event_query(filled, count)
  call expect(count == 0, 'no event is left')
  sync all

  ! The first image waits for all others at once; posts may come in any order.
  if (me /= 1) then
    do i = 1, 3
      event post (arrived[1])
    end do
  else if (images > 1) then
    event wait (arrived, until_count=3 * (images - 1))
    call event_query(arrived, count)
    call expect(count == 0, 'until_count takes all')
  end if
  sync all

  ! A query counts without taking.
  event post (arrived[next])
  event post (arrived[next])
  sync all
  call event_query(arrived, count)
  call expect(count == 2, 'query')
  event wait (arrived, until_count=2)
  sync all
  if (me == 1) print '("events: right on ", i0, " images")', images
contains
  include 'expect.inc'
end program
